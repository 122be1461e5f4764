// Solving: a move of the reader, the reply of the best defence, hints and the answer. The line of
// the page is followed as long as the reader does; beyond it the server is asked. In a game any
// move will do, and a level of the server replies.

import type { Client, Failure, GameAnswer, Host, MovesAnswer, Report, SolveAnswer } from "./api";
import type { Board } from "./board";
import { isStill } from "./dom";
import { type Part, say } from "./language";
import { later } from "./later";
import { nameOf, squareText, typed, write } from "./notation";
import {
  after, inCheck, isMate, isSquare, legal, type Move, NOWHERE, parseMoves, pieceAt, toSFEN,
  usi,
} from "./rules";
import { HINT_STEPS } from "./state";
import * as T from "./text";

// What became of a move of the reader; gone is one that was overtaken by something else.
export type Outcome =
  "replied" | "solved" | "over" | "wrong" | "unknown" | "failed" | "illegal" | "gone";

// In ms: how long the reader's own move is seen before the reply, and how long a reply may take
// before the board says that it is looking for it. Most answers come before that could be read.
const REPLY_PAUSE = 60, SILENCE = 200;
// How long a refutation is seen before it is taken back, in ms.
const REFUTATION_TIME = 2_000;

const FAILURES: { [code: string]: string } = {
  busy: T.busy, refused: T.refused, limit: T.limit, offline: T.offline,
};

const DEFAULT_LEVEL = "club";

export interface Play {
  useServer_(url: string): void;
  attempt_(m: Move): Promise<Outcome>;
  reply_(): Promise<Outcome>;
  stopped_(again: () => unknown, words: string): void;
  retry_(): unknown; // what was stopped
  // What the page can do, as the reader can.
  play_(text: string): Promise<Outcome>;
  takeBack_(): void;
  hint_(): Promise<number>;
  showAnswer_(): Promise<boolean>;
}

