// What the service writes into a page for a reader, on pages that are files: the day, and the problem
// of the day or of the address. It runs before the other scripts of the page.

import { escapeSFEN, hrefOf, japanToday, values } from "./address.js";

const root = document.documentElement, $ = (selector) => document.querySelector(selector);
const main = $("#main"), board = $("#board");
const t = (ja, en) => (root.lang === "en" ? en : ja);
const make = (tag, props, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};
const mateIn = (plies) => t(`${plies}手詰`, `Mate in ${plies}`);
const today = root.dataset.today = japanToday();

// ---- the problems of the days

const DAY = 86_400_000; // ms
const dayBefore = (day, n) => new Date(Date.parse(day) - n * DAY).toISOString().slice(0, 10);

// on returns the problem of a day, undefined before the first and after today: see files.go.
function on(day) {
  const { first, problems } = globalThis.DAYS, n = (Date.parse(day) - Date.parse(first)) / DAY;
  if (!(n >= 0) || day > today) return undefined;
  const [sfen, plies, moves] = problems[n % problems.length];
  const options = { month: t("long", "short"), day: "numeric", weekday: "short", timeZone: "UTC" };
  const name = new Date(day).toLocaleDateString(t("ja", "en-GB"), options)
    .replace(",", "").replace("(", "（").replace(")", "）");
  return { day, name, sfen, plies, moves, title: t(`今日の詰将棋 ${name}`, `Problem of the day, ${name}`) };
}

const daysBefore = (day, count) =>
  Array.from({ length: count }, (_, n) => on(dayBefore(day, n + 1))).filter(Boolean);

// nextOf returns the problem after one among those of its length of the days until now.
function nextOf({ sfen, from }) {
  const count = (Date.parse(today) - Date.parse(globalThis.DAYS.first)) / DAY + 1;
  const all = daysBefore(dayBefore(today, -1), count).filter(({ plies }) => plies === from).reverse();
  const next = all[all.findIndex((one) => one.sfen === sfen) + 1] ?? all[0];
  return next && hrefOf(`/p${queryOf({ sfen: next.sfen, plies: from, from })}`);
}

// ---- the problem of the page

function asked() {
  if ("date" in main.dataset) return on(values("date")[0] ?? today) ?? on(today);
  const [sfen, title, author, moves, plies, from] =
    ["sfen", "title", "author", "moves", "plies", "collection"].map((field) => values(field)[0]?.trim() ?? "");
  return { sfen: /^\S+ \S+ \S+$/.test(sfen) ? `${sfen} 1` : sfen, title, author, moves,
    plies: /^[1-9]\d{0,3}$/.test(plies) ? Number(plies) : 0, from: Number(from) || 0 };
}

function queryOf({ sfen, title, author, moves, plies, day, from }) {
  const more = Object.entries({ title, plies, author, collection: from })
    .map(([name, value]) => (value ? `&${name}=${encodeURIComponent(value)}` : ""));
  return `?sfen=${escapeSFEN(sfen)}${more.join("")}${moves && !day ? `&moves=${escapeSFEN(moves)}` : ""}`;
}

function setLink(link, href) {
  link.href = href;
  if ("base" in link.dataset) link.dataset.base = href.includes("?") ? href : href + "?"; // see look.js
}

function dayItem({ day, name, sfen, plies }) {
  const link = make("a", {}, `${name} `, make("span", { textContent: mateIn(plies) }));
  const item = make("li", {}, link);
  link.dataset.base = "";
  setLink(link, hrefOf(`/daily?date=${day}`));
  item.dataset.key = sfen;
  return item;
}

function fillReader(problem) {
  const { day, name, sfen, plies, moves, title, author, from } = problem;
  const label = title || (plies ? mateIn(plies) : t("詰将棋", "Tsume shogi"));
  const share = hrefOf(day ? `/daily?date=${day}` : `/p${queryOf(problem)}`);
  const days = day ? daysBefore(day, 7) : [];
  Object.assign(main.dataset, { sfen, share, address: share }, day && { date: day });
  if (day) {
    const whole = make("span", { className: "whole", textContent: name });
    $(".problem h1").replaceChildren(
      t("今日の詰将棋 ", "Problem of the day, "), whole, t(" ", ": ") + mateIn(plies));
    $("ul.days").replaceChildren(...[on(dayBefore(day, -1)), ...days].filter(Boolean).map(dayItem));
  } else {
    const by = make("span", { textContent: author && t(`${author} 作`, `by ${author}`) });
    const ask = { type: "button", className: "inline", id: "length", textContent: t("何手詰？", "Mate in ?") };
    const length = plies ? make("b", { textContent: title && mateIn(plies) }) : make("button", ask);
    $(".problem").replaceChildren(make("h1", { textContent: label }),
      make("p", {}, by, length, make("span", { className: "own" })));
  }
  if (!day || values("date").length) document.title = `${label} · Tsumero`;
  $(".own").dataset.key = sfen;
  const nextDay = days[0] && hrefOf(`/daily?date=${days[0].day}`);
  const next = nextDay || (from && nextOf(problem)) || hrefOf(day ? "/problems" : "/daily");
  setLink($(".beside .do a"), next);
  setLink($('nav a[href*="study"]'), hrefOf(`/study${queryOf(problem)}`));
  for (const [field, value] of Object.entries({ sfen, moves, next, share, label })) {
    if (value) board.setAttribute(field, value);
  }
}

function fillStudy({ sfen, title, author, moves }) {
  const said = { sfen: sfen || "9/9/9/9/9/9/9/9/9 b - 1", title };
  Object.assign(main.dataset, said, author && { author }, moves && { line: moves });
  board.setAttribute("sfen", said.sfen);
  board.setAttribute("mode", sfen ? "solve" : "edit");
  $("#text").value = said.sfen;
  if (title) $("h1").textContent = title;
  $("#reading").parentNode.hidden = !sfen;
}

const isStudy = $("#solve") !== null;
if (isStudy || document.body.matches(".reader")) {
  const problem = asked();
  board.querySelector("img").hidden = true; // it is of another problem
  if (isStudy) fillStudy(problem);
  else if (problem?.sfen) fillReader(problem);
  else location.replace(hrefOf("/study"));
  for (const link of document.querySelectorAll("a[hreflang]")) {
    setLink(link, link.getAttribute("href").split("?")[0] + location.search);
  }
}
