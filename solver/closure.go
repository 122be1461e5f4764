package solver

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
)

// A Member is a position of a closed set: the attacker is to move, and each of his checks has a reply
// after which the position is covered. It is covered if a member has the same board, no less in the
// attacker's hand and no fewer plies; or if the attacker has no check; or, where plies are bounded,
// if none are left, or so few that none of his checks mates in time. So in no member there is a mate
// within Plies.
type Member struct {
	Position shogi.Position
	Plies    int          // Endless for any number; a reply leaves two less
	Checks   []shogi.Move // all that are legal
	Replies  []shogi.Move // to each of them
}

// Endless is the plies of a closed set that says that there is no mate at any length.
const Endless = 1 << 30

// A Closure grows a closed set. What makes one has searched some position and found no mate; it
// takes the replies from what that search remembers, and searches again only what is missing.
type Closure interface {
	// Begin empties the set. All positions that follow must have the pieces of p in play, and this
	// attacker.
	Begin(p shogi.Position, attacker shogi.Color)
	// Cover adds to the set what p, within so many plies, needs to be covered, or, with the defender
	// to move, the position after the reply, which it returns: the verdict is NoMate then. Mate says
	// that there is one.
	Cover(ctx context.Context, p shogi.Position, plies int, nodes uint64) (shogi.Move, Decision)
	// Close finds the replies of all members, and of those that are added by them. There may be so
	// many members; 0 nodes are any number.
	Close(ctx context.Context, members int, nodes uint64) Decision
	// Members returns the set.
	Members() []Member
}

// A Refuter is a Session that grows closed sets with what it remembers.
type Refuter interface{ Closure() Closure }

// ReasonMembers says that a closed set would have more members than it may.
const ReasonMembers Reason = "limit_members"
