// Where things lie in the drawing of a board: the row of one hand, the squares, the row of the
// other hand and, for setting up, the box. Its unit is a tenth of the width of a square.

import {
  BOX, type Cell, type Color, headOf, isSquare, kindAt, KING, pile, placeOf, type Position, SHELF,
  SIZE, SQUARES,
} from "./rules";

export const SQUARE_WIDTH = 10, SQUARE_HEIGHT = 11;
export const WIDTH = 99;
export const LEFT = 2.5, TOP = 19; // of the squares
export const GRID_WIDTH = SIZE * SQUARE_WIDTH, GRID_HEIGHT = SIZE * SQUARE_HEIGHT;
export const HEAD_WIDTH = 20; // of what stands before the pieces of a hand
const BOX_HEAD_WIDTH = 14;
const ROW_HEIGHT = 12.5; // of a hand and of the box
const UPPER_HAND = 0.5, LOWER_HAND = TOP + GRID_HEIGHT + 2.5;
const BOX_GAP = 1.5, MARGIN = 0.5;

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

// What the places depend on.
export interface View {
  position: Position;
  flip: boolean; // white's side is below
  edit: boolean; // with the box
  without?: Color; // the side whose hand is not shown
}

const isWithout = (view: View, c: Color): boolean => c === view.without;

// heightOf returns how high the drawing is, and topOf where it begins: a hand that is not shown
// takes no place.
export const heightOf = (view: View): number =>
  LOWER_HAND + MARGIN + (view.without === undefined ? ROW_HEIGHT : 0) +
  (view.edit ? ROW_HEIGHT + BOX_GAP + MARGIN : 0);
export const topOf = (view: View): number =>
  isWithout(view, view.flip ? 0 : 1) ? ROW_HEIGHT : 0;

// isTurned reports whether the pieces of a side point down, and its hand is the upper one.
export const isTurned = (view: View, c: Color): boolean => (c === 1) !== view.flip;

// kindsIn returns the kinds a row shows, in its order: the box every kind, a hand those it has.
export const kindsIn = (view: View, place: number): number[] =>
  place === BOX ? [KING, ...SHELF] : SHELF.filter((kind) => view.position[pile(place, kind)]);

// isShown reports whether a cell is to be seen: of a hand its head, and the kinds it has.
export const isShown = (view: View, cell: Cell): boolean => {
  if (isSquare(cell)) return true;
  if (placeOf(cell) === BOX) return view.edit;
  if (isWithout(view, placeOf(cell))) return false;
  return cell === headOf(cell) || view.position[cell]! > 0;
};

export const rectOf = (view: View, cell: Cell): Rect => {
  if (isSquare(cell)) {
    const i = view.flip ? SQUARES.length - 1 - cell : cell;
    return {
      x: LEFT + (i % SIZE) * SQUARE_WIDTH, y: TOP + Math.floor(i / SIZE) * SQUARE_HEIGHT,
      width: SQUARE_WIDTH, height: SQUARE_HEIGHT,
    };
  }
  const place = placeOf(cell), kind = kindAt(cell), isBox = place === BOX;
  const head = isBox ? BOX_HEAD_WIDTH : HEAD_WIDTH;
  const hand = isTurned(view, place) ? UPPER_HAND : LOWER_HAND;
  const y = isBox ? LOWER_HAND + ROW_HEIGHT + BOX_GAP : hand;
  if (cell === headOf(cell)) return { x: LEFT, y, width: head, height: ROW_HEIGHT };
  const x = LEFT + head + kindsIn(view, place).indexOf(kind) * SQUARE_WIDTH;
  return { x, y, width: SQUARE_WIDTH, height: ROW_HEIGHT };
};

export const middleOf = (view: View, cell: Cell): [x: number, y: number] => {
  const { x, y, width, height } = rectOf(view, cell);
  return [x + width / 2, y + height / 2];
};
