// Putting the parts of a board together in its element.

import { html } from "./dom";
import { createInput } from "./input";
import { load } from "./load";
import { createPanel } from "./panel";
import { createState, type State } from "./state";
import css from "./style.css";
import { createSurface } from "./surface";
import { style } from "./view";

// createBoard creates the content of an element. It is rendered once the element is in a page.
export const createBoard = (host: HTMLElement): State => {
  const root = host.attachShadow({ mode: "open" });
  const live = html("div", { class: "live", role: "status" });
  const frame = html("div", { class: "root", part: "frame" });
  const all = html("div", { class: "all" }, frame, live);
  const s = createState(host, root, all, frame, live);
  s.retry = () => load(s);
  const input = createInput(s);
  s.surface = createSurface(root, input);
  s.panel = createPanel(s, input.submit);
  frame.append(s.panel.status, s.surface.node, s.panel.node);
  style(s, css);
  root.append(html("div", { class: "width" }), all);
  return s;
};
