// Solving: the moves of the reader, and the replies of the best defence. While the reader follows
// the author's line, the replies are those of that line; then the server is asked. In a game any
// legal move is accepted, and a level of the server replies. What is different about brinkmates is in
// brinkmate.ts; hints and the answer are in help.ts.

import type { Client, Failure, GameAnswer, Host, MovesAnswer } from "./api";
import { isStill } from "./dom";
import { type Part, say } from "./language";
import { later } from "./later";
import { write } from "./notation";
import { after, inCheck, isMate, isSquare, legal, type Move, NOWHERE, toSFEN, usi } from "./rules";
import {
  attribute, canPlay, follows, forgetHint, interrupt, isBrinkmate, isGame, isOnGrid,
  isSolving, lastMove, now, played, previousTarget, replays, setLine, type State, written,
} from "./state";
import * as T from "./text";
import { announce, emit, moved, render, stopped, tell, withFile } from "./view";

// What became of a move of the reader. gone: something else, such as a new position, overtook it.
export type Outcome =
  "replied" | "solved" | "over" | "wrong" | "unknown" | "failed" | "illegal" | "gone";

// In ms: how long the reader's own move is shown before the reply, and how long a reply may take
// before the board says that it is thinking. Most answers come too soon for that to be read.
const REPLY_PAUSE = 60, SILENCE = 200;
// How long a refutation is shown before it is taken back, in ms.
const REFUTATION_TIME = 2_000;

// atBrinkmate does what is different about brinkmates.
export const atBrinkmate = async (
  s: State, act: (file: typeof import("./brinkmate")) => Promise<Outcome> | Outcome,
  again: () => unknown,
): Promise<Outcome> => (await withFile(s, "brinkmate", act, again)) ?? "failed";

// advance adds a move to the line and shows it.
export const advance = (
  s: State, m: Move, by: "reader" | "defender" | "level", score?: object,
): void => {
  setLine(s, [...s.line, m]);
  render(s);
  s.surface.slide(m, m[0]);
  moved(s, by, score);
};

// attempt plays a legal move of the reader.
export const attempt = async (s: State, m: Move): Promise<Outcome> => {
  if (!canPlay(s)) return "illegal";
  const n = s.line.length, text = written(s, n, m);
  s.picked = NOWHERE;
  forgetHint(s);
  const takesAny = isGame(s) || isBrinkmate(s), isTry = s.phase === "tries";
  if (!takesAny && !inCheck(after(now(s), m))) return wrong(s, m, T.noCheck, () => [text]);
  advance(s, m, "reader");
  if (isTry) return atBrinkmate(s, (file) => file.mated(s), () => takeBack(s));
  return isGame(s) || !isMate(now(s)) ? reply(s) : solved(s);
};

// solved says that the moves of the reader have mated.
const solved = (s: State): Outcome => {
  const plies = s.line.length;
  s.phase = "solved";
  const words = s.hints ? T.solvedWith : s.raw?.solved ?? T.solved;
  tell(s, "good", words, () => [plies, s.hints, s.hints > 1 ? "s" : ""]);
  emit(s, "solved", {
    sfen: toSFEN(s.start), moves: s.line.map(usi), plies, hints: s.hints, wrong: s.wrongs,
  });
  // The author's line needs no judgement, and not every server can give one.
  const classify = (file: typeof import("./ended")): unknown => file.classify(s);
  if (!follows(s)) later<typeof import("./ended")>("ended").then(classify).catch(() => {});
  return "solved";
};

// authors returns the move of the author's line, if the reader follows that.
export const authors = (s: State): Move | undefined =>
  follows(s) ? s.author[s.line.length] : undefined;

