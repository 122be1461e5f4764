package httpapi

import (
	"context"
	"runtime"
	"time"

	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/sched"
)

// What draws pictures is no part of this package. They take their turns here, as searches do: an
// animation of sixty moves takes longer than most questions.
const (
	pictureWait = 20 * time.Second
	pictureTime = 250 * time.Millisecond // about as long as the longest animation takes
)

// newPictures makes the slots. Animations have no more than one half of the processors, and others do
// not wait for them.
func (s *Server) newPictures() {
	processors := runtime.GOMAXPROCS(0)
	slots := func(k sched.Kind, n int) *sched.Slots {
		return sched.NewSlots(k, sched.PoolConfig{Slots: n, Wait: pictureWait}, s.searches)
	}
	s.pictures = slots(sched.Picture, processors)
	s.animations = slots(sched.Animation, (processors+1)/2)
}

// Draw calls draw, which draws a picture that moves or does not, once it is the turn of the client of
// the request that ctx belongs to. The time counts like that of a search. It returns why draw was not
// called, or nil: also if nobody waits for the picture any more.
func (s *Server) Draw(ctx context.Context, moves bool, draw func()) *wire.Problem {
	slots := s.pictures
	if moves {
		slots = s.animations
	}
	err := slots.Do(ctx, &recorderOf(ctx).client.account, pictureTime, draw)
	switch {
	case s.isEnding(ctx):
		return wire.NewProblem(wire.ShuttingDown, wire.Ending)
	case err != nil && ctx.Err() == nil:
		return s.searchProblem(err)
	}
	return nil
}
