// What stands beside the board: what it says, its buttons, the field for moves, and the moves of
// the line.

import { html, set } from "./dom";
import { say } from "./language";
import { load } from "./load";
import { hint, showAnswer, takeBack } from "./play";
import {
  attribute, focused, HINT_STEPS, isGame, isSolving, isUnderWay, lastMove, type Panel, replays,
  type State, written,
} from "./state";
import * as T from "./text";
import { goTo, withFile } from "./view";

interface Button {
  group: string; // of the attribute controls
  words: string;
  action(): unknown;
  isThere(): boolean;
  isDead?(): boolean; // it can do nothing now
  sign?: string; // seen instead of the words
}

// showKeys shows what keys do.
export const showKeys = (s: State): Promise<void> =>
  withFile(s, "keys", (file: typeof import("./keys")) => void file.showKeys(s));

// ended does what can be done about a problem at its end, by a function of ended.ts.
const ended = (s: State, name: "share" | "goToNext" | "giveUp"): Promise<void> =>
  withFile(s, "ended", (file: typeof import("./ended")) => void file[name](s, showAnswer));

// answer shows the answer, where the page wants it after another question.
const answer = (s: State): unknown =>
  /confirm/.test(attribute(s, "controls")) ? ended(s, "giveUp") : showAnswer(s);

// How much of the list is seen above the current move, in px.
const LIST_MARGIN = 60;

export function createPanel(s: State, submit: (text: string) => void): Panel {
  const status = html("p", { part: "message" }), bar = html("div", { class: "bar" }), list = html("ol");
  const label = html("label", { for: "i" }), go = html("button");
  const field = html("input", {
    id: "i", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go",
  });
  const onSubmit = (e: Event): void => {
    e.preventDefault();
    submit(field.value.trim());
  };
  const form = html("form", { submit: onSubmit }, label, field, go);
  // What the page puts beside the squares comes last.
  const slot = html("slot", { name: "panel" });
  const node = html("div", { class: "panel", part: "panel" }, bar, form, list, slot);

  const isAtStart = (): boolean => !s.ply;
  const isAtEnd = (): boolean => s.ply === s.line.length;
  const hasLine = (): boolean => replays(s) && !!s.line[0];
  const isProblem = (): boolean => isUnderWay(s) && !isGame(s);
  const isSolved = (): boolean => /solved|tri/.test(s.phase);
  const hasNext = (): boolean => isSolved() && s.host.hasAttribute("next");

  const button = (
    group: string, words: string, action: () => unknown, isThere: () => boolean,
    more: Partial<Button> = {},
  ): Button => ({ group, words, action, isThere, ...more });

  const replayButton = (
    sign: string, words: string, to: () => number, isDead: () => boolean,
  ): Button => button("replay", words, () => goTo(s, to()), hasLine, { isDead, sign });
  const flip = (): boolean => s.host.toggleAttribute("flip");

  const buttons: Button[] = [
    replayButton("«", T.bFirst, () => 0, isAtStart),
    replayButton("‹", T.bPrevious, () => s.ply - 1, isAtStart),
    replayButton("›", T.bNext, () => s.ply + 1, isAtEnd),
    replayButton("»", T.bLast, () => s.line.length, isAtEnd),
    button("next", T.bNextProblem, () => ended(s, "goToNext"), hasNext),
    button("play", T.bRetry, () => s.retry(), () => s.phase === "stopped"),
    button("hints", T.bHint, () => hint(s), isProblem, {
      isDead: () => s.phase !== "play" || s.hintStep === HINT_STEPS,
    }),
    button("play", T.bBack, () => takeBack(s),
      () => isUnderWay(s) || /wrong|stopped|over|tried/.test(s.phase),
      { isDead: () => lastMove(s) < 0 }),
    button("answer", T.bAnswer, () => answer(s), () => isProblem() || s.phase === "wrong"),
    button("play", T.bReset, () => load(s), () => isSolving(s) && replays(s)),
    button("share", T.bShare, () => ended(s, "share"), isSolved),
    button("flip", T.bFlip, flip, () => true, { sign: "⇅" }),
    button("keys", T.bKeys, () => showKeys(s), () => true, { sign: "?" }),
  ];
  const nodes = buttons.map(({ action }) => {
    const click = (): void => {
      if (!node.ariaDisabled) action();
    };
    const node = html("button", { click });
    return node;
  });
  bar.append(...nodes);

  // isMain reports whether a button is what the reader most likely wants next.
  const isMain = (words: string): boolean =>
    words === T.bBack ? s.phase === "wrong"
      : words === T.bReset ? !hasNext() : [T.bRetry, T.bNextProblem].includes(words);

  const renderStatus = (): void => {
    const { mood, words, parts, note } = s.message;
    const hasSeal = isSolved() && mood;
    const seal = hasSeal ? [html("span", { class: "seal", "aria-hidden": "true" }, s.phase === "tries" ? "必" : "詰")] : [];
    status.className = mood;
    status.replaceChildren(...seal, say(words, 0, ...parts()));
    if (note) status.append(" ", html("small", {}, say(note)));
  };

  const renderButtons = (hasGroup: (group: string) => boolean): void => {
    buttons.forEach(({ group, words, isThere, isDead, sign }, i) => {
      const text = say(words), step = words === T.bHint && s.hintStep;
      nodes[i]!.hidden = s.isBad || !isThere() || !hasGroup(group);
      nodes[i]!.textContent = sign ?? text + (step ? ` ${step}/${HINT_STEPS}` : "");
      set(nodes[i]!, {
        class: sign ? "icon" : isMain(words) && "main", title: sign && text,
        "aria-disabled": isDead?.(),
      });
    });
  };

  const renderField = (isShown: boolean): void => {
    form.hidden = !isShown;
    label.textContent = say(T.type);
    go.textContent = say(T.play);
  };

  // renderList lists the moves of the line, which are buttons where it can be replayed.
  const renderList = (): void => {
    const hadFocus = list.contains(focused(s));
    list.hidden = !s.line.length;
    set(list, { "aria-label": say(T.list) });
    list.replaceChildren(...s.line.map((_, i) => {
      const text = `${i + 1} ${written(s, i)[0]}`, isCurrent = i === s.ply - 1;
      if (!replays(s)) return html("li", {}, text);
      const isTabStop = isCurrent || (!s.ply && !i);
      return html("li", {}, html("button", {
        "aria-current": isCurrent && "step", tabindex: isTabStop ? 0 : -1,
        click: () => goTo(s, i + 1),
      }, text));
    }));
    const current = list.querySelector<HTMLElement>("[tabindex='0']");
    if (hadFocus) current?.focus();
    // Only the list is scrolled, never the page.
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - LIST_MARGIN;
  };

  return {
    node, status,
    render() {
      const groups = attribute(s, "controls").split(" ");
      const hasGroup = (group: string): boolean => !groups[0] || groups.includes(group);
      node.hidden = status.hidden = groups[0] === "none" && !s.isBad;
      renderStatus();
      renderButtons(hasGroup);
      renderField(hasGroup("input") && isUnderWay(s) && !s.isBad);
      renderList();
      s.editor?.render(hasGroup);
    },
    clearField: () => void (field.value = ""),
    selectField: () => field.select(),
    focusField() {
      if (form.hidden) return;
      field.value = "";
      field.focus();
    },
  };
}
