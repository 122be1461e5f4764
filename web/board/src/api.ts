// The client of the server: it asks for verdicts on positions and moves, and for the limits.

import { type Color, COLORS, isSquare, kingOf, type Move, type Position, SIDE, toSFEN, usi } from "./rules";
import { later } from "./later";
import * as T from "./text";

// A Length is that of a mate as books count it. It is known if both bounds are the same and there
// is no reason why it is not.
interface Length {
  low: number;
  high: number;
  reason?: string;
  moves?: string[]; // of a shorter line than the raw one
}

// A Counted is an answer that says the length of a mate as books count it. If that was wanted and not
// to be had, every legal move counts, and raw is what is said of an interposition, and at the end.
interface Counted {
  verdict: string;
  length?: Length;
  raw?: { reply: string; solved: string };
}

// A SolveAnswer is what POST /v1/solve says.
export interface SolveAnswer extends Counted {
  moves: string[]; // of a mate
}

// A MovesAnswer is what POST /v1/moves says.
export interface MovesAnswer extends Counted {
  // The best first: of the attacker's the shortest mate, of the defender's what escapes or resists
  // longest. Those that do not count, as futile, are last.
  moves: { move: string }[];
  refutes?: (m: Move) => string; // what is said of an escape
}

// A ThreatAnswer is what POST /v1/threat says.
export interface ThreatAnswer {
  verdict: string;
  attacks?: number;
  moves?: string[]; // of a brinkmate: up to the last attack
  refutation?: { move: string };
}

// A GameAnswer is what POST /v1/play says.
export interface GameAnswer {
  kind: string;
  move?: string;
  outcome?: string; // of the game, before the move or by it
  winner?: string;
  score?: object; // what the level thinks: an opinion
}

// A Texts is a sentence in both languages, or several.
export interface Texts<T = string> {
  text_ja: T;
  text_en: T;
}

// A Report is what POST /v1/analyze says of a mate, as far as it matters here.
export interface Report extends Texts<string[]> {
  verdict: string;
  policy: string;
  lengths: { [policy: string]: Length };
  line: { moves: string[] };
  author?: { finding: string; plies: number }; // what is futile is no part of plies
  attack: { move: string; others: ({ move: string } & Texts)[] }[];
  futile: { ply: number; move: string }[];
}

// A Failure is why there is neither: offline, busy, limit, refused or engine, and what the server or
// the browser says about it.
export interface Failure {
  code: string;
  detail: unknown;
  words?: string; // to the reader, if it is not offline
}

// Limits is what GET /v1/limits says, as far as it matters here.
interface Limits {
  max_time_ms: number;
  default_time_ms: number;
  max_wait_ms: number;
  analysis?: { max_time_ms: number }; // absent where no reports are offered
}

// Of a server that has no /v1/limits: what it takes if nobody configured it otherwise.
const USUAL: Limits = { max_time_ms: 10_000, default_time_ms: 2_000, max_wait_ms: 22_000 };

// How long to search, in ms, each time that the answer before was "unknown". The first time it is
// up to the server.
const TIMES = [undefined, 10_000, 60_000];

// How much longer than it may take an answer may be on its way, in ms.
const SLACK = 10_000;

// What lengths are counted by: futile interpositions are left out.
const POLICY = "F2";

// Why a length may be open now that is known when it is asked for again.
const PASSING = ["overloaded", "limit_time"];

// How long a report may take, in ms: the reader has solved the problem by then.
const REPORT_TIME = 5_000;

const busy = (detail: unknown): Failure => ({ code: "busy", detail, words: T.busy });
const refused = (detail: unknown): Failure => ({ code: "refused", detail, words: T.refused });

const UNPROCESSABLE = 422; // the status of a question with faults

// A Host is an element whose page may say how the server is asked.
export interface Host {
  fetcher?: typeof fetch;
  headers?: HeadersInit;
}

