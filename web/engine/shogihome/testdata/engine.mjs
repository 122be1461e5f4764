// Runs an engine as a process: node engine.mjs FOLDER passes the lines of its input to the engine in
// FOLDER, which runs in a Worker, and prints the lines of the engine. At the end of its input it
// terminates the engine.
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: process.argv[2] });
  worker.on("message", ({ line, error }) => {
    if (error !== undefined) process.stderr.write(error + "\n");
    else process.stdout.write(line + "\n");
  });
  worker.on("error", (e) => {
    process.stderr.write(`${e}\n`);
    process.exit(1);
  });
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => worker.postMessage(line));
  input.on("close", () => worker.postMessage(null));
} else {
  const module = new URL("tsumero.js", pathToFileURL(workerData + "/"));
  const { default: create } = await import(module.href);
  const engine = await create({
    printErr: (error) => parentPort.postMessage({ error }),
    locateFile: (path) => new URL(path, module).href,
  });
  engine.addMessageListener((line) => parentPort.postMessage({ line }));
  parentPort.on("message", (line) => {
    if (line === null) {
      engine.terminate();
      parentPort.close();
    } else engine.postMessage(line);
  });
}
