// The page on which readers train: which set is shown, and among which problems runs choose. The
// sets are loaded when they are needed, each once.

import { progressOf } from "/embed-progress.js";
import "./sound.js";

const $ = (id) => document.getElementById(id);
const set = $("set"), theme = $("theme"), links = [...document.querySelectorAll("[data-set]")];

const ENOUGH = 24; // problems that the reader has not met, for a run to choose from

const loaded = new Map();

// load returns the problems of a set. What failed is tried again the next time.
function load(address) {
  if (!loaded.has(address)) {
    const problems = fetch(address).then(async (response) => {
      if (!response.ok) throw new Error(response.status);
      const { problems } = await response.json();
      return problems.map(({ title, ...one }) => ({ ...one, caption: title }));
    });
    problems.catch(() => loaded.delete(address));
    loaded.set(address, problems);
  }
  return loaded.get(address);
}

// nearest returns the sets by how far they are from a rating, those that are as far in any order.
function nearest(rating) {
  const far = ({ low, high }) => Math.max(low - rating, rating - high, 0);
  return links.map((link) => ({ link, far: far(link.dataset), any: Math.random() }))
    .sort((a, b) => a.far - b.far || a.any - b.any).map(({ link }) => link);
}

set.pool = async (rating, isFresh) => {
  const wanted = theme.value, has = (themes = "") => !wanted || themes.split(" ").includes(wanted);
  const found = [];
  let fresh = 0, fault;
  for (const { dataset } of nearest(rating).filter(({ dataset }) => has(dataset.themes))) {
    try {
      found.push(...(await load(dataset.set)).filter(({ themes }) => has(themes)));
    } catch (e) {
      fault = e; // another one may be kept
    }
    fresh = found.filter(({ sfen }) => isFresh(sfen)).length;
    if (fresh >= ENOUGH) break;
  }
  if (!found.length && fault) throw fault;
  return found;
};

// show shows the set that the address names by its number, or by that of a problem as #no-12, else
// one at the reader's level.
function show() {
  const number = +/^#no-(\d+)$/.exec(location.hash)?.[1];
  const isNamed = ({ hash, dataset: { first, last } }) =>
    hash === location.hash || +first <= number && number <= +last;
  const named = links.find(isNamed), link = named ?? nearest(progressOf().level().rating)[0];
  if (!link) return;
  for (const one of links) one.toggleAttribute("aria-current", one === link);
  link.setAttribute("aria-current", "true");
  const length = link.closest("section").querySelector("h2").textContent;
  set.setAttribute("caption", `${length} ${link.textContent}`);
  set.setAttribute("start", number - link.dataset.first + 1 || "");
  set.setAttribute("src", link.dataset.set);
  if (named) set.scrollIntoView({ block: "nearest" });
}
addEventListener("hashchange", show);
show();

// What a run or the set has recorded is shown in the list, too.
for (const type of ["tsume-set", "tsume-solved", "tsume-wrong"]) {
  set.addEventListener(type, () => dispatchEvent(new Event("pageshow")));
}
