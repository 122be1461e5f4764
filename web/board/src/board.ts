// A board: it reads the attributes of its element, has its parts draw the state, and speaks to the
// reader and to the page. The parts share it.

import { html, set } from "./dom";
import type { Editor } from "./edit";
import { createInput } from "./input";
import { isJapanese, type Part, say, setJapanese } from "./language";
import { useSet } from "./glyphs";
import { later } from "./later";
import type { More } from "./more";
import { createPanel, type Panel } from "./panel";
import { createPlay, type Play } from "./play";
import {
  attackerOf, type Cell, COLORS, emptyBoard, kingOf, legal, parse, parseMoves, SIDE, toSFEN, usi,
} from "./rules";
import { HINT_STEPS, type Message, State } from "./state";
import css from "./style.css";
import { createSurface, type Scene, type Surface } from "./surface";
import * as T from "./text";

// The attributes that a board reads: what it shows, how, and what more.ts is needed for.
const MORE = ["record", "src", "pieces", "caption", "author", "source", "cite", "plies"];
export const CONTENT = ["sfen", "mode", "moves", "api", "side", "record", "src"];
export const LOOK = [
  "lang", "flip", "controls", "label", "level", "hands", "theme", "wrong", "next", "share",
  ...MORE.slice(2),
];

const NO_SFEN = "9/9/9/9/9/9/9/9/9 b -";

// What is behind what the attributes say: nothing, the drawing, or the position too.
const UP_TO_DATE = 0, REDRAW = 1, RELOAD = 2;

// styles returns the sheet of a text, the same for all boards. It is no style element, which the
// policy of a page may forbid.
const sheets: { [css: string]: CSSStyleSheet } = {};
const styles = (css: string): CSSStyleSheet => {
  if (!sheets[css]) {
    sheets[css] = new CSSStyleSheet();
    sheets[css].replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)")); // see the bundler
  }
  return sheets[css];
};

export class Board {
  static server_ = ""; // where the script came from

  readonly root_: ShadowRoot;
  readonly state_ = new State(() => this.attribute_("mode"));
  readonly play_: Play;
  editor_: Editor | undefined; // there once it was needed
  readonly surface_: Surface;
  readonly panel_: Panel;
  readonly frame_: HTMLElement;
  more_: More | undefined; // likewise
  isWaiting_ = false; // for what the tag has instead of a position

  private readonly all_: HTMLElement;
  private readonly live_ = html("div", { class: "live", role: "status" }); // is read out
  private stale_ = RELOAD;
  private isQuiet_ = true; // what a page begins with is not news
  private isReflecting_ = false; // the board changes its own attributes
  private shown_ = ""; // the position that pages know of

  constructor(readonly host_: HTMLElement) {
    this.root_ = host_.attachShadow({ mode: "open" });
    this.play_ = createPlay(this);
    const input = createInput(this);
    this.surface_ = createSurface(this.root_, input);
    this.panel_ = createPanel(this, input.submit_);
    const parts = [this.panel_.status_, this.surface_.node_, this.panel_.node_];
    this.frame_ = html("div", { class: "root", part: "frame" }, ...parts);
    this.all_ = html("div", { class: "all" }, this.frame_, this.live_);
    this.style_(css);
    this.root_.append(html("div", { class: "width" }), this.all_);
  }

  // style_ adds a style sheet.
  style_(css: string): void {
    const { root_: root } = this, sheet = styles(css);
    if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  }

  // Attributes.

  attribute_(name: string): string {
    if (this.isWaiting_) return "";
    return this.host_.getAttribute(name) ?? this.more_?.found_[name] ?? "";
  }

