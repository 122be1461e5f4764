// A client as openapi-typescript and openapi-fetch make it, which asks for every operation once:
//
//	node client.js URL KEY
//
// with the address of a running service, and an API key that it knows. It fails if an answer is not
// what its type says, or if an operation was left out.
import assert from "node:assert/strict";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./api.js";

const [, , url, key] = process.argv;
assert(url && key);

const asked = new Set<string>();
const record: Middleware = {
  onRequest({ request, schemaPath }) {
    asked.add(`${request.method} ${schemaPath}`);
  },
};
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
client.use(record);

const board = "7nl/7k1/9/7P1/9/9/9/9/9 b - 1";
const mateIn1 = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
const mateIn3 = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
const threatened = "4k4/9/4P4/9/9/9/9/9/9 w G2r2b3g4s4n4l17p 1";

// Bodies that are not JSON go as they are, with a type of their own.
const asIs = (body: unknown) => body as string;
const ndjson = { bodySerializer: asIs, headers: { "Content-Type": "application/x-ndjson" } };
const kif = { bodySerializer: asIs, headers: { "Content-Type": "application/x-kif" } };

// ok returns the data of an answer.
function ok<T>(result: { data?: T; error?: unknown; response: Response }): NonNullable<T> {
  assert(result.response.ok, `${result.response.url}: ${JSON.stringify(result.error)}`);
  assert(result.data !== undefined && result.data !== null, result.response.url);
  return result.data;
}

// lines returns the objects of lines of JSON.
const lines = <T>(text: string) => text.trim().split("\n").map((line) => JSON.parse(line) as T);

// events returns the names of Server-Sent Events and their data.
async function events(stream: ReadableStream<Uint8Array>) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  return text.trim().split("\n\n").map((event) => ({
    name: /^event: (.*)$/m.exec(event)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "null") as unknown,
  }));
}

async function solve() {
  // No field of limits is required, whatever its default is.
  const answer = ok(await client.POST("/v1/solve", { body: { sfen: mateIn3, limits: { shortest: true } } }));
  assert.equal(answer.verdict, "mate");
  assert.equal(answer.plies, 3);
  // @ts-expect-error: a question has types, though the body may be a record as well
  const wrong = await client.POST("/v1/solve", { body: { sfen: mateIn3, limits: { shortest: "yes" } } });
  assert.equal(wrong.response.status, 422);
  assert.equal(wrong.error?.errors?.[0]?.location, "body.limits.shortest");

  const record = ok(await client.POST("/v1/solve/record/{format}", {
    params: { path: { format: "kif" } }, body: { sfen: mateIn3 }, parseAs: "text",
  }));
  assert.match(record, /まで/);
  const jkf = ok(await client.POST("/v1/solve/record/{format}", {
    params: { path: { format: "jkf" } }, body: record, ...kif,
  })) as components["schemas"]["JKF"];
  assert.equal(jkf.moves.length, 5); // the beginning, three moves and the end
  assert.equal(ok(await client.POST("/v1/solve", { body: record, ...kif })).plies, 3);
  const read = ok(await client.POST("/v1/read", { body: { text: record } }));
  assert.deepEqual(read.records[0]?.moves, answer.moves);
  assert.equal(ok(await client.POST("/v1/threat", { body: { sfen: threatened } })).verdict, "threat");
  assert.equal(ok(await client.POST("/v1/games", { body: { text: `${mateIn1} moves G*5b` } })).moves, 1);
  const similar = ok(await client.POST("/v1/similar", {
    params: { query: { known: ["daily"] } }, body: { sfen: mateIn3 },
  }));
  assert.ok((similar.known[0]?.problems ?? 0) > 0);

  const told = await events(ok(await client.POST("/v1/solve/events", {
    body: { sfen: mateIn3 }, parseAs: "stream",
  })));
  assert.equal(told.at(-1)?.name, "answer");
  assert.equal((told.at(-1)?.data as components["schemas"]["Answer"]).verdict, "mate");

  const link = await client.GET("/v1/solve", { params: { query: { sfen: mateIn1, plies: 1 } } });
  assert.deepEqual(ok(link).moves, ["G*5b"]);
  const known = link.response.headers.get("ETag") ?? "";
  const again = await client.GET("/v1/solve", {
    params: { query: { sfen: mateIn1, plies: 1 }, header: { "If-None-Match": known } },
  });
  assert.equal(again.response.status, 304);

  const batch = ok(await client.POST("/v1/solve/batch", {
    body: [mateIn1, mateIn3].map((sfen, id) => JSON.stringify({ id, sfen })).join("\n"), ...ndjson, parseAs: "text",
    params: { header: { "X-Full-Duplex": "no" } },
  }));
  type Line = components["schemas"]["BatchAnswer"];
  assert.deepEqual(lines<Line>(batch).map((line) => [line.id, line.plies]), [[0, 1], [1, 3]]);

  const moves = ok(await client.POST("/v1/moves", { body: { sfen: mateIn1 } }));
  assert(moves.moves.some((move) => move.move === "G*5b" && move.verdict === "mate"));
  const movesLink = ok(await client.GET("/v1/moves", { params: { query: { sfen: mateIn1 } } }));
  assert.equal(movesLink.moves.length, moves.moves.length);
}

