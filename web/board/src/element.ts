// <tsume-board>: a shogi board that replays a line, lets its reader solve a mate problem, or sets
// up a position. This file has the interface for pages: attributes, properties and methods.

import { createBoard } from "./board";
import { set } from "./dom";
import { changed, connected, CONTENT, load, LOOK, ready, settle } from "./load";
import { hint, playText, showAnswer, takeBack } from "./play";
import { toSFEN } from "./rules";
import { shared } from "./shared";
import { attribute, halt, now, played, type State } from "./state";
import { goTo } from "./view";

export class TsumeBoard extends HTMLElement {
  static observedAttributes = [...CONTENT, ...LOOK];
  static shared = shared; // for the files that are loaded later
  readonly #state = createBoard(this);

  constructor() {
    super();
    addMethods(this, this.#state);
    addProperties(this, this.#state);
  }
  connectedCallback(): void {
    connected(this.#state);
  }
  disconnectedCallback(): void {
    halt(this.#state);
  }
  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before !== now) changed(this.#state, name);
  }
}

function addMethods(host: HTMLElement, s: State): void {
  // settled makes a method of an action, which first reads attributes that have just changed.
  const settled = <A extends unknown[], R>(action: (s: State, ...args: A) => R) =>
    (...args: A): R => {
      settle(s);
      return action(s, ...args);
    };
  Object.assign(host, {
    goTo: settled(goTo), play: settled(playText), takeBack: settled(takeBack), hint: settled(hint),
    showAnswer: settled(showAnswer), reset: () => load(s), focus: () => s.surface.focus(),
  });
}

function addProperties(host: HTMLElement, s: State): void {
  const add = (name: string, get: () => unknown, set?: (value: unknown) => void): void =>
    void Object.defineProperty(host, name, { get, set });
  // addState adds a property whose getter first reads attributes that have just changed.
  const addState = (name: string, get: () => unknown): void =>
    add(name, () => {
      settle(s);
      return get();
    });
  addState("position", () => toSFEN(now(s)));
  addState("played", () => played(s));
  addState("state", () => (s.isBad ? "error" : s.phase));
  add("ready", () => ready(s));

  // Attributes are properties too; null, undefined and false remove the attribute. A property that
  // the page set before the script was loaded is kept.
  for (const name of [...CONTENT, ...LOOK]) {
    if (name === "lang") continue; // which every element has
    const early = (host as unknown as Record<string, unknown>)[name];
    const get = /flip|raw|daily/.test(name) ? () => host.hasAttribute(name) : () => attribute(s, name);
    add(name, get, (value) => set(host, { [name]: value ?? false }));
    if (early !== undefined) set(host, { [name]: early });
  }
}
