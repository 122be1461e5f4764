// The page as an app: it has the service worker keep what is needed without a network, and says when
// there is none, and how old a page is that was kept.

import { hrefOf, japanToday } from "./address.js";

const root = document.documentElement;
const t = (ja, en) => (root.lang === "en" ? en : ja);
const container = navigator.serviceWorker; // none where the connection is not secure

const name = (day) =>
  new Date(day).toLocaleDateString(root.lang, { month: "long", day: "numeric", timeZone: "UTC" });

// ---- without a network

const notice = document.createElement("p");
notice.className = "offline";
notice.setAttribute("role", "status");
const heading = document.querySelector(".reader .problem");
if (heading) heading.append(notice); // whose page has no room above it
else document.querySelector("main").before(notice);

let isKept = false, since = "";

function tell() {
  const isOffline = isKept || !navigator.onLine;
  notice.hidden = !isOffline;
  notice.textContent = !isOffline ? "" : since
    ? t(`オフラインです。${name(since)}に保存したページです。`,
      `You are offline. This page is of ${name(since)}.`)
    : t("オフラインです。保存したページで続けられます。",
      "You are offline. What is kept here still works.");
}
addEventListener("online", () => {
  isKept = false;
  tell();
});
addEventListener("offline", tell);
tell();

// A page that was kept is of the day on which it came. Without the service the clock of the device
// says which day it is.
container?.addEventListener("message", ({ data }) => {
  if (data !== "kept") return;
  const { today } = root.dataset, now = japanToday();
  isKept = true;
  if (today < now) {
    since = today;
    root.dataset.today = now;
    dispatchEvent(new Event("pageshow")); // which shows the progress anew
  }
  tell();
});
container?.startMessages();
container?.controller?.postMessage("kept?");

// ---- the service worker

async function start() {
  const address = hrefOf("/worker.js");
  const policy = window.trustedTypes?.createPolicy("tsumero-app", { createScriptURL: (url) => url });
  await container.register(policy ? policy.createScriptURL(address) : address);
  const { active } = await container.ready;
  active.postMessage({ language: t("ja", "en"), isFree: !navigator.connection?.saveData });
}

// Nothing waits for it, and it waits for everything.
const IDLE = 2_000; // ms
const startLater = () => setTimeout(() => start().catch(() => {}), IDLE);
if (container && navigator.onLine) {
  if (document.readyState === "complete") startLater();
  else addEventListener("load", startLater);
}
