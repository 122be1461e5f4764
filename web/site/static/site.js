// The page: a client of the public API. What it shows, it got from /v1/solve,
// /v1/moves, /v1/analyze, /v1/play, /v1/read and the board element.

import { createAnalysis } from "./analysis.js";
import { say } from "./copy.js";

const ja = document.documentElement.lang !== "en";
const t = (a, b) => (ja ? a : b);
const $ = (id) => document.getElementById(id);
const main = $("main"), board = $("board"), picture = board.querySelector("img");
const number = new Intl.NumberFormat(ja ? "ja" : "en");
const names = JSON.parse($("names").textContent); // of package report

// tell returns a sentence of package report with values in it.
const tell = (name, values = {}) =>
  names.say[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
const sentences = (...all) => all.filter(Boolean).join(t("", " "));

const state = {
  sfen: main.dataset.sfen, // the problem: a position, canonical
  title: main.dataset.title,
  author: [], // the moves of the record that it came from
  given: "", // the diagram, if the defender got what is missing in it
  attacker: "", // black or white, once the API said so
  answer: null, // of the problem
  plies: 0, // the conventional length of the mate, if it is known
  solution: null, // the line of the answer or of the report: moves and its length
  request: null, // the question it answers
  // What can be replayed: the solution, or a line that begins with a move tried.
  line: { moves: [], main: true },
  ply: 0, // moves of it that are on the board
  game: [], // the moves from the problem to where a game goes on
  mode: board.getAttribute("mode"),
  edited: false, // since the mode was chosen: more changes are no more steps back
};

// make returns an element with properties, attributes and children.
function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in node && !name.includes("-")) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// In an address a position goes without the number of its move, which is no part of a problem.
const escapeSFEN = (sfen) => sfen.replace(/ 1$/, "").replaceAll(" ", "_").replaceAll("+", "%2B");
const after = (n) => (n > 0 ? `${state.sfen} moves ${state.line.moves.slice(0, n).join(" ")}` : state.sfen);

// ---- questions

// isTime reports whether a fault is that more time was asked for than the service allows.
const isTime = ({ code, location = "" }) => code === "range" && location.endsWith(".time_ms");
const tooLong = t(
  "サーバーが許す時間を超えました。時間を選び直しました。",
  "That is longer than the server allows. Less time is chosen now.",
);

// What the API says, it says in both languages.
function faultText(fault) {
  if (isTime(fault)) return tooLong;
  const { line, column, message, message_ja } = fault;
  const place = line ? t(`${line}行${column}文字目：`, `Line ${line}, column ${column}: `) : "";
  return place + t(message_ja || message, message);
}

class Refused extends Error {
  constructor(problem) {
    const faults = problem.errors || [];
    const texts = [...new Set(faults.map(faultText))].join("\n");
    super(texts || t(problem.detail_ja || problem.detail, problem.detail) || problem.title);
    this.place = faults.find((fault) => fault.line);
    if (faults.some(isTime)) offerLess().catch(() => {}); // who is offline now learns it soon
  }
}

// offerLess leaves in the menu what the service allows now: it was started anew since the page was
// loaded.
async function offerLess() {
  const response = await fetch("/v1/limits", { cache: "no-cache" });
  const most = (await response.json()).max_time_ms, menu = $("time"), chosen = Number(menu.value);
  for (const option of [...menu.options]) if (option.value >= most) option.remove();
  menu.add(new Option(t(`${most / 1000}秒`, `${most / 1000} s`), most));
  menu.value = Math.min(chosen, most);
  snippets();
}

const JSON_TYPE = "application/json";

async function post(path, body, options = {}) {
  const { signal, type = JSON_TYPE, accept = JSON_TYPE } = options;
  const isText = typeof body === "string" || body instanceof Blob;
  const response = await fetch(path, {
    method: "POST", signal, body: isText ? body : JSON.stringify(body),
    headers: { "Content-Type": type, Accept: accept },
  });
  if (!response.ok) {
    let problem;
    try {
      problem = await response.json();
    } catch {
      problem = { detail: `${response.status} ${response.statusText}` };
    }
    throw new Refused({ status: response.status, ...problem });
  }
  return response;
}

