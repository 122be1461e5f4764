package solvertest_test

import (
	"testing"

	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/door"
	"github.com/tsumero/tsumero/solver/mate1"
	"github.com/tsumero/tsumero/solver/mate3"
	"github.com/tsumero/tsumero/solver/solvertest"
)

func TestMate1(t *testing.T) { solvertest.Run(t, mate1.Solver, solvertest.Claim{Plies: 1}) }

func TestMate3(t *testing.T) { solvertest.Run(t, mate3.Solver, solvertest.Claim{Plies: 3}) }

func TestFirst(t *testing.T) {
	solvertest.Run(t, solver.First(mate1.Solver, mate3.Solver), solvertest.Claim{Plies: 3})
}

func TestDoor(t *testing.T) { solvertest.Run(t, door.New(nil), solvertest.Claim{Plies: 3}) }
