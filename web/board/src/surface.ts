// The board as it is seen and touched: one SVG for the eye, and over it an ARIA grid of the squares, both hands and, for
// setting up, the box. The grid takes pointers and keys, and is what a screen reader reads.

import { html, isStill, set, svg } from "./dom";
import { drawPiece } from "./glyphs";
import { KANJI, nameOf, squareText } from "./notation";
import { BOX, type Cell, type Color, colorOf, inCheck, isSquare, kingOf, type Move, NOWHERE, type Piece, pieceAt, pile, placeOf, type Position, SHELF, SIDE, SQUARES } from "./rules";
import * as T from "./text";

export interface Scene {
  position_: Position;
  attacker_?: Color; // absent: the sides are black and white
  flip_: boolean;
  edit_: boolean;
  name_: string;
  picked_: Cell;
  targets_: Cell[];
  last_?: Move;
  hints_: Cell[];
  arrow_?: Move;
  wrong_: boolean; // the arrow shows what refutes
}

export interface Reader {
  movable_(cell: Cell): boolean;
  tap_(cell: Cell): void;
  pick_(cell: Cell): Cell; // a drag begins; from where, after all
  drop_(cell: Cell): void; // and ends
  key_(key: string, cell: Cell): unknown; // whether it was taken
}

export interface Surface {
  node_: HTMLElement;
  render_(scene: Scene): void;
  focus_(cell?: Cell): void;
  slide_(m: Move, before: Cell): void;
  at_(cell: Cell): DOMRect;
  spoken_(cell: Cell): string;
  side_(c: Color): string;
}

// Units of the drawing: a square is 10 wide and 11 high.
const WIDTH = 99, LEFT = 2.5, TOP = 19, PILE = 12.5, BOTTOM = TOP + 101.5, HEAD = 20;

