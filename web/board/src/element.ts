// <tsume-board>: a shogi board that replays a line, lets its reader solve a mate problem, or sets up a position.

import { Failure, Judge, type Judgement } from "./api";
import { html, still, svg } from "./dom";
import { glyphPath } from "./glyphs";
import { glyphOf, type Lang, pieceName, squareText, typed, write, type Written } from "./notation";
import { type Color, colorOf, isStuck, KING, kindOf, type Move, parse, parseMoves, PAWN, type Piece, Position, PROMOTED, ROOK, SETS, SFENError, typeOf, usi, WHITE } from "./rules";
import css from "./style.css";
import { boxCell, type Cell, cellColor, cellKind, handCell, isBox, isSquare, pieceAt, Surface } from "./surface";
import { type Key, say } from "./text";

type Mode = "view" | "solve" | "edit";
// What a solver's board waits for: a move of the reader; the server; that a wrong move is taken back; that the reader
// asks again; nothing any more.
type Phase = "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer";
export type Outcome = "replied" | "solved" | "wrong" | "unknown" | "failed" | "illegal" | "gone";
type Mood = "" | "good" | "bad";

// How long the server may look, in milliseconds: for a reply that is waited for, and when asked again.
const QUICK = 3000, PATIENT = 15000;

const ICONS = { first: "M18 5l-8 7 8 7M6 5v14", prev: "M16 5l-8 7 8 7", next: "M8 5l8 7-8 7", last: "M6 5l8 7-8 7M18 5v14", flip: "M7 4v15l-3-3M17 20V5l3 3" };
type Button = keyof typeof ICONS | "hint" | "back" | "retry" | "answer" | "reset" | "attempt" | "clear" | "rest" | "side" | "solve";
const NAMES: { [b in Button]: Key } = {
  first: "bFirst", prev: "bPrev", next: "bNext", last: "bLast", flip: "bFlip", hint: "bHint", back: "bBack", retry: "bRetry", answer: "bAnswer",
  reset: "bReset", attempt: "bTry", clear: "bClear", rest: "bRest", side: "bSide", solve: "bSolve",
};
// controls="…" names groups of them.
const GROUPS: { [group: string]: Button[] } = { replay: ["first", "prev", "next", "last"], flip: ["flip"], hints: ["hint"], answer: ["answer"], edit: ["side", "rest", "clear", "solve"] };

let sheet: CSSStyleSheet | undefined;

export class TsumeBoard extends HTMLElement {
  static readonly observedAttributes = ["sfen", "mode", "moves", "api", "lang", "flip", "theme", "controls", "label"];
  // defaultAPI is the server that the script came from.
  static defaultAPI = "";

