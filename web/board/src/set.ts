// <tsume-set>: several problems in one tag, one of which is seen at a time. They are the boards
// inside the tag, or a collection at the address src: JSON, or records one after the other. Which
// of them the reader has solved is kept in the browser: see progress.ts.

import { html, set } from "./dom";
import { isJapanese, say, setJapanese } from "./language";
import { later } from "./later";
import { fetchText } from "./fetch";
import { follow, type How, isSolved, keyOf, progressOf } from "./progress";
import type { Entry, Runs } from "./run";
import css from "./set.css";
import { canonical } from "./state";

// What the set says.
const TEXT = {
  at: "第{0}問（全{1}題）|Problem {0} of {1}",
  progress: "{1}題中{0}題を解きました|{0} of {1} solved",
  all: "すべて解きました！|All solved!",
  list: "問題の一覧|Problems",
  item: "第{0}問|Problem {0}",
  itemDone: "第{0}問、解けた|Problem {0}, solved",
  previous: "前の問題|Previous problem",
  next: "次の問題|Next problem",
  clear: "記録を消す|Forget progress",
  sure: "もう一度押すと消えます|Press again to forget",
  loading: "読み込んでいます…|Loading…",
  failed: "問題を読み込めません。|The problems cannot be loaded.",
  retry: "再試行|Try again",
  none: "問題がありません。|There are no problems.",
};

// The attributes of a board, as far as a collection says them.
const ATTRIBUTES = ["sfen", "moves", "caption", "author", "source", "cite", "plies"];

// What a board has until it has read what is to be on it.
const EMPTY = "9/9/9/9/9/9/9/9/9 ";

// Most is how many problems a set has at most.
const MOST = 1000;

const BOARD = "tsume-board:not([slot=run])";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)"));

const sets = new WeakMap<HTMLElement, ProblemSet>();

// connect makes an element a set, or goes on where it was taken out of the page.
export const connect = (host: HTMLElement): void => {
  if (!sets.has(host)) sets.set(host, new ProblemSet(host));
};

// parseJSON reads a collection in JSON: a list of problems, or an object with one in problems. A
// problem is its SFEN, or has the names of the attributes.
const parseJSON = (text: string): [Entry[], string] => {
  const data = JSON.parse(text), list: unknown[] = Array.isArray(data) ? data : data.problems;
  const entries = list.map((item): Entry => {
    if (typeof item === "string") return { sfen: item };
    const given = item as { [name: string]: unknown }, entry: Entry = {};
    for (const name of [...ATTRIBUTES, "rating"]) {
      const value = given[name] ?? (name === "caption" ? given.title : undefined);
      if (value !== undefined && value !== null) {
        entry[name] = Array.isArray(value) ? value.join(" ") : String(value);
      }
    }
    return entry;
  });
  return [entries, typeof data.title === "string" ? data.title : ""];
};

class ProblemSet {
  private readonly root: ShadowRoot;
  private readonly title = html("h2", { part: "title" });
  private readonly where = html("p", { role: "status" });
  private readonly summary = html("p");
  private readonly list = html("ol");
  private readonly previous = html("button", { click: () => this.go(this.index - 1) }, "‹");
  private readonly following = html("button", { click: () => this.go(this.index + 1) }, "›");
  private readonly clear = html("button", { click: () => this.forget() });
  private readonly message = html("p");
  private readonly retry = html("button", { click: () => this.load() });
  private readonly bars: HTMLElement[];
  private boards: HTMLElement[] = []; // those inside the tag
  private entries: Entry[] | undefined; // or those of the collection, shown by one board
  private name = "";
  private runs?: Runs; // by the attribute runs
  private index = 0;
  private isUsed = false; // the reader has gone to a problem, or done something with one
  private isSure = false; // that everything is to be forgotten
  private progress = progressOf();
  private keys = new Map<string, string>(); // of SFENs
  private starts = new WeakMap<HTMLElement, string>(); // the positions that boards begin with