// ask asks with progress: told(event, data) for each event, and the answer at the end.
async function ask(path, request, signal, told) {
  const response = await post(path, request, { signal, accept: "text/event-stream" });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(t("答えの途中で接続が切れました。", "The connection broke off before the answer."));
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const event = {};
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(": ");
        event[line.slice(0, colon)] = line.slice(colon + 2);
      }
      const data = JSON.parse(event.data);
      if (event.event === "answer") return data;
      if (event.event === "problem") throw new Refused(data);
      told(event.event, data);
    }
  }
}

const wording = (error) =>
  error instanceof TypeError ? t("サーバーに接続できません。", "The server cannot be reached.") : error.message;

// ---- the board

// forgetMoves takes away what was found out about moves, when the board shows something else.
const hint = $("moves-hint").textContent;

let examining = null; // the question about moves that is being answered

function forgetMoves() {
  examining?.abort();
  examining = null;
  $("examine").disabled = false;
  $("moves-box").hidden = true;
  $("moves-hint").textContent = hint;
}

// show puts the position after n moves of the line on the board.
function show(n) {
  state.ply = Math.max(0, Math.min(state.line.moves.length, n));
  place();
  analysis?.on(onBoard().played);
  forgetMoves();
}

// place tells the board what it is to show. Where the element is not there, a picture does it.
function place() {
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
  const src = `/v1/diagram.svg?sfen=${escapeSFEN(after(state.ply))}&size=520&lang=${t("ja", "en")}`;
  if (picture.getAttribute("src") !== src) picture.src = src;
}

// played returns the position on the board as a question has it: the problem and the moves that
// were played.
const onBoard = () => {
  const played = board.played ?? state.line.moves.slice(0, state.ply);
  return { played, sfen: played.length > 0 ? `${state.sfen} moves ${played.join(" ")}` : state.sfen };
};

const modeButtons = document.querySelectorAll(".modes [data-mode]");

function setMode(mode) {
  if (mode === "play" && state.mode !== "play") beginGame();
  state.mode = mode;
  state.edited = false;
  markMode();
  if ($("opponent")) $("opponent").hidden = mode !== "play";
  forgetMoves();
  place();
}

// markMode shows which mode it is, and whether there is a line to replay.
function markMode() {
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
  analysis?.on(onBoard().played);
  forgetMoves();
});
board.addEventListener("tsume-error", (event) => {
  if (event.detail.code !== "sfen") return;
  forgetAnswer(); // what was typed into the board is no position
  analysis?.forget();
});
board.addEventListener("tsume-edit", (event) => {
  setProblem(event.detail.sfen, "", state.edited ? "replace" : "push");
  state.edited = true;
});
new MutationObserver(() => {
  const mode = board.getAttribute("mode");
  if (mode !== state.mode) setMode(mode);
}).observe(board, { attributes: true, attributeFilter: ["mode"] });

// How often a position was chosen: a text that is still being read is not wanted after that.
let chosen = 0;

// setProblem replaces the problem.
function setProblem(sfen, title = "", remember = "push", given = "") {
  chosen++;
  Object.assign(state, { sfen, title, given, attacker: "", author: [], game: [] });
  forgetAnswer();
  analysis?.forget();
  if (state.mode === "play") chooseSide();
  const heading = main.querySelector("h1");
  heading.textContent = title || t("詰むか、詰まないか。", "Is there a mate?");
  document.title = `${title || t("詰将棋", "Tsume shogi")} · Tsumero`;
  picture.alt = title || t("詰将棋", "Tsume shogi");
  $("text").value = sfen;
  $("text-fault").hidden = true;
  const entry = { sfen, title, given };
  if (remember === "push") history.pushState(entry, "", shareLink(false));
  if (remember === "replace") history.replaceState(entry, "", shareLink(false));
  place();
  snippets();
  markSample();
  offerNext();
}

