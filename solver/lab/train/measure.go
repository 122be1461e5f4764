package train

import (
	"math"

	"github.com/tsumero/tsumero/solver/play/eval"
)

// target returns what the value of r, as a probability to win, should be.
func target(r *Record, lambda float64) float64 {
	result := float64(r.Result) / 2
	score := float64(sigmoid(float32(r.Score) / eval.CentipawnsOfOne))
	return float64(lambda*score) + float64((1-lambda)*result)
}

// divergence returns by how many nats p is a worse code than t for what t says (Kullback-Leibler):
// the cross-entropy less what is left of it for p = t.
func divergence(t, p float64) float64 {
	part := func(t, p float64) float64 {
		if t <= 0 {
			return 0
		}
		return t * math.Log(t/max(p, 1e-12))
	}
	return part(t, p) + part(1-t, 1-p)
}

// A Loss is how far values are from their targets. It is no measure of strength: only matches are.
type Loss struct {
	Positions  int     `json:"positions"`
	Divergence float64 `json:"divergence"` // mean, in nats
	Square     float64 `json:"square"`     // mean square of the difference of probabilities
}

// Measure returns the loss of net, nil for the value without one, on records.
func Measure(net *eval.Net, records []Record, lambda float64) Loss {
	state := eval.NewState(net)
	var l Loss
	for i := range records {
		r := &records[i]
		p, err := r.Position.Position(int(r.Ply))
		if err != nil {
			continue // the rules do not allow it
		}
		state.Reset(&p)
		t := target(r, lambda)
		x := float64(sigmoid(float32(state.Value(&p)) / eval.CentipawnsOfOne))
		l.Positions++
		l.Divergence += divergence(t, x)
		l.Square += (t - x) * (t - x)
	}
	if l.Positions > 0 {
		l.Divergence /= float64(l.Positions)
		l.Square /= float64(l.Positions)
	}
	return l
}

// IsValidation reports whether a game is among those, one in every, that are kept for validation.
// Positions of a game are nearly equal, so the choice is of games.
func IsValidation(game uint32, every int) bool {
	return every > 0 && mix(uint64(game))%uint64(every) == 0
}

// Add makes l the loss on its positions and those of m.
func (l *Loss) Add(m Loss) {
	n := l.Positions + m.Positions
	if n == 0 {
		return
	}
	part := float64(m.Positions) / float64(n)
	l.Divergence += (m.Divergence - l.Divergence) * part
	l.Square += (m.Square - l.Square) * part
	l.Positions = n
}
