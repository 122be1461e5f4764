// The outlines of the names on the pieces. The bundler writes them as one text: each glyph is its character and then its
// path, a command or a number to a character; see glyphs.go in folder bundle.

import { svg } from "./dom";
import { glyphOf } from "./notation";
import { kindOf, type Piece, PROMOTED } from "./rules";
import file, { UNIT } from "pieces";

const paths: { [glyph: string]: string } = {};
for (const glyph of file.split(" ")) {
  paths[glyph[0]!] = glyph.slice(1).replace(/./g, (c) => {
    const code = c.charCodeAt(0), n = (code > 160 ? code - 34 : code) - 40;
    return n < 0 ? "mlhvcq"[n + 6]! : ` ${n & 1 ? -(n + 1) / 2 : n / 2}`;
  });
}

// Real pieces differ in size as well.
const SIZES = [0, 86, 89, 91, 94, 95, 98, 98, 102];

// drawPiece draws a piece around a point, in units of which a square is 10 wide and 11 high.
export function drawPiece(piece: Piece, x: number, y: number, turned: boolean): SVGElement {
  const size = (SIZES[kindOf(piece)]! / 100) * (turned ? -1 : 1);
  return svg("g", { class: piece & PROMOTED ? "red" : "", transform: `translate(${x} ${y})` }, svg("g", { transform: `scale(${size})` },
    svg("path", { class: "body", d: "M0-4.9L3.1-3.8L4.1 4.7H-4.1L-3.1-3.8Z" }),
    svg("path", { class: "ink", d: "M0 0" + paths[glyphOf(piece)], transform: `translate(0 .35) scale(${UNIT * 0.0068})` })));
}
