// What the board says, in both languages. {0} and {1} are filled in.

import type { Lang } from "./notation";

const ja = {
  board: "将棋盤", problem: "詰将棋の盤", setup: "局面編集の盤",
  empty: "空き", attacker: "攻方", defender: "玉方", black: "先手", white: "後手", hand: "{0}の持駒", none: "なし", box: "駒箱",
  target: "行ける", check: "王手", count: "{0}枚",
  picked: "{0}を選びました。", put: "選択をやめました。", pickFirst: "動かす駒を選んでください。", illegal: "そこへは動かせません。",
  start: "攻方の手番です。王手の連続で玉を詰ませてください。", startN: "{0}手詰。攻方の手番です。",
  noCheck: "{0}は王手ではありません。攻方は王手をかけ続けます。",
  thinking: "応手を考えています…", replied: "{0}には{1}。次の手をどうぞ。",
  wrong: "{0}では詰みません。{1}で逃れます。", wrongEnd: "{0}では詰みません。{1}と応じられ、王手が続きません。", wrongBare: "{0}では詰みません。",
  unknown: "{0}で詰むかどうか、時間内に分かりませんでした。",
  solved: "詰みました。{0}手。", solvedHint: "詰みました。{0}手、ヒント{1}回。", shorter: "最短は{0}手です。",
  offline: "サーバーに接続できません。", busy: "サーバーが混み合っています。", refused: "この局面は調べられません。",
  hint1: "ヒント1：{0}を使います。", hint2: "ヒント2：{0}へ。", hint3: "ヒント3：{0}", inHand: "持駒の{0}",
  noMate: "この局面に詰みはありません。", noAnswer: "詰みが見つかりませんでした。",
  answer: "{0}手詰", answerEnd: "まで{0}手で詰み", at: "{0}手目 {1}", startPos: "開始局面", end: "最終手です。",
  bHint: "ヒント", bBack: "待った", bRetry: "再試行", bAnswer: "答えを見る", bReset: "最初から", bTry: "自分で解く", bFlip: "盤を反転",
  bFirst: "最初の局面", bPrev: "一手戻る", bNext: "一手進む", bLast: "最後の局面",
  bClear: "盤を空に", bRest: "残りを玉方へ", bSide: "手番", bSolve: "この局面を解く", sfen: "SFEN",
  type: "指し手を入力", typeHint: "例 52金、G*5b", go: "指す", notMove: "「{0}」に当たる手はありません。", ambiguous: "「{0}」に当たる手が複数あります：{1}",
  promote: "成りますか", yes: "成る", no: "成らない", cancel: "やめる",
  line: "手順", bad: "局面を読めません", badMove: "手順の「{0}」は指せません。",
  ranks: "段が{0}つです（9段必要）", rank: "「{0}」の段が9マスでない", piece: "「{0}」は駒でない", side: "手番「{0}」は b か w", hands: "持駒「{0}」", many: "{0}が多すぎる", stuck: "行き所のない駒", move: "「{0}」は指せない", noKing: "玉がない",
  placed: "{0}に{1}を置きました。", removed: "{0}を取り除きました。", nifu: "二歩になっています。", needKing: "玉方の玉を置いてください。", kingTaken: "手番でない側の玉に王手がかかっています。", nothing: "駒がありません。", turn: "手番は{0}です。",
  kbSolve: "矢印キーで移動、Enterで選択。指し手は文字でも入力できます。", kbEdit: "文字キーで駒を置けます。大文字は後手、＋で成、Deleteで消します。", kbView: "PageUpとPageDownで一手ずつ再生します。",
};

const en: typeof ja = {
  board: "Shogi board", problem: "Mate problem", setup: "Board editor",
  empty: "empty", attacker: "attacker", defender: "defender", black: "black", white: "white", hand: "{0}'s hand", none: "none", box: "box",
  target: "can go here", check: "in check", count: "{0}",
  picked: "{0} picked up.", put: "Put down.", pickFirst: "Choose a piece to move.", illegal: "It cannot go there.",
  start: "Attacker to move. Mate the king with checks only.", startN: "Mate in {0}. Attacker to move.",
  noCheck: "{0} is no check. The attacker must give check with every move.",
  thinking: "Looking for the reply…", replied: "{0} is met by {1}. Your move.",
  wrong: "{0} does not mate: {1} escapes.", wrongEnd: "{0} does not mate: after {1} there is no check left.", wrongBare: "{0} does not mate.",
  unknown: "It could not be found out in time whether {0} mates.",
  solved: "Mate in {0}. Solved.", solvedHint: "Mate in {0}. Solved with {1} hints.", shorter: "The shortest mate takes {0}.",
  offline: "The server cannot be reached.", busy: "The server is busy.", refused: "This position cannot be examined.",
  hint1: "Hint 1: use the {0}.", hint2: "Hint 2: it goes to {0}.", hint3: "Hint 3: {0}", inHand: "{0} in hand",
  noMate: "There is no mate in this position.", noAnswer: "No mate was found.",
  answer: "Mate in {0}", answerEnd: "Mate in {0}", at: "Move {0}, {1}", startPos: "Starting position", end: "End of the line.",
  bHint: "Hint", bBack: "Take back", bRetry: "Try again", bAnswer: "Show answer", bReset: "Start over", bTry: "Solve it yourself", bFlip: "Turn the board",
  bFirst: "First position", bPrev: "Previous move", bNext: "Next move", bLast: "Last position",
  bClear: "Empty the board", bRest: "Rest to defender", bSide: "To move", bSolve: "Solve this", sfen: "SFEN",
  type: "Type a move", typeHint: "e.g. G*5b, 7g7f", go: "Play", notMove: "“{0}” is no legal move.", ambiguous: "“{0}” may be several moves: {1}",
  promote: "Promote?", yes: "Promote", no: "Do not promote", cancel: "Cancel",
  line: "Moves", bad: "The position cannot be read", badMove: "“{0}” in the moves cannot be played.",
  ranks: "{0} ranks, expected 9", rank: "rank “{0}” is not 9 squares wide", piece: "“{0}” is no piece", side: "side “{0}”, expected b or w", hands: "hands “{0}”", many: "too many {0}", stuck: "a piece that can never move", move: "“{0}” cannot be played", noKing: "no king",
  placed: "{1} placed on {0}.", removed: "{0} removed.", nifu: "Two pawns of one side on a file.", needKing: "Place the king to be mated.", kingTaken: "The side not to move is in check.", nothing: "There is no piece.", turn: "{0} to move.",
  kbSolve: "Move with the arrow keys, choose with Enter, or type a move.", kbEdit: "Letters place pieces: capitals for white, + promotes, Delete removes.", kbView: "PageUp and PageDown replay move by move.",
};

export type Key = keyof typeof ja;

export const say = (lang: Lang, key: Key, ...args: (string | number)[]): string => (lang === "ja" ? ja : en)[key].replace(/\{(\d)\}/g, (_, i: string) => String(args[Number(i)]));
