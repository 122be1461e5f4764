// What the page knows: the problem, what was found out about it, and what is on the board.
//
// Who changes something says so by an event of changes, and whoever shows it listens:
//   problem   the problem is another one
//   position  another position is on the board
//   fault     what was typed into the board is no position
//   answer    more is known of the problem, or what is asked is something else

import { hrefOf, escapeSFEN } from "./address.js";
import { board, main } from "./page.js";

export const state = {
  sfen: main.dataset.sfen, // the problem: a position, canonical
  title: main.dataset.title,
  author: main.dataset.line?.split(" ") ?? [], // the moves of the record that it came from
  told: 0, // how many plies the text that it came from says the mate takes
  given: "", // the diagram, if the defender got what is missing in it
  attacker: "", // black or white, once the API said so
  answer: null, // of the problem
  plies: 0, // the conventional length of the mate, if it is known
  solution: null, // the line of the answer or of the report: moves and its length
  request: null, // the question it answers
  // What can be replayed: the solution, or a line that begins with a move tried.
  line: { moves: [], main: true },
  ply: 0, // moves of it that are on the board
  game: [], // the moves from the problem to where a game goes on
  mode: board.getAttribute("mode"),
  edited: false, // since the mode was chosen: more changes are no more steps back
};

export const changes = new EventTarget();
export const changed = (what) => changes.dispatchEvent(new Event(what));

// A choice of a position numbers it: a text that is still being read is not wanted after the next.
let choices = 0;
export const choose = () => ++choices;
export const isChosen = (n) => n === choices;

// onBoard returns the position on the board as a question has it: the problem and the moves that
// were played.
export const onBoard = () => {
  const played = board.played ?? state.line.moves.slice(0, state.ply);
  return { played, sfen: played.length > 0 ? `${state.sfen} moves ${played.join(" ")}` : state.sfen };
};

// standing says what the reader does with the board: as long as it says the same, nobody touched it.
export const standing = () => [state.mode, ...onBoard().played].join(" ");

// hasBothKings reports whether it has to be said who attacks.
export const hasBothKings = () => /^[^ ]*K/.test(state.sfen) && /^[^ ]*k/.test(state.sfen);

export { escapeSFEN };

// What the address of the page says of its problem besides the position, the title and the length.
const { author, line } = main.dataset, first = state.sfen;
const own = (author ? `&author=${encodeURIComponent(author)}` : "") +
  (line ? `&moves=${escapeSFEN(line)}` : "");

// maker returns who made the problem, "" if nobody says so.
export const maker = () => (author && state.sfen === first ? author : "");

function query() {
  const title = state.title ? `&title=${encodeURIComponent(state.title)}` : "";
  const plies = state.plies ? `&plies=${state.plies}` : "";
  return `sfen=${escapeSFEN(state.sfen)}${title}${plies}${state.sfen === first ? own : ""}`;
}

// How the page looks, and its language if the address says that, as addresses have them.
const { look } = main.dataset;

// shareLink returns the address of the problem, toolLink that of this page with the problem, and
// readingLink that of the page for its readers.
export const shareLink = () => new URL(hrefOf(`/p?${query()}`), location).href;
export const toolLink = () => hrefOf(`/study?${query()}${look}`);
export const readingLink = () => hrefOf(`/p?${query()}${look}`);
