package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/sched"
)

// A fakeEngine plays what search says; its zero value plays by chance.
type fakeEngine struct {
	level  string
	seed   uint64
	games  int
	search func(context.Context, *shogi.Game, play.Limits) play.Choice
}

func (e *fakeEngine) NewGame() { e.games++ }

func (e *fakeEngine) Search(ctx context.Context, g *shogi.Game, lim play.Limits,
	_ func(play.Info)) play.Choice {
	if e.games == 0 {
		panic("a search without a new game")
	}
	if e.search != nil {
		return e.search(ctx, g, lim)
	}
	p := g.Position()
	var buf shogi.MoveBuffer
	all := p.LegalMoves(&buf, shogi.AllMoves)
	chance := rand.New(rand.NewPCG(e.seed, p.Key()^uint64(len(g.Moves()))))
	return play.Choice{Move: all[chance.IntN(len(all))], Nodes: uint64(len(all))}
}

// makers returns Config.NewEngine for engines that search so.
func makers(search func(context.Context, *shogi.Game, play.Limits) play.Choice) func(
	string, uint64) (play.Engine, error) {
	return func(level string, seed uint64) (play.Engine, error) {
		return &fakeEngine{level: level, seed: seed, search: search}, nil
	}
}

// known are the choices of a search of 50,000 nodes for the positions of the examples.
var known = map[string]play.Choice{
	"lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2": {
		Line: moves("5a4b", "5i4h", "4b3b", "4h3h", "8b4b"), Score: 20, Depth: 12, Nodes: 50_000},
	"9/4k4/9/4P4/9/9/9/9/4K4 b 2G2r2b2g4s4n4l17p 1": {Line: moves("G*5c", "5b4a", "G*4b"),
		Score: play.MateIn(3), Depth: 3, Nodes: 2698, Verified: true},
	"4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1": {Line: moves("G*5b"),
		Score: play.MateIn(1), Depth: 1, Nodes: 91},
	"7R1/9/8k/8p/5R3/9/9/9/9 w 2b4g4s4n4l17p 1": {Line: moves("B*5d", "2a1a+", "G*1b"),
		Score: 8295, Depth: 6, Nodes: 5000},
	"+P+P+P+PK+P+P+P+P/+P+P7/9/9/9/9/9/9/4k4 b 2R2B 256": {Line: moves("5a5b"),
		Score: play.MateIn(1), Depth: 1, Nodes: 1, Declares: true},
}

// knownOrChance makes the engines of the examples.
func knownOrChance(level string, seed uint64) (play.Engine, error) {
	if level == "random" {
		return &fakeEngine{level: level, seed: seed}, nil
	}
	return makers(func(_ context.Context, g *shogi.Game, _ play.Limits) play.Choice {
		p := g.Position()
		c, ok := known[p.SFEN()]
		if !ok {
			panic("no choice is known in " + p.SFEN())
		}
		c.Move = c.Line[0]
		return c
	})(level, seed)
}

// playLevels are the levels of the service in tests.
var playLevels = []string{"random", "club"}

func playServer(t testing.TB, c Config) *Server {
	t.Helper()
	c.Levels = playLevels
	if c.NewEngine == nil {
		c.NewEngine = makers(nil)
	}
	return newServer(t, c)
}

func askPlay(s *Server, body string) *httptest.ResponseRecorder {
	return do(s, "POST", "/v1/play", body, "Content-Type", jsonType)
}

func playBody(sfen, more string) string {
	return fmt.Sprintf(`{"sfen":%q,"level":"random"%s}`, sfen, more)
}

