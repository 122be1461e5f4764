// What the reader has solved, on the pages that show it: how the problem of the page ended, marks and
// counts in lists of problems, and the days in a row. It is stored in this browser alone, by the script
// of the board. The page says what it shows by data attributes:
//
//   main[data-sfen]           the problem on the board; data-date: it is that of this day
//   [data-key]                a problem in a list, by its key
//   [data-hashes]             how many problems there are, whose keys have these hashes; once some are
//                             solved, how many of them
//   [data-streak]             the days in a row, once there is one
//   html[data-today]          the day in Japan by the clock of the service

import { japanToday } from "./address.js";
import { say } from "./copy.js";
import { dayAfter, follow, isSolved, keyOf, progressOf, streak } from "/embed-progress.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement, main = $("main"), board = $("board");
const t = (ja, en) => (root.lang === "en" ? en : ja);
const progress = progressOf();

const ENDINGS = {
  solved: t("✓ 解けた", "✓ Solved"),
  helped: t("✓ ヒントで解けた", "✓ Solved with hints"),
  given: t("答えを見た", "Answer seen"),
};

const HOUR = 3_600_000, DAY = 24 * HOUR; // ms

// How long the problem of the day counts for the day on which its page was opened.
const GRACE = 6 * HOUR;

// today returns the day in Japan, or one before it until the page has been open for a day: by the clock
// of the service, for that of a device may be wrong.
const today = () => dayAfter(root.dataset.today ?? japanToday(), Math.floor(performance.now() / DAY));

// tellUnsaved says that the browser stores nothing, once or whenever the reader asks for something.
let isTold = false;
function tellUnsaved(isAsked = false) {
  if (progress.isUnsaved && (isAsked || !isTold)) {
    say(t("解いた記録を保存できません。ページを閉じると消えます。",
      "Your progress cannot be stored. It ends with this page."));
  }
  isTold = progress.isUnsaved;
}

// ---- what is shown

// mark says at a problem how it ended.
function mark(node, ending) {
  let shown = node.querySelector(".ended");
  if (!shown && ending) {
    shown = document.createElement("span");
    shown.className = "ended";
    (node.querySelector("a > span") ?? node).append(" ", shown); // behind what its link says
  }
  if (!shown) return;
  shown.textContent = ending ? ENDINGS[ending.how] : "";
  shown.classList.toggle("solved", isSolved(ending));
}

// hash returns the hash of a key as the pages have it: FNV-1a of 32 bits. A list has all hashes of its
// collection, which keys would make far longer.
function hash(key) {
  let h = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
  return (h >>> 0).toString(36);
}

// count says how many problems of a collection are solved.
function count(node, solved) {
  const all = node.dataset.hashes.split(" "), n = all.filter((one) => solved.has(one)).length;
  node.dataset.size ??= node.textContent;
  node.textContent = n === 0 ? node.dataset.size
    : t(`${all.length}題中${n}題を解いた`, `${n} of ${all.length} solved`);
}

function show() {
  const problems = progress.problems();
  for (const node of document.querySelectorAll("[data-key]")) {
    mark(node, problems.get(keyOf(node.dataset.key)));
  }
  const solved = new Set([...problems].filter(([, ending]) => isSolved(ending)).map(([key]) => hash(key)));
  for (const node of document.querySelectorAll("[data-hashes]")) count(node, solved);
  const days = progress.days(), now = today(), n = streak(days, now);
  for (const node of document.querySelectorAll("[data-streak]")) {
    node.hidden = n === 0;
    const rest = days.has(now) ? "" : t("・今日はこれから", ", today’s to go");
    node.textContent = t(`連続${n}日`, `${n} ${n === 1 ? "day" : "days"} in a row`) + rest;
  }
}

// ---- the problem of the page

if (main.dataset.sfen && board) {
  const own = keyOf(main.dataset.sfen);
  const record = (key, how) => {
    progress.record(key, how);
    const isToday = main.dataset.date === root.dataset.today && performance.now() < GRACE;
    if (how !== "given" && isToday) progress.recordDay(main.dataset.date);
    show();
    tellUnsaved();
  };
  follow(board, () => own, record);
  // A quick reader may have come to the end before this script was there.
  const already = { solved: "solved", answer: "given" }[board.state];
  if (already) record(own, already);
}

// ---- clearing, and from one browser to another

const DOWNLOAD_TIME = 60_000; // ms until a browser has taken a file

$("record-save")?.addEventListener("click", () => {
  const file = new Blob([progress.export()], { type: "application/json" }), link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "tsumero-progress.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_TIME);
});

const LARGEST_FILE = 4 << 20; // bytes

$("record-open")?.addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  const isTaken = file?.size <= LARGEST_FILE && progress.import(await file.text(), today());
  target.value = "";
  dispatchEvent(new Event("pageshow")); // which has all show it anew
  if (!isTaken) say(t("解いた記録のファイルではありません。", "That is no file of progress."));
  else if (progress.isUnsaved) tellUnsaved(true);
  else say(t("記録を読み込みました。", "The progress was read."));
});

// It is cleared when the button is pressed twice.
const clear = $("record-clear"), CLEAR = clear?.textContent;
let isSure = false;

clear?.addEventListener("click", () => {
  isSure = !isSure;
  clear.textContent = isSure ? t("もう一度押すと消えます", "Press again to clear it") : CLEAR;
  if (isSure) return;
  progress.forget();
  dispatchEvent(new Event("pageshow"));
  if (progress.isUnsaved) tellUnsaved(true);
  else say(t("記録を消しました。", "Your progress was cleared."));
});
clear?.addEventListener("blur", () => {
  isSure = false;
  clear.textContent = CLEAR;
});

// Another tab may store more, a page may be shown again as it was, and a day may have ended meanwhile.
for (const type of ["storage", "pageshow", "focus"]) addEventListener(type, show);
show();
