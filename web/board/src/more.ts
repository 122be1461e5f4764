// What only some boards have: a record inside the tag or at an address, the problem of the day, a
// caption, pictures on the pieces, and further themes.

import type { Host } from "./api";
import { html, set } from "./dom";
import { fetchText } from "./fetch";
import { addSet } from "./glyphs";
import { say } from "./language";
import { later } from "./later";
import css from "./more.css";
import { attribute, isBrinkmate, type More, type State } from "./state";
import symbols, { UNIT } from "symbols";
import * as T from "./text";
import { emit, stopped, style } from "./view";

addSet("international", symbols, UNIT);

type Found = { [attribute: string]: string | undefined };

const PAIRS = "two-character"; // a set of pieces that is as large as all else here: see pairs.ts

const PATIENCE = 10_000; // ms until the problem of the day is there
const NO_DAY = [404, 422]; // the status of a date without a problem, and of no date

// fetchDaily returns what the service says of its problem of the day, or of that of a date. It throws
// the response, if that is none.
async function fetchDaily(s: State): Promise<Found> {
  const { fetcher = fetch, headers } = s.host as Host, date = s.host.getAttribute("date");
  await undefined; // until load has set the server and the language
  const query = new URLSearchParams({ lang: s.all.lang, ...(date && { date }) });
  const signal = AbortSignal.timeout(PATIENCE);
  const response = await fetcher(`${s.server}/daily.json?${query}`, { headers, signal });
  if (!response.ok) throw response;
  const { sfen, title } = await response.json(); // the title has the length
  return { sfen: String(sfen), caption: title, mode: "solve" };
}

// unreadable stands for a text that is no record: it is said as of a position that cannot be.
const unreadable = (text: string): Found => ({ sfen: text.trim().slice(0, 40) || "?" });

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

  // findRecord reads the record: its text, that at an address, or what is inside the tag.
  const findRecord = async (record: string | null, src: string | null): Promise<Found> => {
    if (record === null && src === null && !isRead()) {
      await new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));
    }
    const inside = (): string => (host.querySelector("script,pre") ?? host).textContent!;
    const text = record ?? (src === null ? inside() : await fetchText(src));
    const { records } = await later<typeof import("./record")>("record");
    return { ...(records(text)[0] ?? unreadable(text)) };
  };

  // read begins anew with what is found, unless something else is wanted by then.
  const read = async (find: () => Promise<Found>, code: string, words: string): Promise<void> => {
    const current = known;
    let found: Found;
    try {
      found = await find();
      if (current !== known) return;
    } catch (detail) {
      if (current !== known) return;
      if (typeof detail !== "string") {
        known = undefined;
        s.isWaiting = false;
        more.found = { mode: "view" };
        stopped(s, load, NO_DAY.includes((detail as Response).status) ? T.noDaily : words);
        emit(s, "error", { code, detail });
        return;
      }
      found = unreadable(detail);
    }
    s.isWaiting = false;
    more.found = found;
    load();
    if (found.fault) emit(s, "error", { code: "moves", detail: found.fault });
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
    const given = (name: string): string | null => host.getAttribute(name);
    const record = given("record"), src = given("src"), text = record ?? src ?? host.textContent!.trim();
    const isDaily = host.hasAttribute("daily");
    let now = isDaily ? `daily ${given("date")} ${given("api")}` : `${record === null}${src} ${text}`;
    if (host.hasAttribute("sfen") || (isRead() && !text && !isDaily)) now = "";
    if (now === known) return reading;
    known = now;
    more.found = {};
    s.isWaiting = !!now;
    reading = !now ? undefined
      : isDaily ? read(() => fetchDaily(s), "daily", T.dailyOffline)
      : read(() => findRecord(record, record === null ? src : null), "src", T.offline);
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
      if (length) parts.push(html("span", {}, say(isBrinkmate(s) ? T.attackN : T.startN, 0, length)));
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
