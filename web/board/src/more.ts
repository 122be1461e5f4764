// What only some boards have: a record inside the tag or at an address, a caption, pictures on the
// pieces, and further themes.

import { html, set } from "./dom";
import { fetchText } from "./fetch";
import { addSet } from "./glyphs";
import { say } from "./language";
import { later } from "./later";
import css from "./more.css";
import type { Problem } from "./record";
import { attribute, type More, type State } from "./state";
import symbols, { UNIT } from "symbols";
import * as T from "./text";
import { emit, stopped, style } from "./view";

addSet("international", symbols, UNIT);

const PAIRS = "two-character"; // a set of pieces that is as large as all else here: see pairs.ts

// createMore gives a board more. load has it begin anew, and changed notes that what an attribute
// stands for is another one.
export function createMore(s: State, load: () => void, changed: (name: string) => void): More {
  const { host, all } = s;
  const caption = html("div", { class: "caption", id: "caption", part: "caption" });
  let known: string | undefined; // where the record that was read came from, or itself
  let reading: Promise<void> | undefined;
  style(s, css);
  all.prepend(caption);
  // What stands in the tag beside a position is for where there is no script.
  new MutationObserver(() => host.hasAttribute("sfen") || changed("record"))
    .observe(host, { childList: true, characterData: true, subtree: true });

  // needPairs loads that set of pieces, if the tag wants it.
  let pairs: Promise<void> | undefined;
  const needPairs = (): Promise<void> | undefined => {
    if (attribute(s, "pieces") !== PAIRS) return;
    return pairs ??= later("pairs").then(() => changed("pieces"), (detail) => {
      pairs = undefined;
      emit(s, "error", { code: "load", detail });
    });
  };

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
        s.isWaiting = false;
        more.found = { mode: "view" };
        stopped(s, load, T.offline);
        emit(s, "error", { code: "src", detail });
        return;
      }
      text = detail;
    }
    s.isWaiting = false;
    // What cannot be read is said as of a position that cannot be.
    more.found = { ...(found ?? { sfen: text.trim().slice(0, 40) || "?" }) };
    load();
    if (found?.fault) emit(s, "error", { code: "moves", detail: found.fault });
  };

  const plies = (): string => {
    const given = attribute(s, "plies"), length = s.author.length;
    return given || (host.hasAttribute("plies") && length ? String(length) : "");
  };

  const link = (words: string): Node | string => {
    const cite = attribute(s, "cite");
    if (!/^https?:/.test(cite) || !URL.canParse(cite)) return words;
    return html("a", { href: cite, rel: "noopener" }, words || new URL(cite).host);
  };

  const readRecord = (): Promise<void> | undefined => {
    const record = host.getAttribute("record"), src = host.getAttribute("src");
    const isGiven = host.hasAttribute("sfen");
    const text = record ?? src ?? host.textContent!.trim();
    const now = isGiven || (isRead() && !text) ? "" : `${record === null}${src} ${text}`;
    if (now === known) return reading;
    known = now;
    more.found = {};
    s.isWaiting = !!now;
    reading = now ? read(record, record === null ? src : null) : undefined;
    return reading;
  };

  const more: More = {
    found: {},
    async read() {
      await Promise.all([readRecord(), needPairs()]);
    },
    render() {
      const title = attribute(s, "caption"), author = attribute(s, "author");
      const length = plies(), source = attribute(s, "source");
      const parts: Node[] = [];
      if (title) parts.push(html("b", {}, title));
      if (length) parts.push(html("span", {}, say(T.startN, 0, length)));
      if (author) parts.push(html("span", {}, say("{0} 作|by {0}", 0, author.replace(/作$/, ""))));
      if (source || attribute(s, "cite")) parts.push(html("cite", {}, link(source)));
      caption.hidden = !parts.length;
      caption.replaceChildren(...parts.flatMap((part) => [part, " "]));
      const isNamed = parts.length > 0;
      set(all, { role: isNamed && "figure", "aria-labelledby": isNamed && "caption" });
    },
  };
  return more;
}
