// <tsume-set>: several problems in one tag, of which one is seen at a time.
export const connect = (_: HTMLElement): void => {};
