// The solver in the browser: Workers that answer as the server does, with the same bytes. A page has
// one Worker for each program, whatever the number of its boards, and none while nobody asks.

import { getAddress } from "./later";

// A program is loaded into a Worker by its first question. full answers everything, board only what a
// board asks while a problem is solved, and is there twice as soon.
const FULL = /\/v1\/(analyze|games|play|read|threat)$/;

// How long a Worker is kept that is asked nothing, in ms. The next one needs no download: the compiled
// program is kept.
const IDLE = 60_000;

// An EngineError is why there is no solver in this browser: fetch, wasm or exit (see worker.ts), or
// worker, where the browser or the policy of the page allows none.
export class EngineError extends Error {
  constructor(readonly code: string, detail: string) {
    super(`${code}: ${detail}`);
  }
}

// A Reply is what a Worker answers, and what it tells before that.
interface Reply {
  id?: number;
  status: number;
  body: string;
  event?: string;
  data: string;
  module?: WebAssembly.Module;
  failed?: string;
  detail?: string;
  loaded?: boolean;
  ready?: boolean;
}

interface Call {
  done(response: Response): void;
  fail(e: unknown): void;
  tell?: (event: string, data: unknown) => void;
}

export interface Question {
  method?: string;
  body?: string;
  signal?: AbortSignal;
  progress?: (event: string, data: unknown) => void;
  loading?: () => void; // called if the program is not loaded within NOTICE
}

// A mate in 3.
const FIRST = JSON.stringify({
  sfen: "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", limits: { shortest: true, length: "F2" },
});

// How long a program may load before the reader is told, in ms.
const NOTICE = 500;

// A policy of Trusted Types, for pages that want one: it takes what this file makes.
const POLICY = { createScriptURL: (url: string): string => url };

interface TrustedTypes {
  createPolicy(name: string, rules: typeof POLICY): typeof POLICY;
}
let policy = POLICY;

// createWorker starts a script, also one of another origin, for which the Worker must be of the page's
// own: a blob that imports it.
const createWorker = (script: string): Worker => {
  try {
    const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
    if (policy === POLICY && types) policy = types.createPolicy("tsumero", POLICY);
    if (new URL(script).origin === location.origin) return new Worker(policy.createScriptURL(script));
    const text = `let t=self.trustedTypes,p={createScriptURL:u=>u};` +
      `importScripts((t?t.createPolicy("tsumero",p):p).createScriptURL(${JSON.stringify(script)}))`;
    const own = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    setTimeout(() => URL.revokeObjectURL(own), IDLE); // a Worker reads it some time after this
    return new Worker(policy.createScriptURL(own));
  } catch (e) {
    throw new EngineError("worker", String(e));
  }
};

class Program {
  private worker?: Worker;
  private ready?: Promise<void>;
  private module?: WebAssembly.Module;
  private calls = new Map<number, Call>();
  private last = 0;
  private idle = 0;

  constructor(
    private name: string, private script: string, private memory: number, private file?: string,
  ) {}

  private end(why: EngineError): void {
    this.worker?.terminate();
    this.worker = this.ready = undefined;
    clearTimeout(this.idle);
    for (const call of this.calls.values()) call.fail(why);
    this.calls.clear();
  }

  private start(): Promise<void> {
    return this.ready ??= new Promise((resolve, reject) => {
      const fail = (code: string, detail: string): void => {
        const why = new EngineError(code, detail);
        reject(why);
        if (worker === this.worker) this.end(why);
      };
      let worker: Worker | undefined;
      try {
        if (typeof WebAssembly !== "object") throw new EngineError("wasm", "no WebAssembly");
        worker = this.worker = createWorker(this.script);
      } catch (e) {
        reject(e);
        this.end(e as EngineError);
        return;
      }
      worker.onerror = (e) => fail("worker", e.message || "the script cannot be loaded");
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.module) this.module = data.module;
        if (data.failed) fail(data.failed, data.detail ?? "");
        if (data.loaded) worker.postMessage({ start: this.memory });
        if (data.ready) resolve();
        const call = this.calls.get(data.id!);
        if (data.event) call?.tell?.(data.event, JSON.parse(data.data));
        else if (call) {
          this.calls.delete(data.id!);
          call.done(new Response(data.body, {
            status: data.status, headers: { "Content-Type": "application/json" },
          }));
          this.rest();
        }
      };
      const { name: load, script: from, file, module } = this;
      worker.postMessage({ load, from, file, module });
    });
  }

  private rest(): void {
    clearTimeout(this.idle);
    if (this.calls.size) return;
    this.idle = setTimeout(() => this.end(new EngineError("exit", "idle")), IDLE);
  }

  // warm loads the program for a question that is to come, and asks one: some browsers compile code
  // when it first runs, which takes longer than the search.
  warm(): void {
    if (this.ready) return;
    this.ask("/v1/moves", { method: "POST", body: FIRST }).catch(() => {}); // the next will say why
  }

  async ask(
    path: string, { method = "GET", body, signal, progress, loading }: Question,
  ): Promise<Response> {
    signal?.throwIfAborted();
    const notice = loading && setTimeout(loading, NOTICE);
    await this.start().finally(() => clearTimeout(notice));
    signal?.throwIfAborted();
    const id = ++this.last, worker = this.worker!;
    const stop = (): void => {
      this.calls.get(id)?.fail(signal!.reason);
      this.calls.delete(id);
      worker.postMessage({ stop: id });
      this.rest();
    };
    return new Promise<Response>((done, fail) => {
      this.calls.set(id, { done, fail, tell: progress });
      clearTimeout(this.idle);
      signal?.addEventListener("abort", stop, { once: true });
      worker.postMessage({ id, method, path, body, progress: !!progress });
    }).finally(() => signal?.removeEventListener("abort", stop));
  }
}