  private readonly root: ShadowRoot;
  private readonly surface: Surface;
  private readonly status = html("p", { class: "status", part: "status" });
  private readonly bar = html("div", { class: "bar", role: "group" });
  private readonly buttons = new Map<Button, HTMLButtonElement>();
  private readonly list = html("ol", { class: "moves" });
  private readonly input = html("input", { id: "typed", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go" });
  private readonly inputLabel = html("label", { for: "typed" });
  private readonly go = html("button", { type: "submit" });
  private readonly form = html("form", {}, this.inputLabel, this.input, this.go);
  private readonly panel = html("div", { class: "panel", part: "panel" }, this.status, this.bar, this.form, this.list);
  private readonly live = html("div", { class: "live", role: "status" });
  private readonly fallback = html("slot");
  private readonly frame = html("div", { class: "root", part: "frame" });

  private start = new Position();
  private positions: Position[] = [];
  private line: Move[] = [];
  private ply = 0;
  private author: Move[] = []; // the line of the page
  private attackerSide: Color = 0;
  private phase: Phase = "play";
  private bad = ""; // why there is nothing to show
  private picked?: Cell;
  private hintStep = 0;
  private hintMove?: Move;
  private hints = 0;
  private wrongs = 0;
  private message: { key?: Key; args?: (string | number)[]; text?: string; mood: Mood; seal?: boolean } = { mood: "" };
  private judge = new Judge("");
  private stop = new AbortController();
  private stale: "" | "look" | "all" = "";
  private reflecting = false;
  private undoMove?: () => void; // asks again what failed

  constructor() {
    super();
    this.root = this.attachShadow({ mode: "open" });
    // Constructed sheets are not held up by a page's style-src; browsers without them get an element.
    try {
      sheet ??= new CSSStyleSheet();
      if (!sheet.cssRules.length) sheet.replaceSync(css);
      this.root.adoptedStyleSheets = [sheet];
    } catch {
      this.root.append(html("style", {}, css));
    }
    this.surface = new Surface(this.root, {
      tap: (cell) => this.tap(cell),
      pick: (cell) => this.pick(cell),
      drop: (cell) => this.dropped(cell),
      key: (e, cell) => this.key(e, cell),
    }, 40);
    const actions: { [b in Button]: () => void } = {
      first: () => this.goTo(0), prev: () => this.goTo(this.ply - 1), next: () => this.goTo(this.ply + 1), last: () => this.goTo(this.line.length),
      flip: () => this.toggleAttribute("flip"), hint: () => void this.hint(), back: () => this.takeBack(), retry: () => this.undoMove?.(),
      answer: () => void this.showAnswer(), reset: () => this.reset(), attempt: () => this.reset(),
      clear: () => this.edit(() => { this.start = new Position(); this.start.hands[1] = SETS.map((n, kind) => (kind && kind < KING ? 0 : 0 * n)); }),
      rest: () => this.edit((p) => { p.rest().forEach((n, kind) => { if (kind >= PAWN && kind <= ROOK) p.hands[1][kind]! += n; }); }),
      side: () => this.edit((p) => { p.side = p.side ? 0 : 1; }), solve: () => this.setAttribute("mode", "solve"),
    };
    for (const name of Object.keys(NAMES) as Button[]) {
      const path = (ICONS as { [b: string]: string })[name];
      const button = html("button", { type: "button", class: path ? "icon" : "", "data-button": name, click: () => { if (button.getAttribute("aria-disabled") !== "true") actions[name](); } },
        ...(path ? [svg("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, svg("path", { d: path }))] : []));
      this.buttons.set(name, button);
      this.bar.append(button);
    }
    this.form.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.submit();
    });
    this.list.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key];
      if (!by || !this.replays) return;
      e.preventDefault();
      this.goTo(this.ply + by);
      (this.list.querySelector("[aria-current]") as HTMLElement | null)?.focus();
    });
    this.frame.append(this.surface.node, this.panel);
    this.root.append(this.frame, this.live);
  }

  connectedCallback(): void {
    this.load();
  }

  disconnectedCallback(): void {
    this.stop.abort();
  }

  attributeChangedCallback(name: string): void {
    if (this.reflecting || !this.isConnected) return;
    const all = ["sfen", "mode", "moves", "api"].includes(name);
    if (!this.stale) queueMicrotask(() => this.settle());
    if (all || !this.stale) this.stale = all ? "all" : "look";
  }

  // settle brings the board up to date with its attributes, several of which may have changed at once.
  private settle(): void {
    const stale = this.stale;
    this.stale = "";
    if (stale === "all") this.load();
    else if (stale) this.render();
  }

  // What the page sees.

  get mode(): Mode {
    const mode = this.getAttribute("mode");
    return mode === "solve" || mode === "edit" ? mode : "view";
  }
  set mode(mode: Mode) {
    this.setAttribute("mode", mode);
  }
  get sfen(): string {
    return this.getAttribute("sfen") ?? "";
  }
  set sfen(sfen: string) {
    this.setAttribute("sfen", sfen);
  }
  // position is what the board shows, in canonical SFEN.
  get position(): string {
    this.settle();
    return this.now.sfen();
  }
  get line_(): Move[] {
    return this.line;
  }
  // played are the moves that lead from sfen to position, in USI.
  get played(): string[] {
    this.settle();
    return this.line.slice(0, this.ply).map(usi);
  }
  get state(): Phase | "error" {
    this.settle();
    return this.bad ? "error" : this.phase;
  }

  override focus(options?: FocusOptions): void {
    void options;
    this.surface.focus();
  }

  // reset begins again from sfen.
  reset(): void {
    this.load();
    this.announce(this.statusText());
  }

  // goTo shows the position after a number of moves of the line.
  goTo(ply: number): void {
    this.settle();
    if (!this.replays) return;
    const before = this.ply;
    this.ply = Math.max(0, Math.min(this.line.length, ply));
    if (this.ply === before) return;
    this.describe();
    this.render();
    const m = this.line[this.ply - 1];
    if (m && this.ply === before + 1) this.surface.slide(m);
    this.announce(this.statusText());
    if (m) this.emit("tsume-move", { ...this.moveDetail(this.ply - 1), by: "replay" });
  }
  next(): void {
    this.goTo(this.ply + 1);
  }
  previous(): void {
    this.goTo(this.ply - 1);
  }

  // play is the reader's move, in any notation; it resolves when it was answered.
  async play(text: string): Promise<Outcome> {
    this.settle();
    if (!this.canPlay) return "illegal";
    const found = typed(this.now, text, this.previousTo);
    return found.length === 1 ? this.attempt(found[0]!) : "illegal";
  }

  // takeBack undoes the reader's last move and its reply.
  takeBack(): void {
    this.settle();
    if (this.mode !== "solve" || !this.line.length || this.phase === "answer") return;
    this.interrupt();
    const m = this.line[this.line.length - 1]!;
    const n = colorOf(m.piece) === this.attackerSide ? 1 : 2;
    const undone = this.line[this.line.length - n] ?? m;
    this.setLine(this.line.slice(0, Math.max(0, this.line.length - n)));
    this.phase = "play";
    this.say(this.line.length ? "pickFirst" : "start");
    if (!this.line.length) this.describe();
    this.render();
    if (this.hasGridFocus) this.surface.focus(undone.from >= 0 ? undone.from : handCell(this.attackerSide, kindOf(undone.piece)));
    this.announce(say(this.language, "bBack") + (this.language === "ja" ? "。" : ". ") + this.statusText());
  }

  // hint says more at each call: which piece, where to, the move. It resolves with the step.
  async hint(): Promise<number> {
    this.settle();
    if (!this.canPlay) return 0;
    if (!this.hintMove) {
      const m = await this.bestMove();
      if (!m) return 0;
      this.hintMove = m;
    }
    const m = this.hintMove, lang = this.language;
    if (this.hintStep < 3) {
      this.hintStep++;
      this.hints++;
      this.emit("tsume-hint", { step: this.hintStep });
    }
    const name = pieceName(m.piece, lang);
    const what = m.from < 0 ? say(lang, "inHand", name) : lang === "ja" ? squareText(m.from, lang) + name : `${name} on ${squareText(m.from, lang)}`;
    if (this.hintStep === 1) this.say("hint1", "", what);
    else if (this.hintStep === 2) this.say("hint2", "", squareText(m.to, lang));
    else this.say("hint3", "", this.written(this.line.length, m).text);
    this.picked = undefined;
    this.render();
    this.announce(this.hintStep === 3 ? say(lang, "hint3", this.written(this.line.length, m).spoken) : this.statusText());
    return this.hintStep;
  }

  // showAnswer ends the reader's attempt and shows the line, which can be replayed from then on.
  async showAnswer(): Promise<boolean> {
    this.settle();
    if (this.mode !== "solve" || this.bad || this.phase === "answer") return false;
    this.interrupt();
    let line = this.author;
    if (!line.length) {
      this.phase = "thinking";
      this.say("thinking");
      this.render();
      const epoch = this.stop;
      const j = await this.ask(this.start, PATIENT, () => void this.showAnswer());
      if (!j || epoch !== this.stop) return false;
      const best = j.moves.find((m) => m.move === j.best) ?? j.moves.find((m) => m.verdict === "mate");
      if (j.verdict !== "mate" || !best) {
        this.setLine([]);
        this.phase = "play";
        this.say(j.verdict === "nomate" ? "noMate" : "noAnswer", "bad");
        this.render();
        this.announce(this.statusText());
        return false;
      }
      line = parseMoves(this.start, (best.line ?? [best.move]).join(" "));
    }
    this.setLine(line);
    this.ply = 0;
    this.phase = "answer";
    this.describe();
    this.render();
    this.announce(this.statusText());
    this.emit("tsume-answer", { moves: line.map(usi), plies: line.length });
    return true;
  }

  // The inside.

  private get language(): Lang {
    const lang = this.getAttribute("lang") || this.parentElement?.closest("[lang]")?.getAttribute("lang") || "ja";
    return /^ja\b/i.test(lang) ? "ja" : "en";
  }
  private get now(): Position {
    return this.positions[this.ply] ?? this.start;
  }
  private get previousTo(): number {
    return this.line[this.ply - 1]?.to ?? -1;
  }
  private get canPlay(): boolean {
    return this.mode === "solve" && this.phase === "play" && !this.bad;
  }
  // replays reports whether the reader can go back and forth in the line.
  private get replays(): boolean {
    return !this.bad && (this.mode === "view" || (this.mode === "solve" && (this.phase === "answer" || this.phase === "solved")));
  }
  private get hasGridFocus(): boolean {
    return !!this.root.activeElement?.classList.contains("cell");
  }

  private emit(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  // interrupt makes everything that is under way void.
  private interrupt(): void {
    this.stop.abort();
    this.stop = new AbortController();
    this.hintMove = undefined;
    this.hintStep = 0;
    this.picked = undefined;
    this.undoMove = undefined;
  }

  private load(): void {
    this.stale = "";
    this.interrupt();
    const api = (this.getAttribute("api") ?? TsumeBoard.defaultAPI).replace(/\/+$/, "");
    if (api !== this.judge.base) this.judge = new Judge(api);
    this.bad = "";
    this.phase = "play";
    this.hints = this.wrongs = 0;
    const lang = this.language;
    try {
      const text = this.sfen || (this.mode === "edit" ? "9/9/9/9/9/9/9/9/9 b - 1" : "startpos");
      const { position, moves } = parse(text);
      const more = this.getAttribute("moves");
      this.start = position;
      this.attackerSide = position.attacker();
      this.author = more ? parseMoves(position, more) : moves;
      if (this.mode === "solve" && position.king(this.attackerSide ? 0 : 1) < 0) this.bad = say(lang, "noKing");
    } catch (e) {
      if (!(e instanceof SFENError)) throw e;
      this.start = new Position();
      this.author = [];
      this.bad = say(lang, e.code, e.found);
    }
    this.setLine(this.mode === "view" ? this.author : []);
    this.ply = 0;
    if (this.bad) this.emit("tsume-error", { code: "sfen", detail: this.bad });
    this.describe();
    this.render();
    if (this.canPlay && this.start.side !== this.attackerSide) void this.reply();
  }

  private setLine(line: Move[]): void {
    this.line = line;
    this.positions = [this.start];
    for (const m of line) this.positions.push(this.positions[this.positions.length - 1]!.do(m));
    this.ply = line.length;
  }

  // written writes a move that is played after n moves of the line.
  private written(n: number, m = this.line[n]!): Written {
    return write(this.positions[n]!, m, this.line[n - 1]?.to ?? -1, this.language);
  }

  private moveDetail(n: number): object {
    const m = this.line[n]!;
    return { move: usi(m), text: this.written(n).text, ply: n + 1, side: colorOf(m.piece) === this.attackerSide ? "attacker" : "defender", sfen: this.positions[n + 1]!.sfen() };
  }

  private say(key: Key, mood: Mood = "", ...args: (string | number)[]): void {
    this.message = { key, mood, args };
  }

  // describe says where in the line or in the problem the board stands.
  private describe(): void {
    const lang = this.language, m = this.line[this.ply - 1];
    if (this.bad) this.message = { text: say(lang, "bad") + (lang === "ja" ? "：" : ": ") + this.bad, mood: "bad" };
    else if (this.mode === "edit") this.describeEdit();
    else if (this.mode === "solve" && this.phase === "play") {
      const n = this.author.length;
      if (n && this.start.side === this.attackerSide) this.say("startN", "", n);
      else this.say("start");
    } else if (m) this.say("at", "", this.ply, this.written(this.ply - 1).text);
    else if (this.phase === "answer") this.say("answer", "", this.line.length);
    else this.say("startPos");
  }

  private describeEdit(): void {
    const p = this.start, c = p.attacker(), other: Color = c ? 0 : 1;
    if (p.king(other) < 0) this.say("needKing");
    else if (p.side === c && p.inCheck(other)) this.say("kingTaken", "bad");
    else if (this.hasNifu(p)) this.say("nifu", "bad");
    else this.message = { text: say(this.language, "turn", say(this.language, p.side ? "white" : "black")), mood: "" };
  }

  private hasNifu(p: Position): boolean {
    return p.board.some((piece, sq) => typeOf(piece) === PAWN && p.board.indexOf(piece, sq + 1) >= 0 && p.board.some((o, at) => at > sq && o === piece && at % 9 === sq % 9));
  }

  private statusText(): string {
    const { key, args, text } = this.message;
    return text ?? (key ? say(this.language, key, ...(args ?? [])) : "");
  }

  // announce has a screen reader say a text, even if it is the one before.
  private announce(text: string): void {
    this.live.textContent = this.live.textContent === text ? text + "\u00a0" : text;
  }

  // Input of the reader.

  private movable(cell: Cell): boolean {
    if (this.bad) return false;
    const piece = pieceAt(this.now, cell);
    if (this.mode === "edit") return !!piece;
    return this.canPlay && !!piece && !isBox(cell) && colorOf(piece) === this.attackerSide && this.now.side === this.attackerSide;
  }

  private movesOf(cell: Cell): Move[] {
    return this.now.legal(isSquare(cell) ? cell : -cellKind(cell));
  }

  private pick(cell: Cell): boolean {
    if (!this.movable(cell)) return false;
    this.picked = cell;
    this.render();
    return true;
  }

  private putDown(): void {
    this.picked = undefined;
    this.render();
  }

  private tap(cell: Cell): void {
    if (this.bad || (this.mode !== "edit" && !this.canPlay)) return;
    if (this.picked === undefined) {
      if (this.pick(cell)) this.announce(say(this.language, "picked", this.surface.spoken(cell)));
      else if (this.mode === "solve") this.announce(say(this.language, "pickFirst"));
      return;
    }
    const from = this.picked;
    if (from === cell) {
      this.putDown();
      if (this.mode === "edit" && isSquare(cell)) this.edit((p) => this.turnPiece(p, cell), cell);
      else this.announce(say(this.language, "put"));
      return;
    }
    this.dropped(cell);
  }

  // dropped ends a move that was picked up: by a second tap, or where a drag ended.
  private dropped(cell: Cell | undefined): void {
    const from = this.picked;
    if (from === undefined) return;
    if (this.mode === "edit") {
      this.picked = undefined;
      if (cell === from) return this.render();
      this.edit((p) => this.carry(p, from, cell ?? boxCell()), cell);
      return;
    }
    const moves = cell === undefined ? [] : this.movesOf(from).filter((m) => m.to === cell);
    if (moves.length) {
      void this.choose(moves);
      return;
    }
    if (cell !== undefined && cell !== from && this.movable(cell)) {
      this.pick(cell); // another piece of one's own instead
      this.announce(say(this.language, "picked", this.surface.spoken(cell)));
      return;
    }
    this.putDown();
    this.announce(say(this.language, cell === undefined || cell === from ? "put" : "illegal"));
  }

  private key(e: KeyboardEvent, cell: Cell): boolean {
    const { key } = e;
    if (key === "Escape" && this.picked !== undefined) {
      this.putDown();
      this.announce(say(this.language, "put"));
      return true;
    }
    if (this.mode === "edit") return !e.ctrlKey && this.editKey(key, cell);
    if (key === "PageUp" || key === "PageDown") {
      if (!this.replays) return false;
      this.goTo(this.ply + (key === "PageUp" ? -1 : 1));
      return true;
    }
    if (key === "Backspace" || (key === "Escape" && (this.phase === "wrong" || this.phase === "stopped"))) {
      this.takeBack();
      return this.mode === "solve";
    }
    // What is typed on the board goes to where moves are typed.
    if (this.canPlay && !this.form.hidden && !e.ctrlKey && /^[\p{L}\p{N}+]$/u.test(key)) {
      this.input.value = "";
      this.input.focus();
    }
    return false;
  }

  private async submit(): Promise<void> {
    const text = this.input.value.trim();
    if (!text) return;
    if (this.mode === "edit") {
      this.setAttribute("sfen", text);
      this.removeAttribute("moves");
      this.settle();
      this.emit("tsume-edit", { sfen: this.position, valid: !this.bad });
      this.announce(this.statusText());
      return;
    }
    if (!this.canPlay) return;
    const found = typed(this.now, text, this.previousTo);
    const [first] = found;
    if (!first || found.some((m) => m.from !== first.from || m.to !== first.to)) {
      if (first) this.say("ambiguous", "bad", text, found.map((m) => this.written(this.line.length, m).text.slice(1)).join(this.language === "ja" ? "、" : ", "));
      else this.say("notMove", "bad", text);
      this.render();
      this.announce(this.statusText());
      this.input.select();
      return;
    }
    this.input.value = "";
    await this.choose(found);
  }

  // choose plays one of the moves that differ in promotion alone, and asks which if it must.
  private async choose(moves: Move[]): Promise<Outcome> {
    const keyboard = this.hasGridFocus, epoch = this.stop;
    const m = moves.length > 1 ? await this.askPromotion(moves) : moves[0];
    if (epoch !== this.stop) return "gone";
    if (!m) {
      this.putDown();
      this.announce(say(this.language, "put"));
      return "illegal";
    }
    if (keyboard) this.surface.focus(m.to);
    return this.attempt(m);
  }

  private askPromotion(moves: Move[]): Promise<Move | undefined> {
    const lang = this.language;
    return new Promise((resolve) => {
      let chosen: Move | undefined;
      const option = (m: Move): HTMLButtonElement => {
        const p = m.piece + (m.promote ? PROMOTED : 0);
        return html("button", { type: "button", "data-promote": String(m.promote), click: () => { chosen = m; dialog.close(); } },
          svg("svg", { viewBox: "-5 -5.5 10 11", "aria-hidden": true },
            svg("path", { class: "body", d: "M0-4.9L3.1-3.8L4.1 4.7H-4.1L-3.1-3.8Z" }),
            svg("g", { class: m.promote ? "promoted" : "" }, svg("path", { class: "ink", d: glyphPath(glyphOf(p)), transform: "translate(0 .35) scale(.0068)" }))),
          say(lang, m.promote ? "yes" : "no"));
      };
      const ordered = [...moves].sort((a, b) => Number(b.promote) - Number(a.promote));
      const title = html("p", { id: "promotion" }, say(lang, "promote"));
      const dialog = html("dialog", { "aria-labelledby": "promotion", lang }, title, html("div", { class: "bar" }, ...ordered.map(option)));
      // Arrows go from one to the other, as between the squares.
      dialog.addEventListener("keydown", (e) => {
        if (!/^Arrow/.test(e.key)) return;
        e.preventDefault();
        const all = [...dialog.querySelectorAll("button")];
        all[(all.indexOf(this.root.activeElement as HTMLButtonElement) + 1) % all.length]!.focus();
      });
      dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(chosen);
      });
      this.stop.signal.addEventListener("abort", () => dialog.close());
      this.root.append(dialog);
      dialog.showModal();
      const at = this.surface.rect(moves[0]!.to), box = dialog.getBoundingClientRect();
      const clamp = (v: number, most: number): string => `${Math.max(8, Math.min(v, most - 8))}px`;
      dialog.style.left = clamp(at.left + at.width / 2 - box.width / 2, innerWidth - box.width);
      dialog.style.top = clamp(at.bottom + 8 + box.height > innerHeight ? at.top - box.height - 8 : at.bottom + 8, innerHeight - box.height);
      (dialog.querySelector("button") as HTMLElement).focus();
    });
  }

