// What is on the board: the problem to be solved, a line to be replayed, a game, or a position that
// is being set up.

import { isStatic } from "./address.js";
import { $, board, picture, t, tell } from "./page.js";
import { changed, changes, escapeSFEN, onBoard, state } from "./state.js";

// show puts the position after n moves of the line on the board.
export function show(n) {
  state.ply = Math.max(0, Math.min(state.line.moves.length, n));
  place();
  changed("position");
}

// place tells the board what it is to show. Where the element is not there, a picture does it.
export function place() {
  const isGame = state.mode === "play";
  const line = { view: state.line.moves, play: state.game }[state.mode]?.join(" ") ?? "";
  const attributes = {
    mode: state.mode, sfen: state.sfen, moves: line,
    level: isGame ? $("level").value : "", side: isGame ? $("side").value : "",
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (value === "") board.removeAttribute(name);
    else if (board.getAttribute(name) !== value) board.setAttribute(name, value);
  }
  if (board.goTo) {
    if (state.mode === "view") board.goTo(state.ply);
    return;
  }
  if (isStatic) return;
  const src = `/v1/diagram.svg?sfen=${escapeSFEN(onBoard().sfen)}&size=520&lang=${t("ja", "en")}`;
  if (picture.getAttribute("src") !== src) picture.src = src;
}

// The element may be there after the reader has begun.
customElements.whenDefined("tsume-board").then(place);

const modeButtons = document.querySelectorAll(".modes [data-mode]");

export function setMode(mode) {
  if (mode === "play" && state.mode !== "play") beginGame();
  state.mode = mode;
  state.edited = false;
  markMode();
  if ($("opponent")) $("opponent").hidden = mode !== "play";
  changed("position");
  place();
}

// markMode shows which mode it is, and whether there is a line to replay.
export function markMode() {
  const hasLine = state.line.moves.length > 0;
  $("variation").hidden = state.line.main || !state.solution || state.mode !== "view";
  for (const button of modeButtons) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === state.mode));
    if (button.dataset.mode === "view") button.disabled = !hasLine;
  }
  $("keys").hidden = !hasLine;
}

// beginGame has a game go on from the position on the board, in which the reader is the side to
// move. A problem that is solved begins anew.
function beginGame() {
  const { played } = onBoard(), { solution, line } = state;
  const isMated = board.state === "solved" ||
    (solution && line.main && state.mode === "view" && played.length === solution.moves.length);
  state.game = isMated ? [] : played;
  chooseSide();
}

// chooseSide makes the reader the side to move where a game goes on.
function chooseSide() {
  const isBlack = /^\S+ b/.test(state.sfen) === (state.game.length % 2 === 0);
  $("side").value = isBlack ? "black" : "white";
}

// opinion says what the opponent thinks of its position.
function opinion(score) {
  const { cp, mate } = score ?? {};
  if (mate) return tell(mate > 0 ? "opinion_mates" : "opinion_mated", { n: Math.abs(mate) });
  if (cp === undefined) return "";
  const n = (Math.abs(cp) / 100).toFixed(1);
  if (Number(n) === 0) return tell("opinion_even");
  return tell(cp > 0 ? "opinion_ahead" : "opinion_behind", { n });
}

board.addEventListener("tsume-move", (event) => {
  const { by, score } = event.detail;
  if (by === "level") $("opinion").textContent = opinion(score);
});
$("level")?.addEventListener("change", place);
$("side")?.addEventListener("change", () => {
  state.game = board.played; // the game goes on with the sides changed
  place();
});

// The board is played on, set up, and has buttons of its own.
board.addEventListener("tsume-position", () => {
  if (state.mode === "view") state.ply = board.played.length;
  if ($("opinion")) $("opinion").textContent = ""; // it was about another position
  changed("position");
});
board.addEventListener("tsume-error", (event) => {
  if (event.detail.code === "sfen") changed("fault");
});
new MutationObserver(() => {
  const mode = board.getAttribute("mode");
  if (mode !== state.mode) setMode(mode);
}).observe(board, { attributes: true, attributeFilter: ["mode"] });
changes.addEventListener("problem", () => {
  if (state.mode === "play") chooseSide();
});

// solutionOnBoard makes the solution what is replayed.
export function solutionOnBoard() {
  state.line = { moves: state.solution?.moves ?? [], main: true };
  state.ply = 0;
  lineChanged();
}

function lineChanged() {
  setMode("view");
  show(state.ply);
}

// playLine puts a line on the board, after so many of its moves.
export function playLine(moves, ply) {
  const isMain = state.solution?.moves.join() === moves.join();
  state.line = { moves, main: isMain };
  state.ply = ply;
  lineChanged();
}

document.addEventListener("keydown", (event) => {
  const { length } = state.line.moves;
  if (state.mode === "play") return; // the line would end the game
  const isTaken = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey;
  if (isTaken || length === 0) return;
  if (event.target.closest?.("input, textarea, select, summary, tsume-board, pre")) return;
  const targets = { ArrowLeft: state.ply - 1, ArrowRight: state.ply + 1, Home: 0, End: length };
  const to = targets[event.key];
  if (to === undefined) return;
  event.preventDefault();
  if (state.mode !== "view") setMode("view");
  show(to);
});

for (const button of document.querySelectorAll("[data-mode]")) {
  button.addEventListener("click", () => setMode(button.dataset.mode));
}
