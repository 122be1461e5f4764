/** The solver in the browser: it answers what is asked at the paths of the API. */
export interface Engine {
  (path: string, question: Question): Promise<Response>;
  /** Loads what solve and moves need, before they are asked. */
  warm(): void;
}

export interface Question {
  /** "GET" unless told; "POST" for all but /v1/limits. */
  method?: string;
  /** JSON, as the API takes it. */
  body?: string;
  /** Ends the search. */
  signal?: AbortSignal;
  /** Called with each event of a search that goes on. */
  progress?: (event: string, data: unknown) => void;
  /** Called if the solver has not been loaded within half a second. */
  loading?: () => void;
}

export interface EngineOptions {
  /** Bytes of all tables together, which grow on use; 64 MiB unless told. */
  memory?: number;
  /** The folder with engine.js, if all files lie in one. */
  base?: string;
  /** The addresses of engine.js, board-….wasm and full-….wasm, if a bundler has moved them. */
  script?: string;
  board?: string;
  full?: string;
}

/** Returns a solver. It loads nothing until it is asked. */
export function createEngine(options?: EngineOptions): Engine;

/**
 * Changes what is taken for options that are not told, such as where the files of the solver lie, if
 * the bundler did not take them along. Boards that are there take it from their next question on.
 */
export function configure(options: EngineOptions): void;

export interface TsumeEventMap {
  "tsume-position": CustomEvent;
  "tsume-move": CustomEvent;
  "tsume-solved": CustomEvent<{ sfen: string; moves: string[]; plies: number; hints: number; wrong: number }>;
  "tsume-wrong": CustomEvent;
  "tsume-hint": CustomEvent;
  "tsume-answer": CustomEvent<{ moves: string[] }>;
  "tsume-over": CustomEvent;
  "tsume-edit": CustomEvent;
  "tsume-error": CustomEvent<{ code: string; detail: unknown }>;
}

/** The element <tsume-board>. Its attributes are properties, too: the page /board describes them. */
export class TsumeBoard extends HTMLElement {
  sfen: string;
  mode: "" | "view" | "solve" | "brinkmate" | "edit" | "play";
  moves: string;
  engine: "" | "server" | "local" | "auto";
  api: string;
  flip: boolean;
  controls: string;
  caption: string;
  /** The position that is shown, the moves played so far, and what the board waits for. */
  readonly position: string;
  readonly played: string[];
  readonly state:
    "play" | "thinking" | "wrong" | "stopped" | "solved" | "answer" | "over" | "tries" | "tried" | "error";
  /** Resolves when the board shows what its attributes say. */
  readonly ready: Promise<void>;
  goTo(ply: number): void;
  play(move: string): Promise<string>;
  takeBack(): void;
  hint(): void;
  showAnswer(): Promise<boolean>;
  reset(): void;
  addEventListener<K extends keyof TsumeEventMap>(
    type: K, listener: (event: TsumeEventMap[K]) => unknown, options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "tsume-board": TsumeBoard;
  }
}