  // need_ loads more.ts for those tags that ask for something of it, and has it read the record.
  private need_(): void {
    const { host_: host, more_: more } = this, has = (names: string[]): boolean =>
      names.some((name) => host.hasAttribute(name));
    if (more) return more.read_();
    // While a page is read, a tag may have a record inside yet.
    const isWaiting = !has(["sfen"]) &&
      !!(has(CONTENT.slice(5)) || document.readyState === "loading" || host.textContent!.trim());
    this.isWaiting_ = isWaiting;
    if (isWaiting || has(MORE) || /wood|contrast/.test(this.attribute_("theme"))) {
      this.later_("more", (file: typeof import("./more")) => {
        if (this.more_) return;
        this.more_ = file.createMore(this);
        this.load_();
      }, () => this.load_());
    }
  }

  // changed_ notes that an attribute changed. Several may change at once; they are read together.
  changed_(name: string): void {
    if (this.isReflecting_) return;
    if (!this.stale_) queueMicrotask(() => this.settle_());
    this.stale_ = Math.max(this.stale_, CONTENT.includes(name) ? RELOAD : REDRAW);
  }

  // settle_ reads what changed, so that what follows need not wait for it.
  settle_(): void {
    if (this.stale_ === RELOAD) this.load_();
    else if (this.stale_ === REDRAW) {
      this.need_();
      this.render_();
    }
  }

  // reflect_ changes attributes to what the board shows already.
  reflect_(attributes: { [name: string]: string | undefined }): void {
    this.isReflecting_ = true;
    set(this.host_, attributes);
    this.isReflecting_ = false;
  }

  // connected_ reads the attributes for the first time, or goes on where the board was taken out of
  // the page.
  connected_(): void {
    const { state_: s } = this;
    const waited = this.stale_ < RELOAD && s.phase_ === "thinking";
    this.stale_ ||= REDRAW; // another place may have another language
    this.settle_();
    this.isQuiet_ = false;
    if (!waited) return;
    s.phase_ = "play";
    if (s.now_()[SIDE] === s.attacker_) this.describe_();
    else this.play_.reply_();
  }

  // load_ begins anew with what the attributes say.
  load_(): void {
    const { state_: s } = this;
    s.interrupt_();
    this.need_();
    this.play_.useServer_((this.host_.getAttribute("api") ?? Board.server_).replace(/\/+$/, ""));
    s.phase_ = "play";
    s.isBad_ = false;
    s.hints_ = s.wrongs_ = 0;
    s.author_ = [];
    const isGame = s.isGame_();
    let found = "";
    try {
      [s.start_, s.author_] = parse(this.attribute_("sfen") || NO_SFEN);
      const moves = this.attribute_("moves");
      if (moves) s.author_ = parseMoves(s.start_, moves);
      s.attacker_ = attackerOf(s.start_);
      s.isBad_ = s.isSolving_() && !isGame && kingOf(s.start_, 1 - s.attacker_) < 0;
    } catch (e) {
      s.isBad_ = true;
      s.start_ = emptyBoard();
      found = String(e);
    }
    const hidesLine = s.isEditing_() || (s.isSolving_() && !isGame);
    s.setLine_(hidesLine ? [] : s.author_, isGame ? s.author_.length : 0);
    if (isGame) {
      s.author_ = []; // nobody follows it
      const side = COLORS.indexOf(this.attribute_("side"));
      s.attacker_ = side < 0 ? s.now_()[SIDE]! : side;
    }
    if (!s.isEditing_()) this.panel_.clearField_();
    this.setLanguage_();
    if (s.isEditing_()) this.edit_();
    if (s.isBad_) {
      this.tell_("bad", found ? T.bad : T.needKing, () => [found]);
      this.emit_("error", { code: "sfen", detail: found });
    } else this.describe_();
    // The reader may be mated already: the server says so.
    const isMine = s.now_()[SIDE] === s.attacker_ && (!isGame || legal(s.now_())[0]);
    if (s.canPlay_() && !isMine) this.play_.reply_();
  }

