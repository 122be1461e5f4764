// A text that the reader types, pastes, drops or opens: positions and records in any notation. The
// field for texts shows it, so that what is wrong with it can be seen.

import { wording } from "./ask.js";
import { $, board, t } from "./page.js";

// select marks the character at a line and a column, which count from 1, the column in characters.
function select(text, { line, column }) {
  const lines = text.value.split("\n"), characters = [...(lines[line - 1] ?? "")];
  const before = lines.slice(0, line - 1).map((l) => l + "\n").join("");
  const at = before.length + characters.slice(0, column - 1).join("").length;
  text.setSelectionRange(at, at + (characters[column - 1] ?? "").length);
}

// tellFault says at the field why the text cannot be read.
export function tellFault(error) {
  const text = $("text");
  $("text-fault").textContent = wording(error);
  $("text-fault").hidden = false;
  text.setAttribute("aria-invalid", "true");
  text.focus();
  if (error.place) select(text, error.place);
}

const MAX_MOVE = 12; // characters

// isPosition reports whether a text that comes from elsewhere is to be read as a position or a
// record, not as a move.
const isPosition = (text) => text.length > MAX_MOVE || /[/\n]/.test(text);

const MAX_FILE = 1 << 20; // bytes

// decode returns the text of a file.
function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Read as the wrong one of these, Japanese becomes half-width kana and gaps.
    const [sjis, euc] = ["shift_jis", "euc-jp"].map((charset) => new TextDecoder(charset).decode(bytes));
    const strange = (text) => text.match(/[\ufffd\uff61-\uff9f]/g)?.length ?? 0;
    return strange(euc) < strange(sjis) ? euc : sjis;
  }
}

const holdsFile = (event) => event.dataTransfer?.types.includes("Files");

// onRecord calls use with each text that the reader gives, or with the bytes of a file.
export function onRecord(use) {
  const give = (record) => {
    $("text-fault").hidden = true;
    $("text-fault").className = "fault";
    $("text").removeAttribute("aria-invalid");
    if (new Blob([record]).size <= MAX_FILE) return use(record);
    tellFault(new Error(t("大きすぎます（1 MB まで）。", "That is too large (1 MB at most).")));
  };
  const open = async (file) => {
    if (!file) return;
    const bytes = file.size <= MAX_FILE && await file.arrayBuffer();
    if (bytes) $("text").value = decode(bytes);
    await give(bytes ? new Blob([bytes]) : file);
  };
  // take reads a text that was pasted or dropped beside the field for texts.
  const take = (event, transfer) => {
    const text = transfer?.getData("text/plain").trim() ?? "";
    const isField = event.target.closest?.("input, textarea, select");
    if (isField || transfer?.types.includes("Files") || !isPosition(text)) return;
    event.preventDefault();
    $("text").value = text;
    give(text);
  };
  $("form").addEventListener("submit", (event) => {
    event.preventDefault();
    give($("text").value);
  });
  // Before the board, whose field for moves would take the text.
  addEventListener("paste", (event) => take(event, event.clipboardData), { capture: true });
  addEventListener("drop", (event) => take(event, event.dataTransfer), { capture: true });
  addEventListener("dragover", (event) => {
    const { target, dataTransfer } = event;
    if (dataTransfer?.types.includes("text/plain") && target === board) event.preventDefault();
  });
  $("file").addEventListener("change", async () => {
    await open($("file").files[0]);
    $("file").value = ""; // so that the same file can be opened again
  });
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
}