async function analyze() {
  const report = ok(await client.POST("/v1/analyze", { body: { sfen: mateIn1, limits: { nodes: 100_000 } } }));
  assert.equal(report.verdict, "mate");
  const link = ok(await client.GET("/v1/analyze", { params: { query: { sfen: mateIn1, nodes: 100_000 } } }));
  assert.equal(link.key, report.key);
  const told = await events(ok(await client.POST("/v1/analyze/events", {
    body: { sfen: mateIn1 }, parseAs: "stream",
  })));
  assert.equal(told.at(-1)?.name, "answer");
  const batch = ok(await client.POST("/v1/analyze/batch", {
    body: JSON.stringify({ id: "a", sfen: mateIn1 }), ...ndjson, parseAs: "text",
  }));
  assert.equal(lines<components["schemas"]["AnalyzeBatchAnswer"]>(batch)[0]?.id, "a");
}

async function play() {
  const limits = ok(await client.GET("/v1/limits"));
  const level = limits.play?.levels[0];
  assert(level);
  const move = ok(await client.POST("/v1/play", { body: { sfen: "startpos", level: "random", seed: 1 } }));
  const link = ok(await client.GET("/v1/play", { params: { query: { sfen: "startpos", level: "random", seed: 1 } } }));
  assert(move.move);
  assert.equal(link.move, move.move);
}

async function jobs() {
  const job = ok(await client.POST("/v1/jobs", {
    body: { sfen: mateIn3 }, params: { header: { "Idempotency-Key": "one" } },
  }));
  const path = { id: job.id };
  const told = await events(ok(await client.GET("/v1/jobs/{id}/events", { params: { path }, parseAs: "stream" })));
  assert.equal(told.at(-1)?.name, "answer");
  const state = ok(await client.GET("/v1/jobs/{id}", { params: { path, header: { Prefer: "wait=10" } } }));
  assert(state.state === "done" && state.answer && "verdict" in state.answer);
  const answer = ok(await client.GET("/v1/jobs/{id}/result", { params: { path } }));
  assert(!("sound" in answer) && answer.verdict === "mate");
  const record = ok(await client.GET("/v1/jobs/{id}/record/{format}", {
    params: { path: { ...path, format: "csa" } }, parseAs: "text",
  }));
  assert.match(record, /^V2/m);

  const many = ok(await client.POST("/v1/jobs", {
    body: [mateIn1, mateIn3].map((sfen) => JSON.stringify({ sfen })).join("\n"), ...ndjson,
  }));
  const results = ok(await client.GET("/v1/jobs/{id}/results", {
    params: { path: { id: many.id }, query: { follow: true } }, parseAs: "text",
  }));
  assert.deepEqual(lines<components["schemas"]["ResultAnswer"]>(results).map((line) => line.plies), [1, 3]);
  const search = ok(await client.POST("/v1/jobs/compose", { body: { compose: { method: "hands", sfen: board } } }));
  const found = ok(await client.GET("/v1/jobs/{id}/results", {
    params: { path: { id: search.id }, query: { follow: true } }, parseAs: "text",
  }));
  assert(lines<components["schemas"]["ComposeResult"]>(found)[0]?.problems.length);
  assert.match(ok(await client.GET("/jobs/{id}/sheet", { params: { path: { id: search.id } }, parseAs: "text" })), /<svg/);
  assert(ok(await client.GET("/v1/jobs")).jobs.length >= 2);
  assert(ok(await client.GET("/v1/queue")).slots > 0);
  const gone = await client.DELETE("/v1/jobs/{id}", { params: { path, query: { purge: true } } });
  assert.equal(gone.response.status, 204);
  assert.equal((await client.GET("/v1/jobs/{id}", { params: { path } })).response.status, 410);

  assert.match(ok(await client.GET("/jobs", { parseAs: "text" })), /<form/);
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const page = await client.POST("/jobs", { body: { sfen: mateIn1, lang: "en" }, headers: form, parseAs: "text" });
  const id = /\/jobs\/(\w+)/.exec(page.response.url)?.[1];
  assert(page.response.redirected && id, page.response.url);
  assert.match(ok(await client.GET("/jobs/{id}", { params: { path: { id } }, parseAs: "text" })), /<html/);
  await client.POST("/jobs/{id}/cancel", { params: { path: { id } }, parseAs: "text" });
}

