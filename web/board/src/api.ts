// The server's word on positions and moves.

import { type Color, kingOf, type Position, SIDE, toSFEN } from "./rules";

// A Solution is what POST /v1/solve says.
export interface Solution {
  verdict: string;
  moves: string[]; // of a mate
}

// A Judgement is what POST /v1/moves says.
export interface Judgement {
  verdict: string;
  moves: { move: string }[]; // the best first: of the attacker's the shortest mate, of the defender's what escapes or resists longest
}

// A Failure is why there is neither: offline, busy or refused, and what the server or the browser says about it.
export interface Failure {
  code: string;
  detail: unknown;
}

const PATIENCE = 20_000; // ms, after which nothing is coming

// createJudge returns what asks a server. Answers are kept, so that to take back and try again costs nothing.
export function createJudge(server: string): (what: string, p: Position, attacker: Color, patient: boolean, stop: AbortSignal) => Promise<Solution | Judgement | Failure> {
  const known = new Map<string, Solution | Judgement>();
  return async (what, p, attacker, patient, stop) => {
    const sfen = toSFEN(p), kept = known.get(what + sfen);
    if (kept) return kept;
    // Where both sides have a king, a position with the defender to move would be taken for the defender's attack.
    const named = p[SIDE] !== attacker && kingOf(p, attacker) >= 0 ? ["black", "white"][attacker] : undefined;
    try {
      const response = await fetch(server + "/v1/" + what, {
        method: "POST", signal: AbortSignal.any([stop, AbortSignal.timeout(PATIENCE)]),
        // A blob has no media type, so that a page elsewhere need not ask for leave first (CORS preflight).
        body: new Blob([JSON.stringify({ sfen, attacker: named, limits: { shortest: true, time_ms: patient ? 10_000 : undefined } })]),
      });
      const j = await response.json();
      if (!response.ok) return { code: response.status === 422 ? "refused" : "busy", detail: j };
      if (j.verdict !== "unknown") known.set(what + sfen, j);
      return j;
    } catch (e) {
      return { code: "offline", detail: e };
    }
  };
}
