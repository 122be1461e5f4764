package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver/play"
)

// PlayOptions say who plays whom, and how.
type PlayOptions struct {
	Start   shogi.Game     // what the game begins with; required, with a king at least
	Players [2]play.Engine // by colour; nil: a person
	Names   [2]string      // of the players, for the record
	Limits  play.Limits    // of each move of an engine; Rules are those of the game
	Hint    play.Engine    // that gives hints; nil: there are none
	Board   string         // one of Boards
	Record  string         // the file that the game is saved in at its end; "": none
	Prompt  bool           // a person types: say whose turn it is
	Language
}

// errLeft ends a game that a person has left.
var errLeft = errors.New("left")

// Play plays a game between persons, who type their moves into in, and engines. It says on out what
// happens. It returns nil when the game is over, or when its input ends; when ctx ends, an
// ErrInterrupted. However it ends, the game is saved.
func Play(ctx context.Context, o PlayOptions, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &table{PlayOptions: o, game: o.Start, out: bufio.NewWriter(out), lines: readLines(ctx, in),
		flipped: o.Players[shogi.White] == nil && o.Players[shogi.Black] != nil}
	for _, p := range []play.Engine{o.Players[0], o.Players[1], o.Hint} {
		if p != nil {
			p.NewGame()
		}
	}
	end, err := t.play(ctx)
	if errors.Is(err, errLeft) {
		err = nil
	}
	if o.Record != "" {
		err = cmp.Or(t.save(o.Record, end), err)
	}
	return cmp.Or(err, t.out.Flush())
}

