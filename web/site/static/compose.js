// The page of those who make problems: what is fixed is set up on the board, what is free is said, and
// a job of kind compose looks for the sound problems among all that are left. They are shown as they
// are found, and stay when the search is stopped.

import { ask, post, wording } from "./ask.js";
import { say } from "./copy.js";
import { tellFault } from "./input.js";
import * as marks from "./marks.js";
import { $, board, label, lineOf, main, make, names, number, sentences, t, tell } from "./page.js";
import { rulesPart, verdictBox } from "./report.js";
import { compare, likenessPart } from "./similar.js";
import { escapeSFEN, state } from "./state.js";

const form = $("compose"), fields = form.elements;
const SAYING = 3000; // ms between two announcements of how far the search is
const method = () => fields.method.value;

// ---- positions as text

const ALL = { R: 2, B: 2, G: 4, S: 4, N: 4, L: 4, P: 18 };

// squaresOf returns what stands on each square, row by row from 9a, "" for nothing.
function squaresOf(sfen) {
  const all = [];
  for (const [token] of sfen.split(" ")[0].matchAll(/\+?[a-z]|[1-9]/gi)) {
    if (token >= "1" && token <= "9") all.push(...Array(Number(token)).fill(""));
    else all.push(token);
  }
  return all;
}

// rowsOf is the converse.
function rowsOf(squares) {
  const rows = [];
  for (let at = 0; at < squares.length; at += 9) {
    const row = squares.slice(at, at + 9).map((piece) => piece || " ").join("");
    rows.push(row.replace(/ +/g, (gap) => gap.length));
  }
  return rows.join("/");
}

// complete returns a position whose defender holds all that is not on the board, not with the attacker
// and none of the pieces that are still to be placed, as problems are printed. One with two kings is
// left as it is: who defends in it may be either.
function complete(squares, sfen, without = []) {
  const [, side, hands] = sfen.split(" "), left = { ...ALL };
  const isWhole = squares.includes("K");
  for (const piece of [...squares, ...without]) {
    const kind = piece.replace("+", "").toUpperCase();
    if (kind in left) left[kind]--;
  }
  let attacker = "", given = "";
  for (const [, count, kind] of hands.matchAll(/(\d*)([a-z])/gi)) {
    if (kind !== kind.toUpperCase()) continue;
    attacker += count + kind;
    left[kind] -= Number(count || 1);
  }
  for (const [kind, n] of Object.entries(left)) {
    if (n > 0) given += (n > 1 ? n : "") + kind.toLowerCase();
  }
  const held = isWhole ? hands : attacker + given || "-";
  return `${rowsOf(squares)} ${side} ${held} 1`;
}

// ---- what is asked

// A Fault is something that the author still has to do.
class Fault extends Error {}

const value = (name) => (fields[name].value === "" ? undefined : Number(fields[name].value));
const chosen = (name) => [...form.querySelectorAll(`[name=${name}]:checked`)].map((box) => box.value);

// freeOf returns the pieces and the empty squares that are marked.
function freeOf(squares) {
  const cells = marks.cells();
  return { pieces: cells.filter((cell) => squares[cell]), empty: cells.filter((cell) => !squares[cell]) };
}

// placing asks for one piece: one of the board that may stand elsewhere, or one of a list.
function placing(squares) {
  const { pieces, empty } = freeOf(squares), free = empty.length > 0 ? empty : undefined;
  if (fields.what.value === "list") {
    const list = chosen("list");
    if (list.length === 0) throw new Fault(t("加える駒を選んでください。", "Choose the pieces that may be added."));
    return { sfen: complete(squares, state.sfen), list, free: free?.map(marks.squareName) };
  }
  if (pieces.length !== 1) {
    throw new Fault(pieces.length === 0
      ? t("「変えてよいところを選ぶ」で、動かす駒を押してください。", "Press “Mark what is free”, and then the piece that may move.")
      : t("動かす駒は一枚にしてください。", "Only one piece can be moved at a time."));
  }
  const [from] = pieces, piece = squares[from], rest = squares.with(from, "");
  return {
    sfen: complete(rest, state.sfen, [piece]), piece,
    free: free && [...free, from].sort((a, b) => a - b).map(marks.squareName),
  };
}

