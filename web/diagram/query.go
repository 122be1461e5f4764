package diagram

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/sfenurl"
)

// maxQuery is the longest query in bytes. A position in full, escaped, has some 400, and a title at
// most some 1,000; the rest is for moves.
const maxQuery = 8 << 10

// parameterNames are the parameters, in the order of the documentation.
var parameterNames = [parameters]string{"sfen", "moves", "delay", "loop", "size", "lang", "last",
	"title", "flip", "theme", "plies", "pieces", "hands"}

// Their places in parameterNames.
const (
	sfenParameter = iota
	movesParameter
	delayParameter
	loopParameter
	sizeParameter
	langParameter
	lastParameter
	titleParameter
	flipParameter
	themeParameter
	pliesParameter
	piecesParameter
	handsParameter
	parameters // how many there are
)

// isParameter reports whether a parameter is one of a format. Only animations have moves, and only
// they have neither a last one to mark nor a card.
func (f format) isParameter(i int) bool {
	switch i {
	case movesParameter, delayParameter, loopParameter:
		return f == gifFormat
	case lastParameter, pliesParameter:
		return f != gifFormat
	}
	return true
}

// A request is what is asked for, as far as it shows: equal pictures have equal requests.
type request struct {
	position shogi.Position // of an animation, the last one
	options  Options
	format   format

	start shogi.Position // of an animation
	moves []shogi.Move
	delay time.Duration
	loops int
}

// A format is one of files.
type format uint8

const (
	svgFormat format = iota
	pngFormat
	gifFormat
)

// formatOf returns the format of a path by its ending.
func formatOf(path string) (f format, ok bool) {
	f = format(slices.Index([]string{".svg", ".png", ".gif"}, path[max(0, len(path)-4):]))
	return f, f <= gifFormat
}

// additions are the parameters that sites, link shorteners and mail programs add to the addresses of
// pictures, to get past a cache or to count readers.
var additions = []string{"_", "cache", "cachebust", "cachebuster", "cb", "fbclid", "gclid", "nocache", "rand",
	"random", "rnd", "t", "time", "timestamp", "ts", "v", "ver", "version"}

// isAddition reports whether a parameter says nothing about a picture, by its name.
func isAddition(name string) bool {
	return slices.Contains(additions, name) || strings.HasPrefix(name, "utm_")
}