  // Solving.

  private async attempt(m: Move): Promise<Outcome> {
    if (!this.canPlay) return "illegal";
    this.hintMove = undefined;
    this.hintStep = 0;
    this.picked = undefined;
    const written = this.written(this.line.length, m);
    if (!this.now.do(m).inCheck(this.attackerSide ? 0 : 1)) {
      this.wrongs++;
      this.say("noCheck", "bad", written.text);
      this.render();
      this.announce(say(this.language, "noCheck", written.spoken));
      this.emit("tsume-wrong", { move: usi(m), text: written.text, reason: "no-check", sfen: this.now.sfen() });
      return "wrong";
    }
    this.advance(m, "reader");
    if (this.now.isMate()) return this.finish();
    return this.reply();
  }

  private advance(m: Move, by: "reader" | "defender"): void {
    const from = m.from < 0 ? this.surface.place(handCell(colorOf(m.piece), kindOf(m.piece))) : undefined;
    this.setLine([...this.line, m]);
    this.render();
    this.surface.slide(m, from);
    this.emit("tsume-move", { ...this.moveDetail(this.line.length - 1), by });
  }

  // reply plays the defender's best move, or shows that the reader's was wrong.
  private async reply(milliseconds = QUICK): Promise<Outcome> {
    const epoch = this.stop, played = this.line.length, retry = (): void => void this.reply(PATIENT);
    this.phase = "thinking";
    this.say("thinking");
    this.render();
    const pause = still() ? 0 : 320;
    const began = performance.now();
    // The page's own line is followed as long as the reader does.
    let m: Move | undefined, escapes = false;
    if (this.line.every((l, i) => this.author[i] && usi(l) === usi(this.author[i]!))) m = this.author[played];
    if (!m) {
      const j = await this.ask(this.now, milliseconds, retry);
      if (epoch !== this.stop) return "gone";
      if (!j) return "failed";
      if (j.verdict === "unknown") {
        this.phase = "stopped";
        this.undoMove = retry;
        this.say("unknown", "bad", played ? this.written(played - 1).text : "");
        this.render();
        this.announce(this.statusText());
        return "unknown";
      }
      escapes = j.verdict === "nomate";
      const of = j.moves.filter((r) => r.verdict === j.verdict);
      const longest = of.reduce((a, b) => ((b.plies ?? 0) > (a?.plies ?? 0) ? b : a), of[0]);
      const best = of.find((r) => r.move === j.best) ?? longest;
      m = best && this.now.move(best.move);
    }
    await new Promise((done) => setTimeout(done, Math.max(0, pause - (performance.now() - began))));
    if (epoch !== this.stop) return "gone";
    const mine = played ? this.written(played - 1) : undefined;
    if (m) this.advance(m, "defender");
    const theirs = m ? this.written(this.line.length - 1) : undefined;
    if (!escapes && theirs) {
      this.phase = "play";
      this.say("replied", "", mine?.text ?? "", theirs.text);
      this.render();
      this.announce(say(this.language, "replied", mine?.spoken ?? "", theirs.spoken));
      return "replied";
    }
    this.phase = "wrong";
    this.wrongs++;
    const key: Key = !theirs ? "wrongBare" : this.now.checks().length ? "wrong" : "wrongEnd";
    this.say(key, "bad", mine?.text ?? "", theirs?.text ?? "");
    this.render();
    this.announce(say(this.language, key, mine?.spoken ?? "", theirs?.spoken ?? ""));
    this.emit("tsume-wrong", {
      move: played ? usi(this.line[played - 1]!) : "", text: mine?.text ?? "", reason: "refuted", refutation: m ? usi(m) : undefined,
      refutationText: theirs?.text, sfen: this.positions[Math.max(0, played - 1)]!.sfen(),
    });
    return "wrong";
  }