// picture returns the marked squares as the lines of a picture, and nothing around it.
function picture() {
  const cells = marks.cells();
  if (cells.length === 0) return fields.shape.value.trim();
  const columns = cells.map((cell) => cell % 9), rows = cells.map((cell) => Math.floor(cell / 9));
  const lines = [];
  for (let y = Math.min(...rows); y <= Math.max(...rows); y++) {
    let line = "";
    for (let x = Math.min(...columns); x <= Math.max(...columns); x++) {
      line += cells.includes(9 * y + x) ? "#" : ".";
    }
    lines.push(line);
  }
  return lines.join("/");
}

const ASKING = {
  hands: (squares) => ({ sfen: complete(squares, state.sfen), hand: value("hand") }),
  place: placing,
  shape: () => ({ shape: picture(), at: fields.at.value }),
  repair: (squares) => ({
    sfen: isMisprinted() ? state.sfen : complete(squares, state.sfen), changes: value("changes"),
    moves: fields.moves.value.trim() || undefined,
  }),
};

// misprinted is the line that does not fit the diagram, as another page gave it.
let misprinted = "";

const isMisprinted = () => misprinted !== "" && fields.moves.value === misprinted;

// usesBoard reports whether the method begins with what stands on the board.
const usesBoard = () => method() !== "shape";

// question returns what the job is to look for.
function question() {
  const squares = squaresOf(state.sfen);
  if (usesBoard() && !/k/i.test(state.sfen.split(" ")[0])) {
    throw new Fault(t("玉を置いてください。", "Put the king on the board."));
  }
  const asked = { method: method(), ...ASKING[method()](squares), count: value("count") };
  if (value("least") > value("most")) throw new Fault(t("手数の範囲が逆です。", "The range of plies is the wrong way round."));
  // What is mended is as long as it is, unless the author says otherwise.
  if (method() !== "repair" || areConditionsOpen()) {
    asked.plies = `${value("least")}-${value("most")}`;
  }
  asked.strict = fields.strict.checked || undefined;
  asked.pieces = value("pieces");
  asked.captures = value("captures");
  const themes = chosen("theme");
  if (themes.length > 0) asked.themes = themes;
  return asked;
}

const areConditionsOpen = () => form.querySelector(".conditions").open;

// ---- the search

let job = ""; // its id, while it goes on
let source = null; // of its events
let reading = null; // its results
let found = []; // the problems, each once
let figures = 0, tried = 0; // how many there are, 0 where they are tried without end, and are tried
let units = []; // what each unit of work says of what it looked at
let refusal = ""; // why there is nothing to look for
let wanted = Infinity; // how many problems are enough
let began = 0; // when the first figures were tried
let saidAt = 0;

function duration(ms) {
  const seconds = Math.ceil(ms / 1000), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours > 0) return t(`${hours}時間${minutes % 60}分`, `${hours} h ${minutes % 60} min`);
  if (minutes > 0) return t(`${minutes}分${seconds % 60}秒`, `${minutes} min ${seconds % 60} s`);
  return t(`${seconds}秒`, `${seconds} s`);
}

// showProgress says how many figures there are, how many were tried, and the time to go.
function showProgress() {
  const now = performance.now(), rate = began && tried / (now - began);
  const left = job && figures > tried && rate > 0 ? duration((figures - tried) / rate) : "";
  if (figures > 0) Object.assign($("progress"), { max: figures, value: tried });
  const rows = [
    [t("図の数", "Figures"), figures > 0 ? number.format(figures) : ""],
    [t("調べた図", "Tried"), number.format(tried)],
    [t("残り時間", "Time to go"), left && t(`約${left}`, `about ${left}`)],
    [t("見つけた図", "Found"), number.format(found.length)],
  ].filter(([, text]) => text !== "");
  $("progress-facts").replaceChildren(...rows.map(([name, text]) =>
    make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: text }))));
}

// tell says something of a search that goes on, but not more often than it can be listened to.
function tellSometimes(text) {
  const now = performance.now();
  if (now - saidAt < SAYING) return;
  saidAt = now;
  $("state").textContent = text;
}

const tellState = (text) => ($("state").textContent = text);

function begin() {
  refusal = "";
  reading?.abort();
  source?.close();
  [found, figures, tried, units, began, saidAt] = [[], 0, 0, [], 0, 0];
  $("candidates").replaceChildren();
  $("progress-facts").replaceChildren();
  for (const id of ["fault", "after"]) $(id).hidden = true;
  $("found").hidden = false;
  $("progress").hidden = false;
  $("progress").removeAttribute("value");
  $("go").disabled = true;
  $("stop").hidden = false;
  $("stop").disabled = false;
  tellState(names.states.queued);
  $("found").scrollIntoView({ block: "nearest" });
}

