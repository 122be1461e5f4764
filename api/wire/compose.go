//go:build !board

package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/shogi/notation"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/collection"
	"github.com/tsumero/tsumero/solver/compose"
	"github.com/tsumero/tsumero/solver/theme"
)

// ComposeSemantics names what the fields of a ComposeAnswer mean and how it is found. It changes when
// the same request would get other problems.
const ComposeSemantics = "compose/1"

// A ComposeRequest says which problems a job looks for. White holds what is neither on the board nor
// in Black's hand. Hand, Captures and Helpers are -1 where they are absent.
type ComposeRequest struct {
	Method  string   `json:"method" enum:"hands,place,shape,line,repair,reverse,evolve"`
	SFEN    string   `json:"sfen,omitempty"`                          // of hands and place
	Hand    int      `json:"hand,omitempty" minimum:"0" maximum:"38"` // pieces in Black's hand, at most
	Move    []string `json:"move,omitempty" maxItems:"2"`
	Piece   string   `json:"piece,omitempty"` // of place: that is put somewhere
	List    []string `json:"list,omitempty" maxItems:"28"`
	Added   int      `json:"added,omitempty" minimum:"1" maximum:"2"`
	Free    []string `json:"free,omitempty" maxItems:"81"`
	Shape   string   `json:"shape,omitempty"` // its name, or rows of # and .
	At      string   `json:"at,omitempty" enum:"start,end"`
	Moves   string   `json:"moves,omitempty"`                           // of repair: the author's, as USI has them; of line
	Helpers int      `json:"helpers,omitempty" minimum:"0" maximum:"4"` // of line
	Reach   int      `json:"reach,omitempty" minimum:"1" maximum:"8"`   // of line
	Start   []string `json:"start,omitempty" maxItems:"20"`             // of evolve: problems
	Changes int      `json:"changes,omitempty" minimum:"1" maximum:"2"` // of repair
	Seed    uint64   `json:"seed,omitempty"`
	Parts   int      `json:"parts,omitempty" minimum:"1" maximum:"10000"`

	Plies    string   `json:"plies,omitempty"`
	Pieces   int      `json:"pieces,omitempty" minimum:"0" maximum:"38"`
	Captures int      `json:"captures,omitempty" minimum:"0" maximum:"38"`
	Strict   bool     `json:"strict,omitempty"`
	Themes   []string `json:"themes,omitempty" maxItems:"8"`
	Box      string   `json:"box,omitempty"`
	Count    int      `json:"count,omitempty" minimum:"1" maximum:"10000"`
}

// newComposeRequest returns a request without any fields.
func newComposeRequest() ComposeRequest { return ComposeRequest{Hand: -1, Captures: -1, Helpers: -1} }

// A JobComposeRequest asks for problems to be made as a job: the body of POST /v1/jobs/compose.
type JobComposeRequest struct {
	Compose  ComposeRequest `json:"compose"`
	Note     string         `json:"note,omitempty"`
	Priority string         `json:"priority,omitempty" enum:"normal,low"`
}

// A JobCompose is what a job of kind compose was asked, and how many figures it looks at, where they are
// counted.
type JobCompose struct {
	Method  string          `json:"method" enum:"hands,place,shape,line,repair,reverse,evolve"`
	Figures int             `json:"figures,omitempty" minimum:"1"`
	Request json.RawMessage `json:"request"`
}

// A ComposeAnswer is what a part of a search for problems comes to: a line of the results of a job.
type ComposeAnswer struct {
	Figures  int               `json:"figures" minimum:"0"`                         // that were looked at
	Of       int               `json:"of,omitempty" minimum:"1"`                    // of repair: that were to be
	Coverage string            `json:"coverage,omitempty" enum:"all,chosen,random"` // which these are, of all there are
	Open     int               `json:"open,omitempty" minimum:"1"`                  // not decided
	Problems []ComposedProblem `json:"problems"`
	Reason   string            `json:"reason,omitempty" enum:"limit_time,cancelled,overloaded"` // why it was cut short
	Refused  *Fault            `json:"refused,omitempty"`                                       // why there is nothing to look for
}

