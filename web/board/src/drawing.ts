// The board as it is seen: the shapes of one SVG, made anew for each scene.

import { set, svg } from "./dom";
import {
  GRID_HEIGHT, GRID_WIDTH, HEAD_WIDTH, isShown, isTurned, kindsIn, LEFT, middleOf, rectOf,
  SQUARE_HEIGHT, SQUARE_WIDTH, TOP, type View, WIDTH,
} from "./geometry";
import { drawPiece } from "./glyphs";
import { isJapanese, say } from "./language";
import { KANJI } from "./notation";
import {
  BOX, type Cell, CELLS, type Color, colorOf, headOf, inCheck, isSquare, kingOf, LATIN, type Move,
  type Piece, pieceAt, placeOf, SIDE, SIZE,
} from "./rules";
import * as T from "./text";

// A Scene is what is to be seen.
export interface Scene extends View {
  attacker?: Color; // absent: the sides are black and white
  name: string;
  picked: Cell;
  targets: Cell[]; // where what is picked can go
  last?: Move;
  hints: Cell[];
  arrow?: Move;
  wrong: boolean; // the arrow shows what refutes
}

// The wood around the squares.
const FRAME = { x: 0.5, y: TOP - 6.3, width: WIDTH - 1, height: GRID_HEIGHT + 8, rx: 1.5 };
// How far a mark stays away from the edge of its cell.
const MARK_INSET = 0.5;
// Baselines of text, from the edge or the middle of what it belongs to.
const FILE_LABEL_Y = TOP - 1.9, RANK_LABEL_X = LEFT + GRID_WIDTH + 3.4, RANK_LABEL_Y = 6.8;
const HEAD_TEXT_Y = 1.2;
const COUNT_AT = { x: 4.6, y: 5.4 }; // from the middle of the piece
const DOT_RADIUS = 1.4;
// The stars stand on the corners of the middle third of the squares.
const THIRD = SIZE / 3, STAR_X = THIRD * SQUARE_WIDTH, STAR_Y = THIRD * SQUARE_HEIGHT;
const STAR_PAIR = `h0m${STAR_X} 0h0`;
const STARS = `M${LEFT + STAR_X} ${TOP + STAR_Y}${STAR_PAIR}m-${STAR_X} ${STAR_Y}${STAR_PAIR}`;
const OUTLINE = `M${LEFT} ${TOP}h${GRID_WIDTH}v${GRID_HEIGHT}h-${GRID_WIDTH}z`;
// An arrow begins near the middle of its first cell and ends before that of the last.
const ARROW_START = 2, ARROW_SHAFT_END = 8, ARROW_TIP = 4;

// side names the side of a color.
export const side = (scene: Scene, c: Color): string => {
  if (scene.attacker === undefined) return say(c ? T.white : T.black);
  return say(c === scene.attacker ? T.attacker : T.defender);
};

// checkedKing returns the square of the king in check, less than 0 if there is none.
export const checkedKing = ({ position: p }: Scene): Cell =>
  inCheck(p) ? kingOf(p, p[SIDE]!) : -1;

// isTurnedPiece reports whether a piece points down. Those of the box belong to nobody.
export const isTurnedPiece = (scene: Scene, piece: Piece, cell: Cell): boolean =>
  placeOf(cell) !== BOX && isTurned(scene, colorOf(piece));

type Attributes = { [name: string]: string | number };
const shape = (tag: string, name: string, attributes: Attributes, ...text: string[]): SVGElement =>
  svg(tag, { class: name, ...attributes }, ...text);

const mark = (scene: Scene, name: string, cell: Cell): SVGElement => {
  const { x, y, width, height } = rectOf(scene, cell);
  return shape("rect", name, {
    x: x + MARK_INSET, y: y + MARK_INSET, rx: 0.6,
    width: width - 2 * MARK_INSET, height: height - 2 * MARK_INSET,
  });
};

