// Buttons that copy what stands beside them, and words that are seen and heard for a moment.

const $ = (id) => document.getElementById(id);
const COPIED = document.documentElement.lang === "en" ? "Copied." : "コピーしました。";

const TOAST_TIME = 2500; // ms
let toastTimer;

// say shows a text for a moment.
export function say(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => ($("toast").hidden = true), TOAST_TIME);
}

document.addEventListener("click", async (event) => {
  const id = event.target.dataset?.copy;
  if (!id) return;
  const field = $(id);
  try {
    await navigator.clipboard.writeText(field.value ?? field.textContent);
  } catch { // not in a secure context: copy as it was done before there was a clipboard
    field.focus();
    if (field.select) field.select();
    else getSelection().selectAllChildren(field);
    document.execCommand("copy");
  }
  say(COPIED);
});
