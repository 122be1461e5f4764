// What the board says, Japanese and English side by side: see say in language.ts.

// What a board, a side and a cell are called.
export const board = "将棋盤|Shogi board";
export const problem = "詰将棋|Shogi mate problem";
export const setup = "局面編集|Position editor";
export const attacker = "攻方|Attacker";
export const defender = "玉方|Defender";
export const black = "先手|Black";
export const white = "後手|White";
export const box = "駒箱|Box";
export const on = "{0}、{1}|{0}, {1}";
export const owned = "{0}の{1}|{0} {1}";
export const empty = "空き|empty";
export const hand = "{0}の持駒|{0}'s hand";
export const none = "なし|none";
export const inHand = "持駒|hand";
export const inCheck = "王手|in check";
export const target = "行ける|possible";
export const picked = "選択：{0}|Picked up: {0}";
export const put = "選択解除|Put down";

// What the board says.
export const start = "王手の連続で詰ませてください。|Give check with every move, and mate.";
export const attackN = "{0}手必至|Brinkmate in {0}";
export const startN = "{0}手詰|Mate in {0}";
export const noCheck = "{0}は王手ではありません。|{0} gives no check.";
export const thinking = "応手を考えています…|Looking for the reply…";
export const replied = "{0}　{1}|{0}　{1}";
// An interposition that was chosen by the raw count for want of the page's own, and the end then.
export const repliedRaw = "{0}　{1}（無駄合かもしれません）|{0}　{1} (perhaps a futile interposition)";
export const solvedRaw = "{0}手で詰みました（無駄合も数えています）。|Solved: mate in {0}, every move counted.";
export const back = "戻しました。指し直してください。|Taken back. Try another move.";
// After a wrong move that stays: for the eye, and for the ear as well.
export const again = "盤に触れると指し直せます。|Tap the board to try again.";
export const againByKey = "盤の上で Enter を押すと指し直せます。|Press Enter on the board to try again.";
// In a game: who the reader is, and how it ended.
export const game = "あなたは{0}です。相手の手はコンピュータの判断で、証明ではありません。|You are {0}. Replies are opinions, not proofs.";
export const over = "{0}。{1}です。|{0}: {1}.";
export const ends: { [outcome: string]: string } = {
  mate: "詰み|Mate", nomove: "手がない|No move", repetition: "千日手|Repetition",
  perpetual: "連続王手の千日手|Perpetual check", limit: "手数の上限|Move limit",
  declaration: "入玉宣言|Declaration",
};
export const won = "あなたの勝ち|you win";
export const lost = "あなたの負け|you lose";
export const drawn = "引き分け|a draw";
export const unknown = "時間内には分かりませんでした。|Not found out in time.";
export const noMate = "詰みはありません。|There is no mate.";
export const solved = "正解！ {0}手詰|Solved! Mate in {0}";
export const solvedWith = "正解！ {0}手詰（ヒント{1}回）|Solved! Mate in {0} ({1} hint{2})";
// Once the server said more of the problem: its length, and what the moves played are to it.
export const solvedAs = "正解！ {0}{1}|Solved! {0}{1}";
export const solvedAsWith = "正解！ {0}（ヒント{2}回）{1}|Solved! {0} ({2} hint{3}){1}";
export const variation = "変化の手順です|That was a variation";
export const equal = "本手順と同じ手数の変化です|That was a variation as long as the main line";
export const otherMate = "本手順とは別の詰みです|That was another mate";
export const sameLength = "同じ手数の別解です|That was another solution of the same length";
export const early = "早詰です（作意は{0}手、この手順は{1}手）|That was an early mate: {1} plies, the author's line has {0}";
export const longer = "遠回りの手順です（本手順は{0}手、この手順は{1}手）|That was a longer way: {1} plies, the main line has {0}";
export const rawLonger = "玉方が無駄合もしたので{1}手かかりました|It took {1} plies, since replies were by the count of every move";
export const dailyOffline = "今日の詰将棋を読み込めません。|The problem of the day cannot be loaded.";
export const noDaily = "その日の詰将棋はありません。|There is no problem for that day.";
export const offline = "サーバーに接続できません。|The server cannot be reached.";
export const loading = "エンジンを読み込んでいます…|Loading the engine…";
export const noEngine = "このページではブラウザ内のエンジンを使えません。|The engine cannot run in this browser or page.";
export const busy = "サーバーが混み合っています。|The server is busy.";
export const missing = "盤の一部を読み込めませんでした。ページを再読み込みしてください。|A part of the board could not be loaded. Reload the page.";
export const refused = "調べられない局面です。|This position cannot be examined. ";
export const limit = "サーバーの制限時間を超えました。もう一度お試しください。|That was longer than the server allows. Try again.";
export const hint1 = "{0}を使います。|Use {0}.";
export const hint2 = "{0}を{1}へ。|{0} goes to {1}.";
export const hint3 = "正解は{0}|The move: {0}";
export const nothing = "|";
export const at = "{0}/{1}手　{2}|{0}/{1} {2}";

