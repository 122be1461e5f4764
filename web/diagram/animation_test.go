package diagram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/web/diagram"
)

// line returns a position and the moves that follow it.
func line(t testing.TB, text string) (shogi.Position, []shogi.Move) {
	t.Helper()
	game, err := shogi.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return game.Start(), game.Moves()
}

// A mate, and a game, which has both kings.
const (
	shortLine = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1 moves 4e4c+ 1c1b 2a2c+"
	gameLine  = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e"
)

func TestAnimation(t *testing.T) {
	for name, o := range map[string]diagram.Options{
		"usual":         {},
		"small":         {Width: 160, Theme: diagram.Dark, Flip: true},
		"a title":       {Width: 320, Title: "図巧「第一番」、Tsumero", Lang: diagram.English, Theme: diagram.Print},
		"international": {Width: 640, Pieces: diagram.International, Hands: diagram.AttackerHand},
	} {
		for _, text := range []string{shortLine, gameLine} {
			start, moves := line(t, text)
			var file bytes.Buffer
			a := diagram.Animation{Start: start, Moves: moves, Options: o,
				Delay: 1500 * time.Millisecond, Loops: 3}
			if err := a.AppendGIF(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			all, err := gif.DecodeAll(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(all.Image) != len(moves)+1 || all.LoopCount != 2 {
				t.Fatalf("%s: %d frames of %d moves, repeated %d times", name, len(all.Image), len(moves),
					all.LoopCount)
			}
			p, last := start, shogi.NoMove
			canvas := image.NewRGBA(image.Rect(0, 0, all.Config.Width, all.Config.Height))
			for i, frame := range all.Image {
				if i > 0 {
					last = moves[i-1]
					p.Do(last)
				}
				wantDelay := 150
				if i == 0 {
					wantDelay *= 2
				} else if i == len(moves) {
					wantDelay *= 3
				}
				if all.Delay[i] != wantDelay || all.Disposal[i] != gif.DisposalNone {
					t.Errorf("%s: frame %d stays for %d hundredths", name, i, all.Delay[i])
				}
				draw.Draw(canvas, frame.Rect, frame, frame.Rect.Min, draw.Over)
				still := o
				still.Last = last
				area, whole := frame.Rect.Dx()*frame.Rect.Dy(), canvas.Rect.Dx()*canvas.Rect.Dy()
				if o.Hands == diagram.AttackerHand && text == gameLine && i%2 == 1 {
					// The attacker of the picture would be the other side. A move of the animation
					// does not move the board.
					if i == 1 && 4*area > whole {
						t.Errorf("%s: frame 1 has %v of %v", name, frame.Rect, canvas.Rect)
					}
					continue
				}
				d, err := diagram.Draw(&p, still)
				if err != nil {
					t.Fatal(err)
				}
				want := decode(t, encode(t, d))
				if want.Bounds() != canvas.Bounds() {
					t.Fatalf("%s: frames are %v, the picture is %v", name, canvas.Bounds(), want.Bounds())
				}
				if worst, _ := difference(t, canvas, want); worst != 0 {
					t.Errorf("%s, after %d moves: the frames differ from the picture by %d", name, i, worst)
				}
				if i > 0 && area == whole {
					t.Errorf("%s: frame %d is drawn anew", name, i)
				}
			}
		}
	}
}

// A move takes few bytes, since what stays as it is is not written.
func TestAnimationSize(t *testing.T) {
	start, moves := line(t, gameLine)
	size := func(moves []shogi.Move) int {
		var file bytes.Buffer
		a := diagram.Animation{Start: start, Moves: moves}
		if err := a.AppendGIF(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		return file.Len()
	}
	if still, whole := size(nil), size(moves); whole-still > 4000*len(moves) {
		t.Errorf("%d moves take %d bytes beside %d of the position", len(moves), whole-still, still)
	}
}

// A picture that moves is bounded.
func TestAnimationLimits(t *testing.T) {
	start, moves := line(t, shortLine)
	for _, c := range []struct {
		option string
		change func(a *diagram.Animation)
	}{
		{"size", func(a *diagram.Animation) { a.Options.Width = diagram.MaxAnimationWidth + 1 }},
		{"size", func(a *diagram.Animation) { a.Options.Card = true }},
		{"moves", func(a *diagram.Animation) { a.Moves = make([]shogi.Move, diagram.MaxMoves+1) }},
		{"delay", func(a *diagram.Animation) { a.Delay = diagram.MinDelay - 1 }},
		{"delay", func(a *diagram.Animation) { a.Delay = diagram.MaxDelay + 1 }},
		{"loop", func(a *diagram.Animation) { a.Loops = diagram.MaxLoops + 1 }},
		{"title", func(a *diagram.Animation) { a.Options.Title = "\n" }},
	} {
		a := diagram.Animation{Start: start, Moves: moves}
		c.change(&a)
		var file bytes.Buffer
		var e *diagram.OptionError
		err := a.AppendGIF(t.Context(), &file)
		if !errors.As(err, &e) || e.Option != c.option || file.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", c.option, err, file.Len())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var file bytes.Buffer
	err := diagram.Animation{Start: start, Moves: moves}.AppendGIF(ctx, &file)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("whom nobody waits for is drawn: %v", err)
	}
}

// Moves of the position and of the parameter follow each other, and what is wrong is said of its
// place.
func TestAnimationQuery(t *testing.T) {
	frames := func(query string) (*gif.GIF, string) {
		w := ask(http.MethodGet, "/v1/diagram.gif?"+query, nil)
		all, err := gif.DecodeAll(w.Body)
		if w.Code != http.StatusOK || err != nil || w.Header().Get("Content-Type") != "image/gif" {
			t.Fatalf("%s: %d %s %v", query, w.Code, w.Body, err)
		}
		return all, w.Header().Get("ETag")
	}
	mate := "sfen=9/4k4/9/4P4/9/9/9/9/9_b_2G2r2b2g4s4n4l17p"
	one, tag := frames(mate + "&moves=G*5c_5b5a_G*5b&size=200")
	two, same := frames(mate + "_moves_G*5c&moves=5b5a+G*5b&delay=1000&loop=0&size=200")
	if len(one.Image) != 4 || len(two.Image) != 4 || tag != same {
		t.Errorf("%d frames and %d, tags %s %s", len(one.Image), len(two.Image), tag, same)
	}
	if still, _ := frames(mate); len(still.Image) != 1 || still.LoopCount != 0 {
		t.Errorf("without a move: %d frames, %d times", len(still.Image), still.LoopCount)
	}
	for _, other := range []string{"", "&moves=G*5c", "&moves=G*5c_5b5a_G*5b&size=201",
		"&moves=G*5c_5b5a_G*5b&size=200&delay=900", "&moves=G*5c_5b5a_G*5b&size=200&loop=1"} {
		if _, tag := frames(mate + other); tag == same {
			t.Errorf("%s has the tag of another", other)
		}
	}
	once, _ := frames(mate + "&moves=G*5c&loop=1&delay=200")
	if once.LoopCount != -1 || once.Delay[0] != 40 {
		t.Errorf("loop=1: %d times, delay=200: %d", once.LoopCount, once.Delay[0])
	}

	for query, want := range map[string]string{
		mate + "&moves=G*5c_5b5a_G*4b_9i9h":                 "query.moves: moves: move 4: ",
		mate + "&moves=G*5c_G*5b":                           "query.moves: moves: move 2: ",
		mate + "&moves=nonsense":                            "query.moves: moves: move 1: ",
		mate + "&moves=%zz":                                 "query.moves: found a % that begins no escape",
		mate + "&moves=G*5c&moves=G*5c":                     "query.moves: found a second time",
		mate + "&size=641":                                  "query.size: found the width 641, expected one from 160 to 640 pixels",
		mate + "&size=1200x630":                             "query.size: found a card, which does not move",
		mate + "&delay=199":                                 `query.delay: found "199", expected from 200 to 10000 milliseconds`,
		mate + "&delay=":                                    `query.delay: found "", expected`,
		mate + "&loop=101":                                  `query.loop: found "101", expected how often it is shown, up to 100`,
		mate + "&last=G*5c":                                 "query.last: unexpected parameter, expected sfen, moves, delay, loop, size",
		mate + "&moves=" + strings.Repeat("_5b5a_5a5b", 31): "query.moves: moves: move 1: ",
	} {
		w := ask(http.MethodGet, "/v1/diagram.gif?"+query, nil)
		got := faultsOf(t, w.Body.String())
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s, want %s", query, w.Code, got, want)
		}
	}
	// Places in the moves are those in the parameter.
	got := ask(http.MethodGet, "/v1/diagram.gif?"+mate+"&moves=G*5c_5b5a_9i9h", nil).Body.String()
	if !strings.Contains(got, `"offset":10`) {
		t.Error(got)
	}
	for _, name := range []string{"moves=7g7f", "delay=500", "loop=0"} {
		w := ask(http.MethodGet, "/v1/diagram.png?"+mate+"&"+name, nil)
		if w.Code != http.StatusUnprocessableEntity {
			t.Errorf("a picture that does not move takes %s", name)
		}
	}
	many := "sfen=4k4/9/9/9/9/9/9/9/4K4_b_-&moves=" + strings.Repeat("5i5h_5a5b_5h5i_5b5a_", 16)
	got = ask(http.MethodGet, "/v1/diagram.gif?"+many, nil).Body.String()
	if !strings.Contains(got, "found 64 moves, expected at most 60") {
		t.Errorf("64 moves: %s", got)
	}
}

// faultsOf returns the places and messages of a problem.
func faultsOf(t *testing.T, body string) string {
	var p struct {
		Errors []struct{ Location, Message string }
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var all []string
	for _, e := range p.Errors {
		all = append(all, e.Location+": "+e.Message)
	}
	return strings.Join(all, "\n")
}

// Whatever is asked, the answer is an animation of no more than the limits or a problem.
func FuzzAnimationQuery(f *testing.F) {
	f.Add("sfen=9/4k4/9/4P4/9/9/9/9/9_b_2G2r2b2g4s4n4l17p&moves=G*5c_5b5a_G*5b&size=160&delay=200&loop=2")
	f.Add("sfen=startpos+moves+7g7f&moves=3c3d+8h2b%2B+3a2b&theme=dark&flip=true&size=160")
	f.Add("sfen=4k4/9/4+P4/9/9/9/9/9/9+b+G&moves=G*5b&hands=hide&pieces=international&title=x&size=0161")
	f.Add("moves=&sfen=_&delay=9e9&loop=-1&size=640x")
	f.Fuzz(func(t *testing.T, query string) {
		w := ask(http.MethodGet, "/d.gif?"+query, nil)
		body := w.Body.Bytes()
		switch w.Code {
		case http.StatusOK:
			all, err := gif.DecodeAll(bytes.NewReader(body))
			if err != nil || len(all.Image) > diagram.MaxMoves+1 ||
				all.Config.Width > diagram.MaxAnimationWidth || len(body) > 1<<20 {
				t.Errorf("%d bytes, %v", len(body), err)
			}
		case http.StatusUnprocessableEntity, http.StatusRequestURITooLong:
			var p struct{ Status int }
			if err := json.Unmarshal(body, &p); err != nil || p.Status != w.Code {
				t.Errorf("%v: %s", err, body)
			}
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}

// The solution of 将棋無双 no. 19, and the longest that may be asked for.
func BenchmarkAnimation(b *testing.B) {
	const muso = "3gS2n1/1pk1Pp3/4p1Lp1/1Gpp3l1/4n4/3N5/+p1B2r3/2R2N3/9 b BGg3s2l10p 1 moves " +
		"8d7c 7b7c 7g9e 7c8c 9e7c+ 8c7c 7h7d 7c6c B*7b 6a7b 7d7c 6c5b 7c7b 5b4c 7b4b 4c3d G*3e 3d3e " +
		"G*3f 3e3d P*3e 3d3c 3e3d 3c3d 4b3b+ P*3c P*3e 3d4d 4h5f"
	game := "startpos moves" + strings.Repeat(" 2h3h 8b7b 3h2h 7b8b", diagram.MaxMoves/4)
	for _, c := range []struct {
		line         string
		moves, width int
	}{{muso, 5, 480}, {muso, 11, 480}, {muso, 29, 480}, {game, 60, 640}} {
		b.Run(fmt.Sprintf("%d moves, %d pixels", c.moves, c.width), func(b *testing.B) {
			start, moves := line(b, c.line)
			a := diagram.Animation{Start: start, Moves: moves[:c.moves],
				Options: diagram.Options{Width: c.width}}
			var file bytes.Buffer
			b.ReportAllocs()
			for b.Loop() {
				file.Reset()
				if err := a.AppendGIF(b.Context(), &file); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(file.Len()), "bytes")
		})
	}
}
