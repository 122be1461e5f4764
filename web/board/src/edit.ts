// Setting up a position: pieces are carried between squares, hands and the box, and turned into
// what they can be.

import type { Board } from "./board";
import {
  attackerOf, BOX, canPromote, type Cell, emptyBoard, fillBox, headOf, isSquare, isStuck, KING,
  kindOf, kingOf, LETTERS, NOWHERE, type Piece, pieceAt, pile, PROMOTED, SHELF, SIDE, toSFEN, WHITE,
} from "./rules";

export interface Editor {
  carry_(from: Cell, to: Cell): void; // beside the board is into the box
  turn_(sq: number): void;
  key_(key: string, cell: Cell): boolean; // whether it was taken
  changeSide_(): void;
  giveRest_(): void; // to the defender
  clear_(): void;
}

export function createEditor(board: Board): Editor {
  const { state_: s } = board;

  // edit makes a change of the position, and says what is now on a cell.
  const edit = (change: () => unknown, at = NOWHERE): void => {
    s.start_ = s.start_.slice();
    s.picked_ = NOWHERE;
    const byKeyboard = board.isOnGrid_();
    change();
    s.setLine_([]);
    fillBox(s.start_);
    board.reflect_({ sfen: toSFEN(s.start_), moves: undefined });
    s.isBad_ = false;
    s.attacker_ = attackerOf(s.start_);
    s.author_ = [];
    board.describe_();
    if (at >= 0) {
      if (byKeyboard) board.surface_.focus_(at);
      board.announce_(board.surface_.spoken_(at));
    }
    board.emit_("edit", { sfen: toSFEN(s.start_) });
  };

  // put puts a piece on a square, promoted if it could not move otherwise.
  const put = (sq: number, piece: Piece): void =>
    void (s.start_[sq] = isStuck(piece, sq) ? piece | PROMOTED : piece);

  // carry moves a piece. What it takes goes to the box.
  const carry = (from: Cell, to: Cell): void => {
    const p = s.start_, piece = pieceAt(p, from), kind = kindOf(piece);
    const isFromBox = from >= pile(BOX), isToBox = to >= pile(BOX);
    if (!isSquare(to) && kind === KING && !isToBox) return; // no king is held
    if (isSquare(from)) p[from] = 0;
    else p[from]!--;
    // The first king is the one to be mated.
    const isFirstKing = isFromBox && kind === KING && kingOf(p, 1) < 0;
    if (isSquare(to)) put(to, isFirstKing ? KING + WHITE : piece);
    else if (!isToBox) p[headOf(to) + kind]!++;
  };

  // turn makes a piece the next of what it can be: promoted, the other side's, promoted there.
  const turn = (sq: number): void => {
    let piece = s.start_[sq]!;
    do piece = canPromote(piece) ? piece | PROMOTED : (piece & ~PROMOTED) ^ WHITE;
    while (isStuck(piece, sq));
    s.start_[sq] = piece;
  };

  // kindTyped returns the kind that a letter means, 0 or less if it means none.
  const kindTyped = (key: string): number =>
    key.length > 1 || key === " " ? 0 : LETTERS.indexOf(key.toUpperCase());

  const onKey = (key: string, cell: Cell): boolean => {
    const piece = pieceAt(s.start_, cell), kind = kindTyped(key), isHand = !isSquare(cell);
    const left = s.start_[pile(BOX, kind)]!;
    if (cell >= pile(BOX)) return false;
    if (key === "Delete" || key === "Backspace") {
      if (piece) edit(() => carry(cell, pile(BOX)), cell);
    } else if (key === "+") {
      const canTurn = !isHand && (canPromote(piece) || piece & PROMOTED);
      if (canTurn) edit(() => put(cell, piece ^ PROMOTED), cell);
    } else if (kind < 1) return false;
    else if (left > 0 || kindOf(piece) === kind) {
      const isCapital = key < "a";
      if (!isHand) edit(() => put(cell, kind + (isCapital ? WHITE : 0)), cell);
      else if (kind < KING && left) edit(() => s.start_[headOf(cell) + kind]!++, cell);
    }
    return true;
  };

  const giveRest = (): void => {
    for (const kind of SHELF) s.start_[pile(1, kind)]! += s.start_[pile(BOX, kind)]!;
  };

  return {
    carry_: (from, to) => edit(() => carry(from, to < 0 ? pile(BOX) : to), to),
    turn_: (sq) => edit(() => turn(sq), sq),
    key_: onKey,
    changeSide_: () => edit(() => (s.start_[SIDE] = 1 - s.start_[SIDE]!)),
    giveRest_: () => edit(giveRest),
    clear_: () => edit(() => (s.start_ = emptyBoard())),
  };
}
