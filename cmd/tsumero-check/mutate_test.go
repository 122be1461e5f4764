package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/shogi/shogitest"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/certificate"
	"github.com/tsumero/tsumero/solver/certificate/certificatetest"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/solvertest"
)

// samples returns small certificates of all kinds: with one king and two, either attacker, either
// side to move, numbers and references, and hands given away.
func samples(t testing.TB) (list []string) {
	const most = 1200 // bytes
	ctx, s := context.Background(), mate.New(mate.Options{TableBytes: 1 << 20})
	for _, sfen := range []string{
		"9/4k4/9/5G3/4G4/4P4/9/9/9 b 2G2r2b4s4n4l17p 1",                           // 3 plies
		"4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",                              // 1 ply
		"4k4/4G4/4P4/9/9/9/9/9/9 w 2r2b3g4s4n4l17p 1",                             // mated
		"7nk/9/7G1/9/9/9/9/9/9 b P2r2b3g4s3n4l17p 1",                              // 打ち歩詰め
		"4k4/9/9/9/9/9/9/9/9 b GS2P2r2b3g3s4n4l16p 1",                             // no mate
		"k1S+R2snb/4+L3l/+N6p1/2p3p2/3Pgp1PP/1PPBK4/PG4P2/5S2L/L1S4N1 b R2GN7P 1", // two kings, attacker in check
		"4k4/9/9/9/4R4/9/9/9/9 w r2b4g4s4n4l18p 1",                                // no mate, the defender to move
		"9/6Spk/9/5R1+B1/9/9/9/9/9 b Nrb4g3s3n4l17p 1",                            // 7 plies, 5 by convention
		"5RG1k/6G2/9/9/9/7N1/9/9/9 b r2b2g4s3n4l18p 1",                            // the same
		"8b/6S1k/9/9/9/9/9/9/9 b B2r4g3s4n4l18p 1",                                // futile drops beside the line
		"R8/9/9/kn7/1l7/9/9/1G4B2/9 w RSPp 1",                                     // a drop that buys less than two plies
	} {
		p := shogi.MustParseSFEN(sfen)
		list = append(list, certificates(ctx, t, s, p)...)
		list = append(list, certificates(ctx, t, s, p.Rotated())...)
	}
	// Mates with all kinds of words.
	random := solvertest.NewRandom(shogitest.Seed(t), 2)
	for found := 0; found < 4; {
		p := random.Next()
		attacker, err := solver.Attacker(&p)
		if err != nil {
			continue
		}
		r := s.Solve(ctx, p, solver.Limits{Nodes: 1000, Proof: true})
		if r.Verdict != solver.Mate {
			continue
		}
		text := certify(t, func(w *bytes.Buffer) error {
			return certificate.Mate(ctx, w, p, attacker, r.Proof)
		})
		if strings.Contains(text, " =") && strings.Contains(text, "! ") && strings.Contains(text, "!-") &&
			len(text) < most {
			list = append(list, text)
			found++
		}
	}
	list = slices.DeleteFunc(list, func(text string) bool { return len(text) > most })
	for _, sample := range [][2]string{{"mate"}, {"nomate", ":"}, {"within", ":"}, {"length", "^"},
		{"length", "?"}} {
		kind, with := sample[0], sample[1]
		if !slices.ContainsFunc(list, func(text string) bool {
			return strings.Contains(text, "cert 1 "+kind) && strings.Contains(text, with)
		}) {
			t.Fatalf("there is no sample of %s", kind)
		}
	}
	return list
}

// certificates returns all that can be said of p.
func certificates(ctx context.Context, t testing.TB, s solver.Solver, p shogi.Position) (list []string) {
	attacker, err := solver.Attacker(&p)
	if err != nil {
		t.Fatal(err)
	}
	add := func(write func(w *bytes.Buffer) error) { list = append(list, certify(t, write)) }
	r := s.Solve(ctx, p, solver.Limits{Proof: true, Shortest: true})
	none, set := certificate.Limits{}, closure()
	if r.Verdict == solver.NoMate {
		add(func(w *bytes.Buffer) error { return certificate.NoMate(ctx, w, p, attacker, set, none) })
		add(func(w *bytes.Buffer) error { return certificate.NoMateWithin(ctx, w, p, attacker, 6, set, none) })
		return list
	}
	add(func(w *bytes.Buffer) error { return certificate.Mate(ctx, w, p, attacker, r.Proof) })
	add(func(w *bytes.Buffer) error { return writeLength(ctx, w, p, attacker, len(r.Line)) })
	if n := len(r.Line); n > 2 {
		add(func(w *bytes.Buffer) error { return certificate.NoMateWithin(ctx, w, p, attacker, n-2, set, none) })
	}
	return list
}

