// The state of a board, which all its files share: the position and the line of moves from it, what
// the reader is doing, the message, and the interfaces of the parts. It is data, questions about
// it, and small changes of it: nothing here draws, or asks the server.

import type { Client } from "./api";
import { type Part, say } from "./language";
import { write } from "./notation";
import {
  after, type Cell, type Color, emptyBoard, type Move, NOWHERE, parse, type Position, SIDE, toSFEN,
  usi,
} from "./rules";
import type { Surface } from "./surface";
import { owned, start } from "./text";

// What a board waits for. play: a move of the reader. thinking: the server. wrong: a wrong move is
// on the board until it is taken back. stopped: the server has failed until the reader tries again.
// solved, answer, over: nothing; the line can be replayed. tries: any reply, once no reply helps
// against a brinkmate. tried: nothing; how that reply is mated can be replayed.
export type Phase =
  "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer" | "over" | "tries" | "tried";

// What the board says: its mood (a class of the style sheet), a phrase of text.ts, the parts that
// fill its gaps, and a note in small letters. parts is called for each rendering, for the language
// may have changed.
export interface Message {
  mood: "" | "good" | "bad";
  words: string;
  parts: () => Part[];
  note?: string;
}

// How many steps a hint has: the piece, the square, the move.
export const HINT_STEPS = 3;

// How much of the attributes has changed since the last rendering: nothing, what is drawn anew, or
// what load has to read.
export const UP_TO_DATE = 0, REDRAW = 1, RELOAD = 2;

// A Panel is what stands beside the squares.
export interface Panel {
  node: HTMLElement;
  status: HTMLElement; // what the board says, above the squares
  render(): void;
  clearField(): void;
  selectField(): void;
  focusField(): void; // and empties it, for the next move
}

// An Editor sets up positions. Its file is loaded when it is first needed.
export interface Editor {
  node: HTMLElement; // what stands beside the board
  render(hasGroup: (group: string) => boolean): void;
  carry(from: Cell, to: Cell): void; // to NOWHERE: into the box
  turn(sq: number): void;
  key(key: string, cell: Cell): boolean; // whether the key was used
}

// More is what only some boards need, see more.ts. Its file is loaded when it is first needed.
export interface More {
  found: { [attribute: string]: string | undefined }; // attributes that the record stands for
  read(): Promise<void> | undefined; // reads the record, if it has changed; resolves when it has
  render(): void;
}

export interface State {
  // The element, and what is in it.
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
  readonly all: HTMLElement;
  readonly frame: HTMLElement; // squares and panel
  readonly live: HTMLElement; // what a screen reader reads out
  surface: Surface;
  panel: Panel;
  editor?: Editor;
  more?: More;

  // The game.
  start: Position;
  line: Move[];
  positions: Position[]; // the start, and the one after each move
  ply: number; // moves of the line that are on the board
  author: Move[]; // the author's line, which the page gave; empty in a game
  attacker: Color; // in a game, the reader's side

  // The reader.
  mode: string; // where the attribute is not set
  phase: Phase;
  isBad: boolean; // there is no valid position, or it cannot be solved
  picked: Cell;
  touched: Cell; // in setting up, what was picked up or changed last
  hintMove?: Move;
  hintStep: number; // of HINT_STEPS
  hints: number; // taken so far
  // What is said once an interposition was by the raw count for want of another: of the next one, and
  // at the end. ply is the index of the first one in the line.
  raw?: { reply: string; solved: string; ply: number };
  wrongs: number; // wrong moves so far
  attacks: number; // moves of the line up to the last attack of a brinkmate

  // What is said, and what is under way.
  message: Message;
  // It aborts requests and dialogs, and is replaced then: work that awaits something compares it
  // with the one of its beginning, to see whether it was overtaken.
  stop: AbortController;
  server?: string; // the URL of the server that client asks
  client?: Client;
  retry: () => unknown; // what the reader's button does in the phase stopped

  // Attributes and events.
  stale: number; // UP_TO_DATE, REDRAW or RELOAD
  loads: unknown[]; // promises of what the attributes need: what more.ts does, the editor
  isWaiting: boolean; // the record in the tag is not read yet
  isQuiet: boolean; // until the first rendering: no "position" event, nothing is read out
  isReflecting: boolean; // the board itself is changing attributes: they are not read
  shown: string; // the SFEN that was rendered last
}

