// The state of a board: the position and the line of moves from it, what its reader is doing, and
// what the board says. It is data and questions about it: nothing here draws, or asks the server.

import {
  after, type Cell, type Color, emptyBoard, type Move, NOWHERE, type Position, SIDE, usi,
} from "./rules";
import { write } from "./notation";
import type { Part } from "./language";
import { start } from "./text";

// What a board waits for: a move of the reader, the server, that a wrong move is taken back, that
// the server is asked again, or nothing any more.
export type Phase = "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer" | "over";

// What the board says: its mood (a class of the style sheet), the words, what is filled into them,
// and what is added in small letters. Parts are asked for again when the language changes.
export interface Message {
  mood_: "" | "good" | "bad";
  words_: string;
  parts_: () => Part[];
  note_?: string;
}

// How many steps a hint has: the piece, the square, the move.
export const HINT_STEPS = 3;

export class State {
  // The game.
  start_ = emptyBoard();
  line_: Move[] = [];
  positions_: Position[] = [this.start_]; // the start, and the one after each move
  ply_ = 0; // moves of the line that are on the board
  author_: Move[] = []; // the line that the page gave
  attacker_: Color = 0; // in a game, the reader

  // The reader.
  phase_: Phase = "play";
  isBad_ = false; // there is no position, or none that can be solved
  picked_: Cell = NOWHERE;
  touched_: Cell = NOWHERE; // in setting up, what was picked up or changed last
  hintMove_: Move | undefined;
  hintStep_ = 0; // of HINT_STEPS
  hints_ = 0; // taken so far
  wrongs_ = 0; // wrong moves so far

  stop_ = new AbortController(); // ends what is under way
  message_: Message = { mood_: "", words_: start, parts_: () => [] };

  constructor(private readonly mode_: () => string) {}

  // isSolving_ reports whether the reader's moves are answered: by the best defence, or in a game.
  isSolving_(): boolean {
    return this.mode_() === "solve" || this.isGame_();
  }

  // isGame_ reports whether a level plays against the reader.
  isGame_(): boolean {
    return this.mode_() === "play";
  }

  isEditing_(): boolean {
    return this.mode_() === "edit";
  }

  now_(): Position {
    return this.positions_[this.ply_]!;
  }

  // previousTarget_ returns where the last move on the board went, for 同.
  previousTarget_(): number | undefined {
    return this.line_[this.ply_ - 1]?.[1];
  }

  canPlay_(): boolean {
    return this.isSolving_() && this.phase_ === "play" && !this.isBad_;
  }

  // canRetake_ reports whether a wrong move is on the board, which a tap on it takes back.
  canRetake_(): boolean {
    return this.isSolving_() && this.phase_ === "wrong" && this.lastMove_() >= 0;
  }

  // replays_ reports whether one can go back and forth in the line.
  replays_(): boolean {
    const isOver = /answer|solved|over/.test(this.phase_);
    return !this.isBad_ && !this.isEditing_() && (!this.isSolving_() || isOver);
  }

  // isUnderWay_ reports whether a problem is being solved, or a game played.
  isUnderWay_(): boolean {
    return this.isSolving_() && (this.phase_ === "play" || this.phase_ === "thinking");
  }

  // lastMove_ is the place of the reader's last move in the line, less than 0 where there is none.
  lastMove_(): number {
    return this.line_.length - (this.positions_.at(-1)![SIDE] === this.attacker_ ? 2 : 1);
  }

  // follows_ reports whether the line is so far that of the page.
  follows_(): boolean {
    return this.line_.every((m, i) => this.author_[i] && usi(m) === usi(this.author_[i]!));
  }

  // written_ returns a move, by default the nth of the line, for the eye and for the ear.
  written_(n: number, m = this.line_[n]!): [string, string] {
    return write(this.positions_[n]!, m, this.line_[n - 1]?.[1]);
  }

  played_(): string[] {
    return this.line_.slice(0, this.ply_).map(usi);
  }

  setLine_(moves: Move[], ply = moves.length): void {
    this.line_ = moves;
    this.positions_ = [this.start_];
    for (const m of moves) this.positions_.push(after(this.positions_.at(-1)!, m));
    this.ply_ = ply;
  }

  // halt_ ends what is under way.
  halt_(): void {
    this.stop_.abort();
    this.stop_ = new AbortController();
  }

  // interrupt_ does that, and what was picked up or hinted at is void.
  interrupt_(): void {
    this.halt_();
    this.picked_ = this.touched_ = NOWHERE;
    this.forgetHint_();
  }

  forgetHint_(): void {
    this.hintMove_ = undefined;
    this.hintStep_ = 0;
  }
}