// forgetAnswer takes away all that was found out about the position, and ends what still is being.
// Where a line was replayed, the reader plays.
function forgetAnswer() {
  finish();
  const line = { moves: [], main: true };
  Object.assign(state, { answer: null, solution: null, plies: 0, request: null, line, ply: 0 });
  const found = ["futile", "facts", "fault", "variation", "keys", "save", "save-fault"];
  for (const id of found) $(id).hidden = true;
  if (state.mode === "view") setMode("solve");
  else markMode();
  offerLong(false);
  noteHands();
  forgetMoves();
  verdict("none", t("何手詰？", "Mate in ?"), t("答えはまだ調べていません。", "Not solved yet."));
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

// ---- solving

let working = null;

function verdict(kind, word, note) {
  $("verdict").dataset.verdict = kind;
  $("verdict-word").textContent = word;
  $("verdict-note").textContent = note;
}

const longer = t("時間を延ばすと分かるかもしれません。", "With more of it the answer may be found.");
// canGiveMore reports whether the menu has more time than what is selected.
const canGiveMore = () => $("time").selectedIndex < $("time").length - 1;
// finish ends the question that is being answered, if there is one.
function finish() {
  working?.abort();
  working = null;
  $("solve").disabled = false;
  $("stop").hidden = true;
  $("progress").hidden = true;
}

const POLICY = "F2"; // of the lengths: futile interpositions are not counted
const SILENCE = 150; // ms; a search that is over at once needs no words about it

async function solve() {
  finish();
  const mine = (working = new AbortController()), before = standing();
  const request = { sfen: state.sfen, limits: { time_ms: Number($("time").value) } };
  if ($("shortest").checked) request.limits.shortest = true;
  if (analysis) request.limits.length = POLICY;
  $("solve").disabled = true;
  $("fault").hidden = true;
  // Only what is still wanted is shown: another position may have come in between.
  const wanted = (action) => (data) => working === mine && action(data);
  const wait = wanted(() => {
    $("stop").hidden = false;
    $("progress").hidden = false;
    progress({ phase: "waiting", elapsed_ms: 0, nodes: 0 });
    verdict("none", t("読んでいます…", "Thinking…"), "\u00a0");
  });
  const succeed = wanted((answer) => {
    Object.assign(state, { answer, request });
    answered(answer, before);
  });
  const fail = wanted((error) => {
    forgetAnswer(); // an older answer is none to this question
    verdict("none", "—", t("答えられませんでした。", "There is no answer."));
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  });
  const patience = setTimeout(wait, SILENCE);
  try {
    const told = wanted(progress);
    succeed(await ask("/v1/solve", request, mine.signal, (_, data) => told(data)));
  } catch (error) {
    fail(error);
  } finally {
    clearTimeout(patience);
    if (working === mine) finish();
  }
}

// offerLong offers to hand the question to a long search, if the service has those.
function offerLong(isOffered) {
  if (!$("longer")) return;
  $("longer").hidden = !isOffered;
  $("longer-link").href = `/jobs?sfen=${escapeSFEN(state.sfen)}&lang=${t("ja", "en")}`;
}

function stop() {
  finish();
  verdict("none", t("何手詰？", "Mate in ?"), t("止めました。", "Stopped."));
}

// facts fills a list with names and values; those without a value are left out.
function facts(list, pairs) {
  const row = ([name, value]) =>
    make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value }));
  list.replaceChildren(...pairs.filter(([, value]) => value !== "").map(row));
}

const MS = 1_000, SECOND = 1_000_000; // in µs

function duration(us) {
  const tenths = (unit) => number.format(Math.round((10 * us) / unit) / 10);
  if (us < MS) return `${us} µs`;
  return us < SECOND ? `${tenths(MS)} ms` : `${tenths(SECOND)} s`;
}

// start returns the first moves of a line in words.
const start = (moves, most) => `${moves.slice(0, most).join(" ")}${moves.length > most ? " …" : ""}`;
const REPLY_MOVES = 5; // shown of what follows a move

function progress(p) {
  const within = p.no_mate_within;
  facts($("progress-facts"), [
    [tell("now"), names.phases[p.phase] || p.phase],
    [tell("elapsed"), `${(p.elapsed_ms / 1000).toFixed(1)} s`],
    [tell("positions"), number.format(p.nodes)],
    [tell("per_second"), p.nodes_per_second ? number.format(p.nodes_per_second) : ""],
    [tell("mate_found"), p.mate ? tell("mate_found_value", { n: p.mate }) : ""],
    [tell("within"), within ? tell("within_value", { n: within }) : ""],
  ]);
}

// standing says what the reader does with the board: as long as it says the same, nobody touched it.
const standing = () => [state.mode, ...onBoard().played].join(" ");

