// Making nodes without markup: pages may forbid it (Trusted Types, a Content-Security-Policy without inline styles).

type Props = { [name: string]: string | number | boolean | EventListener | undefined };

function fill<T extends Element>(node: T, props: Props, children: (Node | string)[]): T {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children);
  return node;
}

export const html = <K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] =>
  fill(document.createElement(tag), props, children);

export const svg = <K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: (Node | string)[]): SVGElementTagNameMap[K] =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

// still reports whether the reader wants nothing to move.
export const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
