package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/match"
	"github.com/tsumero/tsumero/solver/lab/usiclient"
	"github.com/tsumero/tsumero/solver/play"
	"github.com/tsumero/tsumero/solver/play/eval"
	"github.com/tsumero/tsumero/solver/play/levels"
)

// A playerSpec is a player as it was asked for.
type playerSpec struct {
	text    string
	level   string // "" for a program
	options levels.Options
	program usiclient.Options
}

// String returns what was asked for, with the options of a program.
func (p *playerSpec) String() string {
	text := p.text
	for _, o := range p.program.Options {
		text += fmt.Sprintf(" %s=%s", o.Name, o.Value)
	}
	return text
}

// isUnbounded reports whether the player may think without end if nothing limits it.
func (p *playerSpec) isUnbounded() bool {
	return p.level == "" || p.options.Nodes == 0 && slices.ContainsFunc(levels.All(), func(l levels.Level) bool {
		return l.Name == p.level && l.IsUnbounded
	})
}

// open makes the player.
func (p *playerSpec) open(ctx context.Context, rules []usiclient.Option) (match.Player, error) {
	if p.level == "" {
		o := p.program
		o.Wishes = rules
		client, err := usiclient.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		return client, nil
	}
	newEngine := func(seed uint64) (play.Engine, error) {
		o := p.options
		o.Seed ^= seed
		return levels.New(p.level, o)
	}
	return match.Engine(newEngine, moveBudget), nil
}

// inProcess is what may pass between the clock of a match and an engine of this process: there is
// no network, but other programs want the processors too.
var inProcess = play.ClockOptions{NetworkDelay: 10 * time.Millisecond,
	NetworkDelay2: 30 * time.Millisecond}

// moveBudget divides a clock.
func moveBudget(g *shogi.Game, t *match.Turn) play.Budget {
	var b play.Budget
	if t.HasClock() {
		p := g.Position()
		b = play.Clock{Main: t.Left[p.SideToMove()], Byoyomi: t.Byoyomi, Inc: t.Increment}.
			Budget(p.Ply(), t.Rules.MaxMoves, inProcess)
	}
	if fixed := play.FixedBudget(t.MoveTime); t.MoveTime > 0 && (b.Hard == 0 || fixed.Hard < b.Hard) {
		b = play.Budget{Soft: min(cmp.Or(b.Soft, fixed.Soft), fixed.Soft), Hard: fixed.Hard}
	}
	return b
}

// openingNodes are what the search has that says whether an opening is fair.
const openingNodes = 300

// balanced returns a function that says whether a short search values a game at no more than so
// many centipawns for either side. It says the same each time.
func balanced(most int) func(g *shogi.Game) bool {
	engines := sync.Pool{New: func() any {
		e, err := levels.New("club", levels.Options{TableBytes: 1 << 18, Nodes: openingNodes})
		if err != nil {
			panic(err) // there is no such level any more
		}
		return e
	}}
	return func(g *shogi.Game) bool {
		e := engines.Get().(play.Engine)
		defer engines.Put(e)
		e.NewGame()
		score := e.Search(context.Background(), g, play.Limits{Nodes: openingNodes}, nil).Score
		return max(score, -score) <= play.Score(most)
	}
}

// parsePlayer reads level:NAME,option=value… or usi:COMMAND.
func parsePlayer(text string) (playerSpec, error) {
	p := playerSpec{text: text}
	kind, rest, _ := strings.Cut(text, ":")
	switch {
	case rest == "":
	case kind == "usi":
		// A path may have blanks in it; otherwise they separate arguments.
		if _, err := os.Stat(rest); err == nil {
			p.program.Command = []string{rest}
		} else {
			p.program.Command = strings.Fields(rest)
		}
		return p, nil
	case kind == "level":
		parts := strings.Split(rest, ",")
		p.level = parts[0]
		if names := levels.Names(); !slices.Contains(names, p.level) {
			return p, fmt.Errorf("there is no level %q; the levels are %s", p.level,
				strings.Join(names, ", "))
		}
		for _, part := range parts[1:] {
			if err := p.setLevelOption(part); err != nil {
				return p, fmt.Errorf("%s: %w", text, err)
			}
		}
		return p, nil
	}
	return p, fmt.Errorf("%q is no player: expected level:NAME or usi:COMMAND", text)
}

func (p *playerSpec) setLevelOption(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is no option: expected NAME=VALUE", text)
	}
	var err error
	switch name {
	case "nodes":
		p.options.Nodes, err = strconv.ParseUint(value, 10, 63)
	case "seed":
		p.options.Seed, err = strconv.ParseUint(value, 10, 64)
	case "threads":
		p.options.Threads, err = strconv.Atoi(value)
		if err == nil && (p.options.Threads < 1 || p.options.Threads > command.MaxThreads) {
			err = fmt.Errorf("threads must be 1 to %d", command.MaxThreads)
		}
	case "table":
		var size cli.Size
		err = size.Set(value)
		if err == nil && (size < 1<<10 || size > command.MaxMemory()) {
			err = fmt.Errorf("table must be 1KiB to %v, which is all there is", command.MaxMemory())
		}
		p.options.TableBytes = int(size)
	case "spread":
		p.options.Spread, err = strconv.Atoi(value)
		if err == nil && (p.options.Spread < 0 || p.options.Spread > play.MaxSpread) {
			err = fmt.Errorf("spread must be 0 to %d", play.MaxSpread)
		}
	case "sees":
		p.options.Sees, err = strconv.Atoi(value)
		if err == nil && (p.options.Sees < 1 || p.options.Sees > 99) {
			err = errors.New("sees must be 1 to 99")
		}
	case "net":
		p.options.Net, err = eval.ReadNet(value)
	default:
		return fmt.Errorf("there is no option %q: expected nodes, sees, seed, spread, table, threads or net", name)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", name, value, err)
	}
	return nil
}

