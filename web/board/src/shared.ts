// What the files that are loaded later take from the first one instead of holding their own, since
// it keeps something or is large. The bundler makes their imports of these modules read this
// object, so it has all that they import.

import { addSet, drawPiece, PIECE_BOX, useSet } from "./glyphs";
import { isJapanese, say, setJapanese } from "./language";
import { later, withFile } from "./later";
import {
  attribute, focused, isEditing, isOnGrid, isSolving, now, setLine, written,
} from "./state";
import { announce, ask, describe, emit, reflect, stopped, style, tell } from "./view";

export const shared = {
  addSet, drawPiece, PIECE_BOX, useSet,
  isJapanese, say, setJapanese,
  later, withFile,
  attribute, focused, isEditing, isOnGrid, isSolving, now, setLine, written,
  announce, ask, describe, emit, reflect, stopped, style, tell,
};
