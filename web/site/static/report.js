// The parts of a report on soundness that more than one page shows: the answer with its sentences, and
// what became of each rule. All sentences are those of the API.

import { label, make, names, t } from "./page.js";

// The signs of marks: never by colour alone.
export const SIGNS = { pass: "✓", note: "≈", fail: "✗", unknown: "?", futile: "－" };

const RULE_ORDER = ["fail", "unknown", "note", "pass"];

// Parts of a report that the pages do not ask for: nothing is said of their rules.
const NOT_ASKED = ["side_mate", "idle"];

const MAX_SENTENCES = 6; // beside the answer; all of them are in the text

// text returns a sentence of a fact, or several.
export const text = (fact, name = "text") => label(fact, name);

// sign returns a mark that is seen as a sign and heard as a word.
export const sign = (mark) => make("span", { className: `sign m-${mark}` },
  make("span", { textContent: SIGNS[mark], "aria-hidden": "true" }));

// What the author's line comes to where it is not the solution of its problem.
const AT_FAULT = ["nomate", "early", "fault"];

// verdictBox returns the answer in one word and the sentences behind it. waiting is the word for a
// report that is not complete, undefined for one that is.
export function verdictBox(report, waiting) {
  const isComplete = waiting === undefined, isMate = report.verdict === "mate";
  const sentences = isComplete ? text(report) : [];
  let sound = isComplete ? (isMate ? report.sound : report.verdict) : "none";
  if (sound === "yes" && AT_FAULT.includes(report.author?.finding)) sound = "fault";
  return make("div", { className: "verdict", "data-sound": sound },
    make("p", { className: "big", textContent: waiting ?? names.sound[sound] }),
    ...sentences.slice(0, MAX_SENTENCES).map((textContent) =>
      make("p", { className: "small", textContent })));
}

function ruleItem(rule) {
  const mark = rule.result;
  return make("li", { className: `m-${mark}` }, sign(mark),
    make("span", { className: "unseen", textContent: `${names.marks[mark]}: ` }), text(rule));
}

// rulesPart returns the rules with a heading, nothing if nothing is said of any.
export function rulesPart(report, isComplete) {
  // Where there is no mate, nothing else was looked at.
  const isAsked = (rule) => report.verdict !== "nomate" && !NOT_ASKED.includes(rule.id);
  const isSaid = (rule) => rule.result !== "unknown" || isAsked(rule);
  const rules = (report.rules ?? []).filter(isSaid);
  // What matters comes first, once nothing changes any more.
  const order = (rule) => RULE_ORDER.indexOf(rule.result);
  if (isComplete) rules.sort((a, b) => order(a) - order(b));
  if (rules.length === 0) return [];
  const list = make("ul", { className: "rules" }, ...rules.map(ruleItem));
  return [make("h3", { textContent: t("規定", "Rules") }), list];
}