  constructor(private readonly host: HTMLElement) {
    this.root = host.attachShadow({ mode: "open" });
    const bar = html("div", { class: "bar" }, this.previous, this.where, this.following);
    const more = html("div", { class: "bar" }, this.summary, this.clear);
    this.bars = [bar, this.list, more];
    this.root.adoptedStyleSheets = [sheet];
    this.root.append(html("div", { class: "all" },
      this.title, this.message, this.retry, bar, html("slot", { name: "board" }), this.list, more));
    const at = (e: Event): number =>
      this.entries ? this.index : this.boards.indexOf(e.target as HTMLElement);
    // Of the board of a run the run knows the problem.
    const isOfRun = (e: Event): boolean => (e.target as HTMLElement).slot === "run";
    follow(host, (e) => isOfRun(e) ? "" : this.ids(at(e))[0]!, (key, how) => this.ended(key, how));
    host.addEventListener("tsume-next", (e) => {
      if (this.index + 1 >= this.count()) return;
      e.preventDefault();
      this.go(this.index + 1, true);
    });
    // A board has read its record, or the problem of the day: whether that was solved is known now.
    host.addEventListener("tsume-position", (e) => {
      const { played } = (e as CustomEvent).detail, board = e.target as HTMLElement;
      if (!this.boards.includes(board) || played.length || board.hasAttribute("sfen")) return;
      if (this.isUsed) this.render();
      else this.begin();
    });
    // Problems that come later leave the reader where something was done.
    for (const type of ["move", "hint", "answer"]) {
      host.addEventListener("tsume-" + type, () => (this.isUsed = true));
    }
    const observer = new MutationObserver(() => {
      if (this.entries) this.render();
      else if (!host.hasAttribute("src")) this.collect();
    });
    observer.observe(host, { childList: true });
    new MutationObserver((changes) => {
      if (changes.some((change) => change.attributeName !== "mode")) this.load();
      else this.resetBoards();
    }).observe(host, { attributeFilter: ["src", "key", "mode"] });
    // The page lives longer than a set that was taken out of it.
    const weak = new WeakRef(this);
    const words = new MutationObserver(() => {
      const here = weak.deref();
      if (here) here.render();
      else words.disconnect();
    });
    words.observe(document.documentElement, { attributeFilter: ["lang"], subtree: true });
    for (const [name, get] of Object.entries({
      index: () => this.index, count: () => this.count(), solved: () => this.solvedCount(),
    })) Object.defineProperty(host, name, { get });
    Object.assign(host, {
      goTo: (n: number) => this.go(n), forget: () => (this.isSure = true) && this.forget(),
    });
    if (host.hasAttribute("runs")) this.addRuns();
    this.load();
  }

  // addRuns adds what is loaded later. Without it the set is what others are.
  private async addRuns(): Promise<void> {
    const { host } = this;
    try {
      const { Runs } = await later<typeof import("./run")>("run");
      this.runs = new Runs({
        host, all: this.root.querySelector(".all")!, progress: () => this.progress,
        entries: () => this.entries ?? this.boards.map((board) => Object.fromEntries(
          ATTRIBUTES.map((name) => [name, board.getAttribute(name) ?? undefined]))),
        keyOf: (sfen) => this.keyOfSFEN(sfen), setLanguage: () => this.setLanguage(),
        render: () => this.count() ? this.render() : this.runs?.render(),
      });
    } catch (detail) {
      this.emit("error", { code: "load", detail });
    }
  }

  private count(): number {
    return this.entries?.length ?? this.boards.length;
  }

  // Loading.

