// What files that are loaded later share with the first one. They must not have copies of their
// own, since these modules keep state or are large. The bundler makes imports of these modules read
// this object instead, so it must have all that those files import.

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
