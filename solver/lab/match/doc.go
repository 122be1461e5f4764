// Package match plays games between two players, is their referee, and says which is the stronger.
//
//	openings ──► games, in pairs with colours swapped ──► Results, in order ──► Summary: score, Elo, SPRT
//
// The players of a match are A and B. Games come in pairs: games 2n and 2n+1 have the same opening,
// A is Black in the first and White in the second. What makes an opening unfair then cancels out,
// and the statistics count pairs, whose two games depend on each other, and not games.
//
// Game number n has an opening and seeds of its own, so its moves depend on nothing but the players
// and their limits, if those are not times. How many games are played at once changes nothing else:
// the results are counted in order.
package match
