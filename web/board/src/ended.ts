// What is said and can be done once a problem is solved or a game is over.

import type { GameAnswer, Report, Texts } from "./api";
import type { Board } from "./board";
import { isJapanese, type Part, say } from "./language";
import { COLORS, usi } from "./rules";
import * as T from "./text";

// classified says how long the problem is by convention, and whether the moves that mated are its
// main line.
export function classified(board: Board, report: Report): [words: string, parts: () => Part[]] {
  const { state_: s } = board;
  const text = <T>(t: Texts<T>): T => (isJapanese() ? t.text_ja : t.text_en);
  let found: Texts | undefined, words = T.main;
  for (const [i, m] of s.line_.entries()) {
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
  const parts = (): Part[] => [text(report)[0]!, found ? text(found) : say(words), s.hints_];
  return [s.hints_ ? T.solvedAsWith : T.solvedAs, parts];
}

// over says how a game has ended.
export function over(board: Board, { outcome, winner }: GameAnswer): void {
  const { state_: s } = board, isWon = winner === COLORS[s.attacker_];
  const result = isWon ? T.won : winner ? T.lost : T.drawn;
  board.tell_(isWon ? "good" : winner ? "bad" : "", T.over,
    () => [say(T.ends[outcome!]!), say(result)]);
}

// share hands the address of the page to the reader's device, or copies it. Where neither is
// allowed, the reader sees it.
export async function share(board: Board): Promise<void> {
  const url = board.attribute_("share"), base = document.baseURI;
  const address = url && URL.canParse(url, base) ? new URL(url, base).href : location.href;
  try {
    if (navigator.share) return await navigator.share({ url: address, title: document.title });
    await navigator.clipboard.writeText(address);
    board.tell_("good", T.copied);
  } catch (e) {
    if ((e as Error).name !== "AbortError") board.tell_("", T.address, () => [address]);
  }
}
