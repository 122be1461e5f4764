// The service worker: it keeps what a reader needs where there is no network. VERSION, which changes
// with every file of the pages, FILES and ENGINE are written before this text.
//
// Pages come from the network while there is one, so that none is ever older than the service. What
// was read last is kept, and the problems of the next days, each of which is shown on its day alone.
// Without a network they are shown as they were kept, or else a page that says so. Nothing that the
// API answers is kept, nor anything that went wrong.
"use strict";

const NAME = "tsumero-" + VERSION;
const PAGES = NAME + "-pages";
const OFFLINE = "/offline?lang=";
const READ = /^\/($|p$|set$|daily($|\/)|problems$)/; // what readers read
const MOST_PAGES = 60; // that are kept, of 10 to 40 kB
const PATIENCE = 5_000; // ms until a kept page is shown in the place of one that does not come
const DAYS_AHEAD = 7;

const DAY = 86_400_000, JAPAN = 9 * 3_600_000;
const japanDay = (ahead) => new Date(Date.now() + JAPAN + ahead * DAY).toISOString().slice(0, 10);
const languageOf = (url) => new URL(url).searchParams.get("lang");

addEventListener("install", (e) => e.waitUntil((async () => {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES.map((address) => new Request(address, { cache: "no-cache" })));
  await skipWaiting();
})()));

addEventListener("activate", (e) => e.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) =>
    /^tsumero-/.test(name) && name !== NAME && name !== PAGES);
  // Pages that are open still load what belongs to them: the files of one version before stay.
  const last = old.filter((name) => !name.endsWith("-pages")).at(-1);
  let read = [];
  for (const name of old) {
    if (name.endsWith("-pages")) read = (await (await caches.open(name)).keys()).map((r) => r.url);
  }
  await clients.claim();
  // A kept page names files of its own version: it is kept anew, or not at all.
  await Promise.all(read.map((url) => keepPage(url).catch(() => {})));
  await Promise.all(old.filter((name) => name !== last).map((name) => caches.delete(name)));
})()));

// put keeps a response. A browser that has no more room loses only that.
async function put(name, key, response) {
  try {
    await (await caches.open(name)).put(key, response);
  } catch {
    // the quota
  }
}

// isPage reports whether a response may be kept as a page.
const isPage = (response) =>
  response.ok && response.type === "basic" && !response.redirected &&
  /^text\/html/.test(response.headers.get("Content-Type"));

// keepPage fetches a page and keeps it, under another address if there is one.
async function keepPage(url, key = url) {
  const response = await fetch(url, { cache: "no-cache", credentials: "same-origin" });
  if (isPage(response)) await put(PAGES, key, response);
}

// bound forgets the pages that were read first, if they are too many.
async function bound() {
  const cache = await caches.open(PAGES), keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST_PAGES)).map((r) => cache.delete(r)));
}

// kept returns the page that is kept for an address. That of a day to come is not.
async function kept(url) {
  const cache = await caches.open(PAGES), at = new URL(url);
  const day = /^\/daily\/(\d{4}-\d\d-\d\d)$/.exec(at.pathname)?.[1];
  if (day > japanDay(0)) return undefined;
  if (at.pathname !== "/daily") return cache.match(url);
  const date = at.searchParams.get("date") ?? japanDay(0);
  const language = languageOf(url);
  const keys = (await cache.keys()).map((r) => r.url).filter((u) =>
    new URL(u).pathname === "/daily/" + date && date <= japanDay(0));
  const best = keys.find((u) => languageOf(u) === language) ?? keys[0];
  return best && cache.match(best);
}

async function offline(url) {
  const cache = await caches.open(NAME);
  const language = languageOf(url) ?? (/^ja/.test(self.navigator.language) ? "ja" : "en");
  return await cache.match(OFFLINE + language) ?? Response.error();
}

async function page(e) {
  const { request } = e, { url } = request;
  const fresh = fetch(request).then((response) => {
    // A proxy answers for a service that is down.
    if (response.status === 502 || response.status === 503 || response.status === 504) throw response;
    if (isPage(response)) {
      const copy = response.clone();
      // The page of today is that of another day tomorrow: it is kept by its date.
      const at = new URL(url);
      if (at.pathname === "/daily" && !at.searchParams.has("date")) {
        at.pathname += "/" + japanDay(0);
        at.searchParams.delete("date");
      }
      e.waitUntil((async () => {
        await (await caches.open(PAGES)).delete(at.href); // the newest is the last
        await put(PAGES, at.href, copy);
        await bound();
      })());
    }
    return response;
  });
  let timer;
  const late = new Promise((done) => timer = setTimeout(() => done(kept(url)), PATIENCE));
  try {
    return await Promise.race([fresh, late]) ?? await fresh;
  } catch (fault) {
    const page = await kept(url);
    if (page) return page;
    return fault instanceof Response ? fault : offline(url);
  } finally {
    clearTimeout(timer);
  }
}

// file returns a file that is kept, of any version, else that of the network.
const file = async (request) => await caches.match(request) ?? fetch(request);

const isKept = new Set([...FILES, ...ENGINE]);

addEventListener("fetch", (e) => {
  const { request } = e, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate") {
    if (READ.test(url.pathname)) e.respondWith(page(e));
    return;
  }
  if (/^\/static\//.test(url.pathname) || isKept.has(url.pathname + url.search)) {
    e.respondWith(file(request));
  } else if (/^\/embed/.test(url.pathname)) {
    // A script of the board without its version in the address: the newest, if it can be had.
    e.respondWith(fetch(request).catch(async () =>
      await caches.match(request, { ignoreSearch: true }) ?? Response.error()));
  }
});

// A page says once that it is there, in which language, and whether data may be loaded ahead.
addEventListener("message", (e) => {
  const { url, language, isFree } = e.data ?? {};
  if (typeof url !== "string") return;
  e.waitUntil((async () => {
    const pages = await caches.open(PAGES);
    const at = new URL(url);
    if (READ.test(at.pathname) && at.pathname !== "/daily" && !await pages.match(url)) await keepPage(url);
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
      const path = `/daily/${japanDay(ahead)}?lang=${language}`;
      const key = new URL(path, location.origin).href;
      if (!await pages.match(key)) await keepPage(path + (ahead ? "&ahead=" : ""), key);
    }
    await bound();
    if (!isFree) return;
    const files = await caches.open(NAME);
    for (const address of ENGINE) if (!await files.match(address)) await files.add(address);
  })().catch(() => {})); // without a network, another time
});
