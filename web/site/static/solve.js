// The answer: whether there is a mate, how long it is, and its line.

import { ask, wording } from "./ask.js";
import { noteHands } from "./hands.js";
import {
  $, hasAnalyses, label, make, names, number, POLICY, sentences, t, tell,
} from "./page.js";
import { markMode, setMode, solutionOnBoard } from "./replay.js";
import { changed, changes, escapeSFEN, standing, state } from "./state.js";

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
  changed("position");
  verdict("none", t("何手詰？", "Mate in ?"), t("答えはまだ調べていません。", "Not solved yet."));
}

let working = null;

function verdict(kind, word, note) {
  $("verdict").dataset.verdict = kind;
  $("verdict-word").textContent = word;
  $("verdict-note").textContent = note;
}

const longer = t("時間を延ばすと、分かることがあります。", "With more of it the answer may be found.");

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

const SILENCE = 150; // ms; a search that is over at once needs no words about it

export async function solve() {
  finish();
  const mine = (working = new AbortController()), before = standing();
  const request = { sfen: state.sfen, limits: { time_ms: Number($("time").value) } };
  if ($("shortest").checked) request.limits.shortest = true;
  if (hasAnalyses) request.limits.length = POLICY;
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
    verdict("none", "—", t("答えが得られませんでした。", "There is no answer."));
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
    [t("解図エンジン", "Solver"), a.solver || ""],
  ]);
  $("facts").hidden = false;
  // The line that is as long as the number says.
  const { moves, moves_ja, moves_en } = a.length?.moves ? a.length : a;
  solved(moves ? { ...a, moves, moves_ja, moves_en } : null, before);
  changed("answer");
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
  if (raw && !isOther && low === high) return "";
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

// reported takes over what a report says of the solution, unless the reader went on since before.
export function reported(report, before) {
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
  changed("answer");
  // A line that the reader looks at stays. An answer says more of the moves that do not count.
  const isKnown = state.solution?.moves.join() === line.moves.join();
  const futile = (isKnown && state.solution.length?.futile) ||
    report.futile?.filter((f) => line.moves[f.ply - 1] === f.move);
  solved({ ...line, length: { futile } }, state.line.main ? before : "");
}

changes.addEventListener("problem", forgetAnswer);
changes.addEventListener("fault", forgetAnswer);
$("solve").addEventListener("click", solve);
$("stop").addEventListener("click", stop);
$("back").addEventListener("click", () => {
  solutionOnBoard();
  $("solve").focus();
});
