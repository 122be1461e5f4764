// The page in the place of one that is not kept: it stands at the address of that one. Of a problem
// the address says enough, and of a day whether its problem could be there.

import { japanToday, values } from "./address.js";

const $ = (id) => document.getElementById(id);
const root = document.documentElement, main = $("main");
const t = (ja, en) => (root.lang === "en" ? en : ja);
const query = new URLSearchParams(location.search);
const today = japanToday();
const name = (day) => new Date(day).toLocaleDateString(root.lang,
  { month: "long", day: "numeric", weekday: "short", timeZone: "UTC" });
root.dataset.today = today; // for the progress

// ---- problems

const MOST = 100; // of a set
const sfens = /^\/(p|study|set)$/.test(location.pathname)
  ? values("sfen").flatMap((text) => text.trim().split(/\r?\n/)).slice(0, MOST) : [];

function createBoard(sfen) {
  const board = document.createElement("tsume-board");
  const all = {
    sfen, mode: "solve", engine: "auto", lang: root.lang,
    controls: "replay hints answer flip keys input", moves: values("moves")[0],
  };
  for (const [field, value] of Object.entries(all)) if (value) board.setAttribute(field, value);
  return board;
}

if (sfens.length) {
  const boards = sfens.map(createBoard);
  const plies = query.get("plies"), author = query.get("author");
  document.querySelector("h1").textContent = query.get("title") ||
    (/^\d+$/.test(plies) ? t(`${plies}手詰`, `Mate in ${plies}`) : t("詰将棋", "Tsume shogi"));
  document.title = document.querySelector("h1").textContent + " · Tsumero";
  $("author").textContent = author ? t(`${author} 作`, `by ${author}`) : "";
  $("missing").hidden = true;
  $("problem").hidden = false;
  if (boards.length === 1) {
    boards[0].id = "board";
    main.dataset.sfen = $("own").dataset.key = sfens[0];
    $("boards").append(boards[0]);
  } else {
    const set = document.createElement("tsume-set");
    set.setAttribute("lang", root.lang);
    set.append(...boards);
    $("boards").append(set);
  }
} else {
  addEventListener("online", () => location.reload());
}

// ---- days

const asked = /^\/daily(?:\/(\d{4}-\d\d-\d\d))?$/.exec(location.pathname);
const day = asked && (asked[1] ?? query.get("date") ?? today);

const days = new Map(); // the addresses of those that are kept, by their dates
for (const cache of await caches.keys()) {
  if (!/^tsumero-/.test(cache)) continue;
  for (const { url } of await (await caches.open(cache)).keys()) {
    const kept = /^\/daily\/ahead\/(.*)/.exec(new URL(url).pathname)?.[1];
    if (kept <= today) days.set(kept, `/daily/${kept}?lang=${root.lang}`);
  }
}
const sorted = [...days].sort().reverse();
if (/^\d{4}-\d\d-\d\d$/.test(day)) {
  $("missing").textContent = day > today
    ? t(`${name(day)}の問題は、その日の0時（日本時間）に出ます。`,
      `The problem of ${name(day)} comes at midnight of that day in Japan.`)
    : t(`${name(day)}の問題は、この端末に保存されていません。先の問題は7日分まで保存されます。` +
        "ネットワークにつながったら、もう一度開いてください。",
      `The problem of ${name(day)} is not kept on this device: problems are kept up to 7 days ` +
        "ahead. Open it again once there is a network.");
}
$("days").append(...sorted.map(([kept, address]) => {
  const item = document.createElement("li"), link = document.createElement("a");
  link.href = address;
  link.textContent = name(kept);
  item.append(link);
  return item;
}));
$("kept").hidden = !days.size;

if (sfens.length === 1) await import("./progress.js");
