// The page of games: which of the moves missed a mate or walked into one. The reader gives records,
// one of which is judged at a time by POST /v1/games. That gets the moves alone, without names. All
// sentences and moves are those of the API.

import { choose } from "/embed-engine.js";
import { post, wording } from "./ask.js";
import { onRecord, tellFault } from "./input.js";
import { $, board, label, main, make, names, t } from "./page.js";
import { playLine } from "./replay.js";
import { changes, escapeSFEN, state } from "./state.js";

// What the kinds of marks look like: never by colour alone. The gravest comes first, and the first
// are mistakes.
const SIGNS = {
  mate_allowed: "■", threat_ignored: "▼", mate_missed: "◆",
  brinkmate_made: "▲", threat_made: "△", mate_kept: "◇",
};
const MISTAKES = Object.keys(SIGNS).slice(0, 3);
const SIDES = { black: "☗", white: "☖" };

const isProven = (mark) => mark.state === "proven";
const isMistake = (mark) => isProven(mark) && MISTAKES.includes(mark.kind);
const signOf = (mark) => (isProven(mark) ? SIGNS[mark.kind] : "?");
const rank = (mark) => MISTAKES.length * !isProven(mark) + Object.keys(SIGNS).indexOf(mark.kind);
const tone = (mark) => (isMistake(mark) ? "m-fail" : isProven(mark) ? "m-pass" : "m-unknown");

// What asks: the service, and where it does not answer the solver in the browser, if there is one.
const mode = board.getAttribute("engine");
const via = mode ? choose(mode, location.origin) : undefined;

let records = [], game = null; // the one that is shown
let working = null;
let shown = null; // the mark whose line is on the board

// ---- asking

async function use(record) {
  finish();
  const mine = (working = new AbortController());
  try {
    const isBytes = record instanceof Blob && navigator.onLine;
    const [question, type] = isBytes ? [record, "text/plain"] : [{ text: $("text").value }];
    const answer = await (await post("/v1/read", question, { signal: mine.signal, type, via })).json();
    if (working !== mine) return;
    records = answer.records;
    const options = records.map((one, i) => new Option(`${i + 1}. ${playersOf(one).join(" – ")}`, i));
    $("record").replaceChildren(...options);
    $("which").hidden = records.length === 1;
    await judge(0);
  } catch (error) {
    if (working !== mine) return;
    finish();
    tellFault(error);
  }
}

// playersOf returns who plays, as the record says.
function playersOf({ header, first }) {
  const name = (...keys) => header.find(({ key }) => keys.includes(key))?.value;
  return [name("先手", "下手") || t("先手", "Black"), name("後手", "上手") || t("後手", "White")];
}

function finish() {
  working?.abort();
  working = null;
  for (const id of ["stop", "judging", "fault"]) $(id).hidden = true;
}

// judge shows a game, and what was found out about it.
async function judge(n) {
  finish();
  game = records[n];
  main.classList.remove("plain");
  for (const node of document.querySelectorAll("[data-game]")) node.hidden = false;
  render();
  showMove(game.moves.length);
  if (game.answer) return;
  const mine = (working = new AbortController()), { first, moves } = game;
  for (const id of ["stop", "judging"]) $(id).hidden = false;
  $("state").textContent = t("調べています…", "Looking…");
  try {
    const text = ["position sfen", first, ...(moves.length > 0 ? ["moves", ...moves] : [])].join(" ");
    const response = await post("/v1/games", { text }, { signal: mine.signal, via });
    const answer = await response.json();
    if (working !== mine) return;
    finish();
    game.answer = answer;
    render();
    const worst = answer.marks.find(isMistake);
    if (worst) showLine(worst);
  } catch (error) {
    if (working !== mine) return;
    finish();
    $("state").textContent = "";
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  }
}

// ---- the game

const marksOf = (ply) => (game.answer?.marks ?? []).filter((mark) => mark.ply === ply)
  .sort((a, b) => rank(a) - rank(b));

const moveText = (ply) => t(game.moves_ja, game.moves_en)[ply - 1]?.replace("　", "") ?? t("開始局面", "start");
const numbered = (ply) => (ply ? t(`${ply}手目 `, `${ply}. `) : "") + moveText(ply);

