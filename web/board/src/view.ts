// What the board shows and says, made from its state, and the events that it sends to the page.

import { html, set } from "./dom";
import { useSet } from "./glyphs";
import { isJapanese, type Part, say, setJapanese } from "./language";
import { later } from "./later";
import { attackerOf, type Cell, kingOf, legal, SIDE, toSFEN, usi } from "./rules";
import {
  attribute, focused, HINT_STEPS, isEditing, isGame, isSolving, type Message, now, played, replays,
  type State, UP_TO_DATE, written,
} from "./state";
import type { Scene } from "./surface";
import * as T from "./text";

// Drawing.

// style adds a style sheet, which all boards share. It is not a style element: the security policy
// of a page may forbid those.
const sheets: { [css: string]: CSSStyleSheet } = {};
export const style = ({ root }: State, css: string): void => {
  if (!sheets[css]) {
    sheets[css] = new CSSStyleSheet();
    sheets[css].replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)")); // see the bundler
  }
  const sheet = sheets[css];
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
};

// setLanguage sets the language of words and the set of pieces to those of this board. They are
// global, for all boards of a page, so every rendering sets them first.
export const setLanguage = (s: State): void => {
  const lang = s.host.closest<HTMLElement>("[lang]")?.lang ?? "";
  setJapanese(/^(ja|$)/i.test(lang));
  useSet(attribute(s, "pieces"));
};

// sceneOf returns what the surface has to draw.
const sceneOf = (s: State): Scene => {
  const position = now(s), solving = isSolving(s), editing = isEditing(s), game = isGame(s);
  const hint = s.hintStep ? s.hintMove : undefined, last = s.line[s.ply - 1];
  const isWrong = s.phase === "wrong";
  // With one king on the board it is clear who attacks, also if nothing is solved.
  const hasOneKing = kingOf(position, 0) < 0 !== kingOf(position, 1) < 0;
  const targets = s.picked >= 0 && solving ? legal(position, s.picked).map((m) => m[1]) : [];
  const title = editing ? T.setup : solving && !game ? T.problem : T.board;
  return {
    position, flip: s.host.hasAttribute("flip"), edit: editing,
    name: attribute(s, "label") || attribute(s, "caption") || say(title),
    picked: s.picked, last,
    attacker: !game && (solving || editing || hasOneKing) ? s.attacker : undefined,
    targets: [...new Set(targets)],
    hints: (hint ? hint.slice(0, s.hintStep > 1 ? 2 : 1) : [s.touched]) as Cell[],
    arrow: s.hintStep === HINT_STEPS ? hint : isWrong ? last : undefined,
    wrong: isWrong,
    without: editing || game || attribute(s, "hands") !== "hide" ? undefined : 1 - s.attacker,
  };
};

// render draws the state, and sends a "position" event if the position has changed.
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

// goTo shows the position after n moves of the line, if the line can be replayed.
export const goTo = (s: State, n: number): void => {
  const was = s.ply;
  if (replays(s)) s.ply = Math.max(0, Math.min(s.line.length, n));
  if (s.ply === was) return;
  describe(s);
  if (s.ply === was + 1) s.surface.slide(s.line[was]!, s.line[was]![0]);
  if (s.ply) moved(s, "replay");
};

// Speaking to the reader.

// tell sets the message of the board, renders it, and has it read out.
export const tell = (
  s: State, mood: Message["mood"], words: string, parts: Message["parts"] = () => [],
): void => {
  s.message = { mood, words, parts };
  render(s);
  announce(s, say(words, 1, ...parts()));
};

// announce has a screen reader read out a text. Screen readers skip a text that has not changed, so
// a repeated one gets a space more.
export const announce = ({ isQuiet, live }: State, text: string): void => {
  if (!isQuiet) live.textContent = text + (live.textContent === text ? "\u00a0" : "");
};

// saysLength reports whether the message says how long the problem is: if that is known, and neither
// the caption nor the name that the page gave the board has it.
const saysLength = (s: State): boolean => {
  const n = s.author.length, words = say(T.startN, 0, n);
  return n > 0 && !s.host.hasAttribute("plies") && !attribute(s, "label").includes(words);
};

// describe sets the message to a description of the present state.
export const describe = (s: State): void => {
  if (isEditing(s)) {
    const hasKing = kingOf(s.start, 1 - attackerOf(s.start)) >= 0;
    tell(s, "", hasKing ? T.turn : T.needKing, () => [s.surface.side(s.start[SIDE]!)]);
  } else if (isGame(s) && !replays(s)) {
    tell(s, "", T.game, () => [s.surface.side(s.attacker)]);
  } else if (!replays(s)) {
    tell(s, "", saysLength(s) ? T.startN : T.start, () => [s.author.length]);
  } else {
    const last = (): Part => (s.ply ? written(s, s.ply - 1) : "");
    tell(s, "", s.line.length ? T.at : T.nothing, () => [s.ply, s.line.length, last()]);
  }
};

// stopped says why an answer of the server does not come, and offers the reader to try again.
export const stopped = (s: State, again: () => unknown, words: string): void => {
  s.phase = "stopped";
  s.retry = again;
  tell(s, "bad", words);
};

// withFile loads a file for a board, and returns what use makes of it. If it cannot be loaded, it says
// so, lets the reader try again where again says how, unless the reader has gone on, and returns
// undefined.
export async function withFile<File, Result = void>(
  s: State, name: string, use: (file: File) => Result, again?: () => unknown,
): Promise<Awaited<Result> | undefined> {
  const current = s.stop;
  let file;
  try {
    file = await later<File>(name);
  } catch (detail) {
    if (current === s.stop) {
      if (again) stopped(s, again, T.missing);
      else tell(s, "bad", T.missing);
      emit(s, "error", { code: "load", detail });
    }
    return;
  }
  return await use(file);
}

// ask opens a dialog. It resolves to the value of the button that closed it, "" if none did.
export const ask = (s: State, label: string, children: Node[], style = ""): Promise<string> =>
  new Promise((resolve) => {
    const dialog = html("dialog", {
      "aria-label": label,
      click: (e: Event) => e.target === dialog && dialog.close(), // on the backdrop
      close() {
        dialog.remove();
        resolve(dialog.returnValue);
      },
    }, html("form", { method: "dialog", class: "bar" }, ...children));
    s.stop.signal.addEventListener("abort", () => dialog.close());
    s.frame.append(dialog);
    dialog.showModal(); // which keeps the focus inside, and restores it at the end
    if (style) dialog.style.cssText = style;
  });

// Speaking to the page.

// emit dispatches an event. It returns false if the page has cancelled the default action.
export const emit = ({ host }: State, type: string, detail: object): boolean =>
  host.dispatchEvent(new CustomEvent("tsume-" + type, {
    detail, bubbles: true, composed: true, cancelable: type === "next",
  }));

// moved sends the event of the move that led to the present position. score is the opinion of the
// level that made the move.
export const moved = (
  s: State, by: "reader" | "defender" | "level" | "replay", score?: object,
): void => {
  emit(s, "move", {
    move: usi(s.line[s.ply - 1]!), text: written(s, s.ply - 1)[0], ply: s.ply,
    sfen: toSFEN(now(s)), by, score,
  });
};

// reflect sets attributes to what the board shows already, so that they are not read again.
export const reflect = (
  s: State, attributes: { [name: string]: string | undefined },
): void => {
  s.isReflecting = true;
  set(s.host, attributes);
  s.isReflecting = false;
};
