// What a problem is like among those that the service knows: what POST /v1/similar tells of it.

import { post } from "./ask.js";
import { make, names, number, t } from "./page.js";
import { escapeSFEN } from "./state.js";

// compare asks which known problems one is like.
export const compare = async (question) => (await post("/v1/similar", question)).json();

const link = (href, textContent) => make("a", { href, textContent }), lang = t("ja", "en");

// The lists that every service has, by what their names are: diagrams, or numbers.
const SHIPPED = {
  daily: (sfen) => link(`/p?sfen=${escapeSFEN(sfen)}&lang=${lang}`,
    t("今日の詰将棋の図", "a problem of the day")),
  drills: (n) => link(`/train?lang=${lang}#no-${n}`, t(`詰将棋ドリル第${n}番`, `drill no. ${n}`)),
};

// likenessPart returns what the problem is like among those that the service knows.
export function likenessPart({ known, similar }) {
  const count = known.reduce((n, list) => n + list.problems + list.hashed, 0);
  if (count === 0) return [];
  const all = number.format(count);
  const heading = make("h3", { textContent: t("似た作品", "Similar problems") });
  if (similar.length === 0) {
    return [heading, make("p", { className: "hint",
      textContent: t(`このサービスにある${all}題に、似た作品はありません。`,
        `None among the ${all} problems that this service knows.`) })];
  }
  const items = similar.map(({ known, name, relation }) => {
    const [before, after] = names.relations[relation].split("{other}");
    const other = SHIPPED[known]?.(name) ?? `${name} (${known})`;
    return make("li", {}, before, other, after);
  });
  return [heading, make("ul", { className: "similar" }, ...items)];
}
