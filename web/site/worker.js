// The service worker: it keeps what a reader needs where there is no network. VERSION, which changes
// with every file of the pages, FILES, ENGINE, TOOLS and SETS are written before this text.
//
// A version has one cache: its files, pages that were read, the problems of the next days, each of
// which is shown on its day alone. Pages come from the network while there is one, so that none is
// older than the service. Files come from the cache if their address changes with their content:
// what a page loads is always what belongs to it. The cache of the version before stays beside that
// of this one, for pages that are open, and for what was read and is not kept anew yet.
"use strict";

const NAME = "tsumero-" + VERSION;
const OFFLINE = "/offline?lang=";
const PAGE = /^\/($|p$|study$|set$|games$|problems$|train$|daily(\/(\d{4}-\d\d-\d\d))?$)/; // what readers read
const FILE = /^\/(static\/|engine\/|train\/|embed[\w-]*\.js(\?|$))/;
const AHEAD = /^\/daily\/ahead\/(.*)$/;
const MOST_PAGES = 60, LARGEST_PAGE = 256 << 10; // bytes; most have 10 to 40 kB
const PATIENCE = 5_000; // ms until a kept page is shown in the place of one that does not come
const DAYS_AHEAD = 7, DAYS_KEPT = 14;
const DOWN = [502, 503, 504]; // what a proxy says for a service that is down

const DAY = 86_400_000, JAPAN = 9 * 3_600_000; // ms
const japanDay = (ahead = 0) => new Date(Date.now() + JAPAN + ahead * DAY).toISOString().slice(0, 10);
const pathOf = (url) => url.pathname + url.search;
const dayAddress = (day, language) => `/daily/ahead/${day}?lang=${language}`;

// isFixed reports whether the content at an address is never another one.
const isFixed = (address) => /^\/static\/|[?&]v=|\.wasm$/.test(address);

// languageOf returns the language of a page, which the service chooses the same way.
function languageOf(url) {
  const chosen = url.searchParams.get("lang");
  if (/^(ja|en)$/.test(chosen)) return chosen;
  return /^(ja|en)/.exec(self.navigator.languages.find((one) => /^(ja|en)/.test(one)))?.[1] ?? "en";
}

// ---- what is kept

// isOurs reports whether a response is that of this version, and may be kept: pages say their version,
// and scripts of another one than was asked for may not be kept for ever.
function isOurs(address, { ok, type, redirected, headers }) {
  if (!ok || type !== "basic" || redirected) return false;
  if (!FILE.test(address)) return headers.get("Tsumero-Version") === VERSION;
  return !/[?&]v=/.test(address) || /immutable/.test(headers.get("Cache-Control") ?? "immutable");
}

// caches of this version and before it, the newest first.
async function ours() {
  const names = (await caches.keys()).filter((name) => /^tsumero-/.test(name) && name !== NAME);
  return [NAME, ...names.reverse()];
}

// find returns what is kept at an address, of this version or else of the one before.
async function find(address) {
  for (const name of await ours()) {
    const found = await (await caches.open(name)).match(address, { ignoreVary: true });
    if (found) return found;
  }
}

// put keeps a response. Where the browser has no more room, older pages leave.
async function put(address, response) {
  const cache = await caches.open(NAME);
  try {
    await cache.put(address, response);
  } catch {
    await bound(MOST_PAGES / 2);
  }
}

// bound forgets days that are long gone, and the pages that were read first, if they are too many.
async function bound(most) {
  const cache = await caches.open(NAME), keys = await cache.keys();
  const paths = keys.map(({ url }) => new URL(url).pathname);
  const gone = keys.filter((_, i) => AHEAD.exec(paths[i])?.[1] < japanDay(-DAYS_KEPT));
  const read = keys.filter((_, i) => PAGE.test(paths[i]));
  await Promise.all([...gone, ...read.slice(0, -most)].map((key) => cache.delete(key)));
}

// keep keeps a page that was read. That of today is kept with those of the next days. A page of
// another version is none of this one's: there is a newer service worker, or none any more.
async function keep(url, response) {
  const address = pathOf(url);
  if (response.ok && response.headers.get("Tsumero-Version") !== VERSION) return renew();
  if (!isOurs(address, response) || url.pathname === "/daily") return;
  if ((await response.clone().blob()).size > LARGEST_PAGE) return;
  await put(address, response);
  await bound(MOST_PAGES);
}