// reply plays the defender's best move, or shows that the reader's was wrong. In a game it plays
// the move of the level, or says how the game has ended.
export const reply = async (s: State): Promise<Outcome> => {
  const current = s.stop, n = s.line.length, again = (): unknown => reply(s);
  if (isBrinkmate(s)) return atBrinkmate(s, (file) => file.defend(s), again);
  const pause = new Promise((done) => setTimeout(done, isStill() ? 0 : REPLY_PAUSE));
  const texts = (): Part[] => [n ? written(s, n - 1) : "", s.line[n] ? written(s, n) : ""];
  s.phase = "thinking";
  // The message before is about another position.
  s.message = { mood: "", words: T.replied, parts: texts };
  render(s);
  let m = authors(s), escapes = "", isMated = false;
  // Of an interposition that is taken at once the server knows whether it counts.
  const isTaken = m && !isSquare(m[0]) && s.author[n + 1]?.[1] === m[1];
  if (isTaken && !s.host.hasAttribute("raw")) m = undefined;
  let game: GameAnswer | undefined;
  if (!m) {
    const slow = setTimeout(() => current === s.stop && tell(s, "", T.thinking), SILENCE);
    const what = isGame(s) ? "play" : "moves";
    const found = await question<MovesAnswer & GameAnswer>(s, what, again);
    clearTimeout(slow);
    if (!found) return current === s.stop ? "failed" : "gone";
    if (found.verdict === "unknown") {
      stopped(s, again, T.unknown);
      return "unknown";
    }
    if (found.kind) game = found;
    isMated = found.length?.high === 0;
    const next = game ? game.move : found.moves[0]!.move;
    m = isMated ? undefined : legal(now(s)).find((l) => usi(l) === next);
    if (found.verdict === "nomate") escapes = found.refutes!(m!);
    if (found.raw && m && !isSquare(m[0])) s.raw ||= { ...found.raw, ply: n };
  }
  await pause;
  if (current !== s.stop) return "gone";
  if (isMated) return solved(s); // what could still be interposed does not count
  if (m) advance(s, m, game ? "level" : "defender", game?.score);
  if (game?.outcome) return over(s, game);
  if (escapes) return refute(s, m!, texts, escapes);
  s.phase = "play";
  tell(s, "", m && !isSquare(m[0]) && s.raw?.reply || T.replied, texts);
  return "replied";
};

// unmarked returns a move as it is shown, without the mark of its side, and as it is read out.
const unmarked = (...move: Parameters<typeof write>): [string, string] => {
  const [eye, ear] = write(...move);
  return [eye.slice(1), ear];
};

// refute says that the defender's move, which is on the board, refutes the reader's. It takes both
// back after REFUTATION_TIME, unless the attribute wrong is "stay".
export const refute = (
  s: State, refutation: Move, texts: () => Part[], words: string,
): Outcome => {
  s.phase = "wrong";
  const n = s.line.length - 1, current = s.stop;
  if (!n) return wrong(s, undefined, T.noMate, texts, refutation);
  const lost = s.positions.slice(-3), moves = s.line.slice(-2), before = s.line[n - 2]?.[1];
  const refuted = (): Part[] =>
    [unmarked(lost[0]!, moves[0]!, before), unmarked(lost[1]!, moves[1]!, moves[0]![1])];
  wrong(s, moves[0], words, refuted, refutation);
  if (attribute(s, "wrong") === "stay") {
    s.message.note = T.again;
    render(s);
    announce(s, `${say(words, 1, ...refuted())} ${say(T.againByKey)}`);
  } else setTimeout(() => current === s.stop && slideBack(s, moves), REFUTATION_TIME);
  return "wrong";
};

// slideBack takes a refuted move and its refutation back. The message about them stays.
const slideBack = (s: State, moves: Move[]): void => {
  const message = s.message;
  takeBack(s);
  s.message = { ...message, note: T.back };
  render(s);
  for (const [from, to] of moves) s.surface.slide([to, from, 0], to);
};

// over ends a game.
const over = async (s: State, answer: GameAnswer): Promise<Outcome> => {
  const { outcome, winner } = answer, current = s.stop;
  s.phase = "over";
  render(s);
  emit(s, "over", { outcome, winner, sfen: toSFEN(now(s)), moves: played(s) });
  await withFile(s, "ended", (file: typeof import("./ended")) => {
    if (current === s.stop) file.over(s, answer);
  });
  return "over";
};

