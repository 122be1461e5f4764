// Links, snippets to embed, and the line as a file.

import { post, wording } from "./ask.js";
import { copy } from "./copy.js";
import { $, board, download, main, t } from "./page.js";
import { changes, escapeSFEN, readingLink, shareLink, state } from "./state.js";

const MOST_MOVES = 60; // of a picture that moves

function snippets() {
  const { origin } = location, lang = t("ja", "en"), sfen = escapeSFEN(state.sfen);
  const quote = (s) => s.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const name = quote(state.title || t("詰将棋", "Tsume shogi"));
  const image = quote(`${origin}/v1/diagram.svg?sfen=${sfen}&size=480&lang=${lang}`);
  const frame = quote(`${origin}/embed?sfen=${sfen}&lang=${lang}`);
  $("link").value = shareLink();
  board.setAttribute("share", shareLink());
  if ($("reading")) $("reading").href = readingLink();
  if ($("compose")) $("compose").href = `${main.dataset.compose}&sfen=${sfen}`;
  $("save").hidden = !state.answer?.moves?.length;
  const line = state.solution?.moves ?? [];
  $("animation").hidden = !line.length || line.length > MOST_MOVES;
  $("animation").href =
    `/v1/diagram.gif?sfen=${sfen}&lang=${lang}&moves=${escapeSFEN(line.join(" "))}`;
  $("snippet-tag").textContent = `<script src="${origin}/embed.js" async></script>
<tsume-board sfen="${state.sfen}" mode="solve" lang="${lang}">
  <img src="${image}" alt="${name}">
</tsume-board>`;
  $("snippet-frame").textContent = `<iframe src="${frame}" width="400" height="780" ` +
    `title="${name}" style="border:0" loading="lazy"></iframe>`;
  $("snippet-image").textContent =
    `<a href="${quote(shareLink())}"><img src="${image}" alt="${name}" width="480"></a>`;
  const limits = {
    shortest: $("shortest").checked || undefined, time_ms: Number($("time").value),
  };
  const request = state.request || { sfen: state.sfen, limits };
  $("call").textContent = `curl -sS ${origin}/v1/solve \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(request)}'`;
  const { shortest, time_ms } = request.limits;
  const shortestText = shortest ? "&shortest=true" : "";
  $("call-link").href = `/v1/solve?sfen=${sfen}${shortestText}&time_ms=${time_ms}`;
}

// hand has a button hand over the answer in a notation, or says why it cannot.
async function hand(button, name, take) {
  $("save-fault").hidden = true;
  button.disabled = true;
  try {
    await take(post(`/v1/solve/record/${name}`, state.request));
  } catch (error) {
    $("save-fault").textContent = wording(error);
    $("save-fault").hidden = false;
  } finally {
    button.disabled = false;
  }
}

$("save").addEventListener("click", ({ target }) => {
  const name = target.dataset.save, { answer } = state;
  if (!name) return;
  hand(target, name, async (response) => {
    const extension = name.startsWith("k") ? `${name}u` : name; // in UTF-8: kifu, ki2u
    download(await (await response).blob(), `tsume-${answer.plies}.${extension}`);
  });
});

$("copy-line").addEventListener("click", ({ target }) =>
  hand(target, "print", (response) => copy(response.then((r) => r.text()).then((s) => s.trim()))));

changes.addEventListener("answer", snippets);
$("shortest").addEventListener("change", snippets);
$("time").addEventListener("change", snippets);
snippets();
