// What a reader has solved. It is kept in the reader's browser and nowhere else: no account, no
// cookie, and nothing is sent. This file alone knows how it is stored. Sets have it built in, and the
// pages of the service import it as embed-progress.js.

// How a problem ended: solved, solved with hints or by one who had seen the answer, or given up.
export type How = "solved" | "helped" | "given";
const RANKS: string[] = ["given", "helped", "solved"];

// An Ending is how a problem ended, and on which day of Japan: "" if that is not known.
export interface Ending {
  how: How;
  day: string;
}

export const isSolved = (ending?: Ending): boolean => !!ending && ending.how !== "given";

interface Kept {
  problems: Map<string, Ending>; // by the keys of keyOf, in the order in which they were recorded
  days: Set<string>; // on which the problem of that day was solved
}

// The version of the form in which it is stored. What was stored before there were any has none.
const VERSION_KEPT = 1;

// Most is how many problems are kept, and how many days: the oldest go.
const MOST = 5000;
const LONGEST_KEY = 200; // characters

// keyOf names a problem by an SFEN: by its position without the number of the move. Any other text is
// its own name, unless that is too long: what is cut off could be what tells it from another.
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

// Reading and writing.

const nothing = (): Kept => ({ problems: new Map(), days: new Set() });

// parse reads what was stored, without what is not of its form. It returns undefined if nothing is,
// and "newer" if another version of this file stored it.
function parse(text: string | null): Kept | "newer" | undefined {
  let data: { version?: unknown; problems?: unknown; days?: unknown } | null;
  try {
    data = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
  if (![undefined, VERSION_KEPT].includes(data?.version as number)) return "newer";
  if (!Array.isArray(data?.problems)) return undefined;
  const kept = nothing();
  for (const entry of data.problems) {
    const [key, how, day] = Array.isArray(entry) ? entry : [];
    if (typeof key === "string" && key && key.length <= LONGEST_KEY && RANKS.includes(how)) {
      kept.problems.set(key, { how, day: isDay(day) ? day : "" });
    }
  }
  if (Array.isArray(data.days)) kept.days = new Set(data.days.filter(isDay));
  return kept;
}

const write = ({ problems, days }: Kept): string => JSON.stringify({
  version: VERSION_KEPT,
  problems: [...problems].map(([key, { how, day }]) => [key, how, day]), days: [...days],
});

// add takes in what is kept elsewhere: of two endings of a problem the better one.
function add(kept: Kept, { problems, days }: Kept): void {
  for (const [key, ending] of problems) {
    const had = kept.problems.get(key);
    if (!had || RANKS.indexOf(had.how) < RANKS.indexOf(ending.how)) kept.problems.set(key, ending);
  }
  for (const day of days) kept.days.add(day);
}

// bound drops what is too much: the problems that were recorded first, and of the days those of a
// wrong clock and then the oldest, but never the day that is recorded.
function bound(kept: Kept, day = "9999"): void {
  const { problems, days } = kept;
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
        for (const one of this.gone) if (!stored.problems.delete(one)) stored.days.delete(one);
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
    const { problems, days } = this.kept, text = problems.size || days.size ? write(this.kept) : null;
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

  // record keeps how a problem ended. Once solved it stays so, and who has seen the answer had help.
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

  // forget forgets some problems, or everything.
  forget(keys?: string[]): void {
    const { problems, days } = this.recall();
    for (const one of keys ?? [...problems.keys(), ...days]) this.gone.add(one);
    if (keys) for (const key of keys) problems.delete(key);
    else this.kept = nothing();
    this.store();
  }

  // export returns all of it as a text, for another browser. import takes such a text in, without the
  // days after today, and returns false if it is none. What is too much of it goes before what is here.
  export(): string {
    return write(this.recall());
  }

  import(text: string, today: string): boolean {
    const taken = parse(text);
    if (typeof taken !== "object") return false;
    for (const day of taken.days) if (isAfter(day, today)) taken.days.delete(day);
    add(taken, this.recall());
    this.kept = taken;
    for (const one of [...taken.problems.keys(), ...taken.days]) this.gone.delete(one);
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

const opened = new Map<string, Progress>();

// progressOf returns the progress of this origin, or what a page keeps apart by a name.
export function progressOf(name = ""): Progress {
  const item = "tsume-progress" + (name && ":" + name);
  if (!opened.has(item)) opened.set(item, new Progress(item));
  return opened.get(item)!;
}
