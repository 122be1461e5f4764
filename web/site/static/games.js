// The page of games: which of the moves missed a mate or walked into one. The reader gives records,
// one of which is judged at a time by POST /v1/games. That gets the moves alone, without names. All
// sentences and moves are those of the API.

import { hrefOf } from "./address.js";
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
const KINDS = Object.keys(SIGNS), MISTAKES = KINDS.slice(0, 3);
const SIDES = { black: "☗", white: "☖" };

const isProven = (mark) => mark.state === "proven";
const isMistake = (mark) => isProven(mark) && MISTAKES.includes(mark.kind);
const signOf = (mark) => (isProven(mark) ? SIGNS[mark.kind] : "?");
const tone = (mark) => (isMistake(mark) ? "m-fail" : isProven(mark) ? "m-pass" : "m-unknown");
const rank = (mark) => KINDS.indexOf(mark.kind) + (isProven(mark) ? 0 : MISTAKES.length);

// via asks the service, and where it does not answer the solver in the browser, if there is one. Its
// script needs that of the board.
async function via(path, question, ask) {
  const mode = customElements.get("tsume-board") && board.getAttribute("engine");
  const engine = mode && await import("/embed-engine.js").catch(() => {});
  return engine ? engine.choose(mode, location.origin)(path, question, ask) : ask(question.signal);
}

let records = [], game = null; // the one that is shown
let working = null;
let shown = null; // the mark whose line is on the board

// ---- asking

function finish() {
  working?.abort();
  working = null;
  for (const id of ["stop", "judging", "fault"]) $(id).hidden = true;
}

// ask asks a question of the API, and uses its answer unless the reader went on.
async function ask(path, question, use, fail, options = { via }) {
  finish();
  const mine = (working = new AbortController());
  try {
    const answer = await (await post(path, question, { signal: mine.signal, ...options })).json();
    if (working === mine) use(answer);
  } catch (error) {
    if (working !== mine) return;
    finish();
    fail(error);
  }
}

// read shows the first of the games of a text or a file. Bytes are for the service alone, which finds
// out their encoding.
function read(record) {
  const isBytes = record instanceof Blob && navigator.onLine;
  return ask("/v1/read", isBytes ? record : { text: $("text").value }, (answer) => {
    records = answer.records;
    const title = (one, i) => `${i + 1}. ${playersOf(one).join(" – ")}`;
    $("record").replaceChildren(...records.map((one, i) => new Option(title(one, i), i)));
    $("which").hidden = records.length === 1;
    judge(0);
  }, tellFault, isBytes ? { type: "text/plain" } : { via });
}

// playersOf returns who plays, as the record says.
function playersOf({ header }) {
  const name = (...keys) => header.find(({ key }) => keys.includes(key))?.value;
  return [name("先手", "下手") || t("先手", "Black"), name("後手", "上手") || t("後手", "White")];
}

// judge shows a game, and what was found out about it.
function judge(n) {
  finish();
  game = records[n];
  main.classList.remove("plain");
  for (const node of document.querySelectorAll("[data-game]")) node.hidden = false;
  render();
  showMove(game.moves.length);
  if (game.answer) return;
  const moves = game.moves.length > 0 ? ` moves ${game.moves.join(" ")}` : "";
  ask("/v1/games", { text: `position sfen ${game.first}${moves}` }, (answer) => {
    finish();
    game.answer = answer;
    render();
    const first = answer.marks.find(isMistake);
    if (first) showLine(first);
  }, (error) => {
    $("state").textContent = "";
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  });
  $("stop").hidden = $("judging").hidden = false;
  $("state").textContent = t("調べています…", "Looking…");
}

// ---- the game

const marksOf = (ply) => (game.answer?.marks ?? []).filter((mark) => mark.ply === ply)
  .sort((a, b) => rank(a) - rank(b));

const signNode = (textContent, className) =>
  make("span", { className: `sign ${className}`, "aria-hidden": "true", textContent });

function render() {
  const { answer, moves } = game, marks = answer?.marks ?? [];
  const players = playersOf(game).map((name, i) => Object.values(SIDES)[i] + name);
  $("players").textContent = players.join(t("　対　", " – "));
  const notes = [...(game.notes ?? []), ...(answer?.notes ?? [])]
    .map((note) => t(note.text_ja, note.text_en));
  $("notes").textContent = [...new Set(notes)].join("\n");
  $("state").textContent = answer ? label(answer, "summary") : "";
  $("tally").hidden = $("found").hidden = !answer;
  const heads = players.map((textContent) => make("th", { scope: "col", textContent }));
  $("tally").replaceChildren(make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...MISTAKES.map((kind) =>
      tallyRow(kind, marks.filter((mark) => isMistake(mark) && mark.kind === kind)))));
  $("strip").replaceChildren(...moves.map((_, i) => cell(i + 1)));
  $("strip").setAttribute("aria-valuemax", moves.length);
  $("mistakes").replaceChildren(...marks.filter(isMistake).map(markItem));
  $("others").replaceChildren(...marks.filter((mark) => !isMistake(mark)).map(markItem));
  $("more").hidden = $("others").childElementCount === 0;
}

