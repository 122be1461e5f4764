// The problem: another one is chosen, from the samples, by the buttons of the browser, or on the
// board.

import { $, board, main, picture, t } from "./page.js";
import { place } from "./replay.js";
import { changed, choose, state, toolLink } from "./state.js";

// setProblem replaces the problem.
export function setProblem(sfen, title = "", remember = "push", given = "") {
  choose();
  Object.assign(state, { sfen, title, given, attacker: "", author: [], told: 0, game: [] });
  changed("problem");
  const heading = main.querySelector("h1");
  heading.textContent = title || t("詰むか、詰まないか。", "Is there a mate?");
  if (title) delete heading.dataset.print;
  else heading.dataset.print = t("詰将棋", "Tsume shogi");
  document.title = `${title || t("詰将棋", "Tsume shogi")} · Tsumero`;
  picture.alt = title || t("詰将棋", "Tsume shogi");
  $("text").value = sfen;
  $("text-fault").hidden = true;
  const entry = { sfen, title, given };
  if (remember === "push") history.pushState(entry, "", toolLink());
  if (remember === "replace") history.replaceState(entry, "", toolLink());
  place();
  changed("answer");
  markSample();
  offerNext();
}

const samples = [...document.querySelectorAll(".samples a")];

function markSample() {
  for (const a of samples) {
    if (a.dataset.sfen === state.sfen) a.setAttribute("aria-current", "true");
    else a.removeAttribute("aria-current");
  }
}

// nextSample returns the sample to go on with after one, undefined for other problems and the last.
function nextSample() {
  const problems = samples.filter((a) => !("nomate" in a.dataset));
  const at = problems.findIndex((a) => a.dataset.sfen === state.sfen);
  return at < 0 ? undefined : problems[at + 1];
}

// offerNext offers the next sample, once the problem is solved on the board.
function offerNext() {
  const next = nextSample();
  if (next) board.setAttribute("next", next.href);
  else board.removeAttribute("next");
}

board.addEventListener("tsume-next", (event) => {
  const next = nextSample();
  if (!next) return;
  event.preventDefault(); // the page does it without leaving
  setProblem(next.dataset.sfen);
});

board.addEventListener("tsume-edit", (event) => {
  setProblem(event.detail.sfen, "", state.edited ? "replace" : "push");
  state.edited = true;
});

document.querySelector(".samples").addEventListener("click", (event) => {
  const a = event.target.closest("a");
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  setProblem(a.dataset.sfen);
  board.scrollIntoView({ block: "nearest" });
});

history.replaceState({ sfen: state.sfen, title: state.title, given: "" }, "");
addEventListener("popstate", (event) => {
  if (!event.state) return;
  const { sfen, title, given } = event.state;
  setProblem(sfen, title, "", given);
  state.edited = false;
});
offerNext();