  private finish(): Outcome {
    const plies = this.line.length;
    this.phase = "solved";
    const key: Key = this.hints ? "solvedHint" : "solved";
    this.message = { key, args: [plies, this.hints], mood: "good", seal: true };
    this.render();
    this.announce(this.statusText());
    this.emit("tsume-solved", { sfen: this.start.sfen(), moves: this.line.map(usi), plies, hints: this.hints, wrong: this.wrongs });
    return "solved";
  }

  // ask asks the server, and tells the reader if there is no answer.
  private async ask(p: Position, milliseconds: number, retry: () => void): Promise<Judgement | undefined> {
    const epoch = this.stop;
    try {
      return await this.judge.ask(p, this.attackerSide, milliseconds, epoch.signal);
    } catch (e) {
      if (epoch !== this.stop || !(e instanceof Failure)) return undefined;
      this.phase = "stopped";
      this.undoMove = retry;
      this.message = { text: say(this.language, e.code) + (e.code === "refused" ? e.message : ""), mood: "bad" };
      this.render();
      this.announce(this.statusText());
      this.emit("tsume-error", { code: e.code, detail: e.message });
      return undefined;
    }
  }

  private async bestMove(): Promise<Move | undefined> {
    if (this.line.every((l, i) => this.author[i] && usi(l) === usi(this.author[i]!))) {
      const m = this.author[this.line.length];
      if (m) return m;
    }
    const epoch = this.stop, again = (): void => { this.phase = "play"; void this.hint(); };
    const j = await this.ask(this.now, PATIENT, again);
    if (!j || epoch !== this.stop) return undefined;
    const best = j.best ?? j.moves.find((m) => m.verdict === "mate")?.move;
    if (j.verdict !== "mate" || !best) {
      this.say(j.verdict === "nomate" ? "noMate" : "noAnswer", "bad");
      this.render();
      this.announce(this.statusText());
      return undefined;
    }
    return this.now.move(best);
  }

