// The language of what the board says. All boards of a page share it, and so do the files that are
// loaded later: see the bundler.

let language = 0;
export const setJapanese = (yes: boolean): void => void (language = yes ? 0 : 1);
export const isJapanese = (): boolean => !language;

// What is filled in may be a number, a text, or one text for the eye and one for the ear.
export type Part = string | number | [string, string];
// say puts words together in the language that is set: Japanese, a bar, English. {0}, {1} and {2}
// are filled in. A wide blank, which stands between moves, ends a sentence for the ear.
export const say = (words: string, ear = 0, ...parts: Part[]): string =>
  words.split("|")[language]!.replace("　", ["　", " ", "。", ". "][2 * ear + language]!)
    .replace(/\{(\d)\}/g, (_, i: string) => {
      const part = parts[+i]!;
      return String(Array.isArray(part) ? part[ear] : part);
    }).trim();
