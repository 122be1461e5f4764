// The part of the page that says whether a problem is sound: what POST /v1/analyze tells of it, as
// it is found out. All sentences and moves are those of the API.

import { request as requestAPI } from "./address.js";
import { ask, wording } from "./ask.js";
import { $, download, label, main, make, names, t } from "./page.js";
import { playLine } from "./replay.js";
import { rulesPart, sign, SIGNS, text, verdictBox } from "./report.js";
import { compare, likenessPart } from "./similar.js";
import { reported } from "./solve.js";
import { changes, escapeSFEN, hasBothKings, maker, onBoard, standing, state } from "./state.js";

// The usual ones, questions for themes, and the tries of the submission.
const PARTS = ["attack", "defence", "duals", "tries", "themes"];

// How often it is said how far an analysis is, in ms: whoever listens wants to hear each to its end.
const SAYING = 3000;

// How many positions one question may take where the reader wants more than the usual.
const QUESTION_NODES = 4_000_000;

const MAX_PLIES = 4; // that show a theme, before the others are folded away

// moveText returns a move without the gap that sets it in columns.
const moveText = (fact) => label(fact).replace("　", "");

let report = null; // as far as it is known
let working = null;
let isComplete = false;
let likeness = null; // what POST /v1/similar says of the problem
let current = ""; // the line that is on the board

// ---- asking

// put sets what a report has at a JSON pointer.
function put(report, pointer, value) {
  const names = pointer.slice(1).split("/"), last = names.pop();
  let at = report;
  names.forEach((name, i) => {
    at = at[name] ??= /^\d+$/.test(names[i + 1] ?? last) ? [] : {};
  });
  at[last] = value;
}

function forget() {
  finish();
  report = likeness = null;
  isComplete = false;
  current = "";
  for (const id of ["report", "analyze-fault", "analyze-more"]) $(id).hidden = true;
  $("analyze-note").textContent = "";
}

function finish() {
  working?.abort();
  working = null;
  $("analyze").disabled = false;
  $("analyze-stop").hidden = true;
  $("analyze-progress").hidden = true;
}

// mostLimits returns the largest limits that the service allows.
async function mostLimits() {
  const { analysis } = await (await requestAPI("/v1/limits", { cache: "no-cache" })).json();
  const { max_time_ms, max_nodes } = analysis;
  const question_nodes = Math.min(QUESTION_NODES, max_nodes);
  return { time_ms: max_time_ms, nodes: max_nodes, question_nodes };
}

// question returns the question about the problem.
function question() {
  const asked = { sfen: state.sfen };
  if (state.author.length > 0) asked.line = state.author;
  if (state.told) asked.told = state.told;
  if (state.attacker && hasBothKings()) asked.attacker = state.attacker;
  return asked;
}

// analyze asks, with more time and nodes if the reader wants what was left open.
async function analyze(more = false) {
  const hadFocus = document.activeElement;
  forget();
  const mine = (working = new AbortController());
  const wanted = (action) => (...data) => working === mine && action(...data);
  $("analyze").disabled = true;
  $("analyze-stop").hidden = false;
  $("analyze-progress").hidden = false;
  $("analyze-progress").removeAttribute("value");
  // A button that is disabled keeps no focus.
  if (hadFocus === $("analyze") || hadFocus === $("analyze-more")) $("analyze-stop").focus();
  report = {};
  let saidPhase = "", saidAt = 0;
  const told = (event, data) => {
    if (event === "fact") {
      put(report, data.pointer, data.value);
      return render();
    }
    const { phase, done, total } = data, now = performance.now();
    const words = names.phases[phase] ?? phase;
    const count = total > 1 ? t(`：${done}／${total}`, `: ${done} of ${total}`) : "";
    if (total > 1) Object.assign($("analyze-progress"), { max: total, value: done });
    else $("analyze-progress").removeAttribute("value");
    if (phase === saidPhase && now - saidAt < SAYING) return;
    [saidPhase, saidAt] = [phase, now];
    $("analyze-note").textContent = words + count;
  };
  const asked = standing();
  const request = { ...question(), profile: $("profile").value, parts: PARTS,
    record: t("ja", "en") };
  try {
    if (more) request.limits = await mostLimits();
    const answer = await ask("/v1/analyze", request, mine.signal, wanted(told));
    wanted(() => {
      report = answer;
      isComplete = true;
      // It is seen below.
      const news = text(answer).slice(0, 2).join(t("。", "; "));
      const textContent = t("検討が終わりました。", "Done. ") + news;
      $("analyze-note").replaceChildren(make("span", { className: "unseen", textContent }));
      render();
      const isUnknown = [answer.verdict, answer.sound].includes("unknown");
      const isOpen = answer.remaining.length > 0 || isUnknown;
      $("analyze-more").hidden = more || !isOpen;
      reported(answer, asked);
      compare({ ...question(), line: answer.line?.moves }).then((found) => {
        if (report !== answer) return;
        likeness = found;
        render();
      }, () => {}); // the report stands without it
    })();
  } catch (error) {
    wanted(() => {
      $("analyze-fault").textContent = wording(error);
      $("analyze-fault").hidden = false;
      $("analyze-note").textContent = "";
      if (!report.verdict) report = null;
    })();
  } finally {
    if (working === mine) {
      const isOnStop = document.activeElement === $("analyze-stop");
      finish();
      if (isOnStop) $("analyze").focus();
    }
  }
}