// answered shows an answer, and on the board its line, unless the reader went on since before.
function answered(a, before) {
  state.attacker = a.attacker;
  noteHands(a.notes);
  const within = a.no_mate_within;
  if (a.verdict === "mate") {
    const length = a.length ?? { low: a.plies, high: a.plies };
    const mate = a.plies === 0 ? tell("mated") : mateIn(length);
    const note = a.exact ? "shortest" : within ? "not_shorter_than" : "not_shortest";
    const counted = a.length ? howCounted(a.length, a.length.raw) : "";
    verdict("mate", mate, sentences(counted, tell(note, { n: within })));
    if (a.length) state.plies = exactly(a.length);
  } else if (a.verdict === "nomate") {
    verdict("nomate", tell("nomate"), tell("proven_nomate"));
  } else {
    const advice = a.reason === "limit_time" && canGiveMore() ? longer : "";
    const bound = within ? tell("none_within", { n: within }) : "";
    verdict("unknown", tell("unknown"), sentences(names.reasons[a.reason], advice, bound));
  }
  offerLong(a.verdict === "unknown" && ["limit_time", "limit_nodes", "limit_proof"].includes(a.reason));
  facts($("facts"), [
    [t("攻方", "Attacker"), a.attacker === "black" ? t("先手", "Black") : t("後手", "White")],
    [t("調べた局面", "Positions"), number.format(a.nodes)],
    [t("時間", "Time"), duration(a.elapsed_us)],
    [t("解いたもの", "Solver"), a.solver || ""],
  ]);
  $("facts").hidden = false;
  solved(a.moves ? a : null, before);
  snippets();
}

// plies says how many there are: a number, or what it is known to lie between.
function plies({ low, high }) {
  if (low === high) return tell("plies", { low });
  return tell(high === undefined ? "plies_or_more" : "plies_between", { low, high });
}

// mateIn says in how many plies it is mate.
const mateIn = (length) =>
  tell(length.low === length.high ? "mate_in" : "mate_between", { plies: plies(length) });

// exactly returns a conventional length if it is certain, else 0.
const exactly = ({ policy, low, high }) => (policy !== "F0" && low === high ? high : 0);

// howCounted says by which policy a length is counted, and the raw one where that is another.
function howCounted({ policy, low, high }, raw) {
  if (policy === "F0") return tell("every_counted");
  const isOther = raw && (raw.low !== low || raw.high !== high);
  return sentences(tell("futile_left_out"), isOther && tell("counting_every", { plies: plies(raw) }));
}

// solved makes a line the solution, and shows it on the board, where each of its moves can be
// pressed, unless the reader went on since before. null is none.
function solved(solution, before) {
  state.solution = solution;
  const futile = solution?.length?.futile ?? [];
  const items = futile.map((f) => make("li", { textContent: futileText(f) }));
  $("futile-moves").replaceChildren(...items);
  $("futile").hidden = items.length === 0;
  if (solution && standing() === before) return solutionOnBoard();
  Object.assign(state, { line: { moves: solution?.moves ?? [], main: true }, ply: 0 });
  markMode();
}

// futileText says which move of the solution does not count, and why.
function futileText(f) {
  const move = label(f), capture = label(f, "capture"), { ply } = f;
  if (!capture) return tell("futile_move", { ply, move });
  return tell("futile_taken", { ply, move, capture, kind: tell(`futile_by_${f.type}`) });
}

// solutionOnBoard makes the solution what is replayed.
function solutionOnBoard() {
  state.line = { moves: state.solution?.moves ?? [], main: true };
  state.ply = 0;
  lineChanged();
}

function lineChanged() {
  setMode("view");
  show(state.ply);
}

// label returns a move, or another one that name says, as people write it: Japanese, or Western.
const label = (fact, name = "move") =>
  fact[`${name}_${ja ? "ja" : "en"}`] ?? "";

$("back").addEventListener("click", () => {
  solutionOnBoard();
  $("solve").focus();
});

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

// ---- pieces that are missing

// noteHands says who holds the pieces that the diagram leaves out, and offers the other problem:
// each has its own answer.
function noteHands(notes = []) {
  const isMissing = notes.some((note) => note.code === "missing_pieces");
  $("hands").hidden = !isMissing && !state.given;
  $("hands-note").textContent = state.given
    ? t("残りの駒は玉方の持駒です。", "The defender holds the rest.")
    : t("図にない駒は、どちらの持駒でもありません。", "Nobody holds what is not in the diagram.");
  $("hands-other").textContent = state.given
    ? t("図のとおりにする", "Take the diagram as it is")
    : t("残りを玉方の持駒にする", "Give the rest to the defender");
}