function render() {
  const marks = game.answer?.marks ?? [], players = playersOf(game);
  $("players").textContent = players.map((name, i) => Object.values(SIDES)[i] + name).join(t("　対　", " – "));
  const notes = [...(game.notes ?? []), ...(game.answer?.notes ?? [])].map((note) => t(note.text_ja, note.text_en));
  $("notes").textContent = [...new Set(notes)].join("\n");
  $("state").textContent = game.answer ? label(game.answer, "summary") : "";
  $("tally").hidden = $("found").hidden = !game.answer;
  const heads = Object.keys(SIDES).map((side, i) =>
    make("th", { scope: "col", textContent: SIDES[side] + players[i] }));
  const rows = MISTAKES.map((kind) => {
    const counts = Object.keys(SIDES).map((side) =>
      marks.filter((mark) => isMistake(mark) && mark.kind === kind && mark.side === side).length);
    return make("tr", {}, make("th", { scope: "row" }, signNode(SIGNS[kind], "m-fail"), names.games[kind]),
      ...counts.map((n) => make("td", { textContent: n, className: n ? "m-fail" : "" })));
  });
  $("tally").replaceChildren(make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows));
  const isBlackFirst = / b /.test(game.first);
  $("strip").replaceChildren(...game.moves.map((_, i) => {
    const [mark] = marksOf(i + 1), lane = (i % 2 === 0) === isBlackFirst ? "black" : "white";
    const cell = make("i", { className: `${lane} ${mark ? tone(mark) : ""}`, textContent: mark ? signOf(mark) : "" });
    cell.dataset.ply = i + 1;
    return cell;
  }));
  $("strip").setAttribute("aria-valuemax", game.moves.length);
  const list = (which) => marks.filter(which).map(markItem);
  $("mistakes").replaceChildren(...list(isMistake));
  $("others").replaceChildren(...list((mark) => !isMistake(mark)));
  $("more").hidden = $("others").childElementCount === 0;
}

const signNode = (textContent, className) =>
  make("span", { className: `sign ${className}`, "aria-hidden": "true", textContent });

function markItem(mark) {
  const button = make("button", { type: "button", className: "play",
    textContent: `${mark.ply} ${label(mark).replace("　", "")}` });
  button.addEventListener("click", () => showLine(mark, true));
  return make("li", { className: tone(mark) }, signNode(signOf(mark), ""), button,
    make("span", { textContent: label(mark, "text") }));
}

// ---- what is on the board

// showMove shows the game after so many of its moves.
function showMove(ply) {
  shown = null;
  Object.assign(state, { sfen: game.first, solution: game });
  playLine(game.moves, ply);
}

// showLine shows the mate of a mark, from where it begins.
function showLine(mark, isPressed) {
  shown = mark;
  Object.assign(state, { sfen: mark.sfen, solution: game });
  playLine(mark.line, 0);
  const { top, bottom } = board.getBoundingClientRect();
  if (isPressed && (top < 0 || bottom > innerHeight)) $("strip").scrollIntoView();
}

// plyOf returns the move of the game that is looked at.
const plyOf = () => shown?.ply ?? state.ply;

// follow says what is on the board.
function follow() {
  if (!game) return;
  const ply = plyOf(), marks = shown ? [shown] : marksOf(ply), strip = $("strip");
  const words = [numbered(ply), ...marks.map((mark) => label(mark, "text"))].join(t("　", ": "));
  strip.querySelector("[aria-current]")?.removeAttribute("aria-current");
  strip.children[ply - 1]?.setAttribute("aria-current", "true");
  strip.setAttribute("aria-valuenow", ply);
  strip.setAttribute("aria-valuetext", words);
  if ($("caption").textContent !== words) $("caption").textContent = words;
  $("line-modes").hidden = !shown;
  $("mate").hidden = !shown || shown.line.length % 2 === 0; // a brinkmate begins with the reply
  $("study").href = `/study?sfen=${escapeSFEN(board.position ?? state.sfen)}${main.dataset.look}`;
}
changes.addEventListener("position", follow);

// go looks at a move, where it has a mark at its line.
function go(ply) {
  const [mark] = marksOf(ply);
  if (mark?.line.length > 0) showLine(mark, true);
  else showMove(Math.max(0, Math.min(game.moves.length, ply)));
}

// next returns the move with the next mark, or the one before for -1.
const next = (step) => (step > 0 ? [...$("strip").children] : [...$("strip").children].reverse())
  .map((cell) => Number(cell.dataset.ply)).find((ply) => (ply - plyOf()) * step > 0 && marksOf(ply).length > 0);

$("strip").addEventListener("click", ({ target }) => {
  const ply = Number(target.dataset.ply);
  // A finger may hit the cell beside.
  if (ply) go([ply, ply - 1, ply + 1].find((near) => marksOf(near).length > 0) ?? ply);
});
$("strip").addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const ply = plyOf(), { length } = game.moves;
  const to = { ArrowLeft: ply - 1, ArrowDown: ply - 1, ArrowRight: ply + 1, ArrowUp: ply + 1, Home: 0,
    End: length, PageUp: next(-1) ?? ply, PageDown: next(1) ?? ply, Enter: ply }[event.key];
  if (to === undefined) return;
  event.preventDefault(); // the line is no longer gone through
  if (/Page|Enter/.test(event.key)) go(to);
  else showMove(Math.max(0, Math.min(length, to)));
});
for (const [id, step] of [["before", -1], ["after", 1]]) {
  $(id).addEventListener("click", () => go(next(step) ?? plyOf()));
}
$("back").addEventListener("click", () => showMove(plyOf()));
$("record").addEventListener("change", () => judge(Number($("record").value)));
$("stop").addEventListener("click", () => {
  finish();
  $("state").textContent = t("止めました。", "Stopped.");
  $("go").focus();
});
onRecord(use);
