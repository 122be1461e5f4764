// The rules of shogi, as far as a board needs them to take a reader's move: what is legal, what gives check, what is
// mate. Verdicts are the server's. Positions are small and asked about once a move, so this code is plain, not fast.

// A Piece is its kind, plus PROMOTED, plus WHITE; 0 is an empty square.
export type Piece = number;
export type Color = 0 | 1; // black (sente, moves up), white (gote)

export const PAWN = 1, LANCE = 2, KNIGHT = 3, SILVER = 4, GOLD = 5, BISHOP = 6, ROOK = 7, KING = 8;
export const PROMOTED = 16, WHITE = 32;
const LETTERS = " PLNSGBRK";
// SETS are how many of each kind a set has.
export const SETS = [0, 18, 4, 4, 4, 4, 2, 2, 2];

export const kindOf = (p: Piece): number => p & 15;
export const typeOf = (p: Piece): number => p & 31;
export const colorOf = (p: Piece): Color => (p & WHITE ? 1 : 0);
const canPromote = (kind: number): boolean => kind !== GOLD && kind !== KING;

// Squares are numbered as SFEN lists them: 0 is 9a, 8 is 1a, 80 is 1i.
export const fileOf = (sq: number): number => 9 - (sq % 9);
export const rankOf = (sq: number): number => Math.floor(sq / 9) + 1;
export const squareName = (sq: number): string => fileOf(sq) + "abcdefghi"[rankOf(sq) - 1];

export interface Move {
  readonly from: number; // -1 for a drop
  readonly to: number;
  readonly piece: Piece; // before it moves, with its colour
  readonly promote: boolean;
}

export const usi = (m: Move): string =>
  m.from < 0 ? LETTERS[kindOf(m.piece)] + "*" + squareName(m.to) : squareName(m.from) + squareName(m.to) + (m.promote ? "+" : "");

// How far each type goes, as black sees it: steps and slides as pairs of (down, left-to-right), one string of digits
// around 2 each.
const steps = (s: string): number[][] => (s ? s.split(" ").map((d) => [Number(d[0]) - 2, Number(d[1]) - 2]) : []);
const GOLDS = "11 12 13 21 23 32", DIAGONAL = "11 13 31 33", STRAIGHT = "12 21 23 32";
const REACH: { [type: number]: [step: number[][], slide: number[][]] } = {};
for (const [type, step, slide] of [
  [PAWN, "12", ""], [LANCE, "", "12"], [KNIGHT, "01 03", ""], [SILVER, "11 12 13 31 33", ""], [GOLD, GOLDS, ""],
  [BISHOP, "", DIAGONAL], [ROOK, "", STRAIGHT], [KING, DIAGONAL + " " + STRAIGHT, ""],
  [PAWN + PROMOTED, GOLDS, ""], [LANCE + PROMOTED, GOLDS, ""], [KNIGHT + PROMOTED, GOLDS, ""], [SILVER + PROMOTED, GOLDS, ""],
  [BISHOP + PROMOTED, STRAIGHT, DIAGONAL], [ROOK + PROMOTED, DIAGONAL, STRAIGHT],
] as [number, string, string][]) {
  REACH[type] = [steps(step), steps(slide)];
}

// depth is how many ranks lie between a square and the far end, as its side sees it.
const depth = (sq: number, c: Color): number => (c ? 9 - rankOf(sq) : rankOf(sq) - 1);
const inZone = (sq: number, c: Color): boolean => depth(sq, c) < 3;
// A piece may not stand where it could never move again.
export const isStuck = (p: Piece, sq: number): boolean =>
  depth(sq, colorOf(p)) < (typeOf(p) === KNIGHT ? 2 : typeOf(p) === PAWN || typeOf(p) === LANCE ? 1 : 0);

export class Position {
  board: Piece[] = Array<Piece>(81).fill(0);
  hands: [number[], number[]] = [Array<number>(9).fill(0), Array<number>(9).fill(0)]; // by colour, then kind
  side: Color = 0;

