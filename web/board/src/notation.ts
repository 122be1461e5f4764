// Moves as people write, say and type them.

import { BISHOP, colorOf, fileOf, kindOf, KNIGHT, LANCE, type Move, PAWN, type Piece, type Position, PROMOTED, rankOf, ROOK, SILVER, squareName, typeOf, usi, WHITE } from "./rules";

export type Lang = "ja" | "en";

// By kind, a promoted one PROMOTED further on.
const JAPANESE: { [type: number]: string } = { [PROMOTED + PAWN]: "と", [PROMOTED + LANCE]: "成香", [PROMOTED + KNIGHT]: "成桂", [PROMOTED + SILVER]: "成銀", [PROMOTED + BISHOP]: "馬", [PROMOTED + ROOK]: "龍" };
const ENGLISH: { [type: number]: string } = { [PROMOTED + PAWN]: "tokin", [PROMOTED + BISHOP]: "horse", [PROMOTED + ROOK]: "dragon" };
const GLYPHS: { [type: number]: string } = { [PROMOTED + LANCE]: "杏", [PROMOTED + KNIGHT]: "圭", [PROMOTED + SILVER]: "全" };
"歩香桂銀金角飛玉".split("").forEach((name, i) => (JAPANESE[i + 1] = name));
"pawn lance knight silver gold bishop rook king".split(" ").forEach((name, i) => {
  ENGLISH[i + 1] = name;
  ENGLISH[i + 1 + PROMOTED] ??= "promoted " + name;
});

export const glyphOf = (p: Piece): string => GLYPHS[typeOf(p)] ?? JAPANESE[typeOf(p)]!;
export const pieceName = (p: Piece, lang: Lang): string => (lang === "ja" ? JAPANESE : ENGLISH)[typeOf(p)]!;

export const KANJI = "〇一二三四五六七八九";
const FULL = "０１２３４５６７８９";
export const squareText = (sq: number, lang: Lang): string => (lang === "ja" ? FULL[fileOf(sq)]! + KANJI[rankOf(sq)]! : squareName(sq));

// kanji writes a number up to 99 as hands are counted.
export const kanji = (n: number): string => (n > 19 ? KANJI[Math.floor(n / 10)] : "") + (n > 9 ? "十" : "") + (n % 10 ? KANJI[n % 10] : "");

// japanese writes a legal move as records do (KI2 style), without the side's mark: the words follow the federation's
// 棋譜の表記方法. previous is where the move before went, -1 for none.
export function japanese(p: Position, m: Move, previous: number): string {
  const c = colorOf(m.piece), sign = c ? -1 : 1;
  const text = (m.to === previous ? "同" : squareText(m.to, "ja")) + JAPANESE[typeOf(m.piece)]!;
  const all = p.legal();
  const rivals = [...new Set(all.filter((o) => o.from >= 0 && o.from !== m.from && o.to === m.to && typeOf(o.piece) === typeOf(m.piece)).map((o) => o.from))];
  if (m.from < 0) return text + (rivals.length ? "打" : "");

  // As the mover sees it: whether a square lies behind the target, beside it or before it, and on which side.
  const movement = (sq: number): string => "引寄上"[Math.sign((rankOf(sq) - rankOf(m.to)) * sign) + 1]!;
  const sideOf = (sq: number, of: number): string => "右直左"[Math.sign((fileOf(sq) - fileOf(of)) * sign) + 1]!;
  let which = "";
  if (rivals.length) {
    const how = movement(m.from);
    if (!rivals.some((r) => movement(r) === how)) which = how;
    else if ([BISHOP, ROOK].includes(kindOf(m.piece))) which = sideOf(m.from, rivals[0]!); // only two of them: compared with each other
    else {
      which = sideOf(m.from, m.to);
      if (which !== "直" && rivals.some((r) => sideOf(r, m.to) === which)) which += how;
    }
  }
  const choice = all.some((o) => o.from === m.from && o.to === m.to && o.promote);
  return text + which + (m.promote ? "成" : choice ? "不成" : "");
}

const WEST = " PLNSGBRK";
const short = (p: Piece): string => (p & PROMOTED ? "+" : "") + WEST[kindOf(p)]!;

