// Moves as people type them. The file is loaded when the first is typed.

import { index, JAPANESE, japanese, KANJI, short, western } from "./notation";
import {
  fileOf, isSquare, legal, type Move, pieceAt, type Position, rankOf, squareName, typeOf, usi,
} from "./rules";

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
