// The board as it is touched: over its picture lies an ARIA grid of the squares, both hands and,
// for setting up, the box. The grid takes pointers and keys, and is what a screen reader reads.

import { html, isStill, set, svg } from "./dom";
import { checkedKing, drawScene, type Scene, side } from "./drawing";
import { heightOf, isShown, isTurned, kindsIn, middleOf, rectOf, topOf, WIDTH } from "./geometry";
import { drawPiece } from "./glyphs";
import { say } from "./language";
import { nameOf, squareText } from "./notation";
import {
  BOX, type Cell, CELLS, type Color, colorOf, headOf, isSquare, KING, kindAt, type Move, NOWHERE,
  pieceAt, pile, placeOf, SHELF, SIZE, SQUARES,
} from "./rules";
import * as T from "./text";

export type { Scene };

// A Reader is told what the reader does.
export interface Reader {
  movable(cell: Cell): boolean;
  tap(cell: Cell): void;
  pick(cell: Cell): Cell; // a drag begins; from where, after all
  drop(cell: Cell): void; // and ends
  key(key: string, cell: Cell): boolean; // whether it was taken
}

export interface Surface {
  node: HTMLElement;
  render(scene: Scene): void;
  focus(cell?: Cell): void;
  slide(m: Move, before: Cell): void; // a piece that was just drawn comes from where it stood
  at(cell: Cell): DOMRect;
  spoken(cell: Cell): string;
  side(c: Color): string;
}

// A Drag is a piece that a pointer holds; it has a ghost once it has moved.
interface Drag {
  cell: Cell;
  x: number;
  y: number;
  ghost?: SVGElement;
}

const FIRST_FOCUS = 40; // 5e, the middle
const DRAG_DISTANCE = 6; // px that a pointer may move in a tap
const SLIDE_TIME = 160; // ms

