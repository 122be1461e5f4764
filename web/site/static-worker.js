// The service worker of pages that are files: it keeps all of them, so that they work without a
// network after the first visit. VERSION, which changes with every file, FILES and LATER, which is
// loaded once a page is idle, are written before this text.
"use strict";

const OURS = "tsumero-files-" + registration.scope, NAME = OURS + VERSION;
const fileOf = ({ origin, pathname }) => origin + pathname; // what scripts read behind it is no matter
const addressOf = (name) => new URL(name, registration.scope).href;

addEventListener("install", (e) => e.waitUntil((async () => {
  const cache = await caches.open(NAME);
  await cache.addAll(FILES.map((name) => new Request(addressOf(name), { cache: "no-cache" })));
  await skipWaiting();
})()));

addEventListener("activate", (e) => e.waitUntil((async () => {
  const names = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== NAME);
  await Promise.all(names.map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (e) => {
  const { request } = e, url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(registration.scope)) return;
  const kept = async () => {
    const cache = await caches.open(NAME);
    const found = await cache.match(fileOf(url)), folder = fileOf(url) + "/";
    return found ?? (await cache.match(folder) && Response.redirect(folder + url.search));
  };
  e.respondWith(kept().then((found) => found ?? fetch(request)));
});

addEventListener("message", (e) => e.data?.isFree && e.waitUntil((async () => {
  const cache = await caches.open(NAME);
  for (const address of LATER.map(addressOf)) {
    if (!await cache.match(address)) await cache.add(address);
  }
})()));
