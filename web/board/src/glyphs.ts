// The pieces: their shape, and the outlines of the names on them. The bundler writes the outlines
// as one text: each glyph is its character and then its path, a command or a number to a character;
// see glyphs.go in folder bundle.

import { svg } from "./dom";
import { glyphOf } from "./notation";
import { kindOf, type Piece, PROMOTED } from "./rules";
import file, { UNIT } from "pieces";

// The text begins with a command at this character; numbers follow the commands, and leave out the
// control characters from DEL on.
const FIRST = 34, COMMANDS = "mlhvcq", DEL = 127, LAST_CONTROL = 160;

// A Set is what stands on the pieces: paths by the names of the pieces, and their scale.
interface Set {
  paths: { [glyph: string]: string };
  scale: number;
}
const sets: { [name: string]: Set } = {};

// addSet adds a set of pieces, by the value of the attribute that chooses it.
export const addSet = (name: string, file: string, unit: number): void => {
  const paths: Set["paths"] = {};
  for (const glyph of file.split(" ")) {
    paths[glyph[0]!] = glyph.slice(1).replace(/./g, (c) => {
      const code = c.charCodeAt(0), left = code > LAST_CONTROL ? LAST_CONTROL - DEL + 1 : 0;
      const n = code - left - FIRST - COMMANDS.length;
      // 0, -1, 1, -2, 2 …
      return n < 0 ? COMMANDS[n + COMMANDS.length]! : ` ${n & 1 ? -(n + 1) / 2 : n / 2}`;
    });
  }
  sets[name] = { paths, scale: unit * INK_SCALE };
};

const BODY = "M0-4.9L3.1-3.8L4.1 4.7H-4.1L-3.1-3.8Z";
// Real pieces differ in size as well: in hundredths, by kind.
const SIZES = [0, 86, 89, 91, 94, 95, 98, 98, 102];
// The ink is centred a little below the middle, as on real pieces. A thousandth of an em is so many
// units of the drawing.
const INK_Y = 0.35, INK_SCALE = 0.0068;

addSet("", file, UNIT);
let used: Set;
// useSet makes drawings show a set, or kanji if there is no such set.
export const useSet = (name: string): void => void (used = sets[name] ?? sets[""]!);

// PIECE_BOX is the view box of a drawing of one piece around 0, 0.
export const PIECE_BOX = "-5 -5.5 10 11";

// drawPiece draws a piece around a point, in units of which a square is 10 wide and 11 high.
export function drawPiece(piece: Piece, x: number, y: number, isTurned: boolean): SVGElement {
  const size = (SIZES[kindOf(piece)]! / 100) * (isTurned ? -1 : 1);
  const toInk = `translate(0 ${INK_Y}) scale(${used.scale})`;
  return svg("g", { class: piece & PROMOTED ? "red" : "", transform: `translate(${x} ${y})` },
    svg("g", { transform: `scale(${size})` },
      svg("path", { class: "body", d: BODY }),
      svg("path", { class: "ink", d: "M0 0" + used.paths[glyphOf(piece)], transform: toInk })));
}
