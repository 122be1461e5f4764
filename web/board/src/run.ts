// Runs: problems of a set one after the other, against a clock, until one is missed, ten a day, or
// those that were missed before. <tsume-set runs> has them, above its list. Of each problem the
// first thing that happens counts: a wrong move, a hint or the end of its time is a miss, whatever
// comes after.

import { html, set } from "./dom";
import { isJapanese, say } from "./language";
import { follow, isDue, isSolved, japanDay, type Progress, UNKNOWN } from "./progress";
import css from "./run.css";

const TEXT = {
  runs: "解き方|Ways to solve",
  clock: "早解き|Timed",
  streak: "間違えるまで|Until a miss",
  ten: "今日の十題 {0}/{1}|Ten a day {0}/{1}",
  again: "間違いの復習 {0}|My misses {0}",
  seconds: "1題の時間|Time each",
  ofSeconds: "{0}秒|{0} s",
  noMisses: "間違えた問題は、1・3・7・21日後にここに出ます。|Missed problems come here again after 1, 3, 7 and 21 days.",
  noneDue: "今日の分はありません。次は{0}です。|None are due today. The next comes on {0}.",
  tenDone: "今日の十題は終わりました（{0}題正解）。|Today’s ten are done ({0} right).",
  level: "レベル {0}（±{1}）|Level {0} (±{1})",
  noLevel: "解いていくとレベルが出ます。|Your level shows as you solve.",
  unsaved: "このブラウザには保存できません。ページを閉じると消えます。|This browser cannot store it. It ends with this page.",
  at: "第{0}問|Problem {0}",
  counts: "正解{0}、不正解{1}|{0} right, {1} missed",
  right: "正解！|Right!",
  wrong: "不正解|Wrong",
  hint: "ヒントを見たので、正解には数えません。|With a hint it does not count as solved.",
  time: "時間切れ。続けて考えても構いません。|Time is up. You may go on thinking.",
  skip: "とばしました。|Skipped.",
  left: "残り{0}秒|{0} seconds left",
  loading: "読み込んでいます…|Loading…",
  failed: "問題を読み込めません。|The problems cannot be loaded.",
  none: "この条件の問題は、もうありません。|There are no more such problems.",
  bSkip: "とばす|Skip",
  bNext: "次の問題|Next",
  bResult: "結果|Result",
  bRetry: "再試行|Retry",
  bStop: "終える|End",
  result: "{1}題中{0}題正解|{0} of {1} right",
  newLevel: "レベル {0} → {1}|Level {0} → {1}",
  firstLevel: "レベル {0}|Level {0}",
  took: "1題平均{0}秒|{0} s each on average",
  missed: "解けなかった問題|Missed",
  oWrong: "不正解|wrong",
  oHint: "ヒント|hint",
  oTime: "時間切れ|out of time",
  oSkip: "とばした|skipped",
  see: "盤で見る|Show it",
  seeIt: "盤で見る：{0}|Show it: {0}",
  bAgain: "もう一度|Again",
  bClose: "閉じる|Close",
};

// An Entry is a problem of a set: attributes of a board, and its rating.
export type Entry = { [attribute: string]: string | undefined };

type Kind = "ten" | "clock" | "streak" | "again";
const KINDS: Kind[] = ["ten", "streak", "again", "clock"];

type Outcome = "right" | "wrong" | "hint" | "time" | "skip";
const SHORT = {
  right: "", wrong: TEXT.oWrong, hint: TEXT.oHint, time: TEXT.oTime, skip: TEXT.oSkip,
};

// How many problems a run against the clock has, and the ten of a day.
const MOST = 10;
const SECONDS = ["30", "60", "120"], SECOND = 1000; // ms
const WARNING = 10; // seconds before the end
const TICK = 200; // ms
const CHOICES = 12; // problems near the level, of which one is taken
// A run until a miss begins so much below the level and goes up, in points.
const EASIER = 150, STEP = 30;