interface Request {
  host: Host;
  server: string;
  path: string;
  body?: object;
  signal: AbortSignal;
  loading?: () => void; // called while the engine is loaded, if that takes time
}

// modeOf returns the attribute engine where it is not the server alone that is asked.
const modeOf = (host: Host): string =>
  /^(auto|local)$/.exec((host as Element).getAttribute("engine") ?? "")?.[0] ?? "";

const engineFile = () => later<typeof import("./engine")>("engine");

// prepare loads the engine once the reader touches the board: a move takes longer than that on most
// lines, and who only looks loads nothing.
const prepare = (host: Host): void => {
  if (!modeOf(host)) return;
  engineFile().catch(() => {}); // the question will say what is wrong
  const warm = (): void => {
    if (modeOf(host) === "local") engineFile().then((file) => file.engineOf().warm()).catch(() => {});
  };
  for (const type of ["pointerdown", "keydown"]) {
    (host as Element).addEventListener(type, warm, { once: true });
  }
};

// fetchJSON asks the server, or the engine in the browser as the attribute engine says.
const fetchJSON = async (
  { host, server, path, body, signal, loading }: Request,
): Promise<[Response, any]> => {
  const { fetcher = fetch, headers } = host, method = body && "POST", text = JSON.stringify(body);
  // A blob has no media type, so that a page elsewhere need not ask for leave first (preflight).
  const ask = (signal?: AbortSignal): Promise<Response> =>
    fetcher(server + path, { method, headers, signal, body: body && new Blob([text]) });
  const mode = modeOf(host);
  let response;
  if (mode) {
    const file = await engineFile().catch((e) => {
      if (mode === "local") throw { code: "load", detail: e };
    });
    response = await file?.choose(mode, server)(path, { method, body: text, signal, loading }, ask);
  }
  response ??= await ask(signal);
  return [response, await response.json()];
};

// refutes says how a reply escapes: what checks is taken, the king moves, or a piece goes between.
const refutes = (p: Position, [from, to]: Move): string => {
  let how = "移動合されて";
  if (p[to]) how = "取られて";
  else if (!isSquare(from)) how = "合駒されて";
  else if (from === kingOf(p, p[SIDE]!)) how = "逃げられて";
  return `{0}は、{1}と${how}詰みません。|{0} does not mate: {1}.`;
};

// createLimits returns what asks a server for its limits, once and only when they are needed.
function createLimits(host: Host, server: string) {
  let known: Promise<Limits> | undefined;
  const ask = async (): Promise<Limits> => {
    try {
      const signal = AbortSignal.timeout(SLACK);
      const [response, found] = await fetchJSON({ host, server, path: "/v1/limits", signal });
      if (response.ok && found.max_time_ms > 0) return { ...USUAL, ...found };
    } catch {
      // as if it had none
    }
    return USUAL;
  };
  return { get: () => (known ??= ask()), forget: () => void (known = undefined) };
}

type Answer = SolveAnswer | MovesAnswer | ThreatAnswer | GameAnswer | Report;
// A Story is how a position came about: from which one, by which moves, and how the author's line
// goes on, if it does. A level is who plays a game.
interface Story {
  start: Position;
  played: string[];
  author?: Move;
  level: string;
}

const DEFAULT_LEVEL = "beginner";

// A Client asks what there is to know of a position: solve and moves with its story, play with that
// alone, analyze and threat with more in the question.
export type Client =
  (what: string, p: Position, attacker: Color, stop: AbortSignal, more: Story | object) =>
    Promise<Answer | Failure>;

