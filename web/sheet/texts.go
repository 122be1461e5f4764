package sheet

import (
	"fmt"

	"github.com/tsumero/tsumero/api/report"
)

// A text is a sentence of the sheet with gaps for values.
type text report.Text

// In returns the text in a language with values put in.
func (t text) In(language string, values ...any) string {
	return fmt.Sprintf(report.Text(t).In(language), values...)
}

// What a sheet says beside the problems. What is found out about them is worded by package report.
var (
	untitled    = text{"詰将棋%d題", "%d mate problems"}
	untitledOne = text{"詰将棋", "A mate problem"}
	by          = text{"%s作", "by %s"}
	ply         = text{"%d手目", "ply %d"}
	noMate      = text{"詰まない", "there is no mate"}
	noLine      = text{"手順は不明", "no solution is known"}
	solutions   = text{"解答", "Solutions"}
	solutionsOf = text{"%d～%dの解答", "Solutions of %d to %d"}
	solutionOf  = text{"%dの解答", "Solution of %d"}
	toSolution  = text{"解答", "Solution"}
	toDiagram   = text{"図", "Diagram"}
	elsewhere   = text{"%sの解答は巻末", "Solutions of %s: at the end"}
	comma       = text{"、", ", "}
	alike       = text{"似た問題", "Problems that are alike"}
	faulty      = text{"読めなかった問題", "Problems that could not be read"}
)
