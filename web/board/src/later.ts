// Most readers never need all of the board. The rest lies in further files beside the first one,
// embed-edit.js for example, and is loaded when it is needed.

// Where the first file came from. An import relative to it is not possible: a classic script of
// another origin has no address of its own.
let address = "";
export const setAddress = (url: string): void => void (address = url);
export const getAddress = (): string => address;

// Where a bundler puts the files together it knows how to load each: see package.ts.
type Loader = () => Promise<object>;
let loaders: { [name: string]: Loader | undefined } = {};
export const setLoaders = (all: typeof loaders): void => void (loaders = all);

let failures = 0;

// Files that are being loaded: who waits for the same one goes on in the order of asking.
const pending: { [name: string]: Promise<unknown> | undefined } = {};

// later loads a file by its name, without "embed-". It throws if that fails, or if the file is not
// of the version of this one. Then this one may be an old copy, which is brought up to date for the
// next page. Another attempt has another address, as browsers keep a failure.
export const later = <File>(name: string): Promise<File> =>
  (pending[name] ??= fetchFile(name).finally(() => (pending[name] = undefined))) as Promise<File>;

async function fetchFile(name: string): Promise<object> {
  const load = loaders[name];
  if (load) return load();
  try {
    const again = failures ? "&" + failures : "";
    const file = await import(new URL(`embed-${name}.js?v=${VERSION}${again}`, address).href);
    if (file.version !== VERSION) throw file.version;
    return file;
  } catch (e) {
    failures++;
    fetch(address, { cache: "reload", mode: "no-cors" }).catch(() => {});
    throw e;
  }
}
