// The script of the Worker: it loads a program of WebAssembly and runs it. From then on the program
// handles the messages itself, see cmd/tsumero-wasm. The first message, which this script handles, is
//
//	{load: "board" | "full", from: address of this script, file: that of the program if it does not
//	lie beside it}, or {load, module} of an earlier Worker
//
// and the replies to it are {module}, for the next Worker, or {failed: code, detail}, the code being
// fetch (the program is not to be had), wasm (the browser or the policy of the page forbids it) or
// exit (the program has ended, which it does for want of memory).

/*! Go's wasm_exec.js, (c) The Go Authors, BSD-3-Clause. See /licenses.txt */
import "wasm_exec";

declare const BOARD_WASM: string, FULL_WASM: string;
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

const NAMES: { [program: string]: string } = { board: BOARD_WASM, full: FULL_WASM };

const failed = (code: string, detail: unknown): void =>
  postMessage({ failed: code, detail: String(detail) });

// compile loads a program. A static host need not know the media type of WebAssembly: the response is
// given it here. One whose name says so is unpacked here, since few of them compress what they send.
const compile = async (address: string): Promise<WebAssembly.Module> => {
  let body;
  try {
    const response = await fetch(address);
    if (!response.ok) throw response.status;
    body = response.body!;
    if (address.endsWith(".gzip")) body = body.pipeThrough(new DecompressionStream("gzip"));
  } catch (e) {
    throw { code: "fetch", detail: `${address}: ${e}` };
  }
  return WebAssembly.compileStreaming(
    new Response(body, { headers: { "Content-Type": "application/wasm" } }));
};

onmessage = async ({ data: { load, from, file, module } }) => {
  try {
    module ??= await compile(new URL(file ?? NAMES[load]!, from).href);
    const go = new Go(), instance = await WebAssembly.instantiate(module, go.importObject);
    postMessage({ module });
    await go.run(instance);
    failed("exit", "");
  } catch (e) {
    const { code = "wasm", detail = e } = e as { code?: string; detail?: unknown };
    failed(code, detail);
  }
};
