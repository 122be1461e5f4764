// Moves as people type them, and why one cannot be played.

import { index, JAPANESE, japanese, KANJI, nameOf, short, western } from "./notation";
import {
  after, fileOf, isAttacked, isSquare, isStuck, kindOf, legal, type Move, PAWN, type Piece, pieceAt,
  pile, type Position, PROMOTED, rankOf, reach, SIDE, squareAt, squareName, SQUARES, typeOf, usi,
  WHITE,
} from "./rules";
import * as T from "./text";

// plain makes what people type one: digits of ASCII, no marks and blanks, one name for each piece.
const plain = (text: string): string =>
  text.normalize("NFKC").replace(/[\s▲△☗☖x=-]/g, "")
    .replace(/[一二三四五六七八九]/g, (k) => String(KANJI.indexOf(k)))
    .replace("竜", "龍").replace("王", "玉").toLowerCase();

// In Japanese: where to, which piece, which of several, how it ends, where from.
const JAPANESE_MOVE = /^(同|\d\d)(成?[^\d成])([右左直上寄引]*)(打|不?成)?(\(\d\d\))?$/;

// typed returns the legal moves that a text may mean: in USI (7g7f), Japanese (52金打, ５二金,
// 同玉, 33銀右上成, 33銀(42)) or Western (G*5b, Sx5b+, S6a-5b) notation.
export const typed = (p: Position, text: string, previous?: number): Move[] => {
  const words = plain(text), all = legal(p);
  const [, at, name, which, end, origin] = JAPANESE_MOVE.exec(words) ?? [];
  const square = (sq: number): string => `${fileOf(sq)}${rankOf(sq)}`;
  return all.filter((m) => {
    const [from, to, promotion] = m, piece = pieceAt(p, from), isDrop = !isSquare(from);
    if (!at) {
      const abbreviated = short(piece) + squareName(to) + (promotion ? "+" : "");
      const forms = [usi(m), plain(western(p, m)), abbreviated, short(piece) + usi(m)];
      return forms.some((s) => s.toLowerCase() === words);
    }
    // Where a piece on the board could go too, a drop must say so.
    const hasRival = isDrop &&
      all.some(([f, t]) => isSquare(f) && t === to && typeOf(p[f]!) === typeOf(piece));
    const ends = end === "打" ? isDrop
      : end ? !isDrop && end === (promotion ? "成" : "不成") : !hasRival;
    return ends && (at === "同" ? to === previous : at === square(to)) &&
      JAPANESE[index(piece)] === name && (!which || japanese(p, m).includes(which)) &&
      (!origin || origin === `(${square(from)})`);
  });
};

// In Western notation and USI: the piece, * for a drop, where from, where to.
const WESTERN_MOVE = /^(\+?[plnsgbrk])?(\*?)(\d[a-i])?(\d[a-i])\+?$/;
const TYPES = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((kind) => [kind, kind + PROMOTED]);

// whyNot says why a text that is no legal move cannot be played: words with two places, for the text
// and for the piece it speaks of.
export const whyNot = (p: Position, text: string, previous?: number): [string, Piece] => {
  const words = plain(text), c = p[SIDE]!;
  const [, at, name, , end] = JAPANESE_MOVE.exec(words) ?? [];
  const [, letters, star, origin, goal] = WESTERN_MOVE.exec(words) ?? [];
  const named = (name?: string): number | undefined => SQUARES.find((sq) => squareName(sq) === name);
  const from = origin ? p[named(origin)!]! : 0; // of USI
  const type = at ? TYPES.find((t) => JAPANESE[index(t)] === name)
    : letters ? TYPES.find((t) => short(t).toLowerCase() === letters)
    : typeOf(from);
  const to = at === "同" ? previous : at ? squareAt(+at[0]!, +at[1]!) : named(goal);
  if (to === undefined || type === undefined) return [T.bad, 0];
  if (!type || (from && !letters && typeOf(from) + c * WHITE !== from)) return [T.notYours, 0];
  const piece = type + c * WHITE, hand = pile(c, kindOf(type));
  const on = SQUARES.filter((sq) => p[sq] === piece);
  const near = on.filter((sq) => reach(p, sq).includes(to));
  const isHeld = type < PROMOTED && p[hand]! > 0;
  if (end === "打" || star || (isHeld && !near[0])) {
    return [!isHeld ? T.notHeld : p[to] ? T.occupied : isStuck(piece, to) ? T.stuck
      : type === PAWN && on.some((sq) => fileOf(sq) === fileOf(to)) ? T.nifu
      : isAttacked(after(p, [hand, to, 0]), c) ? T.exposed : T.dropMate, type];
  }
  if (!on[0]) return [T.lacking, type];
  if (!near[0]) return [T.notThere, type];
  const isLegal = near.some((sq) => legal(p, sq).some((m) => m[1] === to));
  return [isLegal ? T.otherWay : T.exposed, type];
};
