// The board as it is seen and touched: one SVG for the eye, and over it an ARIA grid of 81 squares, two hands and the
// box of spare pieces, which takes pointers and keys and is what a screen reader reads.

import { html, still, svg } from "./dom";
import { glyphPath } from "./glyphs";
import { glyphOf, KANJI, kanji, type Lang, pieceName, squareText } from "./notation";
import { BISHOP, type Color, colorOf, GOLD, kindOf, KING, KNIGHT, LANCE, type Move, PAWN, type Piece, type Position, PROMOTED, ROOK, SILVER, typeOf, WHITE } from "./rules";
import { say } from "./text";

// A Cell is a square (0 to 80), a hand or the box as a whole, or the pieces of a kind there.
export type Cell = number;
const HAND = 100, BOX = 120;
export const handCell = (c: Color, kind = 0): Cell => HAND + 10 * c + kind;
export const boxCell = (kind = 0): Cell => BOX + kind;
export const isSquare = (cell: Cell): boolean => cell < 81;
export const isBox = (cell: Cell): boolean => cell >= BOX;
export const cellKind = (cell: Cell): number => cell % 10;
export const cellColor = (cell: Cell): Color => (cell >= HAND + 10 && cell < BOX ? 1 : 0);
// pieceAt returns what stands or lies in a cell: 0 for nothing.
export function pieceAt(p: Position, cell: Cell): Piece {
  if (isSquare(cell)) return p.board[cell]!;
  const kind = cellKind(cell), c = cellColor(cell);
  return (isBox(cell) ? p.rest()[kind] : p.hands[c][kind]) && kind ? kind + (c ? WHITE : 0) : 0;
}

const SHELF = [ROOK, BISHOP, GOLD, SILVER, KNIGHT, LANCE, PAWN];

// Units of the drawing: a square is 10 wide and 11 high.
const WIDTH = 99, LEFT = 2.5, TOP = 19, HANDS = 12.5, HEAD = 20;
const BOTTOM = TOP + 99 + 2.5;

// What stands at the bottom of a hand's row differs in size as real pieces do.
const SIZES = [0, 0.86, 0.89, 0.91, 0.94, 0.95, 0.98, 0.98, 1.02];

export interface Scene {
  position: Position;
  attacker: Color | undefined; // undefined: the sides are black and white
  lang: Lang;
  flip: boolean;
  box: boolean; // is shown
  readonly: boolean;
  name: string;
  picked?: Cell;
  targets: Set<Cell>;
  last?: Move;
  hints: Cell[];
  arrow?: Move;
  good: boolean; // the arrow
  movable: (cell: Cell) => boolean;
}

export interface Handler {
  tap(cell: Cell): void;
  pick(cell: Cell): boolean; // a drag begins
  drop(cell: Cell | undefined): void; // it ends there
  key(event: KeyboardEvent, cell: Cell): boolean; // whether it was taken
}

interface Place { x: number; y: number; w: number; h: number }

export class Surface {
  readonly node: HTMLElement;
  private readonly grid = html("div", { role: "grid", class: "grid" });
  private readonly picture = svg("svg", { class: "picture", "aria-hidden": true, focusable: "false" });
  private readonly defs = svg("defs");
  private readonly ground = svg("g");
  private readonly marks = svg("g");
  private readonly pieces = svg("g");
  private readonly over = svg("g");
  private readonly cells = new Map<Cell, HTMLElement>();
  private rows: Cell[][] = [];
  private order = ""; // which rows there are, and which way round
  private current: Cell;
  private scene!: Scene;
  private drag?: { cell: Cell; id: number; x: number; y: number; ghost?: SVGGElement };
  private dragged = false; // the click that follows is none

  constructor(private readonly root: ShadowRoot, private readonly handler: Handler, start: Cell) {
    this.current = start;
    this.picture.append(this.defs, this.ground, this.marks, this.pieces, this.over);
    this.node = html("div", { class: "surface", part: "board" }, this.picture, this.grid);
    const g = this.grid;
    g.addEventListener("click", (e) => {
      const cell = this.cellOf(e.target);
      if (this.dragged || cell === undefined) return void (this.dragged = false);
      this.current = cell;
      this.tabStop();
      this.handler.tap(cell);
    });
    g.addEventListener("focusin", (e) => {
      const cell = this.cellOf(e.target);
      if (cell !== undefined) this.current = cell;
      this.tabStop();
    });
    g.addEventListener("keydown", (e) => this.key(e));
    g.addEventListener("pointerdown", (e) => this.down(e));
    g.addEventListener("pointermove", (e) => this.moved(e));
    g.addEventListener("pointerup", (e) => this.up(e));
    g.addEventListener("pointercancel", () => this.endDrag());
    g.addEventListener("lostpointercapture", () => this.endDrag());
  }

