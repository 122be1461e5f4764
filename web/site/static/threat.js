// Whether the position on the board has a mate threat, or a brinkmate, and how replies are mated.

import { hrefOf } from "./address.js";
import { post, wording } from "./ask.js";
import { $, board, hasAnalyses, label, lineOf, make, names, sentences, t, tell } from "./page.js";
import { setProblem } from "./problem.js";
import { playLine } from "./replay.js";
import { changes, escapeSFEN, onBoard, state } from "./state.js";

let asking = null; // the question that is being answered
let asked = null; // the position that the answer is about

// finish ends the question that is being answered. A button that is hidden keeps no focus.
function finish(question = "threat") {
  const isOnStop = document.activeElement === $("threat-stop");
  asking?.abort();
  asking = null;
  $("ask-threat").disabled = $("ask-brinkmate").disabled = false;
  $("threat-stop").hidden = true;
  if (isOnStop) $(`ask-${question}`).focus();
}

// forget takes away what was found out, unless the board shows a line that goes on from there.
function forget() {
  if (asked === null || `${onBoard().sfen} `.startsWith(`${asked} `)) return;
  asked = null;
  finish();
  $("threats").hidden = true;
  $("threat-note").textContent = "";
}

async function ask(question, hands = "as_given") {
  const { sfen, played } = onBoard();
  finish();
  const mine = (asking = new AbortController()), hadFocus = document.activeElement;
  asked = sfen;
  $("ask-threat").disabled = $("ask-brinkmate").disabled = true;
  $("threat-stop").hidden = false;
  if (hadFocus?.disabled) $("threat-stop").focus();
  $("threats").hidden = true;
  $("threat-note").textContent = t("読んでいます…", "Thinking…");
  const request = { sfen, question, hands, limits: { time_ms: Number($("time").value) } };
  if (question === "brinkmate") request.attacks = Number($("attacks").value);
  try {
    const answer = await (await post("/v1/threat", request, { signal: mine.signal })).json();
    if (asking !== mine) return;
    finish(question);
    if (hands === "as_given") return show(answer, played);
    // The board is to know of the pieces that the defender may drop.
    setProblem(answer.sfen, state.title, "push", played.length > 0 ? "" : sfen);
    asked = answer.sfen;
    show(answer, []);
  } catch (error) {
    if (asking !== mine) return;
    finish(question);
    if (error.codes?.includes("missing_pieces")) return ask(question, "complete");
    $("threat-note").textContent = wording(error);
  }
}

// verdictOf says an answer in a sentence.
function verdictOf({ verdict, attacks, plies, exact, reason }) {
  const within = { n: 2 * attacks - 1 };
  if (verdict === "none_within") return tell("threat_none_within", within);
  if (verdict === "unknown") {
    const bound = attacks && tell("threat_unknown_within", within);
    return sentences(tell("unknown") + t("。", "."), names.reasons[reason], bound);
  }
  return tell(`threat_${verdict}${exact === false ? "_at_most" : ""}`, { n: plies });
}

const MAX_REPLIES = 6; // kinds of replies that are shown before the others are folded away

// show shows an answer about the position after the moves that were played: its line, and of each
// kind of replies the one that is mated last, the longest first.
function show(a, played) {
  $("threat-note").textContent = verdictOf(a);
  const moves = a.moves ?? [], start = [...played, ...moves];
  const parts = moves.length > 0 ? [answerLine(a, played)] : [];
  const groups = (a.replies ?? []).map(({ kind, square, replies }) => {
    const last = replies.reduce((most, r) => (r.mate.length > most.mate.length ? r : most));
    const name = tell(`reply_${kind}`, { square: t(label(last).slice(1, 3), square) });
    return { name, last, n: replies.length };
  }).sort((x, y) => y.last.mate.length - x.last.mate.length);
  const items = groups.map(({ name, last, n }) => make("li", {},
    make("span", { textContent: t(`${name}：${n}通り`, `${name}: ${n}`) }),
    playButton([label(last), ...label(last, "mate")],
      [...start, last.move, ...last.mate], start.length + 1)));
  if (items.length > 0) {
    const n = groups.reduce((sum, group) => sum + group.n, 0), more = items.splice(MAX_REPLIES);
    parts.push(make("p", { className: "hint", textContent: tell("threat_replies", { n }) }),
      make("ul", {}, ...items));
    if (more.length > 0) {
      const textContent = t(`ほか${more.length}種類`, `${more.length} more kinds`);
      parts.push(make("details", {}, make("summary", { textContent }), make("ul", {}, ...more)));
    }
  }
  $("threats").replaceChildren(...parts);
  $("threats").hidden = parts.length === 0;
}

// answerLine returns the line of an answer. The one after a pass is on a page of its own, for no board
// plays a pass.
function answerLine(a, played) {
  const words = label(a, "moves");
  if (a.verdict !== "threat") return playButton(words, [...played, ...a.moves], played.length + 1);
  const passed = a.sfen.replace(/ [bw] /, a.attacker === "black" ? " b " : " w ");
  const href = hrefOf(`/study?sfen=${escapeSFEN(passed)}&lang=${t("ja", "en")}`);
  return make("a", { href }, ...lineOf(words));
}

function playButton(words, line, ply) {
  const button = make("button", { type: "button", className: "play" }, ...lineOf(words));
  button.addEventListener("click", () => playLine(line, ply));
  return button;
}

if (hasAnalyses) {
  changes.addEventListener("position", forget);
  $("ask-threat").addEventListener("click", () => ask("threat"));
  $("ask-brinkmate").addEventListener("click", () => ask("brinkmate"));
  $("attack").addEventListener("click", () => board.scrollIntoView({ block: "nearest" }));
  $("threat-stop").addEventListener("click", () => {
    finish();
    $("threat-note").textContent = t("止めました。", "Stopped.");
  });
}
