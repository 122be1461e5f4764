// <tsume-board>: a shogi board that replays a line, lets its reader solve a mate problem, or sets up a position.

import { createJudge, type Judgement, type Solution } from "./api";
import { html, isStill, set, svg } from "./dom";
import { drawPiece } from "./glyphs";
import { nameOf, squareText, typed, write } from "./notation";
import { after, attackerOf, BOX, canPromote, type Cell, colorOf, emptyBoard, fillBox, inCheck, isMate, isSquare, isStuck, KING, kingOf, kindOf, legal, LETTERS, type Move, NOWHERE, parse, parseMoves, type Piece, pieceAt, pile, type Position, PROMOTED, SHELF, SIDE, toSFEN, usi, WHITE } from "./rules";
import css from "./style.css";
import { createSurface } from "./surface";
import * as T from "./text";

// What a board waits for: a move of the reader, the server, that a wrong move is taken back, that the server is asked
// again, or nothing any more.
type Phase = "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer";
// What became of a move of the reader; gone is one that was overtaken by something else.
type Outcome = "replied" | "solved" | "wrong" | "unknown" | "failed" | "illegal" | "gone";

const failures: { [code: string]: string } = {
  busy: T.busy, refused: T.refused, limit: T.limit, offline: T.offline,
};

let sheet: CSSStyleSheet | undefined;

export class TsumeBoard extends HTMLElement {
  // The first four are what the board shows, the rest is how.
  static observedAttributes = ["sfen", "mode", "moves", "api", "lang", "flip", "controls", "label"];
  // server is where the script came from.
  static server_ = "";
  private readonly board_ = createBoard(this);

  connectedCallback(): void {
    this.board_.connected_();
  }
  disconnectedCallback(): void {
    this.board_.halt_();
  }
  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before !== now) this.board_.changed_(TsumeBoard.observedAttributes.indexOf(name) < 4);
  }
}

