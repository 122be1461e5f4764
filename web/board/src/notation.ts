// Moves and squares as people write, say and type them.

import { colorOf, fileOf, isSquare, kindOf, legal, LETTERS, type Move, type Piece, pieceAt, type Position, PROMOTED, rankOf, reach, squareName, SQUARES, typeOf, usi } from "./rules";
import { isJapanese } from "./text";

// By type: kinds first, then promoted ones, which begin at 9.
const index = (piece: Piece): number => kindOf(piece) + (piece & PROMOTED ? 8 : 0);
const JAPANESE = " 歩 香 桂 銀 金 角 飛 玉 と 成香 成桂 成銀  馬 龍".split(" ");
const ENGLISH = ",pawn,lance,knight,silver,gold,bishop,rook,king,tokin,+lance,+knight,+silver,,horse,dragon".replace(/\+/g, "promoted ").split(",");

export const nameOf = (piece: Piece): string => (isJapanese() ? JAPANESE : ENGLISH)[index(piece)]!;
// glyphOf is the one character that stands on a piece.
export const glyphOf = (piece: Piece): string => "　歩香桂銀金角飛玉と杏圭全　馬龍"[index(piece)]!;

export const KANJI = "〇一二三四五六七八九";
export const squareText = (sq: number): string => (isJapanese() ? String.fromCharCode(0xff10 + fileOf(sq)) + KANJI[rankOf(sq)]! : squareName(sq));

// japanese writes a legal move as records do (KI2 style), without the side's mark. The words follow the federation's
// 棋譜の表記方法. previous is where the move before went.
export const japanese = (p: Position, m: Move, previous?: number): string => {
  const [from, to, promotion] = m, piece = pieceAt(p, from), sign = colorOf(piece) ? -1 : 1, all = legal(p);
  const rivals = SQUARES.filter((sq) => sq !== from && p[sq] === piece && reach(p, sq).includes(to)); // pinned ones as well
  let text = (to === previous ? "同" : String.fromCharCode(0xff10 + fileOf(to)) + KANJI[rankOf(to)]!) + JAPANESE[index(piece)]!;
  if (!isSquare(from)) return text + (rivals.length ? "打" : "");

  // As the mover sees it: whether a square lies before the target, beside it or behind it, and on which side of it.
  const movement = (sq: number): string => "引寄上"[Math.sign(rankOf(sq) - rankOf(to)) * sign + 1]!;
  const sideOf = (sq: number, of: number): string => "右直左"[Math.sign(fileOf(sq) - fileOf(of)) * sign + 1]!;
  if (rivals.length) {
    const how = movement(from), side = sideOf(from, to);
    if (!rivals.some((r) => movement(r) === how)) text += how;
    else if (kindOf(piece) === 6 || kindOf(piece) === 7) text += sideOf(from, rivals[0]!); // of two such pieces, compared with each other
    else text += side + (side !== "直" && rivals.some((r) => sideOf(r, to) === side) ? how : "");
  }
  return text + (promotion ? "成" : all.some(([f, t, pr]) => f === from && t === to && pr) ? "不成" : "");
};

const short = (piece: Piece): string => (piece & PROMOTED ? "+" : "") + LETTERS[kindOf(piece)]!;

// western writes a move as English books do, with letters for ranks and always with its origin: G*5b, S6ax5b+.
const western = (p: Position, [from, to, promotion]: Move): string =>
  short(pieceAt(p, from)) + (isSquare(from) ? squareName(from) + (p[to] ? "x" : "-") : "*") + squareName(to) + (promotion ? "+" : "");

// write returns a move for the eye, with the side's mark, and for the ear.
export const write = (p: Position, m: Move, previous?: number): [string, string] => {
  const [from, to, promotion] = m, mark = p[108] ? "△" : "▲";
  if (isJapanese()) {
    const text = japanese(p, m, previous);
    return [mark + text, text];
  }
  return [mark + western(p, m), `${nameOf(pieceAt(p, from))} ${isSquare(from) ? squareName(from) + (p[to] ? " takes " : " to ") : "drops on "}${squareName(to)}${promotion ? ", promotes" : ""}`];
};

// typed returns the legal moves that a text may mean: in USI (7g7f), Japanese (52金打, ５二金, 同玉, 33銀右上成, 33銀(42))
// or Western (G*5b, Sx5b+) notation.
export const typed = (p: Position, text: string, previous?: number): Move[] => {
  const plain = text.normalize("NFKC").replace(/[\s▲△☗☖x-]/g, "").replace(/[一二三四五六七八九]/g, (k) => String(KANJI.indexOf(k))).replace("竜", "龍").replace("王", "玉").toLowerCase();
  const [, at, name, which, end, origin] = /^(同|\d\d)(成?[^\d成])([右左直上寄引]*)(打|不?成)?(\(\d\d\))?$/.exec(plain) ?? [];
  const all = legal(p), square = (sq: number): string => `${fileOf(sq)}${rankOf(sq)}`;
  return all.filter((m) => {
    const [from, to, promotion] = m, piece = pieceAt(p, from), drop = !isSquare(from), plus = promotion ? "+" : "";
    if (!at) return [usi(m), western(p, m).replace(/[x-]/, ""), short(piece) + squareName(to) + plus].some((s) => s.toLowerCase() === plain);
    // Where a piece on the board could go too, a drop must say so.
    const rival = drop && all.some(([f, t]) => isSquare(f) && t === to && typeOf(p[f]!) === typeOf(piece));
    return (at === "同" ? to === previous : at === square(to)) && JAPANESE[index(piece)] === name &&
      (!which || japanese(p, m).includes(which)) && (!origin || origin === `(${square(from)})`) &&
      (end === "打" ? drop : end ? !drop && end === (promotion ? "成" : "不成") : !rival);
  });
};