// Buttons.
export const bHint = "ヒント|Hint";
export const bBack = "待った|Take back";
export const bRetry = "再試行|Try again";
export const bAnswer = "答えを見る|Show answer";
export const giveUp = "降参して答えを見ますか。|Give up and see the answer?";
export const goOn = "まだ考える|Go on";
export const bReset = "はじめから|Start over";
export const bFlip = "盤を反転|Turn the board";
export const bFirst = "最初へ|First";
export const bPrevious = "一手戻る|Previous";
export const bNext = "一手進む|Next";
export const bLast = "最後へ|Last";
export const bNextProblem = "次の問題|Next problem";
export const bShare = "共有|Share";
export const bKeys = "キー操作|Keys";
export const close = "閉じる|Close";

// After a problem is shared.
export const copied = "アドレスをコピーしました。|The address was copied.";
export const address = "この問題のアドレス：{0}|The address of this problem: {0}";

// Setting up.
export const setUp = "駒を選び、置くマスを選びます。ドラッグもできます。盤の外に置くと駒箱に入ります。選んだ駒は、上のボタンか、もう一度選ぶことで、成・不成と攻方・玉方が切り替わります。|Choose a piece, then where it goes; or drag it. Beside the board is the box. The buttons promote the piece chosen or change its side; so does choosing it again.";
export const noPiece = "選んだ駒|The piece chosen";
export const bPromote = "成る|Promote";
export const bUnpromote = "成りを戻す|Unpromote";
export const bGive = "{0}の駒にする|Make it {0}'s";
export const bRemove = "駒箱へ|To the box";
export const bUndo = "元に戻す|Undo";
export const bRedo = "やり直す|Redo";
export const undone = "元に戻しました。|Undone.";
export const redone = "やり直しました。|Redone.";
export const bSide = "手番を変える|Change side";
export const bRest = "残りを玉方へ|Rest to defender";
export const bClear = "盤を空に…|Clear…";
export const clearAll = "盤と持駒を空にしますか。|Clear the board and the hands?";
export const clearYes = "空にする|Clear";
export const clearNo = "やめる|Keep";
export const bPlay = "この局面で指す|Play this position";
export const bLoad = "この局面にする|Set up";

// The field, the question about promotion, and the list of moves.
export const type = "指し手（例 52金、G*5b）|Move (as P-7f, G*5b)";
export const play = "指す|Play";
export const promote = "成りますか|Promote?";
export const yes = "成る|Promote";
export const no = "不成|Do not";
export const list = "手順|Moves";
export const which = "どの手ですか|Which move?";
// Why what was typed cannot be played: the text, and the piece.
export const notHeld = "{0}：持駒に{1}がありません。|{0}: there is no {1} in hand.";
export const lacking = "{0}：{1}がありません。|{0}: there is no {1}.";
export const notYours = "{0}：そこに動かせる駒がありません。|{0}: there is no piece to move.";
export const notThere = "{0}：そこへ動ける{1}がありません。|{0}: no {1} can go there.";
export const otherWay = "{0}：{1}はその動き方では行けません。|{0}: no {1} can go there in that way.";
export const occupied = "{0}：駒があるマスには打てません。|{0}: a piece stands there.";
export const stuck = "{0}：行き所のない駒になります。|{0}: the {1} could never move again.";
export const nifu = "{0}：二歩です。|{0}: there would be two pawns on the file.";
export const dropMate = "{0}：打歩詰です。|{0}: a dropped pawn may not mate.";
export const exposed = "{0}：自玉が取られます。|{0}: the king could be taken then.";
export const bad = "読めません：{0}|Cannot be read: {0}";
export const noBoard = "盤面がないので読めません：{0}|There is no diagram to begin with: {0}";
export const needKing = "玉を置いてください。|Place the king to be mated.";
export const turn = "{0}の手番|{0} to move";