  clone(): Position {
    const p = new Position();
    p.board = this.board.slice();
    p.hands = [this.hands[0].slice(), this.hands[1].slice()];
    p.side = this.side;
    return p;
  }

  king(c: Color): number {
    return this.board.indexOf(KING + (c ? WHITE : 0));
  }

  // reach returns where the piece on a square could go if nothing but the pieces in its way mattered.
  reach(from: number): number[] {
    const p = this.board[from]!, c = colorOf(p), sign = c ? -1 : 1, found: number[] = [];
    const [stepping, sliding] = REACH[typeOf(p)]!;
    const go = (d: number[], far: boolean): void => {
      let row = rankOf(from) - 1, col = from % 9;
      do {
        row += d[0]! * sign;
        col += d[1]! * sign;
        if (row < 0 || row > 8 || col < 0 || col > 8) return;
        const there = this.board[row * 9 + col]!;
        if (there && colorOf(there) === c) return;
        found.push(row * 9 + col);
        if (there) return;
      } while (far);
    };
    stepping.forEach((d) => go(d, false));
    sliding.forEach((d) => go(d, true));
    return found;
  }

  attacks(sq: number, by: Color): boolean {
    return this.board.some((p, from) => p && colorOf(p) === by && this.reach(from).includes(sq));
  }

  inCheck(c: Color = this.side): boolean {
    const king = this.king(c);
    return king >= 0 && this.attacks(king, c ? 0 : 1);
  }

  // do returns the position after a move.
  do(m: Move): Position {
    const p = this.clone(), c = colorOf(m.piece), taken = p.board[m.to]!;
    if (taken) p.hands[c][kindOf(taken)]!++;
    if (m.from < 0) p.hands[c][kindOf(m.piece)]!--;
    else p.board[m.from] = 0;
    p.board[m.to] = m.piece + (m.promote ? PROMOTED : 0);
    p.side = c ? 0 : 1;
    return p;
  }

  // legal returns the legal moves, all of them or those of one piece: on a square, or in hand (-kind).
  legal(of?: number): Move[] {
    const c = this.side, found: Move[] = [];
    const add = (m: Move): void => {
      const next = this.do(m);
      if (!next.inCheck(c) && !(m.from < 0 && kindOf(m.piece) === PAWN && next.isMate())) found.push(m); // 打ち歩詰め
    };
    this.board.forEach((p, from) => {
      if (!p || colorOf(p) !== c || (of !== undefined && of !== from)) return;
      for (const to of this.reach(from)) {
        if (!isStuck(p, to)) add({ from, to, piece: p, promote: false });
        if (!(p & PROMOTED) && canPromote(kindOf(p)) && (inZone(from, c) || inZone(to, c))) add({ from, to, piece: p, promote: true });
      }
    });
    for (let kind = PAWN; kind <= ROOK; kind++) {
      if (!this.hands[c][kind] || (of !== undefined && of !== -kind)) continue;
      const piece = kind + (c ? WHITE : 0);
      for (let to = 0; to < 81; to++) {
        if (this.board[to] || isStuck(piece, to) || (kind === PAWN && this.hasPawn(to, c))) continue;
        add({ from: -1, to, piece, promote: false });
      }
    }
    return found;
  }

  // hasPawn reports whether a second pawn on the file of a square would be 二歩.
  private hasPawn(sq: number, c: Color): boolean {
    return this.board.some((p, at) => p === PAWN + (c ? WHITE : 0) && at % 9 === sq % 9);
  }

  isMate(): boolean {
    return this.inCheck() && !this.legal().length;
  }

  // checks returns the legal moves that give check.
  checks(of?: number): Move[] {
    return this.legal(of).filter((m) => this.do(m).inCheck());
  }

  // move returns the legal move of a USI text.
  move(text: string): Move | undefined {
    return this.legal().find((m) => usi(m) === text);
  }

  // attacker is the side that is to force mate: the one to move, unless it has the only king and stands in check.
  attacker(): Color {
    const c = this.side, other: Color = c ? 0 : 1;
    return this.king(other) < 0 && this.inCheck() ? other : c;
  }

