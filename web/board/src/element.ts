// <tsume-board>: a shogi board that replays a line, lets its reader solve a mate problem, or sets
// up a position. This file is what a page sees of it: attributes, properties and methods.

import { Board, CONTENT, LOOK } from "./board";
import { set } from "./dom";
import { shared } from "./later";
import { toSFEN } from "./rules";

export class TsumeBoard extends HTMLElement {
  static observedAttributes = [...CONTENT, ...LOOK];
  static shared_ = shared;
  private readonly board_ = new Board(this);

  constructor() {
    super();
    addMethods(this, this.board_);
    addProperties(this, this.board_);
  }
  connectedCallback(): void {
    this.board_.connected_();
  }
  disconnectedCallback(): void {
    this.board_.state_.halt_();
  }
  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before !== now) this.board_.changed_(name);
  }
}

function addMethods(host: HTMLElement, board: Board): void {
  const { play_: play } = board;
  Object.assign(host, {
    goTo: (n: number) => board.goTo_(n), play: play.play_, takeBack: play.takeBack_,
    hint: play.hint_, showAnswer: play.showAnswer_, reset: () => board.load_(),
    focus: () => board.surface_.focus_(),
  });
}

function addProperties(host: HTMLElement, board: Board): void {
  const { state_: s } = board;
  const add = (name: string, get: () => unknown, set?: (value: unknown) => void): void =>
    void Object.defineProperty(host, name, { get, set });
  // addState adds a property that is right also before what changed was read.
  const addState = (name: string, get: () => unknown): void =>
    add(name, () => {
      board.settle_();
      return get();
    });
  addState("position", () => toSFEN(s.now_()));
  addState("played", () => s.played_());
  addState("state", () => (s.isBad_ ? "error" : s.phase_));

  // Attributes are properties too; null, undefined and false take one away. What a page set before
  // the script came holds.
  for (const name of [...CONTENT, ...LOOK]) {
    if (name === "lang") continue; // which every element has
    const early = (host as unknown as Record<string, unknown>)[name];
    const get = name === "flip" ? () => host.hasAttribute(name) : () => board.attribute_(name);
    add(name, get, (value) => set(host, { [name]: value ?? false }));
    if (early !== undefined) set(host, { [name]: early });
  }
}