// end leaves what was found, and says how it ended.
function end(text) {
  source?.close();
  source = null;
  job = "";
  $("progress").hidden = true;
  const wasOnStop = document.activeElement === $("stop");
  $("stop").hidden = true;
  $("go").disabled = false;
  if (wasOnStop) $("go").focus();
  if (text === undefined) return;
  const n = found.length;
  if (refusal) return tellState(refusal);
  tellState(sentences(text, n > 0
    ? found[0].fit ? t(`${n}通りの変更で手順が合います。どれが正しいかは分かりません。`,
      `The line fits with ${n === 1 ? "1 change" : `${n} changes`}. Which of them is true is not known.`)
      : t(`${n}図が見つかりました。`, n === 1 ? "1 problem was found." : `${n} problems were found.`)
    : t("見つかりませんでした。", "Nothing was found.")));
  showProgress();
  $("after").hidden = n === 0;
}

function fail(error) {
  end();
  $("found").hidden = found.length === 0;
  tellState("");
  $("fault").textContent = wording(error);
  $("fault").hidden = false;
}

async function search() {
  let asked;
  try {
    asked = question();
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    return fail(fault);
  }
  begin();
  $("stop").focus();
  try {
    const answer = await (await post("/v1/jobs/compose", { compose: asked })).json();
    // Whoever knows the id may stop the job: it goes where no server sees it.
    history.replaceState(null, "", `${own()}#job=${answer.id}`);
    wanted = asked.count;
    follow(answer.id);
    take(answer);
  } catch (error) {
    fail(error);
  }
}

// looked says how many of some figures were looked at, and whether these are all that there are.
function looked(name, { figures: n, of = n, coverage }) {
  const [some, all] = [n, of].map((count) => number.format(count));
  if (coverage === "random") {
    return t(`無作為に選んだ${some}図を調べました。ほかにもあります。`,
      `${some} ${name} were tried at random; there are others.`);
  }
  const text = n < of
    ? t(`${name}${all}通りのうち${some}通りを調べました。`, `${some} of ${all} ${name} were looked at.`)
    : coverage === "all" ? t(`${name}${all}通りをすべて調べました。`, `All ${all} ${name} were looked at.`)
      : t(`${name}${all}通りを調べました。`, `${all} ${name} were looked at.`);
  return sentences(text, coverage === "chosen" &&
    t("余詰を消すものから選んだので、ほかにもあります。", "The cooks lead to these; there are others."));
}

// lookedAt says it of the search. Of changes each unit has its own, of other figures each has some.
function lookedAt() {
  const open = units.reduce((sum, unit) => sum + (unit.open ?? 0), 0);
  const changes = [t("一か所の変更", "single changes"), t("二か所の変更", "pairs of changes")];
  const all = figures > 0 ? { figures: tried, of: figures, coverage: "all" } : { figures: tried, coverage: "random" };
  const parts = units.some(({ of }) => of) ? units.map((unit, i) => looked(changes[i], unit))
    : [looked(t("図", "figures"), all)];
  return sentences(...parts, open > 0 && t(`制限内では未確認の図が${number.format(open)}図あります。`,
    `Not decided within the limits: ${number.format(open)}.`));
}

const ENDS = {
  cancelled: t("止めました。", "Stopped."),
  enough: t("指定の数に達しました。", "That is as many as were wanted."),
};

const ENDED = ["done", "failed", "cancelled"]; // states that a job stays in

// take learns from a job what it looks for.
function take({ state: how, compose }) {
  if (compose?.figures) figures = compose.figures;
  if (compose?.count) wanted = compose.count;
  if (how === "running" || how === "queued") tellSometimes(names.states[how]);
  showProgress();
}