// TestPlaySameBytes: 64 equal questions at once get the same bytes, as does one alone, by POST and
// by GET, with and without a cache, whatever was asked between. Other seeds get other moves.
func TestPlaySameBytes(t *testing.T) {
	for _, cache := range []int64{-1, 1 << 20} {
		s := playServer(t, Config{CacheBytes: cache, MaxPlays: 3, PlayQueue: 1000})
		bodies := make([]string, 64)
		var all sync.WaitGroup
		for i := range bodies {
			all.Go(func() {
				seed, link := i%4, "/v1/play?sfen=startpos%20moves%207g7f&level=random&seed="
				var w *httptest.ResponseRecorder
				if i%8 < 4 {
					w = askPlay(s, playBody("startpos moves 7g7f", fmt.Sprintf(`,"seed":%d`, seed)))
				} else {
					w = do(s, "GET", link+strconv.Itoa(seed), "")
				}
				if w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				bodies[i] = w.Body.String()
			})
		}
		all.Wait()
		different := map[string]bool{}
		for i, body := range bodies {
			if body != bodies[i%4] {
				t.Errorf("seed %d: %s and %s", i%4, body, bodies[i%4])
			}
			different[body] = true
		}
		if len(different) < 2 || s.engines.used != 0 || len(s.engines.free) > 3 {
			t.Errorf("%d answers, %d engines in use, %d free", len(different), s.engines.used,
				len(s.engines.free))
		}
		if cache > 0 && metric(t, s, "tsumero_cache_requests_total", "result", "miss") > 4 {
			t.Error("equal questions were not cached")
		}
		if n := metric(t, s, "tsumero_play_answers_total", "level", "random", "outcome", ""); n != 64 {
			t.Errorf("%v answers counted", n)
		}
	}
}

