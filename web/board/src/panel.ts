// What stands beside the board: what it says, its buttons, the field for moves, and the moves of
// the line.

import type { Board } from "./board";
import { html, set } from "./dom";
import { say } from "./language";
import { HINT_STEPS } from "./state";
import * as T from "./text";

export interface Panel {
  node_: HTMLElement;
  status_: HTMLElement; // what the board says, above the squares
  render_(): void;
  clearField_(): void;
  selectField_(): void;
  focusField_(): void; // empty, for what is typed next
}

interface Button {
  group_: string; // of the attribute controls
  words_: string;
  action_(): unknown;
  isThere_(): boolean;
  isDead_?(): boolean; // it can do nothing now
  sign_?: string; // seen instead of the words
}

// How much of the list is seen above the current move, in px.
const LIST_MARGIN = 60;

export function createPanel(board: Board, submit: (text: string) => void): Panel {
  const { state_: s, play_: play } = board;

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
  const node = html("div", { class: "panel", part: "panel" }, bar, form, list);

  const isAtStart = (): boolean => !s.ply_;
  const isAtEnd = (): boolean => s.ply_ === s.line_.length;
  const hasLine = (): boolean => s.replays_() && !!s.line_[0];
  const isUnderWay = (): boolean => s.isUnderWay_();
  const isProblem = (): boolean => s.isUnderWay_() && !s.isGame_();
  const isSolved = (): boolean => s.phase_ === "solved";
  const hasNext = (): boolean => isSolved() && board.host_.hasAttribute("next");

  const button = (
    group_: string, words_: string, action_: () => unknown, isThere_: () => boolean,
    more: Partial<Button> = {},
  ): Button => ({ group_, words_, action_, isThere_, ...more });

  const replayButton = (
    sign_: string, words: string, to: () => number, isDead_: () => boolean,
  ): Button => button("replay", words, () => board.goTo_(to()), hasLine, { isDead_, sign_ });
  const flip = (): boolean => board.host_.toggleAttribute("flip");

  const buttons: Button[] = [
    replayButton("«", T.bFirst, () => 0, isAtStart),
    replayButton("‹", T.bPrevious, () => s.ply_ - 1, isAtStart),
    replayButton("›", T.bNext, () => s.ply_ + 1, isAtEnd),
    replayButton("»", T.bLast, () => s.line_.length, isAtEnd),
    button("next", T.bNextProblem, () => board.next_(), hasNext),
    button("play", T.bRetry, play.retry_, () => s.phase_ === "stopped"),
    button("hints", T.bHint, play.hint_, isProblem, {
      isDead_: () => s.phase_ !== "play" || s.hintStep_ === HINT_STEPS,
    }),
    button("play", T.bBack, play.takeBack_,
      () => isUnderWay() || /wrong|stopped|over/.test(s.phase_),
      { isDead_: () => s.lastMove_() < 0 }),
    button("answer", T.bAnswer, play.showAnswer_, () => isProblem() || s.phase_ === "wrong"),
    button("play", T.bReset, () => board.load_(), () => s.isSolving_() && s.replays_()),
    button("share", T.bShare, () => board.share_(), isSolved),
    button("flip", T.bFlip, flip, () => true, { sign_: "⇅" }),
    button("keys", T.bKeys, () => board.showKeys_(), () => true, { sign_: "?" }),
  ];
  const nodes = buttons.map(({ action_ }) => {
    const click = (): void => {
      if (!node.ariaDisabled) action_();
    };
    const node = html("button", { click });
    return node;
  });
  bar.append(...nodes);

  // isMain reports whether a button is what the reader most likely wants next.
  const isMain = (words: string): boolean =>
    words === T.bBack ? s.phase_ === "wrong"
      : words === T.bReset ? !hasNext() : [T.bRetry, T.bNextProblem].includes(words);

  const renderStatus = (): void => {
    const { mood_: mood, words_: words, parts_: parts, note_: note } = s.message_;
    const hasSeal = s.phase_ === "solved" && mood;
    const seal = hasSeal ? [html("span", { class: "seal", "aria-hidden": "true" }, "詰")] : [];
    status.className = mood;
    status.replaceChildren(...seal, say(words, 0, ...parts()));
    if (note) status.append(" ", html("small", {}, say(note)));
  };

  const renderButtons = (hasGroup: (group: string) => boolean): void => {
    buttons.forEach(({ group_: group, words_: words, isThere_, isDead_, sign_: sign }, i) => {
      const text = say(words), step = words === T.bHint && s.hintStep_;
      nodes[i]!.hidden = s.isBad_ || !isThere_() || !hasGroup(group);
      nodes[i]!.textContent = sign ?? text + (step ? ` ${step}/${HINT_STEPS}` : "");
      set(nodes[i]!, {
        class: sign ? "icon" : isMain(words) && "main", title: sign && text,
        "aria-disabled": isDead_?.(),
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
    const hadFocus = list.contains(board.focused_());
    list.hidden = !s.line_.length;
    set(list, { "aria-label": say(T.list) });
    list.replaceChildren(...s.line_.map((_, i) => {
      const text = `${i + 1} ${s.written_(i)[0]}`, isCurrent = i === s.ply_ - 1;
      if (!s.replays_()) return html("li", {}, text);
      const isTabStop = isCurrent || (!s.ply_ && !i);
      return html("li", {}, html("button", {
        "aria-current": isCurrent && "step", tabindex: isTabStop ? 0 : -1,
        click: () => board.goTo_(i + 1),
      }, text));
    }));
    const current = list.querySelector<HTMLElement>("[tabindex='0']");
    if (hadFocus) current?.focus();
    // Only the list is scrolled, never the page.
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - LIST_MARGIN;
  };

  return {
    node_: node,
    status_: status,
    render_() {
      const groups = board.attribute_("controls").split(" ");
      const hasGroup = (group: string): boolean => !groups[0] || groups.includes(group);
      node.hidden = status.hidden = groups[0] === "none" && !s.isBad_;
      renderStatus();
      renderButtons(hasGroup);
      renderField(hasGroup("input") && isUnderWay() && !s.isBad_);
      renderList();
      board.editor_?.render_(hasGroup);
    },
    clearField_: () => void (field.value = ""),
    selectField_: () => field.select(),
    focusField_() {
      if (form.hidden) return;
      field.value = "";
      field.focus();
    },
  };
}