const drawBoard = (scene: Scene): SVGElement[] => {
  const labels = [];
  let lines = "";
  for (let i = 0; i < SIZE; i++) {
    const x = i * SQUARE_WIDTH, y = i * SQUARE_HEIGHT, n = scene.flip ? SIZE - i : i + 1;
    if (i) lines += `M${LEFT + x} ${TOP}v${GRID_HEIGHT}M${LEFT} ${TOP + y}h${GRID_WIDTH}`;
    const fromRight = LEFT + GRID_WIDTH - SQUARE_WIDTH / 2 - x;
    labels.push(
      shape("text", "label", { x: fromRight, y: FILE_LABEL_Y }, String(n)),
      shape("text", "label", { x: RANK_LABEL_X, y: TOP + y + RANK_LABEL_Y },
        isJapanese() ? KANJI[n]! : LATIN[n - 1]!),
    );
  }
  return [
    shape("rect", "wood", FRAME), shape("path", "frame", { d: OUTLINE }), ...labels,
    shape("path", "lines", { d: lines }), shape("path", "star", { d: STARS }),
  ];
};

// drawMarks draws what lies under the pieces.
const drawMarks = (scene: Scene): SVGElement[] => {
  const { last, picked } = scene, king = checkedKing(scene), marks = [];
  if (last) {
    if (isSquare(last[0])) marks.push(mark(scene, "from", last[0]));
    marks.push(mark(scene, "last", last[1]));
  }
  if (king >= 0) marks.push(mark(scene, "check", king));
  if (picked >= 0) marks.push(mark(scene, "picked", picked));
  return marks;
};

// drawHead draws what stands before the pieces of a hand or the box.
const drawHead = (scene: Scene, cell: Cell): SVGElement[] => {
  const place = placeOf(cell), y = middleOf(scene, cell)[1] + HEAD_TEXT_Y;
  const words = place === BOX ? say(T.box) : "▲△"[place] + side(scene, place);
  const isToMove = scene.position[SIDE] === place;
  const head = shape("text", isToMove ? "turn" : "side", { x: LEFT + 0.5, y }, words);
  if (kindsIn(scene, place)[0]) return [head];
  return [head, shape("text", "side", { x: LEFT + HEAD_WIDTH + 1, y }, say(T.none))];
};

const drawCell = (scene: Scene, cell: Cell, isDragging: boolean): SVGElement[] => {
  const piece = pieceAt(scene.position, cell), amount = scene.position[cell]!;
  if (!isSquare(cell) && cell === headOf(cell)) return drawHead(scene, cell);
  if (!piece) return [];
  const node = drawPiece(piece, ...middleOf(scene, cell), isTurnedPiece(scene, piece, cell));
  set(node, { "data-piece": cell });
  if (cell === scene.picked && isDragging) node.classList.add("gone");
  if (!isSquare(cell) && amount > 1) node.append(shape("text", "count", COUNT_AT, String(amount)));
  return [node];
};

const drawArrow = (scene: Scene, [from, to]: Move): SVGElement => {
  // From a hand that the piece has left, the arrow starts at the head of the row.
  const start = isSquare(from) || scene.position[from] ? from : headOf(from);
  const [x, y] = middleOf(scene, start), [u, v] = middleOf(scene, to);
  const length = Math.hypot(u - x, v - y), angle = (Math.atan2(v - y, u - x) * 180) / Math.PI;
  const shaft = `M${ARROW_START} 0H${length - ARROW_SHAFT_END}`;
  return shape("path", scene.wrong ? "arrow bad" : "arrow", {
    d: `${shaft}M${length - ARROW_TIP} 0l-4-2.4v4.8z`,
    transform: `translate(${x} ${y})rotate(${angle})`,
  });
};

// drawAids draws what lies over the pieces.
const drawAids = (scene: Scene): SVGElement[] => {
  const hints = scene.hints.filter((cell) => cell >= 0);
  const aids = hints.map((cell) => mark(scene, "hint", cell));
  for (const cell of scene.targets) {
    const [cx, cy] = middleOf(scene, cell), isCapture = scene.position[cell];
    const dot = (): SVGElement => shape("circle", "dot", { cx, cy, r: DOT_RADIUS });
    aids.push(isCapture ? mark(scene, "take", cell) : dot());
  }
  if (scene.arrow) aids.push(drawArrow(scene, scene.arrow));
  return aids;
};

// drawScene returns the shapes of a scene, the lowest first. What is dragged is faint where it was.
export const drawScene = (scene: Scene, isDragging: boolean): SVGElement[] => {
  const shown = CELLS.filter((cell) => isShown(scene, cell));
  const pieces = shown.flatMap((cell) => drawCell(scene, cell, isDragging));
  return [...drawBoard(scene), ...drawMarks(scene), ...pieces, ...drawAids(scene)];
};