// switchHands turns to the other problem and solves it.
async function switchHands() {
  const { given, sfen, title } = state, mine = ++chosen;
  try {
    if (given) {
      setProblem(given, title);
    } else {
      const request = { text: sfen, hands: "complete" };
      const { records } = await (await post("/v1/read", request)).json();
      if (mine !== chosen) return;
      setProblem(records[0].sfen, title, "push", sfen);
    }
    solve();
  } catch (error) {
    if (mine !== chosen) return;
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  }
}

// ---- every move

function verdictWord(m) {
  if (m.verdict !== "mate") return tell(`move_${m.verdict}`);
  return tell(m.exact ? "move_mate" : "move_mate_at_most", { n: m.plies });
}

// moveRow returns the row of a move in the table, with a button that tries it.
function moveRow(m, isBest, played) {
  const play = make("button", { type: "button", textContent: label(m) });
  play.addEventListener("click", () => tryMove(m, played));
  const head = make("th", { scope: "row" }, play);
  if (isBest) {
    head.append(" ", make("span", { className: "best-mark", textContent: t("最善", "best") }));
  }
  const [reply = "", ...more] = label(m, "line").slice(1);
  const rest = make("td", {}, reply || (m.verdict === "unknown" ? names.reasons[m.reason] || "" : ""));
  if (more.length > 0) {
    rest.append(make("span", { className: "more", textContent: ` ${start(more, REPLY_MOVES - 1)}` }));
  }
  const word = make("td", { className: `v v-${m.verdict}`, textContent: verdictWord(m) });
  return make("tr", { className: isBest ? "best" : "" }, head, word, rest);
}

// countMoves says how many moves there are, and whose.
function countMoves(side, n) {
  const name = side === "attacker" ? "checks" : "replies";
  return tell(n === 0 ? `no_${name}` : name, { n });
}

async function examine() {
  const { sfen, played } = onBoard();
  forgetMoves();
  const mine = (examining = new AbortController());
  $("examine").disabled = true;
  const request = { sfen, limits: { shortest: true, time_ms: Number($("time").value) } };
  const place = state.sfen.split(" ")[0];
  if (state.attacker && place.includes("K") && place.includes("k")) request.attacker = state.attacker;
  try {
    const answer = await (await post("/v1/moves", request, { signal: mine.signal })).json();
    if (examining !== mine) return; // the board went on
    state.attacker ||= answer.attacker;
    noteHands(answer.notes);
    const rows = answer.moves.map((m) => moveRow(m, m.move === answer.best, played));
    $("moves").replaceChildren(...rows);
    $("moves-box").hidden = rows.length === 0;
    $("moves-hint").textContent = countMoves(answer.side, rows.length);
  } catch (error) {
    if (examining === mine) $("moves-hint").textContent = wording(error);
  } finally {
    if (examining === mine) $("examine").disabled = false;
  }
}

// tryMove plays a move of the table after those that were played, and shows how it goes on.
function tryMove(m, played) {
  state.line = { moves: [...played, ...m.line], main: false };
  state.ply = played.length + 1;
  lineChanged();
  say(`${label(m)}: ${verdictWord(m)}`);
}

// ---- soundness

// playLine puts a line on the board, after so many of its moves.
function playLine(moves, ply) {
  const isMain = state.solution?.moves.join() === moves.join();
  state.line = { moves, main: isMain };
  state.ply = ply;
  lineChanged();
}

// reported takes over what a report says of the solution.
function reported(report) {
  const { verdict: found, line, policy, lengths } = report;
  state.attacker ||= report.attacker;
  if (found === "nomate" && !state.answer) {
    verdict("nomate", tell("nomate"), tell("proven_nomate"));
  }
  if (found !== "mate" || !line) return;
  const length = { policy, ...lengths[policy] ?? lengths.F0 };
  if (!lengths[policy]) length.policy = "F0";
  verdict("mate", mateIn(length), howCounted(length, lengths.F0));
  state.plies = exactly(length);
  snippets();
  // A line that the reader looks at stays.
  // An answer says more of the moves that do not count.
  const isKnown = state.solution?.moves.join() === line.moves.join();
  const futile = (isKnown && state.solution.length?.futile) ||
    report.futile?.filter((f) => line.moves[f.ply - 1] === f.move);
  solved({ ...line, length: { futile } }, state.line.main ? asked : "");
}

let asked = ""; // where the reader stood when the question was asked

// The service may offer no analyses.
const analysis = $("analyze") && createAnalysis({
  t, $, make, ask, wording, label, names,
  problem() {
    asked = standing();
    const request = { sfen: state.sfen }, place = state.sfen.split(" ")[0];
    if (state.author.length > 0) request.line = state.author;
    if (place.includes("K") && place.includes("k") && state.attacker) {
      request.attacker = state.attacker;
    }
    return request;
  },
  show: playLine, done: reported,
});

