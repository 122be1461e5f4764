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
  problems: Map<string, Ending>; // by the keys of keyOf
  days: Set<string>; // on which the problem of that day was solved
}

// Most is how many problems are kept, and how many days: the oldest go.
const MOST = 5000;
const LONGEST_KEY = 200; // characters

// keyOf names a problem: its position without the number of the move, or how a record begins.
export const keyOf = (text: string): string =>
  text.replaceAll("_", " ").trim().replace(/^(position\s+)?(sfen\s+)?/, "").split(/\s+/)
    .slice(0, 3).join(" ").slice(0, LONGEST_KEY);

// Days.

const DAY = 86_400_000, JAPAN = 9 * 3_600_000; // ms

// japanDay returns the day that it is in Japan, whatever the time zone of the device.
export const japanDay = (now: number): string => new Date(now + JAPAN).toISOString().slice(0, 10);

const dayBefore = (day: string): string => japanDay(Date.parse(day) - JAPAN - DAY);

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

// Reading and writing.

const nothing = (): Kept => ({ problems: new Map(), days: new Set() });

// parse reads what was stored, without what is not of its form. It returns undefined if nothing is.
function parse(text: string | null): Kept | undefined {
  let data: { problems?: unknown; days?: unknown } | null;
  try {
    data = JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
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

// bound drops the oldest of what is too much.
function bound(kept: Kept): void {
  const newest = <T>(all: Iterable<T>, day: (item: T) => string): T[] =>
    [...all].sort((a, b) => (day(a) < day(b) ? -1 : +(day(a) > day(b)))).slice(-MOST);
  if (kept.problems.size > MOST) kept.problems = new Map(newest(kept.problems, ([, { day }]) => day));
  if (kept.days.size > MOST) kept.days = new Set(newest(kept.days, (day) => day));
}

// Progress is what is stored under a name.
export class Progress {
  private kept = nothing();
  private text: string | null | undefined; // what is stored, as it was read or written last
  private isUnsaved = false; // the browser stores nothing, or has no room: it holds for this page

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
      const stored = parse(text) ?? nothing();
      if (this.isUnsaved) add(stored, this.kept);
      this.kept = stored;
      this.text = text;
    }
    return this.kept;
  }

  private store(): void {
    bound(this.kept);
    const { problems, days } = this.kept, text = problems.size || days.size ? write(this.kept) : null;
    try {
      if (text) localStorage.setItem(this.item, text);
      else localStorage.removeItem(this.item);
      this.text = text;
      this.isUnsaved = false;
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
    problems.set(key, { how: had ? "helped" : how, day: japanDay(now) });
    this.store();
  }

  // recordDay keeps that the problem of a day was solved, if it is that day.
  recordDay(day: string, today: string): void {
    const { days } = this.recall();
    if (day !== today || !isDay(day) || days.has(day)) return;
    days.add(day);
    this.store();
  }

  // forget forgets some problems, or everything.
  forget(keys?: string[]): void {
    const { problems } = this.recall();
    if (keys) for (const key of keys) problems.delete(key);
    else this.kept = nothing();
    this.store();
  }

  // export returns all of it as a text, for another browser. import takes such a text in, and returns
  // false if it is none.
  export(): string {
    return write(this.recall());
  }

  import(text: string): boolean {
    const taken = parse(text);
    if (!taken) return false;
    add(this.recall(), taken);
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