  // later_ loads a file. If that fails it says so, and lets the reader try again where again says
  // how, unless the reader has gone on.
  async later_<File>(name: string, use: (file: File) => void, again?: () => void): Promise<void> {
    const current = this.state_.stop_;
    try {
      use(await later<File>(name));
    } catch (detail) {
      if (current !== this.state_.stop_) return;
      if (again) this.play_.stopped_(again, T.missing);
      else this.tell_("bad", T.missing);
      this.emit_("error", { code: "load", detail });
    }
  }

  // edit_ makes sure that the board can be edited.
  private edit_(): void {
    if (this.editor_) return;
    this.later_("edit", ({ createEditor }: typeof import("./edit")) => {
      if (this.editor_) return;
      this.editor_ = createEditor(this);
      this.panel_.node_.prepend(this.editor_.node_);
      this.render_();
    }, () => this.load_());
  }

  // showKeys_ shows what keys do.
  showKeys_(): void {
    this.later_("keys", ({ showKeys }: typeof import("./keys")) => showKeys(this));
  }

  // share_ hands on the address of the problem.
  share_(): void {
    this.later_("ended", ({ share }: typeof import("./ended")) => share(this));
  }

  // next_ goes to the next problem, unless the page does that itself.
  next_(): void {
    const next = this.attribute_("next"), base = document.baseURI;
    if (!this.emit_("next", { next }) || !next || !URL.canParse(next, base)) return;
    const url = new URL(next, base);
    if (/^http/.test(url.protocol)) location.assign(url);
  }

  // Speaking.

  // setLanguage_ makes the words those of the board's language, and the pieces those of its set.
  // All boards of a page share them.
  setLanguage_(): void {
    const lang = this.host_.closest<HTMLElement>("[lang]")?.lang ?? "";
    setJapanese(/^(ja|$)/i.test(lang));
    useSet(this.attribute_("pieces"));
  }

  // tell_ sets what the board says, for the eye and for the ear.
  tell_(mood: Message["mood_"], words: string, parts: Message["parts_"] = () => []): void {
    this.state_.message_ = { mood_: mood, words_: words, parts_: parts };
    this.render_();
    this.announce_(say(words, 1, ...parts()));
  }

  // announce_ has a screen reader say a text, even if it is the one before.
  announce_(text: string): void {
    const live = this.live_;
    if (!this.isQuiet_) live.textContent = text + (live.textContent === text ? "\u00a0" : "");
  }

  // describe_ says where the board stands.
  describe_(): void {
    const { state_: s } = this;
    if (s.isEditing_()) {
      const hasKing = kingOf(s.start_, 1 - attackerOf(s.start_)) >= 0;
      this.tell_("", hasKing ? T.turn : T.needKing, () => [this.surface_.side_(s.start_[SIDE]!)]);
    } else if (s.isGame_() && !s.replays_()) {
      this.tell_("", T.game, () => [this.surface_.side_(s.attacker_)]);
    } else if (!s.replays_()) {
      this.tell_("", s.author_.length ? T.startN : T.start, () => [s.author_.length]);
    } else {
      const last = (): Part => (s.ply_ ? s.written_(s.ply_ - 1) : "");
      this.tell_("", s.line_.length ? T.at : T.nothing, () => [s.ply_, s.line_.length, last()]);
    }
  }

  // emit_ tells the page.
  // It returns false if the page has done already what follows.
  emit_(type: string, detail: object): boolean {
    return this.host_.dispatchEvent(new CustomEvent("tsume-" + type, {
      detail, bubbles: true, composed: true, cancelable: type === "next",
    }));
  }

  // moved_ tells the page of the move that led to what is on the board.
  // score is what the level thinks that made it.
  moved_(by: "reader" | "defender" | "level" | "replay", score?: object): void {
    const { line_: line, ply_: ply } = this.state_;
    this.emit_("move", {
      move: usi(line[ply - 1]!), text: this.state_.written_(ply - 1)[0], ply,
      sfen: toSFEN(this.state_.now_()), by, score,
    });
  }