// follow shows a job, from its beginning.
function follow(id) {
  job = id;
  $("download").href = `/v1/jobs/${id}/results`;
  $("records").href = `/v1/jobs/${id}/record/kif`;
  $("sheet").href = `/jobs/${id}/sheet?lang=${t("ja", "en")}`;
  const mine = (reading = new AbortController());
  let last; // the job, once it has ended
  const results = readResults(id, mine.signal, () => last !== undefined);
  const ended = async (answer) => {
    if (last) return;
    last = answer;
    source?.close();
    await results; // which end with the job
    if (reading !== mine || job !== id) return;
    const { state: how, problem } = answer;
    if (problem) return fail({ message: t(problem.detail_ja || problem.detail, problem.detail) });
    end(found.length >= wanted ? ENDS.enough : how === "done" ? lookedAt() : ENDS[how] ?? names.states[how] ?? "");
  };
  source = new EventSource(`/v1/jobs/${id}/events`);
  source.addEventListener("state", ({ data }) => {
    const now = JSON.parse(data);
    take(now);
    if (ENDED.includes(now.state)) ended(now);
  });
  source.addEventListener("end", ({ data }) => ended(JSON.parse(data)));
  source.addEventListener("problem", ({ data }) => {
    const { detail, detail_ja: japanese } = JSON.parse(data);
    mine.abort();
    fail({ message: t(japanese || detail, detail) });
  });
}

const AGAIN = 2000; // ms until results are asked for again, where the connection broke off

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// readResults shows what each unit of work comes to, until all have been read or the job has ended.
async function readResults(id, signal, hasEnded) {
  for (let next = 1; ; ) {
    try {
      const response = await fetch(`/v1/jobs/${id}/results?follow=true&from=${next}`, { signal });
      if (!response.ok) return; // the events say why
      let isWhole = true;
      for await (const line of linesOf(response)) {
        const unit = JSON.parse(line);
        isWhole = unit.next === undefined; // else the service ends, and another one goes on
        if (!isWhole) break;
        next = unit.line + 1;
        await addUnit(unit);
      }
      if (isWhole) return;
    } catch {
      if (signal.aborted) return;
    }
    if (hasEnded()) return;
    await pause(AGAIN);
  }
}

async function* linesOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value: more } = await reader.read();
    if (done) return;
    text += more;
    for (let at; (at = text.indexOf("\n")) >= 0; text = text.slice(at + 1)) {
      if (at > 0) yield text.slice(0, at);
    }
  }
}

const capital = (english) => `${english[0].toUpperCase()}${english.slice(1)}.`;

async function addUnit(unit) {
  const { figures: more = 0, problems = [], refused } = unit;
  units.push(unit);
  if (refused) refusal = t(refused.message_ja, capital(refused.message));
  began ||= performance.now();
  tried += more;
  const isNew = (one) => found.length < wanted && !found.some(({ key }) => key === one.key);
  for (const one of problems) if (isNew(one)) await add(one);
  showProgress();
  const all = number.format(figures), some = number.format(tried);
  tellSometimes(figures > 0
    ? t(`${all}図のうち${some}図を調べました。`, `${some} of ${all} figures tried.`)
    : t(`${some}図を調べました。`, `${some} figures tried.`));
  if (found.length >= wanted) await stop();
}

const CONFLICT = 409; // a status

async function stop() {
  if (!job || $("stop").disabled) return;
  $("stop").disabled = true;
  tellState(t("止めています…", "Stopping…"));
  try {
    const { state: how } = await (await fetch(`/v1/jobs/${job}`)).json();
    if (ENDED.includes(how)) return; // a browser reports the refusal to stop what has ended as an error
    const response = await fetch(`/v1/jobs/${job}`, { method: "DELETE" });
    if (response.ok || response.status === CONFLICT) return; // it has ended meanwhile
    throw new Error(`${response.status} ${response.statusText}`);
  } catch (error) {
    $("stop").disabled = false;
    $("fault").textContent = wording(error);
    $("fault").hidden = false;
  }
}

// ---- candidates

// movesOf returns the line as people write it. A result that does not have it is asked about.
async function movesOf(one) {
  const known = label(one, "moves");
  if (known) return known;
  const text = `position sfen ${one.sfen} moves ${one.moves.join(" ")}`;
  const response = await post("/v1/read", text, { type: "text/plain; charset=utf-8" });
  return label((await response.json()).records[0], "moves");
}

const query = (one) =>
  `sfen=${escapeSFEN(one.sfen)}&plies=${one.plies}&moves=${escapeSFEN(one.moves.join(" "))}`;

function tags(one) {
  const all = (one.themes ?? []).map((id) => [names.themes[id] ?? id, ""]);
  if (one.strict) all.unshift([t("完全限定", "strict"), "strict"]);
  return make("ul", { className: "tags", "aria-label": t("手筋・趣向", "Themes") },
    ...all.map(([textContent, className]) => make("li", { textContent, className })));
}

