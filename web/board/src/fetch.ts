// Texts at addresses: records and collections of problems.

import { later } from "./later";

// A collection of a thousand problems is shorter; what is longer is not read.
const MOST_BYTES = 1 << 20;
const PATIENCE = 10_000; // ms

// fetchText returns the text at an address.
export async function fetchText(address: string): Promise<string> {
  const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw response.status;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = response.body!.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size > MOST_BYTES) {
      reader.cancel();
      throw size;
    }
  }
  const { decode } = await later<typeof import("./record")>("record");
  return decode(await new Blob(parts).arrayBuffer());
}