  // rest returns how many pieces of each kind are left in the box.
  rest(): number[] {
    const left = SETS.map((n, kind) => n - this.hands[0][kind]! - this.hands[1][kind]!);
    for (const p of this.board) if (p) left[kindOf(p)]!--;
    return left;
  }

  sfen(): string {
    const rows: string[] = [];
    for (let row = 0; row < 9; row++) {
      let text = "", empty = 0;
      for (const p of this.board.slice(row * 9, row * 9 + 9)) {
        if (!p) {
          empty++;
          continue;
        }
        const letter = LETTERS[kindOf(p)]!;
        text += (empty || "") + (p & PROMOTED ? "+" : "") + (colorOf(p) ? letter.toLowerCase() : letter);
        empty = 0;
      }
      rows.push(text + (empty || ""));
    }
    const hand = (c: Color): string =>
      [ROOK, BISHOP, GOLD, SILVER, KNIGHT, LANCE, PAWN]
        .map((kind) => [this.hands[c][kind]!, LETTERS[kind]!] as const)
        .map(([n, letter]) => (n ? (n > 1 ? n : "") + (c ? letter.toLowerCase() : letter) : ""))
        .join("");
    return `${rows.join("/")} ${this.side ? "w" : "b"} ${hand(0) + hand(1) || "-"} 1`;
  }
}

const START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

// parse reads an SFEN or the argument of a USI position command, with the moves after it. It throws a word that says
// what is wrong and the text that is; texts for readers are made of these.
export function parse(text: string): { position: Position; moves: Move[] } {
  const [head = "", tail = ""] = text.replace(/^\uFEFF/, "").replace(/[_\s\u3000]+/g, " ").trim().replace(/^position /, "").split(/ ?\bmoves\b ?/);
  const words = head.replace(/^startpos\b/, START).replace(/^sfen /, "").trim().split(" ");
  const [board = "", side = "", hands = ""] = words;
  const p = new Position();
  const rows = board.split("/");
  if (rows.length !== 9) throw new SFENError("ranks", String(rows.length));
  rows.forEach((row, i) => {
    let col = 0;
    for (const [token] of row.matchAll(/\d|\+?./gu)) {
      const skip = Number(token);
      if (skip) {
        col += skip;
        continue;
      }
      const letter = token[token.length - 1]!, kind = LETTERS.indexOf(letter.toUpperCase());
      if (kind < 1 || (token.length > 1 && !canPromote(kind))) throw new SFENError("piece", token);
      if (col < 9) p.board[i * 9 + col] = kind + (token.length > 1 ? PROMOTED : 0) + (letter > "Z" ? WHITE : 0);
      col++;
    }
    if (col !== 9) throw new SFENError("rank", row);
  });
  if (side !== "b" && side !== "w") throw new SFENError("side", side);
  p.side = side === "w" ? 1 : 0;
  if (!hands) throw new SFENError("hands", hands);
  if (hands !== "-") {
    const rest = hands.replace(/(\d{0,2})([PLNSGBR])/gi, (_, n: string, letter: string) => {
      p.hands[letter > "Z" ? 1 : 0][LETTERS.indexOf(letter.toUpperCase())]! += n ? Number(n) : 1;
      return "";
    });
    if (rest) throw new SFENError("hands", rest);
  }
  const many = p.rest().findIndex((n) => n < 0);
  if (many > 0) throw new SFENError("many", LETTERS[many]!);
  if (p.board.some((piece, sq) => piece && isStuck(piece, sq))) throw new SFENError("stuck", board);
  return { position: p, moves: parseMoves(p, tail) };
}

// parseMoves reads USI moves, each legal after those before it.
export function parseMoves(from: Position, text: string): Move[] {
  let p = from;
  return (text.match(/[^\s,]+/g) ?? []).map((word) => {
    const m = p.move(word);
    if (!m) throw new SFENError("move", word);
    p = p.do(m);
    return m;
  });
}

export class SFENError extends Error {
  constructor(readonly code: "ranks" | "rank" | "piece" | "side" | "hands" | "many" | "stuck" | "move", readonly found: string) {
    super(`${code}: ${found}`);
  }
}