// western writes a legal move as English books do, with letters for ranks: G*5b, Sx4c+, R2h-2c=.
export function western(p: Position, m: Move): string {
  const all = p.legal(), to = squareName(m.to);
  if (m.from < 0) return `${short(m.piece)}*${to}`;
  const rivals = all.some((o) => o.from >= 0 && o.from !== m.from && o.to === m.to && typeOf(o.piece) === typeOf(m.piece));
  const choice = all.some((o) => o.from === m.from && o.to === m.to && o.promote);
  return short(m.piece) + (rivals ? squareName(m.from) : "") + (p.board[m.to] ? "x" : "-") + to + (m.promote ? "+" : choice ? "=" : "");
}

// A Written move is its text for the eye, with the side's mark, and for the ear.
export interface Written {
  text: string;
  spoken: string;
}

export function write(p: Position, m: Move, previous: number, lang: Lang): Written {
  const mark = colorOf(m.piece) ? "△" : "▲";
  if (lang === "ja") {
    const text = japanese(p, m, previous);
    return { text: mark + text, spoken: text };
  }
  const name = ENGLISH[typeOf(m.piece)]!, to = squareName(m.to), text = western(p, m);
  const from = /\d.*\d/.test(text.slice(1)) ? ` from ${squareName(m.from)}` : "";
  const spoken = m.from < 0 ? `${name} drops on ${to}` : `${name}${from} ${p.board[m.to] ? "takes on" : "to"} ${to}`;
  return { text: mark + text, spoken: spoken + (m.promote ? ", promotes" : text.endsWith("=") ? ", does not promote" : "") };
}

// typed returns the legal moves that a typed text may mean, in USI, Japanese or Western notation: 7g7f, G*5b, 52金打,
// ５二金, 同玉, 33銀右上成, Gx5b, +R-5c.
export function typed(p: Position, text: string, previous: number): Move[] {
  const all = p.legal();
  const s = text.normalize("NFKC").replace(/[\s▲△☗☖▼▽]/g, "");
  const exact = all.filter((m) => usi(m).toLowerCase() === s.toLowerCase());
  if (exact.length) return exact;
  const digits = s
    .replace(/[一二三四五六七八九]/g, (k) => String(KANJI.indexOf(k)))
    .replace(/([1-9])([a-i])/gi, (_, f: string, r: string) => f + (r.toLowerCase().charCodeAt(0) - 96))
    .replace(/竜/g, "龍").replace(/王/g, "玉").replace(/全/g, "成銀").replace(/圭/g, "成桂").replace(/杏/g, "成香");
  const at = (sq: number): string => `${fileOf(sq)}${rankOf(sq)}`;

  const ja = /^(\d\d|同)(成[銀桂香]|[歩香桂銀金角飛玉と馬龍])([右左直]?[上寄引]?)(打|不成|成)?(?:\((\d\d)\))?$/.exec(digits);
  if (ja) {
    const [, to, name, which, end, from] = ja;
    return all.filter((m) => {
      if (to === "同" ? m.to !== previous : at(m.to) !== to) return false;
      if (JAPANESE[typeOf(m.piece)] !== name || (from && (m.from < 0 || at(m.from) !== from))) return false;
      if (which && !japanese(p, m, -1).includes(which)) return false;
      if (end === "打") return m.from < 0;
      if (end) return m.from >= 0 && m.promote === (end === "成");
      // Without 打, a piece on the board goes first: a drop says so where one could.
      return m.from >= 0 || !all.some((o) => o.from >= 0 && o.to === m.to && typeOf(o.piece) === typeOf(m.piece));
    });
  }
  const en = /^(\+?[plnsgbrk])(\d\d)?([-x*']?)(\d\d)([+=]?)$/i.exec(digits);
  if (en) {
    const [, name, from, how, to, end] = en;
    return all.filter(
      (m) =>
        short(m.piece & ~WHITE) === name!.toUpperCase() && at(m.to) === to && (!from || (m.from >= 0 && at(m.from) === from)) &&
        (how === "*" || how === "'" ? m.from < 0 : how === "" || m.from >= 0) && (!end || m.promote === (end === "+")),
    );
  }
  return [];
}

