// What the board says, Japanese and English side by side. {0}, {1} and {2} are filled in.

let language = 0;
export const setJapanese = (yes: boolean): void => void (language = yes ? 0 : 1);
export const isJapanese = (): boolean => !language;

// What is filled in may be a number, a text, or one text for the eye and one for the ear.
export type Part = string | number | [string, string];
// say puts words together in the language that is set.
export const say = (words: string, ear = 0, ...parts: Part[]): string =>
  words.split("|")[language]!.replace(/\{(\d)\}/g, (_, i: string) => {
    const part = parts[+i]!;
    return String(Array.isArray(part) ? part[ear] : part);
  }).trim();

export const board = "将棋盤|Shogi board", problem = "詰将棋|Shogi mate problem", setup = "局面編集|Position editor";
export const attacker = "攻方|Attacker", defender = "玉方|Defender", black = "先手|Black", white = "後手|White", box = "駒箱|Box";
export const on = "{0}、{1}|{0}, {1}", owned = "{0}の{1}|{0} {1}", empty = "空き|empty", hand = "{0}の持駒|{0}'s hand", none = "なし|none", inHand = "持駒|hand";
export const inCheck = "王手|in check", target = "行ける|possible";
export const picked = "選択：{0}|Picked up: {0}", put = "選択解除|Put down";
export const start = "王手の連続で詰ませてください。|Give check with every move, and mate.", startN = "{0}手詰|Mate in {0}";
export const noCheck = "{0}は王手ではありません。|{0} gives no check.";
export const thinking = "応手を考えています…|Looking for the reply…", replied = "{0}　{1}|{0} {1}";
export const back = "戻しました。指し直してください。|Taken back. Try another move.";
// After a wrong move: for the eye and for the ear.
export const again = [
  "盤に触れると指し直せます。|Tap the board to try again.",
  "盤の上で Enter を押すと指し直せます。|Press Enter on the board to try again.",
] as const;
export const wrong = "{0}には{1}で詰みません。|{0} does not mate: {1}.";
export const unknown = "時間内に分かりませんでした。|Not found out in time.", noMate = "詰みはありません。|There is no mate.";
export const solved = "{0}手で詰みました。|Solved: mate in {0}.", solvedWith = "{0}手で詰みました（ヒント{1}回）。|Solved: mate in {0}. Hints: {1}.";
export const offline = "サーバーに接続できません。|The server cannot be reached.", busy = "サーバーが混み合っています。|The server is busy.", refused = "調べられない局面です。|This position cannot be examined. ";
export const limit = "サーバーが許す時間を超えました。もう一度お試しください。|That was longer than the server allows. Try again.";
export const hint1 = "{0}を使います。|Use {0}.", hint2 = "{0}を{1}へ。|{0} goes to {1}.", hint3 = "正解は{0}|The move: {0}";
export const at = "{0}/{1}手　{2}|{0}/{1} {2}";
export const bHint = "ヒント|Hint", bBack = "待った|Take back", bRetry = "再試行|Try again", bAnswer = "答えを見る|Show answer", bReset = "はじめから|Start over", bFlip = "盤を反転|Turn the board";
export const bFirst = "最初へ|First", bPrevious = "一手戻る|Previous", bNext = "一手進む|Next", bLast = "最後へ|Last";
export const bSide = "手番を変える|Change side", bRest = "残りを玉方へ|Rest to defender", bClear = "盤を空に|Clear", bPlay = "この局面で指す|Play this position";
export const type = "指し手（例 52金、G*5b）|Move (as G*5b, 7g7f)", play = "指す|Play";
export const promote = "成りますか|Promote?", yes = "成る|Promote", no = "不成|Do not", list = "手順|Moves";
export const bad = "読めません：{0}|Cannot be read: {0}", needKing = "玉を置いてください。|Place the king to be mated.", turn = "{0}の手番|{0} to move";