function stop() {
  finish();
  $("analyze").focus();
  $("analyze-note").textContent =
    t("止めました。ここまでに分かったことです。", "Stopped. This is what was found out.");
  if (report?.verdict) render();
  else forget();
}

// ---- showing

// before returns the moves of the main line before a ply.
const before = (ply) => report.line.moves.slice(0, ply - 1);

// play returns a button that puts a line on the board, after so many moves.
function play(content, moves, ply, name = "") {
  const key = `${moves.slice(0, ply).join(" ")}`;
  const button = make("button", { type: "button", className: "play", textContent: content });
  button.dataset.line = key;
  if (name) button.setAttribute("aria-label", name);
  if (key === current) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => playLine(moves, ply));
  return button;
}

// on marks the buttons of what is on the board.
function on(moves) {
  current = moves.join(" ");
  for (const button of $("report").querySelectorAll("button.play")) {
    if (button.dataset.line === current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}

// tallyBar returns a bar: how many moves came to what, each with its sign and number.
function tallyBar(tally) {
  const none = t("なし", "none");
  if (tally.length === 0) return make("span", { className: "none", textContent: none });
  const bar = make("span", { className: "tally", role: "img" });
  const heard = tally.map((part) => `${text(part)} ${part.count}`).join(t("、", ", "));
  bar.setAttribute("aria-label", heard);
  for (const { mark, count, ...part } of tally) {
    const textContent = `${SIGNS[mark]}${count}`;
    const segment = make("span", { className: `m-${mark}`, textContent, title: text(part) });
    segment.style.flexGrow = count;
    bar.append(segment);
  }
  return bar;
}

// moveItem returns a move that is not the main one, and what it comes to.
function moveItem(ply, fact, line = fact.line ?? [fact.move]) {
  const name = `${moveText(fact)} ${text(fact)}`;
  return make("li", { className: `m-${fact.mark}`, title: text(fact) }, sign(fact.mark),
    play(moveText(fact), [...before(ply), ...line], ply, name),
    make("span", { className: "what", "aria-hidden": "true", textContent: text(fact, "remark") }));
}

function row(node, items) {
  const { ply } = node;
  const main = node.move ? play(moveText(node), report.line.moves, ply)
    : make("span", { className: "none", textContent: t("詰上り", "mated") });
  const cell = make("td", {}, tallyBar(node.tally));
  if (items.length > 0) cell.append(make("ul", { className: "others" }, ...items));
  return make("tr", {}, make("td", { className: "ply", textContent: ply }),
    make("th", { scope: "row" }, main), cell);
}

// attackRow leaves out the tries, of which there are too many for a table: the tally counts them.
const attackRow = (node) => row(node,
  node.others.filter((check) => check.class !== "try").map((check) => moveItem(node.ply, check)));

function defenceRow(node) {
  const items = node.replies.filter(({ kind }) => kind !== "main").map((reply) => {
    const capture = reply.futile?.capture, same = reply.same?.length ?? 0;
    const item = moveItem(node.ply, reply, capture && [reply.move, capture]);
    if (same > 0) {
      const title = label(reply, "same").join(" ");
      const textContent = t(`ほか${same}種`, `+${same}`);
      item.append(make("span", { className: "what", textContent, title }));
    }
    return item;
  });
  return row(node, items);
}

function table(caption, nodes, makeRow) {
  const names = [t("手数", "Ply"), t("本手順", "Main line"), t("ほかの手", "Other moves")];
  const heads = names.map((name) => make("th", { scope: "col", textContent: name }));
  return make("table", { className: "plies" }, make("caption", { textContent: caption }),
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...nodes.filter(Boolean).map(makeRow)));
}

// themeItem returns a theme with a button for each ply that shows it.
function themeItem(theme) {
  const { moves } = report.line, name = label(theme, "name"), { plies, shape } = theme;
  const button = (content, ply) => {
    const move = label(report.line, "moves")[ply - 1]?.replace("　", "") ?? "";
    const at = play(content, moves, ply, `${name} ${content} ${move}`.trim());
    at.dataset.theme = theme.id;
    return at;
  };
  const item = make("li", {}, make("span", { textContent: shape ? text(theme) : name }));
  // A theme is of the diagram, of the final figure, or of moves.
  if (plies.length === 0) item.append(button(t("初形", "diagram"), 0));
  const buttons = plies.map((ply) => button(t(`${ply}手目`, `ply ${ply}`), ply));
  item.append(...buttons.slice(0, MAX_PLIES));
  if (buttons.length > MAX_PLIES) {
    const n = buttons.length - MAX_PLIES;
    const summary = make("summary", { textContent: t(`ほか${n}手`, `${n} more`) });
    item.append(make("details", {}, summary, ...buttons.slice(MAX_PLIES)));
  }
  return item;
}

// render shows what is known. What the reader has in hand keeps the focus.
function render() {
  const box = $("report"), focused = box.contains(document.activeElement)
    ? document.activeElement.dataset : null;
  const waiting = working ? t("調べています…", "Looking…") : t("未完了", "Not finished");
  const children = [verdictBox(report, isComplete ? undefined : waiting), ...mendPart(),
    ...rulesPart(report, isComplete)];
  if (report.line && report.themes?.length > 0) {
    const list = make("ul", { className: "themes" }, ...report.themes.map(themeItem));
    children.push(make("h3", { textContent: t("手筋・趣向", "Themes") }), list);
  }
  if (likeness) children.push(...likenessPart(likeness));
  if (report.line && report.attack) {
    children.push(make("div", { className: "scroll" },
      table(t("攻方：ほかの王手", "Attacker: other checks"), report.attack, attackRow)));
  }
  if (report.line && report.defence) {
    children.push(make("div", { className: "scroll" },
      table(t("玉方：ほかの応手", "Defender: other replies"), report.defence, defenceRow)));
  }
  if (report.record?.lines[0].moves.length > 0) children.push(...treeParts(report.record));
  box.replaceChildren(...children);
  box.hidden = false;
  if (focused?.line !== undefined) {
    const theme = focused.theme ? `[data-theme="${focused.theme}"]` : ":not([data-theme])";
    box.querySelector(`button.play[data-line="${CSS.escape(focused.line)}"]${theme}`)?.focus();
  }
}

// mendPart returns the way to the page that mends a problem that is not sound, where there is one.
function mendPart() {
  if (!main.dataset.compose || !isComplete || report.verdict !== "mate" || report.sound !== "no") return [];
  // The author's line is to be kept; where there is none, the main line may change as well.
  const line = state.author.length > 0 ? `&moves=${escapeSFEN(state.author.join(" "))}` : "";
  const href = `${main.dataset.compose}&method=repair&sfen=${escapeSFEN(state.sfen)}${line}#start`;
  return [make("p", { className: "do mend" },
    make("a", { className: "button primary", href, textContent: t("修正する", "Mend it") }),
    make("span", { className: "hint",
      textContent: t("一、二か所を変えて、完全作になる図を探します。", "Looks for sound problems that differ in one thing or two.") }))];
}

// ---- the solution as a tree

// treeParts returns the solution with its variations, and what can be done with it.
function treeParts({ lines, kif, jkf, submission }) {
  const full = []; // the moves of each line, from the diagram on
  const items = [];
  lines.forEach((line, i) => {
    if (isElsewhere(line)) return;
    const parent = line.leaves ?? -1;
    full[i] = [...(full[parent] ?? []).slice(0, line.ply - 1), ...line.moves.map((m) => m.move)];
    items[i] = treeItem(line, full[i]);
    if (parent >= 0) branches(items[parent]).append(items[i]);
  });
  const tree = make("ul", { className: "tree" }, items[0]);
  const what = t("変化付きで保存", "Save with variations");
  const files = make("div", { className: "do", role: "group", "aria-label": what },
    make("span", { className: "label", textContent: what, "aria-hidden": "true" }),
    saver("KIF", () => save(kif, "kifu", "application/x-kif")),
    saver("JKF", () => save(JSON.stringify(jkf), "jkf", "application/x-jkf+json")));
  const name = t("投稿用テキスト（図面・作意・変化・紛れ）", "As text for a magazine");
  const text = make("pre", { id: "report-text", tabIndex: 0, role: "group", "aria-label": name },
    named(submission));
  const copy = make("button", { type: "button", textContent: t("コピー", "Copy") });
  copy.dataset.copy = "report-text";
  const box = make("div", { className: "copy" }, make("p", { textContent: name }), copy, text);
  const heading = make("h3", { textContent: t("手順と変化", "Solution and variations") });
  return [heading, tree, files, box];
}

// isElsewhere reports whether a line is only a move that is not decided, which the tables have, or a
// try, which the text has.
function isElsewhere({ ply, moves, leaves, end }) {
  if (leaves !== undefined && ply % 2 === 1 && end === "nomate") return true;
  const node = leaves === 0 && report.attack?.find((n) => n.ply === ply);
  const check = node && node.others.find((other) => other.move === moves[0]?.move);
  return check?.verdict === "unknown";
}

// branches returns the list of the variations of an item.
function branches(item) {
  const last = item.lastElementChild;
  if (last?.tagName === "UL") return last;
  const list = make("ul");
  item.append(list);
  return list;
}

// treeItem returns a line: its first move is reached by Tab, the others by the keys that replay.
function treeItem(line, moves) {
  const item = make("li"), remarks = [];
  if (line.leaves !== undefined) {
    const textContent = t(`${line.ply}手目`, `${line.ply}.`);
    item.append(make("span", { className: "at", textContent }), " ");
  }
  line.moves.forEach((move, i) => {
    const button = play(moveText(move), moves, line.ply + i);
    if (i > 0) button.tabIndex = -1;
    item.append(button);
    if (!move.comments) return;
    const textContent = move.comments.join(t("。", "; "));
    const remark = make("span", { className: "remark", textContent });
    if (i === 0 && line.leaves !== undefined) return item.append(remark);
    const after = t(`${line.ply + i}手目の後：`, `After ply ${line.ply + i}: `);
    remark.prepend(after);
    remarks.push(make("p", {}, remark));
  });
  if (line.end) item.append(make("span", { className: "end", textContent: names.ends[line.end] }));
  item.append(...remarks);
  return item;
}

// named puts title and author before the submission, where the page knows them.
function named(submission) {
  const title = state.title && t(`作品名：${state.title}\n`, `Title: ${state.title}\n`);
  const author = maker() && t(`作者：${maker()}\n`, `Author: ${maker()}\n`);
  return title + author + submission;
}

function saver(name, action) {
  const button = make("button", { type: "button", textContent: name });
  button.addEventListener("click", action);
  return button;
}

const save = (content, extension, type) =>
  download(new Blob([content], { type }), `tsume-${report.line?.moves.length ?? 0}.${extension}`);

// The service may offer no analyses.
if ($("analyze")) {
  changes.addEventListener("problem", forget);
  changes.addEventListener("fault", forget);
  changes.addEventListener("position", () => on(onBoard().played));
  $("analyze").addEventListener("click", () => analyze());
  $("analyze-more").addEventListener("click", () => analyze(true));
  $("analyze-stop").addEventListener("click", stop);
}
