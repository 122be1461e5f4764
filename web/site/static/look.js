// How pages and boards look and sound, as the reader has chosen on the page of a problem. It is kept in
// this browser, beside the progress, and holds on every page. What the address of a page says comes
// first, on that page, and is not kept. Where nothing can be stored, the address has what was chosen.
//
// Pages load this script before all else, so that nothing is seen in other colours first.
"use strict";
{
  const ITEM = "tsume-look", VERSION = 1; // of the form in which it is stored
  const root = document.documentElement;

  // What is chosen where, by the parameters of addresses. "" is the usual, which addresses may name.
  const CHOSEN = {
    pieces: ({ value }) => value, theme: ({ value }) => value,
    coordinates: ({ checked }) => (checked ? "" : "off"), sound: ({ checked }) => (checked ? "on" : ""),
  };
  const USUAL = { pieces: /^(kanji|one-character)$/, coordinates: /^on$/, sound: /^off$/ };
  const NAMES = Object.keys(CHOSEN);

  const query = new URLSearchParams(location.search), said = {}; // by the address
  for (const name of NAMES) if (query.has(name)) said[name] = query.get(name);

  // ---- what is kept

  // read returns what is stored. It throws if that may not be touched: a newer version of this script
  // stored it, a page of somebody else has this one in a frame, or the browser stores nothing.
  function read() {
    if (top.location.origin !== location.origin) throw "elsewhere"; // or a SecurityError
    const text = localStorage.getItem(ITEM) ?? "";
    let all = {};
    try {
      all = { ...JSON.parse(text) };
    } catch {
      // It is nothing of ours.
    }
    if ((all.version ?? VERSION) !== VERSION) throw "newer";
    return all;
  }

  // keep stores a choice, and leaves what else is stored. It returns false if it cannot.
  function keep(name, value) {
    try {
      const { version: _, ...all } = { ...read(), [name]: value || undefined };
      const text = JSON.stringify(all);
      if (text === "{}") localStorage.removeItem(ITEM);
      else localStorage.setItem(ITEM, JSON.stringify({ version: VERSION, ...all }));
      return true;
    } catch {
      return false;
    }
  }

  // ---- what is shown

  let kept = {};

  function valueOf(name) {
    const value = said[name] ?? kept[name];
    return typeof value === "string" && !USUAL[name]?.test(value) ? value.replaceAll("_", " ") : "";
  }

  // set gives an element an attribute, or takes away one without a value.
  function set(node, name, value) {
    if (!value) node.removeAttribute(name);
    else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }

  // showPictures shows those of lists, and those in the place of boards until these are there.
  function showPictures(scheme, pieces) {
    const put = (node, name, theme) => {
      const address = node.getAttribute(name);
      if (!address.includes("?")) return; // a file
      set(node, name, address.replace(/&(theme|pieces)=\w+/g, "") + (theme && `&theme=${theme}`) +
        (pieces === "international" ? "&pieces=international" : ""));
    };
    for (const source of document.querySelectorAll("picture > source")) {
      set(source, "media", scheme ? "not all" : "(prefers-color-scheme: dark)");
      put(source, "srcset", "dark");
    }
    const images = document.querySelectorAll("picture > img, tsume-board:not(:defined) img");
    for (const image of images) put(image, "src", scheme);
  }

  // parameters returns what an address has of what this one says. A way on has nothing of which the
  // reader has chosen otherwise.
  const parameters = (isWayOn) => Object.entries(said)
    .filter(([name, value]) => (name in kept ? !isWayOn : value))
    .map(([name, value]) => `&${name}=${encodeURIComponent(value.replaceAll(" ", "_"))}`).join("");

  // showForm shows what is chosen where the reader chooses.
  function showForm({ pieces, theme, coordinates, sound }) {
    const style = valueOf("theme");
    if (![...theme.options].some(({ value }) => value === style)) theme.add(new Option(style, style));
    theme.value = style;
    pieces.value = valueOf("pieces");
    coordinates.checked = !valueOf("coordinates");
    sound.checked = !!valueOf("sound");
  }

  function show() {
    const [pieces, theme, coordinates, sound] = NAMES.map(valueOf);
    const scheme = /light|dark/.exec(theme)?.[0] ?? "";
    set(root, "data-theme", scheme);
    set(root, "data-coordinates", coordinates);
    set(root, "data-sound", sound);
    for (const board of document.querySelectorAll("tsume-board")) {
      set(board, "pieces", pieces);
      set(board, "theme", theme);
    }
    showPictures(scheme, pieces);
    if (document.readyState === "loading") return;
    for (const link of document.querySelectorAll("a[data-base]")) {
      set(link, "href", link.dataset.base + parameters(true));
    }
    const next = document.querySelector(".beside a[data-base]"), form = document.getElementById("look");
    if (next) set(document.getElementById("board"), "next", next.getAttribute("href"));
    if (form) showForm(form.elements);
  }

  function renew() {
    try {
      kept = read();
    } catch {
      kept = {};
    }
    show();
  }

  // A choice that is kept is no more what the address says.
  addEventListener("change", ({ target }) => {
    if (target.form?.id !== "look") return;
    const { name } = target, value = CHOSEN[name](target), isKept = keep(name, value), wasSaid = name in said;
    if (isKept) delete said[name];
    else said[name] = value;
    renew();
    if (wasSaid || !isKept) {
      history.replaceState(null, "", document.getElementById("main").dataset.address + parameters(false));
    }
  });

  // Another tab may choose otherwise, and a page may be shown again as it was. Boards may come later.
  for (const type of ["storage", "pageshow", "DOMContentLoaded"]) addEventListener(type, renew);
  new MutationObserver(show).observe(root, { childList: true, subtree: true });
  renew();
}