  // ask_ opens a dialog and returns the value of the button that closed it, "" if none did.
  ask_(label: string, children: Node[], style = ""): Promise<string> {
    return new Promise((resolve) => {
      const dialog = html("dialog", {
        "aria-label": label,
        click: (e: Event) => e.target === dialog && dialog.close(), // beside what is in it
        close() {
          dialog.remove();
          resolve(dialog.returnValue);
        },
      }, html("form", { method: "dialog", class: "bar" }, ...children));
      this.state_.stop_.signal.addEventListener("abort", () => dialog.close());
      this.frame_.append(dialog);
      dialog.showModal(); // which keeps the focus inside, and gives it back
      if (style) dialog.style.cssText = style;
    });
  }

  // Drawing.

  render_(): void {
    this.stale_ = UP_TO_DATE;
    this.setLanguage_();
    this.surface_.render_(this.scene_());
    this.panel_.render_();
    this.more_?.render_();
    this.all_.lang = isJapanese() ? "ja" : "en";
    const look = this.panel_.node_.hidden ? " bare" : this.state_.isEditing_() ? " editing" : "";
    this.frame_.className = "root" + look;
    if (this.focused_()?.closest("[hidden]")) this.surface_.focus_();

    const sfen = toSFEN(this.state_.now_()), isNews = sfen !== this.shown_ && !this.isQuiet_;
    this.shown_ = sfen;
    if (isNews) this.emit_("position", { sfen, played: this.state_.played_() });
  }

  // scene_ returns what the surface is to draw.
  private scene_(): Scene {
    const { state_: s } = this;
    const position = s.now_(), isSolving = s.isSolving_(), isEditing = s.isEditing_();
    const hint = s.hintStep_ ? s.hintMove_ : undefined, last = s.line_[s.ply_ - 1];
    const isWrong = s.phase_ === "wrong";
    // Who attacks is in no doubt where one king is missing.
    const hasOneKing = kingOf(position, 0) < 0 !== kingOf(position, 1) < 0;
    const targets = s.picked_ >= 0 && isSolving ? legal(position, s.picked_).map((m) => m[1]) : [];
    const isGame = s.isGame_();
    const title = isEditing ? T.setup : isSolving && !isGame ? T.problem : T.board;
    return {
      position_: position, flip_: this.host_.hasAttribute("flip"), edit_: isEditing,
      name_: this.attribute_("label") || this.attribute_("caption") || say(title),
      picked_: s.picked_, last_: last,
      attacker_: !isGame && (isSolving || (!isEditing && hasOneKing)) ? s.attacker_ : undefined,
      targets_: [...new Set(targets)],
      hints_: (hint ? hint.slice(0, s.hintStep_ > 1 ? 2 : 1) : [s.touched_]) as Cell[],
      arrow_: s.hintStep_ === HINT_STEPS ? hint : isWrong ? last : undefined,
      wrong_: isWrong,
      without_: isEditing || isGame || this.attribute_("hands") !== "hide" ? undefined
        : 1 - s.attacker_,
    };
  }

  // focused_ returns the element of the board that has the focus.
  focused_(): HTMLElement | null {
    return this.root_.activeElement as HTMLElement | null;
  }

  // isOnGrid_ reports whether the focus is on the squares, which keys act on.
  isOnGrid_(): boolean {
    return !!this.focused_()?.closest("[role=grid]");
  }

  // goTo_ shows the position after n moves of the line.
  goTo_(n: number): void {
    const { state_: s } = this;
    this.settle_();
    const was = s.ply_;
    if (s.replays_()) s.ply_ = Math.max(0, Math.min(s.line_.length, n));
    if (s.ply_ === was) return;
    this.describe_();
    if (s.ply_ === was + 1) this.surface_.slide_(s.line_[was]!, s.line_[was]![0]);
    if (s.ply_) this.moved_("replay");
  }
}
