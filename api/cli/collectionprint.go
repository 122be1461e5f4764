package cli

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/collection"
)

// A collectionPrinter writes the problems of a collection.
type collectionPrinter interface {
	member(m *Listed) error
	end(whole bool) error
}

// newCollectionPrinter returns the printer of a format that was checked before.
func newCollectionPrinter(o *CollectionOptions, out *bufio.Writer) collectionPrinter {
	switch o.Output {
	case "json":
		return collectionJSON{out}
	case "html", "folder":
		return collectionHTML{o.Page, out}
	}
	return &collectionTSV{out: out}
}

// A collectionRow is what is printed of a problem: a line of JSON, or a row.
type collectionRow struct {
	Number   int                   `json:"number"` // from 1, in the order of the input
	File     string                `json:"file,omitempty"`
	Where    string                `json:"where,omitempty"`
	SFEN     string                `json:"sfen,omitempty"`
	Key      string                `json:"key,omitempty"`
	ID       string                `json:"id,omitempty"` // short form of the key
	ShiftKey string                `json:"shift_key,omitempty"`
	Verdict  string                `json:"verdict,omitempty"`
	Lengths  *wire.AnalysisLengths `json:"lengths,omitempty"`
	Policy   string                `json:"policy,omitempty"`
	Moves    []string              `json:"moves,omitempty"` // of the main line
	MovesJa  []string              `json:"moves_ja,omitempty"`
	MovesEn  []string              `json:"moves_en,omitempty"`
	Given    bool                  `json:"given,omitempty"` // they are those of the record
	Leftover string                `json:"leftover,omitempty"`
	Sound    string                `json:"sound,omitempty"`
	Cooks    *int                  `json:"cooks,omitempty"`
	Open     *int                  `json:"open,omitempty"` // checks that are not decided
	// Class and Features say how hard it may be, where the other moves were looked at.
	Class    string             `json:"class,omitempty"`
	Features map[string]int     `json:"features,omitempty"`
	Themes   []wire.ThemeAnswer `json:"themes,omitempty"`
	Reason   string             `json:"reason,omitempty"` // why something is not decided
	// Of a report: what the author's line comes to and its plies, how many other checks there are, those
	// that are defects, and how many positions were looked at.
	Title       string   `json:"title,omitempty"`
	AuthorPlies int      `json:"author_plies,omitempty"`
	Finding     string   `json:"finding,omitempty"`
	Places      []string `json:"places,omitempty"` // of the finding, as ply:move
	Checks      *int     `json:"checks,omitempty"`
	Defects     []string `json:"defects,omitempty"` // ply:move:class, ply=n along an equal line
	Nodes       uint64   `json:"nodes,omitempty"`
	Error       string   `json:"error,omitempty"`
	// Relations are those to problems before this one. Never absent unless there is an error.
	Relations []collectionRelation `json:"relations,omitempty"`

	plies, raw string
}

type collectionRelation struct {
	Relation string `json:"relation"`
	To       int    `json:"to"` // the number of the other problem
	wire.RelationDetail
	Mirrored bool `json:"mirrored,omitempty"`
}

func newCollectionRow(m *Listed) *collectionRow {
	row := &collectionRow{Number: m.Number, File: m.File, Where: m.Where}
	if m.Fault != nil {
		row.SFEN, row.Verdict, row.Error = shogi.VisibleLine(m.Text), "error", reason(m.Fault).Error()
		return row
	}
	p := m.Problem.Position
	row.SFEN, row.Title = p.SFEN(), m.Title
	row.Key, row.ID, row.ShiftKey = m.known.Key, collection.ShortKey(m.known.Key), m.known.Shift
	row.Given = m.Given
	row.Moves = movetext.USILine(m.Problem.Line)
	row.MovesJa = movetext.JapaneseLine(p, m.Problem.Line)
	row.MovesEn = movetext.EnglishLine(p, m.Problem.Line)
	row.Themes = wire.NewThemes(m.Themes)
	if m.Report != nil {
		row.addReport(m)
	}
	return row
}