// TestPlayHistory: repetition is seen in the moves, and questions that differ in anything that an
// answer depends on do not share one.
func TestPlayHistory(t *testing.T) {
	s := playServer(t, Config{CacheBytes: 1 << 20})
	const around = " 5i4h 5a4b 4h5i 4b5a"
	for _, c := range []struct {
		text, more, kind, outcome, winner string
	}{
		{"startpos", "", "opinion", "", ""},
		{"startpos moves" + around + around, "", "opinion", "", ""},
		{"startpos moves" + around + around + around, "", "outcome", "repetition", ""},
		{"4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves" + strings.Repeat(" 4i5i 5a4a 5i4i 4a5a", 3), "", "outcome",
			"perpetual", "white"},
		{"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "", "outcome", "mate", "black"},
		{"8k/9/8G/9/9/9/9/9/K6L1 w - 1", "", "outcome", "nomove", "black"},
		{"8k/9/9/7P1/9/9/9/9/K8 b 2G 257", `,"rules":{"max_moves":256}`, "outcome", "limit", ""},
		{"8k/9/9/7P1/9/9/9/9/K8 b 2G 257", "", "opinion", "", ""},
		{"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 257", `,"rules":{"max_moves":256}`, "outcome", "mate", "black"},
		{"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 257", `,"rules":{"max_moves":256,"last_move":"mate_draws"}`,
			"outcome", "limit", ""},
	} {
		w := askPlay(s, playBody(c.text, c.more))
		a := parse[wire.PlayAnswer](t, w.Body.Bytes())
		if w.Code != http.StatusOK || a.Kind != c.kind || a.Outcome != c.outcome || a.Winner != c.winner ||
			(a.Move == "") != (c.kind == "outcome") {
			t.Errorf("%s %s: %s", c.text, c.more, w.Body)
		}
	}
	if n := metric(t, s, "tsumero_play_answers_total", "outcome", "mate"); n != 2 {
		t.Errorf("%v mates counted", n)
	}
}

// TestPlayLimits: what an engine is asked, and with which limits.
func TestPlayLimits(t *testing.T) {
	var got play.Limits
	s := playServer(t, Config{CacheBytes: -1, MaxPlayNodes: 60_000, NewEngine: makers(
		func(_ context.Context, g *shogi.Game, lim play.Limits) play.Choice {
			got = lim
			return play.Choice{Move: moves("7g7f")[0]}
		})})
	for _, c := range []struct {
		more string
		want play.Limits
	}{
		{"", play.Limits{Nodes: 50_000}},
		{`,"limits":{"nodes":60000,"depth":64}`, play.Limits{Nodes: 60_000, Depth: 64}},
		{`,"rules":{"max_moves":512,"last_move":"extend_checks","entering_king":"none"}`,
			play.Limits{Nodes: 50_000, Rules: play.Rules{MaxMoves: 512, LastMove: play.ExtendChecks,
				EnteringKing: shogi.NoEnteringKing}}},
		{`,"rules":{"last_move":"mate_draws","entering_king":"csa_27"}`,
			play.Limits{Nodes: 50_000, Rules: play.Rules{LastMove: play.MateDraws}}},
	} {
		w := askPlay(s, playBody("startpos", c.more))
		if fmt.Sprint(got) != fmt.Sprint(c.want) || w.Code != http.StatusOK {
			t.Errorf("%s: %+v, want %+v; %s", c.more, got, c.want, w.Body)
		}
	}
	long := "startpos moves" + strings.Repeat(" 2h3h 8b7b 3h2h 7b8b", wire.MaxPlayMoves/4)
	for _, c := range []struct{ more, location string }{
		{playBody("startpos", `,"limits":{"nodes":60001}`), "body.limits.nodes"},
		{playBody("startpos", `,"limits":{"depth":65}`), "body.limits.depth"},
		{playBody("startpos", `,"limits":{"time_ms":1000}`), "body.limits.time_ms"},
		{playBody("startpos", `,"seed":-1`), "body.seed"},
		{playBody("startpos", `,"seed":9007199254740992`), "body.seed"},
		{playBody("startpos", `,"rules":{"max_moves":10000}`), "body.rules.max_moves"},
		{playBody("startpos", `,"rules":{"last_move":"mate"}`), "body.rules.last_move"},
		{`{"sfen":"startpos","level":"full"}`, "body.level"},
		{`{"sfen":"startpos"}`, "body"},
		{playBody("9/9/9/9/9/9/9/9/9 b P 1", ""), "body.sfen"},
		{playBody("startpos moves 7g7e", ""), "body.sfen"},
		{playBody(long+" 7g7f", ""), "body.sfen"},
	} {
		p := wantProblem(t, askPlay(s, c.more), wire.InvalidQuestion)
		if len(p.Errors) != 1 || p.Errors[0].Location != c.location {
			t.Errorf("%.100s: %+v", c.more, p.Errors)
		}
	}
	if w := askPlay(s, playBody(long, "")); !strings.Contains(w.Body.String(), "repetition") {
		t.Errorf("%s", w.Body)
	}
}

// TestPlayAnswer: what is told of a choice.
func TestPlayAnswer(t *testing.T) {
	var c play.Choice
	s := playServer(t, Config{CacheBytes: -1, NewEngine: makers(
		func(context.Context, *shogi.Game, play.Limits) play.Choice { return c })})
	const rest = `"sfen_after":"lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",`
	const head = `{"sfen":"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",` +
		`"level":"random","kind":"opinion","move":"7g7f","move_ja":"▲７六歩","move_en":"P-7f",` + rest
	first := moves("7g7f")[0]
	for _, one := range []struct {
		choice play.Choice
		want   string
	}{
		{play.Choice{Move: first, Nodes: 30}, head + `"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"nodes":30}`},
		{play.Choice{Move: first, Score: -120, Depth: 2, Line: moves("7g7f", "3c3d")},
			head + `"score":{"cp":-120},"line":["7g7f","3c3d"],"line_ja":["▲７六歩","△３四歩"],"line_en":["P-7f","P-3d"],"depth":2,"nodes":0}`},
		{play.Choice{Move: first, Score: play.MatedIn(4), Depth: 5, Verified: true},
			head + `"score":{"mate":-4},"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"depth":5,"nodes":0}`},
		{play.Choice{Move: first, Score: play.MateIn(5), Depth: 5, Verified: true}, head +
			`"score":{"mate":5},"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"mate":{"plies":5,"verified":true},"depth":5,"nodes":0}`},
		{play.Choice{Move: first, Score: play.MateIn(5), Depth: 5}, head +
			`"score":{"mate":5},"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"depth":5,"nodes":0}`},
		// A line that goes wrong is told as far as it is one, and one of another move not at all.
		{play.Choice{Move: first, Line: moves("7g7f", "7f7e", "3c3d")},
			head + `"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"nodes":0}`},
		{play.Choice{Move: first, Line: moves("2g2f", "3c3d")},
			head + `"line":["7g7f"],"line_ja":["▲７六歩"],"line_en":["P-7f"],"nodes":0}`},
	} {
		c = one.choice
		if got := strings.TrimSpace(askPlay(s, playBody("startpos", "")).Body.String()); got != one.want {
			t.Errorf("got  %s\nwant %s", got, one.want)
		}
	}
}

// TestPlayLink: an answer to GET may be kept for a day, and has a tag.
func TestPlayLink(t *testing.T) {
	s := playServer(t, Config{CacheBytes: 1 << 20})
	const target = "/v1/play?sfen=startpos&level=random&max_moves=512&nodes=10&depth=1"
	w := do(s, "GET", target, "")
	h := w.Header()
	if w.Code != http.StatusOK || h.Get("Cache-Control") != "public, max-age=86400" || h.Get("ETag") == "" ||
		!strings.HasPrefix(h.Get("Server-Timing"), "search;dur=") || h.Get("Content-Type") != jsonType {
		t.Errorf("%d %v", w.Code, h)
	}
	again := do(s, "GET", target, "", "If-None-Match", h.Get("ETag"))
	if again.Code != http.StatusNotModified || again.Body.Len() > 0 ||
		again.Header().Get("Server-Timing") != `cache;desc="hit"` {
		t.Errorf("%d %v", again.Code, again.Header())
	}
	w = askPlay(s, playBody("startpos", ""))
	if h := w.Header(); h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
		t.Errorf("POST: %v", h)
	}
	p := wantProblem(t, do(s, "GET", "/v1/play?sfen=startpos&level=random&time_ms=1", ""),
		wire.InvalidQuestion)
	if len(p.Errors) != 1 || p.Errors[0].Location != "query.time_ms" {
		t.Errorf("%+v", p)
	}
}