// aClient waits until a page is there. Chromium puts off what a worker without one asks for, by half a
// minute and more, and between two pages there is none.
async function aClient() {
  for (let i = 0; i < 100 && !(await clients.matchAll({ type: "window" })).length; i++) {
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function renew() {
  const { status } = await fetch("/worker.js", { cache: "no-store" });
  if (status !== 404 && status !== 410) {
    await aClient();
    return registration.update();
  }
  await registration.unregister();
  await Promise.all((await ours()).map((name) => caches.delete(name)));
}

// ---- versions

addEventListener("install", (e) => e.waitUntil((async () => {
  try {
    await Promise.all(FILES.map(async (address) => {
      const had = isFixed(address) && await caches.match(address, { ignoreVary: true });
      const response = had || await fetch(address, { cache: "no-cache" });
      if (!isOurs(address, response)) throw new Error(address + " is of another version");
      await (await caches.open(NAME)).put(address, response);
    }));
  } catch (fault) {
    await caches.delete(NAME); // all of it or nothing
    throw fault;
  }
  await skipWaiting();
  takeOver();
})()));

// takeOver asks again until this worker is the active one: Chromium ends the one before once it has
// nothing to do, and where a page starts it anew at that moment, this one would wait for minutes.
async function takeOver() {
  for (let i = 0; i < 20 && self.serviceWorker?.state !== "activated"; i++) {
    await new Promise((done) => setTimeout(done, 1000));
    await skipWaiting();
  }
}

addEventListener("activate", (e) => e.waitUntil((async () => {
  const [, , ...old] = await ours();
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})()));

// ---- answers

const shown = new Set(); // the pages that were shown as they were kept

// kept returns the page that is kept for an address. That of a day to come is not.
async function kept(url) {
  const isDaily = /^\/daily/.test(url.pathname), language = languageOf(url), today = japanDay();
  if (!isDaily) return find(pathOf(url));
  const day = PAGE.exec(url.pathname)[3] ?? url.searchParams.get("date") ?? today;
  if (day > today) return undefined;
  return await find(pathOf(url)) ?? await find(dayAddress(day, language)) ??
    await find(dayAddress(day, language === "ja" ? "en" : "ja"));
}

async function page(e, url) {
  const fresh = fetch(e.request).then((response) => {
    if (DOWN.includes(response.status)) throw response;
    e.waitUntil(keep(url, response.clone()).catch(() => {}));
    return response;
  });
  const old = async () => {
    const found = await kept(url);
    if (found) shown.add(e.resultingClientId);
    return found;
  };
  let timer;
  const late = new Promise((done) => timer = setTimeout(() => done(old()), PATIENCE));
  try {
    return await Promise.race([fresh, late]) ?? await fresh;
  } catch (fault) {
    return await old() ??
      (fault instanceof Response ? fault
        : await find(OFFLINE + languageOf(url)) ?? Response.error());
  } finally {
    clearTimeout(timer);
    fresh.catch(() => {}); // if it came too late
  }
}

async function file(request, address) {
  if (isFixed(address)) return await find(address) ?? fetch(request);
  try {
    return await fetch(request);
  } catch {
    return await find(address) ?? Response.error();
  }
}

addEventListener("fetch", (e) => {
  const { request } = e, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode !== "navigate") {
    if (FILE.test(url.pathname)) e.respondWith(file(request, pathOf(url)));
  } else if (PAGE.test(url.pathname)) {
    e.respondWith(page(e, url));
  }
});

// ---- loading ahead

// A page asks whether it is one that was kept, and later, once it is idle, for all that it may need
// without a network: itself, the next days, and the solver unless data are dear.
addEventListener("message", (e) => {
  const { source, data } = e;
  if (data === "kept?" && shown.delete(source.id)) source.postMessage("kept");
  if (data?.language) e.waitUntil(loadAhead(new URL(source.url), data).catch(() => {}));
});

async function loadAhead(url, { language, isFree }) {
  const cache = await caches.open(NAME);
  if (PAGE.test(url.pathname) && !await cache.match(pathOf(url), { ignoreVary: true })) {
    await keep(url, await fetch(url));
  }
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const address = dayAddress(japanDay(ahead), language);
    if (await cache.match(address, { ignoreVary: true })) continue;
    const response = await fetch(address, { cache: "no-store", headers: { "Tsumero-Ahead": "1" } });
    if (isOurs(address, response)) await put(address, response);
  }
  const engine = url.pathname === "/games" ? [...ENGINE, ...TOOLS] : [...ENGINE];
  if (url.pathname === "/train") engine.unshift(...SETS);
  for (const address of isFree ? engine : []) {
    if (await cache.match(address, { ignoreVary: true })) continue;
    const response = isFixed(address) && await find(address) || await fetch(address);
    if (isOurs(address, response)) await put(address, response);
  }
}
