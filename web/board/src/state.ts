// The state of a board, which all its parts share: the position and the line of moves from it, what
// its reader is doing, what the board says, and the parts themselves as the others see them. It is
// data and questions about it: nothing here draws, or asks the server.

import type { Client } from "./api";
import type { Part } from "./language";
import { write } from "./notation";
import {
  after, type Cell, type Color, emptyBoard, type Move, NOWHERE, type Position, SIDE, usi,
} from "./rules";
import type { Surface } from "./surface";
import { start } from "./text";

// What a board waits for: a move of the reader, the server, that a wrong move is taken back, that
// the server is asked again, or nothing any more.
export type Phase = "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer" | "over";

// What the board says: its mood (a class of the style sheet), the words, what is filled into them,
// and what is added in small letters. Parts are asked for again when the language changes.
export interface Message {
  mood: "" | "good" | "bad";
  words: string;
  parts: () => Part[];
  note?: string;
}

// How many steps a hint has: the piece, the square, the move.
export const HINT_STEPS = 3;

// What the drawing is behind the attributes with: nothing, the look, or the position too.
export const UP_TO_DATE = 0, REDRAW = 1, RELOAD = 2;

// A Panel is what stands beside the squares.
export interface Panel {
  node: HTMLElement;
  status: HTMLElement; // what the board says, above the squares
  render(): void;
  clearField(): void;
  selectField(): void;
  focusField(): void; // empty, for what is typed next
}

// An Editor sets up positions; it is there once it was needed.
export interface Editor {
  node: HTMLElement; // what stands beside the board
  render(hasGroup: (group: string) => boolean): void;
  carry(from: Cell, to: Cell): void; // beside the board is into the box
  turn(sq: number): void;
  key(key: string, cell: Cell): boolean; // whether it was taken
}

// More is what only some boards have, see more.ts; it is there once it was needed.
export interface More {
  found: { [attribute: string]: string | undefined }; // what the record says
  read(): void; // the record, if it is another one
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
  author: Move[]; // the line that the page gave
  attacker: Color; // in a game, the reader

  // The reader.
  phase: Phase;
  isBad: boolean; // there is no position, or none that can be solved
  picked: Cell;
  touched: Cell; // in setting up, what was picked up or changed last
  hintMove?: Move;
  hintStep: number; // of HINT_STEPS
  hints: number; // taken so far
  wrongs: number; // wrong moves so far

  // What is said, and what is under way.
  message: Message;
  stop: AbortController; // ends what is under way
  server?: string; // that is asked
  client?: Client;
  retry: () => unknown; // what was stopped

  // What is behind the attributes.
  stale: number;
  isWaiting: boolean; // for what the tag has instead of a position
  isQuiet: boolean; // what a page begins with is not news
  isReflecting: boolean; // the board changes its own attributes
  shown: string; // the position that pages know of
}

export const createState = (host: HTMLElement, root: ShadowRoot, all: HTMLElement,
  frame: HTMLElement, live: HTMLElement): State => {
  const p = emptyBoard();
  // The parts follow before anybody asks for them: see createBoard.
  const parts = {} as { surface: Surface; panel: Panel };
  return {
    host, root, all, frame, live, ...parts,
    start: p, line: [], positions: [p], ply: 0, author: [], attacker: 0,
    phase: "play", isBad: false, picked: NOWHERE, touched: NOWHERE, hintStep: 0, hints: 0, wrongs: 0,
    message: { mood: "", words: start, parts: () => [] }, stop: new AbortController(),
    retry: () => {},
    stale: RELOAD, isWaiting: false, isQuiet: true, isReflecting: false, shown: "",
  };
};

// attribute returns what the tag says, or the record in it.
export const attribute = (s: State, name: string): string =>
  s.isWaiting ? "" : s.host.getAttribute(name) ?? s.more?.found[name] ?? "";

// isGame reports whether a level plays against the reader.
export const isGame = (s: State): boolean => attribute(s, "mode") === "play";

// isSolving reports whether the reader's moves are answered: by the best defence, or in a game.
export const isSolving = (s: State): boolean => attribute(s, "mode") === "solve" || isGame(s);

export const isEditing = (s: State): boolean => attribute(s, "mode") === "edit";

export const now = (s: State): Position => s.positions[s.ply]!;

// previousTarget returns where the last move on the board went, for 同.
export const previousTarget = (s: State): number | undefined => s.line[s.ply - 1]?.[1];

export const canPlay = (s: State): boolean => isSolving(s) && s.phase === "play" && !s.isBad;

// lastMove is the place of the reader's last move in the line, less than 0 where there is none.
export const lastMove = (s: State): number =>
  s.line.length - (s.positions.at(-1)![SIDE] === s.attacker ? 2 : 1);

// canRetake reports whether a wrong move is on the board, which a tap on it takes back.
export const canRetake = (s: State): boolean =>
  isSolving(s) && s.phase === "wrong" && lastMove(s) >= 0;

// replays reports whether one can go back and forth in the line.
export const replays = (s: State): boolean =>
  !s.isBad && !isEditing(s) && (!isSolving(s) || /answer|solved|over/.test(s.phase));

// isUnderWay reports whether a problem is being solved, or a game played.
export const isUnderWay = (s: State): boolean =>
  isSolving(s) && (s.phase === "play" || s.phase === "thinking");

// follows reports whether the line is so far that of the page.
export const follows = (s: State): boolean =>
  s.line.every((m, i) => s.author[i] && usi(m) === usi(s.author[i]!));

// written returns a move, by default the nth of the line, for the eye and for the ear.
export const written = (s: State, n: number, m = s.line[n]!): [string, string] =>
  write(s.positions[n]!, m, s.line[n - 1]?.[1]);

export const played = (s: State): string[] => s.line.slice(0, s.ply).map(usi);

export const setLine = (s: State, moves: Move[], ply = moves.length): void => {
  s.line = moves;
  s.positions = [s.start];
  for (const m of moves) s.positions.push(after(s.positions.at(-1)!, m));
  s.ply = ply;
};

// halt ends what is under way.
export const halt = (s: State): void => {
  s.stop.abort();
  s.stop = new AbortController();
};

export const forgetHint = (s: State): void => {
  s.hintMove = undefined;
  s.hintStep = 0;
};

// interrupt ends what is under way, and what was picked up or hinted at is void.
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