async function add(one) {
  const n = found.push(one), lang = t("ja", "en");
  const title = `${n}. ${tell("mate_in", { plies: tell("plies", { low: one.plies }) })}`;
  const id = `candidate-${n}`;
  const line = make("p", { className: "line" });
  const picture = `/v1/diagram.svg?sfen=${escapeSFEN(one.sfen)}&size=200&hands=hide&lang=${lang}`;
  const image = make("picture", {},
    make("source", { media: "(prefers-color-scheme: dark)", srcset: `${picture}&theme=dark` }),
    make("img", { src: picture, alt: "", width: 200, height: 241, loading: "lazy" }));
  const take = make("button", { type: "button", textContent: t("盤に移す", "Take to the board") });
  take.addEventListener("click", () => takeOver(one, item));
  const reporting = make("button", { type: "button", textContent: t("検討結果", "Report"), "aria-expanded": "false" });
  const box = make("div", { className: "report", hidden: true });
  reporting.addEventListener("click", () => report(one, reporting, box));
  const study = make("a", {
    className: "button", href: `/study?${query(one)}${main.dataset.look}`, textContent: t("検討", "Study"),
  });
  for (const node of [take, reporting, study]) node.setAttribute("aria-describedby", id);
  const changed = (one.changes ?? []).map((change) =>
    make("li", { textContent: change[t("ja", "en")] ?? change }));
  const item = make("li", { className: "candidate" },
    make("a", { href: `/p?${query(one)}${main.dataset.look}`, tabIndex: -1, "aria-hidden": "true" }, image),
    make("div", { className: "about" },
      make("h3", { id, textContent: title }), tags(one),
      ...(changed.length > 0 ? [make("ul", { className: "changes", "aria-label": t("変更", "Changes") }, ...changed)] : []),
      ...(one.fit ? [make("p", { className: "hint fit", textContent: one.fit[t("ja", "en")] })] : []),
      line, make("div", { className: "do" }, take, reporting, study)),
    box);
  $("candidates").append(item);
  tellState(t(`${n}図目：${one.plies}手詰。`, `Number ${n}: mate in ${one.plies}.`));
  saidAt = performance.now();
  try {
    line.append(...lineOf((await movesOf(one)).map((move) => move.replace("　", ""))));
  } catch {
    line.append(...lineOf(one.moves));
  }
}

// takeOver puts a problem on the board, to go on from it. The editor can undo that.
function takeOver(one, item) {
  for (const other of document.querySelectorAll(".candidate[aria-current]")) other.removeAttribute("aria-current");
  item.setAttribute("aria-current", "true");
  marks.clear();
  board.setAttribute("sfen", one.sfen);
  fields.moves.value = one.moves.join(" ");
  put(one.sfen);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  board.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
  say(t("盤に移しました。", "It is on the board."));
}

// report shows what the analysis of a problem says, and takes it away again.
async function report(one, button, box) {
  const isShown = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isShown));
  box.hidden = isShown;
  if (isShown || box.hasChildNodes()) return;
  const wait = make("p", { className: "hint", role: "status", textContent: t("調べています…", "Looking…") });
  box.append(wait);
  try {
    const request = { sfen: one.sfen, line: one.moves, profile: one.strict ? "strict" : "magazine" };
    const answer = await ask("/v1/analyze", request, undefined, () => {});
    box.replaceChildren(verdictBox(answer), ...rulesPart(answer, true));
    compare({ sfen: one.sfen, line: one.moves })
      .then((found) => box.append(...likenessPart(found)), () => {}); // the report stands without it
  } catch (error) {
    wait.className = "fault";
    wait.textContent = wording(error);
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => box.replaceChildren(), { once: true, capture: true });
  }
}

// ---- the board and the form

// own returns the address of the page as it is.
function own() {
  const moves = method() === "repair" && !isMisprinted() && fields.moves.value.trim();
  const line = moves ? `&moves=${escapeSFEN(moves)}` : "";
  return `/compose?method=${method()}&sfen=${escapeSFEN(state.sfen)}${line}${main.dataset.look}`;
}

// put takes another position as that of the page. The search that is shown stays in its address.
function put(sfen) {
  state.sfen = sfen;
  history.replaceState(null, "", own() + location.hash);
  tellMarks();
}

board.addEventListener("tsume-edit", (event) => {
  fields.moves.value = ""; // it is the line of another problem
  put(event.detail.sfen);
});

const modeButtons = document.querySelectorAll("[data-marking]");

