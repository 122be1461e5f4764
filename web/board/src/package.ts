// The entry of the package of npm: the element for those who build their pages with a bundler, and the
// solver for those who want no board. The addresses of files are written so that bundlers find them.

import { TsumeBoard } from "./element";
import { createEngine, type EngineOptions, setDefaults } from "./engine";
import { setLoaders } from "./later";

declare const BOARD_FILE: string, FULL_FILE: string; // of package engine

setLoaders({
  api: () => import("./api"),
  brinkmate: () => import("./brinkmate"),
  edit: () => import("./edit"),
  ended: () => import("./ended"),
  engine: () => import("./engine"),
  help: () => import("./help"),
  keys: () => import("./keys"),
  more: () => import("./more"),
  pairs: () => import("./pairs"),
  progress: () => import("./progress"),
  record: () => import("./record"),
  run: () => import("./run"),
  set: () => import("./set"),
  typed: () => import("./typed"),
});

// configure says where the files of the solver lie, if a bundler did not take them along.
export const configure = (options: EngineOptions): void => setDefaults(options);
configure({
  script: new URL("./engine/engine.js", import.meta.url).href,
  board: new URL(BOARD_FILE, import.meta.url).href,
  full: new URL(FULL_FILE, import.meta.url).href,
});

if (!customElements.get("tsume-board")) {
  customElements.define("tsume-board", TsumeBoard);
  customElements.define("tsume-set", class extends HTMLElement {
    connectedCallback(): void {
      import("./set").then((file) => file.connect(this));
    }
  });
}

export { createEngine, TsumeBoard };