// A ComposedProblem is a sound problem that was made.
type ComposedProblem struct {
	SFEN        string           `json:"sfen"`
	Plies       int              `json:"plies" minimum:"1"`
	Moves       []string         `json:"moves"`
	Themes      []string         `json:"themes"`
	Strict      bool             `json:"strict"`
	Key         string           `json:"key"`
	ID          string           `json:"id"`                    // short form of the key
	Certificate string           `json:"certificate,omitempty"` // SHA-256 of that of the length
	Nearest     *NearestProblem  `json:"nearest,omitempty"`
	Changes     []ComposedChange `json:"changes,omitempty"`
	Fit         *ComposedFit     `json:"fit,omitempty"`
}

// A ComposedFit is what supports a change as a misprint.
type ComposedFit struct {
	Solves bool   `json:"solves"`
	Sound  string `json:"sound" enum:"yes,no,unknown"`
	Pieces string `json:"pieces" enum:"yes,no,unknown"`
	Told   string `json:"told" enum:"yes,no,unknown"`
	Before int    `json:"before" minimum:"0"`
	En     string `json:"en"`
	Ja     string `json:"ja"`
}

// A ComposedChange is what was changed of a problem to mend it.
type ComposedChange struct {
	Kind  string `json:"kind" enum:"moved,added,removed,replaced,hand_added,hand_removed,shifted,hand_replaced,move_replaced"`
	Piece string `json:"piece,omitempty"` // as SFEN has it, after the change
	Old   string `json:"old,omitempty"`   // before it
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
	Files int    `json:"files,omitempty"` // everything so far to the left
	Ranks int    `json:"ranks,omitempty"` // and down
	Ply   int    `json:"ply,omitempty" minimum:"1"`
	Move  string `json:"move,omitempty"`
	En    string `json:"en"`
	Ja    string `json:"ja"`
}

func newComposedChange(c *compose.Change) ComposedChange {
	m := c.Message()
	row := ComposedChange{Kind: c.Kind.String(), Files: c.Files, Ranks: c.Ranks, En: m.String(), Ja: m.Japanese()}
	if c.Piece != shogi.NoPiece {
		row.Piece = c.Piece.String()
	}
	if c.Old != shogi.NoPiece {
		row.Old = c.Old.String()
	}
	if c.Old != shogi.NoPiece && c.Kind != compose.HandReplaced {
		row.From = c.From.String()
	}
	if c.Kind == compose.MoveReplaced {
		row.Ply, row.Move = c.Ply, c.Move.String()
	}
	if c.Kind == compose.Moved || c.Kind == compose.Added {
		row.To = c.To.String()
	}
	return row
}

// A NearestProblem is the known problem that one is most like.
type NearestProblem struct {
	ID       string `json:"id"`
	Relation string `json:"relation"`
	Twin     bool   `json:"twin,omitempty"`
}

// NewComposedProblem returns a problem as it is written.
func NewComposedProblem(p *compose.Problem) *ComposedProblem {
	c := &ComposedProblem{SFEN: p.Position.ProblemSFEN(), Plies: len(p.Line),
		Moves:  append([]string{}, movetext.USILine(p.Line)...),
		Themes: append([]string{}, p.Themes...), Strict: p.Strict, Key: p.Key, ID: collection.ShortKey(p.Key),
		Certificate: p.CertificateHash()}
	for i := range p.Changes {
		c.Changes = append(c.Changes, newComposedChange(&p.Changes[i]))
	}
	if f := p.Fit; f != nil {
		m := f.Message()
		c.Fit = &ComposedFit{f.Solves, f.Sound.String(), f.Pieces.String(), f.Told.String(), f.Before, m.String(), m.Japanese()}
	}
	if n := p.Nearest; n != nil {
		c.Nearest = &NearestProblem{n.ID, n.Relation.String(), n.Twin}
	}
	return c
}

// ComposedHeading is the line above what AppendTSV writes; ChangesHeading follows it where problems
// were mended, and FitHeading that where the change is a misprint.
const (
	ComposedHeading = "# sfen\tplies\tmoves\tthemes"
	ChangesHeading  = "\tchanges"
	FitHeading      = "\tfit"
)

// AppendTSV appends the problem as a row, which is one of a collection. What was changed of it is in
// a column of its own, in that language: en or ja.
func (p *ComposedProblem) AppendTSV(b []byte, language string) []byte {
	b = fmt.Appendf(b, "%s\t%d\t%s\t%s", p.SFEN, p.Plies, strings.Join(p.Moves, " "), strings.Join(p.Themes, " "))
	for i, c := range p.Changes {
		text := c.En
		if language == "ja" {
			text = c.Ja
		}
		b = append(b, [...]string{"\t", ", "}[min(i, 1)]...)
		b = append(b, text...)
	}
	if f := p.Fit; f != nil && language == "ja" {
		b = append(append(b, '\t'), f.Ja...)
	} else if f != nil {
		b = append(append(b, '\t'), f.En...)
	}
	return append(b, '\n')
}

