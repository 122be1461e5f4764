package report

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/tsumero/tsumero/solver"
)

// A Verdict is the part of a search's result that Text puts into words.
type Verdict struct {
	Verdict      string // that of a solver: mate, nomate or unknown
	Plies        int    // of a mate
	Policy       string // by which plies are counted; "" if every move counts
	NamesCount   bool   // says that every move is counted, for readers who did not ask for that
	Exact        bool
	NoMateWithin int
	Why          string // in English, what ended the search early; "" for nothing
	Attacker     string
	SideToMove   string
}

// Text says what a search found and how sure that is: in Japanese as sentences, for the comment of
// a record, in English as one line, for a terminal.
func (v *Verdict) Text() Text {
	isMate := v.Verdict == solver.Mate.String()
	var t, count Text
	if v.NamesCount && v.Plies > 1 {
		count = phrases["raw_mark"]
	}
	switch {
	case v.Verdict == solver.NoMate.String():
		return Text{"不詰。何手かけても詰まないことを証明済み。",
			fmt.Sprintf("no mate: %s cannot force mate, at any length", v.Attacker)}
	case isMate && v.Plies == 0:
		return Text{"詰んでいる局面。", fmt.Sprintf("mate: %s is mated already", v.SideToMove)}
	case isMate && v.Exact:
		by := ""
		if v.Policy != "" {
			by = " by " + v.Policy
		}
		t = Text{fmt.Sprintf("%d手詰%s。最短と証明済み。", v.Plies, count.Ja),
			fmt.Sprintf("mate in %d%s%s: %s forces it", v.Plies, by, count.En, v.Attacker)}
		if v.Why != "" {
			t.En += "; " + v.Why + " before one line was chosen of those as short"
		}
		return t
	case isMate:
		t = Text{fmt.Sprintf("%d手以内で詰む%s。", v.Plies, count.Ja),
			fmt.Sprintf("mate in %d or fewer%s: %s forces it", v.Plies, count.En, v.Attacker)}
		if v.NoMateWithin == 0 {
			t.Ja += "より短い詰みがあるかもしれない。"
		}
		if v.Why != "" {
			t.En += "; " + v.Why + " before the shortest was proven"
		}
	default:
		t = Text{"不明。", "unknown: " + v.Why}
	}
	if v.NoMateWithin > 0 {
		t.Ja += fmt.Sprintf("%d手以内では詰まない。", v.NoMateWithin)
		if v.Why != "" {
			t.En += fmt.Sprintf("; there is no mate in %d or fewer", v.NoMateWithin)
		}
	}
	return t
}

// Why says in a clause why something is not decided, by the name of a solver.Reason; nothing for "".
func Why[R ~string](reason R) Text { return lookUp(explanations, solver.Reason(reason)) }

// Sentence returns a clause as a sentence.
func Sentence(t Text) Text {
	if t.Ja == "" {
		return t
	}
	first, size := utf8.DecodeRuneInString(t.En)
	return Text{t.Ja + "。", string(unicode.ToUpper(first)) + t.En[size:] + "."}
}
