// Setting up a position: pieces are carried between squares, hands and the box, and turned into
// what they can be. Every change can be undone.

import { html, set } from "./dom";
import css from "./edit.css";
import { say } from "./language";
import {
  attackerOf, BOX, canPromote, type Cell, colorOf, emptyBoard, fillBox, headOf, isSquare, isStuck,
  KING, kindOf, kingOf, LETTERS, NOWHERE, parse, type Piece, pieceAt, pile, PROMOTED, SHELF, SIDE,
  toSFEN, WHITE,
} from "./rules";
import { type Editor, focused, isEditing, isOnGrid, setLine, type State } from "./state";
import * as T from "./text";
import { announce, ask, describe, emit, reflect, style } from "./view";

// A Tool is a button.
interface Tool {
  words(): string;
  action(): unknown;
  isDead?(): boolean; // it can do nothing now
  sign?: string; // seen instead of the words
  group?: string; // of the attribute controls, if not "edit"
}

// createEditor makes a board one that can be edited. settle reads what changed in its attributes.
export function createEditor(s: State, settle: () => void): Editor {
  style(s, css);
  const past: string[] = [], future: string[] = []; // positions before and after undoing
  let seen = ""; // the position that was drawn last

  // edit makes a change of the position, and says what is now on a cell.
  const edit = (change: () => unknown, at = NOWHERE): void => {
    s.start = s.start.slice();
    s.picked = NOWHERE;
    s.touched = at;
    const byKeyboard = isOnGrid(s);
    change();
    setLine(s, []);
    fillBox(s.start);
    reflect(s, { sfen: toSFEN(s.start), moves: undefined });
    s.isBad = false;
    s.attacker = attackerOf(s.start);
    s.author = [];
    describe(s);
    if (at >= 0) {
      if (byKeyboard) s.surface.focus(at);
      announce(s, s.surface.spoken(at));
    }
    emit(s, "edit", { sfen: toSFEN(s.start) });
  };

  // Undoing.

  // note keeps the position before, whoever changed it.
  const note = (): void => {
    const now = toSFEN(s.start);
    if (s.isBad || now === seen) return;
    if (seen) past.push(seen);
    future.length = 0;
    seen = now;
  };

  const step = (from: string[], to: string[], words: string): void => {
    // A text that is no position was not noted.
    const sfen = s.isBad ? seen : from.pop();
    if (!sfen) return;
    if (!s.isBad) to.push(seen);
    seen = sfen;
    edit(() => ([s.start] = parse(sfen)));
    announce(s, say(words));
  };
  const undo = (): void => step(past, future, T.undone);
  const redo = (): void => step(future, past, T.redone);

  set(s.host, {
    keydown(e: KeyboardEvent) {
      const isField = focused(s)?.matches("input"); // which undoes what is typed
      if (!isEditing(s) || isField || e.altKey || !(e.ctrlKey || e.metaKey)) return;
      const key = e.key.toLowerCase();
      if (key === "y" || (key === "z" && e.shiftKey)) redo();
      else if (key === "z") undo();
      else return;
      e.preventDefault();
    },
  });

  // put puts a piece on a square, promoted if it could not move otherwise.
  const put = (sq: number, piece: Piece): void =>
    void (s.start[sq] = isStuck(piece, sq) ? piece | PROMOTED : piece);

  // carry moves a piece. What it takes goes to the box.
  const carry = (from: Cell, to: Cell): void => {
    const p = s.start, piece = pieceAt(p, from), kind = kindOf(piece);
    const isFromBox = from >= pile(BOX), isToBox = to >= pile(BOX);
    if (!isSquare(to) && kind === KING && !isToBox) return; // no king is held
    if (isSquare(from)) p[from] = 0;
    else p[from]!--;
    // The first king is the one to be mated.
    const isFirstKing = isFromBox && kind === KING && kingOf(p, 1) < 0;
    if (isSquare(to)) put(to, isFirstKing ? KING + WHITE : piece);
    else if (!isToBox) p[headOf(to) + kind]!++;
  };

  // turn makes a piece the next of what it can be: promoted, the other side's, promoted there.
  const turn = (sq: number): void => {
    let piece = s.start[sq]!;
    do piece = canPromote(piece) ? piece | PROMOTED : (piece & ~PROMOTED) ^ WHITE;
    while (isStuck(piece, sq));
    s.start[sq] = piece;
  };

  // kindTyped returns the kind that a letter means, 0 or less if it means none.
  const kindTyped = (key: string): number =>
    key.length > 1 || key === " " ? 0 : LETTERS.indexOf(key.toUpperCase());

  const onKey = (key: string, cell: Cell): boolean => {
    const piece = pieceAt(s.start, cell), kind = kindTyped(key), isHand = !isSquare(cell);
    const left = s.start[pile(BOX, kind)]!;
    if (cell >= pile(BOX)) return false;
    if (key === "Delete" || key === "Backspace") {
      if (piece) edit(() => carry(cell, pile(BOX)), cell);
    } else if (key === "+") {
      const canTurn = !isHand && (canPromote(piece) || piece & PROMOTED);
      if (canTurn) edit(() => put(cell, piece ^ PROMOTED), cell);
    } else if (kind < 1) return false;
    else if (left > 0 || kindOf(piece) === kind) {
      const isCapital = key < "a";
      if (!isHand) edit(() => put(cell, kind + (isCapital ? WHITE : 0)), cell);
      else if (kind < KING && left) edit(() => s.start[headOf(cell) + kind]!++, cell);
    }
    return true;
  };

  const giveRest = (): void => {
    for (const kind of SHELF) s.start[pile(1, kind)]! += s.start[pile(BOX, kind)]!;
  };

  const clear = async (): Promise<void> => {
    const choices = [
      html("p", {}, say(T.clearAll)), html("button", { value: 1 }, say(T.clearYes)),
      html("button", { autofocus: "" }, say(T.clearNo)),
    ];
    if (await ask(s, say(T.clearAll), choices)) edit(() => (s.start = emptyBoard()));
  };

  // What stands beside the board.

  const touched = (): Piece => s.start[s.touched] ?? 0;
  const isUntouched = (): boolean => !touched();
  const isPromotable = (): boolean =>
    !!touched() && (canPromote(touched()) || !!(touched() & PROMOTED));
  const change = (to: () => Piece): void => edit(() => put(s.touched, to()), s.touched);
  const other = (): string => s.surface.side(touched() ? 1 - colorOf(touched()) : 1);

  const tools: Tool[] = [
    {
      words: () => say(touched() & PROMOTED ? T.bUnpromote : T.bPromote),
      action: () => change(() => touched() ^ PROMOTED), isDead: () => !isPromotable(),
    },
    {
      words: () => say(T.bGive, 0, other()), action: () => change(() => touched() ^ WHITE),
      isDead: isUntouched,
    },
    {
      words: () => say(T.bRemove), isDead: isUntouched,
      action: () => edit(() => carry(s.touched, pile(BOX)), s.touched),
    },
  ];
  const others: Tool[] = [
    {
      words: () => say(T.bUndo), sign: "↶", action: undo,
      isDead: () => !past.length && !s.isBad,
    },
    { words: () => say(T.bRedo), sign: "↷", action: redo, isDead: () => !future.length },
    {
      words: () => say(T.bSide),
      action: () => edit(() => (s.start[SIDE] = 1 - s.start[SIDE]!)),
    },
    { words: () => say(T.bRest), action: () => edit(giveRest) },
    { words: () => say(T.bClear), action: clear },
    {
      words: () => say(T.bPlay), group: "play",
      action: () => s.host.setAttribute("mode", "solve"),
      isDead: () => s.isBad || kingOf(s.start, 1 - attackerOf(s.start)) < 0,
    },
  ];

  const nodeOf = ({ action }: Tool): HTMLElement => {
    const click = (): unknown => node.ariaDisabled || action();
    const node = html("button", { click });
    return node;
  };
  const nodes = new Map([...tools, ...others].map((tool) => [tool, nodeOf(tool)]));
  const barOf = (of: Tool[]): HTMLElement =>
    html("div", { class: "bar" }, ...of.map((tool) => nodes.get(tool)!));
  const ofPiece = set(barOf(tools), { role: "group" }), help = html("p");
  const explained = html("div", {}, ofPiece, barOf(others), help);

  const field = html("input", { id: "s", autocomplete: "off", spellcheck: "false" });
  const go = html("button");
  const form = html("form", {
    submit(e: Event) {
      e.preventDefault();
      s.host.setAttribute("sfen", field.value.trim());
      s.host.removeAttribute("moves");
      settle();
      if (!s.isBad) emit(s, "edit", { sfen: toSFEN(s.start) });
    },
  }, html("label", { for: "s" }, "SFEN"), field, go);

  const render = (hasGroup: (group: string) => boolean): void => {
    node.hidden = !isEditing(s);
    if (node.hidden) return;
    note();
    explained.hidden = !hasGroup("edit");
    help.textContent = say(T.setUp);
    const name = touched() ? s.surface.spoken(s.touched) : say(T.noPiece);
    set(ofPiece, { "aria-label": name });
    for (const [tool, node] of nodes) {
      const words = tool.words(), { sign } = tool;
      node.textContent = sign ?? words;
      node.hidden = !hasGroup(tool.group ?? "edit");
      set(node, {
        class: sign && "icon", title: sign && words, "aria-label": sign && words,
        "aria-disabled": tool.isDead?.(),
      });
    }
    form.hidden = !hasGroup("input");
    go.textContent = say(T.bLoad);
    if (!s.isBad) field.value = toSFEN(s.start);
  };

  const node = html("div", { class: "edit" }, explained, form);
  return {
    node, render,
    carry: (from, to) => edit(() => carry(from, to < 0 ? pile(BOX) : to), to),
    turn: (sq) => edit(() => turn(sq), sq),
    key: onKey,
  };
}
