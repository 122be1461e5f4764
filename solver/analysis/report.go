package analysis

import (
	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/length"
	"github.com/tsumero/tsumero/solver/theme"
)

// The words of the report on a problem. Analyze makes it.

// An Answer is what is known of a fact. Nothing is assumed of what is Unknown.
type Answer uint8

const (
	Unknown Answer = iota
	Yes
	No
)

// String returns "unknown", "yes" or "no".
func (a Answer) String() string { return [...]string{"unknown", "yes", "no"}[a] }

// A Question is what an author or editor asks about a problem.
type Question struct {
	Position shogi.Position
	Attacker shogi.Color   // whose side is to force mate; he is to move
	Policy   length.Policy // by which plies are counted: the zero value counts as books do
	Profile  *Profile      // what makes the problem sound; nil: Magazine
	Line     []shogi.Move  // the author's, if it is known
	Told     int           // how many plies a text says that the mate takes, 0: it does not say
	Parts    Part          // what is asked for besides verdict, lengths and main line
	Scope    Scope         // along which lines the attacker's other checks are asked about
	Stop     Stop          // when no more of them are asked about
	// Nodes bounds the whole analysis, 0: DefaultNodes. QuestionNodes bounds each search in it, 0:
	// DefaultQuestionNodes; but then the last few checks that are not decided get more, as far as
	// Nodes suffice (attack.go).
	Nodes, QuestionNodes uint64
}

// A Scope says along which lines the attacker's other checks are asked about. Equal lines are those
// of best play in which the defender lasts as long as on the main line with nothing left over: which
// of them is called the main line is a choice, and a problem with a cook on any of them is cooked.
type Scope uint8

const (
	ScopeFew   Scope = iota // the main line and the first FewEqualLines equal ones
	ScopeMain               // the main line alone
	ScopeEqual              // the main line and all equal ones
)

// FewEqualLines is how many equal lines are looked along unless more are asked for. Of 91 problems of
// up to 13 plies one in 20 has more.
const FewEqualLines = 16

// Scopes are all of them.
var Scopes = []Scope{ScopeFew, ScopeMain, ScopeEqual}

// String returns "few", "main" or "equal".
func (s Scope) String() string { return [...]string{"few", "main", "equal"}[s] }

// A Stop says when the attacker's other checks are not asked about any more.
type Stop uint8

const (
	// StopSettled: once SettledCooks cooks are known, which settles that the problem is not sound.
	// Of the other checks those are counted that mate at the first, short look.
	StopSettled Stop = iota
	StopNever        // everything is asked about
	StopFirst        // at the first defect that the profile names
)

// Stops are all of them.
var Stops = []Stop{StopSettled, StopNever, StopFirst}

// SettledCooks is how many cooks a report has to have before it stops to look for more.
const SettledCooks = 3

// String returns "settled", "all" or "first".
func (s Stop) String() string { return [...]string{"settled", "all", "first"}[s] }

// The limits that a Question has if it says nothing. They are those of every report that is asked for
// without limits: at the command line, of a collection and on its sheets, over HTTP, of jobs, on pages
// and in GUIs; and of that with which package compose ends, so that what it calls sound is sound
// everywhere. A service has a limit of time besides, of its operator.
const (
	DefaultNodes         = 5_000_000
	DefaultQuestionNodes = 256_000
)

// A Part is what may be asked for, a set of bits.
type Part uint16

const (
	Attack     Part = 1 << iota // every other check of the attacker on the main line
	Defence                     // every other reply of the defender on the main line
	Duals                       // the class of each check that mates as well
	AllLengths                  // the lengths under all policies
	Tries                       // a refutation of each check that does not mate
	SideMates                   // second mates in shorter variations (変別)
	Economy                     // idle pieces (無駄駒)
	Difficulty                  // Analysis.Difficulty
	Certified                   // Analysis.Certificate
	Themes                      // searches for the themes that need them

	// DefaultParts are what a soundness test needs.
	DefaultParts = Attack | Defence | Duals
)

// An Analysis is the report on a problem.
type Analysis struct {
	Position shogi.Position
	Attacker shogi.Color
	Policy   length.Policy
	Profile  *Profile
	Parts    Part
	Told     int // as that of the question

	// Verdict is the raw one; all policies share it. If it is not Mate there is little else.
	Verdict solver.Verdict
	// Sound says whether the problem passes the rules of the profile. It is Yes only if all that
	// was asked is decided, and every part the rules need was asked for.
	Sound Answer
	// Lengths are those of the policies looked at: F0 and Policy, or all.
	Lengths  []Length
	Line     Line // the main line (本手順), if one is known
	Leftover Leftover
	Author   *Author // what the author's line comes to; nil if none was given
	Attack   []AttackNode
	Defence  []DefenceNode
	// EqualLines are the equal lines whose attack nodes were looked at too (Question.Scope), and
	// EqualLeft says how many there are at least that were not.
	EqualLines []EqualLine
	EqualLeft  int
	SideMates  []SideMate
	Economy    []IdlePiece
	Difficulty *DifficultyFacts
	Themes     []theme.Found // of the diagram and the main line
	Rules      []RuleResult
	// Certificate is a file by which anybody can check the raw verdict (package certificate).
	Certificate string

	// Reason says why something is not decided, the first there was. NoReason if everything is.
	Reason solver.Reason
	// Remaining are the moves that are not decided, or whose class is not, unless enough was known
	// to stop (Question.Stop).
	Remaining []Place
	// NoMateWithin says of all checks that are not decided: none of them mates within so many plies of
	// the diagram. 0 if that is not known of each, or if there are none.
	NoMateWithin int
	// Completed is the report on the problem with the missing pieces in the defender's hand, if some
	// are missing, the profile minds, and the diagram mates.
	Completed *Completed
	// Nodes is how many positions the searches looked at.
	Nodes uint64
	// Repeatable says that the same question gets the same report: nothing was ended by time or by
	// the context.
	Repeatable bool

	proof *solver.Proof // of the raw mate, turned
}