  focus(cell?: Cell): void {
    if (cell !== undefined) this.current = cell;
    this.tabStop();
    this.cells.get(this.current)?.focus();
  }

  get focused(): Cell {
    return this.current;
  }

  private cellOf(target: EventTarget | null): Cell | undefined {
    const node = (target as Element | null)?.closest?.(".cell") as HTMLElement | null;
    return node ? Number(node.dataset.cell) : undefined;
  }

  // shown returns the cells of the rows as they are now: kinds that a hand lacks are not there.
  private shown(row: Cell[]): Cell[] {
    return row.filter((cell) => !this.cells.get(cell)!.hidden);
  }

  private tabStop(): void {
    if (this.cells.get(this.current)?.hidden ?? true) this.current = isSquare(this.current) ? 40 : this.current - cellKind(this.current);
    if (!this.cells.has(this.current)) this.current = 40;
    for (const [cell, node] of this.cells) node.tabIndex = cell === this.current ? 0 : -1;
  }

  private key(e: KeyboardEvent): void {
    const cell = this.cellOf(e.target);
    if (cell === undefined || e.altKey || e.metaKey) return;
    const rows = this.rows.map((row) => this.shown(row));
    const y = rows.findIndex((row) => row.includes(cell)), row = rows[y]!, x = row.indexOf(cell);
    // Between rows of different lengths the way goes straight up and down on the screen.
    const vertical = (to: Cell[] | undefined): Cell | undefined => {
      const middle = (c: Cell): number => this.place(c).x + this.place(c).w / 2;
      return to?.reduce((a, b) => (Math.abs(middle(b) - middle(cell)) < Math.abs(middle(a) - middle(cell)) ? b : a));
    };
    let to: Cell | undefined;
    switch (e.key) {
      case "ArrowLeft": to = row[x - 1]; break;
      case "ArrowRight": to = row[x + 1]; break;
      case "ArrowUp": to = vertical(rows[y - 1]); break;
      case "ArrowDown": to = vertical(rows[y + 1]); break;
      case "Home": to = (e.ctrlKey ? rows[0]! : row)[0]; break;
      case "End": to = (e.ctrlKey ? rows[rows.length - 1]! : row).at(-1); break;
      case "Enter": case " ": this.handler.tap(cell); e.preventDefault(); return;
      default:
        if (this.handler.key(e, cell)) e.preventDefault();
        return;
    }
    e.preventDefault();
    if (to !== undefined) this.focus(to);
  }

  private down(e: PointerEvent): void {
    this.dragged = false;
    const cell = this.cellOf(e.target);
    if (e.button || !e.isPrimary || cell === undefined || !this.scene.movable(cell)) return;
    this.drag = { cell, id: e.pointerId, x: e.clientX, y: e.clientY };
  }

  private moved(e: PointerEvent): void {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return;
    if (!d.ghost) {
      if (Math.hypot(e.clientX - d.x, e.clientY - d.y) < 6) return;
      this.grid.setPointerCapture(d.id);
      this.dragged = true;
      if (!this.handler.pick(d.cell)) return this.endDrag();
      const p = pieceAt(this.scene.position, d.cell);
      d.ghost = svg("g", { class: "ghost" }, this.piece(p, 0, 0, this.turned(p)));
      this.over.append(d.ghost);
      this.pieces.querySelector(`[data-cell="${d.cell}"]`)?.classList.add("lifted");
    }
    const box = this.picture.getBoundingClientRect(), unit = WIDTH / box.width;
    d.ghost.setAttribute("transform", `translate(${(e.clientX - box.left) * unit} ${(e.clientY - box.top) * unit}) scale(1.15)`);
  }

  private up(e: PointerEvent): void {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return;
    const ghost = d.ghost;
    this.endDrag();
    if (ghost) this.handler.drop(this.cellOf(this.root.elementFromPoint(e.clientX, e.clientY)));
  }

  private endDrag(): void {
    this.drag?.ghost?.remove();
    this.pieces.querySelector(".lifted")?.classList.remove("lifted");
    this.drag = undefined;
  }