// A Result is what became of a problem, and the first wrong move with what was played before it.
interface Result {
  entry: Entry;
  outcome: Outcome;
  ms: number;
  before: string[];
  move?: string;
  text: string;
}

// A Pool returns problems near a rating, if it can some that isFresh. A page may set it.
type Pool = (rating: number, isFresh: (sfen: string) => boolean) => Promise<Entry[]>;

// A View is what a run has of its set.
export interface View {
  host: HTMLElement & { pool?: Pool };
  all: HTMLElement;
  entries(): Entry[];
  keyOf(sfen: string): string;
  progress(): Progress;
  setLanguage(): void;
  render(): void; // which has the run rendered, too
}

type Board = HTMLElement & {
  state: string; played: string[]; ready: Promise<void>;
  play(move: string): Promise<string>; reset(): void;
};

export class Runs {
  private readonly buttons = KINDS.map((kind) => html("button", { click: () => this.start(kind) }));
  private readonly seconds = html("select", { change: () => this.render() },
    ...SECONDS.map((value) => html("option", { value })));
  private readonly level = html("p");
  private readonly notice = html("p", { role: "status" });
  private readonly chooser = html("div", { class: "choose", role: "group" },
    ...this.buttons.slice(0, -1), html("span", {}, this.buttons.at(-1)!, this.seconds),
    html("slot", { name: "choose" }), this.level);

  private readonly where = html("b");
  private readonly counts = html("span", { role: "img" });
  private readonly clock = html("span", { role: "timer" });
  private readonly next = html("button", { class: "main", click: () => this.go() });
  private readonly stop = html("button", { click: () => this.finish() });
  private readonly bar = html("div", { class: "bar" },
    this.where, this.counts, this.clock, this.next, this.stop);
  private readonly verdict = html("p", { class: "verdict", role: "status" });
  private readonly summary = html("section", { tabindex: -1 });
  private readonly node = html("div", { class: "runs" },
    this.chooser, this.notice, this.bar, this.verdict, this.summary, html("slot", { name: "run" }));

  private kind: Kind = "ten";
  private isRunning = false;
  private isFailed = false; // there was no problem to go on with
  private isAwaited = false; // the next problem
  private timer?: number;
  private board?: Board;
  private queue: Entry[] = []; // of misses
  private results: Result[] = [];
  private entry?: Entry & { isFresh?: boolean };
  private outcome?: Outcome;
  private ms = 0; // that the problem has taken
  private first = UNKNOWN; // level at the beginning

