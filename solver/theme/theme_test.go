package theme_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// smoke is the last but one of Zuko (1755), in 117 plies.
const (
	smoke     = "k1+P4n1/2L+P2sL1/r4+P+P1P/+BpP+Pl1+Rg1/NP1S+PP+p1g/2L+p1g+P1+P/Ps1G1+P1N1/1sN1P4/B8 b - 1"
	smokeLine = "7a8a 9a8a 7b7a+ 8a9a 7a8a 9a8a 6b7b 8a9a 7b8b 9a8b 7d7c+ 8b9a 7c8b 9a8b 6d7c 8b9a 7c8b 9a8b 7f7b+ " +
		"8b9a 7b8b 9a8b 9d9c 8b9c R*7c 9c9d 7c8c+ 9d8e 8c8d 8e8d 3d5d 8d9e L*9f 8g9f+ 9g9f 9e9f S*8g 9f9g 5d9d 9g8g " +
		"9d8e 8g7h 8e8h 7h6g S*6h 6g5h 6h5g 5h4g 3f4f 4g5g G*5f 6f5f 5e5f 5g6g 6e7f 6g7f 5f6f 7f6f 8h7g 6f6e 4f5e " +
		"6e5e 7g6f 5e4e 4c4d 4e4d 6f5f P*5e 5f5e 4d3c 5e5c 3c3d 5c4d 3d2c 4d2d 2c2d 1f1e 2d3d G*4d 3d2c P*2d 2c1c " +
		"G*2c 3b2c 2d2c+ 1c2c 2g3e 2c1b P*1c 1b1c P*1d 1c1b S*1c 2a1c 1d1c+ 1b1c 3e2c+ 1c2c 4d3c 2c1b P*1c 1b1c " +
		"N*2e 1c1b 3c2c 1b2c 9i3c+ 2c1b 2e1c+ 1b1c 1e2d 1c1b 2d2c 1b1a 2b2a+ 1a2a 3c2b"
	// rings: two rooks drive the king to one edge, where one of them takes a silver, to the other and back.
	trip = "6h5h 5a4a 7i4i 4a3a 5h3h 3a2a 4i2i 2a1a 2i1i 1a2a 3h2h 2a3a 1i3i 3a4a 2h4h 4a5a " +
		"4h5h 5a6a 3i6i 6a7a 5h7h 7a8a 6i8i 8a9a 8i9i 9a8a 7h8h 8a7a 9i7i 7a6a 8h6h 6a5a "
	golden = "6h5h 5a4a 7i4i 4a3a 5h3h 3a2a 4i2i 2a1a G*2b"
)

// What the tests know of a problem besides its themes.
type proof uint8

const (
	exact    proof = iota // the line is best play, and of the length by convention
	mating                // there is a mate, and the line goes to one, which is not the shortest or not proven to be
	asItIsIn              // the line goes to a mate; the whole of it is beyond a test
)