// writeLength writes the certificate of a length by convention, which is no more than so many plies.
func writeLength(ctx context.Context, w *bytes.Buffer, p shogi.Position, attacker shogi.Color, most int) error {
	session := dfpn.NewSmallSession(4 << 20)
	by := func(policy length.Policy) *length.Budget {
		e := length.NewEngine(session)
		e.Begin(attacker, policy)
		return e.Budget(ctx, 1_000_000)
	}
	lengths := certificate.Lengths{F2: by(length.F2), Raw: by(length.F0)}
	n, _ := lengths.F2.Within(p, most)
	return certificate.Length(ctx, w, p, attacker, n, lengths, certificate.Limits{})
}

// mutate returns the certificate with a small change somewhere.
func mutate(rng *rand.Rand, text string) string {
	const bytesUsed = "0123456789abcdefghipPlLnNsSgGbBrRkK+*/=!-?: \n"
	at := rng.IntN(len(text))
	words := strings.Split(text, " ")
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	pick := func(n int) (i, j int) { return rng.IntN(n), rng.IntN(n) }
	switch rng.IntN(16) {
	case 0: // a byte, changed
		return text[:at] + string(bytesUsed[rng.IntN(len(bytesUsed))]) + text[at+1:]
	case 1:
		return text[:at] + text[at+1:]
	case 2:
		return text[:at] + string(bytesUsed[rng.IntN(len(bytesUsed))]) + text[at:]
	case 3: // words
		i, j := pick(len(words))
		words[i], words[j] = words[j], words[i]
		return strings.Join(words, " ")
	case 4:
		i, j := pick(len(words))
		words[i] = words[j]
		return strings.Join(words, " ")
	case 5:
		i, _ := pick(len(words))
		return strings.Join(slices.Delete(words, i, i+1), " ")
	case 6:
		i, j := pick(len(words))
		return strings.Join(slices.Insert(words, i, words[j]), " ")
	case 7: // lines
		i, j := pick(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return strings.Join(lines, "")
	case 8:
		i, _ := pick(len(lines))
		return strings.Join(slices.Delete(lines, i, i+1), "")
	case 9:
		return text[:at] // cut off
	case 10, 11: // a hand that is given away, a reference
		for _, i := range rng.Perm(len(words)) {
			if m, _, ok := strings.Cut(words[i], "!"); ok || rng.IntN(20) == 0 {
				pieces := []string{"-", "P", "L", "N", "S", "G", "B", "R", "2G", "2P", "GS", "RB", ""}
				words[i] = m + "!" + pieces[rng.IntN(len(pieces))]
				break
			}
			if strings.HasPrefix(words[i], "=") && rng.IntN(4) == 0 {
				words[i] = fmt.Sprintf("=%d", 1+rng.IntN(9))
				break
			}
		}
		return strings.Join(words, " ")
	case 14, 15: // the marks of a length
		marks := []string{"!", "?", "^", "x", "="}
		i, _ := pick(len(words))
		bare := strings.Trim(words[i], "!?^x")
		switch mark := marks[rng.IntN(len(marks))]; mark {
		case "x":
			words[i] = "x" + bare
		case "=":
			bare, _, _ = strings.Cut(bare, "=")
			words[i] = fmt.Sprintf("%s=%d", bare, 1+rng.IntN(9))
		default:
			words[i] = bare + mark
		}
		return strings.Join(words, " ")
	case 12: // the header
		for i, line := range lines {
			n := 0
			if _, err := fmt.Sscanf(line, "plies %d", &n); err == nil && rng.IntN(2) == 0 {
				lines[i] = fmt.Sprintf("plies %d\n", n+rng.IntN(9)-4)
			}
			if _, err := fmt.Sscanf(line, "least %d", &n); err == nil && rng.IntN(2) == 0 {
				lines[i] = fmt.Sprintf("least %d\n", n+rng.IntN(9)-4)
			}
		}
		swap := [][2]string{{"attacker black", "attacker white"}, {"attacker white", "attacker black"},
			{" b ", " w "}, {" w ", " b "}, {"cert 1 mate", "cert 1 within"}, {"cert 1 within", "cert 1 mate"},
			{"cert 1 length", "cert 1 mate"}}[rng.IntN(7)]
		return strings.Replace(strings.Join(lines, ""), swap[0], swap[1], 1)
	default: // the position
		before, rest, _ := strings.Cut(text, "sfen ")
		sfen, rest, found := strings.Cut(rest, "\n")
		if !found || sfen == "" {
			return text
		}
		b := []byte(sfen)
		i, j := pick(len(b))
		const pieces = "pPlLnNsSgGbBrRkK123456789"
		if c := pieces[rng.IntN(len(pieces))]; rng.IntN(2) == 0 {
			b[i] = c
		} else {
			b[i], b[j] = b[j], b[i]
		}
		return before + "sfen " + string(b) + "\n" + rest
	}
}

// A certificate with a fault is refused, whatever the fault. Where a change makes another one that
// holds, the witness says so too, which shares no code with the program, and the solver does not
// contradict what it then says.
func TestMutations(t *testing.T) {
	t.Parallel()
	want := 1500
	if testing.Short() {
		want = 300
	}
	rng := shogitest.NewRand(t)
	list := samples(t)
	s := mate.New(mate.Options{TableBytes: 16 << 20})
	for _, text := range list {
		if _, err := check(strings.NewReader(text)); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := certificatetest.Holds(text); err != nil {
			t.Fatalf("the witness refuses\n%s", text)
		}
	}
	refused, same, others := 0, 0, 0
	for refused < want {
		text := list[rng.IntN(len(list))]
		changed := mutate(rng, text)
		for rng.IntN(4) == 0 {
			changed = mutate(rng, changed+"\n")
		}
		if slices.Equal(strings.Fields(changed), strings.Fields(text)) {
			same++
			continue
		}
		if _, err := check(strings.NewReader(changed)); err != nil {
			refused++
			continue
		}
		others++
		if err := isTrue(s, changed); err != nil {
			t.Fatalf("%v:\n%s\nmade of\n%s", err, changed, text)
		}
	}
	t.Logf("%d certificates, %d changes refused, %d make another one that holds, %d change nothing",
		len(list), refused, others, same)
}

// isTrue returns nil if a certificate holds by the witness, and what it says is not contradicted.
func isTrue(s solver.Solver, text string) error {
	said, err := certificatetest.Holds(text)
	if err != nil {
		return err
	}
	if a, err := solver.Attacker(&said.Position); err != nil || a != said.Attacker {
		return nil // the solver cannot be asked
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if said.Kind == "length" {
		e := length.NewEngine(nil)
		e.Begin(said.Attacker, length.F2)
		n, reason := e.Within(ctx, said.Position, said.Plies, 200_000)
		if reason == solver.NoReason && (n > said.Plies || n < said.Least) {
			return fmt.Errorf("the length is %d, the certificate says %d to %d", n, said.Least, said.Plies)
		}
		return nil
	}
	r := s.Solve(ctx, said.Position, solver.Limits{Shortest: true, Nodes: 200_000})
	mates := r.Verdict == solver.Mate && r.Exact
	switch {
	case said.Kind == "mate" && (r.Verdict == solver.NoMate || mates && r.Plies() > said.Plies),
		said.Kind == "nomate" && r.Verdict == solver.Mate,
		said.Kind == "within" && r.Verdict == solver.Mate && r.Plies() <= said.Plies:
		return fmt.Errorf("the solver says %v in %d plies, the certificate %s in %d",
			r.Verdict, r.Plies(), said.Kind, said.Plies)
	}
	return nil
}

func FuzzCheck(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := check(strings.NewReader(text)); err == nil {
			if _, err := certificatetest.Holds(text); err != nil {
				t.Fatalf("accepted, but the witness refuses it")
			}
		}
	})
}
