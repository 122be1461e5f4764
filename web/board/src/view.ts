// What the board shows and says, made of its state, and what it tells the page.

import { html, set } from "./dom";
import { useSet } from "./glyphs";
import { isJapanese, type Part, say, setJapanese } from "./language";
import { attackerOf, type Cell, kingOf, legal, SIDE, toSFEN, usi } from "./rules";
import {
  attribute, focused, HINT_STEPS, isEditing, isGame, isSolving, type Message, now, played, replays,
  type State, UP_TO_DATE, written,
} from "./state";
import type { Scene } from "./surface";
import * as T from "./text";

// Drawing.

// style adds a style sheet, the same for all boards. It is no style element, which the policy of a
// page may forbid.
const sheets: { [css: string]: CSSStyleSheet } = {};
export const style = ({ root }: State, css: string): void => {
  if (!sheets[css]) {
    sheets[css] = new CSSStyleSheet();
    sheets[css].replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)")); // see the bundler
  }
  const sheet = sheets[css];
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
};

// setLanguage makes the words those of the board's language, and the pieces those of its set. All
// boards of a page share them.
export const setLanguage = (s: State): void => {
  const lang = s.host.closest<HTMLElement>("[lang]")?.lang ?? "";
  setJapanese(/^(ja|$)/i.test(lang));
  useSet(attribute(s, "pieces"));
};

// sceneOf returns what the surface is to draw.
const sceneOf = (s: State): Scene => {
  const position = now(s), solving = isSolving(s), editing = isEditing(s), game = isGame(s);
  const hint = s.hintStep ? s.hintMove : undefined, last = s.line[s.ply - 1];
  const isWrong = s.phase === "wrong";
  // Who attacks is in no doubt where one king is missing.
  const hasOneKing = kingOf(position, 0) < 0 !== kingOf(position, 1) < 0;
  const targets = s.picked >= 0 && solving ? legal(position, s.picked).map((m) => m[1]) : [];
  const title = editing ? T.setup : solving && !game ? T.problem : T.board;
  return {
    position, flip: s.host.hasAttribute("flip"), edit: editing,
    name: attribute(s, "label") || attribute(s, "caption") || say(title),
    picked: s.picked, last,
    attacker: !game && (solving || (!editing && hasOneKing)) ? s.attacker : undefined,
    targets: [...new Set(targets)],
    hints: (hint ? hint.slice(0, s.hintStep > 1 ? 2 : 1) : [s.touched]) as Cell[],
    arrow: s.hintStep === HINT_STEPS ? hint : isWrong ? last : undefined,
    wrong: isWrong,
    without: editing || game || attribute(s, "hands") !== "hide" ? undefined : 1 - s.attacker,
  };
};

// render draws the state.
export const render = (s: State): void => {
  s.stale = UP_TO_DATE;
  setLanguage(s);
  s.surface.render(sceneOf(s));
  s.panel.render();
  s.more?.render();
  s.all.lang = isJapanese() ? "ja" : "en";
  const look = s.panel.node.hidden ? " bare" : isEditing(s) ? " editing" : "";
  s.frame.className = "root" + look;
  if (focused(s)?.closest("[hidden]")) s.surface.focus();

  const sfen = toSFEN(now(s)), isNews = sfen !== s.shown && !s.isQuiet;
  s.shown = sfen;
  if (isNews) emit(s, "position", { sfen, played: played(s) });
};

// goTo shows the position after n moves of the line.
export const goTo = (s: State, n: number): void => {
  const was = s.ply;
  if (replays(s)) s.ply = Math.max(0, Math.min(s.line.length, n));
  if (s.ply === was) return;
  describe(s);
  if (s.ply === was + 1) s.surface.slide(s.line[was]!, s.line[was]![0]);
  if (s.ply) moved(s, "replay");
};

// Speaking to the reader.

// tell sets what the board says, for the eye and for the ear.
export const tell = (
  s: State, mood: Message["mood"], words: string, parts: Message["parts"] = () => [],
): void => {
  s.message = { mood, words, parts };
  render(s);
  announce(s, say(words, 1, ...parts()));
};

// announce has a screen reader say a text, even if it is the one before.
export const announce = ({ isQuiet, live }: State, text: string): void => {
  if (!isQuiet) live.textContent = text + (live.textContent === text ? "\u00a0" : "");
};

// describe says where the board stands.
export const describe = (s: State): void => {
  if (isEditing(s)) {
    const hasKing = kingOf(s.start, 1 - attackerOf(s.start)) >= 0;
    tell(s, "", hasKing ? T.turn : T.needKing, () => [s.surface.side(s.start[SIDE]!)]);
  } else if (isGame(s) && !replays(s)) {
    tell(s, "", T.game, () => [s.surface.side(s.attacker)]);
  } else if (!replays(s)) {
    tell(s, "", s.author.length ? T.startN : T.start, () => [s.author.length]);
  } else {
    const last = (): Part => (s.ply ? written(s, s.ply - 1) : "");
    tell(s, "", s.line.length ? T.at : T.nothing, () => [s.ply, s.line.length, last()]);
  }
};

// stopped says why what the reader waited for does not come, and lets the reader try it again.
export const stopped = (s: State, again: () => unknown, words: string): void => {
  s.phase = "stopped";
  s.retry = again;
  tell(s, "bad", words);
};

// ask opens a dialog and returns the value of the button that closed it, "" if none did.
export const ask = (s: State, label: string, children: Node[], style = ""): Promise<string> =>
  new Promise((resolve) => {
    const dialog = html("dialog", {
      "aria-label": label,
      click: (e: Event) => e.target === dialog && dialog.close(), // beside what is in it
      close() {
        dialog.remove();
        resolve(dialog.returnValue);
      },
    }, html("form", { method: "dialog", class: "bar" }, ...children));
    s.stop.signal.addEventListener("abort", () => dialog.close());
    s.frame.append(dialog);
    dialog.showModal(); // which keeps the focus inside, and gives it back
    if (style) dialog.style.cssText = style;
  });

// Speaking to the page.

// emit dispatches an event. It returns false if the page has done already what follows.
export const emit = ({ host }: State, type: string, detail: object): boolean =>
  host.dispatchEvent(new CustomEvent("tsume-" + type, {
    detail, bubbles: true, composed: true, cancelable: type === "next",
  }));

// moved reports the move that led to what is on the board. score is what the level thinks that made
// it.
export const moved = (
  s: State, by: "reader" | "defender" | "level" | "replay", score?: object,
): void => {
  emit(s, "move", {
    move: usi(s.line[s.ply - 1]!), text: written(s, s.ply - 1)[0], ply: s.ply,
    sfen: toSFEN(now(s)), by, score,
  });
};

// reflect changes attributes to what the board shows already.
export const reflect = (
  s: State, attributes: { [name: string]: string | undefined },
): void => {
  s.isReflecting = true;
  set(s.host, attributes);
  s.isReflecting = false;
};