  // place returns where a cell lies in the drawing.
  place(cell: Cell): Place {
    if (isSquare(cell)) {
      const at = this.scene.flip ? 80 - cell : cell;
      return { x: LEFT + (at % 9) * 10, y: TOP + Math.floor(at / 9) * 11, w: 10, h: 11 };
    }
    const c = cellColor(cell), kind = cellKind(cell);
    const y = isBox(cell) ? BOTTOM + HANDS + 1.5 : (c === 1) !== this.scene.flip ? 0.5 : BOTTOM;
    if (!kind) return { x: LEFT, y, w: isBox(cell) ? 14 : HEAD, h: HANDS };
    const shelf = isBox(cell) ? [KING, ...SHELF] : SHELF.filter((k) => this.scene.position.hands[c][k]);
    return { x: LEFT + (isBox(cell) ? 14 : HEAD) + shelf.indexOf(kind) * 10, y, w: 10, h: HANDS };
  }

  // rect returns where a cell is on the screen.
  rect(cell: Cell): DOMRect {
    return this.cells.get(cell)!.getBoundingClientRect();
  }

  private turned(p: Piece): boolean {
    return (colorOf(p) === 1) !== this.scene.flip;
  }

  private piece(p: Piece, x: number, y: number, turned: boolean): SVGGElement {
    const size = SIZES[kindOf(p)]! * (turned ? -1 : 1), scale = 0.0068 * size;
    return svg("g", { transform: `translate(${x} ${y})` },
      svg("g", { class: "piece" + (p & PROMOTED ? " promoted" : "") },
        svg("path", { class: "body", d: "M0-4.9L3.1-3.8L4.1 4.7H-4.1L-3.1-3.8Z", transform: `scale(${size})` }),
        svg("use", { class: "ink", href: "#g" + typeOf(p), transform: `translate(0 ${0.35 * size}) scale(${scale})` })));
  }

  render(scene: Scene): void {
    const before = this.scene as Scene | undefined;
    this.scene = scene;
    const order = `${scene.flip}${scene.box}`;
    if (order !== this.order) {
      this.order = order;
      this.build();
    }
    if (!before || order !== this.order || before.lang !== scene.lang || before.flip !== scene.flip || before.box !== scene.box) this.drawGround();
    this.drawMarks();
    this.drawPieces();
    this.label();
    this.tabStop();
  }

  // build makes the rows in the order they are seen. Cells are kept, so that focus stays where it is.
  private build(): void {
    const { flip, box } = this.scene;
    const top: Color = flip ? 0 : 1, bottom: Color = flip ? 1 : 0;
    const hand = (c: Color): Cell[] => [handCell(c), ...SHELF.map((kind) => handCell(c, kind))];
    const squares = [...Array(81).keys()];
    if (flip) squares.reverse();
    this.rows = [hand(top), ...[...Array(9).keys()].map((y) => squares.slice(y * 9, y * 9 + 9)), hand(bottom)];
    if (box) this.rows.push([boxCell(), boxCell(KING), ...SHELF.map((kind) => boxCell(kind))]);
    const focused = this.root.activeElement;
    this.grid.replaceChildren(...this.rows.map((row) => html("div", { role: "row" }, ...row.map((cell) => {
      let node = this.cells.get(cell);
      if (!node) {
        node = html("div", { role: "gridcell", class: "cell", "data-cell": cell, tabindex: -1 });
        this.cells.set(cell, node);
      }
      return node;
    }))));
    for (const cell of this.cells.keys()) if (isBox(cell) && !box) this.cells.delete(cell);
    if (focused?.isConnected && focused.classList.contains("cell")) (focused as HTMLElement).focus();
  }

  private drawGround(): void {
    const { lang, flip, box } = this.scene;
    const height = BOTTOM + HANDS + (box ? HANDS + 2 : 0) + 0.5;
    this.picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    this.grid.style.aspectRatio = `${WIDTH} / ${height}`;
    if (!this.defs.firstChild) {
      for (let type = PAWN; type <= PROMOTED + ROOK; type++) {
        if ((type & 15) >= PAWN && (type & 15) <= KING && type !== PROMOTED + GOLD) this.defs.append(svg("path", { id: "g" + type, d: glyphPath(glyphOf(type)) }));
      }
    }
    const lines: string[] = [];
    for (let i = 1; i < 9; i++) lines.push(`M${LEFT + i * 10} ${TOP}v99`, `M${LEFT} ${TOP + i * 11}h90`);
    const text = (x: number, y: number, s: string): SVGTextElement => svg("text", { x, y, class: "label" }, s);
    this.ground.replaceChildren(
      svg("rect", { class: "wood", x: 0.5, y: TOP - 6.5, width: WIDTH - 1, height: 99 + 8, rx: 1.5 }),
      svg("path", { class: "lines", d: lines.join("") }),
      svg("rect", { class: "frame", x: LEFT, y: TOP, width: 90, height: 99 }),
      ...[3, 6].flatMap((x) => [3, 6].map((y) => svg("circle", { class: "star", cx: LEFT + x * 10, cy: TOP + y * 11, r: 0.7 }))),
      ...[...Array(9).keys()].flatMap((i) => {
        const n = flip ? 9 - i : i + 1;
        return [
          text(LEFT + 85 - i * 10, TOP - 1.9, String(n)),
          text(LEFT + 93, TOP + i * 11 + 6.9, lang === "ja" ? KANJI[n]! : "abcdefghi"[n - 1]!),
        ];
      }),
    );
  }