export const createState = (host: HTMLElement, root: ShadowRoot, all: HTMLElement,
  frame: HTMLElement, live: HTMLElement): State => {
  const p = emptyBoard();
  // createBoard adds the parts before anything uses them.
  const parts = {} as { surface: Surface; panel: Panel };
  return {
    host, root, all, frame, live, ...parts,
    start: p, line: [], positions: [p], ply: 0, author: [], attacker: 0,
    mode: "", phase: "play", isBad: false, picked: NOWHERE, touched: NOWHERE, hintStep: 0, hints: 0,
    wrongs: 0, attacks: 0,
    message: { mood: "", words: start, parts: () => [] }, stop: new AbortController(),
    retry: () => {},
    stale: RELOAD, loads: [], isWaiting: false, isQuiet: true, isReflecting: false, shown: "",
  };
};

// attribute returns an attribute of the tag, else what the record says in its place, else "".
export const attribute = (s: State, name: string): string =>
  s.isWaiting ? "" : s.host.getAttribute(name) ?? s.more?.found[name] ?? "";

const modeOf = (s: State): string => attribute(s, "mode") || s.mode;

// isGame reports whether the reader plays a game against a level of the server.
export const isGame = (s: State): boolean => modeOf(s) === "play";

// isBrinkmate reports whether the reader attacks until no reply helps.
export const isBrinkmate = (s: State): boolean => modeOf(s) === "brinkmate";

// attacksOf returns in how many attacks there is to be a brinkmate: two plies each, less one.
const MOST_ATTACKS = 3;
export const attacksOf = (s: State): number =>
  Math.ceil(+attribute(s, "plies") / 2) || MOST_ATTACKS;

// isSolving reports whether the reader's moves are answered: by the best defence, or in a game.
export const isSolving = (s: State): boolean => /^(solve|brinkmate|play)$/.test(modeOf(s));

export const isEditing = (s: State): boolean => modeOf(s) === "edit";

export const now = (s: State): Position => s.positions[s.ply]!;

// previousTarget returns the target of the last move on the board, which 同 stands for.
export const previousTarget = (s: State): number | undefined => s.line[s.ply - 1]?.[1];

export const canPlay = (s: State): boolean => isSolving(s) && /play|tries/.test(s.phase) && !s.isBad;

// lastMove is the index of the reader's last move in the line, less than 0 if there is none.
export const lastMove = (s: State): number =>
  s.line.length - (s.positions.at(-1)![SIDE] === s.attacker ? 2 : 1);

// canRetake reports whether a wrong move is on the board, which a tap on it takes back.
export const canRetake = (s: State): boolean =>
  isSolving(s) && s.phase === "wrong" && lastMove(s) >= 0;

// replays reports whether one can go back and forth in the line.
export const replays = (s: State): boolean =>
  !s.isBad && !isEditing(s) && (!isSolving(s) || /answer|solved|over|tried/.test(s.phase));

// isUnderWay reports whether a problem is being solved, or a game played.
export const isUnderWay = (s: State): boolean =>
  isSolving(s) && /play|thinking|tries/.test(s.phase);

// follows reports whether the line is the beginning of the author's line, or all of it.
export const follows = (s: State): boolean =>
  s.line.every((m, i) => s.author[i] && usi(m) === usi(s.author[i]!));

// written returns a move, by default that of index n in the line, as it is shown and as it is read
// out, with its side: what is read out has no marks.
export const written = (s: State, n: number, m = s.line[n]!): [string, string] => {
  const p = s.positions[n]!, [eye, ear] = write(p, m, s.line[n - 1]?.[1]);
  return [eye, say(owned, 0, s.surface.side(p[SIDE]!), ear)];
};

export const played = (s: State): string[] => s.line.slice(0, s.ply).map(usi);

export const setLine = (s: State, moves: Move[], ply = moves.length): void => {
  s.line = moves;
  s.positions = [s.start];
  for (const m of moves) s.positions.push(after(s.positions.at(-1)!, m));
  s.ply = ply;
  if (s.raw && s.raw.ply >= moves.length) s.raw = undefined; // it was taken back
};

// halt aborts requests and dialogs.
export const halt = (s: State): void => {
  s.stop.abort();
  s.stop = new AbortController();
};

export const forgetHint = (s: State): void => {
  s.hintMove = undefined;
  s.hintStep = 0;
};

// interrupt aborts requests and dialogs, and drops what was picked up and the hint.
export const interrupt = (s: State): void => {
  halt(s);
  s.picked = s.touched = NOWHERE;
  forgetHint(s);
};

// focused returns the element of the board that has the focus.
export const focused = (s: State): HTMLElement | null =>
  s.root.activeElement as HTMLElement | null;

// isOnGrid reports whether the focus is on the squares, which keys act on.
export const isOnGrid = (s: State): boolean => !!focused(s)?.closest("[role=grid]");

// canonical writes an SFEN as all boards do. It throws what is wrong with it.
export const canonical = (text: string): string => toSFEN(parse(text)[0]);
