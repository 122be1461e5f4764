package analysis_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/movetext"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
	"github.com/tsumero/tsumero/solver/mate"
)

// A problem of five plies whose interposition is futile, so that books print three.
func ExampleAnalyzer() {
	p := shogi.MustParseSFEN("7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1")
	z := analysis.NewAnalyzer(mate.NewSession())
	a, err := z.Analyze(context.Background(), analysis.Question{Position: p}, nil, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("mate in", a.Length())
	fmt.Println("sound:", a.Sound)
	fmt.Println(strings.Join(movetext.JapaneseLine(p, a.Line.Moves), " "))
	for _, l := range a.Lengths {
		fmt.Printf("%s: %s\n", l.Policy, l.Interval)
	}
	// Output:
	// mate in 3
	// sound: yes
	// ▲４三飛成 △１二玉 ▲２三龍
	// F0: 5
	// F2: 3
}

// One gold mates, the others are refuted.
func ExampleMoves() {
	p := shogi.MustParseSFEN("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")
	attacker, err := solver.Attacker(&p)
	if err != nil {
		panic(err)
	}
	s := analysis.Using(mate.New(mate.Options{TableBytes: 1 << 20}))
	report, err := analysis.Moves(context.Background(), s, p, attacker, analysis.Limits{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s in %d, best is %s\n", report.Verdict, report.Plies, report.Best)
	for _, m := range report.Moves {
		switch m.Verdict {
		case solver.Mate:
			fmt.Printf("%s mates in %d\n", m.Move, m.Plies())
		case solver.NoMate:
			fmt.Printf("%s is refuted by %s\n", m.Move, m.Line[1])
		default:
			fmt.Printf("%s is unknown: %s\n", m.Move, m.Reason)
		}
	}
	// Output:
	// mate in 1, best is G*5b
	// G*5b mates in 1
	// 5c5b+ is refuted by 5a5b
	// 5c5b is refuted by 5a4a
	// G*4a is refuted by 5a4a
	// G*4b is refuted by 5a4b
	// G*6a is refuted by 5a6a
	// G*6b is refuted by 5a6b
}
