// Reading the tag into the state: its attributes, or the record or the problem of the day that more.ts
// finds for it.

import { atBrinkmate, reply, useServer } from "./play";
import {
  attackerOf, COLORS, emptyBoard, kingOf, legal, parse, parseMoves, SIDE,
} from "./rules";
import {
  attribute, canPlay, interrupt, isBrinkmate, isEditing, isGame, isSolving, now, REDRAW, RELOAD, setLine,
  type State,
} from "./state";
import * as T from "./text";
import { describe, emit, render, setLanguage, tell, withFile } from "./view";

// The attributes that a board reads. A change of CONTENT loads the board anew, a change of LOOK
// draws it anew, and those of MORE need more.ts.
const MORE = ["record", "src", "pieces", "caption", "author", "source", "cite", "plies"];
export const CONTENT = [
  "sfen", "mode", "moves", "api", "engine", "side", "raw", "record", "src", "daily", "date",
];
export const LOOK = [
  "lang", "flip", "controls", "label", "level", "hands", "theme", "wrong", "next", "share",
  ...MORE.slice(2),
];

const NO_SFEN = "9/9/9/9/9/9/9/9/9 b -";

let ownServer = ""; // the server that the script came from
export const setOwnServer = (url: string): void => void (ownServer = url);

// needMore has more.ts read the record. It loads that file first, if the tag needs it.
const needMore = (s: State): Promise<void> | undefined => {
  const { host } = s;
  const has = (names: string[]): boolean => names.some((name) => host.hasAttribute(name));
  if (s.more) return s.more.read();
  // While the page is still being parsed, the record inside the tag may be yet to come.
  const isWaiting = !has(["sfen"]) &&
    !!(has(CONTENT.slice(7)) || document.readyState === "loading" || host.textContent!.trim());
  s.isWaiting = isWaiting;
  if (isWaiting || has(MORE) || /wood|contrast/.test(attribute(s, "theme"))) {
    return withFile(s, "more", (file: typeof import("./more")) => {
      if (s.more) return;
      s.more = file.createMore(s, () => load(s), (name) => changed(s, name));
      load(s);
    }, () => load(s));
  }
};

// needEditor loads the editor, unless it is there.
const needEditor = (s: State): Promise<void> | undefined => {
  if (s.editor) return;
  return withFile(s, "edit", ({ createEditor }: typeof import("./edit")) => {
    if (s.editor) return;
    s.editor = createEditor(s, () => settle(s));
    s.panel.node.prepend(s.editor.node);
    render(s);
  }, () => load(s));
};

// changed notes that an attribute has changed. Several changes in one task are read together, in a
// microtask after them.
export const changed = (s: State, name: string): void => {
  if (s.isReflecting) return;
  if (!s.stale) queueMicrotask(() => settle(s));
  s.stale = Math.max(s.stale, CONTENT.includes(name) ? RELOAD : REDRAW);
};

// settle reads changed attributes now, without waiting for that microtask.
export const settle = (s: State): void => {
  if (s.stale === RELOAD) load(s);
  else if (s.stale === REDRAW) {
    s.loads = [needMore(s), s.loads[1]];
    render(s);
  }
};

// ready resolves when the board shows what its attributes say, or says why it cannot.
export const ready = async (s: State): Promise<void> => {
  let loads;
  do {
    settle(s);
    await Promise.all(loads = s.loads);
  } while (s.stale || loads !== s.loads);
};

// connected reads the attributes for the first time, or continues after the board was moved in the
// page, which aborted a request.
export const connected = (s: State): void => {
  const wasAborted = s.stale < RELOAD && s.phase === "thinking";
  s.stale ||= REDRAW; // another place may have another language
  settle(s);
  s.isQuiet = false;
  if (!wasAborted) return;
  s.phase = "play";
  if (now(s)[SIDE] === s.attacker) describe(s);
  else reply(s);
};

// isProblem reports whether a board has a mate problem and nothing to replay: no line, one king, and
// the side to move is to mate it.
const isProblem = ({ start, attacker, author }: State): boolean =>
  !author[0] && start[SIDE] === attacker && kingOf(start, attacker) < 0 &&
  kingOf(start, 1 - attacker) >= 0;

// load reads all attributes and begins anew.
export const load = (s: State): void => {
  interrupt(s);
  const more = needMore(s);
  // Without a mode of its own a board has that of its set, where problems are to be solved.
  const around = s.host.closest("tsume-set");
  s.mode = around ? around.getAttribute("mode") || "solve" : "";
  s.phase = "play";
  s.isBad = false;
  s.raw = undefined;
  s.hints = s.wrongs = 0;
  s.author = [];
  const game = isGame(s);
  let fault = "";
  try {
    [s.start, s.author] = parse(attribute(s, "sfen") || NO_SFEN);
    const moves = attribute(s, "moves");
    if (moves) s.author = parseMoves(s.start, moves);
    s.attacker = attackerOf(s.start);
    if (!around && isProblem(s)) s.mode = "solve";
    s.isBad = isSolving(s) && !game && kingOf(s.start, 1 - s.attacker) < 0;
  } catch (e) {
    s.isBad = true;
    s.start = emptyBoard();
    fault = String(e);
  }
  useServer(s, (s.host.getAttribute("api") ?? ownServer).replace(/\/+$/, ""));
  const hidesLine = isEditing(s) || (isSolving(s) && !game);
  setLine(s, hidesLine ? [] : s.author, game ? s.author.length : 0);
  if (game) {
    s.author = []; // a game only begins with it
    const side = COLORS.indexOf(attribute(s, "side"));
    s.attacker = side < 0 ? now(s)[SIDE]! : side;
  }
  if (!isEditing(s)) s.panel.clearField();
  setLanguage(s);
  s.loads = [more, isEditing(s) && needEditor(s)];
  if (s.isBad) {
    const words = s.more?.found.noBoard ? T.noBoard : T.bad;
    tell(s, "bad", fault ? words : T.needKing, () => [fault]);
    emit(s, "error", { code: "sfen", detail: fault });
  } else if (isBrinkmate(s)) s.loads[2] = atBrinkmate(s, (file) => file.begin(s), () => load(s));
  else describe(s);
  // If it is not the reader's turn the server replies. In a game it is also asked if the reader has
  // no legal move: its answer says how the game has ended.
  const isMine = now(s)[SIDE] === s.attacker && (!game || legal(now(s))[0]);
  if (canPlay(s) && !isMine) reply(s);
};
