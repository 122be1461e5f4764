// Package diagram draws a shogi position the way books print it: board and coordinates, both hands,
// whose turn it is, the last move marked, and a title. A position is drawn once, into a scene of
// rectangles, discs and glyphs in pixels; the scene is written as SVG or as PNG, so that the two
// show the same. It needs no font on the machine: the shapes of the characters are in package
// outlines.
//
//	d, err := diagram.Draw(&p, diagram.Options{Width: 480, Title: "将棋図巧 第一番"})
//	svg := d.AppendSVG(nil)
//	err = d.WritePNG(w)
//
// An Animation is a line of moves as GIF. Handler serves the pictures over HTTP. Alt
// puts a position into words for those who cannot see it; for terminals, notation.AppendBOD draws
// with characters.
package diagram

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tsumero/tsumero/shogi"
)

// Limits and defaults of pictures, in pixels and characters.
const (
	MinWidth     = 160
	MaxWidth     = 1600
	DefaultWidth = 480

	// A card is the picture a link shows where it is shared (Open Graph), which has one size
	// everywhere.
	CardWidth  = 1200
	CardHeight = 630

	// MaxTitle is the longest title in characters.
	MaxTitle = 80

	// MaxPlies is the longest length that a card prints.
	MaxPlies = 9999
)

// A Lang is the language of a diagram. Pieces are the same in both. English has letters for ranks, as
// USI moves do, and Arabic numerals for the pieces in hand.
type Lang uint8

// The languages.
const (
	Japanese Lang = iota
	English
)

// LangOf returns the language of a tag: English for "en".
func LangOf(tag string) Lang {
	if tag == "en" {
		return English
	}
	return Japanese
}

// A Theme is a set of colours.
type Theme uint8

// The themes. Promoted pieces are red in Light and Dark. Print is black on white with grey marks.
const (
	Light Theme = iota
	Dark
	Print
)

// Pieces is what stands for the pieces.
type Pieces uint8

// The sets of pieces.
const (
	Kanji         Pieces = iota // one kanji each, as books print them
	International               // pictures in the outline of a piece, see outlines.Symbols
)

// Hands says which hands are drawn.
type Hands uint8

// What a diagram can say of hands.
const (
	BothHands Hands = iota
	// AttackerHand is how books print mate problems: the hand of the side to move alone, since the
	// defender has what is left, and no word of whose turn it is.
	AttackerHand
)

// Options say how a position is drawn. The zero value is a diagram in Japanese, of DefaultWidth, in
// Light.
type Options struct {
	Width int        // from MinWidth to MaxWidth, 0 for DefaultWidth; the height follows
	Card  bool       // draw a card, of its own size; Width must be 0
	Title string     // at most MaxTitle characters; what the font lacks is printed as 〓
	Last  shogi.Move // the move to mark, which led to the position; shogi.NoMove for none
	Lang  Lang
	Theme Theme
	Flip  bool // White at the bottom

	Pieces Pieces
	Hands  Hands

	// Plies is the length of the problem as books print it, futile interpositions left out, which a
	// card says; at most MaxPlies, 0 for none.
	Plies int

	attacker *shogi.Color // whose hand AttackerHand is, nil for what the position says
}

// An OptionError says what is wrong with an option.
type OptionError struct {
	Option string        // such as "size", as the query names it
	Msg    shogi.Message // what was found and what was expected
}

func (e *OptionError) Error() string { return "diagram: " + e.Option + ": " + e.Msg.String() }

