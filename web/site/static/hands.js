// Pieces that are missing in the diagram: who holds them is another problem with its own answer.

import { $, t } from "./page.js";
import { state } from "./state.js";

// noteHands says who holds the pieces that the diagram leaves out, and offers the other problem:
// each has its own answer.
export function noteHands(notes = []) {
  const isMissing = notes.some((note) => note.code === "missing_pieces");
  $("hands").hidden = !isMissing && !state.given;
  $("hands-note").textContent = state.given
    ? t("残りの駒は玉方の持駒です。", "The defender holds the rest.")
    : t("図にない駒は、どちらの持駒でもありません。", "Nobody holds what is not in the diagram.");
  $("hands-other").textContent = state.given
    ? t("図のとおりにする", "Take the diagram as it is")
    : t("残りを玉方の持駒にする", "Give the rest to the defender");
}
