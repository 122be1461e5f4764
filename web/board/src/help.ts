// Hints, and the answer: what a reader asks for who does not get on.

import type { SolveAnswer } from "./api";
import { say } from "./language";
import { nameOf, squareText } from "./notation";
import { authors, question } from "./play";
import { isSquare, type Move, NOWHERE, parseMoves, pieceAt, usi } from "./rules";
import {
  attacksOf, canPlay, HINT_STEPS, interrupt, isBrinkmate, isGame, isSolving, now, setLine,
  type State, written,
} from "./state";
import * as T from "./text";
import { describe, emit, tell } from "./view";

// aim returns what is asked instead of a mate: a brinkmate in the attacks that are left.
const aim = (s: State): object | undefined =>
  isBrinkmate(s) ? { question: "brinkmate", attacks: attacksOf(s) - s.line.length / 2 } : undefined;

// bestLine asks for the moves of the shortest mate from the position on the board, or for those of
// the aim. If there is none it says so and returns undefined.
export const bestLine = async (
  s: State, again: () => unknown, more?: object,
): Promise<Move[] | undefined> => {
  s.phase = "thinking";
  tell(s, "", T.thinking);
  const found = await question<SolveAnswer>(s, more ? "threat" : "solve", again, more);
  if (!found) return undefined;
  s.phase = "play";
  const moves = found.length?.moves ?? found.moves;
  if (moves) return parseMoves(now(s), moves.join(" "));
  tell(s, "bad", found.verdict === "nomate" ? T.noMate : T.unknown);
  return undefined;
};

// hint shows the next step of a hint and returns its number, 0 if there is no hint.
export const hint = async (s: State): Promise<number> => {
  if (!canPlay(s) || isGame(s) || s.phase === "tries") return 0;
  if (!s.hintMove) {
    const current = s.stop;
    const found = authors(s) || (await bestLine(s, () => hint(s), aim(s)))?.[0];
    if (current !== s.stop || !found) return 0;
    s.hintMove = found;
  }
  if (!canPlay(s)) return 0;
  if (s.hintStep < HINT_STEPS) {
    s.hints++;
    emit(s, "hint", { step: ++s.hintStep });
  }
  const m = s.hintMove, [from, to] = m, n = s.line.length;
  const piece = pieceAt(s.positions[n]!, from);
  const isLast = s.hintStep === HINT_STEPS;
  s.picked = NOWHERE;
  tell(s, "", [T.hint1, T.hint2, T.hint3][s.hintStep - 1]!, () => {
    if (isLast) return [written(s, n, m)];
    const place = isSquare(from) ? squareText(from) : say(T.inHand);
    return [say(T.owned, 0, place, nameOf(piece)), squareText(to)];
  });
  return s.hintStep;
};

// showAnswer sets the line to the solution, to be replayed, and returns whether there is one.
export const showAnswer = async (s: State): Promise<boolean> => {
  if (!isSolving(s) || isGame(s) || s.isBad || s.phase === "answer") return false;
  interrupt(s);
  let moves: Move[] | undefined = s.author;
  if (!moves.length) {
    setLine(s, []);
    moves = await bestLine(s, () => showAnswer(s), aim(s));
    if (!moves) return false;
  }
  s.phase = "answer";
  setLine(s, moves, 0);
  describe(s);
  emit(s, "answer", { moves: moves.map(usi) });
  return true;
};
