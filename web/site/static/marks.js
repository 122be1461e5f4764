// What is free on the board: the author marks squares, with what stands on them. While marking, a press
// or Enter on a square marks it; at other times the board sets up pieces as it always does.

import { say } from "./copy.js";
import { board, t } from "./page.js";

const SIZE = 9; // squares in a row; the board numbers them from 9a, row by row

// A mark is a frame and a tint, so that it is seen without colours. It lies over the piece.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`[data-free] {
  border: 3px dashed var(--t-accent);
  background: color-mix(in srgb, var(--t-accent) 18%, transparent);
}`);

const marked = new Set();
let isMarking = false, isShown = true;

export const changes = new EventTarget();

// squareName returns a square as requests have it: 5c.
export const squareName = (cell) =>
  `${SIZE - (cell % SIZE)}${String.fromCharCode(97 + Math.floor(cell / SIZE))}`;

// cells returns the marked squares, from 9a on, row by row.
export const cells = () => [...marked].sort((a, b) => a - b);

const nodeOf = (cell) => board.shadowRoot?.querySelector(`[data-cell="${cell}"]`);

function show(cell) {
  const node = nodeOf(cell);
  if (!node) return;
  const isFree = isShown && marked.has(cell);
  node.toggleAttribute("data-free", isFree);
  node.ariaDescription = isFree ? t("変えてよい", "free") : null;
}

// setShown shows the marks, or only keeps them for when they mean something again.
export function setShown(is) {
  isShown = is;
  cells().forEach(show);
}

// clear takes away all marks.
export function clear() {
  const before = cells();
  marked.clear();
  before.forEach(show);
  changes.dispatchEvent(new Event("change"));
}

function toggle(cell) {
  if (!marked.delete(cell)) marked.add(cell);
  show(cell);
  changes.dispatchEvent(new Event("change"));
}

// setMarking says what a press on the board does.
export function setMarking(is) {
  isMarking = is;
  board.classList.toggle("marking", is);
}

// cellOf returns the square that an event is about, -1 if it is none.
function cellOf(event) {
  const node = event.composedPath().find((one) => one.dataset?.cell !== undefined);
  const cell = Number(node?.dataset.cell ?? -1);
  return cell < SIZE * SIZE ? cell : -1;
}

const isOnBoard = (event) => event.composedPath().some((one) => one.dataset?.cell !== undefined);

// The board must not see what marks: it would pick up the piece.
function take(event) {
  if (!isMarking || !isOnBoard(event)) return;
  const isKey = event.type === "keydown";
  if (isKey && event.key !== "Enter" && event.key !== " ") return;
  event.stopPropagation();
  if (event.type === "pointerdown") return;
  event.preventDefault();
  const cell = cellOf(event);
  if (cell >= 0) toggle(cell);
  else say(t("選べるのは盤上のマスだけです。", "Only squares of the board can be marked."));
}
for (const type of ["click", "keydown", "pointerdown"]) board.addEventListener(type, take, { capture: true });

customElements.whenDefined("tsume-board").then(() => board.shadowRoot.adoptedStyleSheets.push(sheet));

// spoken returns a square and what stands on it in the words of the board.
export const spoken = (cell) => nodeOf(cell)?.getAttribute("aria-label") ?? squareName(cell);