// A Completed says what a problem with missing pieces is with them in the defender's hand: what the
// report on that has.
type Completed struct {
	Position            shogi.Position
	Verdict             solver.Verdict
	Sound               Answer
	Lengths             []Length
	Decided, Mate, Open int    // other checks: decided, those of them that mate, and not decided
	Broken              []Rule // the rules whose breach is a defect
	Reason              solver.Reason
}

// A Length is that of the problem under a policy.
type Length struct {
	Policy length.Policy
	length.Interval
}

// A Line is a line of play to the mate. What is left over is what the attacker holds at its end,
// where he was not asked to take futile drops.
type Line struct {
	Moves    []shogi.Move
	Leftover shogi.Hand
	Given    bool // it is the author's
	// Raw says that every legal move counts in it: the best line under the policy is not known.
	Raw bool
}

// A LeftoverClass says whether pieces stay in the attacker's hand at the mate (駒余り).
type LeftoverClass uint8

const (
	LeftoverUnknown   LeftoverClass = iota
	LeftoverNone                    // no best line leaves anything
	LeftoverAvoidable               // the attacker can keep something on an equally short line
	LeftoverForced                  // every longest defence leaves something
)

// String returns "unknown", "none", "avoidable" or "forced".
func (c LeftoverClass) String() string {
	return [...]string{"unknown", "none", "avoidable", "forced"}[c]
}

// A Leftover is what stays in hand over the best lines: Least pieces if the attacker spends what he
// can, Most if he keeps it. Both are meaningless if the class is LeftoverUnknown.
type Leftover struct {
	Class       LeftoverClass
	Least, Most int
}

// A Place is a move of the problem: the move at a ply of the main line, 1 for the first, or of
// EqualLines[Line-1] if Line is not 0.
type Place struct {
	Ply  int
	Move shogi.Move
	Line int
}

// An AttackNode is a position of the main line with the attacker to move, and what his other checks
// come to.
type AttackNode struct {
	Place              // the main move
	Checks         int // legal ones, the main move counted
	Fail           int // of the others: refuted
	Mate           int // mate too
	Open           int // not decided
	Others         []OtherCheck
	OthersComplete bool // Others has the refuted checks too
}

// A CheckClass says what another check that mates is to the problem.
type CheckClass uint8

const (
	CheckUnknown  CheckClass = iota // not decided
	Try                             // 紛れ: it does not mate
	Mirror                          // the mirror image of the main move in a symmetric position
	Detour                          // 迂回: it mates only by coming back to the main line
	LastMove                        // 最終手余詰: at the last ply
	DualMove                        // 非限定: alike, with the same play
	Transposition                   // it mates only by joining the main line further on
	Early                           // 早詰: it mates sooner than the author's line
	Cook                            // 余詰
)

// String returns "unknown", "try", "mirror", "detour", "last_move", "dual", "transposition", "early"
// or "cook".
func (c CheckClass) String() string {
	return [...]string{"unknown", "try", "mirror", "detour", "last_move", "dual", "transposition", "early", "cook"}[c]
}

// A Dual says how two checks are alike (非限定).
type Dual uint8

const (
	NoDual       Dual = iota
	Promotion         // the same move, one promotes
	DistanceDrop      // the same kind dropped further from the king on the same line
	DistanceMove      // the same piece moved along the same line
	Origin            // the same kind to the same square from elsewhere
	Side              // the same kind to another square, as the last move
)

// String returns "", "promotion", "distance_drop", "distance_move", "origin" or "side".
func (d Dual) String() string {
	return [...]string{"", "promotion", "distance_drop", "distance_move", "origin", "side"}[d]
}

