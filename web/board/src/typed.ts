// What becomes of a text that is typed. The file is loaded when the first is.

import { html } from "./dom";
import { say } from "./language";
import { nameOf } from "./notation";
import type { Move } from "./rules";
import { now, previousTarget, type State, written } from "./state";
import * as T from "./text";
import { typed, whyNot } from "./typing";
import { ask, setLanguage, tell } from "./view";

export { typed };

// accept returns the moves that a text means, which differ in promotion alone. If it may mean others,
// the reader is asked which; if it means none, it says why and returns nothing.
export const accept = async (s: State, text: string): Promise<Move[] | undefined> => {
  const p = now(s), previous = previousTarget(s), found = typed(p, text, previous);
  if (!found[0]) {
    const [words, piece] = whyNot(p, text, previous);
    tell(s, "bad", words, () => [text, piece ? nameOf(piece) : ""]);
    return;
  }
  if (found.every((m) => m[0] === found[0]![0] && m[1] === found[0]![1])) return found;
  setLanguage(s); // another board may have spoken since
  const button = (m: Move, value: number): Node =>
    html("button", { value }, written(s, s.line.length, m)[0]);
  const answer = await ask(s, say(T.which), found.map(button));
  return answer ? [found[+answer]!] : undefined;
};
