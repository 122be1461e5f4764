package e2e

// The positions asked about, and what is known of them.
const (
	// A pawn guards 5b and covers nothing else: gold to the head.
	mateIn1 = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	// The same one move and its answer earlier.
	beforeMateIn1 = "4k4/9/4P4/9/9/9/9/9/8L w G2r2b3g4s4n3l17p 1"
	// A gold to either side of 5d, then the other.
	mateIn3 = "9/4k4/9/4P4/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1"
	// A problem of books: three plies, and five with a futile interposition.
	mateIn5 = "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"
	// A published problem of seven plies.
	mateIn7 = "5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1"
	// Its solution, the same line every time.
	solutionOf7 = "R*2b 2a1a 2b3b 4c3c P*1b 1a2a 4a3a"
	westernOf7  = "R*2b K-1a R-3b= +Rx3c P*1b K-2a +P-3a"
	// No search of seconds decides it.
	endless = "7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1"
	// The attacker has nothing to check with.
	neverMate = "4k4/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1"
	// Two pawns on the fifth file.
	twoPawns = "4k4/9/4P4/4P4/9/9/9/9/9 b G2r2b3g4s4n4l16p 1"
)