// withRelations adds those of m, one for each problem.
func (row *collectionRow) withRelations(m *Listed) *collectionRow {
	for _, r := range m.Relations {
		to := collectionRelation{r.Relation.String(), r.ID, wire.NewRelationDetail(r.Relation, r.Detail), r.Mirrored}
		for range r.Count {
			row.Relations = append(row.Relations, to)
			to.To++
		}
	}
	return row
}

func (row *collectionRow) addReport(m *Listed) {
	a := m.Report
	row.Verdict, row.Policy, row.Reason = a.Verdict.String(), a.Policy.String(), string(a.Reason)
	row.plies, row.raw = m.plies()
	row.Nodes = a.Nodes
	if f := a.Author; f != nil {
		row.AuthorPlies, row.Finding = f.Plies, f.Finding.String()
		for _, p := range f.Places {
			row.Places = append(row.Places, fmt.Sprintf("%d:%s", p.Ply, p.Move))
		}
	}
	if a.Verdict != solver.Mate {
		return
	}
	row.Lengths = wire.NewLengths(a.Lengths)
	row.Leftover = a.Leftover.Class.String()
	if a.Parts&analysis.Attack != 0 {
		var open, checks int
		row.Defects, open, checks = m.cooks()
		cooks := len(row.Defects)
		row.Sound, row.Cooks, row.Open, row.Checks = a.Sound.String(), &cooks, &open, &checks
	}
	if d := a.Difficulty; d != nil {
		row.Class, row.Features = d.Class.String(), map[string]int{}
		for _, f := range d.Features {
			row.Features[f.Name] = f.Value
		}
	}
}

type collectionJSON struct{ out *bufio.Writer }

func (p collectionJSON) member(m *Listed) error {
	_, err := p.out.Write(wire.Encode(newCollectionRow(m).withRelations(m)))
	return err
}

func (collectionJSON) end(bool) error { return nil }

var collectionColumns = []string{"number", "file", "where", "sfen", "key", "id", "verdict",
	"plies", "raw_plies", "moves", "leftover", "sound", "cooks", "open", "themes", "relations",
	"reason", "title", "author_plies", "finding", "places", "checks", "defects", "nodes"}

type collectionTSV struct {
	out       *bufio.Writer
	headed    bool
	relations relationWriter
}

func (p *collectionTSV) member(m *Listed) error {
	row := newCollectionRow(m)
	if !p.headed {
		p.headed = true
		fmt.Fprintln(p.out, strings.Join(collectionColumns, "\t"))
	}
	number := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	reason := row.Reason
	if row.Error != "" {
		reason = shogi.VisibleLine(row.Error)
	}
	p.out.WriteString(strings.Join([]string{strconv.Itoa(row.Number),
		shogi.VisibleLine(row.File), row.Where, row.SFEN, row.Key, row.ID, row.Verdict, row.plies, row.raw,
		strings.Join(row.Moves, " "), row.Leftover, row.Sound, number(row.Cooks), number(row.Open),
		themesText(row.Themes), ""}, "\t"))
	p.relations.write(p.out, m.Relations)
	_, err := p.out.WriteString("\t" + strings.Join([]string{reason, shogi.VisibleLine(row.Title), numberOrNone(row.AuthorPlies),
		row.Finding, strings.Join(row.Places, " "), number(row.Checks), strings.Join(row.Defects, " "),
		numberOrNone(row.Nodes)}, "\t") + "\n")
	return err
}

// numberOrNone is "" for 0.
func numberOrNone[N int | uint64](n N) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (*collectionTSV) end(bool) error { return nil }

// themesText is "bare_king sacrifice:1,5": IDs, each with the plies that show it.
func themesText(themes []wire.ThemeAnswer) string {
	texts := make([]string, len(themes))
	for i, t := range themes {
		texts[i] = t.ID
		for j, ply := range t.Plies {
			texts[i] += string(":,"[min(j, 1)]) + strconv.Itoa(ply)
		}
	}
	return strings.Join(texts, " ")
}

// collectionHTML hands the problems on to the page.
type collectionHTML struct {
	page CollectionPage
	out  *bufio.Writer
}

func (p collectionHTML) member(m *Listed) error {
	p.page.Add(m)
	return nil
}

func (p collectionHTML) end(whole bool) error { return p.page.Write(p.out, whole) }