  // load begins with what the tag says.
  private async load(): Promise<void> {
    this.isUsed = false;
    const src = this.host.getAttribute("src");
    if (src === null) {
      this.entries = undefined;
      return this.collect();
    }
    this.say(TEXT.loading);
    try {
      const text = await fetchText(src);
      if (src !== this.host.getAttribute("src")) return;
      if (/^\s*[[{]/.test(text)) [this.entries, this.name] = parseJSON(text);
      else {
        const { records } = await later<typeof import("./record")>("record");
        if (src !== this.host.getAttribute("src")) return;
        this.entries = records(text).map(({ fault: _, ...entry }) => entry);
      }
      this.entries.length = Math.min(this.entries.length, MOST);
    } catch (detail) {
      if (src !== this.host.getAttribute("src")) return;
      this.say(TEXT.failed, true);
      this.emit("error", { code: "src", detail });
      return;
    }
    if (!this.entries.length) return this.say(TEXT.none);
    this.begin();
  }

  // collect takes the boards inside the tag. The one that the reader is at stays, or if it is gone,
  // the one in its place.
  private collect(): void {
    const shown = this.board();
    this.boards = [...this.host.children].filter((child) => child.matches(BOARD)) as HTMLElement[];
    if (!this.boards.length) return this.say(TEXT.none);
    const at = shown ? this.boards.indexOf(shown) : -1;
    if (this.isUsed) this.show(at < 0 ? Math.min(this.index, this.boards.length - 1) : at);
    else this.begin();
  }

  // resetBoards has boards that have no mode of their own begin anew with that of the set.
  private resetBoards(): void {
    for (const board of this.host.querySelectorAll<HTMLElement & { reset(): void }>(":scope > tsume-board")) {
      if (!board.hasAttribute("mode")) board.reset();
    }
    this.render();
  }

  // say shows a message instead of problems.
  private say(words: string, canRetry = false): void {
    this.setLanguage();
    this.message.textContent = say(words);
    this.message.hidden = false;
    this.retry.textContent = say(TEXT.retry);
    this.retry.hidden = !canRetry;
    this.title.hidden = true;
    for (const bar of this.bars) bar.hidden = true;
  }

  private begin(): void {
    this.recall();
    for (const bar of this.bars) bar.hidden = false;
    this.message.hidden = this.retry.hidden = true;
    const start = +(this.host.getAttribute("start") ?? 0) - 1;
    const unsolved = Math.max(0, this.done().indexOf(false));
    this.show(start >= 0 && start < this.count() ? start : unsolved);
  }

  // Going from one to the next.

  private go(n: number, focuses = false): void {
    if (n < 0 || n >= this.count()) return;
    this.isSure = false;
    this.isUsed = true;
    this.show(n);
    if (focuses) (this.board() as HTMLElement | undefined)?.focus();
  }

  private board(): HTMLElement | undefined {
    return this.entries ? this.host.querySelector<HTMLElement>(":scope > " + BOARD) ?? undefined
      : this.boards[this.index];
  }

  private show(n: number): void {
    this.index = n;
    if (this.entries) {
      let board = this.board();
      if (!board) {
        board = html("tsume-board" as "div");
        this.host.append(board);
      }
      const entry = this.entries[n]!;
      set(board, Object.fromEntries(ATTRIBUTES.map((name) => [name, entry[name]])));
      set(board, {
        slot: "board", next: n + 1 < this.count() ? "#" + (n + 2) : undefined,
        engine: this.host.getAttribute("engine") ?? undefined,
      });
    } else {
      this.boards.forEach((board, i) => {
        // Only what has a slot is seen.
        set(board, { slot: i === n ? "board" : "none" });
        set(board, { next: i + 1 < this.count() ? "#" + (i + 2) : undefined });
      });
    }
    this.render();
    this.tell();
  }

  // tell sends what the set shows and how far the reader got.
  private tell(): void {
    this.emit("set", { index: this.index, count: this.count(), solved: this.solvedCount() });
  }

  // Progress.

  // ids returns the keys of a problem. The first one is that of its position, so that another order of
  // the set or another way to write it loses nothing; it is "" until the board has read a record.
  // Under the others it may have been stored before. A text of more than three words was cut, and
  // could be any record that begins like it.
  private ids(n: number): string[] {
    const board = this.boards[n] as HTMLElement & { position: string; played: string[] } | undefined;
    const sfen = this.entries ? this.entries[n]?.sfen ?? "" : board?.getAttribute("sfen");
    if (typeof sfen === "string") return [this.keyOfSFEN(sfen), keyOf(sfen)];
    if (!board) return [""];
    const { position, played } = board;
    if (played && !played.length && !position.startsWith(EMPTY)) this.starts.set(board, keyOf(position));
    const text = board.getAttribute("record") ?? board.getAttribute("src") ?? board.textContent!;
    const words = text.replaceAll("_", " ").trim().split(/\s+/), isWhole = words.length <= 3;
    return [this.starts.get(board) ?? "", ...(isWhole ? [text.trim(), words.join(" ")] : [])];
  }

  private keyOfSFEN(sfen: string): string {
    let key = this.keys.get(sfen);
    if (key === undefined) {
      try {
        key = keyOf(canonical(sfen));
      } catch {
        key = keyOf(sfen);
      }
      this.keys.set(sfen, key);
    }
    return key;
  }

  // done returns which problems of the set are solved.
  private done(): boolean[] {
    const problems = this.progress.problems();
    return Array.from({ length: this.count() }, (_, n) =>
      this.ids(n).some((id) => isSolved(problems.get(id))));
  }

  private solvedCount(): number {
    return this.done().filter(Boolean).length;
  }

  // recall opens the progress of this origin, or what the page keeps apart by the attribute key.
  // What a set stored before it was shared was under the key, its address, or that of the page.
  private recall(): void {
    const { host } = this, src = host.getAttribute("src"), key = host.getAttribute("key");
    const address = src === null ? location.pathname : new URL(src, document.baseURI).href;
    this.progress = progressOf(key ?? "");
    this.progress.adopt("tsume-set:" + (key ?? address));
  }

  // ended records how a problem ended.
  private ended(key: string, how: How): void {
    this.progress.record(key, how);
    this.render();
    if (how !== "given") this.tell();
  }

  // forget asks once whether it may.
  private forget(): void {
    this.setLanguage();
    if (this.isSure) this.progress.forget(this.done().flatMap((_, n) => this.ids(n)));
    this.isSure = !this.isSure && this.solvedCount() > 0;
    this.render();
  }

  // Drawing.

  private setLanguage(): void {
    const lang = this.host.closest<HTMLElement>("[lang]")?.lang ?? "";
    setJapanese(/^(ja|$)/i.test(lang));
    set(this.root.querySelector(".all")!, { lang: isJapanese() ? "ja" : "en" });
  }

  private render(): void {
    const done = this.done(), count = done.length, focused = this.root.activeElement;
    const solved = done.filter(Boolean).length;
    this.setLanguage();
    const title = this.host.getAttribute("caption") ?? this.name;
    this.title.textContent = title;
    this.title.hidden = !title;
    const where = say(TEXT.at, 0, this.index + 1, count);
    if (this.where.textContent !== where) this.where.textContent = where; // is read out
    const turn = (button: HTMLElement, words: string, isDead: boolean): void => void set(button, {
      "aria-label": say(words), title: say(words), "aria-disabled": String(isDead),
    });
    turn(this.previous, TEXT.previous, !this.index);
    turn(this.following, TEXT.next, this.index + 1 >= count);
    this.summary.textContent = solved === count ? say(TEXT.all) : say(TEXT.progress, 0, solved, count);
    this.clear.textContent = say(this.isSure ? TEXT.sure : TEXT.clear);
    this.clear.hidden = !solved;
    set(this.list, { "aria-label": say(TEXT.list) });
    const items = done.map((isDone, i) => {
      const isCurrent = i === this.index;
      return html("li", {}, html("button", {
        class: isDone && "done", "aria-current": isCurrent && "true", "data-n": i,
        "aria-label": say(isDone ? TEXT.itemDone : TEXT.item, 0, i + 1),
        click: () => this.go(i),
      }, (isDone ? "✓" : "") + (i + 1)));
    });
    const n = (focused as HTMLElement | null)?.dataset?.n;
    this.list.replaceChildren(...items);
    if (n) this.list.querySelector<HTMLElement>(`[data-n="${n}"]`)?.focus();
    if (focused === this.clear && this.clear.hidden) this.list.querySelector("button")?.focus();
    this.runs?.render();
  }

  private emit(type: string, detail: object): void {
    const event = new CustomEvent("tsume-" + type, { detail, bubbles: true, composed: true });
    this.host.dispatchEvent(event);
  }
}
