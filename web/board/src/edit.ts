// Setting up a position: pieces are carried between squares, hands and the box, and turned into
// what they can be. Every change can be undone.

import type { Board } from "./board";
import { html, set } from "./dom";
import css from "./edit.css";
import { say } from "./language";
import {
  attackerOf, BOX, canPromote, type Cell, colorOf, emptyBoard, fillBox, headOf, isSquare, isStuck,
  KING, kindOf, kingOf, LETTERS, NOWHERE, parse, type Piece, pieceAt, pile, PROMOTED, SHELF, SIDE,
  toSFEN, WHITE,
} from "./rules";
import * as T from "./text";

export interface Editor {
  node_: HTMLElement; // what stands beside the board
  render_(hasGroup: (group: string) => boolean): void;
  carry_(from: Cell, to: Cell): void; // beside the board is into the box
  turn_(sq: number): void;
  key_(key: string, cell: Cell): boolean; // whether it was taken
}

// A Tool is a button.
interface Tool {
  words_(): string;
  action_(): unknown;
  isDead_?(): boolean; // it can do nothing now
  sign_?: string; // seen instead of the words
  group_?: string; // of the attribute controls, if not "edit"
}

export function createEditor(board: Board): Editor {
  board.style_(css);
  const { state_: s } = board;
  const past: string[] = [], future: string[] = []; // positions before and after undoing
  let seen = ""; // the position that was drawn last

  // edit makes a change of the position, and says what is now on a cell.
  const edit = (change: () => unknown, at = NOWHERE): void => {
    s.start_ = s.start_.slice();
    s.picked_ = NOWHERE;
    s.touched_ = at;
    const byKeyboard = board.isOnGrid_();
    change();
    s.setLine_([]);
    fillBox(s.start_);
    board.reflect_({ sfen: toSFEN(s.start_), moves: undefined });
    s.isBad_ = false;
    s.attacker_ = attackerOf(s.start_);
    s.author_ = [];
    board.describe_();
    if (at >= 0) {
      if (byKeyboard) board.surface_.focus_(at);
      board.announce_(board.surface_.spoken_(at));
    }
    board.emit_("edit", { sfen: toSFEN(s.start_) });
  };

  // Undoing.

  // note keeps the position before, whoever changed it.
  const note = (): void => {
    const now = toSFEN(s.start_);
    if (s.isBad_ || now === seen) return;
    if (seen) past.push(seen);
    future.length = 0;
    seen = now;
  };

  const step = (from: string[], to: string[], words: string): void => {
    // A text that is no position was not noted.
    const sfen = s.isBad_ ? seen : from.pop();
    if (!sfen) return;
    if (!s.isBad_) to.push(seen);
    seen = sfen;
    edit(() => ([s.start_] = parse(sfen)));
    board.announce_(say(words));
  };
  const undo = (): void => step(past, future, T.undone);
  const redo = (): void => step(future, past, T.redone);

  set(board.root_.host, {
    keydown(e: KeyboardEvent) {
      const isField = board.focused_()?.matches("input"); // which undoes what is typed
      if (!s.isEditing_() || isField || e.altKey || !(e.ctrlKey || e.metaKey)) return;
      const key = e.key.toLowerCase();
      if (key === "y" || (key === "z" && e.shiftKey)) redo();
      else if (key === "z") undo();
      else return;
      e.preventDefault();
    },
  });

  // put puts a piece on a square, promoted if it could not move otherwise.
  const put = (sq: number, piece: Piece): void =>
    void (s.start_[sq] = isStuck(piece, sq) ? piece | PROMOTED : piece);

  // carry moves a piece. What it takes goes to the box.
  const carry = (from: Cell, to: Cell): void => {
    const p = s.start_, piece = pieceAt(p, from), kind = kindOf(piece);
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
    let piece = s.start_[sq]!;
    do piece = canPromote(piece) ? piece | PROMOTED : (piece & ~PROMOTED) ^ WHITE;
    while (isStuck(piece, sq));
    s.start_[sq] = piece;
  };

  // kindTyped returns the kind that a letter means, 0 or less if it means none.
  const kindTyped = (key: string): number =>
    key.length > 1 || key === " " ? 0 : LETTERS.indexOf(key.toUpperCase());

  const onKey = (key: string, cell: Cell): boolean => {
    const piece = pieceAt(s.start_, cell), kind = kindTyped(key), isHand = !isSquare(cell);
    const left = s.start_[pile(BOX, kind)]!;
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
      else if (kind < KING && left) edit(() => s.start_[headOf(cell) + kind]!++, cell);
    }
    return true;
  };

  const giveRest = (): void => {
    for (const kind of SHELF) s.start_[pile(1, kind)]! += s.start_[pile(BOX, kind)]!;
  };

  const clear = async (): Promise<void> => {
    const choices = [
      html("p", {}, say(T.clearAll)), html("button", { value: 1 }, say(T.clearYes)),
      html("button", { autofocus: "" }, say(T.clearNo)),
    ];
    if (await board.ask_(say(T.clearAll), choices)) edit(() => (s.start_ = emptyBoard()));
  };

  // What stands beside the board.

  const touched = (): Piece => s.start_[s.touched_] ?? 0;
  const isUntouched = (): boolean => !touched();
  const isPromotable = (): boolean =>
    !!touched() && (canPromote(touched()) || !!(touched() & PROMOTED));
  const change = (to: () => Piece): void => edit(() => put(s.touched_, to()), s.touched_);
  const other = (): string => board.surface_.side_(touched() ? 1 - colorOf(touched()) : 1);

  const tools: Tool[] = [
    {
      words_: () => say(touched() & PROMOTED ? T.bUnpromote : T.bPromote),
      action_: () => change(() => touched() ^ PROMOTED), isDead_: () => !isPromotable(),
    },
    {
      words_: () => say(T.bGive, 0, other()), action_: () => change(() => touched() ^ WHITE),
      isDead_: isUntouched,
    },
    {
      words_: () => say(T.bRemove), isDead_: isUntouched,
      action_: () => edit(() => carry(s.touched_, pile(BOX)), s.touched_),
    },
  ];
  const others: Tool[] = [
    {
      words_: () => say(T.bUndo), sign_: "↶", action_: undo,
      isDead_: () => !past.length && !s.isBad_,
    },
    { words_: () => say(T.bRedo), sign_: "↷", action_: redo, isDead_: () => !future.length },
    {
      words_: () => say(T.bSide),
      action_: () => edit(() => (s.start_[SIDE] = 1 - s.start_[SIDE]!)),
    },
    { words_: () => say(T.bRest), action_: () => edit(giveRest) },
    { words_: () => say(T.bClear), action_: clear },
    {
      words_: () => say(T.bPlay), group_: "play",
      action_: () => board.host_.setAttribute("mode", "solve"),
      isDead_: () => s.isBad_ || kingOf(s.start_, 1 - attackerOf(s.start_)) < 0,
    },
  ];

  const nodeOf = ({ action_ }: Tool): HTMLElement => {
    const click = (): unknown => node.ariaDisabled || action_();
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
      board.host_.setAttribute("sfen", field.value.trim());
      board.host_.removeAttribute("moves");
      board.settle_();
      if (!s.isBad_) board.emit_("edit", { sfen: toSFEN(s.start_) });
    },
  }, html("label", { for: "s" }, "SFEN"), field, go);

  const render = (hasGroup: (group: string) => boolean): void => {
    node.hidden = !s.isEditing_();
    if (node.hidden) return;
    note();
    explained.hidden = !hasGroup("edit");
    help.textContent = say(T.setUp);
    const name = touched() ? board.surface_.spoken_(s.touched_) : say(T.noPiece);
    set(ofPiece, { "aria-label": name });
    for (const [tool, node] of nodes) {
      const words = tool.words_(), { sign_: sign } = tool;
      node.textContent = sign ?? words;
      node.hidden = !hasGroup(tool.group_ ?? "edit");
      set(node, {
        class: sign && "icon", title: sign && words, "aria-label": sign && words,
        "aria-disabled": tool.isDead_?.(),
      });
    }
    form.hidden = !hasGroup("input");
    go.textContent = say(T.bLoad);
    if (!s.isBad_) field.value = toSFEN(s.start_);
  };

  const node = html("div", { class: "edit" }, explained, form);
  return {
    node_: node,
    render_: render,
    carry_: (from, to) => edit(() => carry(from, to < 0 ? pile(BOX) : to), to),
    turn_: (sq) => edit(() => turn(sq), sq),
    key_: onKey,
  };
}