// wrong says why a move of the reader does not mate.
export const wrong = (
  s: State, m: Move | undefined, words: string, parts: () => Part[], refutation?: Move,
): Outcome => {
  s.wrongs++;
  tell(s, "bad", words, parts);
  emit(s, "wrong", {
    move: m && usi(m), reason: refutation ? "refuted" : "no-check",
    refutation: refutation && usi(refutation), text: say(words, 0, ...parts()),
    sfen: toSFEN(now(s)),
  });
  return "wrong";
};

// question asks the server about the position on the board. Without an answer it says why and
// returns undefined; it also does if something has overtaken the question.
export const question = async <T>(
  s: State, what: "solve" | "moves" | "play" | "threat", again: () => unknown, more: object =
    { start: s.start, played: played(s), author: authors(s), level: attribute(s, "level") },
  p = now(s),
): Promise<T | undefined> => {
  const current = s.stop;
  const answer = await s.client!(what, p, s.attacker, s.stop.signal, more);
  if (current !== s.stop) return undefined;
  if (!("code" in answer)) return answer as T;
  const repeat = (): void => {
    s.phase = "play";
    again();
  };
  const { code, detail, words } = answer;
  stopped(s, repeat, words || T.offline);
  emit(s, "error", { code, detail });
  return undefined;
};

// playText plays a move as people type it. One in USI needs no other file.
export const playText = async (s: State, text: string): Promise<Outcome> => {
  if (!canPlay(s)) return "illegal";
  const current = s.stop, before = s.line;
  let found = legal(now(s)).filter((m) => usi(m) === text);
  if (!found[0]) {
    found = await withFile(s, "typed", ({ typed }: typeof import("./typed")) =>
      typed(now(s), text, previousTarget(s))) ?? [];
    if (current !== s.stop || before !== s.line) return "gone";
  }
  return found.length === 1 ? attempt(s, found[0]!) : "illegal";
};

// takeBack takes back the reader's last move and the reply to it.
export const takeBack = (s: State): void => {
  const n = lastMove(s), byKeyboard = isOnGrid(s);
  if (!isSolving(s) || (replays(s) && !/over|tried/.test(s.phase)) || n < 0) return;
  const isTried = s.phase === "tried", kept = isTried ? s.attacks : n, [from] = s.line[kept]!;
  interrupt(s);
  setLine(s, s.line.slice(0, kept));
  s.phase = isTried ? "tries" : "play";
  tell(s, "", T.back);
  if (byKeyboard) s.surface.focus(from);
};

type Help = typeof import("./help");

// withHelp does what a reader asks for who does not get on, unless something else overtakes it.
const withHelp = async <T>(s: State, act: (file: Help) => Promise<T>, none: T): Promise<T> => {
  const current = s.stop;
  return (await withFile(s, "help", (file: Help) => current === s.stop && act(file))) || none;
};

// hint shows the next step of a hint and returns its number, 0 if there is no hint.
export const hint = (s: State): Promise<number> => withHelp(s, (file) => file.hint(s), 0);

// showAnswer sets the line to the solution, to be replayed, and returns whether there is one.
export const showAnswer = (s: State): Promise<boolean> =>
  withHelp(s, (file) => file.showAnswer(s), false);

// useServer sets the server that is asked.
export const useServer = (s: State, url: string): void => {
  if (url === s.server) return;
  s.server = url;
  let loaded: Promise<Client> | undefined;
  // load loads the file of the client once. A board for solving does so before the first question.
  const load = (): Promise<Client> => loaded ??= later<typeof import("./api")>("api")
    .then((file) => file.createClient(s.host as Host, url, () => tell(s, "", T.loading)));
  s.client = (...asked) => load().then((client) => client(...asked), (detail): Failure => {
    loaded = undefined;
    return { code: "offline", detail };
  });
  if (isSolving(s)) load().catch(() => (loaded = undefined));
};
