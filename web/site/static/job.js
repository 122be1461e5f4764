// The page of a job that has not ended: it shows how the search goes, and loads anew at its end.

const ja = document.documentElement.lang !== "en";
const t = (a, b) => (ja ? a : b);
const $ = (id) => document.getElementById(id);
const main = $("main"), board = $("board"), bar = $("progress");
const number = new Intl.NumberFormat(ja ? "ja" : "en");

const names = JSON.parse($("names").textContent); // of package report
const tell = (name, n) => names.say[name].replace("{n}", n);

// elapsed writes a time in its largest units.
function elapsed(ms) {
  const seconds = Math.floor(ms / 1000), minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return t(`${hours}時間${minutes % 60}分`, `${hours} h ${minutes % 60} min`);
  if (minutes > 0) return t(`${minutes}分${seconds % 60}秒`, `${minutes} min ${seconds % 60} s`);
  return t(`${seconds}秒`, `${seconds} s`);
}

function row([name, value]) {
  const term = document.createElement("dt"), text = document.createElement("dd");
  term.textContent = name;
  text.textContent = value;
  const div = document.createElement("div");
  div.append(term, text);
  return div;
}

let line = board?.getAttribute("moves") ?? "";

// follow puts the best line on the board, unless the reader steps through the one before.
function follow(moves) {
  if (!board || !moves?.length || board.played?.length > 0) return;
  const next = moves.join(" ");
  if (next === line) return;
  line = next;
  board.setAttribute("moves", next);
  board.removeAttribute("controls");
}

function progress(p) {
  const { phase, elapsed_ms, nodes = 0, pn = 0, dn = 0, mate, no_mate_within: within } = p;
  const isOne = !bar?.hasAttribute("max"); // of many, each search is over soon
  if (phase && isOne) {
    $("live").replaceChildren(...[
      [tell("now"), names.phases[phase] ?? phase],
      [tell("elapsed"), elapsed(elapsed_ms)],
      [tell("positions"), number.format(nodes)],
      [tell("proof_numbers"), pn || dn ? `${number.format(pn)} · ${number.format(dn)}` : ""],
      [tell("mate_found"), mate ? tell("mate_found_value", mate) : ""],
      [tell("within"), within ? tell("within_value", within) : ""],
    ].filter(([, value]) => value !== "").map(row));
  }
  if (!isOne) {
    bar.value = p.done;
    $("done").textContent = `${number.format(p.done)} / ${number.format(bar.max)}`;
  }
  follow(p.moves);
}

const running = names.states.running;

// became shows another state. What has ended is shown by the page that the service makes of it.
function became(state) {
  if (state === main.dataset.state) return;
  if (state !== "running") return location.reload();
  main.dataset.state = state;
  document.title = `${running} · Tsumero`;
  $("state").textContent = running;
  $("live").replaceChildren(); // it said which place the job had in the queue
  if ($("busy")) $("busy").hidden = false;
}

// The state comes anew with each connection.
const source = new EventSource(`/v1/jobs/${main.dataset.job}/events`);
const data = (event) => JSON.parse(event.data);
source.addEventListener("state", (event) => became(data(event).state));
source.addEventListener("progress", (event) => progress(data(event)));
for (const end of ["answer", "end", "problem"]) {
  source.addEventListener(end, () => {
    source.close();
    location.reload();
  });
}
source.addEventListener("error", () => {
  $("fault").textContent =
    t("接続が切れました。つなぎ直しています。", "The connection broke off. Connecting again.");
  $("fault").hidden = false;
  if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 10_000);
});
source.addEventListener("open", () => ($("fault").hidden = true));
