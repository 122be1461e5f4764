// What a reader has solved. It is kept in the reader's browser and nowhere else: no account, no
// cookie, and nothing is sent. This file alone knows how it is stored. Sets have it built in, and
// the pages of the service import it as embed-progress.js.

// How a problem ended: solved, solved with hints or by one who had seen the answer, or given up.
export type How = "solved" | "helped" | "given";
const RANKS: string[] = ["given", "helped", "solved"];

// An Ending is how a problem ended, and on which day of Japan: "" if that is not known.
export interface Ending {
  how: How;
  day: string;
}

export const isSolved = (ending?: Ending): boolean => !!ending && ending.how !== "given";

// A Level is how strong a reader is by the problems of runs, on the scale of their ratings, how far
// it may be off (one standard deviation), and of how many problems that is known.
export interface Level {
  rating: number;
  deviation: number;
  count: number;
}

// A Miss is a problem that comes again on the day due: after so many of GAPS.
export interface Miss {
  step: number;
  due: string;
  moves: string; // the solution, if it is known
  rating: number; // 0 if there is none
}

// Ten are the problems of a day: how many were tried, and how many of them solved.
export interface Ten {
  day: string;
  tried: number;
  solved: number;
}

interface Kept {
  problems: Map<string, Ending>; // by the keys of keyOf, in the order in which they were recorded
  days: Set<string>; // on which the problem of that day was solved
  misses: Map<string, Miss>;
  level?: Level;
  ten?: Ten;
}

// The version of the form in which it is stored. What was stored before there were any has none.
// What has nothing of runs is still written as version 1, which older copies of this file read.
const VERSION_KEPT = 2;

// Most is how many problems are kept, and how many days: the oldest go.
const MOST = 5000;
const LONGEST_KEY = 200, LONGEST_LINE = 300; // characters

const MOST_MISSES = 1000;

// keyOf names a problem by an SFEN: by its position without the number of the move. Any other text
// is its own name, unless that is too long: what is cut off could be what tells it from another.
export const keyOf = (text: string): string => {
  const sfen = text.replaceAll("_", " ").trim().replace(/^(position\s+)?(sfen\s+)?/, "");
  const [key = text.trim()] = /^\S+\/\S+\s+[bw]\s+\S+/.exec(sfen) ?? [];
  return key.length > LONGEST_KEY ? "" : key.replace(/\s+/g, " ");
};

// Days.

const DAY = 86_400_000, JAPAN = 9 * 3_600_000; // ms

// japanDay returns the day that it is in Japan, whatever the time zone of the device.
export const japanDay = (now: number): string => new Date(now + JAPAN).toISOString().slice(0, 10);

// dayAfter returns the day that is some days later.
export const dayAfter = (day: string, days: number): string =>
  japanDay(Date.parse(day) - JAPAN + days * DAY);

const dayBefore = (day: string): string => dayAfter(day, -1);

const isDay = (day: unknown): day is string =>
  typeof day === "string" && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) &&
  new Date(day).toISOString().startsWith(day);

// streak returns how many days in a row the problem of the day was solved, up to today, or up to
// yesterday while today's is not. Days after today are those of a wrong clock and do not count.
export const streak = (days: ReadonlySet<string>, today: string): number => {
  let n = 0;
  for (let day = days.has(today) ? today : dayBefore(today); days.has(day); day = dayBefore(day)) n++;
  return n;
};

// isAfter reports whether a day is after today. The page that says which day it is may be from
// yesterday.
const isAfter = (day: string, today: string): boolean => day > dayAfter(today, 1);

// Levels and misses.

export const UNKNOWN: Level = { rating: 1000, deviation: 500, count: 0 };
const LEAST_DEVIATION = 50; // so that a level still follows a reader who learns
const SCALE = Math.LN10 / 400; // of Elo: 400 more is solved ten times for each time that it is not

