// Problems as people keep them: KIF, KI2, BOD and CSA, read into what the attributes of a board
// say. Of a record it takes the position, the main line, and what the header says for a caption.
// Text that is no part of a record, such as that around a diagram, is left out.

import {
  after, BISHOP, BOX, type Color, emptyBoard, fileOf, fillBox, isSquare, kindOf, legal,
  type Move, parse, pieceAt, pile, type Position, PROMOTED, rankOf, ROOK, SHELF, SIDE,
  SIZE, squareAt, SQUARES, toSFEN, typeOf, usi, WHITE,
} from "./rules";

// A Problem is a record by the names of the attributes.
export interface Problem {
  sfen: string;
  moves?: string; // USI
  caption?: string;
  author?: string;
  source?: string;
  plies?: string;
  fault?: string; // the first move that cannot be read; then there are no moves
  noBoard?: true; // there is no diagram; the SFEN is then what was found instead
}

// The names of the pieces, by type: on a drawn board, in moves, and in CSA.
const BOARD = "　歩香桂銀金角飛玉", PROMOTED_BOARD = "　と杏圭全　馬龍";
const CSA = ["", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU"];
const PROMOTED_CSA = ["", "TO", "NY", "NK", "NG", "", "UM", "RY"];
const OTHER_NAMES: { [name: string]: string } = {
  王: "玉", 竜: "龍", 成香: "杏", 成桂: "圭", 成銀: "全", 成歩: "と", 成角: "馬", 成飛: "龍",
};
const typeNamed = (name: string): number => {
  const plain = OTHER_NAMES[name] ?? name;
  const i = BOARD.indexOf(plain), j = PROMOTED_BOARD.indexOf(plain);
  return i > 0 ? i : j > 0 ? j + PROMOTED : 0;
};
const csaType = (name: string): number => {
  const i = CSA.indexOf(name), j = PROMOTED_CSA.indexOf(name);
  return i > 0 ? i : j > 0 ? j + PROMOTED : 0;
};

const KANJI = "〇一二三四五六七八九十";
const KANJI_DIGIT = /[〇一二三四五六七八九]/g;

// countOf reads a number in kanji or digits: 十八, 18, 一八.
const countOf = (text: string): number => {
  const digits = text.replace(KANJI_DIGIT, (k) => String(KANJI.indexOf(k)));
  const [tens, ones] = digits.split("十");
  return ones === undefined ? +digits : (+tens! || 1) * 10 + +ones;
};

// plain makes digits and letters those of ASCII, and every blank one.
const plain = (text: string): string =>
  text.replace(/[！-～]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .replace(/[\s　]/g, " ").replace(/･/g, "・");

const SIDES: [RegExp, Color][] = [
  [/^(先手?|下手?|攻め?[方手]|詰め?方|▲|☗)$/, 0], [/^(後手?|上手?|玉方|受け?[方手]|△|☖)$/, 1],
];
const sideOf = (word: string): Color | undefined => SIDES.find(([re]) => re.test(word))?.[1];

// What White lacks in games with odds (手合割), by square, and who begins.
const ODDS: { [name: string]: string } = {
  平手: "", 香落ち: "11", 右香落ち: "91", 角落ち: "22", 飛車落ち: "82", 飛香落ち: "82 11",
  二枚落ち: "82 22", 三枚落ち: "82 22 11", 四枚落ち: "82 22 11 91", 五枚落ち: "82 22 11 91 81",
  左五枚落ち: "82 22 11 91 21", 六枚落ち: "82 22 11 91 21 81",
  左七枚落ち: "82 22 11 91 21 81 31", 右七枚落ち: "82 22 11 91 21 81 71",
  八枚落ち: "82 22 11 91 21 81 31 71", 十枚落ち: "82 22 11 91 21 81 31 71 41 61",
};
const GAME = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const squareNumbered = (digits: string): number => squareAt(+digits[0]!, +digits[1]!);

const oddsGame = (name: string): Position | undefined => {
  const key = name.replace(/\s/g, "").replace(/落$/, "落ち"), missing = ODDS[key];
  if (missing === undefined) return undefined;
  const p = parse(GAME)[0];
  for (const digits of missing.match(/\d\d/g) ?? []) p[squareNumbered(digits)] = 0;
  if (missing) p[SIDE] = 1;
  return fillBox(p);
};

// HEADER is what the header of a record may begin with.
const HEADER = /^(手合割|作品名|題名|表題|作者|開始日時|棋戦|先手|後手)$|持ち?駒$/;

// OPENING is how many moves must be those of a game where nothing says how it begins, as in package
// notation.
const OPENING = 4;

// A Reading is a record that is being read: a position, which moves are played on, and what is
// known of it.
class Reading {
  readonly fields: { [key: string]: string } = {};
  rows = 0; // of the board
  p = emptyBoard();
  start: Position | undefined; // complete: moves follow
  private hands: [Color, string][] = [];
  private rest: Color | undefined; // has what is nowhere else
  private side: Color | undefined;
  private odds: Position | undefined;
  private isAssumed = false; // a game begins where one does, though nothing says so
  private isOver = false; // what follows is no part of the main line
  private previous = -1; // where the last move went
  private moves: Move[] = [];
  private fault: string | undefined;

  hasBegun(): boolean {
    return !!this.start;
  }

  // has reports whether a line of a header says what is known already, as that of another record.
  has(key: string): boolean {
    return key in this.fields || (this.hasBegun() && HEADER.test(key));
  }
  hasPosition(): boolean {
    return this.rows === SIZE || !!this.odds || !!this.start;
  }

  setSide(c: Color): void {
    this.side ??= c;
  }

  // field reads a line of a header.
  field(key: string, value: string): void {
    const holder = /^(.*?)の?持ち?駒$/.exec(key);
    const who = holder?.[1] ?? "", mark = /^[▲△☗☖]/.exec(who)?.[0] ?? ""; // before a name
    const c = holder && (who ? sideOf(who) ?? sideOf(mark) : 0);
    if (c === undefined) throw key; // what is held must not get lost
    if (c !== null) {
      this.hands.push([c, value]);
      this.fields[key] = value;
    }
    else if (key === "手番") this.side ??= sideOf(value.replace(/番$/, ""));
    else if (key === "手合割") this.odds = oddsGame(value);
    else this.fields[key] ??= value;
  }

  // row reads a row of a drawn board: "| ・v香 …|一". A + or ^ is a piece of Black as well.
  row(text: string): void {
    if (this.rows === SIZE) return;
    const cells = [...text.slice(text.indexOf("|") + 1)];
    for (let file = SIZE; file > 0; file--) {
      const [mark, name] = cells.splice(0, 2), type = typeNamed(name ?? "");
      if (!/^[ vV+^]$/.test(mark ?? "") || (!type && name !== "・")) throw text;
      if (type) {
        const piece = type + (mark!.toLowerCase() === "v" ? WHITE : 0);
        this.p[squareAt(file, this.rows + 1)] = piece;
      }
    }
    this.rows++;
  }

  // hold reads what a side holds: "飛　金二　歩18".
  private hold(c: Color, text: string): void {
    const words = plain(text).replace(/[ 、]|なし/g, "");
    const left = words.replace(/([歩香桂銀金角飛])([〇一二三四五六七八九十]+|\d+)?枚?|残り?駒?の?(全部|全て|すべて)?/g,
      (_, name?: string, n?: string) => {
        if (!name) this.rest = c;
        else this.p[pile(c, typeNamed(name))]! += n ? countOf(n) : 1;
        return "";
      });
    if (left) throw text;
  }

  giveRest(c: Color): void {
    this.rest = c;
  }

  // begin completes the position, with the side that begins if nothing else says so.
  begin(side?: Color): void {
    if (this.start) return;
    if (this.rows) {
      if (this.rows < SIZE) throw String(this.rows);
      for (const [c, text] of this.hands) this.hold(c, text);
    } else if (!this.isSet()) {
      this.p = this.odds ?? parse(GAME)[0];
      this.isAssumed = !this.odds;
    }
    const first = this.odds && !this.rows ? undefined : side;
    this.complete(this.side ?? first ?? this.odds?.[SIDE] ?? 0);
  }

  // complete makes the position on the board, with that side to move, the start.
  private complete(side: Color): void {
    fillBox(this.p);
    if (this.rest !== undefined) {
      for (const kind of SHELF) {
        const box = pile(BOX, kind);
        this.p[pile(this.rest, kind)]! += this.p[box]!;
        this.p[box] = 0;
      }
    }
    this.p[SIDE] = side;
    this.start = parse(toSFEN(this.p))[0]; // which refuses what no position can be
    this.p = this.start;
  }

  // isSet reports whether pieces were put on the board other than by rows.
  private isSet(): boolean {
    return SQUARES.some((sq) => this.p[sq]);
  }

  end(): void {
    this.isOver = true;
  }

  // play makes the move that a text means, of those that are legal.
  play(text: string, choose: (p: Position, previous: number) => Move | undefined): void {
    if (this.isOver) return;
    const m = choose(this.p, this.previous);
    if (!m) {
      this.fault = text.trim();
      this.isOver = true;
      return;
    }
    this.moves.push(m);
    this.p = after(this.p, m);
    this.previous = m[1];
  }

  problem(): Problem {
    this.begin();
    const { length } = this.moves, isGame = length >= OPENING || (length && !this.fault);
    if (this.isAssumed && (!isGame || this.start![SIDE])) {
      return { sfen: this.fault ?? "?", noBoard: true };
    }
    const get = (...keys: string[]): string | undefined =>
      keys.map((key) => this.fields[key]).find((value) => value);
    const plies = get("手数", "詰手数")?.replace(/手.*/, "");
    return {
      sfen: toSFEN(this.start!),
      moves: this.fault ? undefined : this.moves.map(usi).join(" ") || undefined,
      caption: get("作品名", "題名", "表題", "タイトル", "作品番号"),
      author: get("作者", "作家", "作"),
      source: get("出典", "発表誌", "掲載誌", "掲載", "作品集", "棋戦"),
      plies: plies && /^\d+$/.test(plies) ? plies : undefined,
      fault: this.fault,
    };
  }
}

// Moves in Japanese: where to, which piece, which of several, how it ends, where from.
const MOVE =
  /^(同|([1-9])([1-9一二三四五六七八九])) *(成?[歩香桂銀金角飛玉王と杏圭全馬龍竜])([右左直上寄引行入]*)(打|成|不成|生)? *(?:\(([1-9])([1-9])\))?/;

// written returns the move that a text means, as KIF and KI2 write it.
const written = (text: string) => (p: Position, previous: number): Move | undefined => {
  // The name of a piece is as long as it can be, but 成 after it is how the move ends.
  const found = MOVE.exec(plain(text));
  if (!found) return undefined;
  const [, at, file, rank, name, words, end, fromFile, fromRank] = found;
  const to = at === "同" ? previous : squareAt(+file!, countOf(rank!));
  const type = typeNamed(name!), c = p[SIDE]!, promotion = end === "成" ? PROMOTED : 0;
  const isIt = (m: Move): boolean => isSquare(m[0]) ? end !== "打" : !fromFile;
  // With and without promotion from one square, it is without unless the text says so.
  const cells = [pile(c, type), ...SQUARES].filter((cell) => typeOf(pieceAt(p, cell)) === type);
  const all = cells.flatMap((cell) => legal(p, cell, to)).filter(isIt);
  const moves = all.filter((m) => m[2] === promotion ||
    (!end && !all.some((o) => o[0] === m[0] && !o[2])));
  if (fromFile) return moves.find((m) => m[0] === squareAt(+fromFile, +fromRank!));
  const drop = moves.find((m) => !isSquare(m[0]));
  let origins = moves.filter((m) => isSquare(m[0]));
  if (end === "打" || (!origins.length && !words && !end)) return drop;

  // As the mover sees it: 上 is ahead, 右 is on the right.
  const sign = c ? -1 : 1;
  const ahead = (m: Move): number => Math.sign(rankOf(m[0]) - rankOf(to)) * sign;
  const right = (sq: number, of: number): number => Math.sign(fileOf(of) - fileOf(sq)) * sign;
  const keep = (ok: (m: Move) => boolean): void => void (origins = origins.filter(ok));
  for (const word of words!) {
    if ("上行入".includes(word)) keep((m) => ahead(m) > 0);
    else if (word === "寄") keep((m) => !ahead(m));
    else if (word === "引") keep((m) => ahead(m) < 0);
    else if (word === "直") keep((m) => ahead(m) > 0 && fileOf(m[0]) === fileOf(to));
  }
  for (const word of words!) {
    const side = { 右: 1, 左: -1 }[word], kind = kindOf(type);
    if (!side) continue;
    // The side of a piece is that from which it comes. Two bishops and two rooks are compared with
    // each other.
    const from = origins.filter((m) => right(m[0], to) === side);
    const isPair = kind === BISHOP || kind === ROOK || !from.length;
    const isLast = (m: Move): boolean => origins.every((o) => right(o[0], m[0]) !== side);
    origins = isPair ? origins.filter(isLast) : from;
  }
  return origins.length === 1 ? origins[0] : undefined;
};

// csaMove returns the move of a text as CSA writes it: 7776FU, the piece as it is after the move.
const csaMove = (text: string) => (p: Position): Move | undefined => {
  const type = csaType(text.slice(4)), to = squareNumbered(text.slice(2));
  const from = text[0] === "0" ? pile(p[SIDE]!, kindOf(type)) : squareNumbered(text);
  return legal(p, from, to).find((m) => m[1] === to && typeOf(pieceAt(p, from)) + m[2] === type);
};

// readJapanese reads KIF, KI2 and BOD, all the records there are.
function* readJapanese(text: string): Generator<Problem> {
  let r = new Reading();
  for (const raw of text.split(/\r\n?|\n/)) {
    const line = raw.replace(/[\s　]+$/, ""), words = plain(line).trim();
    if (!words || /^[#*&]/.test(words)) continue;
    const isRow = words[0] === "|", isMark = /^[▲△☗☖▼▽]/.test(words);
    const hand = /^([^ :]*持ち?駒)[ :]+(.*)$/.exec(words), side = /^(.+)番$/.exec(words);
    const field = hand ?? /^[\s　]*([^：:]+?)[\s　]*[：:][\s　]*(.*)$/.exec(line);
    const numbered = /^(\d+) +(.*)$/.exec(words), key = field?.[1] ?? "";
    // What a record has once begins another.
    if (r.hasPosition() && (isRow ? r.hasBegun() || r.rows === SIZE : r.has(key))) {
      yield r.problem();
      r = new Reading();
    }
    if (isRow) r.row(plain(line));
    else if (hand) r.field(key, hand[2]!);
    else if (side && sideOf(side[1]!) !== undefined) r.setSide(sideOf(side[1]!)!);
    else if (/^変化 ?:/.test(words)) r.end();
    else if (/^(9 8 7|手数[-=]|\+-)/.test(words)) continue;
    else if (numbered && /^(同|[1-9][1-9一二三四五六七八九]|[▲△☗☖▼▽])/.test(numbered[2]!)) {
      r.begin();
      r.play(words, written(numbered[2]!.replace(/^[▲△☗☖▼▽]/, "")));
    } else if (numbered || /^(…|まで)/.test(words)) {
      if (r.hasBegun()) r.end();
    } else if (isMark && (r.hasPosition() || !field)) {
      for (const move of words.match(/[▲△☗☖▼▽][^▲△☗☖▼▽…]*/g)!) {
        if (!/^.(同|[1-9])/.test(move)) break; // △投了 and the like
        r.begin(/[△☖▽]/.test(move[0]!) ? 1 : 0);
        r.play(move, written(move.slice(1).replace(/まで.*/, "")));
      }
    } else if (field) r.field(field[1]!, field[2]!);
  }
  if (r.hasPosition()) yield r.problem();
}

const CSA_KEYS: { [key: string]: string } = { EVENT: "棋戦", TITLE: "題名" };

// readCSA reads CSA, in which a line with a slash separates records.
function* readCSA(text: string): Generator<Problem> {
  for (const part of text.split(/^\/\s*$/m)) {
    const r = new Reading(), { p } = r;
    // Comments are whole lines; other statements may share one.
    for (const line of part.split(/\r\n?|\n/)) {
      const header = /^\$(\w+):(.*)/.exec(line);
      if (header) r.field(CSA_KEYS[header[1]!] ?? header[1]!, header[2]!.trim());
      if (/^['NV$]/.test(line)) continue;
      for (const s of line.split(",").map((word) => word.trimEnd())) {
        const put = /^P([+-])(.*)$/.exec(s), row = /^P([1-9])(.*)$/.exec(s);
        if (/^PI/.test(s)) {
          Object.assign(p, parse(GAME)[0]);
          for (const cell of s.slice(2).match(/..../g) ?? []) p[squareNumbered(cell)] = 0;
        } else if (row) {
          const cells = row[2]!.match(/[+-][A-Z]{2}|\*/g) ?? [];
          if (cells.length !== SIZE) throw s;
          cells.forEach((cell, i) => {
            const piece = cell === "*" ? 0 : csaType(cell.slice(1)) + (cell[0] === "-" ? WHITE : 0);
            p[squareAt(SIZE - i, +row[1]!)] = piece;
          });
        } else if (put) {
          const c = put[1] === "-" ? 1 : 0;
          for (const cell of put[2]!.match(/..../g) ?? []) {
            const type = csaType(cell.slice(2));
            if (cell === "00AL") r.giveRest(c);
            else if (!type) throw s;
            else if (cell[0] === "0") p[pile(c, kindOf(type))]!++;
            else p[squareNumbered(cell)] = type + c * WHITE;
          }
        } else if (s === "+" || s === "-") {
          r.setSide(s === "-" ? 1 : 0);
          r.begin();
        } else if (/^[+-]\d{4}[A-Z]{2}$/.test(s)) {
          r.begin(s[0] === "-" ? 1 : 0);
          const isTurn = (s[0] === "-") === !!r.p[SIDE];
          r.play(s, isTurn ? csaMove(s.slice(1)) : () => undefined);
        } else if (s[0] === "%") r.end();
        else if (s && s[0] !== "T") throw s;
      }
    }
    if (r.hasBegun()) yield r.problem();
  }
}

const isCSA = (text: string): boolean =>
  /^(V\d|'CSA|N[+-]|PI|P[1-9]([ +*-]|$)|P[+-]\d\d|[+-]$|[+-]\d{4}[A-Z]{2})/m.test(text) &&
  !/^[ 　]*[|▲△☗☖]/m.test(text);

// readSFEN reads a position on each line, with moves if there are any.
function* readSFEN(text: string): Generator<Problem> {
  for (const line of text.split(/[\r\n]+/)) {
    if (line.split("/").length < SIZE) continue;
    const [p, moves] = parse(line.replace(/[#;].*/, ""));
    yield { sfen: toSFEN(p), moves: moves.map(usi).join(" ") || undefined };
  }
}

// records reads all the records of a text. It throws what cannot be read.
export const records = (text: string): Problem[] => {
  const read = isCSA(text) ? readCSA : /[|▲△☗☖：]|手合割/.test(text) ? readJapanese : readSFEN;
  return [...read(text.replace(/^\ufeff/, ""))];
};

// decode makes text of the bytes of a file: UTF-16 where it says so, UTF-8 where it can be, else
// Shift_JIS as Windows has it.
export const decode = (bytes: ArrayBuffer): string => {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
};