// readLines sends the lines of r, and closes the channel when it ends. A reader that waits for
// input is left behind when ctx ends.
func readLines(ctx context.Context, r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// A table is a game that is being played.
type table struct {
	PlayOptions
	game    shogi.Game
	took    []time.Duration // by each move that was played here
	lines   <-chan string
	out     *bufio.Writer
	flipped bool
	shown   bool // the board was printed since the last move
}

func (t *table) say(en, ja string, args ...any) { fmt.Fprintln(t.out, t.Sprintf(en, ja, args...)) }

func (t *table) print(text string) { fmt.Fprintln(t.out, text) }

// play plays until the game is over, and returns how it ended for the record.
func (t *table) play(ctx context.Context) (notation.Ending, error) {
	t.print(t.introduction())
	for {
		p := t.game.Position()
		if o := t.Limits.Rules.Outcome(&t.game); o.End != play.NotOver {
			t.show()
			t.print(t.outcome(o, &p))
			return endingOf(o, &p), nil
		}
		var end notation.Ending
		var err error
		began := time.Now()
		if player := t.Players[p.SideToMove()]; player != nil {
			end, err = t.engineMoves(ctx, player)
		} else {
			end, err = t.personMoves(ctx)
		}
		switch {
		case ctx.Err() != nil:
			t.say("\ninterrupted after %s", "\n%sで中断しました。", t.movesPlayed())
			return notation.Interrupted, ErrInterrupted
		case end != "" || err != nil:
			return end, err
		}
		if n := t.played(); n > len(t.took) {
			t.took = append(t.took, time.Since(began))
		}
	}
}

// played returns how many moves were played here, those of the start left out.
func (t *table) played() int { return len(t.game.Moves()) - len(t.Start.Moves()) }

func (t *table) movesPlayed() Count { return Plural(t.played(), "move") }

// introduction says who plays.
func (t *table) introduction() string {
	text := t.Sprintf("black (▲, P1): %s; white (△, P2): %s", "先手（▲、P1）：%s　後手（△、P2）：%s",
		t.Names[shogi.Black], t.Names[shogi.White])
	if n := t.Limits.Rules.MaxMoves; n > 0 {
		text += t.Sprintf("; drawn after %s", "（%sで引き分け）", Plural(n, "move"))
	}
	if t.Prompt {
		text += t.Text("\nType a move, such as 2726, FU26, 2g2f or ▲２六歩, or ? for help.",
			"\n指し手を 2726、FU26、2g2f、▲２六歩 のように入力してください（? で説明）。")
	}
	return text
}

// show prints the board.
func (t *table) show() {
	p := t.game.Position()
	t.out.Write(appendBoard(nil, &p, t.Board, t.flipped))
	t.shown = true
}

// do plays a legal move and says it.
func (t *table) do(m shogi.Move, byEngine bool) {
	p := t.game.Position()
	fmt.Fprintf(t.out, "%d. %s %s\n", p.Ply(), movetext.AppendJapanese(nil, &p, m, t.previous()), m)
	if byEngine || t.Board == gridBoard {
		t.print(echo(&p, m))
	}
	t.game.Do(m)
	t.shown = false
}

// previous returns where the last move went.
func (t *table) previous() shogi.Square {
	if moves := t.game.Moves(); len(moves) > 0 {
		return moves[len(moves)-1].To()
	}
	return shogi.NoSquare
}

// engineMoves has an engine play its move.
func (t *table) engineMoves(ctx context.Context, player play.Engine) (notation.Ending, error) {
	if err := t.out.Flush(); err != nil {
		return "", err
	}
	p := t.game.Position()
	c := player.Search(ctx, &t.game, t.Limits, nil)
	switch {
	case ctx.Err() != nil:
		return "", nil
	case c.Declares:
		return t.declare(&p), nil
	case !p.IsLegal(c.Move):
		return "", fmt.Errorf("%s chose %v, which is not legal in %s",
			t.Names[p.SideToMove()], c.Move, p.SFEN())
	}
	t.do(c.Move, true)
	return "", nil
}

func (t *table) declare(p *shogi.Position) notation.Ending {
	t.say("%s declares its win (入玉宣言)", "%sが入玉宣言で勝ちました。", p.SideToMove())
	return notation.Declares
}

// personMoves reads what a person types until that is a move, or ends the game.
func (t *table) personMoves(ctx context.Context) (notation.Ending, error) {
	if !t.shown {
		t.show()
	}
	for {
		p := t.game.Position()
		if t.Prompt {
			t.out.WriteString(t.Sprintf("%d. %s> ", "%d手目 %s> ", p.Ply(), p.SideToMove()))
		}
		if err := t.out.Flush(); err != nil {
			return "", err
		}
		var text string
		select {
		case line, ok := <-t.lines:
			if !ok {
				t.say("the input has ended after %s", "%sで入力が終わりました。", t.movesPlayed())
				return notation.Interrupted, errLeft
			}
			text = strings.TrimSpace(line)
		case <-ctx.Done():
			return "", nil
		}
		word, argument, _ := strings.Cut(text, " ")
		argument = strings.TrimSpace(argument)
		if strings.HasPrefix(text, "#") { // a comment in a file of moves
			continue
		}
		switch strings.ToLower(word) {
		case "":
		case "?", "help":
			t.print(t.Text(playHelp, playHelpJa))
		case "quit", "exit":
			t.say("left after %s", "%sで中止しました。", t.movesPlayed())
			return notation.Interrupted, errLeft
		case "resign", "投了":
			t.say("%s resigns: %s has won", "%sの投了で、%sの勝ちです。", p.SideToMove(), p.SideToMove().Opponent())
			return notation.Resigns, nil
		case "declare":
			if t.Limits.Rules.CanDeclare(&p) {
				return t.declare(&p), nil
			}
			t.say("%s cannot declare a win here", "%sはまだ入玉宣言できません。", p.SideToMove())
		case "undo", "待った":
			if t.undo() {
				return "", nil
			}
			t.say("there is no move of yours to take back", "待ったのできる手がありません。")
		case "hint":
			t.hint(ctx, &p)
		case "board":
			t.show()
		case "flip":
			t.flipped = !t.flipped
			t.show()
		case "save":
			t.saveNow(argument)
		default:
			m, err := readMove(text, &p, t.previous())
			if err == nil {
				t.do(m, false)
				return "", nil
			}
			t.print(t.Error(why(err)))
		}
	}
}

const playHelp = `moves     2726 from square to square, file and rank; 8822+ promotes, 8822= does not
          FU26 piece and destination: FU KY KE GI KI KA HI OU, promoted TO NY NK NG UM RY
          0055KA or KA*55 drops a bishop; so do 2g2f, 8h2b+, B*5e (USI), ▲２六歩, 同銀成, ５五角打
undo      take back your last move and the reply to it
hint      what an engine would play here
board     draw the board; flip: from the other side
declare   declare a win by an entered king (入玉宣言)
resign    resign
save FILE save the game, as KIF, or as the name says: .csa, .ki2, .jkf, .usi
quit      leave the game`

const playHelpJa = `指し手    2726（移動元と移動先）。8822+ は成、8822= は不成
          FU26（駒と移動先）。駒は FU KY KE GI KI KA HI OU、成駒は TO NY NK NG UM RY
          0055KA、KA*55 は角打ち。2g2f、8h2b+、B*5e（USI）、▲２六歩、同銀成、５五角打 も可
undo      待った（自分の一手と相手の応手を取り消し）
hint      コンピュータの考える手
board     盤の表示（flip は上下反転）
declare   入玉宣言
resign    投了
save FILE 棋譜の保存（KIF。名前が .csa .ki2 .jkf .usi ならその形式）
quit      中止`

// undo takes back the moves up to the last one of the side to move, and reports whether there is
// one.
func (t *table) undo() bool {
	p := t.game.Position()
	n := 1
	if t.Players[p.SideToMove().Opponent()] != nil {
		n = 2
	}
	if t.played() < n {
		return false
	}
	moves := slices.Clone(t.game.Moves())
	t.game = shogi.NewGame(t.game.Start())
	for _, m := range moves[:len(moves)-n] {
		t.game.Do(m)
	}
	t.took = t.took[:t.played()]
	t.say("taken back: %s", "%s戻しました。", Plural(n, "move"))
	t.shown = false
	return true
}

// hint says what an engine would play. Its score is an opinion, and named so.
func (t *table) hint(ctx context.Context, p *shogi.Position) {
	if t.Hint == nil {
		t.say("there is nobody to ask", "ヒントはありません。")
		return
	}
	t.out.Flush() // the search takes a while; an error stays in out
	c := t.Hint.Search(ctx, &t.game, t.Limits, nil)
	if !p.IsLegal(c.Move) {
		return
	}
	t.say("hint: %s %s; the engine's opinion: %s", "ヒント：%s %s（%s）",
		movetext.AppendJapanese(nil, p, c.Move, t.previous()), c.Move.String(), t.opinion(c.Score))
}

// opinion says a score in words.
func (l Language) opinion(s play.Score) string {
	n, ok := s.Mate()
	switch {
	case !ok:
		return l.Sprintf("%+d centipawns", "評価値 %+d", s)
	case n > 0:
		return l.Sprintf("mates in %d", "%d手で詰み", n)
	}
	return l.Sprintf("is mated in %d", "%d手で詰まされる", -n)
}

// saveNow saves the game so far in a file, by default that of the record.
func (t *table) saveNow(path string) {
	path = cmp.Or(path, t.Record)
	if path == "" {
		t.say("save needs a file: save game.kif", "save game.kif のようにファイルを指定してください。")
		return
	}
	if err := t.save(path, ""); err != nil {
		t.say("not saved: %s", "保存できませんでした：%s", err)
	}
}

// save writes the record of the game into a file whose name says in which notation.
func (t *table) save(path string, end notation.Ending) error {
	ext := strings.ToLower(filepath.Ext(path))
	format, err := notation.ParseFormat(strings.TrimPrefix(ext, "."))
	if err != nil {
		format = notation.KIF
	}
	r := notation.NewRecord(t.game.Start(), t.game.Moves(), end)
	r.Header = []notation.Field{
		{Key: "先手", Value: t.Names[shogi.Black]}, {Key: "後手", Value: t.Names[shogi.White]}}
	n := r.Root
	for range t.Start.Moves() {
		n = n.Next[0]
	}
	for _, took := range t.took[:min(len(t.took), t.played())] {
		n = n.Next[0]
		n.Elapsed, n.Timed = took.Truncate(time.Second), true
	}
	if err := os.WriteFile(path, r.Append(nil, format), 0o644); err != nil {
		return err
	}
	t.say("saved in %s", "%s に保存しました。", path)
	return nil
}

// outcome says in words how a game has ended.
func (t *table) outcome(o play.Outcome, p *shogi.Position) string {
	loser := o.Winner.Opponent()
	switch o.End {
	case play.Repetition:
		return t.Text("drawn by repetition (千日手): the position has occurred four times", "千日手で引き分けです。")
	case play.PerpetualLost:
		return t.Sprintf("%s has won: %s has repeated the position by checks alone (連続王手の千日手)",
			"連続王手の千日手で、%[1]sの勝ちです。", o.Winner, loser)
	case play.Mate:
		return t.Sprintf("%s has won: %s is mated (詰み)", "詰みで、%[1]sの勝ちです。", o.Winner, loser)
	case play.NoMove:
		return t.Sprintf("%s has won: %s has no legal move", "%[2]sに指す手がなく、%[1]sの勝ちです。", o.Winner, loser)
	case play.MoveLimit:
		return t.Sprintf("drawn: move %d was the last (最大手数)", "最大手数の%d手で引き分けです。", t.Limits.Rules.MaxMoves)
	}
	return o.End.String()
}

// endingOf is how a record writes the outcome of a game that ended in p.
func endingOf(o play.Outcome, p *shogi.Position) notation.Ending {
	switch o.End {
	case play.Repetition:
		return notation.Repeated
	case play.PerpetualLost:
		if o.Winner == p.SideToMove() {
			return notation.IllegalAction
		}
		return notation.IllegalMove
	case play.Mate, play.NoMove:
		return notation.Mated
	}
	return notation.Drawn
}
