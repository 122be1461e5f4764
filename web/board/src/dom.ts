// Elements of the page: made one by one, never from markup, which pages may forbid (Trusted Types,
// a strict policy for styles).

type Props = { [name: string]: unknown };

// set gives an element attributes and listeners; false and undefined take an attribute away.
export function set<T extends Element>(node: T, props: Props): T {
  for (const name in props) {
    const value = props[name];
    if (typeof value === "function") node.addEventListener(name, value as EventListener);
    else if (value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value as string);
  }
  return node;
}

function make<T extends Element>(node: T, props: Props, children: (Node | string)[]): T {
  set(node, props).append(...children);
  return node;
}

type Tag = keyof HTMLElementTagNameMap;

export const html = <K extends Tag>(
  tag: K, props: Props = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => make(document.createElement(tag), props, children);

const SVG = "http://www.w3.org/2000/svg";

export const svg = (tag: string, props: Props = {}, ...children: (Node | string)[]): SVGElement =>
  make(document.createElementNS(SVG, tag) as SVGElement, props, children);

// isStill reports whether the reader wants nothing to move.
export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