// A ComposeQuestion is a search for problems, understood.
type ComposeQuestion struct {
	Request  string         // as it was sent, in one line
	Position shogi.Position // of hands and place; else an empty one
	SFEN     string
	Figures  int // 0: they are tried at random
	Parts    int
	Part     int // of a line
	Count    int // problems of a part at most, 0: any
	Time     time.Duration
	search   compose.Search
	repair   *compose.RepairTally // of a repair that has begun
	begin    func(context.Context, compose.Search) (iter.Seq[compose.Problem], error)
}

// Search looks at the figures of the part with a session, which is used by nobody else.
func (q *ComposeQuestion) Search(ctx context.Context, session solver.Session) (*ComposeAnswer, error) {
	a := &ComposeAnswer{Problems: []ComposedProblem{}}
	s := q.search
	s.NewSession = func() solver.Session { return session }
	s.From, s.To = q.Part, q.Part+1
	coverage := compose.Random
	if q.Figures > 0 {
		coverage = compose.All
	}
	s.Progress = func(p compose.Progress) { a.Figures, a.Open = p.Figures, p.Outcomes[compose.Open] }
	problems, err := q.begin(ctx, s)
	if m, ok := shogi.MessageOf(err); ok && ctx.Err() == nil {
		refused := NewFault("compose", m)
		a.Refused = &refused
		return a, nil
	} else if err != nil {
		return nil, err
	}
	for p := range problems {
		a.Problems = append(a.Problems, *NewComposedProblem(&p))
		if len(a.Problems) == q.Count {
			break
		}
	}
	if t := q.repair; t != nil { // the part has looked at those of the parts before it as well
		coverage = [...]compose.Coverage{compose.All, t.Coverage}[q.Part]
		a.Figures, a.Of, a.Open = [...]int{t.Singles, t.Pairs}[q.Part], t.Of[q.Part], t.Open[q.Part]
	}
	a.Coverage = coverage.String()
	return a, nil
}

// The limits of what can be asked.
const (
	maxComposeText = 2000 // bytes of the request
	composeParts   = 200  // where there is no end
	defaultPlies   = "3-99"
)

// noMaxima says that the tags of a request have them all.
type noMaxima struct{}

// Most implements Maxima.
func (noMaxima) Most(string) (uint64, bool) { return 0, false }

var (
	composeDecoder    = NewDecoder[ComposeRequest]("compose", noMaxima{})
	jobComposeDecoder = NewDecoder[JobComposeRequest]("body", noMaxima{})
	composeLine       = NewDecoder[composePart]("line", noMaxima{})
)

// A composePart is a line of the input of a job of kind compose.
type composePart struct {
	ID   ID  `json:"id,omitempty"`
	Part int `json:"part"`
}

// ReadCompose reads a search for problems, and a line that says which part of it is wanted.
func (r *Reader) ReadCompose(request string, line []byte, q *ComposeQuestion) (ID, *Problem) {
	req := newComposeRequest()
	faults, problem := composeDecoder.Decode([]byte(request), &req)
	if problem != nil {
		return nil, problem
	}
	if faults = append(faults, q.set("compose.", &req)...); len(faults) > 0 {
		return nil, Invalid(faults)
	}
	var part composePart
	faults, problem = composeLine.Decode(line, &part)
	switch {
	case problem != nil:
		return nil, problem
	case len(faults) == 0 && part.Part >= q.Parts:
		faults = append(faults, fault("line.part", aboveMost, q.Parts-1))
	}
	if len(faults) > 0 {
		return part.ID, Invalid(faults)
	}
	q.Request, q.Part, q.Time = request, part.Part, r.Bounds.Time
	return part.ID, nil
}

