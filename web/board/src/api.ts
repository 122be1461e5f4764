// The server's word on moves: POST /v1/moves.

import { type Color, type Position } from "./rules";

export interface JudgedMove {
  move: string;
  verdict: "mate" | "nomate" | "unknown";
  plies?: number; // of a mate, counted from the position before the move
  exact?: boolean;
  line?: string[]; // begins with the move
}

export interface Judgement {
  side: "attacker" | "defender";
  verdict: "mate" | "nomate" | "unknown";
  moves: JudgedMove[];
  best?: string;
}

// A Failure is why there is no judgement.
export class Failure extends Error {
  constructor(readonly code: "offline" | "busy" | "refused", detail: string) {
    super(detail);
  }
}

const PATIENCE = 20_000; // ms; the server gives up long before

// judge asks for every move of a position, with the attacker's shortest mate and the defender's longest resistance.
// Answers are kept, so that to take back and to try again costs nothing.
export class Judge {
  private known = new Map<string, Judgement>();

  constructor(readonly base: string) {}

  async ask(p: Position, attacker: Color, milliseconds: number, signal: AbortSignal): Promise<Judgement> {
    const sfen = p.sfen(), kept = this.known.get(sfen);
    if (kept) return kept;
    // Where both sides have a king, a position with the defender to move reads as an attack by the defender.
    const twoKings = p.board.filter((piece) => piece && (piece & 15) === 8).length > 1;
    const body = { sfen, attacker: twoKings && p.side !== attacker ? (attacker ? "white" : "black") : undefined, limits: { shortest: true, time_ms: milliseconds } };
    let response: Response;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), PATIENCE);
    const stop = (): void => timeout.abort();
    signal.addEventListener("abort", stop);
    try {
      response = await fetch(this.base + "/v1/moves", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
        signal: timeout.signal, credentials: "omit", referrerPolicy: "strict-origin-when-cross-origin",
      });
      const text = await response.text();
      if (!response.ok) {
        let detail = String(response.status);
        try {
          const problem = JSON.parse(text) as { title?: string; errors?: { message: string }[] };
          detail = problem.errors?.[0]?.message ?? problem.title ?? detail;
        } catch {
          // Not from our server: the status has to do.
        }
        throw new Failure(response.status === 429 || response.status === 503 ? "busy" : response.status === 422 ? "refused" : "offline", detail);
      }
      const judgement = digest(JSON.parse(text) as Judgement);
      if (judgement.verdict !== "unknown") this.known.set(sfen, judgement);
      return judgement;
    } catch (e) {
      throw e instanceof Failure ? e : new Failure("offline", String(e));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }
}

// digest says what the moves together mean.
function digest(j: Judgement): Judgement {
  const any = (v: string): boolean => j.moves.some((m) => m.verdict === v);
  const [good, bad] = j.side === "attacker" ? (["mate", "nomate"] as const) : (["nomate", "mate"] as const);
  const verdict = any(good) ? good : any("unknown") ? "unknown" : bad;
  return { ...j, verdict };
}

