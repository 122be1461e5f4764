// wasm_exec.js of Go's distribution, as the build wraps it: it takes the global object.
declare module "wasm_exec" {
  export interface Go {
    importObject: WebAssembly.Imports;
    exit(code: number): void;
    run(instance: WebAssembly.Instance): Promise<void>;
    _resume(): void;
    _scheduledTimeouts: Map<number, number>;
  }
  export default function (scope: object): new () => Go;
}

declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}