  private drawMarks(): void {
    const s = this.scene, marks: Element[] = [];
    const mark = (cell: Cell, name: string): void => {
      const { x, y, w, h } = this.place(cell);
      marks.push(svg("rect", { class: name, x: x + 0.3, y: y + 0.3, width: w - 0.6, height: h - 0.6, rx: isSquare(cell) ? 0.5 : 1.5 }));
    };
    if (s.last) {
      if (s.last.from >= 0) mark(s.last.from, "from");
      mark(s.last.to, "last");
    }
    const king = s.position.king(s.position.side);
    if (king >= 0 && s.position.inCheck()) mark(king, "check");
    if (s.picked !== undefined) mark(s.picked, "picked");
    for (const cell of s.hints) mark(cell, "hint");
    this.marks.replaceChildren(...marks);

    const over: Element[] = [];
    for (const cell of s.targets) {
      const { x, y, w, h } = this.place(cell);
      over.push(isSquare(cell) && s.position.board[cell]
        ? svg("rect", { class: "take", x: x + 0.7, y: y + 0.7, width: w - 1.4, height: h - 1.4, rx: 1 })
        : svg("circle", { class: "dot", cx: x + w / 2, cy: y + h / 2, r: 1.4 }));
    }
    if (s.arrow) {
      const a = this.place(s.arrow.from < 0 ? handCell(colorOf(s.arrow.piece), kindOf(s.arrow.piece)) : s.arrow.from), b = this.place(s.arrow.to);
      const x1 = a.x + a.w / 2, y1 = a.y + a.h / 2, x2 = b.x + b.w / 2, y2 = b.y + b.h / 2;
      const length = Math.hypot(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
      const tip = length - 1.5;
      over.push(svg("path", {
        class: s.good ? "arrow" : "arrow bad",
        d: `M${x1 + dx * 3} ${y1 + dy * 3}L${x1 + dx * (tip - 3)} ${y1 + dy * (tip - 3)}M${x1 + dx * tip} ${y1 + dy * tip}l${-dx * 3.4 - dy * 2} ${-dy * 3.4 + dx * 2}l${dy * 4} ${-dx * 4}Z`,
      }));
    }
    this.over.replaceChildren(...over);
  }

  private drawPieces(): void {
    const { position: p, attacker, lang, box, picked } = this.scene, nodes: Element[] = [];
    const put = (cell: Cell, piece: Piece, count = 1): void => {
      const { x, y, w, h } = this.place(cell);
      const g = this.piece(piece, x + w / 2, y + h / 2, isSquare(cell) ? this.turned(piece) : !isBox(cell) && this.turned(piece));
      g.dataset.cell = String(cell);
      if (cell === picked) g.classList.add("up");
      if (count !== 1) g.append(svg("text", { class: count ? "count" : "count gone", x: w / 2 - 0.6, y: h / 2 - 0.9 }, String(count)));
      if (!count) g.classList.add("gone");
      nodes.push(g);
    };
    p.board.forEach((piece, sq) => piece && put(sq, piece));
    for (const c of [0, 1] as Color[]) {
      for (const kind of SHELF) if (p.hands[c][kind]) put(handCell(c, kind), kind + (c ? WHITE : 0), p.hands[c][kind]);
      const { x, y, h } = this.place(handCell(c));
      const name = this.sideName(c), ja = lang === "ja";
      nodes.push(
        svg("path", { class: "mark" + (p.side === c ? " turn" : ""), d: "M0-2.2L1.5-1.3L2 2H-2L-1.5-1.3Z", transform: `translate(${x + 2.4} ${y + h / 2}) scale(${this.turned(c ? WHITE : 0) ? -1 : 1})` }),
        svg("text", { class: "side", x: x + 5.6, y: y + h / 2 + 1.25 }, ja ? name : name[0]!.toUpperCase() + name.slice(1)),
      );
      if (!p.hands[c].some((n) => n)) nodes.push(svg("text", { class: "side none", x: x + HEAD + 1, y: y + h / 2 + 1.25 }, ja ? "持駒なし" : "nothing in hand"));
    }
    if (box) {
      const rest = p.rest();
      for (const kind of [KING, ...SHELF]) put(boxCell(kind), kind, rest[kind]);
      const { x, y, h } = this.place(boxCell());
      nodes.push(svg("text", { class: "side", x: x + 0.5, y: y + h / 2 + 1.25 }, lang === "ja" ? "駒箱" : "Box"));
    }
    this.pieces.replaceChildren(...nodes);
  }

  // slide lets the piece of a move that was just drawn come from where it stood.
  slide(m: Move, from?: Place): void {
    if (still()) return;
    const node = this.pieces.querySelector(`[data-cell="${m.to}"] .piece`);
    const a = from ?? (m.from >= 0 ? this.place(m.from) : this.place(handCell(colorOf(m.piece)))), b = this.place(m.to);
    node?.animate?.([{ transform: `translate(${a.x + a.w / 2 - b.x - b.w / 2}px,${a.y - b.y}px)` }, { transform: "none" }], { duration: 160, easing: "ease-out" });
  }

  sideName(c: Color): string {
    const { attacker, lang } = this.scene;
    return say(lang, attacker === undefined ? (c ? "white" : "black") : c === attacker ? "attacker" : "defender");
  }

  // spoken puts a cell into words.
  spoken(cell: Cell): string {
    const { position: p, lang } = this.scene, ja = lang === "ja", comma = ja ? "、" : ", ";
    const piece = pieceAt(p, cell), c = cellColor(cell), kind = cellKind(cell);
    if (isSquare(cell)) {
      if (!piece) return squareText(cell, lang) + comma + say(lang, "empty");
      const who = this.sideName(colorOf(piece)), what = pieceName(piece, lang);
      return squareText(cell, lang) + comma + (ja ? `${who}の${what}` : `${who} ${what}`);
    }
    const counts = isBox(cell) ? p.rest() : p.hands[c];
    const amount = (k: number): string => (ja ? pieceName(k, lang) + (counts[k]! > 1 || isBox(cell) ? kanji(counts[k]!) || "〇" : "") : `${counts[k]} ${pieceName(k, lang)}${counts[k] === 1 ? "" : "s"}`);
    const place = isBox(cell) ? say(lang, "box") : say(lang, "hand", this.sideName(c));
    if (kind) return place + comma + amount(kind);
    return place + comma + (SHELF.filter((k) => counts[k]).map(amount).join(ja ? "、" : ", ") || say(lang, "none"));
  }

  private label(): void {
    const s = this.scene, comma = s.lang === "ja" ? "、" : ", ";
    this.grid.setAttribute("aria-label", s.name);
    if (s.readonly) this.grid.setAttribute("aria-readonly", "true");
    else this.grid.removeAttribute("aria-readonly");
    const percent = (n: number, of: number): string => `${(n / of) * 100}%`;
    const height = BOTTOM + HANDS + (s.box ? HANDS + 2 : 0) + 0.5;
    const inCheck = s.position.inCheck() ? s.position.king(s.position.side) : -1;
    for (const [cell, node] of this.cells) {
      const kind = cellKind(cell);
      node.hidden = !isSquare(cell) && !isBox(cell) && kind > 0 && !s.position.hands[cellColor(cell)][kind];
      if (node.hidden) continue;
      const { x, y, w, h } = this.place(cell);
      Object.assign(node.style, { left: percent(x, WIDTH), top: percent(y, height), width: percent(w, WIDTH), height: percent(h, height) });
      node.setAttribute("aria-label", this.spoken(cell) + (cell === inCheck ? comma + say(s.lang, "check") : "") + (s.targets.has(cell) ? comma + say(s.lang, "target") : ""));
      const movable = s.movable(cell);
      node.classList.toggle("movable", movable);
      node.classList.toggle("target", s.targets.has(cell));
      if (!s.readonly && (movable || cell === s.picked)) node.setAttribute("aria-selected", String(cell === s.picked));
      else node.removeAttribute("aria-selected");
    }
  }
}

