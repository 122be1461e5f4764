// The rules of shogi, as far as a board needs them to take a reader's move: what is legal, what
// gives check, what is mate. Verdicts are the server's. A position is asked about once a move, so
// this code is short, not fast.

// A Position is one list. A cell of it is a square, numbered as SFEN lists them (0 is 9a, 80 is
// 1i), or counts the pieces of a kind in black's hand, in white's, or in the box of those that are
// left. At the end stands who is to move.
export type Position = number[];
export type Cell = number;
export type Color = number; // 0 black (sente, moves up), 1 white (gote)
export const COLORS = ["black", "white"];

export const SIZE = 9; // files, and ranks
export const SQUARES = [...Array(SIZE * SIZE).keys()];
export const isSquare = (cell: Cell): boolean => cell < SQUARES.length;
export const NOWHERE: Cell = -1; // beside the board

// A place is a hand, named by its color, or the box. Its first cell is its head and counts nothing,
// the others count a kind each: with the king's that is as many as a rank has squares.
export const BOX = 2;
export const pile = (place: number, kind = 0): Cell => SQUARES.length + SIZE * place + kind;
export const placeOf = (cell: Cell): number => Math.floor((cell - SQUARES.length) / SIZE);
export const kindAt = (cell: Cell): number => cell % SIZE;
export const headOf = (cell: Cell): Cell => cell - kindAt(cell);
export const SIDE = pile(BOX + 1);
export const CELLS: Cell[] = [...Array(SIDE).keys()];

// A Piece is its kind, plus PROMOTED, plus WHITE; 0 is none. Its type is the kind plus PROMOTED.
export type Piece = number;
export const PAWN = 1, KNIGHT = 3, GOLD = 5, BISHOP = 6, ROOK = 7, KING = 8;
export const PROMOTED = 16, WHITE = 32;
export const LETTERS = " PLNSGBRK"; // by kind
export const kindOf = (piece: Piece): number => piece & (PROMOTED - 1);
export const typeOf = (piece: Piece): number => piece & (WHITE - 1);
export const colorOf = (piece: Piece): Color => (piece & WHITE ? 1 : 0);
export const canPromote = (piece: Piece): boolean =>
  !(piece & PROMOTED) && kindOf(piece) !== GOLD && kindOf(piece) !== KING;

export const pieceAt = (p: Position, cell: Cell): Piece =>
  isSquare(cell) || !p[cell] ? p[cell]! : kindAt(cell) + (placeOf(cell) === 1 ? WHITE : 0);

export const LATIN = "abcdefghi"; // the ranks, from above
export const fileOf = (sq: number): number => SIZE - (sq % SIZE);
export const rankOf = (sq: number): number => Math.floor(sq / SIZE) + 1;
export const squareAt = (file: number, rank: number): number => rank * SIZE - file;
export const squareName = (sq: number): string => fileOf(sq) + LATIN[rankOf(sq) - 1]!;

// A Move takes a piece from a cell to a square; PROMOTED is added to it, or 0.
export type Move = readonly [from: Cell, to: number, promotion: number];
export const usi = ([from, to, promotion]: Move): string =>
  (isSquare(from) ? squareName(from) : LETTERS[kindAt(from)] + "*") + squareName(to) +
  (promotion ? "+" : "");

// Where the types go, as black sees it: the steps of each, then a comma and those that it repeats.
// The numbers are those of a keypad with 5 in the middle; 0 and . are the knight's.
const GOLD_REACH = "789462,";
const REACH = ["", "8,", ",8", "0.,", "78913,", GOLD_REACH, ",7913", ",8462", "78946213,"]; // by kind
const HORSE_REACH = "8462,7913", DRAGON_REACH = "7913,8462";
const reachOf = (type: number): string => {
  if (type < PROMOTED) return REACH[type]!;
  const kind = kindOf(type);
  return kind === BISHOP ? HORSE_REACH : kind === ROOK ? DRAGON_REACH : GOLD_REACH;
};
const STEPS = "1234.67890"; // and by its place there, how far each goes down and right:
const DOWN = [1, 1, 1, 0, -2, 0, -1, -1, -1, -2], RIGHT = [-1, 0, 1, -1, 1, 1, -1, 0, 1, -1];

