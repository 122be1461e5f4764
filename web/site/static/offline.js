// The page in the place of one that is not kept: it stands at the address of that one. Of a problem
// the address says enough.

const t = (ja, en) => (document.documentElement.lang === "en" ? en : ja);
const main = document.querySelector("main"), query = new URLSearchParams(location.search);
const sfens = query.getAll("sfen").slice(0, 100);

if (/^\/(p|set)$/.test(location.pathname) && sfens.length) {
  const set = document.createElement(sfens.length > 1 ? "tsume-set" : "div");
  for (const sfen of sfens) {
    const board = document.createElement("tsume-board");
    board.setAttribute("sfen", sfen.replaceAll("_", " "));
    board.setAttribute("mode", "solve");
    board.setAttribute("engine", "auto");
    if (sfens.length === 1 && query.get("moves")) {
      board.setAttribute("moves", query.get("moves").replaceAll("_", " "));
    }
    set.append(board);
  }
  document.getElementById("missing").hidden = true;
  document.getElementById("problem").hidden = false;
  document.querySelector("h1").textContent = query.get("title") || t("詰将棋", "Shogi mate problem");
  main.querySelector("#boards").append(set);
}

// The days that are kept, up to today.
const list = document.getElementById("days");
const today = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);
const days = new Map();
for (const name of await caches.keys()) {
  if (!/^tsumero-.*-pages$/.test(name)) continue;
  for (const { url } of await (await caches.open(name)).keys()) {
    const at = new URL(url), day = /^\/daily\/(\d{4}-\d\d-\d\d)$/.exec(at.pathname)?.[1];
    if (day && day <= today) days.set(day, at.pathname + at.search);
  }
}
for (const [day, address] of [...days].sort().reverse()) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = day;
  const item = document.createElement("li");
  item.append(link);
  list.append(item);
}
document.getElementById("kept").hidden = !days.size;