export function createSurface(root: ShadowRoot, reader: Reader): Surface {
  const grid = html("div", { role: "grid" });
  const picture = svg("svg", { "aria-hidden": "true" });
  const node = html("div", { class: "surface" }, picture, grid);
  const cells = new Map<Cell, HTMLElement>();
  for (let cell = 0; cell < SIDE; cell++) cells.set(cell, html("div", { role: "gridcell", "data-cell": cell }));
  let scene: Scene, order: string, current = 40, height = 0;
  let drag: { cell_: Cell; x_: number; y_: number; ghost_?: SVGElement } | undefined, dragged = false;

  const isUp = (c: Color): boolean => (c === 1) !== scene.flip_; // seen from below
  const held = (place: number): number[] => (place === BOX ? [8, ...SHELF] : SHELF.filter((kind) => scene.position_[pile(place, kind)]));

  // box returns where a cell lies in the drawing: left, top, width, height.
  const box = (cell: Cell): [number, number, number, number] => {
    if (isSquare(cell)) {
      const i = scene.flip_ ? 80 - cell : cell;
      return [LEFT + (i % 9) * 10, TOP + Math.floor(i / 9) * 11, 10, 11];
    }
    const place = placeOf(cell), kind = cell % 9, y = place === BOX ? BOTTOM + PILE + 1.5 : isUp(place) ? 0.5 : BOTTOM;
    const head = place === BOX ? 14 : HEAD;
    return kind ? [LEFT + head + held(place).indexOf(kind) * 10, y, 10, PILE] : [LEFT, y, head, PILE];
  };
  const middle = (cell: Cell): [number, number] => {
    const [x, y, w, h] = box(cell);
    return [x + w / 2, y + h / 2];
  };

  const side = (c: Color): string => T.say(scene.attacker_ === undefined ? (c ? T.white : T.black) : c === scene.attacker_ ? T.attacker : T.defender);

  const spoken = (cell: Cell): string => {
    const piece = pieceAt(scene.position_, cell), place = placeOf(cell);
    if (isSquare(cell)) return T.say(T.on, 0, squareText(cell), piece ? T.say(T.owned, 0, side(colorOf(piece)), nameOf(piece)) : T.say(T.empty));
    const amount = (kind: number): string => `${nameOf(kind)} ${scene.position_[pile(place, kind)]}`;
    const kinds = cell % 9 ? [cell % 9] : held(place);
    return T.say(T.on, 0, place === BOX ? T.say(T.box) : T.say(T.hand, 0, side(place)), kinds.map(amount).join(", ") || T.say(T.none));
  };

  // tabStop leaves one cell in the order of tabs.
  const tabStop = (): void => {
    if (cells.get(current)?.hidden ?? true) current -= current % 9; // its kind is used up
    for (const [cell, node] of cells) node.tabIndex = cell === current ? 0 : -1;
  };

  const focus = (cell = current): void => {
    current = cell;
    tabStop();
    cells.get(current)!.focus();
  };

  const cellOf = (target: EventTarget | null): Cell => {
    const node = (target as HTMLElement | null)?.closest?.("[data-cell]") as HTMLElement | null;
    return +(node?.dataset.cell ?? NOWHERE);
  };

  const endDrag = (): void => {
    drag?.ghost_?.remove();
    drag = undefined;
  };

  set(grid, {
    click(e: Event) {
      const cell = cellOf(e.target);
      if (dragged || cell < 0) return;
      current = cell;
      tabStop();
      reader.tap_(cell);
    },
    focusin(e: Event) {
      current = cellOf(e.target);
      tabStop();
    },
    keydown(e: KeyboardEvent) {
      if (e.ctrlKey || e.metaKey || e.altKey) return; // the browser's
      const cell = cellOf(e.target), { key } = e, [x, y] = middle(cell);
      const across = { Home: -1, ArrowLeft: -1, End: 1, ArrowRight: 1 }[key], along = { ArrowUp: -1, ArrowDown: 1 }[key];
      if (across || along) {
        // How far another cell lies that way, if it does: in the row, or else straight up or down and then beside.
        const off = (c: Cell): number => {
          const [u, v] = middle(c);
          return across ? (v === y ? (u - x) * across : 0) : v === y ? 0 : (v - y) * along! * WIDTH + Math.abs(u - x);
        };
        const way = [...cells.keys()].filter((c) => !cells.get(c)!.hidden && off(c) > 0).sort((a, b) => off(a) - off(b));
        const to = way.at(key === "Home" || key === "End" ? -1 : 0);
        if (to !== undefined) focus(to);
      } else if (key === "Enter" || key === " ") reader.tap_(cell);
      else if (!reader.key_(key, cell)) return;
      e.preventDefault();
    },
    pointerdown(e: PointerEvent) {
      const cell = cellOf(e.target);
      dragged = false;
      if (!e.button && e.isPrimary && reader.movable_(cell)) drag = { cell_: cell, x_: e.clientX, y_: e.clientY };
    },
    pointermove(e: PointerEvent) {
      if (!drag || !e.isPrimary) return;
      if (!drag.ghost_) {
        if (Math.hypot(e.clientX - drag.x_, e.clientY - drag.y_) < 6) return;
        grid.setPointerCapture(e.pointerId);
        dragged = true; // so that the click that follows is none
        const cell = reader.pick_(drag.cell_);
        drag.ghost_ = svg("g", { class: "ghost" }, drawPiece(pieceAt(scene.position_, cell), 0, 0, seenTurned(pieceAt(scene.position_, cell))));
        picture.append(drag.ghost_);
      }
      const at = picture.getBoundingClientRect(), unit = WIDTH / at.width;
      set(drag.ghost_, { transform: `translate(${(e.clientX - at.left) * unit} ${(e.clientY - at.top) * unit})` });
    },
    pointerup(e: PointerEvent) {
      const was = drag?.ghost_;
      endDrag();
      if (was) reader.drop_(cellOf(root.elementFromPoint(e.clientX, e.clientY)));
    },
    pointercancel: endDrag,
    // A browser would take the end of a quick drag for a fling, and the next tap for what stops it.
    touchmove(e: Event) {
      if (drag) e.preventDefault();
    },
  });

  const seenTurned = (piece: Piece): boolean => isUp(colorOf(piece));

  // build puts the cells into rows, in the order they are seen.
  const build = (): void => {
    const squares = [...SQUARES], up = scene.flip_ ? 0 : 1;
    const shelf = (place: number): Cell[] => [0, 8, ...SHELF].map((kind) => pile(place, kind));
    if (scene.flip_) squares.reverse();
    const rows = [shelf(up), ...SQUARES.slice(0, 9).map((y) => squares.slice(y * 9, y * 9 + 9)), shelf(1 - up), ...(scene.edit_ ? [shelf(BOX)] : [])];
    grid.replaceChildren(...rows.map((row) => html("div", { role: "row" }, ...row.map((cell) => cells.get(cell)!))));
    height = BOTTOM + PILE + 0.5 + (scene.edit_ ? PILE + 2 : 0);
    set(picture, { viewBox: `0 0 ${WIDTH} ${height}` });
    grid.style.aspectRatio = WIDTH + "/" + height;
  };

  const draw = (): void => {
    const { position_: p, last_: last, picked_: picked } = scene, checked = inCheck(p) ? kingOf(p, p[SIDE]!) : -1;
    const shapes: Element[] = [];
    const add = (tag: string, name: string, props: { [name: string]: string | number }, ...text: string[]): void => void shapes.push(svg(tag, { class: name, ...props }, ...text));
    const write = (name: string, x: number, y: number, text: string): void => add("text", name, { x, y }, text);
    const mark = (name: string, cell: Cell): void => {
      const [x, y, width, height] = box(cell);
      add("rect", name, { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 0.6 });
    };
    add("rect", "wood", { x: 0.5, y: TOP - 6.5, width: WIDTH - 1, height: 107, rx: 1.5 });
    add("path", "frame", { d: `M${LEFT} ${TOP}h90v99h-90z` });
    let lines = "";
    for (let i = 0; i < 9; i++) {
      if (i) lines += `M${LEFT + i * 10} ${TOP}v99M${LEFT} ${TOP + i * 11}h90`;
      const n = scene.flip_ ? 9 - i : i + 1;
      write("label", LEFT + 85 - i * 10, TOP - 1.9, String(n));
      write("label", LEFT + 93.4, TOP + i * 11 + 6.8, T.isJapanese() ? KANJI[n]! : "abcdefghi"[n - 1]!);
    }
    add("path", "lines", { d: lines });
    add("path", "star", { d: `M${LEFT + 30} ${TOP + 33}h0m30 0h0m-30 33h0m30 0h0` });

    if (last) {
      if (isSquare(last[0])) mark("from", last[0]);
      mark("last", last[1]);
    }
    if (checked >= 0) mark("check", checked);
    if (picked >= 0) mark("picked", picked);

    for (const [cell, node] of cells) {
      const piece = pieceAt(p, cell), [x, y] = middle(cell), place = placeOf(cell), kind = cell % 9, n = p[cell]!;
      node.hidden = !isSquare(cell) && (place === BOX ? !scene.edit_ : !!kind && !n);
      if (node.hidden) continue;
      if (!isSquare(cell) && !kind) {
        write(p[SIDE] === place ? "turn" : "side", LEFT + 0.5, y + 1.2, place === BOX ? T.say(T.box) : "▲△"[place] + side(place));
        if (!held(place)[0]) write("side", LEFT + HEAD + 1, y + 1.2, T.say(T.none));
      } else if (piece) {
        const g = drawPiece(piece, x, y, isSquare(cell) || place !== BOX ? seenTurned(piece) : false);
        set(g, { "data-piece": cell });
        if (cell === picked && drag) g.classList.add("gone");
        if (!isSquare(cell) && n > 1) g.append(svg("text", { class: "count", x: 4.6, y: 5.4 }, String(n)));
        shapes.push(g);
      }
      const [l, t, w, h] = box(cell), movable = reader.movable_(cell), target = scene.targets_.includes(cell);
      node.style.inset = [t / height, 1 - (l + w) / WIDTH, 1 - (t + h) / height, l / WIDTH].map((part) => part * 100 + "%").join(" ");
      set(node, {
        "aria-label": [spoken(cell), cell === checked && T.say(T.inCheck), target && T.say(T.target)].filter(Boolean).join(", "),
        "aria-selected": movable || cell === picked ? String(cell === picked) : undefined,
        class: movable ? "movable" : target ? "target" : "",
      });
    }

    for (const cell of scene.hints_) mark("hint", cell);
    for (const cell of scene.targets_) {
      if (p[cell]) mark("take", cell);
      else add("circle", "dot", { cx: middle(cell)[0], cy: middle(cell)[1], r: 1.4 });
    }
    if (scene.arrow_) {
      // From a hand that the piece has left, the arrow starts at the head of the row.
      const [from, to] = scene.arrow_, [x, y] = middle(isSquare(from) || p[from] ? from : from - (from % 9)), [u, v] = middle(to);
      const length = Math.hypot(u - x, v - y), turn = (Math.atan2(v - y, u - x) * 180) / Math.PI;
      add("path", scene.wrong_ ? "arrow bad" : "arrow", { d: `M2 0H${length - 8}M${length - 4} 0l-4-2.4v4.8z`, transform: `translate(${x} ${y})rotate(${turn})` });
    }
    picture.replaceChildren(...shapes, ...(drag?.ghost_ ? [drag.ghost_] : []));
  };

  return {
    node_: node,
    focus_: focus,
    spoken_: spoken,
    side_: side,
    at_: (cell) => cells.get(cell)!.getBoundingClientRect(),
    render_(next) {
      scene = next;
      const now = `${scene.flip_}${scene.edit_}`;
      if (order !== now) build();
      order = now;
      set(grid, { "aria-label": scene.name_ });
      draw();
      tabStop();
    },
    // slide lets a piece that was just drawn come from where it stood.
    slide_([, to], before) {
      const frame = (cell: Cell): Keyframe => ({ transform: `translate(${middle(cell)[0]}px,${middle(cell)[1]}px)` });
      if (!isStill()) picture.querySelector(`[data-piece="${to}"]`)?.animate([frame(before), frame(to)], 160);
    },
  };
}
