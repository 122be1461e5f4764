// What files that are loaded later share with the first one. They must not have copies of their
// own, since these modules keep state or are large. The bundler makes imports of these modules read
// this object instead, so it must have all that those files import.

import { addSet } from "./glyphs";
import { isJapanese, say, setJapanese } from "./language";
import { getAddress, later } from "./later";
import { advance, authors, question, refute, wrong } from "./play";
import {
  attacksOf, attribute, canonical, canPlay, focused, HINT_STEPS, interrupt, isBrinkmate, isEditing,
  isGame, isOnGrid, isSolving, now, previousTarget, setLine, written,
} from "./state";
import { announce, ask, describe, emit, reflect, setLanguage, stopped, style, tell } from "./view";

export const shared = {
  addSet,
  isJapanese, say, setJapanese,
  getAddress, later,
  advance, authors, question, refute, wrong,
  attacksOf, attribute, canonical, canPlay, focused, HINT_STEPS, interrupt, isBrinkmate, isEditing,
  isGame, isOnGrid, isSolving, now, previousTarget, setLine, written,
  announce, ask, describe, emit, reflect, setLanguage, stopped, style, tell,
};