// rated returns a level after one more problem: Elo, whose steps grow smaller as the deviation does
// (M. Glickman, Parameter estimation in large dynamic paired comparison experiments, 1999, with
// problems whose ratings are known).
export const rated = (level: Level, problem: number, isSolved: boolean): Level => {
  const { rating, deviation, count } = level;
  const p = 1 / (1 + Math.exp(SCALE * (problem - rating)));
  const variance = 1 / (1 / deviation ** 2 + SCALE ** 2 * p * (1 - p));
  return {
    rating: rating + SCALE * variance * (+isSolved - p),
    deviation: Math.max(LEAST_DEVIATION, Math.sqrt(variance)),
    count: count + 1,
  };
};

// After how many days a missed problem comes again. Once it was solved each time it is gone.
const GAPS = [1, 3, 7, 21];

// isDue reports whether a miss comes again today. A day that is too far away is that of a wrong
// clock.
export const isDue = ({ due }: Miss, today: string): boolean =>
  due <= today || due > dayAfter(today, GAPS.at(-1)!);

// Reading and writing.

const nothing = (): Kept => ({ problems: new Map(), days: new Set(), misses: new Map() });

const isNumber = (n: unknown): n is number => typeof n === "number" && n >= 0 && n < 1e6;

// parseRuns reads what is stored of runs.
function parseRuns(kept: Kept, data: { level?: unknown; misses?: unknown; ten?: unknown }): void {
  for (const entry of Array.isArray(data.misses) ? data.misses : []) {
    const [key, step, due, moves, rating] = Array.isArray(entry) ? entry : [];
    const isKey = typeof key === "string" && key && key.length <= LONGEST_KEY;
    const isLine = typeof moves === "string" && moves.length <= LONGEST_LINE;
    if (isKey && isLine && GAPS[step] && isDay(due) && isNumber(rating)) {
      kept.misses.set(key, { step, due, moves, rating });
    }
  }
  const [rating, deviation, count] = Array.isArray(data.level) ? data.level : [];
  const isLevel = [rating, deviation, count].every(isNumber) && deviation;
  if (isLevel) kept.level = { rating, deviation, count };
  const [day, tried, solved] = Array.isArray(data.ten) ? data.ten : [];
  if (isDay(day) && isNumber(tried) && isNumber(solved)) kept.ten = { day, tried, solved };
}

