// The page as an app: it has the service worker keep what is needed without a network, and says when
// there is none.

const t = (ja, en) => (document.documentElement.lang === "en" ? en : ja);

const notice = document.createElement("p");
notice.className = "offline";
notice.setAttribute("role", "status");
document.querySelector("main").before(notice);
function tell() {
  notice.textContent = navigator.onLine ? "" : t(
    "オフラインです。保存してあるページを表示しています。盤ではそのまま解けます。",
    "You are offline. This is what was kept; problems can be solved all the same.");
}
addEventListener("online", tell);
addEventListener("offline", tell);
tell();

async function start() {
  const address = "/worker.js";
  const policy = window.trustedTypes?.createPolicy("tsumero-app", { createScriptURL: (url) => url });
  await navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address);
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage({
    url: location.href, language: t("ja", "en"), isFree: !navigator.connection?.saveData,
  });
}

// Nothing waits for it, and it waits for everything.
const IDLE = 2_000;
if (navigator.serviceWorker && navigator.onLine) {
  addEventListener("load", () => setTimeout(() => start().catch(() => {}), IDLE));
}
