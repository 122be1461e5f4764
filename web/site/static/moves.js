// What each move of the position on the board comes to.

import { post, wording } from "./ask.js";
import { say } from "./copy.js";
import { noteHands } from "./hands.js";
import { $, hasAnalyses, label, lineOf, make, names, POLICY, t, tell } from "./page.js";
import { playLine } from "./replay.js";
import { changes, hasBothKings, onBoard, state } from "./state.js";

const hint = $("moves-hint").textContent;

let examining = null; // the question that is being answered

// forget takes away what was found out, when the board shows something else.
function forget() {
  examining?.abort();
  examining = null;
  $("examine").disabled = false;
  $("moves-box").hidden = true;
  $("moves-hint").textContent = hint;
}

const REPLY_MOVES = 5; // shown of what follows a move

// verdictWord says what a move comes to, by the count of books as far as that is known.
function verdictWord(m) {
  if (m.futile) return tell("move_futile");
  if (m.verdict !== "mate") return tell(`move_${m.verdict}`);
  if (m.length) {
    const { low, high } = m.length;
    return tell(low === high ? "move_mate" : "move_mate_at_most", { n: high });
  }
  const word = tell(m.exact ? "move_mate" : "move_mate_at_most", { n: m.plies });
  return hasAnalyses ? word + tell("raw_mark") : word;
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
    const shown = more.slice(0, REPLY_MOVES - 1);
    const dots = more.length > shown.length ? " …" : "";
    rest.append(make("span", { className: "more" }, " ", ...lineOf(shown), dots));
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
  forget();
  const mine = (examining = new AbortController());
  $("examine").disabled = true;
  const limits = hasAnalyses ? { length: POLICY } : { shortest: true };
  const request = { sfen, limits: { ...limits, time_ms: Number($("time").value) } };
  if (state.attacker && hasBothKings()) request.attacker = state.attacker;
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
  playLine([...played, ...m.line], played.length + 1);
  say(`${label(m)}: ${verdictWord(m)}`);
}

changes.addEventListener("position", forget);
$("examine").addEventListener("click", examine);