// Compose reads a job that makes problems, the body of POST /v1/jobs/compose. Its lines are the parts of
// the search.
func (r *JobReader) Compose(body []byte, q *JobQuestion) *Problem {
	req := JobComposeRequest{Compose: newComposeRequest()}
	faults, problem := jobComposeDecoder.Decode(body, &req)
	if problem != nil {
		return problem
	}
	faults = append(faults, noteFaults("body.note", req.Note)...)
	var raw jsontext.Value
	_ = eachField(body, func(name, value []byte) bool { // the body is valid
		if string(name) == `"compose"` {
			raw = jsontext.Value(append([]byte(nil), value...))
		}
		return true
	})
	if raw.Compact() == nil && len(raw) > maxComposeText {
		faults = append(faults, fault("body.compose", tooManyBytes, len(raw), maxComposeText))
	}
	var asked ComposeQuestion
	if len(faults) == 0 {
		faults = asked.set("body.compose.", &req.Compose)
	}
	if len(faults) > 0 {
		return Invalid(faults)
	}
	q.Compose, q.Note, q.Low, q.Defaults = true, req.Note, req.Priority == "low", string(raw)
	for part := range asked.Parts {
		q.add(append(strconv.AppendInt([]byte(`{"part":`), int64(part), 10), "}\n"...))
	}
	return nil
}

// ReadJobCompose returns what a job of kind compose was asked, nil if this program does not know it.
func ReadJobCompose(request string) *JobCompose {
	req := newComposeRequest()
	var q ComposeQuestion
	if faults, p := composeDecoder.Decode([]byte(request), &req); p != nil || len(faults) > 0 || len(q.set("", &req)) > 0 {
		return nil
	}
	return &JobCompose{req.Method, q.Figures, json.RawMessage(request)}
}

// A composeFaults gathers what is wrong with the fields of a request.
type composeFaults struct {
	prefix string
	faults []Fault
}

func (c *composeFaults) add(bad bool, field string, what *shogi.Text, args ...any) {
	if bad {
		c.faults = append(c.faults, fault(c.prefix+field, what, args...))
	}
}

// err adds the fault that an error of package compose is.
func (c *composeFaults) err(field string, err error) {
	var space *compose.SpaceError
	switch {
	case errors.As(err, &space):
		c.add(true, field, tooManyFigures, compose.RoundFigures(space.Figures), compose.RoundFigures(compose.MaxFigures), space.Hint)
	case err != nil:
		c.faults = append(c.faults, ErrorFault(c.prefix+field, err))
	}
}

// set makes the question of a request.
func (q *ComposeQuestion) set(prefix string, req *ComposeRequest) []Fault {
	c := &composeFaults{prefix: prefix}
	s := &q.search
	method := composeMethods[req.Method]
	low, high, isRange := strings.Cut(cmp.Or(req.Plies, method.plies, defaultPlies), "-")
	if !isRange {
		high = low
	}
	var err1, err2 error
	s.Least, err1 = strconv.Atoi(low)
	s.Most, err2 = strconv.Atoi(high)
	c.add(err1 != nil || err2 != nil || s.Least < 1 || s.Least > s.Most || s.Least%2 == 0 || s.Most%2 == 0, "plies", wantPlies)
	for _, id := range req.Themes {
		c.add(theme.ByID(id) == nil, "themes", noTheme, Clip(id))
	}
	if req.Box != "" {
		box, ok := compose.ParseBox(req.Box)
		c.add(!ok, "box", wantBox)
		s.Box = box
	}
	s.MaxPieces, s.MaxHand, s.MaxCaptures, s.Strict, s.Themes = req.Pieces, req.Hand, req.Captures, req.Strict, req.Themes
	q.Count = req.Count
	for _, f := range []struct {
		name  string
		given bool
	}{{"sfen", req.SFEN != ""}, {"move", req.Move != nil}, {"piece", req.Piece != ""}, {"list", req.List != nil},
		{"added", req.Added > 0}, {"free", req.Free != nil}, {"shape", req.Shape != ""}, {"at", req.At != ""}, {"moves", req.Moves != ""}, {"changes", req.Changes > 0},
		{"helpers", req.Helpers >= 0}, {"reach", req.Reach > 0}, {"start", req.Start != nil},
		{"seed", req.Seed > 0}, {"parts", req.Parts > 0}} {
		c.add(f.given && !strings.Contains(method.fields, " "+f.name+" "), f.name, notOfMethod, req.Method)
	}
	c.add(req.Method == "line" && req.Plies != "", "plies", notOfMethod, req.Method)
	if strings.Contains(method.fields, " sfen ") {
		c.add(req.SFEN == "", "sfen", requiredField, "sfen")
		if req.SFEN != "" {
			q.position(c, req.SFEN)
		}
	} else {
		q.Position, q.SFEN = emptyDiagram, emptyDiagram.ProblemSFEN()
	}
	if len(c.faults) == 0 && method.set != nil {
		method.set(q, req, c)
	}
	return c.faults
}

