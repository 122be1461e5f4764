// What the reader does: pieces are tapped, dragged and moved by keys, and moves are typed. It turns
// that into moves to be played and changes to be made.

import { html, svg } from "./dom";
import { drawPiece, PIECE_BOX } from "./glyphs";
import { say } from "./language";
import {
  BOX, type Cell, colorOf, isSquare, legal, type Move, NOWHERE, pieceAt, pile, SIDE,
} from "./rules";
import { showKeys } from "./panel";
import { attempt, takeBack } from "./play";
import {
  canPlay, canRetake, isEditing, isOnGrid, lastMove, now, replays, type State,
} from "./state";
import type { Reader } from "./surface";
import * as T from "./text";
import { announce, ask, goTo, render, setLanguage, withFile } from "./view";

export interface Input extends Reader {
  submit(text: string): void; // what was typed into the field
}

// What is typed on the board and begins a move: 5, G, 同, +.
const TYPEABLE = /^[\p{L}\p{N}+]$/u;

export function createInput(s: State): Input {
  // isMovable reports whether the reader may pick up what is on a cell.
  const isMovable = (cell: Cell): boolean => {
    const piece = pieceAt(now(s), cell);
    if (!piece || s.isBad) return false;
    if (isEditing(s)) return !!s.editor;
    const side = s.phase === "tries" ? 1 - s.attacker : s.attacker;
    const isOwn = cell < pile(BOX) && colorOf(piece) === side;
    return isOwn && (canRetake(s) || (canPlay(s) && now(s)[SIDE] === side));
  };

  // pick picks up what is on a cell, or puts down what was picked up.
  const pick = (cell = NOWHERE, news = ""): void => {
    s.picked = s.touched = cell;
    render(s);
    const spoken = (): string => news + say(T.picked, 0, s.surface.spoken(cell));
    announce(s, cell < 0 ? say(T.put) : spoken());
  };

  // retake takes a wrong move back and picks up what was touched, if it can be moved. It returns
  // where that piece stands now: the one that made the move is where it came from.
  const retake = (touched: Cell): Cell => {
    const [from, to] = s.line[lastMove(s)]!;
    const cell = touched === to && isMovable(touched) ? from : touched;
    takeBack(s);
    if (isMovable(cell)) {
      if (isOnGrid(s)) s.surface.focus(cell);
      pick(cell, say(T.back) + " ");
    }
    return cell;
  };

  // grab picks up what a drag begins on, and returns where that stands.
  const grab = (cell: Cell): Cell => {
    if (canRetake(s)) return retake(cell);
    pick(cell);
    return cell;
  };

  const tap = (cell: Cell): void => {
    if (canRetake(s)) retake(cell);
    else if (s.picked < 0) {
      if (isMovable(cell)) pick(cell);
    } else if (s.picked !== cell) drop(cell);
    else if (isEditing(s) && isSquare(cell)) s.editor!.turn(cell);
    else pick();
  };

  // drop ends what pick began: with a second tap, or where a drag ends.
  const drop = (cell: Cell): void => {
    const from = s.picked;
    if (from < 0) return;
    if (isEditing(s)) return cell === from ? pick() : s.editor!.carry(from, cell);
    const moves = legal(now(s), from).filter((m) => m[1] === cell);
    if (moves.length) choose(moves);
    else if (cell !== from && isMovable(cell)) pick(cell); // another piece instead
    else pick();
  };

  // onKey returns whether it took a key that was pressed on a cell.
  const onKey = (key: string, cell: Cell): boolean => {
    if (key === "Escape" && s.picked >= 0) {
      pick();
      return true;
    }
    if (key === "?") {
      showKeys(s);
      return true;
    }
    if (isEditing(s)) return !!s.editor?.key(key, cell);
    if (replays(s)) {
      const step = { PageUp: -1, PageDown: 1 }[key];
      if (step) goTo(s, s.ply + step);
      return !!step;
    }
    if (key === "Backspace" || (key === "Escape" && s.phase !== "play")) {
      takeBack(s);
      return true;
    }
    // The key itself is not taken: it goes to the field, which has the focus then.
    if (canPlay(s) && TYPEABLE.test(key)) s.panel.focusField();
    return false;
  };

  const submit = (text: string): void => {
    const current = s.stop, before = s.line;
    if (!canPlay(s) || !text) return;
    withFile(s, "typed", async ({ accept }: typeof import("./typed")) => {
      if (current !== s.stop || before !== s.line) return;
      const moves = await accept(s, text);
      if (current !== s.stop) return;
      if (!moves) return s.panel.selectField();
      s.panel.clearField();
      choose(moves);
    });
  };

  // choose plays one of the moves that differ in promotion alone, and asks which if it must.
  const choose = async (moves: Move[]): Promise<void> => {
    const byKeyboard = isOnGrid(s), current = s.stop;
    const m = moves[1] ? await askPromotion(moves) : moves[0];
    if (current !== s.stop) return;
    if (!m) return pick();
    if (byKeyboard) s.surface.focus(m[1]);
    attempt(s, m);
  };

  // askPromotion returns the move that is chosen, undefined if none is.
  const askPromotion = async (moves: Move[]): Promise<Move | undefined> => {
    setLanguage(s); // another board may have spoken since
    const option = (m: Move, value: number): Node => {
      const drawing = drawPiece(pieceAt(now(s), m[0]) + m[2], 0, 0, false);
      const picture = svg("svg", { viewBox: PIECE_BOX, "aria-hidden": "true" }, drawing);
      return html("button", { value }, picture, say(m[2] ? T.yes : T.no));
    };
    const { left, bottom } = s.surface.at(moves[0]![1]);
    const style = `margin:0;--x:${left}px;--y:${bottom}px`;
    const answer = await ask(s, say(T.promote), moves.map(option).reverse(), style);
    return moves[+(answer || NOWHERE)];
  };

  return { movable: isMovable, tap, pick: grab, drop, key: onKey, submit };
}
