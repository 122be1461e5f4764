// What is said and can be done once a problem is solved or a game is over.

import type { GameAnswer, Report, Texts } from "./api";
import { html } from "./dom";
import { isJapanese, type Part, say } from "./language";
import { COLORS, usi } from "./rules";
import { attribute, type State } from "./state";
import * as T from "./text";
import { ask, emit, tell } from "./view";

// classify says what the moves that mated are to the problem.
export async function classify(s: State): Promise<void> {
  const current = s.stop;
  const answer = await s.client!("analyze", s.start, s.attacker, current.signal, {
    line: s.author[0] && s.author.map(usi), policy: s.host.hasAttribute("raw") ? "F0" : undefined,
  });
  // The reader may look at the line by now.
  const isOver = current !== s.stop || s.ply < s.line.length;
  const isMate = "line" in answer && answer.verdict === "mate";
  if (isMate && !isOver) tell(s, "good", ...classified(s, answer));
}

// classified says how long the problem is by the count of the page, and what the moves that mated are
// to it: its main line, another way as long, an early mate, a longer way.
function classified(s: State, report: Report): [words: string, parts: () => Part[]] {
  const text = <T>(t: Texts<T>): T => (isJapanese() ? t.text_ja : t.text_en);
  const moves = s.line.map(usi), plies = moves.length, { line, lengths, policy } = report;
  const { low, high } = lengths[policy] ?? lengths.F0!;
  const { author } = report; // whose line may be none to a mate
  const authors = +attribute(s, "plies") || (author?.finding !== "fault" && author?.plies) || 0;
  const at = moves.findIndex((move, i) => move !== line.moves[i]), isReader = at % 2 === 0;
  const found = isReader && report.attack[at / 2]?.others.find((other) => other.move === moves[at]);
  // A reply by the raw count may be a futile drop. What follows it is no part of the problem,
  // whichever piece it is.
  const isFutile = at % 2 === 1 && report.futile.some(
    (f) => f.ply === at + 1 && f.move.slice(1) === moves[at]!.slice(1),
  );
  const isLonger = low === high && plies > high;
  const isSame = low === high && plies === high;
  let words = isReader ? T.otherMate : T.variation; // nothing of the main line
  if (plies < authors) words = T.early;
  else if (at < 0 || isFutile) words = T.nothing;
  else if (isLonger) words = s.raw ? T.rawLonger : T.longer;
  else if (isSame) words = isReader ? T.sameLength : T.equal;
  if (isFutile && isLonger) words = T.rawLonger;
  const numbers = words === T.early ? authors : high;
  const parts = (): Part[] => {
    const said = [say(words, 0, numbers, plies), found ? text(found) : ""].filter(Boolean);
    const [before, after] = isJapanese() ? ["。", "。"] : [". ", "."];
    return [low === high ? say(T.startN, 0, high) : text(report)[0]!,
      said[0] ? before + said.join(before) + after : "", s.hints, s.hints > 1 ? "s" : ""];
  };
  return [s.hints ? T.solvedAsWith : T.solvedAs, parts];
}

// over says how a game has ended.
export function over(s: State, { outcome, winner }: GameAnswer): void {
  const isWon = winner === COLORS[s.attacker];
  const result = isWon ? T.won : winner ? T.lost : T.drawn;
  tell(s, isWon ? "good" : winner ? "bad" : "", T.over,
    () => [say(T.ends[outcome!]!), say(result)]);
}

// giveUp asks whether the reader wants the answer, and shows it then.
export async function giveUp(s: State, show: (s: State) => unknown): Promise<void> {
  const yes = html("button", { value: "yes" }, say(T.bAnswer));
  const no = html("button", { class: "main" }, say(T.goOn));
  if (await ask(s, say(T.bAnswer), [html("p", {}, say(T.giveUp)), no, yes])) show(s);
}

// goToNext goes to the next problem, unless the page does that itself.
export function goToNext(s: State): void {
  const next = attribute(s, "next"), base = document.baseURI;
  if (!emit(s, "next", { next }) || !next || !URL.canParse(next, base)) return;
  const url = new URL(next, base);
  if (/^http/.test(url.protocol)) location.assign(url);
}

// share hands the address of the page to the reader's device, or copies it. Where neither is
// allowed, the reader sees it.
export async function share(s: State): Promise<void> {
  const url = attribute(s, "share"), base = document.baseURI;
  const address = url && URL.canParse(url, base) ? new URL(url, base).href : location.href;
  try {
    if (navigator.share) return await navigator.share({ url: address, title: document.title });
    await navigator.clipboard.writeText(address);
    tell(s, "good", T.copied);
  } catch (e) {
    if ((e as Error).name !== "AbortError") tell(s, "", T.address, () => [address]);
  }
}