// parse reads what was stored, without what is not of its form. It returns undefined if nothing is,
// and "newer" if another version of this file stored it.
function parse(text: string | null): Kept | "newer" | undefined {
  let data: { [name: string]: unknown } | null;
  try {
    data = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
  if (![undefined, 1, VERSION_KEPT].includes(data?.version as number)) return "newer";
  if (!Array.isArray(data?.problems)) return undefined;
  const kept = nothing();
  for (const entry of data.problems) {
    const [key, how, day] = Array.isArray(entry) ? entry : [];
    if (typeof key === "string" && key && key.length <= LONGEST_KEY && RANKS.includes(how)) {
      kept.problems.set(key, { how, day: isDay(day) ? day : "" });
    }
  }
  if (Array.isArray(data.days)) kept.days = new Set(data.days.filter(isDay));
  parseRuns(kept, data);
  return kept;
}

const hasRuns = ({ level, ten, misses }: Kept): boolean => !!(level || ten || misses.size);

const write = (kept: Kept): string => JSON.stringify({
  version: hasRuns(kept) ? VERSION_KEPT : 1,
  problems: [...kept.problems].map(([key, { how, day }]) => [key, how, day]), days: [...kept.days],
  ...hasRuns(kept) && {
    level: kept.level && Object.values(kept.level), ten: kept.ten && Object.values(kept.ten),
    misses: [...kept.misses].map(([key, miss]) => [key, ...Object.values(miss)]),
  },
});

// add takes in what is kept elsewhere: of two endings of a problem the better one, of two misses
// the one that comes again first, and the level of which more problems are known.
function add(kept: Kept, { problems, days, misses, level, ten }: Kept): void {
  for (const [key, miss] of misses) {
    const had = kept.misses.get(key);
    if (!had || had.due > miss.due) kept.misses.set(key, miss);
  }
  if (level && !(level.count <= (kept.level?.count ?? 0))) kept.level = level;
  const place = ({ day, tried }: Ten): string => day + String(tried).padStart(9);
  if (ten && !(kept.ten && place(ten) <= place(kept.ten))) kept.ten = ten;
  for (const [key, ending] of problems) {
    const had = kept.problems.get(key);
    if (!had || RANKS.indexOf(had.how) < RANKS.indexOf(ending.how)) kept.problems.set(key, ending);
  }
  for (const day of days) kept.days.add(day);
}

// bound drops what is too much: the problems that were recorded first, and of the days those of a
// wrong clock and then the oldest, but never the day that is recorded.
function bound(kept: Kept, day = "9999"): void {
  const { problems, days, misses } = kept;
  if (misses.size > MOST_MISSES) kept.misses = new Map([...misses].slice(-MOST_MISSES));
  if (problems.size > MOST) kept.problems = new Map([...problems].slice(-MOST));
  if (days.size <= MOST) return;
  kept.days = new Set([...days].filter((one) => !isAfter(one, day)).sort().slice(-MOST));
  if (days.has(day) && !kept.days.has(day)) kept.days = new Set([day, ...[...kept.days].slice(1)]);
}

// Progress is what is stored under a name.
export class Progress {
  private kept = nothing();
  private text: string | null | undefined; // what is stored, as it was read or written last
  // The browser stores nothing, has no room, or has what a newer version stored: all holds for this
  // page. What it has forgotten meanwhile is gone from what other pages store.
  isUnsaved = false;
  private gone = new Set<string>(); // keys and days

  private isNewer = false; // what is stored

  constructor(private readonly item: string) {}

  // recall reads what another page, or another tab, has stored since.
  private recall(): Kept {
    let text: string | null = null;
    try {
      text = localStorage.getItem(this.item);
    } catch {
      // The browser stores nothing for this page.
    }
    if (text !== this.text) {
      const read = parse(text), stored = typeof read === "object" ? read : nothing();
      if (this.isUnsaved) {
        for (const one of this.gone) {
          stored.misses.delete(one);
          if (!stored.problems.delete(one)) stored.days.delete(one);
        }
        add(stored, this.kept);
      }
      this.kept = stored;
      this.isNewer = read === "newer";
      this.text = text;
    }
    return this.kept;
  }

  private store(day?: string): void {
    bound(this.kept, day);
    const { problems, days } = this.kept;
    const text = problems.size || days.size || hasRuns(this.kept) ? write(this.kept) : null;
    try {
      if (this.isNewer) throw "newer";
      if (text) localStorage.setItem(this.item, text);
      else localStorage.removeItem(this.item);
      this.text = text;
      this.isUnsaved = false;
      this.gone.clear();
    } catch {
      this.isUnsaved = true;
    }
  }

  problems(): ReadonlyMap<string, Ending> {
    return this.recall().problems;
  }

  days(): ReadonlySet<string> {
    return this.recall().days;
  }

  // record keeps how a problem ended. Once solved it stays so, and who has seen the answer had
  // help.
  record(key: string, how: How, now = Date.now()): void {
    const { problems } = this.recall(), had = problems.get(key)?.how;
    if (!key || (had && (had !== "given" || how === "given"))) return;
    problems.delete(key); // it is the newest now
    problems.set(key, { how: had ? "helped" : how, day: japanDay(now) });
    this.gone.delete(key);
    this.store();
  }

  // recordDay keeps that the problem of a day was solved on that day.
  recordDay(day: string): void {
    const { days } = this.recall();
    if (!isDay(day) || days.has(day)) return;
    days.add(day);
    this.gone.delete(day);
    this.store(day);
  }

  level(): Level {
    return this.recall().level ?? UNKNOWN;
  }

  misses(): ReadonlyMap<string, Miss> {
    return this.recall().misses;
  }

  // ten returns how far the problems of a day are.
  ten(day: string): Ten {
    const { ten } = this.recall();
    return ten?.day === day ? ten : { day, tried: 0, solved: 0 };
  }

  // recordRun keeps how a problem of a run ended: when it comes again, if it was missed or had
  // been, and what it changes of the level, if it isRated, and of the ten of the day.
  recordRun(
    key: string, isSolved: boolean, today: string,
    { moves = "", rating = 0, isRated = false, isOfTen = false },
  ): void {
    const kept = this.recall(), had = kept.misses.get(key), none = GAPS.length;
    const step = isSolved ? (had?.step ?? none) + 1 : 0;
    kept.misses.delete(key);
    if (key && step < none) {
      const line = moves.length <= LONGEST_LINE ? moves : "";
      kept.misses.set(key, { step, due: dayAfter(today, GAPS[step]!), moves: line, rating });
    }
    this.gone.add(key);
    if (isRated) kept.level = rated(this.level(), rating, isSolved);
    const { tried, solved } = this.ten(today);
    if (isOfTen) kept.ten = { day: today, tried: tried + 1, solved: solved + +isSolved };
    this.store();
  }

  // forget forgets some problems, or everything.
  forget(keys?: string[]): void {
    const { problems, days, misses } = this.recall();
    for (const one of keys ?? [...problems.keys(), ...days, ...misses.keys()]) this.gone.add(one);
    if (keys) for (const key of keys) problems.delete(key);
    else this.kept = nothing();
    this.store();
  }

  // export returns all of it as a text, for another browser. import takes such a text in, without
  // the days after today, and returns false if it is none. What is too much of it goes before what
  // is here.
  export(): string {
    return write(this.recall());
  }

  import(text: string, today: string): boolean {
    const taken = parse(text);
    if (typeof taken !== "object") return false;
    for (const day of taken.days) if (isAfter(day, today)) taken.days.delete(day);
    add(taken, this.recall());
    this.kept = taken;
    const { problems, days, misses } = taken;
    for (const one of [...problems.keys(), ...days, ...misses.keys()]) this.gone.delete(one);
    this.store();
    return true;
  }

  // adopt takes over what a set stored before there was this file: a list of solved problems.
  adopt(item: string): void {
    try {
      const ids: unknown = JSON.parse(localStorage.getItem(item) ?? "[]"), solved = nothing();
      for (const id of Array.isArray(ids) ? ids : []) {
        if (typeof id === "string" && id) solved.problems.set(keyOf(id), { how: "solved", day: "" });
      }
      if (!solved.problems.size) return;
      add(this.recall(), solved);
      this.store();
      if (!this.isUnsaved) localStorage.removeItem(item);
    } catch {
      // The browser stores nothing for this page, or something else is there.
    }
  }
}

// follow tells how the problems of the boards in an element end. key says which problem an event is
// about.
export function follow(
  node: EventTarget, key: (e: Event) => string, ended: (key: string, how: How) => void,
): void {
  const hinted = new Set<string>(); // also before a board began again
  node.addEventListener("tsume-hint", (e) => hinted.add(key(e)));
  node.addEventListener("tsume-answer", (e) => ended(key(e), "given"));
  node.addEventListener("tsume-solved", (e) =>
    ended(key(e), hinted.has(key(e)) ? "helped" : "solved"));
}

// Each of the files that have this one built in shares what is opened: where nothing can be stored,
// a page has but one progress.
const OPENED = Symbol.for("tsume-progress " + VERSION_KEPT);
const page = globalThis as unknown as { [name: symbol]: Map<string, Progress> };
const opened = page[OPENED] ??= new Map<string, Progress>();

// progressOf returns the progress of this origin, or what a page keeps apart by a name.
export function progressOf(name = ""): Progress {
  const item = "tsume-progress" + (name && ":" + name);
  if (!opened.has(item)) opened.set(item, new Progress(item));
  return opened.get(item)!;
}
