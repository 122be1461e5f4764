// Another position, in any notation; and the same one with the missing pieces in the defender's hand.

import { post, Refused, wording } from "./ask.js";
import { say } from "./copy.js";
import { noteHands } from "./hands.js";
import { onRecord, tellFault } from "./input.js";
import { $, board, main, make, t } from "./page.js";
import { setProblem } from "./problem.js";
import { solve } from "./solve.js";
import { choose, escapeSFEN, isChosen, state } from "./state.js";

// read returns the problem that a text or the bytes of a file hold, the first of several, with what
// the text tells of it beside the board, and the author's line if there is one. The API finds out the
// notation, and of bytes the encoding.
async function read(record) {
  const type = typeof record === "string" ? "text/plain; charset=utf-8" : "text/plain";
  const { records } = await (await post("/v1/read", record, { type })).json();
  const [{ sfen, title, author, first, moves, moves_ja, moves_en, attacker, notes, written, plies }] = records;
  if (!attacker) {
    const errors = notes.filter((note) => note.code === "no_defender")
      .map((note) => ({ message: note.text_en, message_ja: note.text_ja }));
    throw new Refused({ errors });
  }
  const told = (notes ?? []).filter((note) => note.line).map((note) => t(note.text_ja, note.text_en));
  const isLine = first === sfen && !written && moves.length > 0;
  if (isLine) told.unshift(t(`作意：${moves_ja.join("")}`, `The author's line: ${moves_en.join(" ")}`));
  if (plies && !(isLine && plies === moves.length)) told.unshift(t(`${plies}手詰と書かれています。`, `The text says mate in ${plies}.`));
  if (author) told.unshift(t(`作者：${author}`, `Author: ${author}`));
  if (records.length > 1) {
    told.push(t(`${records.length}局のうち最初のものを使いました。`, `The first of ${records.length} records.`));
  }
  return { sfen, title, notes, told, written, plies, line: isLine ? moves : [] };
}

// use puts what a text or the bytes of a file say on the board.
async function use(record) {
  const fault = $("text-fault"), mine = choose();
  try {
    const { sfen, title, notes, told, line, written, plies } = await read(record);
    if (!isChosen(mine)) return;
    setProblem(sfen, title);
    [state.author, state.told] = [line, plies];
    noteHands(notes);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    board.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
    fault.className = "hint"; // what was left out is none
    if (told.length > 0) [fault.textContent, fault.hidden] = [told.join("\n"), false];
    if (written && main.dataset.compose) offerMisprints(fault, sfen, written);
    say([t("局面を置きました。", "The position is on the board."), ...told].join(" "));
  } catch (error) {
    if (isChosen(mine)) tellFault(error);
  }
}

// offerMisprints leads to the page that looks for the one misprint (誤植) with which a diagram and its moves fit.
// The moves go where no server sees them, for they are none of the position.
function offerMisprints(box, sfen, written) {
  const href = `${main.dataset.compose}&method=repair&sfen=${escapeSFEN(sfen)}#misprint=${encodeURIComponent(written)}`;
  box.append("\n", make("a", { className: "misprint", href,
    textContent: t("この図と手順は合いません。一か所の誤植なら…", "This diagram and these moves do not fit. If it is one misprint…") }));
}

onRecord(use);

// switchHands turns to the other problem and solves it.
async function switchHands() {
  const { given, sfen, title } = state, mine = choose();
  try {
    if (given) {
      setProblem(given, title);
    } else {
      const request = { text: sfen, hands: "complete" };
      const { records } = await (await post("/v1/read", request)).json();
      if (!isChosen(mine)) return;
      setProblem(records[0].sfen, title, "push", sfen);
    }
    solve();
  } catch (error) {
    if (!isChosen(mine)) return;
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  }
}

$("hands-other").addEventListener("click", switchHands);

document.querySelector('a[href="#text"]').addEventListener("click", (event) => {
  event.preventDefault();
  $("text").focus();
  $("text").select();
});