// An OtherCheck is a check of the attacker on the main line that is not the main move.
type OtherCheck struct {
	Move    shogi.Move
	Verdict solver.Verdict
	Class   CheckClass
	Dual    Dual
	// SamePlay says of moves alike whether the play after them is the same.
	SamePlay Answer
	// Length of the problem if this move is played, from the diagram, under the policy.
	Length length.Interval
	// Line begins with the move: of a mate to its end, of a try, if Tries was asked for, to the
	// reply that refutes it. Raw says that every legal move counts in it, as no other is known.
	Line     []shogi.Move
	Raw      bool
	Leftover shogi.Hand
	// NoMateWithin says of a check that is not decided: it does not mate within so many plies of the
	// diagram. 0 if nothing is known.
	NoMateWithin int
	Nodes        uint64
	Reason       solver.Reason // why it, or its class, is not decided
}

// A DefenceNode is a position of the main line with the defender in check. The last one, after the
// mating move, has only the futile drops.
type DefenceNode struct {
	Place   // the main reply; shogi.NoMove at the end
	Replies []Reply
}

// A ReplyKind says what a reply of the defender is to the problem.
type ReplyKind uint8

const (
	ReplyUnknown       ReplyKind = iota
	MainReply                    // the main line
	EqualReply                   // 変同: as long, and nothing need be left over
	EqualLeftoverReply           // as long, but something is left over
	ShorterReply                 // 変化
	LongerReply                  // 変長: longer than the author's line
	FutileReply                  // 無駄合: removed by the policy
	EscapeReply                  // there is no mate
)

// String returns "unknown", "main", "equal", "equal_leftover", "shorter", "longer", "futile" or
// "escapes".
func (k ReplyKind) String() string {
	return [...]string{"unknown", "main", "equal", "equal_leftover", "shorter", "longer", "futile", "escapes"}[k]
}

// A Reply is a reply of the defender on the main line.
type Reply struct {
	Move shogi.Move
	Kind ReplyKind
	// Length of the problem if this reply is played, from the diagram, under the policy.
	Length length.Interval
	// Line begins with the reply and goes to the mate, if it is known. Raw as for OtherCheck.
	Line     []shogi.Move
	Raw      bool
	Leftover shogi.Hand
	// Same are drops of other kinds on the same square with the same continuation.
	Same   []shogi.Move
	Futile *Futile // of a FutileReply
	Reason solver.Reason
}

// A Futile is why a drop is futile.
type Futile struct {
	Type    length.FutileType
	Capture shogi.Move // that shows it
	// NewPiece says of type XY that a piece is needed for the mate that had no part in it before.
	NewPiece bool
}

// An EqualLine is a line as good as the main line for both sides: its moves from the diagram on, the
// reply by which it leaves the main line or an equal line before it, and its attack nodes after that,
// up to where it comes to a position that is on a line before it.
type EqualLine struct {
	Moves  []shogi.Move
	Reply  Place
	Attack []AttackNode
}

// A SideMate is a second mate in a shorter variation, no shorter than the main line, with nothing
// left over (変別).
type SideMate struct {
	Variation Place      // the reply that begins it
	At        int        // ply of the other check
	Move      shogi.Move // the check
	Length    length.Interval
	Line      []shogi.Move // from the reply to the mate
}

// An IdlePiece says whether the problem is the same without a piece.
type IdlePiece struct {
	Square shogi.Square    // on the board, or NoSquare: in the attacker's hand
	Piece  shogi.PieceType // its kind
	Idle   Answer
}

// An AuthorFinding says what the author's line comes to.
type AuthorFinding uint8

const (
	AuthorUnknown AuthorFinding = iota
	Agrees                      // it is one of the best lines
	NoMateAfter                 // 不詰: a reply to a move of the line leaves no mate
	IsLonger                    // 変長: the defender can last longer
	IsEarly                     // 早詰: the attacker mates sooner
	PrefersEqual                // the defender could last as long without leftovers, where the line leaves some
	Faulty                      // it is no line to a mate: see Author.Fault and its place
)

// String returns "unknown", "agrees", "nomate", "longer", "early", "equal" or "fault".
func (f AuthorFinding) String() string {
	return [...]string{"unknown", "agrees", "nomate", "longer", "early", "equal", "fault"}[f]
}

// IsFault reports whether a line with that finding is not the solution of its problem. A line that is
// only shorter than another one is, by the custom of its time.
func (f AuthorFinding) IsFault() bool { return f == NoMateAfter || f == IsEarly || f == Faulty }

// An Author is what the author's line comes to.
type Author struct {
	Moves   []shogi.Move
	Plies   int // without the futile drops in it
	Finding AuthorFinding
	// Places are the replies that leave no mate or last longer, or where the shorter mate begins; of a
	// fault, the move that is at fault, or a reply where the line ends without mate.
	Places []Place
	Fault  LineFault // why the moves are no line to a mate
}

// A LineFault says why moves are no line to a mate.
type LineFault uint8

const (
	NoFault      LineFault = iota
	IllegalMove            // a move is illegal
	NoCheck                // a move of the attacker gives no check
	DefenderLast           // the line ends with a move of the defender
	WithoutMate            // the defender can reply at its end
)

// String returns "", "illegal_move", "no_check", "defender_last" or "no_mate".
func (f LineFault) String() string {
	return [...]string{"", "illegal_move", "no_check", "defender_last", "no_mate"}[f]
}