func (q *ComposeQuestion) position(c *composeFaults, sfen string) {
	var asked Question
	faults := asked.SetPosition("", sfen)
	for i := range faults {
		faults[i].Location = c.prefix + "sfen"
	}
	c.faults = append(c.faults, faults...)
	q.Position, q.SFEN = asked.Position, asked.SFEN
}

// emptyDiagram stands for the diagram of a search that has none.
var emptyDiagram = shogi.MustParseSFEN("4k4/9/9/9/9/9/9/9/9 b - 1")

// A composeMethod is one of the searches of package compose.
type composeMethod struct {
	fields string // of the request that are its own, each with spaces around it
	plies  string // by default, if it is not defaultPlies
	set    func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults)
}

var composeMethods = map[string]composeMethod{
	"hands": {" sfen ", "", func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.HandsOptions{Position: q.Position, Pieces: req.Hand}
		if req.Hand < 0 {
			o.Pieces = 3
		}
		q.search.MaxHand = o.Pieces
		var err error
		q.Figures, err = o.Count()
		c.err("sfen", err)
		q.Parts = o.Parts(q.Figures)
		q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
			o.Search = s
			return compose.Hands(ctx, o)
		}
	}},
	"place": {" sfen move piece list added free ", "", func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.PlaceOptions{Search: q.search, Position: q.Position, Added: max(req.Added, 1)}
		list := req.List
		if req.Piece != "" {
			list = append([]string{req.Piece}, list...)
		}
		for _, text := range list {
			pc, ok := compose.ParsePiece(text)
			c.add(!ok, "list", wantPiece, Clip(text))
			o.Pieces = append(o.Pieces, pc)
		}
		for _, text := range req.Move {
			sq, err := shogi.ParseSquare(text)
			c.add(err != nil, "move", wantSquare, Clip(text))
			o.Moved = append(o.Moved, sq)
		}
		for _, text := range req.Free {
			sq, err := shogi.ParseSquare(text)
			c.add(err != nil, "free", wantSquare, Clip(text))
			if err == nil {
				o.Squares = o.Squares.With(sq)
			}
		}
		if len(c.faults) > 0 {
			return
		}
		var err error
		q.Figures, err = o.Count()
		c.err("sfen", err)
		q.Parts = o.Parts(q.Figures)
		q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
			o.Search = s
			return compose.Place(ctx, o)
		}
	}},
	"repair": {" sfen moves changes ", "", func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.RepairOptions{Position: q.Position}
		if req.Moves != "" {
			game, err := shogi.ParsePosition("sfen " + q.SFEN + " moves " + req.Moves)
			if err == nil {
				o.Line = game.Moves()
			} else {
				moves, told, err := notation.ParseWritten(req.Moves)
				c.err("moves", err)
				c.add(err == nil && len(moves) == 0, "moves", requiredField, "moves")
				for _, m := range moves {
					o.Written = append(o.Written, compose.GivenMove(m))
				}
				o.Told = told
			}
		}
		// What one change mends is known first. A misprint is one.
		if q.Parts = cmp.Or(req.Changes, 2); o.Misprinted() {
			q.Parts = 1
		}
		q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
			q.repair = new(compose.RepairTally)
			o.Search, o.Changes, o.Tally = s, s.From+1, q.repair
			return compose.Repair(ctx, o)
		}
	}},
	"line": {" moves helpers reach ", "", func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.LineOptions{Search: q.search, Helpers: req.Helpers, Reach: cmp.Or(req.Reach, 2)}
		if o.Helpers < 0 {
			o.Helpers = 2
		}
		c.add(req.Moves == "", "moves", requiredField, "moves")
		moves, err := notation.ParseLoose(req.Moves)
		c.err("moves", err)
		for _, m := range moves {
			o.Moves = append(o.Moves, compose.GivenMove(m))
		}
		if len(c.faults) > 0 {
			return
		}
		q.Figures, err = o.Count()
		c.err("moves", err)
		q.Parts = o.Parts(q.Figures)
		q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
			o.Search = s
			return compose.Lines(ctx, o)
		}
	}},
	"reverse": {" seed parts ", growPlies, func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		q.grow(req, c, reversePart, compose.Reverse)
	}},
	"evolve": {" start seed parts ", growPlies, func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.EvolveOptions{}
		for i, text := range req.Start {
			var asked Question
			faults := asked.SetPosition(fmt.Sprintf("%sstart[%d]", c.prefix, i), text)
			if c.faults = append(c.faults, faults...); len(faults) > 0 {
				continue
			}
			if asked.Attacker == shogi.White {
				asked.Position = asked.Position.Rotated()
			}
			asked.Position.GiveMissing(shogi.White)
			o.Start = append(o.Start, asked.Position)
		}
		q.grow(req, c, 1, func(ctx context.Context, options compose.Options, tally *compose.Tally) iter.Seq[compose.Problem] {
			o := o
			o.Options = options
			return compose.Evolve(ctx, o, tally)
		})
	}},
	"shape": {" shape at seed parts ", "", func(q *ComposeQuestion, req *ComposeRequest, c *composeFaults) {
		o := compose.ShapeOptions{Search: q.search, AtEnd: req.At == "end", Seed: req.Seed}
		picture, ok := compose.FindPicture(compose.Pictures(), req.Shape)
		if !ok {
			c.add(!strings.ContainsAny(req.Shape, "#."), "shape", noShape, Clip(req.Shape))
			if len(c.faults) > 0 {
				return
			}
			var err error
			picture, err = compose.DrawPicture(strings.ReplaceAll(req.Shape, "\n", "/"))
			c.err("shape", err)
		}
		if o.Picture = picture; len(c.faults) > 0 {
			return
		}
		_, err := o.Count()
		c.err("shape", err)
		if q.Parts = req.Parts; q.Parts == 0 {
			q.Parts = composeParts
		}
		q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
			o.Search = s
			return compose.Shape(ctx, o)
		}
	}},
}