function setMarking(is) {
  marks.setMarking(is);
  for (const button of modeButtons) {
    button.setAttribute("aria-pressed", String((button.dataset.marking === "on") === is));
  }
}

for (const button of modeButtons) {
  button.addEventListener("click", () => setMarking(button.dataset.marking === "on"));
}

// canMark reports whether squares mean something to the method.
const canMark = () => ["place", "shape"].includes(method());

// tellMarks says what is free, as the method takes it.
function tellMarks() {
  const cells = marks.cells(), squares = squaresOf(state.sfen), { pieces, empty } = freeOf(squares);
  const clearing = make("button", { type: "button", className: "inline", textContent: t("選択を解除", "Clear the marks") });
  clearing.addEventListener("click", () => {
    marks.clear();
    board.focus();
  });
  const spoken = (cell) => marks.spoken(cell);
  const words = {
    hands: () => t("変わるのは攻方の持駒だけです。", "Only the attacker’s hand is free."),
    place: () => sentences(
      fields.what.value === "piece" && (pieces.length > 0
        ? t(`動かす駒：${pieces.map(spoken).join("、")}。`, `Moves: ${pieces.map(spoken).join("; ")}.`)
        : t("動かす駒はまだありません。", "No piece may move yet.")),
      empty.length > 0
        ? t(`置けるマス：${empty.length}。`, `Squares: ${empty.length}.`)
        : t("置けるマス：空いているマスすべて。", "Squares: all that are empty.")),
    shape: () => (cells.length > 0
      ? t(`選んだ${cells.length}マスの形。`, `The picture of ${cells.length} squares.`)
      : t("指定の字の形。盤の駒は使いません。", "The letter. What is on the board is not used.")),
    repair: () => t("盤上の駒も持駒も、すべて変わることがあります。", "Any piece of the board and of the hands may change."),
  }[method()]();
  $("marked").replaceChildren(words, ...(cells.length > 0 && canMark() ? [" ", clearing] : []));
}

function choose() {
  for (const part of form.querySelectorAll("[data-of]")) part.hidden = part.dataset.of !== method();
  for (const part of form.querySelectorAll("[data-what]")) part.hidden = part.dataset.what !== fields.what.value;
  for (const button of modeButtons) button.disabled = button.dataset.marking === "on" && !canMark();
  if (!canMark()) setMarking(false);
  marks.setShown(canMark());
  $("go").textContent = method() === "repair" ? t("修正する", "Mend it") : t("探す", "Search");
  tellMarks();
  tellConditions();
}

// tellConditions says beside their heading what the conditions are, as they are folded.
function tellConditions() {
  const themes = chosen("theme").map((id) => names.themes[id]);
  const parts = method() === "repair" && !areConditionsOpen() ? []
    : [t(`${value("least")}–${value("most")}手`, `${value("least")}–${value("most")} plies`)];
  if (value("pieces")) parts.push(t(`${value("pieces")}枚まで`, `up to ${value("pieces")} pieces`));
  if (fields.strict.checked) parts.push(t("完全限定", "strict"));
  $("conditions-note").textContent = [...parts, ...themes].join(t("・", ", "));
}

form.addEventListener("change", choose);
form.querySelector(".conditions").addEventListener("toggle", tellConditions);
marks.changes.addEventListener("change", tellMarks);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
$("stop").addEventListener("click", stop);

$("use").addEventListener("click", async () => {
  $("text-fault").hidden = true;
  try {
    const response = await post("/v1/read", $("text").value, { type: "text/plain; charset=utf-8" });
    const [{ sfen, first: start, moves }] = (await response.json()).records;
    marks.clear();
    board.setAttribute("sfen", sfen);
    fields.moves.value = start === sfen ? moves.join(" ") : "";
    put(sfen);
    board.scrollIntoView({ block: "nearest" });
    say(t("局面を置きました。", "The position is on the board."));
  } catch (error) {
    tellFault(error);
  }
});

choose();
const hash = location.hash.slice(1);
if (hash.startsWith("job=")) {
  begin();
  follow(hash.slice("job=".length));
} else if (hash.startsWith("misprint=")) {
  fields.moves.value = decodeURIComponent(hash.slice("misprint=".length));
  misprinted = fields.moves.value; // in one line, as a field has it
  choose();
  if (document.referrer.startsWith(location.origin + "/")) search();
} else if (hash === "start" && document.referrer.startsWith(location.origin + "/")) {
  search(); // a page of this service asked for it; a link from elsewhere only shows the form
}