// waiting returns a search that says when it begins, and goes on until its context ends.
func waiting() (search func(context.Context, *shogi.Game, play.Limits) play.Choice, began chan int) {
	began = make(chan int, 100)
	return func(ctx context.Context, g *shogi.Game, _ play.Limits) play.Choice {
		began <- 1
		<-ctx.Done()
		p := g.Position()
		var buf shogi.MoveBuffer
		return play.Choice{Move: p.LegalMoves(&buf, shogi.AllMoves)[0]}
	}, began
}

// TestPlayLeave: equal questions share a search, which the last client that goes away ends. Nothing
// of it is an answer to anybody, or kept.
func TestPlayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search, began := waiting()
		s := playServer(t, Config{NewEngine: makers(search)})
		ask := func() *httptest.ResponseRecorder {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return doContext(ctx, s, "POST", "/v1/play", playBody("startpos", ""), "Content-Type", jsonType)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if w := ask(); w.Body.Len() > 0 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		both.Wait()
		ask()
		if len(began) != 2 {
			t.Errorf("%d searches, want 2", len(began))
		}
		if n := metric(t, s, "tsumero_http_requests_total", "code", "499"); n != 3 {
			t.Errorf("%v requests of clients that are gone", n)
		}
		if metric(t, s, "tsumero_searches_in_flight") != 0 || s.engines.used != 0 {
			t.Error("a search goes on")
		}
	})
}

// TestPlayEnd: a search that takes far too long has no answer, nor has one that the end of the
// service cuts off.
func TestPlayEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search, _ := waiting()
		s := playServer(t, Config{NewEngine: makers(search)})
		w := askPlay(s, playBody("startpos", ""))
		wantProblem(t, w, wire.Overloaded)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errEnding) })
		w = doContext(ctx, s, "GET", "/v1/play?sfen=startpos&level=random", "")
		wantProblem(t, w, wire.ShuttingDown)
	})
}

