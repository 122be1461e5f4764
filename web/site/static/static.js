// What the service writes into a page for a reader, on pages that are files: the day, and the problem
// of the day or of the address. It runs before the other scripts of the page.

import { hrefOf, escapeSFEN, japanToday, values } from "./address.js";

const root = document.documentElement, main = document.getElementById("main");
const board = document.getElementById("board"), isReader = document.body.matches(".reader");
const t = (ja, en) => (root.lang === "en" ? en : ja);
const make = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};
const mateIn = (plies) => t(`${plies}手詰`, `Mate in ${plies}`);
const today = root.dataset.today = japanToday();

// ---- the problems of the days

const DAY = 86_400_000; // ms

// on returns the problem of a day, undefined before the first and after today: see files.go.
function on(day) {
  const { first, problems } = globalThis.DAYS, n = (Date.parse(day) - Date.parse(first)) / DAY;
  if (!(n >= 0) || day > today) return undefined;
  const [sfen, plies, moves] = problems[n % problems.length];
  return { day, sfen, plies, moves, title: `${t("今日の詰将棋", "Problem of the day,")} ${nameOf(day)}` };
}

const dayBefore = (day, n) => new Date(Date.parse(day) - n * DAY).toISOString().slice(0, 10);

function nameOf(day) {
  const options = { month: t("long", "short"), day: "numeric", weekday: "short", timeZone: "UTC" };
  const words = new Date(day).toLocaleDateString(t("ja", "en-GB"), options);
  return words.replace(",", "").replace("(", "（").replace(")", "）");
}

function linkOf({ day, sfen, plies }) {
  const link = make("a", { href: hrefOf(`/daily?date=${day}`) }, `${nameOf(day)} `,
    make("span", { textContent: mateIn(plies) }));
  link.dataset.base = link.getAttribute("href");
  const item = make("li", {}, link);
  item.dataset.key = sfen;
  return item;
}

// collection returns the problems of a length of the days until now.
function collection(plies) {
  const { first } = globalThis.DAYS, count = (Date.parse(today) - Date.parse(first)) / DAY + 1;
  const days = Array.from({ length: Math.max(count, 0) }, (_, n) => on(dayBefore(first, -n)));
  const all = days.filter((one) => one.plies === plies);
  return all.filter(({ sfen }, n) => all.findIndex((one) => one.sfen === sfen) === n);
}

// ---- the problem of the page

function asked() {
  if ("date" in main.dataset) return on(values("date")[0] ?? today) ?? on(today);
  const [sfen, title = "", author = "", moves = "", plies, from] =
    ["sfen", "title", "author", "moves", "plies", "collection"].map((field) => values(field)[0]?.trim());
  return { sfen: /^\S+ \S+ \S+$/.test(sfen) ? `${sfen} 1` : sfen, title, author, moves,
    plies: /^[1-9]\d{0,3}$/.test(plies) ? Number(plies) : 0, from: Number(from) || 0 };
}

function addressOf({ sfen, title, author, moves, plies, day, from }) {
  const all = { title, plies, author, collection: from };
  const more = Object.entries(all).map(([name, value]) => (value ? `&${name}=${encodeURIComponent(value)}` : ""));
  return `?sfen=${escapeSFEN(sfen)}${more.join("")}${moves && !day ? `&moves=${escapeSFEN(moves)}` : ""}`;
}

function setLink(link, href) {
  link.href = href;
  if (link.dataset.base) link.dataset.base = href.includes("?") ? href : href + "?"; // see look.js
}

function fillReader(p) {
  const { day, sfen, plies, moves, title, author, from } = p, query = addressOf(p);
  const heading = title || (plies ? mateIn(plies) : t("詰将棋", "Tsume shogi"));
  const address = hrefOf(day ? `/daily?date=${day}` : `/p${query}`);
  Object.assign(main.dataset, { sfen, share: address, address });
  if (day) main.dataset.date = day;
  const own = make("span", { className: "own" }), box = document.querySelector(".problem");
  own.dataset.key = sfen;
  if (day) {
    const whole = make("span", { className: "whole", textContent: nameOf(day) });
    box.querySelector("h1").replaceChildren(t("今日の詰将棋 ", "Problem of the day, "), whole, t(" ", ": ") + mateIn(plies));
    document.querySelector(".mine .own").dataset.key = sfen;
  } else {
    const length = plies ? make("b", { textContent: title && mateIn(plies) })
      : make("button", { type: "button", className: "inline", id: "length", textContent: t("何手詰？", "Mate in ?") });
    box.replaceChildren(make("h1", { textContent: heading }),
      make("p", {}, make("span", { textContent: author && t(`${author} 作`, `by ${author}`) }), length, own));
  }
  if (!(day && "renew" in main.dataset && !values("date")[0])) document.title = `${heading} · Tsumero`;
  const all = from ? collection(from) : [], place = all.findIndex((one) => one.sfen === sfen);
  const days = day ? Array.from({ length: 7 }, (_, n) => on(dayBefore(day, n + 1))).filter(Boolean) : [];
  const later = day && on(dayBefore(day, -1));
  document.querySelector("ul.days")?.replaceChildren(...[...later ? [later] : [], ...days].map(linkOf));
  const nextOf = all[(place + 1) % all.length];
  const next = days.length ? hrefOf(`/daily?date=${days[0].day}`)
    : nextOf ? hrefOf(`/p${addressOf({ sfen: nextOf.sfen, plies: from, from })}`) : hrefOf(day ? "/problems" : "/daily");
  const button = document.querySelector(".beside .do a");
  setLink(button, next);
  if (nextOf) button.textContent = t("次の問題", "Next problem");
  if (place >= 0) {
    const link = make("a", { href: hrefOf("/problems"), textContent: `${t("問題集", "Collection")} ${mateIn(from)}` });
    button.parentNode.after(make("p", { className: "place" }, link, ` ${place + 1} / ${all.length}`));
  }
  setLink(document.querySelector('nav a[href*="study"]'), hrefOf(`/study${query}`));
  const attributes = { sfen, moves, next, share: address, label: heading };
  for (const [name, value] of Object.entries(attributes)) if (value) board.setAttribute(name, value);
}

function fillStudy({ sfen = "9/9/9/9/9/9/9/9/9 b - 1", title, author, moves }) {
  const isEmpty = !values("sfen").length;
  Object.assign(main.dataset, { sfen, title }, author && { author }, moves && { line: moves });
  board.setAttribute("sfen", sfen);
  board.setAttribute("mode", isEmpty ? "edit" : "solve");
  document.getElementById("text").value = sfen;
  if (title) main.querySelector("h1").textContent = title;
  document.getElementById("reading").parentNode.hidden = isEmpty;
}

const picture = board?.querySelector("img"), isStudy = document.getElementById("solve");
if (isReader || isStudy) {
  picture.hidden = true; // it is of another problem
  const problem = asked();
  if (isStudy) fillStudy(problem);
  else if (problem?.sfen) fillReader(problem);
  else location.replace(hrefOf("/study"));
  for (const link of document.querySelectorAll("a[hreflang]")) setLink(link, link.getAttribute("href").split("?")[0] + location.search);
}