export interface EngineOptions {
  memory?: number; // bytes of all tables together, which grow on use; 64 MiB unless told
  base?: string; // the folder with engine.js; beside the script of the board unless told
  script?: string; // the addresses of the files, where they are not in one folder
  board?: string;
  full?: string;
}

// What is taken for the options that are not told.
let defaults: EngineOptions = {};

// withDefaults completes options. A folder stands for all addresses of files.
const withDefaults = (options: EngineOptions): EngineOptions =>
  ({ ...(options.base ? { memory: defaults.memory } : defaults), ...options });

// setDefaults changes some of the defaults, also for the boards that are there.
export const setDefaults = (options: EngineOptions): void => {
  defaults = withDefaults(options);
  engines.clear();
};

// An Engine answers what is asked at the paths of the API.
export type Engine = {
  (path: string, question: Question): Promise<Response>;
  warm(): void; // loads what a board asks
};

// createEngine returns an engine. It loads nothing until it is asked.
export const createEngine = (options: EngineOptions = {}): Engine => {
  const { memory = 0, base = "engine/", script, ...files } = withDefaults(options);
  const address = script ?? new URL("engine.js", new URL(base, getAddress() || location.href)).href;
  const create = (name: "board" | "full"): Program =>
    new Program(name, address, memory, files[name]);
  const board = create("board"), full = create("full");
  const ask = (path: string, question: Question): Promise<Response> =>
    (FULL.test(path) ? full : board).ask(path, question);
  return Object.assign(ask, { warm: () => board.warm() });
};

const engines = new Map<string, Engine>();

// engineOf returns the engine of this page with some options.
export const engineOf = (options: EngineOptions = {}): Engine => {
  const key = JSON.stringify(options);
  if (!engines.has(key)) engines.set(key, createEngine(options));
  return engines.get(key)!;
};

// How long the server may take before the engine is asked as well, and how long the engine comes first
// after the server has failed, in ms.
const PATIENCE = 4_000, DISTRUST = 30_000;

// The statuses by which a server says what is wrong with a question: the engine would say the same.
const ABOUT_QUESTION = [400, 422];

const failures = new Map<string, number>(); // when a server failed last

// choose returns what asks at a path by the attribute engine. ask asks the server.
export const choose = (mode: string, server: string) =>
  async (
    path: string, question: Question, ask: (signal?: AbortSignal) => Promise<Response>,
  ): Promise<Response> => {
    const engine = engineOf();
    if (mode === "local") return engine(path, question);
    const { signal } = question, now = Date.now();
    const isDown = !navigator.onLine || now - (failures.get(server) ?? 0) < DISTRUST;
    // Each is given up once the other has answered: not before, since a body is still to be read.
    const giveUp = [new AbortController(), new AbortController()] as const;
    const [stopServer, stopEngine] = giveUp.map((lost) =>
      signal ? AbortSignal.any([signal, lost.signal]) : lost.signal) as [AbortSignal, AbortSignal];
    const byServer = async (): Promise<Response> => {
      try {
        const response = await ask(stopServer);
        if (!response.ok && !ABOUT_QUESTION.includes(response.status)) throw response;
        failures.delete(server);
        giveUp[1].abort();
        return response;
      } catch (e) {
        if (!stopServer.aborted) failures.set(server, Date.now());
        throw e;
      }
    };
    const byEngine = async (): Promise<Response> => {
      const response = await engine(path, { ...question, signal: stopEngine });
      giveUp[0].abort();
      return response;
    };
    const [first, second] = isDown ? [byEngine, byServer] : [byServer, byEngine];
    try {
      return await new Promise<Response>((done, fail) => {
        let other: Promise<void> | undefined, fault: unknown;
        const start = (): Promise<void> =>
          other ??= second().then(done, (e) => fail(fault ?? e));
        const late = isDown ? undefined : setTimeout(() => {
          failures.set(server, Date.now());
          start();
        }, PATIENCE);
        first().then(done, (e) => {
          // What the server says is of more use than why there is no engine.
          if (!isDown) fault = e;
          if (signal?.aborted) fail(e);
          else start();
        }).finally(() => clearTimeout(late));
      });
    } catch (e) {
      if (e instanceof Response) return e;
      throw e;
    }
  };