// createClient returns what asks a server. Answers are kept, so that to take back and try again
// costs nothing.
export function createClient(host: Host, server: string, loading?: () => void): Client {
  prepare(host);
  const known = new Map<string, Answer>();
  const unknown = new Map<string, number>(); // how often that was the answer
  const limits = createLimits(host, server);

  // overdue gives up on an answer that is not coming any more: a question may wait for slots, and
  // is then searched.
  const overdue = (time?: number) => {
    const lost = new AbortController();
    let timer = setTimeout(async () => {
      const { default_time_ms, max_wait_ms } = await limits.get();
      if (timer) timer = setTimeout(() => lost.abort(), max_wait_ms + (time ?? default_time_ms));
    }, SLACK);
    const end = (): void => {
      clearTimeout(timer);
      timer = 0;
    };
    return { signal: lost.signal, end };
  };

  // ask asks one question, with the length by a policy unless that is undefined.
  const ask = async (
    what: string, p: Position, attacker: Color, stop: AbortSignal, more: object, length?: string,
  ): Promise<Answer | Failure> => {
    const sfen = toSFEN(p), question = JSON.stringify([what, sfen, more, length]);
    const kept = known.get(question);
    if (kept) return kept;
    const tries = unknown.get(question) ?? 0;
    let time = TIMES[Math.min(tries, TIMES.length - 1)];
    if (time) time = Math.min(time, (await limits.get()).max_time_ms);
    // Where both sides have a king, a position with the defender to move would be taken for the
    // defender's attack.
    const isDoubtful = p[SIDE] !== attacker && kingOf(p, attacker) >= 0;
    const named = isDoubtful ? COLORS[attacker] : undefined;
    let wanted: object = { shortest: true, length, time_ms: time };
    if (what === "analyze") {
      const most = (await limits.get()).analysis?.max_time_ms;
      if (!most) return refused(what);
      wanted = { time_ms: Math.min(REPORT_TIME, most) };
    }
    if (what === "threat") wanted = { time_ms: time };
    const late = overdue(time), signal = AbortSignal.any([stop, late.signal]);
    const body = what === "play" ? more : { sfen, attacker: named, ...more, limits: wanted };
    try {
      const [response, answer] = await fetchJSON({
        host, server, path: "/v1/" + what, signal, body, loading,
      });
      if (response.ok) {
        if (answer.verdict === "unknown") unknown.set(question, tries + 1);
        else if (!PASSING.includes(answer.length?.reason)) known.set(question, answer);
        return answer;
      }
      if (response.status !== UNPROCESSABLE) return busy(answer);
      const isTime = (fault: { location?: string }) => fault.location?.endsWith(".time_ms");
      const isTimeRefused = time && answer.errors?.some(isTime);
      if (!isTimeRefused) return refused(answer);
      // The server was started anew, and allows less.
      limits.forget();
      unknown.delete(question);
      return { code: "limit", detail: answer, words: T.limit };
    } catch (e) {
      // The errors of the engine have names.
      const isEngine = typeof (e as { code?: unknown } | undefined)?.code === "string";
      return { code: isEngine ? "engine" : "offline", detail: e, words: isEngine ? T.noEngine : undefined };
    } finally {
      late.end();
    }
  };

  return async (what, p, attacker, stop, more) => {
    const { start, played, author, level } = more as Story;
    const sfen = start && [toSFEN(start), ...(played[0] ? ["moves", ...played] : [])].join(" ");
    if (what === "play") more = { sfen, level: level || DEFAULT_LEVEL };
    // By the position that a problem begins with the server tells moves apart that are as good.
    if (what === "moves") more = { sfen, author: author && usi(author) };
    if (what === "solve") more = {};
    const isCounted = /moves|solve/.test(what) && !(host as Element).hasAttribute("raw");
    const found = await ask(what, p, attacker, stop, more, isCounted ? POLICY : undefined);
    // Where the length is not known, or nothing at all, the author's line is as good as its number.
    const { verdict, length } = found as Counted;
    const isOpen = isCounted &&
      (verdict === "mate" ? !!length?.reason : verdict !== "nomate" && !!author);
    if (isOpen && author) return { verdict: "mate", moves: [{ move: usi(author) }] };
    const raw = isOpen ? { reply: T.repliedRaw, solved: T.solvedRaw } : undefined;
    return { ...found, raw, refutes: (m: Move) => refutes(p, m) } as Answer;
  };
}
