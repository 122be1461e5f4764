// What only some boards have: a record inside the tag or at an address, a caption, pictures on the
// pieces, and further themes.

import type { Board } from "./board";
import { html, set } from "./dom";
import { fetchText } from "./fetch";
import { addSet } from "./glyphs";
import { say } from "./language";
import { later } from "./later";
import css from "./more.css";
import type { Problem } from "./record";
import symbols, { UNIT } from "symbols";
import * as T from "./text";

addSet("international", symbols, UNIT);

export interface More {
  found_: { [attribute: string]: string | undefined }; // what the record says
  read_(): void; // the record, if it is another one
  render_(): void;
}

export function createMore(board: Board): More {
  const { host_: host, root_: root } = board;
  const all = root.querySelector(".all")!;
  const caption = html("div", { class: "caption", id: "caption", part: "caption" });
  let known: string | undefined; // where the record that was read came from, or itself
  board.style_(css);
  all.prepend(caption);
  // What stands in the tag beside a position is for where there is no script.
  new MutationObserver(() => host.hasAttribute("sfen") || board.changed_("record"))
    .observe(host, { childList: true, characterData: true, subtree: true });

  const isRead = (): boolean => host.ownerDocument.readyState !== "loading";

  // read reads the record, and begins anew with what it says.
  const read = async (record: string | null, src: string | null): Promise<void> => {
    const current = known;
    const isGone = (): boolean => current !== known;
    let found: Problem | undefined, text = "";
    try {
      if (record === null && src === null && !isRead()) {
        await new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));
      }
      if (isGone()) return;
      const inside = (): string => (host.querySelector("script,pre") ?? host).textContent!;
      text = record ?? (src === null ? inside() : await fetchText(src));
      const { records } = await later<typeof import("./record")>("record");
      if (isGone()) return;
      found = records(text)[0];
    } catch (detail) {
      if (isGone()) return;
      if (typeof detail !== "string") {
        known = undefined;
        board.isWaiting_ = false;
        more.found_ = { mode: "view" };
        board.play_.stopped_(() => board.load_(), T.offline);
        board.emit_("error", { code: "src", detail });
        return;
      }
      text = detail;
    }
    board.isWaiting_ = false;
    // What cannot be read is said as of a position that cannot be.
    more.found_ = { ...(found ?? { sfen: text.trim().slice(0, 40) || "?" }) };
    board.load_();
    if (found?.fault) board.emit_("error", { code: "moves", detail: found.fault });
  };

  const plies = (): string => {
    const given = board.attribute_("plies"), length = board.state_.author_.length;
    return given || (host.hasAttribute("plies") && length ? String(length) : "");
  };

  const link = (words: string): Node | string => {
    const cite = board.attribute_("cite");
    if (!/^https?:/.test(cite) || !URL.canParse(cite)) return words;
    return html("a", { href: cite, rel: "noopener" }, words || new URL(cite).host);
  };

  const more: More = {
    found_: {},
    read_() {
      const record = host.getAttribute("record"), src = host.getAttribute("src");
      const isGiven = host.hasAttribute("sfen");
      const text = record ?? src ?? host.textContent!.trim();
      const now = isGiven || (isRead() && !text) ? "" : `${record === null}${src} ${text}`;
      if (now === known) return;
      known = now;
      more.found_ = {};
      board.isWaiting_ = !!now;
      if (now) read(record, record === null ? src : null);
    },
    render_() {
      const title = board.attribute_("caption"), author = board.attribute_("author");
      const length = plies(), source = board.attribute_("source");
      const parts: Node[] = [];
      if (title) parts.push(html("b", {}, title));
      if (length) parts.push(html("span", {}, say(T.startN, 0, length)));
      if (author) parts.push(html("span", {}, say("{0} 作|by {0}", 0, author.replace(/作$/, ""))));
      if (source || board.attribute_("cite")) parts.push(html("cite", {}, link(source)));
      caption.hidden = !parts.length;
      caption.replaceChildren(...parts.flatMap((part) => [part, " "]));
      const isNamed = parts.length > 0;
      set(all, { role: isNamed && "figure", "aria-labelledby": isNamed && "caption" });
    },
  };
  return more;
}
