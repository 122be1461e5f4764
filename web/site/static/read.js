// Another position: one that is typed, pasted, dropped or opened, in any notation; and the same one
// with the missing pieces in the defender's hand.

import { post, Refused, wording } from "./ask.js";
import { say } from "./copy.js";
import { noteHands } from "./hands.js";
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
    told.push(t(`${records.length}局のうち最初のものです。`, `The first of ${records.length} records.`));
  }
  return { sfen, title, notes, told, written, plies, line: isLine ? moves : [] };
}

// use puts what a text or the bytes of a file say on the board.
async function use(record) {
  const text = $("text"), fault = $("text-fault"), mine = choose();
  fault.hidden = true;
  fault.className = "fault";
  text.removeAttribute("aria-invalid");
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
    if (!isChosen(mine)) return;
    fault.textContent = wording(error);
    fault.hidden = false;
    text.setAttribute("aria-invalid", "true");
    text.focus();
    if (error.place) select(text, error.place);
  }
}

// offerMisprints leads to the page that looks for the one misprint (誤植) with which a diagram and its moves fit.
// The moves go where no server sees them, for they are none of the position.
function offerMisprints(box, sfen, written) {
  const href = `${main.dataset.compose}&method=repair&sfen=${escapeSFEN(sfen)}#misprint=${encodeURIComponent(written)}`;
  box.append("\n", make("a", { className: "misprint", href,
    textContent: t("この図と手順は合いません。1か所の誤植なら…", "This diagram and these moves do not fit. If it is one misprint…") }));
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