// parseQuery reads a query, or returns every fault of it.
func parseQuery(query string, f format) (request, []wire.Fault) {
	var faults []wire.Fault
	badly := func(name string, m shogi.Message) {
		faults = append(faults, wire.NewFault("query."+name, m))
	}
	bad := func(name string, what *shogi.Text, args ...any) { badly(name, what.With(args...)) }
	values, seen := [parameters]string{}, [parameters]bool{}
	for name, raw := range sfenurl.Parameters(query) {
		i := slices.Index(parameterNames[:], name)
		if i >= 0 && !f.isParameter(i) {
			i = -1
		}
		switch {
		case i < 0 && isAddition(name):
			continue
		case i < 0:
			bad(clip(name), unknownParameter, strings.Join(f.parameterNames(), ", "))
			continue
		case seen[i]:
			bad(name, givenTwice)
			continue
		}
		seen[i], values[i] = true, raw
		if i == sfenParameter || i == movesParameter {
			continue // not decoded yet: see package sfenurl
		}
		value, err := url.QueryUnescape(raw)
		if err != nil {
			bad(name, sfenurl.BadEscape)
			seen[i] = false
		}
		values[i] = value
	}

	q := request{format: f}
	o := &q.options
	// option reads one of the parameters with a few values.
	option := func(i int, allowed ...string) uint8 {
		if !seen[i] {
			return 0
		}
		n := slices.Index(allowed, values[i])
		if n < 0 {
			bad(parameterNames[i], notOneOf, clip(values[i]), choices(allowed))
			return 0
		}
		return uint8(n)
	}
	positionFaults := readPosition(&q, values[sfenParameter], seen[sfenParameter])
	if len(positionFaults) == 0 && f == gifFormat {
		faults = append(faults, readMoves(&q, values[movesParameter])...)
	}
	// number reads one of those with a range.
	number := func(i int, least, most int, what *shogi.Text, limits ...any) (n int) {
		if !seen[i] {
			return 0
		}
		n, err := strconv.Atoi(values[i])
		if err != nil || n < least || n > most || values[i][0] == '+' {
			bad(parameterNames[i], what, append([]any{clip(values[i])}, limits...)...)
			return 0
		}
		return n
	}
	if size := values[sizeParameter]; seen[sizeParameter] {
		width, err := strconv.Atoi(size)
		isWidth := err == nil && width >= MinWidth && width <= MaxWidth && size[0] != '+'
		switch {
		case size == cardSize:
			o.Card = true
		case isWidth:
			o.Width = width
		default:
			bad("size", badSize, clip(size), MinWidth, MaxWidth, cardSize)
		}
	}
	o.Lang = Lang(option(langParameter, "ja", "en"))
	if seen[lastParameter] {
		if m, err := shogi.ParseMove(values[lastParameter]); err != nil {
			why, _ := shogi.MessageOf(err)
			badly("last", why)
			o.Last = shogi.NoMove
		} else {
			o.Last = m
		}
	}
	o.Title = values[titleParameter]
	o.Flip = option(flipParameter, "false", "true") == 1
	o.Theme = Theme(option(themeParameter, "light", "dark", "print"))
	o.Pieces = Pieces(option(piecesParameter, "kanji", "international"))
	o.Hands = Hands(option(handsParameter, "show", "hide"))

	o.Plies = number(pliesParameter, 1, MaxPlies, badPlies, MaxPlies)
	least, most := int(MinDelay.Milliseconds()), int(MaxDelay.Milliseconds())
	q.delay = time.Duration(number(delayParameter, least, most, badDelay, least, most)) * time.Millisecond
	q.loops = number(loopParameter, 0, MaxLoops, badLoops, MaxLoops)

	if len(positionFaults) > 0 {
		o.Last = shogi.NoMove // there is nothing to compare it with
	}
	var optionFaults []*OptionError
	if f == gifFormat {
		a := q.animation()
		optionFaults = a.complete()
		q.options, q.delay = a.Options, a.Delay
	} else {
		optionFaults = o.complete(&q.position)
	}
	for _, e := range optionFaults {
		badly(e.Option, e.Msg)
	}
	return q, append(positionFaults, faults...)
}

// animation returns what is asked for.
func (q *request) animation() Animation {
	return Animation{Start: q.start, Moves: q.moves, Options: q.options, Delay: q.delay, Loops: q.loops}
}

func (f format) parameterNames() (names []string) {
	for i, name := range parameterNames {
		if f.isParameter(i) {
			names = append(names, name)
		}
	}
	return names
}

var cardSize = fmt.Sprintf("%dx%d", CardWidth, CardHeight)

// readPosition reads the position of a query, and marks the last of the moves that come with it.
func readPosition(q *request, raw string, present bool) []wire.Fault {
	const location = "query.sfen"
	if !present {
		return []wire.Fault{wire.NewFault(location, required.With())}
	}
	game, err := sfenurl.Parse(raw)
	if err == nil {
		q.position, q.start, q.moves = game.Position(), game.Start(), game.Moves()
		if len(q.moves) > 0 && q.format != gifFormat {
			q.options.Last = q.moves[len(q.moves)-1]
		}
		return nil
	}
	return wire.PositionFaults(location, err)
}

// readMoves reads the moves that follow those of the position.
func readMoves(q *request, raw string) []wire.Fault {
	if raw == "" {
		return nil
	}
	before := sfenurl.Escape(&q.position) + "_moves_"
	game, err := sfenurl.Parse(before + raw)
	if err != nil {
		faults := wire.PositionFaults("query.moves", err)
		decoded, _ := url.PathUnescape(before) // what we have escaped
		for i := range faults {
			if at := faults[i].Offset; at != nil {
				*at = max(0, *at-len(decoded)) // in the value of the parameter
			}
		}
		return faults
	}
	q.moves = slices.Concat(q.moves, game.Moves())
	return nil
}

// clip shortens text that a stranger chose the length of, and makes it safe to show.
func clip(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s, "\ufffd")
	for i := range s {
		if i > most {
			return s[:i] + "…"
		}
	}
	return s
}

// writeProblem answers with a problem. Its id is the one the service has given the request.
func writeProblem(w http.ResponseWriter, p *wire.Problem) {
	header := w.Header()
	p.RequestID = header.Get("X-Request-Id")
	header.Set("Content-Type", wire.ProblemType)
	header.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(wire.Encode(p)) // a client that is gone needs no answer
}