export function createPlay(board: Board): Play {
  const { state_: s } = board;
  let server: string, client: Client;
  let retry: () => unknown = () => board.load_();

  const advance = (m: Move, by: "reader" | "defender" | "level", score?: object): void => {
    s.setLine_([...s.line_, m]);
    board.render_();
    board.surface_.slide_(m, m[0]);
    board.moved_(by, score);
  };

  const attempt = async (m: Move): Promise<Outcome> => {
    if (!s.canPlay_()) return "illegal";
    const n = s.line_.length, text = s.written_(n, m);
    s.picked_ = NOWHERE;
    s.forgetHint_();
    if (!s.isGame_() && !inCheck(after(s.now_(), m))) return wrong(m, T.noCheck, () => [text]);
    advance(m, "reader");
    if (s.isGame_() || !isMate(s.now_())) return reply();
    s.phase_ = "solved";
    board.tell_("good", s.hints_ ? T.solvedWith : T.solved, () => [n + 1, s.hints_]);
    board.emit_("solved", {
      sfen: toSFEN(s.start_), moves: s.line_.map(usi), plies: n + 1, hints: s.hints_,
      wrong: s.wrongs_,
    });
    if (!s.follows_()) classify().catch(() => {}); // else the page knows its line
    return "solved";
  };

  // classify says more of the moves that mated. Not every server can.
  const classify = async (): Promise<void> => {
    const current = s.stop_;
    const answer = await client("analyze", s.start_, s.attacker_, current.signal);
    if (!("verdict" in answer) || answer.verdict !== "mate") return;
    const { classified } = await later<typeof import("./ended")>("ended");
    // The reader may look at the line by now.
    const isOver = current !== s.stop_ || s.ply_ < s.line_.length;
    if (!isOver) board.tell_("good", ...classified(board, answer as Report));
  };

  // reply plays the defender's best move, or shows that the reader's was wrong. In a game it plays
  // the move of the level, or says how the game has ended.
  const reply = async (): Promise<Outcome> => {
    const current = s.stop_, n = s.line_.length;
    const pause = new Promise((done) => setTimeout(done, isStill() ? 0 : REPLY_PAUSE));
    const texts = (): Part[] => [n ? s.written_(n - 1) : "", s.line_[n] ? s.written_(n) : ""];
    s.phase_ = "thinking";
    // What was said before is about another position.
    s.message_ = { mood_: "", words_: T.replied, parts_: texts };
    board.render_();
    let m = s.follows_() ? s.author_[n] : undefined, escapes = false;
    let game: GameAnswer | undefined;
    if (!m) {
      const slow = setTimeout(() => current === s.stop_ && board.tell_("", T.thinking), SILENCE);
      const what = s.isGame_() ? "play" : "moves";
      const found = await ask<MovesAnswer & GameAnswer>(what, reply);
      clearTimeout(slow);
      if (!found) return current === s.stop_ ? "failed" : "gone";
      if (found.verdict === "unknown") {
        stopped(reply, T.unknown);
        return "unknown";
      }
      if (found.kind) game = found;
      escapes = found.verdict === "nomate";
      const next = game ? game.move : found.moves[0]!.move;
      m = legal(s.now_()).find((l) => usi(l) === next);
    }
    await pause;
    if (current !== s.stop_) return "gone";
    if (m) advance(m, game ? "level" : "defender", game?.score);
    if (game?.outcome) return over(game);
    if (!escapes) {
      s.phase_ = "play";
      board.tell_("", T.replied, texts);
      return "replied";
    }
    s.phase_ = "wrong";
    const lost = s.positions_.slice(-3), moves = s.line_.slice(-2), before = s.line_[n - 2]?.[1];
    if (!n) return wrong(undefined, T.noMate, texts, m);
    const refuted = (): Part[] =>
      [write(lost[0]!, moves[0]!, before), write(lost[1]!, moves[1]!, moves[0]![1])];
    wrong(moves[0], T.wrong, refuted, m);
    if (board.attribute_("wrong") === "stay") {
      s.message_.note_ = T.again;
      board.render_();
      board.announce_(`${say(T.wrong, 1, ...refuted())} ${say(T.againByKey)}`);
    } else setTimeout(() => current === s.stop_ && slideBack(moves), REFUTATION_TIME);
    return "wrong";
  };

  // slideBack takes a refuted move back. What refuted it stays written.
  const slideBack = (moves: Move[]): void => {
    const message = s.message_;
    takeBack();
    s.message_ = { ...message, note_: T.back };
    board.render_();
    for (const [from, to] of moves) board.surface_.slide_([to, from, 0], to);
  };

  // over ends a game.
  const over = async (answer: GameAnswer): Promise<Outcome> => {
    const { outcome, winner } = answer, current = s.stop_;
    s.phase_ = "over";
    board.render_();
    board.emit_("over", { outcome, winner, sfen: toSFEN(s.now_()), moves: s.played_() });
    await board.later_("ended", (file: typeof import("./ended")) => {
      if (current === s.stop_) file.over(board, answer);
    });
    return "over";
  };

  // wrong says why a move of the reader is none that mates.
  const wrong = (
    m: Move | undefined, words: string, parts: () => Part[], refutation?: Move,
  ): Outcome => {
    s.wrongs_++;
    board.tell_("bad", words, parts);
    board.emit_("wrong", {
      move: m && usi(m), reason: refutation ? "refuted" : "no-check",
      refutation: refutation && usi(refutation), text: say(words, 0, ...parts()),
      sfen: toSFEN(s.now_()),
    });
    return "wrong";
  };

  const stopped = (again: () => unknown, words: string): void => {
    s.phase_ = "stopped";
    retry = again;
    board.tell_("bad", words);
  };

  // ask asks the server about the position on the board, and tells the reader if there is no
  // answer.
  const ask = async <T>(
    what: "solve" | "moves" | "play", again: () => unknown,
  ): Promise<T | undefined> => {
    const current = s.stop_;
    const game = what === "play" ? {
      sfen: [toSFEN(s.start_), "moves", ...s.played_()].join(" "),
      level: board.attribute_("level") || DEFAULT_LEVEL,
    } : undefined;
    const answer = await client(what, s.now_(), s.attacker_, s.stop_.signal, game);
    if (current !== s.stop_) return undefined;
    if (!("code" in answer)) return answer as T;
    const repeat = (): void => {
      s.phase_ = "play";
      again();
    };
    stopped(repeat, FAILURES[answer.code]!);
    board.emit_("error", answer);
    return undefined;
  };

  // bestLine asks for the moves of the shortest mate from here, and tells the reader if there is
  // none.
  const bestLine = async (again: () => unknown): Promise<Move[] | undefined> => {
    s.phase_ = "thinking";
    board.tell_("", T.thinking);
    const found = await ask<SolveAnswer>("solve", again);
    if (!found) return undefined;
    s.phase_ = "play";
    if (found.verdict === "mate") return parseMoves(s.now_(), found.moves.join(" "));
    board.tell_("bad", found.verdict === "nomate" ? T.noMate : T.unknown);
    return undefined;
  };

  const play = async (text: string): Promise<Outcome> => {
    board.settle_();
    const found = s.canPlay_() ? typed(s.now_(), text, s.previousTarget_()) : [];
    return found.length === 1 ? attempt(found[0]!) : "illegal";
  };

  // takeBack takes back the reader's last move, and what was replied to it.
  const takeBack = (): void => {
    board.settle_();
    const n = s.lastMove_(), byKeyboard = board.isOnGrid_();
    if (!s.isSolving_() || (s.replays_() && s.phase_ !== "over") || n < 0) return;
    const [from] = s.line_[n]!;
    s.interrupt_();
    s.setLine_(s.line_.slice(0, n));
    s.phase_ = "play";
    board.tell_("", T.back);
    if (byKeyboard) board.surface_.focus_(from);
  };

  // hint gives the next step of a hint and returns its number, 0 if there is none.
  const hint = async (): Promise<number> => {
    board.settle_();
    if (!s.canPlay_() || s.isGame_()) return 0;
    if (!s.hintMove_) {
      const current = s.stop_;
      const found = (s.follows_() && s.author_[s.line_.length]) || (await bestLine(hint))?.[0];
      if (current !== s.stop_ || !found) return 0;
      s.hintMove_ = found;
    }
    if (!s.canPlay_()) return 0;
    if (s.hintStep_ < HINT_STEPS) {
      s.hints_++;
      board.emit_("hint", { step: ++s.hintStep_ });
    }
    const m = s.hintMove_, [from, to] = m, n = s.line_.length;
    const piece = pieceAt(s.positions_[n]!, from);
    const isLast = s.hintStep_ === HINT_STEPS;
    s.picked_ = NOWHERE;
    board.tell_("", [T.hint1, T.hint2, T.hint3][s.hintStep_ - 1]!, () => {
      if (isLast) return [s.written_(n, m)];
      const place = isSquare(from) ? squareText(from) : say(T.inHand);
      return [say(T.owned, 0, place, nameOf(piece)), squareText(to)];
    });
    return s.hintStep_;
  };

  // showAnswer makes the solution what can be replayed, and returns whether there is one.
  const showAnswer = async (): Promise<boolean> => {
    board.settle_();
    if (!s.isSolving_() || s.isGame_() || s.isBad_ || s.phase_ === "answer") return false;
    s.interrupt_();
    let moves: Move[] | undefined = s.author_;
    if (!moves.length) {
      s.setLine_([]);
      moves = await bestLine(showAnswer);
      if (!moves) return false;
    }
    s.phase_ = "answer";
    s.setLine_(moves, 0);
    board.describe_();
    board.emit_("answer", { moves: moves.map(usi) });
    return true;
  };

  const useServer = (url: string): void => {
    if (url === server) return;
    server = url;
    let loaded: Promise<Client> | undefined;
    // load fetches the client ahead of the first question where there will be one.
    const load = (): Promise<Client> => loaded ??= later<typeof import("./api")>("api")
      .then((file) => file.createClient(board.host_ as Host, url));
    client = (...question) => load().then((ask) => ask(...question), (detail): Failure => {
      loaded = undefined;
      return { code: "offline", detail };
    });
    if (s.isSolving_()) load().catch(() => (loaded = undefined));
  };

  return {
    useServer_: useServer, attempt_: attempt, reply_: reply, stopped_: stopped,
    retry_: () => retry(), play_: play, takeBack_: takeBack, hint_: hint, showAnswer_: showAnswer,
  };
}