  constructor(private readonly view: View) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)"));
    (view.all.getRootNode() as ShadowRoot).adoptedStyleSheets.push(sheet);
    view.all.prepend(this.node);
    // Another tab, a file or the other boards of the page may have changed what is kept.
    for (const type of ["storage", "focus", "pageshow"]) {
      addEventListener(type, () => view.render());
    }
    this.render();
  }

  // Choosing problems.

  private today(): string {
    return japanDay(Date.now());
  }

  private limit(): number {
    return this.kind === "clock" ? +this.seconds.value * SECOND : Infinity;
  }

  private due(): Entry[] {
    const today = this.today();
    const due = [...this.view.progress().misses()].filter(([, miss]) => isDue(miss, today));
    return due.map(([sfen, { moves, rating }]) =>
      ({ sfen, moves: moves || undefined, rating: String(rating) }));
  }

  // pick returns the next problem: of those that the reader has not met, one near the level.
  private async pick(): Promise<Runs["entry"]> {
    if (this.kind === "again") return this.queue.shift();
    const { view } = this, progress = view.progress();
    const ahead = this.kind === "streak" ? STEP * this.results.length - EASIER : 0;
    const target = progress.level().rating + ahead;
    const isNew = (sfen: string): boolean => {
      const key = view.keyOf(sfen);
      return !progress.problems().has(key) && !progress.misses().has(key);
    };
    const all = await view.host.pool?.(target, isNew) ?? view.entries();
    const met = new Set(this.results.map(({ entry }) => entry.sfen));
    const left = all.filter(({ sfen }) => sfen && !met.has(sfen));
    const fresh = left.filter(({ sfen }) => isNew(sfen!));
    const distance = (one: Entry): number => Math.abs(+(one.rating ?? target) - target);
    const near = [...fresh[0] ? fresh : left].sort((a, b) => distance(a) - distance(b))
      .slice(0, CHOICES);
    const one = near[Math.floor(Math.random() * near.length)];
    return one && { ...one, isFresh: !!fresh[0] };
  }

  // Running.

  // refusal says why there is nothing left of a kind today, "" if there is.
  private refusal(kind: Kind): string {
    const progress = this.view.progress(), { tried, solved } = progress.ten(this.today());
    if (kind === "ten" && tried >= MOST) return say(TEXT.tenDone, 0, solved);
    if (kind !== "again" || this.due()[0]) return "";
    const [next] = [...progress.misses().values()].map(({ due }) => due).sort();
    const date = { month: "long", day: "numeric", timeZone: "UTC" } as const;
    return next ? say(TEXT.noneDue, 0, new Date(next).toLocaleDateString(isJapanese() ? "ja" : "en", date))
      : say(TEXT.noMisses);
  }

  private start(kind: Kind): void {
    const { view } = this, refusal = this.refusal(kind);
    view.setLanguage();
    this.kind = kind;
    this.queue = this.due();
    this.tell(refusal);
    if (refusal) return;
    this.results = [];
    this.first = view.progress().level();
    this.isRunning = true;
    let last = performance.now();
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      const now = performance.now();
      this.tick(now - last);
      last = now;
    }, TICK);
    this.go();
    this.node.scrollIntoView();
  }

  private tell(text: string): void {
    this.notice.textContent = text;
  }

  private countRight(): number {
    return this.results.filter(({ outcome }) => outcome === "right").length;
  }

  // isOver reports whether the run ends with the problem that is shown.
  private isOver(): boolean {
    switch (this.kind) {
      case "clock": return this.results.length >= MOST;
      case "streak": return !!this.outcome && this.outcome !== "right";
      case "ten": return this.view.progress().ten(this.today()).tried >= MOST;
      case "again": return !this.queue[0];
    }
  }

  // go goes to the next problem. One that nothing has happened to is skipped.
  private async go(): Promise<void> {
    if (this.isAwaited) return;
    if (this.entry && !this.outcome) this.settle("skip");
    if (this.results[0] && this.isOver()) return this.finish();
    this.entry = undefined;
    this.isFailed = false;
    this.isAwaited = true;
    this.verdict.textContent = say(TEXT.loading);
    let found: Runs["entry"], fault = TEXT.none;
    try {
      found = await this.pick();
    } catch {
      fault = TEXT.failed;
    }
    this.isAwaited = false;
    if (!this.isRunning) return; // it was ended meanwhile
    this.verdict.textContent = found ? "" : say(fault);
    this.isFailed = !found;
    if (found) this.show(found);
    this.render();
    if (!found) this.next.focus();
  }

  private show(entry: Entry): void {
    this.entry = entry;
    this.outcome = undefined;
    this.ms = 0;
    const board = this.board ??= this.createBoard(), { host } = this.view;
    const { sfen, moves, plies, caption } = entry;
    set(board, {
      slot: "run", wrong: "stay", next: "#",
      sfen, moves, plies: plies ?? moves?.split(" ").length, caption,
      engine: host.getAttribute("engine") ?? undefined, api: host.getAttribute("api") ?? undefined,
      mode: host.getAttribute("mode") || "solve",
    });
    board.reset();
    board.focus();
  }

  private createBoard(): Board {
    const board = html("tsume-board" as "div") as unknown as Board, { view } = this;
    this.view.host.append(board);
    follow(board, () => this.entry ? view.keyOf(this.entry.sfen!) : "", (key, how) => {
      view.progress().record(key, how);
      if (how === "given") this.settle("hint");
      else this.settle("right");
    });
    const on = (type: string, act: (e: CustomEvent) => void): void =>
      board.addEventListener("tsume-" + type, act as EventListener);
    on("hint", () => this.settle("hint"));
    on("wrong", ({ detail: { move, reason, text } }) => {
      // A move that is refuted is on the board, with the reply.
      const { played } = board, before = reason === "refuted" ? played.slice(0, -2) : played;
      this.settle("wrong", { before, move, text });
    });
    on("next", (e) => {
      e.preventDefault();
      e.stopPropagation();
      this.go();
    });
    return board;
  }

  // tick lets time pass while it is the reader's turn.
  private tick(passed: number): void {
    const { board, outcome } = this, limit = this.limit(), before = limit - this.ms;
    if (!this.entry || outcome || document.hidden || board?.state !== "play") return;
    this.ms += passed;
    const left = limit - this.ms, warning = WARNING * SECOND;
    if (left <= 0) this.settle("time");
    else if (before > warning && left <= warning) {
      this.verdict.textContent = say(TEXT.left, 0, WARNING);
    }
    this.renderClock();
  }

  // settle says what counts of the problem, once.
  private settle(outcome: Outcome, more?: Pick<Result, "before" | "move" | "text">): void {
    const { entry, view, kind, ms } = this;
    if (!entry || this.outcome || !this.isRunning) return;
    const key = view.keyOf(entry.sfen!), rating = +(entry.rating ?? 0);
    const isRight = outcome === "right";
    this.outcome = outcome;
    this.results.push({
      entry, outcome, ms: Math.min(ms, this.limit()), before: [], text: "", ...more,
    });
    view.setLanguage();
    view.progress().recordRun(key, isRight, this.today(), {
      moves: entry.moves, rating, isRated: rating > 0 && !!entry.isFresh, isOfTen: kind === "ten",
    });
    this.verdict.textContent = say(TEXT[outcome]);
    this.render();
    // Of a wrong move the reader looks at the board first.
    if (isRight && this.view.host.contains(document.activeElement)) this.next.focus();
  }

  // The end.

  private finish(): void {
    clearInterval(this.timer);
    this.entry = undefined;
    this.isRunning = false;
    this.board?.remove();
    this.board = undefined;
    this.summary.replaceChildren(...this.results.length ? this.summarize() : []);
    this.render();
    (this.results[0] ? this.summary : this.buttons[KINDS.indexOf(this.kind)]!).focus();
    this.node.scrollIntoView();
  }

  private summarize(): Node[] {
    const { results, kind, first } = this, n = results.length, refusal = this.refusal(kind);
    const progress = this.view.progress(), before = Math.round(first.rating);
    const rating = Math.round(progress.level().rating);
    const right = this.countRight();
    const average = Math.round(results.reduce((sum, { ms }) => sum + ms, 0) / n / SECOND);
    const words = [say(TEXT.took, 0, average)];
    if (rating !== before) {
      words.push(first.count ? say(TEXT.newLevel, 0, before, rating) : say(TEXT.firstLevel, 0, rating));
    }
    const items = results.flatMap((result, i) => {
      const { entry, outcome, text } = result, name = entry.caption ?? say(TEXT.at, 0, i + 1);
      if (outcome === "right") return [];
      const see = html("button", {
        "aria-label": say(TEXT.seeIt, 0, name), click: () => this.see(result),
      }, say(TEXT.see));
      return [html("li", {}, html("span", {}, html("b", {}, name), " " + say(SHORT[outcome]),
        ...text ? [html("small", {}, text)] : []), see)];
    });
    return [
      html("h2", {}, say(TEXT.result, 0, right, n)),
      html("p", {}, words.join(isJapanese() ? "・" : ", ")),
      ...n > right ? [html("h3", {}, say(TEXT.missed)), html("ul", {}, ...items)] : [],
      ...progress.isUnsaved ? [html("p", { class: "bad" }, say(TEXT.unsaved))] : [],
      ...refusal ? [html("p", {}, refusal)] : [],
      html("div", { class: "bar" },
        ...refusal ? [] : [
          html("button", { class: "main", click: () => this.start(kind) }, say(TEXT.bAgain)),
        ],
        html("button", { click: () => this.close() }, say(TEXT.bClose))),
    ];
  }

  // see shows a missed problem on the board, with the wrong move and what refutes it.
  private async see({ entry, before, move }: Result): Promise<void> {
    this.show(entry);
    this.entry = undefined;
    const board = this.board!;
    await board.ready;
    const moves = [...before.filter((_, i) => i % 2 === 0), ...move ? [move] : []];
    for (const one of moves) await board.play(one);
    board.scrollIntoView();
  }

  private close(): void {
    this.board?.remove();
    this.board = undefined;
    this.results = [];
    this.summary.replaceChildren();
    this.render();
    this.buttons[KINDS.indexOf(this.kind)]!.focus();
  }

  // Drawing.

  private renderClock(): void {
    const limit = this.limit(), ms = limit < Infinity ? Math.max(0, limit - this.ms) : this.ms;
    const seconds = limit < Infinity ? Math.ceil(ms / SECOND) : Math.floor(ms / SECOND);
    const text = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
    if (this.clock.textContent !== text) this.clock.textContent = text;
    this.clock.classList.toggle("bad", limit - this.ms <= WARNING * SECOND);
  }

  render(): void {
    const { view, outcome, results, isRunning } = this, progress = view.progress();
    view.setLanguage();
    const isShown = isRunning || !!results[0];
    view.all.classList.toggle("running", isShown);
    this.chooser.hidden = this.notice.hidden = isShown;
    this.bar.hidden = this.verdict.hidden = !isRunning;
    this.summary.hidden = isRunning || !results[0];
    const { tried } = progress.ten(this.today());
    const { rating, deviation, count } = progress.level();
    set(this.chooser, { "aria-label": say(TEXT.runs) });
    set(this.seconds, { "aria-label": say(TEXT.seconds) });
    for (const one of this.seconds.options) one.text = say(TEXT.ofSeconds, 0, one.value);
    const parts = {
      ten: [tried, MOST], clock: [], streak: [], again: [this.due().length],
    };
    KINDS.forEach((kind, i) => (this.buttons[i]!.textContent = say(TEXT[kind], 0, ...parts[kind])));
    this.level.className = progress.isUnsaved ? "bad" : "";
    this.level.textContent = [
      count ? say(TEXT.level, 0, Math.round(rating), Math.round(deviation)) : say(TEXT.noLevel),
      progress.isUnsaved ? say(TEXT.unsaved) : "",
    ].join(" ");

    const right = this.countRight(), missed = results.length - right;
    const at = (this.kind === "ten" ? tried : results.length) + (outcome ? 0 : 1);
    const of = this.kind === "again" ? at + this.queue.length : MOST;
    this.where.textContent = this.kind === "streak" ? say(TEXT.at, 0, at) : `${at}/${of}`;
    this.counts.textContent = `✓${right} ✗${missed}`;
    set(this.counts, { "aria-label": say(TEXT.counts, 0, right, missed) });
    this.renderClock();
    const isLast = !!outcome && this.isOver();
    const goOn = isLast ? TEXT.bResult : outcome ? TEXT.bNext : TEXT.bSkip;
    const words = this.isFailed ? TEXT.bRetry : goOn;
    this.next.textContent = say(words);
    this.next.classList.toggle("main", words !== TEXT.bSkip);
    this.stop.textContent = say(TEXT.bStop);
    this.verdict.className = "verdict " + (outcome === "right" ? "good" : outcome ? "bad" : "");
  }
}