  // Editing.

  private edit(change: (p: Position) => string | void, at?: Cell): void {
    this.start = this.start.clone();
    const said = change(this.start);
    this.author = [];
    this.setLine([]);
    this.reflecting = true;
    this.setAttribute("sfen", this.start.sfen());
    this.removeAttribute("moves");
    this.reflecting = false;
    this.bad = "";
    this.attackerSide = this.start.attacker();
    this.describe();
    this.render();
    if (at !== undefined && this.hasGridFocus) this.surface.focus(at);
    this.announce([said, this.statusText()].filter(Boolean).join(" "));
    this.emit("tsume-edit", { sfen: this.start.sfen(), valid: this.message.mood !== "bad" && this.message.key !== "needKing" });
  }

  private lay(p: Position, sq: number, piece: Piece): string {
    p.board[sq] = isStuck(piece, sq) ? piece | PROMOTED : piece;
    return say(this.language, "placed", squareText(sq, this.language), pieceName(p.board[sq]!, this.language));
  }

  // carry moves a piece between squares, hands and box. What it lands on goes to the box.
  private carry(p: Position, from: Cell, to: Cell): string {
    const piece = pieceAt(p, from), kind = kindOf(piece);
    if (!piece || (kind === KING && !isSquare(to) && !isBox(to))) return "";
    const fromBox = isBox(from) && kind === KING && p.king(1) < 0 ? WHITE : 0; // the first king is the one to be mated
    if (isSquare(from)) p.board[from] = 0;
    else if (!isBox(from)) p.hands[cellColor(from)][kind]!--;
    if (isSquare(to)) return this.lay(p, to, piece | fromBox);
    if (isBox(to)) return say(this.language, "removed", pieceName(piece, this.language));
    p.hands[cellColor(to)][kind]!++;
    return "";
  }