// ---- another position

// read returns the problem that a text or the bytes of a file hold, the first of several, with what
// is to be noted of it, and the author's line if it is a record. The API finds out the notation, and of bytes the
// encoding.
async function read(record) {
  const type = typeof record === "string" ? "text/plain; charset=utf-8" : "text/plain";
  const { records } = await (await post("/v1/read", record, { type })).json();
  const [{ sfen, first, moves, attacker, notes }] = records;
  if (!attacker) {
    const errors = notes.filter((note) => note.code === "no_defender")
      .map((note) => ({ message: note.text_en, message_ja: note.text_ja }));
    throw new Refused({ errors });
  }
  const told = (notes ?? []).filter((note) => note.line).map((note) => t(note.text_ja, note.text_en));
  if (records.length > 1) {
    told.push(t(`${records.length}局のうち最初のものです。`, `The first of ${records.length} records.`));
  }
  return { sfen, notes, told, author: first === sfen ? moves : [] };
}

// use puts what a text or the bytes of a file say on the board.
async function use(record) {
  const text = $("text"), fault = $("text-fault"), mine = ++chosen;
  fault.hidden = true;
  fault.className = "fault";
  text.removeAttribute("aria-invalid");
  try {
    const { sfen, notes, told, author } = await read(record);
    if (mine !== chosen) return;
    setProblem(sfen);
    state.author = author;
    noteHands(notes);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    board.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
    fault.className = "hint"; // what was left out is none
    if (told.length > 0) [fault.textContent, fault.hidden] = [told.join("\n"), false];
    say([t("局面を置きました。", "The position is on the board."), ...told].join(" "));
  } catch (error) {
    if (mine !== chosen) return;
    fault.textContent = wording(error);
    fault.hidden = false;
    text.setAttribute("aria-invalid", "true");
    text.focus();
    if (error.place) select(text, error.place);
  }
}

// select marks the character at a line and a column, which count from 1, the column in characters.
function select(text, { line, column }) {
  const lines = text.value.split("\n"), characters = [...(lines[line - 1] ?? "")];
  const before = lines.slice(0, line - 1).map((l) => l + "\n").join("");
  const at = before.length + characters.slice(0, column - 1).join("").length;
  text.setSelectionRange(at, at + (characters[column - 1] ?? "").length);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  use($("text").value);
});

const MAX_MOVE = 12; // characters

// isPosition reports whether a text that comes from elsewhere is to be read as a position or a
// record, not as a move.
const isPosition = (text) => text.length > MAX_MOVE || /[/\n]/.test(text);

// take reads a text that was pasted or dropped beside the field for texts, and shows it there, so
// that what is wrong with it can be seen.
function take(event, transfer) {
  const text = transfer?.getData("text/plain").trim() ?? "";
  const isField = event.target.closest?.("input, textarea, select");
  if (isField || transfer?.types.includes("Files") || !isPosition(text)) return;
  event.preventDefault();
  $("text").value = text;
  use(text);
}

// Before the board, whose field for moves would take the text.
addEventListener("paste", (event) => take(event, event.clipboardData), { capture: true });
addEventListener("drop", (event) => take(event, event.dataTransfer), { capture: true });
addEventListener("dragover", (event) => {
  const { target, dataTransfer } = event;
  if (dataTransfer?.types.includes("text/plain") && target === board) event.preventDefault();
});

const MAX_FILE = 1 << 20; // bytes

// open reads a file, and shows its text, so that what is wrong with it can be seen.
async function open(file) {
  if (!file) return;
  const bytes = file.size <= MAX_FILE ? await file.arrayBuffer() : null;
  if (!bytes) {
    const fault = t("ファイルが大きすぎます（1 MB まで）。", "The file is too large (1 MB at most).");
    $("text-fault").textContent = fault;
    $("text-fault").hidden = false;
    return;
  }
  try {
    $("text").value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Read as the wrong one of these, Japanese becomes half-width kana and gaps.
    const [sjis, euc] = ["shift_jis", "euc-jp"].map((charset) => new TextDecoder(charset).decode(bytes));
    const strange = (text) => text.match(/[\ufffd\uff61-\uff9f]/g)?.length ?? 0;
    $("text").value = strange(euc) < strange(sjis) ? euc : sjis;
  }
  await use(new Blob([bytes]));
}