function createBoard(host: HTMLElement) {
  const root = host.attachShadow({ mode: "open" });
  let start = emptyBoard(), line: Move[] = [], positions = [start], ply = 0;
  let author: Move[] = []; // the line of the page
  let attacker = 0, phase: Phase = "play", bad = false, reflecting = false;
  let picked: Cell = NOWHERE, hintMove: Move | undefined, hintStep = 0, hints = 0, wrongs = 0;
  let retry: () => unknown = () => {};
  let stop = new AbortController();
  let stale = 2; // 1: to be drawn again, 2: to be read again
  let quiet = true; // what a page begins with is not news
  let field = ""; // the mode that the text in the field is of
  let shown = ""; // the position that pages know of
  let server: string, judge: ReturnType<typeof createJudge>;
  let message: [mood: string, words: string, parts: (() => T.Part[])] = ["", T.start, () => []];

  const attribute = (name: string): string => host.getAttribute(name) ?? "";
  const mode = (): string => attribute("mode");
  const solving = (): boolean => mode() === "solve";
  const editing = (): boolean => mode() === "edit";

  const now = (): Position => positions[ply]!;
  const before = (): number | undefined => line[ply - 1]?.[1];
  const canPlay = (): boolean => solving() && phase === "play" && !bad;
  // canRetake reports whether a wrong move is on the board, which a tap on it takes back.
  const canRetake = (): boolean => solving() && phase === "wrong" && lastMove() >= 0;
  // replays reports whether one can go back and forth in the line.
  const replays = (): boolean => !bad && !editing() && (!solving() || phase === "answer" || phase === "solved");
  const onBoard = (): boolean => !!root.activeElement?.closest("[role=grid]");
  const follows = (): boolean => line.every((m, i) => author[i] && usi(m) === usi(author[i]!));
  const written = (n: number, m = line[n]!): [string, string] => write(positions[n]!, m, line[n - 1]?.[1]);
  const emit = (type: string, detail: object): void => void host.dispatchEvent(new CustomEvent("tsume-" + type, { detail, bubbles: true, composed: true }));

  // tell sets what the board says, for the eye and for the ear. Parts are asked for again when the language changes.
  const tell = (mood: string, words: string, parts: () => T.Part[] = () => []): void => {
    message = [mood, words, parts];
    render();
    announce(T.say(words, 1, ...parts()) + (canRetake() ? " " + T.say(T.again[1]) : ""));
  };
  // announce has a screen reader say a text, even if it is the one before.
  const announce = (text: string): void => {
    if (!quiet) live.textContent = text + (live.textContent === text ? "\u00a0" : "");
  };

  const setLine = (moves: Move[], at = moves.length): void => {
    line = moves;
    positions = [start];
    for (const m of moves) positions.push(after(positions.at(-1)!, m));
    ply = at;
  };

  // halt ends what is under way.
  const halt = (): void => {
    stop.abort();
    stop = new AbortController();
  };
  // interrupt does that, and what was picked up or hinted at is void.
  const interrupt = (): void => {
    halt();
    picked = NOWHERE;
    hintMove = undefined;
    hintStep = 0;
  };

  // changed notes that attributes changed. Several may change at once; they are read together.
  const changed = (content: boolean): void => {
    if (reflecting) return;
    if (!stale) queueMicrotask(settle);
    stale = Math.max(stale, content ? 2 : 1);
  };
  const settle = (): void => {
    if (stale > 1) load();
    else if (stale) render();
  };

  // connected reads the attributes for the first time, or goes on where the board was taken out of the page.
  const connected = (): void => {
    const waited = stale < 2 && phase === "thinking";
    stale ||= 1; // another place may have another language
    settle();
    quiet = false;
    if (!waited) return;
    phase = "play";
    if (now()[SIDE] === attacker) describe();
    else reply();
  };

  const load = (): void => {
    interrupt();
    const url = (host.getAttribute("api") ?? TsumeBoard.server_).replace(/\/+$/, "");
    if (url !== server) judge = createJudge((server = url));
    phase = "play";
    bad = false;
    hints = wrongs = 0;
    author = [];
    let found = "";
    try {
      [start, author] = parse(attribute("sfen") || "9/9/9/9/9/9/9/9/9 b -");
      if (attribute("moves")) author = parseMoves(start, attribute("moves"));
      attacker = attackerOf(start);
      bad = solving() && kingOf(start, 1 - attacker) < 0;
    } catch (e) {
      bad = true;
      start = emptyBoard();
      found = String(e);
    }
    setLine(solving() || editing() ? [] : author, 0);
    if (!editing()) input.value = "";
    language();
    if (bad) {
      tell("bad", found ? T.bad : T.needKing, () => [found]);
      emit("error", { code: "sfen", detail: found });
    } else describe();
    if (canPlay() && start[SIDE] !== attacker) reply();
  };

  const language = (): void => {
    T.setJapanese(/^(ja|$)/i.test(host.closest<HTMLElement>("[lang]")?.lang ?? ""));
  };

  // describe says where the board stands.
  const describe = (): void => {
    if (editing()) tell("", kingOf(start, 1 - attackerOf(start)) < 0 ? T.needKing : T.turn, () => [surface.side_(start[SIDE]!)]);
    else if (!replays()) tell("", author.length ? T.startN : T.start, () => [author.length]);
    else tell("", line.length ? T.at : "|", () => [ply, line.length, ply ? written(ply - 1) : ""]);
  };

  // What the page can do, as the reader can.

  const goTo = (n: number): void => {
    settle();
    const was = ply;
    if (replays()) ply = Math.max(0, Math.min(line.length, n));
    if (ply === was) return;
    describe();
    if (ply === was + 1) surface.slide_(line[was]!, line[was]![0]);
    if (ply) moved("replay");
  };

  const play = async (text: string): Promise<Outcome> => {
    settle();
    const found = canPlay() ? typed(now(), text, before()) : [];
    return found.length === 1 ? attempt(found[0]!) : "illegal";
  };

  // lastMove is the place of the reader's last move in the line, less than 0 where there is none.
  const lastMove = (): number => line.length - (now()[SIDE] === attacker ? 2 : 1);

  const takeBack = (): void => {
    settle();
    // The reader's last move goes, and what was replied to it.
    const n = lastMove(), keyboard = onBoard();
    if (!solving() || replays() || n < 0) return;
    const [from] = line[n]!;
    interrupt();
    setLine(line.slice(0, n));
    phase = "play";
    tell("", T.back);
    if (keyboard) surface.focus_(from);
  };

  const hint = async (): Promise<number> => {
    settle();
    if (!canPlay()) return 0;
    if (!hintMove) {
      const current = stop;
      const found = (follows() && author[line.length]) || (await bestLine(hint))?.[0];
      if (current !== stop || !found) return 0;
      hintMove = found;
    }
    if (!canPlay()) return 0;
    if (hintStep < 3) {
      hints++;
      emit("hint", { step: ++hintStep });
    }
    const m = hintMove, n = line.length, piece = pieceAt(positions[n]!, m[0]);
    picked = NOWHERE;
    tell("", [T.hint1, T.hint2, T.hint3][hintStep - 1]!, () => {
      return hintStep > 2 ? [written(n, m)] : [T.say(T.owned, 0, isSquare(m[0]) ? squareText(m[0]) : T.say(T.inHand), nameOf(piece)), squareText(m[1])];
    });
    return hintStep;
  };

  // bestLine asks for the moves of the shortest mate from here, and tells the reader if there is none.
  const bestLine = async (again: () => unknown): Promise<Move[] | undefined> => {
    phase = "thinking";
    tell("", T.thinking);
    const found = await ask<Solution>("solve", again);
    if (!found) return undefined;
    phase = "play";
    if (found.verdict === "mate") return parseMoves(now(), found.moves.join(" "));
    tell("bad", found.verdict === "nomate" ? T.noMate : T.unknown);
    return undefined;
  };

  const showAnswer = async (): Promise<boolean> => {
    settle();
    if (!solving() || bad || phase === "answer") return false;
    interrupt();
    let moves: Move[] | undefined = author;
    if (!moves.length) {
      setLine([]);
      moves = await bestLine(showAnswer);
      if (!moves) return false;
    }
    phase = "answer";
    setLine(moves, 0);
    describe();
    emit("answer", { moves: moves.map(usi) });
    return true;
  };

  // What the reader does.

  const movable = (cell: Cell): boolean => {
    const piece = pieceAt(now(), cell);
    if (!piece || bad) return false;
    if (editing()) return true;
    const own = cell < pile(BOX) && colorOf(piece) === attacker;
    return own && (canRetake() || (canPlay() && now()[SIDE] === attacker));
  };

  const pick = (cell = NOWHERE, news = ""): void => {
    picked = cell;
    render();
    announce(cell < 0 ? T.say(T.put) : news + T.say(T.picked, 0, surface.spoken_(cell)));
  };

  // retake takes a wrong move back and picks up what was touched, if it can be moved. It returns
  // where that piece stands now: the one that made the move is where it came from.
  const retake = (touched: Cell): Cell => {
    const [from, to] = line[lastMove()]!;
    const cell = touched === to && movable(touched) ? from : touched;
    takeBack();
    if (movable(cell)) {
      if (onBoard()) surface.focus_(cell);
      pick(cell, T.say(T.back) + " ");
    }
    return cell;
  };

  // grab picks up what a drag begins on, and returns where that stands.
  const grab = (cell: Cell): Cell => {
    if (canRetake()) return retake(cell);
    pick(cell);
    return cell;
  };

  const tap = (cell: Cell): void => {
    if (canRetake()) retake(cell);
    else if (picked < 0) {
      if (movable(cell)) pick(cell);
    } else if (picked !== cell) drop(cell);
    else if (editing() && isSquare(cell)) edit(() => turn(cell), cell);
    else pick();
  };

  // drop ends what pick began: with a second tap, or where a drag ends.
  const drop = (cell: Cell): void => {
    const from = picked;
    if (from < 0) return;
    if (editing()) return cell === from ? pick() : edit(() => carry(from, cell < 0 ? pile(BOX) : cell), cell);
    const moves = legal(now(), from).filter((m) => m[1] === cell);
    if (moves.length) choose(moves);
    else if (cell !== from && movable(cell)) pick(cell); // another piece instead
    else pick();
  };

  const key = (key: string, cell: Cell): unknown => {
    if (key === "Escape" && picked >= 0) return pick(), true;
    if (editing()) return editKey(key, cell);
    if (replays()) return key === "PageUp" ? (goTo(ply - 1), true) : key === "PageDown" ? (goTo(ply + 1), true) : false;
    if (key === "Backspace" || (key === "Escape" && phase !== "play")) return takeBack(), true;
    // What is typed on the board goes to where moves are typed.
    if (canPlay() && !form.hidden && /^[\p{L}\p{N}+]$/u.test(key)) {
      input.value = "";
      input.focus();
    }
    return false;
  };

  const submit = (): void => {
    const text = input.value.trim();
    if (editing()) {
      host.setAttribute("sfen", text);
      host.removeAttribute("moves");
      settle();
      if (!bad) emit("edit", { sfen: toSFEN(start) });
      return;
    }
    if (!canPlay() || !text) return;
    const found = typed(now(), text, before());
    if (found.length && found.every((m) => m[0] === found[0]![0] && m[1] === found[0]![1])) {
      input.value = "";
      choose(found);
    } else {
      // Nothing, or several: which they are.
      tell("bad", T.bad, () => [[text, ...found.map((m) => written(line.length, m)[0])].join(" ")]);
      input.select();
    }
  };

  // choose plays one of the moves that differ in promotion alone, and asks which if it must.
  const choose = async (moves: Move[]): Promise<void> => {
    const keyboard = onBoard(), current = stop, m = moves[1] ? await askPromotion(moves) : moves[0];
    if (current !== stop) return;
    if (!m) return pick();
    if (keyboard) surface.focus_(m[1]);
    attempt(m);
  };

  const askPromotion = (moves: Move[]): Promise<Move | undefined> => {
    return new Promise((resolve) => {
      let chosen: Move | undefined;
      language(); // another board may have spoken since
      const option = (m: Move): Node =>
        html("button", { click() { chosen = m; dialog.close(); } }, svg("svg", { viewBox: "-5 -5.5 10 11", "aria-hidden": "true" }, drawPiece(pieceAt(now(), m[0]) + m[2], 0, 0, false)), T.say(m[2] ? T.yes : T.no));
      const dialog = html("dialog", { "aria-label": T.say(T.promote), click(e: Event) { if (e.target === dialog) dialog.close(); }, close() { dialog.remove(); resolve(chosen); } },
        html("div", { class: "bar" }, ...moves.map(option).reverse()));
      stop.signal.addEventListener("abort", () => dialog.close());
      frame.append(dialog);
      dialog.showModal(); // which keeps the focus inside, and gives it back
      const { left, bottom } = surface.at_(moves[0]![1]);
      dialog.style.cssText = `--x:${left}px;--y:${bottom}px`;
    });
  };

  // Solving.

  const moved = (by: string): void => emit("move", { move: usi(line[ply - 1]!), text: written(ply - 1)[0], ply, sfen: toSFEN(now()), by });

  const advance = (m: Move, by: string): void => {
    setLine([...line, m]);
    render();
    surface.slide_(m, m[0]);
    moved(by);
  };

  const attempt = async (m: Move): Promise<Outcome> => {
    if (!canPlay()) return "illegal";
    const n = line.length, text = written(n, m);
    picked = NOWHERE;
    hintMove = undefined;
    hintStep = 0;
    if (!inCheck(after(now(), m))) return wrong(m, T.noCheck, () => [text]);
    advance(m, "reader");
    if (!isMate(now())) return reply();
    phase = "solved";
    tell("good", hints ? T.solvedWith : T.solved, () => [n + 1, hints]);
    emit("solved", { sfen: toSFEN(start), moves: line.map(usi), plies: n + 1, hints, wrong: wrongs });
    return "solved";
  };

  // reply plays the defender's best move, or shows that the reader's was wrong.
  const reply = async (): Promise<Outcome> => {
    // The reader's own move is seen for a moment, and yet the reply is there within a tenth of a second.
    const current = stop, n = line.length, beat = new Promise((done) => setTimeout(done, isStill() ? 0 : 60));
    const texts = (): T.Part[] => [n ? written(n - 1) : "", line[n] ? written(n) : ""];
    phase = "thinking";
    message = ["", T.replied, texts]; // what was said before is about another position
    render();
    // The line of the page is followed as long as the reader does.
    let m = follows() ? author[n] : undefined, escapes = false;
    if (!m) {
      // Most answers come before these words could be read.
      const slow = setTimeout(() => current === stop && tell("", T.thinking), 200);
      const j = await ask<Judgement>("moves", reply);
      clearTimeout(slow);
      if (!j) return current === stop ? "failed" : "gone";
      if (j.verdict === "unknown") {
        stopped(reply, T.unknown);
        return "unknown";
      }
      escapes = j.verdict === "nomate";
      m = legal(now()).find((l) => usi(l) === j.moves[0]!.move);
    }
    await beat;
    if (current !== stop) return "gone";
    if (m) advance(m, "defender");
    if (!escapes) {
      phase = "play";
      tell("", T.replied, texts);
      return "replied";
    }
    phase = "wrong";
    return wrong(line[n - 1], n ? T.wrong : T.noMate, texts, m);
  };

  // wrong says why a move of the reader is none that mates.
  const wrong = (m: Move | undefined, words: string, parts: () => T.Part[], refutation?: Move): Outcome => {
    wrongs++;
    tell("bad", words, parts);
    emit("wrong", { move: m && usi(m), reason: refutation ? "refuted" : "no-check", refutation: refutation && usi(refutation), text: T.say(words, 0, ...parts()), sfen: toSFEN(now()) });
    return "wrong";
  };

  const stopped = (again: () => unknown, words: string): void => {
    phase = "stopped";
    retry = again;
    tell("bad", words);
  };

  // ask asks the server about the position on the board, and tells the reader if there is no answer.
  const ask = async <T>(what: "solve" | "moves", again: () => unknown): Promise<T | undefined> => {
    const current = stop, answer = await judge(what, now(), attacker, stop.signal);
    if (current !== stop) return undefined;
    if ("verdict" in answer) return answer as T;
    stopped(() => { phase = "play"; again(); }, failures[answer.code]!);
    emit("error", answer);
    return undefined;
  };

  // Setting up.

  const edit = (change: () => unknown, at = NOWHERE): void => {
    start = start.slice();
    picked = NOWHERE;
    const keyboard = onBoard();
    change();
    setLine([]);
    fillBox(start);
    reflecting = true;
    set(host, { sfen: toSFEN(start), moves: undefined });
    reflecting = bad = false;
    attacker = attackerOf(start);
    author = [];
    describe();
    if (at >= 0) {
      if (keyboard) surface.focus_(at);
      announce(surface.spoken_(at));
    }
    emit("edit", { sfen: toSFEN(start) });
  };

  const lay = (sq: number, piece: Piece): void => void (start[sq] = isStuck(piece, sq) ? piece | PROMOTED : piece);

  // carry moves a piece between squares, hands and box. What it lands on goes to the box.
  const carry = (from: Cell, to: Cell): void => {
    const piece = pieceAt(start, from), kind = kindOf(piece);
    if (!isSquare(to) && kind === KING && to < pile(BOX)) return; // no king is held
    if (isSquare(from)) start[from] = 0;
    else start[from]!--;
    // The first king is the one to be mated.
    if (isSquare(to)) lay(to, from >= pile(BOX) && kind === KING && kingOf(start, 1) < 0 ? KING + WHITE : piece);
    else if (to < pile(BOX)) start[to - (to % 9) + kind]!++;
  };

  // turn makes a piece the next of what it can be: promoted, the other side's, promoted there.
  const turn = (sq: number): void => {
    let piece = start[sq]!;
    do piece = canPromote(piece) ? piece | PROMOTED : (piece & ~PROMOTED) ^ WHITE;
    while (isStuck(piece, sq));
    start[sq] = piece;
  };

  const editKey = (key: string, cell: Cell): boolean => {
    const piece = pieceAt(start, cell), kind = key[1] || key === " " ? 0 : LETTERS.indexOf(key.toUpperCase()), hand = !isSquare(cell);
    if (cell >= pile(BOX)) return false;
    if (key === "Delete" || key === "Backspace") {
      if (piece) edit(() => carry(cell, pile(BOX)), cell);
    } else if (key === "+") {
      if (!hand && (canPromote(piece) || piece & PROMOTED)) edit(() => lay(cell, piece ^ PROMOTED), cell);
    } else if (kind < 1) return false;
    else if (start[pile(BOX, kind)]! > 0 || kindOf(piece) === kind) {
      if (!hand) edit(() => lay(cell, kind + (key < "a" ? WHITE : 0)), cell);
      else if (kind < KING && start[pile(BOX, kind)]) edit(() => start[cell - (cell % 9) + kind]!++, cell);
    }
    return true;
  };

  // What it consists of.

  const surface = createSurface(root, { movable_: movable, tap_: tap, pick_: grab, drop_: drop, key_: key });
  const status = html("p"), bar = html("div", { class: "bar" }), list = html("ol"), live = html("div", { class: "live", role: "status" });
  const input = html("input", { id: "i", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go" });
  const label = html("label", { for: "i" }), go = html("button");
  const form = html("form", { submit(e: Event) { e.preventDefault(); submit(); } }, label, input, go);
  const panel = html("div", { class: "panel", part: "panel" }, status, bar, form, list);
  const frame = html("div", { class: "root", part: "frame" }, surface.node_, panel);
  // Not a style element, which a page's policy may forbid.
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(css.replace(/\$(\w+)/g, "var(--t-$1)")); // see the bundler
  root.adoptedStyleSheets = [sheet];
  const all = html("div", { class: "all" }, frame, live);
  root.append(html("div", { class: "width" }), all);

  // The buttons: the group of the attribute controls they belong to, what they say and do, when they are there, when they
  // can do nothing, and their sign.
  const atStart = (): boolean => !ply, atEnd = (): boolean => ply === line.length;
  const replaying = (): boolean => replays() && !!line[0], going = (): boolean => solving() && (phase === "play" || phase === "thinking");
  const table: [group: string, words: string, action: () => unknown, there: () => boolean, dead?: () => boolean, sign?: string][] = [
    ["replay", T.bFirst, () => goTo(0), replaying, atStart, "«"],
    ["replay", T.bPrevious, () => goTo(ply - 1), replaying, atStart, "‹"],
    ["replay", T.bNext, () => goTo(ply + 1), replaying, atEnd, "›"],
    ["replay", T.bLast, () => goTo(line.length), replaying, atEnd, "»"],
    ["flip", T.bFlip, () => host.toggleAttribute("flip"), () => true, undefined, "⇅"],
    ["play", T.bRetry, () => retry(), () => phase === "stopped"],
    ["hints", T.bHint, hint, going, () => phase !== "play" || hintStep > 2],
    ["play", T.bBack, takeBack, () => going() || phase === "wrong" || phase === "stopped", () => lastMove() < 0],
    ["answer", T.bAnswer, showAnswer, () => going() || phase === "wrong"],
    ["play", T.bReset, load, () => solving() && replays()],
    ["edit", T.bSide, () => edit(() => (start[SIDE] = 1 - start[SIDE]!)), editing],
    ["edit", T.bRest, () => edit(() => SHELF.forEach((kind) => (start[pile(1, kind)]! += start[pile(BOX, kind)]!))), editing],
    ["edit", T.bClear, () => edit(() => (start = emptyBoard())), editing],
    ["edit", T.bPlay, () => host.setAttribute("mode", "solve"), editing, () => message[1] === T.needKing],
  ];
  const buttons = table.map(([, , action]) => {
    const button = html("button", { click() { if (!button.ariaDisabled) action(); } });
    bar.append(button);
    return button;
  });

  // Drawing.

  const render = (): void => {
    stale = 0;
    language();
    const p = now(), controls = attribute("controls").split(" "), has = (group: string): boolean => !controls[0] || controls.includes(group);
    const hinted = hintStep && hintMove ? hintMove : undefined, last = line[ply - 1];
    const name = attribute("label") || T.say(editing() ? T.setup : solving() ? T.problem : T.board);
    surface.render_({
      position_: p, flip_: host.hasAttribute("flip"), edit_: editing(), name_: name, picked_: picked, last_: last,
      // Who attacks is in no doubt where one king is missing.
      attacker_: solving() || (!editing() && kingOf(p, 0) < 0 !== kingOf(p, 1) < 0) ? attacker : undefined,
      targets_: picked >= 0 && solving() ? [...new Set(legal(p, picked).map((m) => m[1]))] : [],
      hints_: hinted ? hinted.slice(0, hintStep > 1 ? 2 : 1) as Cell[] : [],
      arrow_: hintStep > 2 ? hinted : phase === "wrong" ? last : undefined,
      wrong_: phase === "wrong",
    });
    panel.hidden = controls[0] === "none" && !bad;
    set(all, { lang: T.isJapanese() ? "ja" : "en" });
    set(frame, { class: panel.hidden ? "root bare" : "root" });

    const [mood, words, parts] = message;
    status.className = mood;
    status.replaceChildren(...(phase === "solved" && mood ? [html("span", { class: "seal", "aria-hidden": "true" }, "詰")] : []), T.say(words, 0, ...parts()));
    if (canRetake()) status.append(html("small", {}, T.say(T.again[0])));

    table.forEach(([group, words, , there, dead, sign], i) => {
      const button = buttons[i]!, text = T.say(words);
      button.hidden = (bad && !editing()) || !there() || !has(group);
      button.textContent = sign ?? text + (words === T.bHint && hintStep ? ` ${hintStep}/3` : "");
      set(button, {
        class: sign ? "icon" : [T.bRetry, T.bReset, T.bPlay, phase === "wrong" && T.bBack].includes(words) && "main",
        title: sign && text, "aria-disabled": dead?.(),
      });
    });
    form.hidden = !has("input") || !(editing() || (going() && !bad));
    // What was typed belongs to one mode: a position is no move.
    if (field !== mode()) input.value = "";
    field = mode();
    label.textContent = editing() ? "SFEN" : T.say(T.type);
    go.textContent = editing() ? "OK" : T.say(T.play);
    if (editing() && !bad) input.value = toSFEN(start);

    const focused = list.contains(root.activeElement);
    list.hidden = !line.length;
    set(list, { "aria-label": T.say(T.list) });
    list.replaceChildren(...line.map((_, i) => {
      const text = `${i + 1} ${written(i)[0]}`, at = i === ply - 1;
      return html("li", {}, replays() ? html("button", { "aria-current": at && "step", tabindex: at || (!ply && !i) ? 0 : -1, click: () => goTo(i + 1) }, text) : text);
    }));
    const current = list.querySelector<HTMLElement>("[tabindex='0']");
    if (focused) current?.focus();
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - 60; // only the list, never the page
    if ((root.activeElement as HTMLElement | null)?.closest("[hidden]")) surface.focus_();

    const sfen = toSFEN(p), news = sfen !== shown && !quiet;
    shown = sfen;
    if (news) emit("position", { sfen, played: line.slice(0, ply).map(usi) });
  };

  Object.assign(host, { goTo, play, takeBack, hint, showAnswer, reset: load, focus: () => surface.focus_() });
  const property = (name: string, get: () => unknown, set?: (value: unknown) => void): unknown => Object.defineProperty(host, name, { get, set });
  property("position", () => (settle(), toSFEN(now())));
  property("played", () => (settle(), line.slice(0, ply).map(usi)));
  property("state", () => (settle(), bad ? "error" : phase));
  // Attributes are properties too; null, undefined and false take one away. What a page set before the script came holds.
  for (const name of [...TsumeBoard.observedAttributes, "theme"]) {
    if (name === "lang") continue; // which every element has
    const early = (host as unknown as Record<string, unknown>)[name];
    property(name, name === "flip" ? () => host.hasAttribute(name) : () => attribute(name), (value) => set(host, { [name]: value ?? false }));
    if (early !== undefined) set(host, { [name]: early });
  }

  return { connected_: connected, changed_: changed, halt_: halt };
}