// growPlies are those of problems that are grown, if nothing else is asked for.
const growPlies = "3-9"

// reversePart is how many families are a part, which takes a second or two and makes a problem or two.
const reversePart = 256

// grow makes the question one for problems that are grown: a part is so many units of work.
func (q *ComposeQuestion) grow(req *ComposeRequest, c *composeFaults, units int,
	run func(context.Context, compose.Options, *compose.Tally) iter.Seq[compose.Problem]) {
	c.add(q.search.Least < 3 || q.search.Most > compose.LongestPlies, "plies", growRange, compose.LongestPlies)
	q.search.MaxPieces, q.search.Pleasant = cmp.Or(q.search.MaxPieces, 12), true
	q.Parts = cmp.Or(req.Parts, composeParts)
	q.begin = func(ctx context.Context, s compose.Search) (iter.Seq[compose.Problem], error) {
		s.From, s.To = units*s.From, units*s.To
		return run(ctx, compose.Options{Search: s, Seed: req.Seed}, nil), nil
	}
}

// The sentences about faults of a ComposeRequest.
var (
	wantPlies = shogi.NewText("value", "expected an odd number, or two of them such as 3-9",
		"奇数か、3-9 のような二つの奇数を書きます。")
	growRange      = shogi.NewText("range", "expected 3 to %d plies", "3手から%d手までです。")
	noTheme        = shogi.NewText("value", "there is no theme %q", "「%s」という手筋・趣向はありません。")
	wantBox        = shogi.NewText("value", "expected two squares, the corners of a rectangle, such as 5a-1e", "5a-1e のように、隅の2マスを書きます。")
	wantPiece      = shogi.NewText("value", "%q is no piece; expected one as in SFEN, such as R, g or +P", "「%s」という駒はありません（R、g、+P のように SFEN の字で書きます）。")
	wantSquare     = shogi.NewText("value", "%q is no square such as 5c", "「%s」というマスはありません（5c のように書きます）。")
	noShape        = shogi.NewText("value", "there is no shape %q; rows of # and . draw one", "「%s」という形はありません（# と . の行で描けます）。")
	notOfMethod    = shogi.NewText("unknown", "unexpected property: the method %s does not take it", "方法 %s にはない項目です。")
	tooManyFigures = shogi.NewText("too_many", "there are %s figures to look at, but at most %s can be: %s",
		"図が%[1]s通りあり、多すぎます（%[2]s通りまで）。マス、駒の種類、枚数を減らしてください。")
)
