// The module that ShogiHome's web version loads in a Worker: it runs tsumero-usi, unchanged, and
// presents it as the interface of ShogiHome's engines (specs/wasm-engine-abi.md there). The program
// reads and writes as a process; Go's wasm_exec.js does that with the file system it is given.

/*! Go's wasm_exec.js: Copyright 2018 The Go Authors, BSD-3-Clause. See LICENSES.txt */
import goFor, { type Go } from "wasm_exec";

declare const PARTS: string[]; // the files of the program

type Listener = (line: string) => void;

interface Options {
  printErr?: Listener;
  locateFile?: (path: string, prefix?: string) => string;
}

interface Engine {
  postMessage(command: string): void;
  addMessageListener(listener: Listener): void;
  removeMessageListener(listener: Listener): void;
  terminate(): void;
}

// createTsumero starts an engine. Where that is impossible the promise is rejected with the reason.
// An engine that ends by itself throws an error out of the Worker.
export default async function createTsumero(options: Options = {}): Promise<Engine> {
  const locate = options.locateFile ?? ((path: string) => new URL(path, import.meta.url).href);
  const module = await compile(PARTS.map((name) => locate(name, "")));

  const listeners: Listener[] = [];
  let ended = false; // on quit, and with the program: nothing may be printed then
  let firstError = "";
  const print = lines((line) => {
    for (const listener of ended ? [] : [...listeners]) listener(line);
  });
  const printError = lines((line) => {
    firstError ||= line;
    if (!ended) options.printErr?.(line);
  });

  let input: number[] = []; // not read yet
  let waiting: (() => void) | undefined; // the read that waits for more
  const files = {
    constants: { O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1,
      O_DIRECTORY: -1 }, // asked for at the start, and then of no use
    read(_fd: number, buffer: Uint8Array, at: number, length: number, _from: unknown, done: Done) {
      const answer = (): void => {
        const bytes = input.splice(0, length);
        buffer.set(bytes, at);
        done(null, bytes.length);
      };
      if (input.length > 0) answer();
      else waiting = answer;
    },
    writeSync(fd: number, bytes: Uint8Array): number {
      (fd === 2 ? printError : print)(bytes);
      return bytes.length;
    },
    write(fd: number, bytes: Uint8Array, _from: number, _length: number, _at: unknown, done: Done) {
      done(null, files.writeSync(fd, bytes));
    },
  };

  const go: Go = new (goFor(scopeOf(files)))();
  let code = 0;
  go.exit = (c: number): void => {
    code = c;
    // What was to wake the program comes too late now.
    for (const timeout of go._scheduledTimeouts.values()) clearTimeout(timeout);
    go._scheduledTimeouts.clear();
    go._resume = (): void => {};
  };
  go.run(await WebAssembly.instantiate(module, go.importObject)).then(() => {
    if (!ended) fail(`Tsumero has ended with code ${code}${firstError && ": " + firstError}`);
    ended = true;
  }, fail);

  const send = (command: string): void => {
    if (ended) return;
    ended = command.trim() === "quit";
    for (const byte of new TextEncoder().encode(command + "\n")) input.push(byte);
    // Not at once: the program would search before the caller goes on.
    if (waiting) queueMicrotask(waiting);
    waiting = undefined;
  };
  return {
    postMessage: send,
    addMessageListener: (listener) => {
      listeners.push(listener);
    },
    removeMessageListener: (listener) => {
      const i = listeners.indexOf(listener);
      if (i >= 0) listeners.splice(i, 1);
    },
    terminate: () => send("quit"),
  };
}

type Done = (error: Error | null, n?: number) => void;

// fail throws an error that nobody catches, which ends the Worker as its owner sees it.
const fail = (reason: unknown): void => {
  setTimeout(() => {
    throw reason instanceof Error ? reason : new Error(String(reason));
  });
};

// lines returns what takes output as it comes, and passes it on by lines.
const lines = (to: Listener): ((bytes: Uint8Array) => void) => {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop()!;
    parts.forEach(to);
  };
};

// scopeOf returns what the program takes for the global object. Each engine has its own,
// for there may be several in a Worker. What the files have no function for fails.
const scopeOf = (files: object): object => {
  const { Object, Array, Uint8Array, Date, MessageChannel, TextEncoder, TextDecoder, crypto,
    performance } = globalThis;
  const absent = (...args: unknown[]): void => {
    const error = Object.assign(new Error("not implemented"), { code: "ENOSYS" });
    (args.at(-1) as Done)(error);
  };
  const fs = new Proxy(files, { get: (all, name) => Reflect.get(all, name) ?? absent });
  const { setImmediate } = globalThis as { setImmediate?: unknown }; // of Node.js
  return { Object, Array, Uint8Array, Date, MessageChannel, TextEncoder, TextDecoder, crypto,
    performance, setImmediate, fs };
};

// compile loads the program. It lies there compressed and in parts: ShogiHome takes no engine above
// 8 MiB, and keeps no file above 2 MiB for the time without a network.
const compile = async (addresses: string[]): Promise<WebAssembly.Module> => {
  if (typeof WebAssembly !== "object")
    throw new Error("Tsumero needs WebAssembly, which is missing here");
  if (typeof DecompressionStream !== "function")
    throw new Error("Tsumero needs DecompressionStream, which browsers have since 2023");
  const parts = await Promise.all(addresses.map(load));
  const body = new Blob(parts).stream().pipeThrough(new DecompressionStream("gzip"));
  const headers = { "Content-Type": "application/wasm" }; // which hosts need not know
  try {
    return await WebAssembly.compileStreaming(new Response(body, { headers }));
  } catch (e) {
    throw new Error(`Tsumero: ${addresses[0]} cannot be run here: ${e}`);
  }
};

const load = async (address: string): Promise<BlobPart> => {
  let reason: unknown;
  try {
    if (address.startsWith("file:")) { // by Node.js, where fetch reads no files
      const { readFile } = await import("node:fs/promises");
      return await readFile(new URL(address));
    }
    const response = await fetch(address);
    if (response.ok) return await response.blob();
    reason = `status ${response.status}`;
  } catch (e) {
    reason = e;
  }
  throw new Error(`Tsumero: ${address} cannot be loaded: ${reason}`);
};
