// What is wrong with the layout of the page as it is now, a line a fault: see Page.Layout.
(() => {
  const touch = matchMedia("(pointer: coarse)").matches, LEAST = 44, SLACK = 1;
  const faults = new Set();

  // Everything in the page, shadow roots included, that can be seen.
  const all = [];
  const collect = (root) => {
    for (const e of root.querySelectorAll("*")) {
      all.push(e);
      if (e.shadowRoot) collect(e.shadowRoot);
    }
  };
  collect(document);
  const parent = (e) => e.assignedSlot ?? e.parentElement ?? (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
  const holds = (outer, e) => {
    for (; e; e = parent(e)) if (e === outer) return true;
    return false;
  };
  const modal = all.find((e) => e.matches("dialog:modal"));
  // Of a modal dialog, the page behind it cannot be used.
  const scope = all.filter((e) => !modal || holds(modal, e));
  // For screen readers alone, or fallback that a browser of today does not show.
  const isUnseen = (e) => {
    for (; e; e = parent(e)) {
      const { clipPath, position, top } = getComputedStyle(e);
      if (clipPath.startsWith("inset(50%") || position === "absolute" && parseFloat(top) < -40) return true;
    }
    return false;
  };
  const visible = scope.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !isUnseen(e));

  const words = (e) => (e.innerText ?? e.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 30);
  const name = (e) => {
    const id = e.id ? "#" + e.id : "", type = e.name ? `[${e.name}]` : "";
    return e.localName + id + type + ` "${e.ariaLabel || words(e)}"`;
  };
  const round = (b) => [b.left, b.top, b.right, b.bottom].map(Math.round).join(" ");
  const inside = (b, o) =>
    b.left >= o.left - SLACK && b.right <= o.right + SLACK && b.top >= o.top - SLACK && b.bottom <= o.bottom + SLACK;
  const overlap = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK;
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };

  // Nothing sticks out at the sides, and a dialog is on the screen with all that is in it.
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) faults.add(`the page is ${page.scrollWidth - page.clientWidth} pixels too wide`);
  const scrolls = (e) => /auto|scroll/.test(getComputedStyle(e).overflow);
  if (modal) {
    const box = modal.getBoundingClientRect();
    if (!inside(box, screen)) faults.add(`the dialog ${name(modal)} is not on the screen: ${round(box)}`);
    if (modal.scrollWidth > modal.clientWidth + SLACK) faults.add(`the dialog ${name(modal)} is too narrow for what it says`);
    for (const e of visible) {
      if (e.matches("button, svg") && !scrolls(modal) && !inside(e.getBoundingClientRect(), screen)) {
        faults.add(`in the dialog, ${name(e)} is not on the screen: ${round(e.getBoundingClientRect())}`);
      }
    }
  }

  // No caption is cut: by its own box, or by one around it that does not scroll.
  const texts = []; // [element, rectangle] for each line of text
  for (const e of visible) {
    if (e.closest("svg, textarea, select, pre") || e.matches("input, script, style, option")) continue;
    const own = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!own.length) continue;
    for (const node of own) {
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) {
        if (r.width < 2 || r.height < 2) continue;
        // The box of a line is higher than its letters.
        const by = r.height / 4;
        texts.push([e, { left: r.left, right: r.right, top: r.top + by, bottom: r.bottom - by }]);
      }
    }
  }
  for (const [e, box] of texts) {
    for (let around = e; around && around !== document.body; around = parent(around)) {
      const style = getComputedStyle(around);
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) break;
      const outer = around.getBoundingClientRect();
      const cutsAcross = style.overflowX !== "visible", cutsDown = style.overflowY !== "visible";
      const isBox = around === e && e.matches("button, a, summary, label, [role=button]") && style.display !== "inline";
      if ((cutsAcross || isBox) && (box.left < outer.left - SLACK || box.right > outer.right + SLACK) ||
        (cutsDown || isBox) && (box.top < outer.top - SLACK || box.bottom > outer.bottom + SLACK)) {
        faults.add(`the caption ${name(e)} is cut by ${name(around)}`);
      }
    }
  }

  // Nothing that can be pressed lies over another such thing, or over a text.
  const controls = [];
  for (const e of visible) {
    if (!e.matches("button, a[href], input, select, textarea, summary, [role=gridcell]")) continue;
    if (e.matches("input[type=hidden]") || e.matches("[role=gridcell]") && !e.getBoundingClientRect().width) continue;
    const label = e.matches("input, select") && e.closest("label");
    controls.push({ e, area: label || e, boxes: [...(label || e).getClientRects()] });
  }
  // What is on the screen at once: the rest of a scrolled box is behind its edge.
  const shown = (e, b) => {
    for (let around = parent(e); around && around !== document.body; around = parent(around)) {
      const style = getComputedStyle(around);
      if (style.overflowX === "visible" && style.overflowY === "visible" && style.clipPath === "none") continue;
      const o = around.getBoundingClientRect();
      b = { left: Math.max(b.left, o.left), right: Math.min(b.right, o.right), top: Math.max(b.top, o.top), bottom: Math.min(b.bottom, o.bottom) };
    }
    return b;
  };
  for (const c of controls) c.boxes = c.boxes.map((b) => shown(c.e, b)).filter((b) => b.right > b.left && b.bottom > b.top);
  // A notice floats over the page for a moment, and is pressed through.
  const floats = (e) => {
    const { position, pointerEvents } = getComputedStyle(e);
    return position === "fixed" && pointerEvents === "none";
  };
  const lines = texts.filter(([e]) => !floats(e)).map(([e, b]) => [e, shown(e, b)]);
  for (const [i, a] of controls.entries()) {
    for (const b of controls.slice(i + 1)) {
      if (a.area === b.area || holds(a.area, b.area) || holds(b.area, a.area)) continue;
      if (a.boxes.some((x) => b.boxes.some((y) => overlap(x, y)))) faults.add(`${name(a.e)} and ${name(b.e)} overlap`);
    }
    for (const [e, b] of lines) {
      if (holds(a.area, e) || e.closest("label")?.contains(a.e) || holds(e, a.e) && a.boxes.length > 1) continue;
      if (a.boxes.some((x) => overlap(x, b))) faults.add(`${name(a.e)} lies over the text ${name(e)}`);
    }
  }

  // With a finger, targets have 44 pixels, but squares of the board and links within a sentence.
  for (const { e, area, boxes } of controls) {
    if (!touch || !boxes.length || e.matches("[role=gridcell]") || e.matches(":disabled")) continue;
    const style = getComputedStyle(area);
    if (style.display === "inline" || e.matches("button.inline")) continue;
    const { width, height } = area.getBoundingClientRect();
    if (Math.min(width, height) < LEAST - SLACK) faults.add(`${name(e)} has ${Math.round(width)} × ${Math.round(height)} pixels`);
  }
  return [...faults];
})()
