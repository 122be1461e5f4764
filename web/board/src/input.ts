// What the reader does: pieces are tapped, dragged and moved by keys, and moves are typed. It turns
// that into moves to be played and changes to be made.

import type { Board } from "./board";
import { html, svg } from "./dom";
import { drawPiece, PIECE_BOX } from "./glyphs";
import { say } from "./language";
import { typed } from "./notation";
import {
  BOX, type Cell, colorOf, isSquare, legal, type Move, NOWHERE, pieceAt, pile, SIDE,
} from "./rules";
import type { Reader } from "./surface";
import * as T from "./text";

export interface Input extends Reader {
  submit_(text: string): void; // what was typed into the field
}

// What is typed on the board and begins a move: 5, G, 同, +.
const TYPEABLE = /^[\p{L}\p{N}+]$/u;

export function createInput(board: Board): Input {
  const { state_: s } = board;

  // isMovable reports whether the reader may pick up what is on a cell.
  const isMovable = (cell: Cell): boolean => {
    const piece = pieceAt(s.now_(), cell);
    if (!piece || s.isBad_) return false;
    if (s.isEditing_()) return !!board.editor_;
    const isOwn = cell < pile(BOX) && colorOf(piece) === s.attacker_;
    return isOwn && (s.canRetake_() || (s.canPlay_() && s.now_()[SIDE] === s.attacker_));
  };

  // pick picks up what is on a cell, or puts down what was picked up.
  const pick = (cell = NOWHERE, news = ""): void => {
    s.picked_ = s.touched_ = cell;
    board.render_();
    const spoken = (): string => news + say(T.picked, 0, board.surface_.spoken_(cell));
    board.announce_(cell < 0 ? say(T.put) : spoken());
  };

  // retake takes a wrong move back and picks up what was touched, if it can be moved. It returns
  // where that piece stands now: the one that made the move is where it came from.
  const retake = (touched: Cell): Cell => {
    const [from, to] = s.line_[s.lastMove_()]!;
    const cell = touched === to && isMovable(touched) ? from : touched;
    board.play_.takeBack_();
    if (isMovable(cell)) {
      if (board.isOnGrid_()) board.surface_.focus_(cell);
      pick(cell, say(T.back) + " ");
    }
    return cell;
  };

  // grab picks up what a drag begins on, and returns where that stands.
  const grab = (cell: Cell): Cell => {
    if (s.canRetake_()) return retake(cell);
    pick(cell);
    return cell;
  };

  const tap = (cell: Cell): void => {
    if (s.canRetake_()) retake(cell);
    else if (s.picked_ < 0) {
      if (isMovable(cell)) pick(cell);
    } else if (s.picked_ !== cell) drop(cell);
    else if (s.isEditing_() && isSquare(cell)) board.editor_!.turn_(cell);
    else pick();
  };

  // drop ends what pick began: with a second tap, or where a drag ends.
  const drop = (cell: Cell): void => {
    const from = s.picked_;
    if (from < 0) return;
    if (s.isEditing_()) return cell === from ? pick() : board.editor_!.carry_(from, cell);
    const moves = legal(s.now_(), from).filter((m) => m[1] === cell);
    if (moves.length) choose(moves);
    else if (cell !== from && isMovable(cell)) pick(cell); // another piece instead
    else pick();
  };

  // onKey returns whether it took a key that was pressed on a cell.
  const onKey = (key: string, cell: Cell): boolean => {
    if (key === "Escape" && s.picked_ >= 0) {
      pick();
      return true;
    }
    if (key === "?") {
      board.showKeys_();
      return true;
    }
    if (s.isEditing_()) return !!board.editor_?.key_(key, cell);
    if (s.replays_()) {
      const step = { PageUp: -1, PageDown: 1 }[key];
      if (step) board.goTo_(s.ply_ + step);
      return !!step;
    }
    if (key === "Backspace" || (key === "Escape" && s.phase_ !== "play")) {
      board.play_.takeBack_();
      return true;
    }
    // The key itself is not taken: it goes to the field, which has the focus then.
    if (s.canPlay_() && TYPEABLE.test(key)) board.panel_.focusField_();
    return false;
  };

  const submit = (text: string): void => {
    if (!s.canPlay_() || !text) return;
    const found = typed(s.now_(), text, s.previousTarget_());
    const differInPromotion = found.every((m) => m[0] === found[0]![0] && m[1] === found[0]![1]);
    if (found.length && differInPromotion) {
      board.panel_.clearField_();
      choose(found);
    } else {
      // Nothing, or several: which they are.
      const which = (): string[] => found.map((m) => s.written_(s.line_.length, m)[0]);
      board.tell_("bad", T.bad, () => [[text, ...which()].join(" ")]);
      board.panel_.selectField_();
    }
  };

  // choose plays one of the moves that differ in promotion alone, and asks which if it must.
  const choose = async (moves: Move[]): Promise<void> => {
    const byKeyboard = board.isOnGrid_(), current = s.stop_;
    const m = moves[1] ? await askPromotion(moves) : moves[0];
    if (current !== s.stop_) return;
    if (!m) return pick();
    if (byKeyboard) board.surface_.focus_(m[1]);
    board.play_.attempt_(m);
  };

  // askPromotion returns the move that is chosen, undefined if none is.
  const askPromotion = async (moves: Move[]): Promise<Move | undefined> => {
    board.setLanguage_(); // another board may have spoken since
    const option = (m: Move, value: number): Node => {
      const drawing = drawPiece(pieceAt(s.now_(), m[0]) + m[2], 0, 0, false);
      const picture = svg("svg", { viewBox: PIECE_BOX, "aria-hidden": "true" }, drawing);
      return html("button", { value }, picture, say(m[2] ? T.yes : T.no));
    };
    const { left, bottom } = board.surface_.at_(moves[0]![1]);
    const style = `margin:0;--x:${left}px;--y:${bottom}px`;
    const answer = await board.ask_(say(T.promote), moves.map(option).reverse(), style);
    return moves[+(answer || NOWHERE)];
  };

  return { movable_: isMovable, tap_: tap, pick_: grab, drop_: drop, key_: onKey, submit_: submit };
}