// complete sets what is left to defaults and makes the title what is printed. It returns what is
// wrong, nothing if the options can be drawn.
func (o *Options) complete(p *shogi.Position) (faults []*OptionError) {
	bad := func(option string, what *shogi.Text, args ...any) {
		faults = append(faults, &OptionError{option, what.With(args...)})
	}
	switch {
	case o.Card && o.Width != 0:
		bad("size", cardWidth, o.Width)
	case !o.Card && o.Width == 0:
		o.Width = DefaultWidth
	case !o.Card && (o.Width < MinWidth || o.Width > MaxWidth):
		bad("size", badWidth, o.Width, MinWidth, MaxWidth)
	}
	if o.Lang > English {
		bad("lang", noLanguage, o.Lang)
	}
	if why := checkLast(p, o.Last); why.Text != nil {
		bad("last", notLast, o.Last, why)
	}
	title, why := cleanTitle(o.Title)
	if why.Text != nil {
		faults = append(faults, &OptionError{"title", why})
	}
	o.Title = title
	if o.Theme > Print {
		bad("theme", noTheme, o.Theme)
	}
	if o.Pieces > International {
		bad("pieces", noPieces, o.Pieces)
	}
	if o.Hands > AttackerHand {
		bad("hands", noHands, o.Hands)
	}
	switch {
	case o.Plies < 0 || o.Plies > MaxPlies:
		bad("plies", badLength, o.Plies, MaxPlies)
	case o.Plies > 0 && !o.Card:
		bad("plies", cardsOnly)
	}
	return faults
}

// cleanTitle composes letters with their marks, as the font has them, and trims blanks. Characters
// that only choose the look of others go. It returns what is wrong, if anything.
func cleanTitle(title string) (clean string, why shogi.Message) {
	switch {
	case len(title) > 16*MaxTitle: // before any work; four bytes, and as many marks, on every character
		return "", titleBytes.With(len(title), MaxTitle)
	case !utf8.ValidString(title):
		return "", notUTF8.With()
	}
	var runes []rune
	for _, r := range norm.NFC.String(title) {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return "", control.With(r)
		case r == '\ufffe' || r == '\uffff': // the others that XML cannot hold are control characters
			return "", noCharacter.With(r)
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			continue
		}
		runes = append(runes, r)
	}
	runes = trim(runes)
	if len(runes) > MaxTitle {
		return "", titleLength.With(len(runes), MaxTitle)
	}
	return string(runes), shogi.Message{}
}

// checkLast says why m cannot be the move that led to p, if it cannot.
func checkLast(p *shogi.Position, m shogi.Move) (why shogi.Message) {
	if m == shogi.NoMove {
		return why
	}
	to := m.To()
	pc := p.Piece(to)
	switch {
	case pc == shogi.NoPiece:
		return isEmpty.With(to)
	case pc.Color() == p.SideToMove():
		return otherSide.With(to, pc.Color())
	case m.IsDrop() && pc.Type() != m.Dropped():
		return otherKind.With(to, pc.Type().String())
	case m.IsDrop():
		return why
	case p.Piece(m.From()) != shogi.NoPiece:
		return stillThere.With(m.From())
	case m.IsPromotion() && !pc.Type().IsPromoted():
		return notPromoted.With(to)
	}
	return why
}

// A Diagram is a position that was drawn. It is immutable and safe for concurrent use.
type Diagram struct {
	scene
	name  string // what it is, in a few words
	words string // what Alt or ProblemAlt returns
}

// Draw draws p. Errors are *OptionError.
func Draw(p *shogi.Position, o Options) (*Diagram, error) {
	if faults := o.complete(p); len(faults) > 0 {
		return nil, faults[0]
	}
	d := &Diagram{name: nameOf(o), words: Alt(p, o.Lang)}
	if o.Hands == AttackerHand {
		d.words = ProblemAlt(p, o.Lang)
	}
	if o.Card {
		d.drawCard(p, o)
	} else {
		d.drawDiagram(p, o)
	}
	return d, nil
}

// Size returns the size of the picture in pixels.
func (d *Diagram) Size() (width, height int) { return d.width, d.height }

// nameOf returns the title, or what stands for it.
func nameOf(o Options) string {
	switch {
	case o.Title != "":
		return o.Title
	case o.Lang == English:
		return "Shogi diagram"
	}
	return "将棋の局面図"
}