// setOptions gives the programs their options.
func (p *matchPlan) setOptions(options []string) error {
	var faults []error
	for _, text := range options {
		who, rest, _ := strings.Cut(text, ":")
		name, value, _ := strings.Cut(rest, "=")
		i := slices.Index([]string{"A", "B"}, who)
		switch {
		case i < 0 || name == "":
			faults = append(faults, fmt.Errorf("--option is %q, but must be A:NAME=VALUE or B:NAME=VALUE",
				text))
		case p.players[i].level != "":
			faults = append(faults, fmt.Errorf("--option %s: %s is a level, whose options stand after its "+
				"name", text, who))
		default:
			program := &p.players[i].program
			program.Options = append(program.Options, usiclient.Option{Name: name, Value: value})
		}
	}
	return errors.Join(faults...)
}

// The limits of a move, by their flags.
const (
	limitNodes = iota
	limitDepth
	limitMoveTime
	limitByoyomi
	limitTime
	numLimits
)

// limitFlags read a value of each flag.
var limitFlags = [numLimits]struct {
	name string
	set  func(c *match.Control, value string) error
}{
	limitNodes: {"nodes", func(c *match.Control, value string) (err error) {
		c.Nodes, err = strconv.ParseUint(value, 10, 63)
		return positive(c.Nodes > 0, err, "a number of positions such as 5000")
	}},
	limitDepth: {"depth", func(c *match.Control, value string) (err error) {
		c.Depth, err = strconv.Atoi(value)
		return positive(c.Depth > 0 && c.Depth < 1000, err, "a number of plies such as 3")
	}},
	limitMoveTime: {"movetime", func(c *match.Control, value string) (err error) {
		c.MoveTime, err = time.ParseDuration(value)
		return positive(inClock(c.MoveTime), err, "a time such as 100ms")
	}},
	limitByoyomi: {"byoyomi", func(c *match.Control, value string) (err error) {
		c.Byoyomi, err = time.ParseDuration(value)
		return positive(inClock(c.Byoyomi), err, "a time such as 100ms")
	}},
	limitTime: {"time", func(c *match.Control, value string) error {
		main, increment, _ := strings.Cut(value, "+")
		var err error
		if c.Main, err = parseSeconds(main); err == nil && increment != "" {
			c.Increment, err = parseSeconds(increment)
		}
		ok := c.Main+c.Increment > 0
		for _, d := range []time.Duration{c.Main, c.Increment} {
			ok = ok && (d == 0 || inClock(d))
		}
		return positive(ok, err, "seconds for the game and for each move such as 10+0.1")
	}},
}

// inClock reports whether a clock may show so much.
func inClock(d time.Duration) bool { return d >= time.Millisecond && d <= 100*time.Hour }

func positive(ok bool, err error, what string) error {
	if err != nil || !ok {
		return fmt.Errorf("must be %s", what)
	}
	return nil
}

// parseSeconds reads a duration; without a unit it is in seconds.
func parseSeconds(text string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	return time.ParseDuration(text)
}

// parseLimits reads the limits of both players.
func parseLimits(values [numLimits]string) (limits [2]match.Control, err error) {
	var faults []error
	for i, value := range values {
		if value == "" {
			continue
		}
		flag := limitFlags[i]
		for part := range strings.SplitSeq(value, ",") {
			players := []int{0, 1}
			switch who, one, ok := strings.Cut(part, "="); {
			case ok && who == "A":
				players, part = players[:1], one
			case ok && who == "B":
				players, part = players[1:], one
			}
			for _, player := range players {
				if err := flag.set(&limits[player], part); err != nil {
					faults = append(faults, fmt.Errorf("--%s is %q, but %w, or A=…,B=…", flag.name, value,
						err))
					break
				}
			}
		}
	}
	return limits, errors.Join(faults...)
}

// limitText returns the limits of a player in words.
func limitText(c *match.Control) string {
	var parts []string
	add := func(has bool, format string, values ...any) {
		if has {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(c.Nodes > 0, "%d nodes", c.Nodes)
	add(c.Depth > 0, "depth %d", c.Depth)
	add(c.MoveTime > 0, "%v a move", c.MoveTime)
	add(c.Main > 0 || c.Increment > 0, "%v+%v", c.Main, c.Increment)
	add(c.Byoyomi > 0, "byoyomi %v", c.Byoyomi)
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

func parseSPRT(text string) (*match.SPRT, error) {
	low, high, ok := strings.Cut(text, ",")
	elo0, err0 := strconv.ParseFloat(low, 64)
	elo1, err1 := strconv.ParseFloat(high, 64)
	if !ok || err0 != nil || err1 != nil || !(elo0 < elo1) || elo0 < -1000 || elo1 > 1000 {
		return nil, fmt.Errorf("--sprt is %q, but must be two differences of Elo, the smaller first, "+
			"such as 0,5", text)
	}
	return &match.SPRT{Elo0: elo0, Elo1: elo1}, nil
}

func parsePlies(text string) (least, most int, err error) {
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		high = low
	}
	least, err0 := strconv.Atoi(low)
	most, err1 := strconv.Atoi(high)
	if err0 != nil || err1 != nil || least < 0 || most < least || most > maxOpening {
		return 0, 0, fmt.Errorf("--opening-plies is %q, but must be one number of moves or two such as "+
			"6-8, up to %d", text, maxOpening)
	}
	return least, most, nil
}