$("file").addEventListener("change", async () => {
  await open($("file").files[0]);
  $("file").value = ""; // so that the same file can be opened again
});
const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
addEventListener("dragover", (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  document.documentElement.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.documentElement.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  document.documentElement.classList.remove("dropping");
  if (!holdsFile(event)) return;
  event.preventDefault();
  open(event.dataTransfer.files[0]);
});

document.querySelector(".samples").addEventListener("click", (event) => {
  const a = event.target.closest("a");
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  setProblem(a.dataset.sfen);
  board.scrollIntoView({ block: "nearest" });
});

// ---- links and snippets

function shareLink(absolute = true) {
  const title = state.title ? `&title=${encodeURIComponent(state.title)}` : "";
  const plies = state.plies ? `&plies=${state.plies}` : "";
  return `${absolute ? location.origin : ""}/p?sfen=${escapeSFEN(state.sfen)}${title}${plies}`;
}

function snippets() {
  const { origin } = location, lang = t("ja", "en"), sfen = escapeSFEN(state.sfen);
  const quote = (s) => s.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const name = quote(state.title || t("詰将棋", "Tsume shogi"));
  const image = quote(`${origin}/v1/diagram.svg?sfen=${sfen}&size=480&lang=${lang}`);
  const frame = quote(`${origin}/embed?sfen=${sfen}&lang=${lang}`);
  $("link").value = shareLink();
  board.setAttribute("share", shareLink());
  $("save").hidden = !state.answer?.moves?.length;
  $("snippet-tag").textContent = `<script src="${origin}/embed.js" async></script>
<tsume-board sfen="${state.sfen}" mode="solve" lang="${lang}">
  <img src="${image}" alt="${name}">
</tsume-board>`;
  $("snippet-frame").textContent = `<iframe src="${frame}" width="400" height="780" ` +
    `title="${name}" style="border:0" loading="lazy"></iframe>`;
  $("snippet-image").textContent =
    `<a href="${quote(shareLink())}"><img src="${image}" alt="${name}" width="480"></a>`;
  const limits = {
    shortest: $("shortest").checked || undefined, time_ms: Number($("time").value),
  };
  const request = state.request || { sfen: state.sfen, limits };
  $("call").textContent = `curl -sS ${origin}/v1/solve \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(request)}'`;
  const { shortest, time_ms } = request.limits;
  const shortestText = shortest ? "&shortest=true" : "";
  $("call-link").href = `/v1/solve?sfen=${sfen}${shortestText}&time_ms=${time_ms}`;
}

// ---- the line as a file

const DOWNLOAD_TIME = 60_000; // ms until a browser has taken the file

$("save").addEventListener("click", async (event) => {
  const button = event.target, name = button.dataset.save, { answer } = state;
  if (!name) return;
  $("save-fault").hidden = true;
  button.disabled = true;
  try {
    const accept = `application/x-${name}${name === "jkf" ? "+json" : ""}`;
    const response = await post("/v1/solve", state.request, { accept });
    const extension = name.startsWith("k") ? `${name}u` : name; // in UTF-8: kifu, ki2u
    const href = URL.createObjectURL(await response.blob());
    make("a", { href, download: `tsume-${answer.plies}.${extension}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_TIME);
  } catch (error) {
    $("save-fault").textContent = wording(error);
    $("save-fault").hidden = false;
  } finally {
    button.disabled = false;
  }
});

// ---- the rest

for (const button of document.querySelectorAll("[data-mode]")) {
  button.addEventListener("click", () => setMode(button.dataset.mode));
}
document.querySelector('a[href="#text"]').addEventListener("click", (event) => {
  event.preventDefault();
  $("text").focus();
  $("text").select();
});
$("solve").addEventListener("click", solve);
$("stop").addEventListener("click", stop);
$("hands-other").addEventListener("click", switchHands);
$("examine").addEventListener("click", examine);
$("shortest").addEventListener("change", snippets);
$("time").addEventListener("change", snippets);
history.replaceState({ sfen: state.sfen, title: state.title, given: "" }, "");
addEventListener("popstate", (event) => {
  if (!event.state) return;
  const { sfen, title, given } = event.state;
  setProblem(sfen, title, "", given);
  state.edited = false;
});
snippets();
offerNext();
if (location.pathname !== "/p") markSample(); // which says how long the mate is