export function createSurface(root: ShadowRoot, reader: Reader): Surface {
  const grid = html("div", { role: "grid" });
  const picture = svg("svg", { "aria-hidden": "true" });
  const node = html("div", { class: "surface" }, picture, grid);
  const cells = new Map(CELLS.map((cell) => [cell, html("div", { role: "gridcell", "data-cell": cell })]));
  let scene: Scene;
  let order: string; // of the cells in the grid
  let current = FIRST_FOCUS; // the cell that has the focus, or gets it
  let drag: Drag | undefined, wasDragged = false;

  // Speaking.

  const spoken = (cell: Cell): string => {
    const piece = pieceAt(scene.position, cell), place = placeOf(cell);
    if (isSquare(cell)) {
      const owned = (): string => say(T.owned, 0, side(scene, colorOf(piece)), nameOf(piece));
      return say(T.on, 0, squareText(cell), piece ? owned() : say(T.empty));
    }
    const amount = (kind: number): string => `${nameOf(kind)} ${scene.position[pile(place, kind)]}`;
    const kinds = cell === headOf(cell) ? kindsIn(scene, place) : [kindAt(cell)];
    const row = place === BOX ? say(T.box) : say(T.hand, 0, side(scene, place));
    return say(T.on, 0, row, kinds.map(amount).join(", ") || say(T.none));
  };

  // The focus.

  // tabStop leaves one cell in the order of tabs.
  const tabStop = (): void => {
    if (cells.get(current)?.hidden ?? true) current = headOf(current); // its kind is used up
    for (const [cell, node] of cells) node.tabIndex = cell === current ? 0 : -1;
  };

  const focus = (cell = current): void => {
    current = cell;
    tabStop();
    cells.get(current)!.focus();
  };

  // neighbour returns the next shown cell to which a key leads, in the row or else straight up or
  // down and then beside.
  const neighbour = (cell: Cell, key: string): Cell | undefined => {
    const across = { Home: -1, ArrowLeft: -1, End: 1, ArrowRight: 1 }[key];
    const along = { ArrowUp: -1, ArrowDown: 1 }[key];
    const [x, y] = middleOf(scene, cell);
    // distance is how far another cell lies that way, 0 or less if it does not.
    const distance = (other: Cell): number => {
      const [u, v] = middleOf(scene, other), isInRow = v === y;
      if (across) return isInRow ? (u - x) * across : 0;
      return isInRow ? 0 : (v - y) * along! * WIDTH + Math.abs(u - x);
    };
    const way = CELLS.filter((c) => !cells.get(c)!.hidden && distance(c) > 0);
    way.sort((a, b) => distance(a) - distance(b));
    return way.at(key === "Home" || key === "End" ? -1 : 0);
  };

  // Pointers and keys.

  const cellOf = (target: EventTarget | null): Cell => {
    const node = (target as HTMLElement | null)?.closest?.("[data-cell]") as HTMLElement | null;
    return +(node?.dataset.cell ?? NOWHERE);
  };

  const endDrag = (): void => {
    drag?.ghost?.remove();
    drag = undefined;
  };

  const createGhost = (cell: Cell): SVGElement => {
    const piece = pieceAt(scene.position, cell);
    return svg("g", { class: "ghost" }, drawPiece(piece, 0, 0, isTurned(scene, colorOf(piece))));
  };

  set(grid, {
    click(e: Event) {
      const cell = cellOf(e.target);
      if (wasDragged || cell < 0) return;
      current = cell;
      tabStop();
      reader.tap(cell);
    },
    focusin(e: Event) {
      current = cellOf(e.target);
      tabStop();
    },
    keydown(e: KeyboardEvent) {
      if (e.ctrlKey || e.metaKey || e.altKey) return; // the browser's
      const cell = cellOf(e.target), { key } = e;
      if (/^(Arrow|Home$|End$)/.test(key)) {
        const to = neighbour(cell, key);
        if (to !== undefined) focus(to);
      } else if (key === "Enter" || key === " ") reader.tap(cell);
      else if (!reader.key(key, cell)) return;
      e.preventDefault();
    },
    pointerdown(e: PointerEvent) {
      const cell = cellOf(e.target), isMain = !e.button && e.isPrimary;
      wasDragged = false;
      if (isMain && reader.movable(cell)) drag = { cell, x: e.clientX, y: e.clientY };
    },
    pointermove(e: PointerEvent) {
      if (!drag || !e.isPrimary) return;
      if (!drag.ghost) {
        if (Math.hypot(e.clientX - drag.x, e.clientY - drag.y) < DRAG_DISTANCE) return;
        grid.setPointerCapture(e.pointerId);
        wasDragged = true; // so that the click that follows is none
        drag.ghost = createGhost(reader.pick(drag.cell));
        picture.append(drag.ghost);
      }
      const at = picture.getBoundingClientRect(), unit = WIDTH / at.width;
      const x = (e.clientX - at.left) * unit, y = (e.clientY - at.top) * unit + topOf(scene);
      set(drag.ghost, { transform: `translate(${x} ${y})` });
    },
    pointerup(e: PointerEvent) {
      const ghost = drag?.ghost;
      endDrag();
      if (ghost) reader.drop(cellOf(root.elementFromPoint(e.clientX, e.clientY)));
    },
    pointercancel: endDrag,
    // A browser would take the end of a quick drag for a fling, and the next tap for what stops it.
    touchmove(e: Event) {
      if (drag) e.preventDefault();
    },
  });

  // Rendering.

  // build puts the cells into rows, in the order they are seen.
  const build = (): void => {
    const squares = [...SQUARES], upper = scene.flip ? 0 : 1;
    if (scene.flip) squares.reverse();
    const shelf = (place: number): Cell[] => [0, KING, ...SHELF].map((kind) => pile(place, kind));
    const rows = [shelf(upper)];
    for (let at = 0; at < squares.length; at += SIZE) rows.push(squares.slice(at, at + SIZE));
    rows.push(shelf(1 - upper));
    if (scene.edit) rows.push(shelf(BOX));
    // A hand that is not shown has no row.
    const isThere = ([cell]: Cell[]): boolean => isSquare(cell!) || placeOf(cell!) !== scene.without;
    const nodeOf = (cell: Cell): HTMLElement => cells.get(cell)!;
    grid.replaceChildren(...rows.filter(isThere).map((row) => html("div", { role: "row" }, ...row.map(nodeOf))));
    const height = heightOf(scene);
    set(picture, { viewBox: `0 ${topOf(scene)} ${WIDTH} ${height}` });
    grid.style.aspectRatio = WIDTH + "/" + height;
  };

  // update makes a cell of the grid what the scene says of it.
  const update = (cell: Cell, node: HTMLElement, king: Cell): void => {
    node.hidden = !isShown(scene, cell);
    if (node.hidden) return;
    const { x, y, width, height } = rectOf(scene, cell);
    const whole = heightOf(scene), down = y - topOf(scene);
    const inset = [down / whole, 1 - (x + width) / WIDTH, 1 - (down + height) / whole, x / WIDTH];
    node.style.inset = inset.map((part) => part * 100 + "%").join(" ");
    const isMovable = reader.movable(cell), isTarget = scene.targets.includes(cell);
    const isPicked = cell === scene.picked;
    const words = [spoken(cell), cell === king && say(T.inCheck), isTarget && say(T.target)];
    set(node, {
      "aria-label": words.filter(Boolean).join(", "),
      "aria-selected": isMovable || isPicked ? String(isPicked) : undefined,
      class: isMovable ? "movable" : isTarget ? "target" : "",
    });
  };

  return {
    node, focus, spoken,
    side: (c) => side(scene, c),
    at: (cell) => cells.get(cell)!.getBoundingClientRect(),
    render(next) {
      scene = next;
      const now = `${scene.flip}${scene.edit}${scene.without}`;
      if (order !== now) build();
      order = now;
      set(grid, { "aria-label": scene.name });
      const king = checkedKing(scene), ghost = drag?.ghost;
      for (const [cell, node] of cells) update(cell, node, king);
      picture.replaceChildren(...drawScene(scene, !!drag), ...(ghost ? [ghost] : []));
      tabStop();
    },
    slide([, to], before) {
      const frame = (cell: Cell): Keyframe => {
        const [x, y] = middleOf(scene, cell);
        return { transform: `translate(${x}px,${y}px)` };
      };
      const piece = picture.querySelector(`[data-piece="${to}"]`);
      if (!isStill()) piece?.animate([frame(before), frame(to)], SLIDE_TIME);
    },
  };
}
