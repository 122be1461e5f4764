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

// copy puts a text that is promised on the clipboard, and says so. The promise is handed over while the
// button is being pressed: later, some browsers refuse a text.
export async function copy(promised) {
  const blob = promised.then((text) => new Blob([text], { type: "text/plain" }));
  blob.catch(() => {}); // who asked hears of it below
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch { // not in a secure context, or there is no text
    const area = document.createElement("textarea"), focused = document.activeElement;
    area.value = await promised;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    focused.focus();
  }
  say(COPIED);
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
