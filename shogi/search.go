package shogi

// A SearchPosition is a Position with what searches ask of it besides the rules: moves in stages,
// passes, keys of positions that are not on the board yet. It serves the solvers and the player of
// this module and is no part of what its versions promise.
type SearchPosition Position

// ForSearch returns p itself as searches see it.
func (p *Position) ForSearch() *SearchPosition { return (*SearchPosition)(p) }
