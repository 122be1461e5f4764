package main

import (
	"context"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/mate"
)

// A program of WebAssembly has 4 GiB of addresses at most, never gives memory back, and lies in the
// process of a page: if a browser has not as much as it asks for, the page goes with it.

// tableBytes is the size of the table at first. It grows on use.
const tableBytes = 64 << 20

// maxTableBytes returns the size of the largest table. Garbage may take as much again.
func maxTableBytes() int64 { return 1 << 30 }

// warmUp solves a little. Browsers compile each function when it is first called, a quarter of a
// second for those of a search, in which no stop would be heard.
func warmUp() {
	s := mate.New(mate.Options{TableBytes: 1 << 20, Threads: 1})
	for _, sfen := range []string{
		"5+P1k1/9/5+rB2/9/9/9/9/9/9 b RPb4g4s4n4l16p 1",  // a mate in 7
		"7k1/9/9/9/9/9/9/9/9 b B2G2SL2P2rb2g2s4n3l16p 1", // hard
	} {
		s.Solve(context.Background(), shogi.MustParseSFEN(sfen),
			solver.Limits{Nodes: 3000, Shortest: true, AnyLine: true})
	}
}

// freeMemory does nothing: there is no way to return memory, and no stop is heard meanwhile.
func freeMemory() {}
