// Moves and squares as people write and say them. What they type is in typed.ts.

import { isJapanese } from "./language";
import {
  BISHOP, colorOf, fileOf, isSquare, kindOf, legal, LETTERS, type Move, type Piece, pieceAt,
  type Position, PROMOTED, rankOf, reach, ROOK, SIDE, squareName, SQUARES,
} from "./rules";

// By type: kinds first, then promoted ones, as many places later.
const PROMOTED_NAMES = 8;
export const index = (piece: Piece): number =>
  kindOf(piece) + (piece & PROMOTED ? PROMOTED_NAMES : 0);
export const JAPANESE =
  " 歩 香 桂 銀 金 角 飛 玉 と 成香 成桂 成銀  馬 龍".split(" ");
const ENGLISH = (",pawn,lance,knight,silver,gold,bishop,rook,king," +
  "tokin,+lance,+knight,+silver,,horse,dragon").replace(/\+/g, "promoted ").split(",");
const GLYPHS = "　歩香桂銀金角飛玉と杏圭全　馬龍";

export const nameOf = (piece: Piece): string => (isJapanese() ? JAPANESE : ENGLISH)[index(piece)]!;
// glyphOf is the one character that stands on a piece.
export const glyphOf = (piece: Piece): string => GLYPHS[index(piece)]!;

export const KANJI = "〇一二三四五六七八九";
const wide = (digit: number): string => String.fromCharCode("０".charCodeAt(0) + digit);
const japaneseSquare = (sq: number): string => wide(fileOf(sq)) + KANJI[rankOf(sq)]!;
export const squareText = (sq: number): string =>
  isJapanese() ? japaneseSquare(sq) : squareName(sq);

// rivalsOf returns the squares of like pieces that could go there too, pinned ones as well.
const rivalsOf = (p: Position, [from, to]: Move): number[] =>
  SQUARES.filter((sq) => sq !== from && p[sq] === pieceAt(p, from) && reach(p, sq).includes(to));

// declines reports whether a legal move could have been a promotion.
const declines = (p: Position, [from, to, promotion]: Move): boolean =>
  !promotion && legal(p, from).some(([, t, pr]) => t === to && pr);

// japanese writes a legal move as records do (KI2 style), without the side's mark. The words follow
// the federation's 棋譜の表記方法. previous is where the move before went.
export const japanese = (p: Position, m: Move, previous?: number): string => {
  const [from, to, promotion] = m, piece = pieceAt(p, from), kind = kindOf(piece);
  const rivals = rivalsOf(p, m);
  const text = (to === previous ? "同" : japaneseSquare(to)) + JAPANESE[index(piece)]!;
  if (!isSquare(from)) return text + (rivals.length ? "打" : "");

  // As the mover sees it: whether a square lies before the target, beside it or behind it, and on
  // which side of it.
  const sign = colorOf(piece) ? -1 : 1;
  const movement = (sq: number): string => "引寄上"[Math.sign(rankOf(sq) - rankOf(to)) * sign + 1]!;
  const sideOf = (sq: number, of: number): string =>
    "右直左"[Math.sign(fileOf(sq) - fileOf(of)) * sign + 1]!;
  const which = (): string => {
    const how = movement(from), side = sideOf(from, to);
    if (!rivals.some((r) => movement(r) === how)) return how;
    // Of two such pieces, compared with each other.
    if (kind === BISHOP || kind === ROOK) return sideOf(from, rivals[0]!);
    const isShared = side !== "直" && rivals.some((r) => sideOf(r, to) === side);
    return side + (isShared ? how : "");
  };
  return text + (rivals.length ? which() : "") + (promotion ? "成" : declines(p, m) ? "不成" : "");
};

export const short = (piece: Piece): string =>
  (piece & PROMOTED ? "+" : "") + LETTERS[kindOf(piece)]!;

// western writes a legal move as English books do (Hodges), with letters for ranks and with its
// origin where another piece could go there too: P-7f, Rx2d+, G*5b, S6a-5b.
export const western = (p: Position, m: Move): string => {
  const [from, to, promotion] = m, origin = rivalsOf(p, m)[0] === undefined ? "" : squareName(from);
  const how = isSquare(from) ? origin + (p[to] ? "x" : "-") : "*";
  const end = promotion ? "+" : declines(p, m) ? "=" : "";
  return short(pieceAt(p, from)) + how + squareName(to) + end;
};

// spoken says a move in English.
const spoken = (p: Position, m: Move): string => {
  const [from, to, promotion] = m, end = declines(p, m) ? ", does not promote" : "";
  const how = isSquare(from) ? squareName(from) + (p[to] ? " takes " : " to ") : "drops on ";
  return `${nameOf(pieceAt(p, from))} ${how}${squareName(to)}${promotion ? ", promotes" : end}`;
};

// write returns a move for the eye, with the side's mark, and for the ear.
export const write = (p: Position, m: Move, previous?: number): [string, string] => {
  const mark = p[SIDE] ? "△" : "▲";
  if (!isJapanese()) return [mark + western(p, m), spoken(p, m)];
  const text = japanese(p, m, previous);
  return [mark + text, text];
};
