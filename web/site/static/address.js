// Where the pages are and who answers their questions. Where they are files on any server, the root
// element says so: data-root is the way to the first page, and the solver in the browser answers.

const { lang, dataset: { root } } = document.documentElement;
export const isStatic = root !== undefined;

// hrefOf returns an address of the service, such as /study?sfen=…, as it is here: that of a folder, which
// those in English have in a folder of theirs.
export function hrefOf(address) {
  if (!isStatic) return address;
  const [, path, query] = /^\/([^?#]*)(.*)$/.exec(address);
  if (/\.\w+$/.test(path)) return root + path + query;
  return root + (lang === "en" ? "en/" : "") + path + (path && "/") + query;
}

// japanToday returns the day in Japan by the clock of the device.
export const japanToday = () => new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);

// In an address a position goes without the number of its move, which is no part of a problem.
export const escapeSFEN = (sfen) =>
  sfen.replace(/ 1$/, "").replaceAll(" ", "_").replaceAll("+", "%2B");

// decode returns what a value of the address says. Blanks are "_", or, of a form, "+", which else is
// that of a promoted piece.
function decode(raw) {
  try {
    return decodeURIComponent(/_|%20/.test(raw) ? raw.replaceAll("_", " ") : raw.replaceAll("+", " "));
  } catch {
    return raw;
  }
}

// values returns those of a parameter of the address of the page.
export const values = (field) => [...location.search.matchAll(/[?&](\w+)=([^&]*)/g)]
  .filter(([, one]) => one === field).map(([, , raw]) => decode(raw));

// textOf returns the text of a file, in one of the two encodings that records have.
async function textOf(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("shift_jis").decode(bytes);
  }
}

// request asks the API. The solver in the browser reads JSON alone. options.progress is told what it
// does meanwhile.
export async function request(path, options = {}) {
  if (!isStatic) return fetch(path, options);
  let { body } = options;
  if (body instanceof Blob) body = await textOf(body);
  const isText = path === "/v1/read" && !/json/.test(options.headers["Content-Type"]);
  if (isText) body = JSON.stringify({ text: body });
  await customElements.whenDefined("tsume-board");
  const { engineOf } = await import("/embed-engine.js");
  return engineOf()(path, { ...options, body });
}