async function others() {
  const query = { sfen: mateIn1 };
  assert.match(ok(await client.GET("/v1/diagram.svg", { params: { query: { ...query, size: "200" } }, parseAs: "text" })), /^<svg/);
  const png = ok(await client.GET("/v1/diagram.png", { params: { query }, parseAs: "arrayBuffer" }));
  assert.equal(new DataView(png).getUint32(0), 0x89504e47);
  const gif = ok(await client.GET("/v1/diagram.gif", {
    params: { query: { ...query, moves: "G*5b", delay: 500 } }, parseAs: "arrayBuffer",
  }));
  assert.equal(new DataView(gif).getUint32(0), 0x47494638);
  const embedded = ok(await client.GET("/oembed", {
    params: { query: { url: `${url}/p?sfen=${encodeURIComponent(mateIn1)}`, maxwidth: 300 } },
  }));
  assert.equal(embedded.width, 300);
  const today = ok(await client.GET("/daily.json", { params: { query: { days: 2 } } }));
  assert.equal(today.days?.[0]?.sfen, today.sfen);
  assert.match(ok(await client.GET("/daily/{date}", {
    params: { path: { date: today.date } }, parseAs: "text",
  })), /<html/);
  assert.match(ok(await client.GET("/daily.atom", { parseAs: "text" })), /<feed/);
  for (const page of ["/", "/board", "/compose", "/docs", "/daily", "/games", "/problems", "/train"] as const) {
    assert.match(ok(await client.GET(page, { parseAs: "text" })), /<html/);
  }
  for (const page of ["/p", "/study", "/embed"] as const) {
    assert.match(ok(await client.GET(page, { params: { query }, parseAs: "text" })), /<html/);
  }
  const set = ok(await client.GET("/set", { params: { query: { sfen: [mateIn1, mateIn3] } }, parseAs: "text" }));
  assert.match(set, /<html/);
  assert.match(ok(await client.GET("/problems/{code}", {
    params: { path: { code: "invalid_question" } }, parseAs: "text",
  })), /<html/);
  const drills = ok(await client.GET("/train/{file}", { params: { path: { file: "1.json" } } }));
  assert(drills.problems?.length);
  for (const text of ["/embed.js", "/licenses.txt", "/livez", "/readyz"] as const) {
    assert(ok(await client.GET(text, { parseAs: "text" })).length > 1);
  }
}

await Promise.all([solve(), analyze(), play(), jobs(), others()]);

const description = ok(await client.GET("/openapi.json"));
for (const [path, methods] of Object.entries(description["paths"] as Record<string, object>)) {
  for (const method of Object.keys(methods)) {
    const operation = `${method.toUpperCase()} ${path}`;
    assert(asked.has(operation), `${operation} was not asked for`);
  }
}
console.log(`${asked.size} operations`);