  // turnPiece makes a piece the next of what it can be: promoted, the other side's, promoted there.
  private turnPiece(p: Position, sq: number): string {
    let piece = p.board[sq]!;
    do {
      const flat = kindOf(piece) === KING || kindOf(piece) === 5;
      piece = flat || piece & PROMOTED ? (piece & ~PROMOTED) ^ WHITE : piece | PROMOTED;
    } while (isStuck(piece, sq));
    return this.lay(p, sq, piece);
  }

  private editKey(key: string, cell: Cell): boolean {
    if (key === "Delete" || key === "Backspace") {
      if (!isBox(cell) && pieceAt(this.start, cell)) this.edit((p) => this.carry(p, cell, boxCell()), cell);
      return true;
    }
    if (key === "+" && isSquare(cell)) {
      const piece = this.start.board[cell]!;
      if (piece && kindOf(piece) !== KING && kindOf(piece) !== 5) this.edit((p) => this.lay(p, cell, piece ^ PROMOTED), cell);
      return true;
    }
    const kind = key.length === 1 ? "plnsgbrk".indexOf(key.toLowerCase()) + 1 : 0;
    if (!kind || isBox(cell)) return false;
    if (!isSquare(cell) && kind === KING) return true;
    const free = this.start.clone();
    if (isSquare(cell)) free.board[cell] = 0;
    if (free.rest()[kind]! < 1) {
      this.announce(say(this.language, "nothing"));
      return true;
    }
    this.edit((p) => {
      if (isSquare(cell)) return this.lay(p, cell, kind + (key < "a" ? WHITE : 0));
      p.hands[cellColor(cell)][kind]!++;
      return this.surface.sideName(cellColor(cell)) + " " + pieceName(kind, this.language);
    }, cell);
    return true;
  }

