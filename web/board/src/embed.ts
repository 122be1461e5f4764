/*! Tsumero board, MIT. Glyphs: Noto Serif CJK JP, OFL-1.1, (c) Adobe. See /licenses.txt */
// The file a page includes, as a classic script or as a module. It asks the server that it came
// from, unless the attribute api names another.

import { TsumeBoard } from "./element";
import { later, setAddress } from "./later";
import { setOwnServer } from "./load";

// In a module, nothing but the trace of an error says where the code lies in a way that a classic
// script can parse too.
const source = (document.currentScript as HTMLScriptElement | null)?.src ||
  /https?:\/\/[^\s()]+?(?=:\d+:\d+)/.exec(new Error().stack ?? "")?.[0];
if (source) {
  setOwnServer(new URL(".", source).href);
  setAddress(source);
}

// Browsers from before May 2024 have no light-dark() or no AbortSignal.any(). There, what is in the
// tag stays.
const isNew = "any" in AbortSignal && CSS.supports("color", "light-dark(red,red)");
if (isNew && !customElements.get("tsume-board")) {
  customElements.define("tsume-board", TsumeBoard);
  customElements.define("tsume-set", class extends HTMLElement {
    connectedCallback(): void {
      later<typeof import("./set")>("set").then((file) => file.connect(this));
    }
  });
}
