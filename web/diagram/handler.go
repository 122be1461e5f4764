package diagram

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/tsumero/tsumero/api/httpheader"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
)

// Handler returns the handler of GET and HEAD for every path that ends in .svg, .png or .gif: a
// diagram of the query
//
//	sfen    a position as shogi.ParsePosition reads it, moves included; required
//	size    the width in pixels from MinWidth to MaxWidth, or 1200x630 for a card
//	lang    ja or en
//	last    the move to mark, as USI writes it; if sfen has moves, the last of them
//	title   one line of at most MaxTitle characters
//	flip    true for White at the bottom, or false
//	theme   light, dark or print
//	plies   the length of the problem, which a card prints, from 1 to MaxPlies
//	pieces  kanji or international
//	hands   show, or hide for the attacker's hand alone and no word of whose turn it is
//
// or, for .gif, an Animation, with the same parameters but last and plies, and with
//
//	moves   the moves that are shown, as USI writes them, after those of sfen
//	delay   milliseconds that each is seen
//	loop    how often it is shown, 0 for ever
//
// Of the parameters every one but sfen may be missing, and none may come twice. What is usually
// added to get past a cache or to count readers (v, t, ts, _, cb, utm_source and the like) is
// ignored; there are no others. Wrong ones are answered with a problem of RFC 9457 that lists each
// fault.
//
// A picture never changes, and any page may show it: answers may be kept for a year, embedded
// across origins and read by scripts.
//
// turns calls draw once it is the turn of who asks for a picture, which moves or not, or returns why
// that is refused. If ctx ends before, it may do neither. nil: everything is drawn at once.
func Handler(turns func(ctx context.Context, moves bool, draw func()) *wire.Problem) http.Handler {
	if turns == nil {
		turns = func(_ context.Context, _ bool, draw func()) *wire.Problem {
			draw()
			return nil
		}
	}
	return &handler{turns}
}

type handler struct {
	turns func(ctx context.Context, moves bool, draw func()) *wire.Problem
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = nosniff
	header["Access-Control-Allow-Origin"] = anyOrigin
	header["Cross-Origin-Resource-Policy"] = crossOrigin
	f, ok := formatOf(r.URL.Path)
	switch {
	case !ok:
		writeProblem(w, wire.NewProblem(wire.NotFound, noFormat))
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD")
		writeProblem(w, wire.NewProblem(wire.MethodNotAllowed, onlyGet))
		return
	case len(r.URL.RawQuery) > maxQuery:
		writeProblem(w, wire.NewProblem(wire.URITooLong, queryExceeds, maxQuery))
		return
	}
	q, faults := parseQuery(r.URL.RawQuery, f)
	if len(faults) > 0 {
		writeProblem(w, wire.Invalid(faults))
		return
	}

	tag := []string{q.etag()}
	if httpheader.MatchesETag(r.Header.Get("If-None-Match"), tag[0]) {
		header["Etag"], header["Cache-Control"] = tag, immutable
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	var err error
	p := h.turns(r.Context(), f == gifFormat, func() { err = q.draw(r.Context(), body) })
	switch {
	case p != nil:
		writeProblem(w, p)
		return
	case r.Context().Err() != nil:
		return // nobody waits for the answer
	case err != nil:
		panic(err) // all options were looked at
	}
	header["Etag"], header["Cache-Control"] = tag, immutable
	header["Content-Type"] = types[f]
	if f == svgFormat {
		header["Content-Security-Policy"] = nothingElse
	}
	header["Content-Length"] = []string{strconv.Itoa(body.Len())}
	if r.Method == http.MethodGet {
		_, _ = w.Write(body.Bytes()) // a client that is gone needs no picture
	}
}

// Values of headers, which net/http only reads.
var (
	nosniff     = []string{"nosniff"}
	anyOrigin   = []string{"*"}
	crossOrigin = []string{"cross-origin"}
	immutable   = []string{"public, max-age=31536000, immutable"}
	types       = [...][]string{svgFormat: {"image/svg+xml"}, pngFormat: {"image/png"}, gifFormat: {"image/gif"}}
	nothingElse = []string{"default-src 'none'"} // an SVG can be opened as a page
)

// bodies are the buffers of finished pictures.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (q *request) draw(ctx context.Context, body *bytes.Buffer) error {
	if q.format == gifFormat {
		return q.animation().AppendGIF(ctx, body)
	}
	d, err := Draw(&q.position, q.options)
	if err != nil {
		return err
	}
	if q.format == pngFormat {
		return d.WritePNG(body)
	}
	body.Write(d.AppendSVG(body.AvailableBuffer()))
	return nil
}

// etag returns a name for the picture that can be told without drawing it.
func (q *request) etag() string {
	text := make([]byte, 0, 256)
	text = append(text, drawingVersion()...)
	if q.format == gifFormat {
		text = q.start.AppendSFEN(text)
		text = fmt.Appendf(text, " %d %d %v", q.moves, q.loops, q.delay)
	} else {
		text = q.position.AppendSFEN(text)
	}
	o := &q.options
	text = fmt.Appendf(text, " %d %d %t %d %d %t %d %d %d %d ",
		q.format, o.Width, o.Card, o.Lang, o.Theme, o.Flip, o.Last, o.Plies, o.Pieces, o.Hands)
	text = append(text, o.Title...)
	return httpheader.ETag(text)
}

// drawingVersion returns a hash of pictures that have a bit of everything: it changes when the way
// to draw does, and with the Go whose library writes PNG.
var drawingVersion = sync.OnceValue(func() string {
	p := shogi.MustParseSFEN("4k4/1r5b1/+p+l+n+s+r+b+PSN/L8/P8/9/9/9/4K4 b G2Pgsnl10p 1")
	last := shogi.NewMove(shogi.SquareAt(shogi.File8, shogi.RankD), shogi.SquareAt(shogi.File8, shogi.RankB))
	hash := sha256.New()
	hash.Write([]byte(runtime.Version()))
	for _, o := range []Options{
		{Title: "「Tsumero」、第1番"},
		{Last: last, Theme: Dark, Lang: English, Flip: true, Title: strings.Repeat("long title ", 7)},
		{Last: last, Theme: Print, Card: true, Title: strings.Repeat("詰将棋", 20)},
		{Card: true, Lang: English, Plies: 3},
		{Pieces: International, Hands: AttackerHand},
	} {
		d, err := Draw(&p, o)
		if err != nil {
			panic(err)
		}
		hash.Write(d.AppendSVG(nil))
	}
	var line bytes.Buffer
	a := Animation{Start: shogi.Start(), Options: Options{Width: MinWidth}, Moves: []shogi.Move{
		shogi.NewMove(shogi.SquareAt(shogi.File7, shogi.RankG), shogi.SquareAt(shogi.File7, shogi.RankF))}}
	if err := a.AppendGIF(context.Background(), &line); err != nil {
		panic(err)
	}
	hash.Write(line.Bytes())
	return string(hash.Sum(nil))
})