  // Rendering.

  private render(): void {
    const lang = this.language, mode = this.mode, phase = this.phase, p = this.now;
    const controls = (this.getAttribute("controls") ?? "all").split(/\s+/);
    const has = (group: string): boolean => controls.includes("all") || controls.includes(group);
    const inDoubt = this.mode === "edit" || p.king(0) < 0 === p.king(1) < 0;
    const last = this.line[this.ply - 1];
    const hint = this.hintStep && this.hintMove ? this.hintMove : undefined;
    const hintFrom = hint && (hint.from >= 0 ? hint.from : handCell(this.attackerSide, kindOf(hint.piece)));
    this.surface.render({
      position: p,
      attacker: inDoubt && mode !== "solve" ? undefined : this.attackerSide,
      lang, flip: this.hasAttribute("flip"), box: mode === "edit",
      readonly: mode === "view",
      name: this.getAttribute("label") || say(lang, mode === "edit" ? "setup" : mode === "solve" ? "problem" : "board"),
      picked: this.picked,
      targets: new Set(this.picked !== undefined && mode === "solve" ? this.movesOf(this.picked).map((m) => m.to) : []),
      last,
      hints: hint ? (this.hintStep > 1 ? [hintFrom!, hint.to] : [hintFrom!]) : [],
      arrow: hint && this.hintStep > 2 ? hint : phase === "wrong" ? last : undefined,
      good: phase !== "wrong",
      movable: (cell) => this.movable(cell),
    });

    this.frame.lang = lang;
    this.frame.dataset.phase = this.bad ? "error" : phase;
    this.frame.dataset.mode = mode;
    const none = controls.includes("none");
    this.panel.hidden = none && !this.bad;
    this.frame.classList.toggle("bare", this.panel.hidden);
    if (this.bad && !this.fallback.isConnected) this.frame.append(this.fallback);
    if (!this.bad) this.fallback.remove();

    this.status.className = "status " + this.message.mood;
    this.status.replaceChildren(...(this.message.seal ? [html("span", { class: "seal", "aria-hidden": true }, "詰")] : []), html("span", {}, this.statusText()));

    const shown = new Set<Button>(["flip"]);
    const add = (...names: Button[]): void => names.forEach((n) => shown.add(n));
    let main: Button | undefined;
    if (this.bad) shown.clear();
    else if (mode === "edit") {
      add("side", "rest", "clear", "solve");
      main = "solve";
    } else {
      if (this.replays && this.line.length) add("first", "prev", "next", "last");
      if (mode === "solve") {
        if (phase === "play" || phase === "thinking") add("hint", "back", "answer");
        if (phase === "wrong") add("back", "answer"), (main = "back");
        if (phase === "stopped") add("retry", "back"), (main = "retry");
        if (phase === "solved") add("reset");
        if (phase === "answer") add("attempt"), (main = "attempt");
      }
    }
    for (const [group, names] of Object.entries(GROUPS)) if (!has(group)) names.forEach((n) => shown.delete(n));
    const disabled: { [b: string]: boolean } = {
      first: !this.ply, prev: !this.ply, next: this.ply === this.line.length, last: this.ply === this.line.length,
      back: !this.line.length, hint: phase !== "play" || this.hintStep === 3, solve: this.message.mood === "bad" || this.message.key === "needKing",
    };
    const focused = this.root.activeElement;
    for (const [name, button] of this.buttons) {
      button.hidden = !shown.has(name);
      const label = say(lang, NAMES[name]);
      if (name in ICONS) {
        button.setAttribute("aria-label", label);
        button.title = label;
      } else button.textContent = name === "hint" && this.hintStep ? `${label} ${this.hintStep}/3` : label;
      button.classList.toggle("main", name === main);
      button.setAttribute("aria-disabled", String(!!disabled[name]));
    }
    this.bar.setAttribute("aria-label", this.getAttribute("label") || say(lang, mode === "edit" ? "setup" : "board"));
    this.bar.hidden = !shown.size;
    this.form.hidden = !(has("input") && (mode === "edit" || (mode === "solve" && !this.bad && phase !== "solved" && phase !== "answer")));
    this.inputLabel.textContent = mode === "edit" ? say(lang, "sfen") : `${say(lang, "type")}（${say(lang, "typeHint")}）`.replace(/（(e.*)）/, " ($1)");
    this.go.textContent = mode === "edit" ? "OK" : say(lang, "go");
    if (mode === "edit" && this.root.activeElement !== this.input && !this.bad) this.input.value = this.start.sfen();
    this.renderList(lang);
    if (focused && (focused as HTMLElement).closest?.("[hidden]")) this.surface.focus();
  }

  private renderList(lang: Lang): void {
    const replays = this.replays && (this.getAttribute("controls") ?? "all") !== "none";
    this.list.hidden = !this.line.length;
    this.list.setAttribute("aria-label", say(lang, "line"));
    const hadFocus = this.list.contains(this.root.activeElement);
    this.list.replaceChildren(...this.line.map((_, i) => {
      const w = this.written(i), current = i === this.ply - 1;
      const number = html("span", { class: "n" }, String(i + 1));
      if (!replays) return html("li", {}, number, w.text);
      return html("li", {}, html("button", { type: "button", "aria-current": current ? "step" : undefined, tabindex: current || (!this.ply && !i) ? 0 : -1, click: () => this.goTo(i + 1) }, number, w.text));
    }));
    const current = this.list.querySelector<HTMLElement>("[aria-current]");
    if (hadFocus) (current ?? this.list.querySelector("button"))?.focus();
    // Only the list scrolls, never the page.
    if (current && replays) this.list.scrollTop = Math.max(0, current.offsetTop - this.list.offsetTop - this.list.clientHeight / 2);
  }
}