// TestPlaySlots: searches for moves have slots of their own, and what does not fit is refused.
func TestPlaySlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search, began := waiting()
		s := playServer(t, Config{NewEngine: makers(search), MaxPlays: 2, PlayQueue: 1,
			PlayWait: time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				_, _, err := s.scheduler.Ask(ctx, playQuestion(t, s, uint64(i)))
				if err == nil {
					t.Error("an answer")
				}
			})
		}
		synctest.Wait()
		if n := metric(t, s, "tsumero_searches_in_flight", "pool", "play"); n != 2 || len(began) != 2 {
			t.Fatalf("%v searches run, %d began", n, len(began))
		}
		if w := post(s, mateIn1); w.Code != http.StatusOK {
			t.Errorf("a search for a mate: %d", w.Code)
		}
		p := wantProblem(t, askPlay(s, playBody("startpos", `,"seed":7`)), wire.Overloaded)
		if p.Detail != "All slots for play are taken." {
			t.Errorf("%s", p.Detail)
		}
		if metric(t, s, "tsumero_refused_total", "reason", "play") != 1 {
			t.Error("it was not counted")
		}
		cancel()
		all.Wait()
	})
}

// playQuestion returns a question that is nobody else's.
func playQuestion(t testing.TB, s *Server, seed uint64) *sched.Question {
	var q wire.PlayQuestion
	if p := s.requests.Play([]byte(playBody("startpos", fmt.Sprintf(`,"seed":%d`, 1000+seed))), &q); p != nil {
		t.Fatal(p)
	}
	return &sched.Question{Position: q.Game.Position(), SFEN: shogi.StartSFEN, Time: time.Hour,
		Task: s.plays, Variant: playVariant(&q), Detail: &q, Client: &sched.Client{}}
}

// TestPlayBug: an engine that fails, panics or plays what is no move gets a 500, and is not used
// again.
func TestPlayBug(t *testing.T) {
	for name, engine := range map[string]func(string, uint64) (play.Engine, error){
		"fails": func(string, uint64) (play.Engine, error) { return nil, errors.New("as asked") },
		"panics": makers(func(context.Context, *shogi.Game, play.Limits) play.Choice {
			panic("as asked")
		}),
		"plays no move": makers(func(context.Context, *shogi.Game, play.Limits) play.Choice {
			return play.Choice{}
		}),
		"plays badly": makers(func(context.Context, *shogi.Game, play.Limits) play.Choice {
			return play.Choice{Move: moves("7g7e")[0]}
		}),
	} {
		s := playServer(t, Config{NewEngine: engine})
		wantProblem(t, askPlay(s, playBody("startpos", "")), wire.InternalError)
		if s.engines.used != 0 || metric(t, s, "tsumero_searches_in_flight") != 0 {
			t.Errorf("%s: a slot is lost", name)
		}
		if name != "plays no move" && name != "plays badly" && len(s.engines.free) > 0 {
			t.Errorf("%s: the engine is kept", name)
		}
	}
}

// TestEnginePool: engines are used again by whoever asks for the same, and never more are there
// than run at once.
func TestEnginePool(t *testing.T) {
	made := 0
	p := &enginePool{capacity: 2, make: func(level string, seed uint64) (play.Engine, error) {
		made++
		return &fakeEngine{level: level, seed: seed}, nil
	}}
	take := func(level string, seed uint64) freeEngine {
		e, err := p.take(level, seed)
		if fake := e.engine.(*fakeEngine); err != nil || fake.level != level || fake.seed != seed {
			t.Errorf("%+v, %v", e, err)
		}
		if p.used+len(p.free) > 2 {
			t.Errorf("%d in use, %d free", p.used, len(p.free))
		}
		return e
	}
	a, b := take("club", 0), take("random", 1)
	p.done(a)
	p.done(b)
	if again := take("club", 0); again != a || made != 2 {
		t.Errorf("%d engines made", made)
	}
	c := take("random", 2)
	p.done(a)
	p.done(c)
	if take("random", 1); made != 4 {
		t.Errorf("%d engines made", made)
	}
}
