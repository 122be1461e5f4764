// What is said and can be done once a problem is solved or a game is over.

import type { GameAnswer, Report, Texts } from "./api";
import { html } from "./dom";
import { isJapanese, type Part, say } from "./language";
import { COLORS, usi } from "./rules";
import { attribute, type State } from "./state";
import * as T from "./text";
import { ask, emit, tell } from "./view";

// classified says how long the problem is by convention, and whether the moves that mated are its
// main line.
export function classified(s: State, report: Report): [words: string, parts: () => Part[]] {
  const text = <T>(t: Texts<T>): T => (isJapanese() ? t.text_ja : t.text_en);
  let found: Texts | undefined, words = T.main;
  for (const [i, m] of s.line.entries()) {
    const move = usi(m), node = report.attack[i / 2];
    if (move === report.line.moves[i]) continue;
    // What follows a futile drop is no part of the problem, whichever piece it is.
    const isFutile = report.futile.some(
      (f) => f.ply === i + 1 && f.move.slice(1) === move.slice(1),
    );
    found = node?.others.find((other) => other.move === move);
    if (!isFutile) words = i % 2 ? T.variation : T.otherMate;
    break;
  }
  const parts = (): Part[] => [text(report)[0]!, found ? text(found) : say(words), s.hints];
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
