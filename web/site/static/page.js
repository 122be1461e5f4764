// What the scripts of the page share: its language, its elements, and its words.

export const ja = document.documentElement.lang !== "en";
export const t = (a, b) => (ja ? a : b);
export const $ = (id) => document.getElementById(id);
export const main = $("main"), board = $("board");
export const picture = board.querySelector("img"); // where the element is not there
export const number = new Intl.NumberFormat(ja ? "ja" : "en");
export const hasAnalyses = $("analyze") !== null; // the service may offer none
export const POLICY = "F2"; // of the lengths, where there are analyses: what is futile does not count
export const names = JSON.parse($("names").textContent); // of package report

// tell returns a sentence of package report with values in it.
export const tell = (name, values = {}) =>
  names.say[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
export const sentences = (...all) => all.filter(Boolean).join(t("", " "));

// label returns a move, or another one that name says, as people write it: Japanese, or Western.
export const label = (fact, name = "move") => fact[`${name}_${ja ? "ja" : "en"}`] ?? "";

// make returns an element with properties, attributes and children.
export function make(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in node && !name.includes("-")) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// lineOf returns the moves of a line as nodes. No move is broken in two.
export const lineOf = (moves) => moves.flatMap((textContent, i) =>
  [i > 0 ? " " : "", make("span", { className: "move", textContent })]);

const DOWNLOAD_TIME = 60_000; // ms until a browser has taken a file

// download hands a file to the reader.
export function download(content, name) {
  const href = URL.createObjectURL(content);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_TIME);
}
