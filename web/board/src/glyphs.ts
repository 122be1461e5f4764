// The outlines of the piece names, in the format of package outlines (web/diagram/outlines): a count, rows of character,
// advance and offset, then paths of zigzag varints relative to the point before.

import file from "pieces.bin";

const COMMANDS = "mlhvc";
const NUMBERS = [2, 2, 1, 1, 6];

let paths: Map<string, string> | undefined;

// glyphPath returns the attribute d of a character, with its middle in the origin and 1000 units to the em.
export function glyphPath(char: string): string {
  paths ??= read(Uint8Array.from(atob(file), (c) => c.charCodeAt(0)));
  return paths.get(char) ?? "";
}

function read(bytes: Uint8Array): Map<string, string> {
  const found = new Map<string, string>();
  const count = bytes[0]! * 256 + bytes[1]!;
  const start = 2 + count * 8;
  const number = (at: number, size: number): number => bytes.subarray(at, at + size).reduce((n, b) => n * 256 + b, 0);
  for (let i = 0; i < count; i++) {
    const row = 2 + i * 8;
    const end = i + 1 < count ? start + number(row + 13, 3) : bytes.length;
    // The format goes from point to point; curves in SVG are relative to where they begin.
    let at = start + number(row + 5, 3), d = "M-500 380";
    const next = (): number => {
      let v = 0, shift = 0, b: number;
      do {
        b = bytes[at++]!;
        v |= (b & 127) << shift;
        shift += 7;
      } while (b > 127);
      return (v >>> 1) ^ -(v & 1);
    };
    while (at < end) {
      const op = bytes[at++]!;
      const n = Array.from({ length: NUMBERS[op]! }, next);
      if (op === 4) {
        n[2]! += n[0]!;
        n[3]! += n[1]!;
        n[4]! += n[2]!;
        n[5]! += n[3]!;
      }
      // A contour is closed by its fill; z would lead back to its start, away from the point the next one is relative to.
      d += COMMANDS[op]! + n.join(" ");
    }
    found.set(String.fromCodePoint(number(row, 3)), d);
  }
  return found;
}