// TestThemes has for each theme a problem that has it and one that all but has it. want are themes with
// the plies that show them; without a theme in front of it, a name in not must not be there.
func TestThemes(t *testing.T) {
	shown := map[string]bool{}
	missed := map[string]bool{}
	for _, c := range []struct {
		name, sfen, line string
		want, not        string
		proof            proof
	}{
		{"39 pieces become three", smoke, smokeLine, "smoke:117 full_board", "", asItIsIn},
		{"38 pieces become three", "1k5n1/2L+P2sL1/r4+P+P1P/+BpP+Pl1+Rg1/NP1S+PP+p1g/2L+p1g+P1+P/Ps1G1+P1N1/1sN1P4/B8 b p 1",
			smokeLine[len("7a8a 9a8a "):], "", "smoke full_board", asItIsIn},
		{"two kings and nothing else", "k8/9/K8/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1", "G*9b", "bare_king two_kings lone_attacker:1",
			"no_attackers undefended_king", mating},
		{"two kings and a pawn of the defender", "k8/9/K8/9/9/9/9/8p/9 b G2r2b3g4s4n4l17p 1", "G*9b", "no_attackers", "bare_king", mating},
		{"two kings and a pawn of the attacker", "k8/9/K8/9/9/9/9/9/8P b G2r2b3g4s4n4l17p 1", "G*9b", "undefended_king",
			"bare_king no_attackers lone_attacker", mating},
		{"the defender has a king alone", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "G*5b", "undefended_king minor_pieces",
			"one_kind two_kings returned_king corner_mate central_mate no_golds_or_silvers", exact},
		{"the defender has a pawn besides", "4k4/9/4P4/9/9/9/9/8p/9 b G2r2b3g4s4n4l16p 1", "G*5b", "", "undefended_king", exact},
		{"a rook in hand is a major piece", "4k4/9/4P4/9/9/9/9/9/9 b RGr2b3g4s4n4l17p 1", "G*5b", "", "minor_pieces", mating},
		{"two rooks", "7k1/5R3/9/9/9/8R/9/9/9 b S2b4g3s4n4l18p 1", "S*2b", "one_kind", "", mating},
		{"a rook and a dragon are one kind", "7k1/5+R3/9/9/9/8R/9/9/9 b S2b4g3s4n4l18p 1", "S*2b", "one_kind", "", mating},
		{"two rooks and a pawn", "7k1/5R3/9/9/9/8R/9/9/P8 b S2b4g3s4n4l17p 1", "S*2b", "", "one_kind", mating},
		{"a pawn and a tokin", "4k4/9/4P4/9/9/9/9/9/+P8 b G2r2b3g4s4n4l16p 1", "G*5b", "pawns_and_tokins", "one_kind", exact},
		{"two pawns", "4k4/9/4P4/9/9/9/9/9/P8 b G2r2b3g4s4n4l16p 1", "G*5b", "one_kind", "pawns_and_tokins", exact},
		{"bishops and a lance", "8k/8B/8L/8B/9/9/9/9/9 b 2r4g4s4n3l18p 1", "1b2c+ 1a2a 2c3b",
			"no_golds_or_silvers discovered_check:1", "double_check", mating},
		{"bishops, a lance and a gold in hand", "8k/8B/8L/8B/9/9/9/9/9 b G2r3g4s4n3l18p 1", "1b2c+ 1a2a 2c3b", "",
			"no_golds_or_silvers", mating},
		{"the four major pieces", "8k/9/9/9/9/B8/3B5/R8/7R1 b 4g4s4n4l18p 1", "9h1h", "rooks_and_bishops", "", mating},
		{"the four major pieces and a pawn", "8k/9/9/9/9/B8/3B5/R8/P6R1 b 4g4s4n4l17p 1", "9h1h", "", "rooks_and_bishops", mating},

		{"two rows of three", "3lkl3/9/3PPP3/9/9/9/9/9/9 b G2r2b3g4s4n2l15p 1", "G*5b", "picture_diagram=two_6", "", mating},
		{"two rows, one of them shorter", "3lkl3/9/3PP4/9/9/9/9/9/9 b G2r2b3g4s4n2l16p 1", "G*5b", "", "picture_diagram", mating},
		{"a small diamond at the mate", "7k1/6P2/7G1/8L/9/9/9/9/9 b 2r2b3g4s4n3l17p 1", "1d1b+", "picture_mate:1=diamond_4", "picture_diagram", exact},
		{"a small diamond and a pawn", "7k1/6P2/7G1/8L/9/9/9/p8/9 b 2r2b3g4s4n3l16p 1", "1d1b+", "", "picture_mate", exact},
		{"mate on 5e", "9/9/9/R8/4k4/R8/9/9/9 b G2b3g4s4n4l18p 1", "G*5f", "central_mate:1", "", mating},
		{"mate on 6e", "9/9/9/R8/3k5/R8/9/9/9 b G2b3g4s4n4l18p 1", "G*6f", "", "central_mate", mating},
		{"the king goes into the corner", "6G2/8k/6+R2/9/9/9/9/9/9 b Brb3g4s4n4l18p 1", "B*2a 1b1a 3c1c", "corner_mate:3", "returned_king", mating},
		{"the king stands in the corner", "8k/9/8P/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", "G*1b", "", "corner_mate returned_king", mating},
		{"the king comes back", "8k/5G3/8P/8S/8L/9/9/9/9 b 2r2b3g3s4n3l17p 1", "1c1b+ 1a1b 1d1c+ 1b1a 1c1b",
			"returned_king:5 sacrifice:1 removed_obstruction:1", "corner_mate", exact},

		{"a gold is given", "9/5G3/4k1S2/6L2/3+R5/3N5/9/9/9 b r2b3g3s3n3l18p 1", "4b4c 5c4c 6e5d", "sacrifice:1", "removed_obstruction", exact},
		{"a promoted silver is in the way of a horse", "7Sk/7P1/7ps/4B4/9/9/9/9/9 b 2rb4g2s4n4l16p 1", "2a1b+ 1a1b 5d2a+",
			"removed_obstruction:1", "", exact},
		{"a pawn that nobody takes", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "G*5b", "", "sacrifice uchifuzume_nonpromotion", exact},
		{"a move to afar", "l2p5/1+N1sg2+R1/p4k1s1/1pP1Pp1gp/3Pl4/2rb2n2/PPNGpPNP1/3S2G2/L4K3 b BSL5P 1", "B*2a 4c3d 2b3a 2c3b 3a3b",
			"far_move:3 moved_interposition:4", "", mating},
		{"a capture from afar", "1n4n1l/7+R1/3p+S1Gp1/l1p2p2k/6RPp/pPPP3s1/4PP2P/2GSK4/L4G2L b 2BGS2N5P 1", "2b1a", "",
			"far_move far_drop", mating},
		{"the pawn that would save the king is gone", "5k3/9/1+R7/9/5+B3/9/9/9/9 b LPp 1",
			"8c4c P*4b 4e6c 4a3a 4c3c 3a2a P*2b 2a1a L*1c", "restricted_interposition:5", "", mating},
		{"promoting gives no check", "6Bpk/9/7g1/9/6N2/9/9/9/9 b 2rb3g4s3n4l17p 1", "3e2c 1a1b G*1c", "nonpromotion:1",
			"uchifuzume_nonpromotion", mating},
		{"promoting mates as well", "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1", "4e4c 1c1b 4c2c+", "", "nonpromotion", exact},
		{"a pawn drop would mate", "7nk/9/7G1/9/9/9/9/9/9 b GP2r2b2g4s3n4l17p 1", "G*1b", "uchifuzume:1", "uchifuzume_resolved", mating},
		{"a pawn drop would not", "8k/9/7G1/9/9/9/9/9/9 b GP2r2b2g4s4n4l17p 1", "G*2b", "", "uchifuzume", mating},
		{"a promoted lance would make a pawn drop mate", "7n1/8k/8p/4B2SB/9/9/9/9/9 b N2P 1", "1d2c 1b1a P*1b 1a2b 5d3b+",
			"nonpromotion:1 uchifuzume_nonpromotion:1", "uchifuzume", exact},
		{"a pawn drop becomes legal", "kppB5/1l7/2+L6/2B6/9/9/9/9/9 b N2Prgnl 1", "7c8b 8a8b P*9b 9a8a N*9c",
			"uchifuzume:1 uchifuzume_resolved:3", "", exact},
		{"a lance far off", "6pnk/9/7R1/9/9/9/9/9/9 b L 1", "L*1d 2a1c 1d1c",
			"far_drop:1 moved_interposition:2 unsupported_interposition:2 sacrificed_interposition:2", "interposition", exact},
		{"a rook two squares off", "6pnk/9/7R1/9/9/9/9/9/9 b L 1", "L*1d 2a1c 1d1c", "", "far_move", exact},
		{"the defender moves between, beside his king", "8k/8b/9/9/9/6R2/9/9/9 b Grb3g4s4n4l18p 1", "3f3a+ 1b2a G*2b",
			"moved_interposition:2", "unsupported_interposition sacrificed_interposition interposition far_drop", exact},
		{"the defender drops between, and it is taken", "6R2/9/9/8k/9/5B3/9/9/9 b Br4g4s4n4l18p 1",
			"3a3d+ 1d1e 3d2d 1e1f B*3d G*2e 2d2e 1f1g G*2h", "interposition:6 sacrificed_interposition:6",
			"moved_interposition unsupported_interposition", mating},
		{"a check in reply", "7gk/7s1/6KR1/6BR1/9/9/9/9/9 b BN 1", "2c2b+ 2a2b 2d2b+", "counter_check:2", "", exact},
		{"no check in reply", "k8/9/K8/9/N8/9/9/9/9 b G2r2b3g4s3n4l18p 1", "", "", "counter_check defender_nonpromotion restricted_interposition", mating},
		{"a rook that must not promote", "9/lgsl5/1p7/1k2G4/L1n6/+p8/1+B7/1+R7/3r5 b B3N2g3sl16p 1",
			"8g9f 8d7c N*6e 6i6e N*8e 7c7d 8e9c 7d7c 8h8d 7c8d B*7c 8d7c P*7d 7c8d N*7f",
			"defender_nonpromotion:4 uchifuzume_resolved:13 returned_king:15 removed_obstruction:9", "", mating},
		{"two pieces give check", "9/8G/7NL/7RN/4B3k/9/9/9/9 b Grb2g4s2n3l18p 1", "G*2e 1e1f 2e2f 1f1g 2f2g 1g1h 2g2h 1h1i 2h2i",
			"double_check:9 corner_mate:9", "discovered_check", mating},

		{"two rooks go there and back", "4k4/9/9/9/9/9/9/3R5/2R5s b G 1", trip + golden, "chinese_rings:33", "returned_king", mating},
		{"two rooks go there", "4k4/9/9/9/9/9/9/3R5/2R6 b G 1", golden, "", "chinese_rings", mating},
		{"a dragon comes near in steps", "6g1k/6B2/5+PL2/9/9/5S3/9/9/7+R1 b - 1",
			"2i1h 1a2b 1h2g 2b1a 2g1f 1a2b 1f2e 2b1a 2e1d 1a2b 3b2c+ 2b2a 1d1b", "dragon_saw:1", "horse_saw chinese_rings", exact},
		{"a horse comes near in steps", "5g3/6B1k/9/9/9/9/9/3+B5/9 b - 1",
			"6h6g 1b1a 6g6f 1a1b 6f5f 1b1a 5f5e 1a1b 5e4e 1b1a 4e4d 1a1b 4d3d 1b2b 3d2c 2b1a 2c3c 1a1b 3b2c+ 1b2a 3c2b",
			"horse_saw:3", "dragon_saw", exact},
		{"a horse comes near in one step", "5g3/6B1k/9/9/4+B4/9/9/9/9 b - 1",
			"5e4e 1b1a 4e4d 1a1b 4d3d 1b2b 3d2c 2b1a 2c3c 1a1b 3b2c+ 1b2a 3c2b", "", "horse_saw", exact},
		{"a dragon comes near in one step", "6g1k/6B2/5+PL2/9/9/5S3/7+R1/9/9 b - 1",
			"2g1f 1a2b 1f2e 2b1a 2e1d 1a2b 3b2c+ 2b2a 1d1b", "", "dragon_saw", exact},
	} {
		p, err := shogi.ParseSFEN(c.sfen)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		a := report(t, c.name, p, c.line, c.proof)
		var found []string
		for _, f := range a.Themes {
			text := f.ID
			for i, ply := range f.Plies {
				text += string(":,"[min(i, 1)]) + itoa(ply)
			}
			if f.Shape != nil {
				text += "=" + f.Shape.ID
			}
			found = append(found, text)
			shown[f.ID] = true
		}
		for _, want := range strings.Fields(c.want) {
			if !slices.Contains(found, want) {
				t.Errorf("%s: %v, without %s", c.name, found, want)
			}
		}
		for _, id := range strings.Fields(c.not) {
			missed[id] = true
			if theme.ByID(id) == nil || slices.ContainsFunc(found, func(f string) bool {
				return strings.FieldsFunc(f, func(r rune) bool { return r == ':' || r == '=' })[0] == id
			}) {
				t.Errorf("%s: %v, with %s", c.name, found, id)
			}
		}
	}
	for _, id := range theme.IDs() {
		if !shown[id] || !missed[id] {
			t.Errorf("%s: a problem with it: %v, one that all but has it: %v", id, shown[id], missed[id])
		}
	}
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + string(rune('0'+n%10))
	}
	return string(rune('0' + n))
}

