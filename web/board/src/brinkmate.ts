// Brinkmates: the reader attacks, by checks and threats, and the best defence replies, until no reply
// helps. Then the reader may try any reply, and sees how it is mated.

import type { ThreatAnswer } from "./api";
import { BOX, inCheck, legal, type Move, PAWN, pile, ROOK, toSFEN, usi } from "./rules";
import { bestLine } from "./help";
import { advance, type Outcome, question, refute, wrong } from "./play";
import { attacksOf, attribute, setLine, type State, written } from "./state";
import * as T from "./text";
import { emit, stopped, tell } from "./view";

const start = "必至をかけてください。王手でない手も指せます。|Attack until no reply helps: a brinkmate.";
const replied = "{0}　{1}　攻めを続けてください。|{0}　{1}　Go on attacking.";
const solved = "{0}手必至です。どう受けても詰みます。受けてみてください。|A brinkmate in {0}. No reply helps: try one.";
const solvedWith = "{0}手必至です（ヒント{1}回）。受けてみてください。|A brinkmate in {0}. Hints: {1}. Try a reply.";
const noThreat = "{0}は王手でも詰めろでもありません。|{0} neither checks nor threatens mate.";
const holds = "{0}には{1}で受かります。|{0} is no brinkmate: {1}.";
const late = "{0}では{1}手以内の必至になりません。|{0} makes no brinkmate in {1}.";
const isMate = "詰みがある局面です。|There is a mate here.";
const matedIn = "{0}には{1}手で詰みます。|{0} is mated in {1}.";

// begin gives the defender what the diagram lacks, for the best defence may drop it.
export const begin = (s: State): Outcome => {
  for (let kind = PAWN; kind <= ROOK; kind++) {
    s.start[pile(1 - s.attacker, kind)]! += s.start[pile(BOX, kind)]!;
    s.start[pile(BOX, kind)] = 0;
  }
  tell(s, "", start);
  return "replied";
};

// defend answers the attack that the reader has played: with the best defence, with the reply that
// refutes it, or with none, since none helps.
export const defend = async (s: State): Promise<Outcome> => {
  const current = s.stop, n = s.line.length - 1, attack = s.line[n]!, before = s.positions[n]!;
  const again = (): unknown => defend(s);
  const failed = (): Outcome => (current === s.stop ? "failed" : "gone");
  const ask = (attacks: number, p = before, move?: string): Promise<ThreatAnswer | undefined> =>
    question<ThreatAnswer>(s, "threat", again, { question: "brinkmate", attacks, move }, p);
  s.phase = "thinking";
  tell(s, "", T.thinking);
  let attacks = attacksOf(s);
  if (!attribute(s, "plies")) {
    const whole = await ask(attacks, s.start);
    if (!whole) return failed();
    attacks = whole.attacks ?? attacks;
  }
  const left = attacks - n / 2, found = await ask(left, before, usi(attack));
  if (!found) return failed();
  const { verdict, moves = [], refutation } = found, text = written(s, n);
  const parts = (): [typeof text, typeof text] => [text, written(s, n + 1)];
  const answer = (move: string): Move => {
    const m = legal(s.positions[n + 1]!).find((l) => usi(l) === move)!;
    advance(s, m, "defender");
    return m;
  };
  if (verdict === "unknown") {
    stopped(s, again, T.unknown);
    return "unknown";
  }
  if (verdict === "brinkmate" && moves[1]) {
    answer(moves[1]);
    s.phase = "play";
    tell(s, "", replied, parts);
    return "replied";
  }
  if (verdict === "brinkmate") return complete(s);
  if (refutation) return refute(s, answer(refutation.move), parts, holds);
  const isCheck = inCheck(s.positions[n + 1]!); // the last attack may be none
  setLine(s, s.line.slice(0, n));
  s.phase = "play";
  const words = verdict === "mate" ? isMate : isCheck ? late : noThreat;
  return wrong(s, attack, words, () => [text, 2 * attacks - 1]);
};

// complete says that no reply helps, and lets the reader try.
const complete = (s: State): Outcome => {
  const plies = s.attacks = s.line.length, { hints } = s;
  s.phase = "tries";
  tell(s, "good", hints ? solvedWith : solved, () => [plies, hints]);
  emit(s, "solved", {
    sfen: toSFEN(s.start), moves: s.line.map(usi), plies, hints, wrong: s.wrongs,
  });
  return "solved";
};

// mated shows how the reply that the reader tries is mated.
export const mated = async (s: State): Promise<Outcome> => {
  const n = s.line.length, current = s.stop;
  const again = (): unknown => mated(s);
  const line = await bestLine(s, again);
  if (!line) return current === s.stop ? "failed" : "gone";
  s.phase = "tried";
  setLine(s, [...s.line, ...line], n);
  tell(s, "good", matedIn, () => [written(s, n - 1), line.length]);
  return "replied";
};
