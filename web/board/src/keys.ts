// What the keys do, in a dialog.

import { html } from "./dom";
import css from "./keys.css";
import { say } from "./language";
import { isEditing, isSolving, type State } from "./state";
import * as T from "./text";
import { ask, style } from "./view";

// The keys, and what they do; those of a mode only there.
const KEYS: [keys: string, words: string, isThere?: (s: State) => boolean][] = [
  ["← ↑ ↓ →  Home End", "マスと持駒の間を動く|Go over the squares and hands"],
  ["Enter  Space", "駒を持つ、置く|Pick a piece up, put it down"],
  ["Esc", "持った駒を戻す、間違えた手を戻す|Put the piece back; take a wrong move back"],
  ["Backspace", "待った|Take back", isSolving],
  ["5  G  同", "文字や数字で、指し手の入力欄へ|Letters and digits: type a move",
    isSolving],
  ["PageUp  PageDown", "手順を戻る、進む|Back and forth in the line",
    (s) => !isEditing(s)],
  ["P L N S G B R K", "攻方の駒を置く（Shift で玉方）|Put a piece of the attacker; with Shift one of the defender",
    isEditing],
  ["+", "成る、戻す|Promote, or not", isEditing],
  ["Delete", "駒を駒箱へ|Put the piece into the box", isEditing],
  ["Ctrl+Z  Ctrl+Y", "元に戻す、やり直す|Undo, redo", isEditing],
  ["?", "この表|This list"],
];

export function showKeys(s: State): Promise<string> {
  style(s, css);
  const shown = KEYS.filter(([, , isThere]) => !isThere || isThere(s));
  const rows = shown.flatMap(([keys, words]) => [
    html("dt", {}, ...keys.split("  ").flatMap((key) => [html("kbd", {}, key), " "])),
    html("dd", {}, say(words)),
  ]);
  const title = html("h2", {}, say(T.bKeys)), close = html("button", { autofocus: "" }, say(T.close));
  return ask(s, say(T.bKeys), [title, html("dl", { tabindex: 0 }, ...rows), close]);
}
