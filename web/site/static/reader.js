// The page of a problem: its sounds, how long it is, and its address to hand on. The problem itself is
// solved on the board. How it looks is the matter of look.js.

import { say } from "./copy.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement, board = $("board"), main = $("main"), look = $("look");
const t = (ja, en) => (root.lang === "en" ? en : ja);

// ---- sound

// Sounds are made here: a frequency in Hz, and when it begins and how long it lasts in s.
const PIECE = [[620, 0, 0.06]], WRONG = [[180, 0, 0.25]];
const SOLVED = [[523, 0, 0.5], [659, 0.1, 0.5], [784, 0.2, 0.7]];
const LOUDNESS = 0.2, SILENT = 0.001; // of 1

let audio;

function play(...tones) {
  if (!look.elements.sound.checked) return;
  audio ??= new AudioContext();
  audio.resume(); // a browser lets nothing sound before the reader did something
  for (const [frequency, after, length] of tones) {
    const begin = audio.currentTime + after, tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(LOUDNESS, begin);
    volume.gain.exponentialRampToValueAtTime(SILENT, begin + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}

look.elements.sound.addEventListener("change", () => play(...PIECE));
board.addEventListener("tsume-move", () => play(...PIECE));
board.addEventListener("tsume-wrong", () => play(...WRONG));
board.addEventListener("tsume-solved", () => play(...SOLVED));

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
  try {
    return (await (await fetch("/daily.json", { cache: "no-cache" })).json()).date;
  } catch {
    const isKept = !!navigator.serviceWorker?.controller;
    return isKept ? new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10) : "";
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
if ("renew" in main.dataset && /^\/(daily)?$/.test(location.pathname)) { // not that of a day that was kept
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
    const response = await fetch("/v1/solve", { method: "POST", body: new Blob([question]) });
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
  const url = main.dataset.share;
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