// report returns the report on a problem with its author's line, after a look at whether it is what
// the table says.
func report(t *testing.T, name string, p shogi.Position, line string, what proof) *analysis.Analysis {
	t.Helper()
	q := analysis.Question{Position: p, Attacker: p.SideToMove(), Policy: length.Default,
		Parts: analysis.DefaultParts | analysis.Themes, Nodes: 300_000, QuestionNodes: 20_000}
	for _, text := range strings.Fields(line) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		q.Line = append(q.Line, m)
	}
	if what == asItIsIn {
		return &analysis.Analysis{Themes: theme.Find(&theme.Problem{Position: p, Attacker: q.Attacker, Line: q.Line})}
	}
	a, err := analyzer.Analyze(context.Background(), q, nil, nil)
	if err != nil || a.Verdict != solver.Mate {
		t.Errorf("%s: %v, %v", name, a.Verdict, err)
		return a
	}
	if len(q.Line) > 0 && (a.Author.Finding == analysis.Faulty || a.Author.Finding == analysis.NoMateAfter) {
		t.Errorf("%s: the line is at fault: %v", name, a.Author.Finding)
	}
	if what == exact && (a.Length() != length.Exactly(len(q.Line)) || a.Author.Finding != analysis.Agrees) {
		t.Errorf("%s: length %v, the author's line: %v; best is %v", name, a.Length(), a.Author.Finding, a.Line.Moves)
	}
	return a
}

var analyzer = analysis.NewAnalyzer(dfpn.NewSession())