// reach returns where the piece on a square could go if nothing but the pieces in its way mattered.
export const reach = (p: Position, from: number): number[] => {
  const piece = p[from]!, c = colorOf(piece), sign = c ? -1 : 1, found: number[] = [];
  let far = false;
  for (const way of reachOf(typeOf(piece))) {
    if (way === ",") {
      far = true;
      continue;
    }
    const i = STEPS.indexOf(way);
    let row = rankOf(from), file = fileOf(from), there: Piece;
    do {
      row += DOWN[i]! * sign;
      file -= RIGHT[i]! * sign;
      if (row < 1 || row > SIZE || file < 1 || file > SIZE) break;
      const to = squareAt(file, row);
      there = p[to]!;
      if (there && colorOf(there) === c) break;
      found.push(to);
    } while (far && !there);
  }
  return found;
};

export const kingOf = (p: Position, c: Color): number => p.indexOf(KING + c * WHITE);

// isAttacked reports whether the king of a side stands in check.
export const isAttacked = (p: Position, c: Color): boolean => {
  const king = kingOf(p, c);
  return SQUARES.some((sq) => p[sq] && colorOf(p[sq]!) !== c && reach(p, sq).includes(king));
};
export const inCheck = (p: Position): boolean => isAttacked(p, p[SIDE]!);

// depth is how many ranks lie between a square and the far end, as a side sees it.
const depth = (sq: number, c: Color): number => (c ? SIZE - rankOf(sq) : rankOf(sq) - 1);
const PROMOTION_DEPTH = 3; // ranks in which pieces promote

// A piece may not stand where it could never move again.
export const isStuck = (piece: Piece, sq: number): boolean => {
  const type = typeOf(piece), needed = type === KNIGHT ? 2 : 1;
  return isSquare(sq) && type <= KNIGHT && depth(sq, colorOf(piece)) < needed;
};

export const after = (p: Position, [from, to, promotion]: Move): Position => {
  const q = p.slice(), piece = pieceAt(p, from), taken = p[to]!;
  if (taken) q[pile(colorOf(piece), kindOf(taken))]!++;
  if (isSquare(from)) q[from] = 0;
  else q[from]!--;
  q[to] = piece + promotion;
  q[SIDE] = 1 - p[SIDE]!;
  return q;
};

// legal returns the legal moves, all of them or those from one cell, or to one square.
export const legal = (p: Position, of?: Cell, onto?: number): Move[] => {
  const c = p[SIDE]!, found: Move[] = [];
  for (let from = 0; from < pile(BOX); from++) {
    const piece = pieceAt(p, from), drop = !isSquare(from);
    if (!piece || colorOf(piece) !== c || (of !== undefined && of !== from)) continue;
    const pawn = drop && typeOf(piece) === PAWN;
    const isNifu = (sq: number): boolean => // 二歩
      pawn && SQUARES.some((s) => fileOf(s) === fileOf(sq) && p[s] === piece);
    const empty = (sq: number): boolean => !p[sq] && !isNifu(sq);
    const promotes = (to: number): boolean =>
      !drop && canPromote(piece) && Math.min(depth(from, c), depth(to, c)) < PROMOTION_DEPTH;
    for (const to of drop ? SQUARES.filter(empty) : reach(p, from)) {
      for (const promotion of (onto ?? to) === to ? [0, PROMOTED] : []) {
        if (promotion ? !promotes(to) : isStuck(piece, to)) continue;
        const m: Move = [from, to, promotion], q = after(p, m);
        if (!isAttacked(q, c) && !(pawn && isMate(q))) found.push(m); // 打ち歩詰め
      }
    }
  }
  return found;
};

export const isMate = (p: Position): boolean => inCheck(p) && !legal(p).length;