function tallyRow(kind, marks) {
  const counts = Object.keys(SIDES).map((side) => marks.filter((mark) => mark.side === side).length);
  return make("tr", {}, make("th", { scope: "row" }, signNode(SIGNS[kind], "m-fail"), names.games[kind]),
    ...counts.map((n) => make("td", { textContent: n, className: n ? "m-fail" : "" })));
}

function cell(ply) {
  const [mark] = marksOf(ply), isBlack = / b /.test(game.first) === (ply % 2 === 1);
  const className = `${isBlack ? "black" : "white"} ${mark ? tone(mark) : ""}`;
  const node = make("i", { className, textContent: mark ? signOf(mark) : "" });
  node.dataset.ply = ply;
  return node;
}

function markItem(mark) {
  const textContent = `${mark.ply} ${label(mark).replace("　", "")}`;
  const button = make("button", { type: "button", className: "play", textContent });
  button.addEventListener("click", () => showLine(mark, true));
  return make("li", { className: tone(mark) }, signNode(signOf(mark), ""), button,
    make("span", { textContent: label(mark, "text") }));
}

// ---- what is on the board

// show puts a line on the board, the game or that of a mark.
function show(mark, sfen, moves, ply) {
  shown = mark;
  Object.assign(state, { sfen, solution: game });
  playLine(moves, ply);
}

// showMove shows the game after so many of its moves.
const showMove = (ply) => show(null, game.first, game.moves, Math.max(0, Math.min(game.moves.length, ply)));

// showLine shows the mate of a mark, from where it begins.
function showLine(mark, isPressed) {
  show(mark, mark.sfen, mark.line, 0);
  const { top, bottom } = board.getBoundingClientRect();
  if (isPressed && (top < 0 || bottom > innerHeight)) $("caption").scrollIntoView();
}

// plyOf returns the move of the game that is looked at.
const plyOf = () => shown?.ply ?? state.ply;

// The page follows what is on the board.
changes.addEventListener("position", () => {
  if (!game) return;
  const ply = plyOf(), strip = $("strip"), move = label(game, "moves")[ply - 1]?.replace("　", "");
  const at = move ? t(`${ply}手目 ${move}`, `${ply}. ${move}`) : t("開始局面", "start");
  const words = [at, ...(shown ? [shown] : marksOf(ply)).map((mark) => label(mark, "text"))].join(t("　", ": "));
  strip.querySelector("[aria-current]")?.removeAttribute("aria-current");
  strip.children[ply - 1]?.setAttribute("aria-current", "true");
  strip.setAttribute("aria-valuenow", ply);
  strip.setAttribute("aria-valuetext", words);
  if ($("caption").textContent !== words) $("caption").textContent = words;
  $("line-modes").hidden = !shown;
  $("mate").hidden = !shown || shown.line.length % 2 === 0; // a brinkmate begins with the reply
  $("study").href = hrefOf(`/study?sfen=${escapeSFEN(board.position ?? state.sfen)}${main.dataset.look}`);
});

// go looks at a move, where it has a mark at its line.
function go(ply) {
  const [mark] = marksOf(ply);
  if (mark?.line.length > 0) showLine(mark, true);
  else showMove(ply);
}

// next returns the move with the next mark, or the one before for -1; else the same.
function next(step) {
  let ply = plyOf();
  do ply += step;
  while (ply > 0 && ply <= game.moves.length && marksOf(ply).length === 0);
  return marksOf(ply).length > 0 ? ply : plyOf();
}

$("strip").addEventListener("click", ({ target }) => {
  const ply = Number(target.dataset.ply);
  // A finger may hit the cell beside.
  if (ply) go([ply, ply - 1, ply + 1].find((near) => marksOf(near).length > 0) ?? ply);
});
$("strip").addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const steps = {
    ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity,
  };
  const ply = plyOf(), step = steps[event.key];
  const mark = { PageUp: next(-1), PageDown: next(1), Enter: ply }[event.key];
  if (step === undefined && mark === undefined) return;
  event.preventDefault(); // else the line is gone through
  if (step) showMove(ply + step);
  else go(mark);
});
$("before").addEventListener("click", () => go(next(-1)));
$("after").addEventListener("click", () => go(next(1)));
$("back").addEventListener("click", () => showMove(plyOf()));
$("record").addEventListener("change", () => judge(Number($("record").value)));
$("stop").addEventListener("click", () => {
  finish();
  $("state").textContent = t("止めました。", "Stopped.");
  $("go").focus();
});
onRecord(read);
