// The set of pieces with both characters of their names on them, as on pieces of wood.

import { addSet } from "./glyphs";
import pairs, { UNIT } from "pairs";

addSet("two-character", pairs, UNIT);