// attackerOf returns the side that is to force mate: the one to move, unless it has the only king
// and stands in check.
export const attackerOf = (p: Position): Color =>
  kingOf(p, 1 - p[SIDE]!) < 0 && inCheck(p) ? 1 - p[SIDE]! : p[SIDE]!;

const SET = [0, 18, 4, 4, 4, 4, 2, 2, 2]; // how many pieces there are, by kind

// fillBox puts into the box what a set has besides the pieces on the board and in the hands.
export const fillBox = (p: Position): Position => {
  SET.forEach((n, kind) => {
    const onBoard = SQUARES.filter((sq) => kind && kindOf(p[sq]!) === kind).length;
    p[pile(BOX, kind)] = n - onBoard - p[pile(0, kind)]! - p[pile(1, kind)]!;
  });
  return p;
};

export const emptyBoard = (): Position => fillBox(Array<number>(SIDE + 1).fill(0));

// SHELF is the order of the kinds in a hand.
export const SHELF = [7, 6, 5, 4, 3, 2, 1];

export const toSFEN = (p: Position): string => {
  const letter = (piece: Piece): string => {
    const capital = LETTERS[kindOf(piece)]!;
    return colorOf(piece) ? capital.toLowerCase() : capital;
  };
  let board = "", hands = "";
  for (const sq of SQUARES) {
    const piece = p[sq]!;
    if (sq && sq % SIZE === 0) board += "/";
    board += piece ? (piece & PROMOTED ? "+" : "") + letter(piece) : "1";
  }
  for (const c of [0, 1]) {
    for (const kind of SHELF) {
      const n = p[pile(c, kind)]!;
      if (n) hands += (n > 1 ? n : "") + letter(kind + c * WHITE);
    }
  }
  const runs = board.replace(/1+/g, (s) => String(s.length));
  return `${runs} ${p[SIDE] ? "w" : "b"} ${hands || "-"} 1`;
};

// parse reads an SFEN, or a USI position command with one, and the moves after it. It throws the
// part of the text that is wrong.
export const parse = (text: string): [Position, Move[]] => {
  const [head, tail] = text.replace(/[_\s]+/g, " ").trim().split(/ ?moves ?/);
  const [board, side, hands] = head!.replace(/^(position )?sfen /, "").split(" "), p = emptyBoard();
  const pieceOf = (letter: string): Piece =>
    LETTERS.indexOf(letter.toUpperCase()) + (letter > "Z" ? WHITE : 0);
  const rows = board!.split("/");
  rows.forEach((row, y) => {
    const end = (y + 1) * SIZE;
    let sq = y * SIZE;
    const rest = row.replace(/[1-9]|\+?[plnsbr]|[gk]/gi, (t) => {
      if (+t) sq += +t;
      else p[sq++] = pieceOf(t.slice(-1)) + (t[1] ? PROMOTED : 0);
      return "";
    });
    if (rest || sq !== end || y >= SIZE) throw row;
  });
  if (rows.length !== SIZE) throw board;
  if (!/^[bw]$/.test(side!)) throw side ?? head;
  p[SIDE] = side === "w" ? 1 : 0;
  const rest = hands?.replace(/^-$|(\d*)([plnsgbr])/gi, (_, n?: string, letter?: string) => {
    const piece = letter && pieceOf(letter);
    if (piece) p[pile(colorOf(piece), kindOf(piece))]! += +(n || 1);
    return "";
  });
  if (!hands || rest) throw hands ?? head;
  if (fillBox(p).some((n) => n < 0)) throw hands;
  if (SQUARES.some((sq) => p[sq] && isStuck(p[sq]!, sq))) throw board;
  return [p, parseMoves(p, tail ?? "")];
};

// parseMoves reads USI moves, each legal after those before it.
export const parseMoves = (p: Position, text: string): Move[] => {
  return (text.match(/[^\s,]+/g) ?? []).map((word) => {
    const m = legal(p).find((l) => usi(l) === word);
    if (!m) throw word;
    p = after(p, m);
    return m;
  });
};
