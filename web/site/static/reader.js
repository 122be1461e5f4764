// The page of a problem: how long it is, and its address to hand on. The problem itself is solved on
// the board. How it looks is the matter of look.js.

import { isStatic, japanToday, request } from "./address.js";
import { say } from "./copy.js";
import "./sound.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement, board = $("board"), main = $("main");
const t = (ja, en) => (root.lang === "en" ? en : ja);

// ---- the next problem

const next = document.querySelector(".beside a");

// Once the problem is solved, the board has the button itself.
for (const type of ["tsume-solved", "tsume-position"]) {
  board.addEventListener(type, () => (next.hidden = board.state === "solved"));
}

// ---- the problem of the next day

// latest returns the day whose problem is that of today: by the clock of the device if the service
// cannot be reached and pages are kept.
async function latest() {
  if (isStatic) return japanToday();
  try {
    return (await (await fetch("/daily.json", { cache: "no-cache" })).json()).date;
  } catch {
    const isKept = !!navigator.serviceWorker?.controller;
    return isKept ? japanToday() : "";
  }
}

// renew shows the problem of today to who comes back to that of an earlier day, but not amid its moves.
async function renew() {
  if (document.hidden) return;
  const date = await latest();
  if (!date || date <= main.dataset.date) return;
  const isUnderWay = board.played?.length > 0 && !/answer|solved/.test(board.state);
  if (isUnderWay) say(t("今日の問題が出ています。", "The problem of today is out."));
  else location.reload();
}
const isOfToday = isStatic ? !/[?&]date=/.test(location.search) : /^\/(daily)?$/.test(location.pathname);
if ("renew" in main.dataset && isOfToday) { // not that of a day that was kept
  addEventListener("focus", renew);
  addEventListener("pageshow", ({ persisted }) => persisted && renew());
  document.addEventListener("visibilitychange", renew);
}

// ---- the solution as a picture

const animation = $("animation"), MOST_MOVES = 60; // of such a picture

for (const type of ["tsume-solved", "tsume-answer"]) {
  board.addEventListener(type, ({ detail: { moves } }) => {
    animation.href = `${animation.dataset.picture}&moves=${moves.join("_").replaceAll("+", "%2B")}`;
    animation.hidden = moves.length > MOST_MOVES;
  });
}
board.addEventListener("tsume-position", () => {
  if (!/answer|solved/.test(board.state)) animation.hidden = true;
});

// ---- length

const POLICY = "F2"; // futile interpositions are not counted

// words says how long the mate of an answer is.
function words({ verdict, plies, length }) {
  if (verdict === "nomate") return t("詰みません", "No mate");
  if (verdict !== "mate") return t("手数は分かりませんでした", "Length not found out");
  const { low, high } = length ?? { low: plies, high: plies };
  if (low === high) return t(`${low}手詰`, `Mate in ${low}`);
  if (high === undefined) return t(`${low}手以上`, `Mate in ${low} or more`);
  return t(`${low}〜${high}手詰`, `Mate in ${low} to ${high}`);
}

// tellLength asks how long the problem is, and says it in the place of the button.
async function tellLength() {
  const ask = $("length"), { sfen } = main.dataset;
  ask.disabled = true;
  try {
    const question = JSON.stringify({ sfen, limits: { shortest: true, length: POLICY } });
    const response = await request("/v1/solve", { method: "POST", body: new Blob([question]) });
    if (!response.ok) throw new Error(response.status);
    const length = document.createElement("b");
    length.tabIndex = -1;
    length.textContent = words(await response.json());
    const hadFocus = document.activeElement === ask || document.activeElement === document.body;
    ask.replaceWith(length);
    if (hadFocus) length.focus(); // a screen reader reads it then
    else say(length.textContent);
  } catch {
    ask.disabled = false;
    say(t("サーバーから応答がありません。もう一度お試しください。", "The server does not answer. Try again."));
  }
}
$("length")?.addEventListener("click", tellLength);

// ---- handing on

$("share").addEventListener("click", async () => {
  const url = new URL(main.dataset.share, location).href;
  try {
    if (navigator.share) return await navigator.share({ url, title: document.title });
    await navigator.clipboard.writeText(url);
    say(t("リンクをコピーしました。", "The link was copied."));
  } catch (error) {
    if (error.name !== "AbortError") say(url);
  }
});

// ---- keys

// The arrows go through the line wherever the focus is, but for the board, which has keys itself.
document.addEventListener("keydown", (event) => {
  if (!/answer|solved/.test(board.state) || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest?.("input, select, tsume-board")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (!step) return;
  event.preventDefault();
  board.goTo(board.played.length + step);
});
