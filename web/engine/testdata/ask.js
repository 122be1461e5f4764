// Asks a program of WebAssembly, in the place of a page: node ask.js wasm_exec.js PROGRAM reads requests
// from its standard input, one in JSON on a line, and prints their responses so, in the same order.
"use strict";
const fs = require("fs"), readline = require("readline");
require(process.argv[2]);

const waiting = new Map();
globalThis.postMessage = (m) => {
  if (m.loaded) onmessage({ data: { start: 0 } });
  else if (m.ready) main();
  else if (!m.event) waiting.get(m.id)(m);
};

async function main() {
  let id = 0;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = { id: ++id, ...JSON.parse(line) };
    const { status, body } = await new Promise((done) => {
      waiting.set(id, done);
      onmessage({ data: request });
    });
    console.log(JSON.stringify({ status, body }));
  }
  process.exit(0);
}

const go = new Go();
WebAssembly.instantiate(fs.readFileSync(process.argv[3]), go.importObject)
  .then(({ instance }) => go.run(instance));
