package compose

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tsumero/tsumero/shogi"
)

var (
	repairFile = flag.String("repair", "", "measure Repair on the problems of `FILE`: SFEN, name, and the author's line")
	repairTime = flag.Duration("repair-time", time.Minute, "for each problem")
)

// How many problems of a file are mended, and how soon. It prints a row for each.
func TestRepairMeasure(t *testing.T) {
	if *repairFile == "" {
		t.Skip("without -repair FILE")
	}
	file, err := os.Open(*repairFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fmt.Println("# name\tplies\tmended\tchanges\tseconds\tsingles\tpairs\topen\tall\twhat")
	var n, mended, byOne int
	for in := bufio.NewScanner(file); in.Scan(); {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		fields := append(strings.Split(in.Text(), "\t"), "", "")
		o := RepairOptions{Search: anyProblem(1), Position: shogi.MustParseSFEN(fields[0]),
			Told: new(RepairTally)}
		for m := range strings.FieldsSeq(fields[2]) {
			move, err := shogi.ParseMove(m)
			if err != nil {
				t.Fatal(err)
			}
			o.Line = append(o.Line, move)
		}
		ctx, cancel := context.WithTimeout(t.Context(), *repairTime)
		began := time.Now()
		problems, err := Repair(ctx, o)
		if err != nil {
			fmt.Printf("# %s: %v\n", fields[1], err)
			cancel()
			continue
		}
		n++
		row := "no\t-"
		what := ""
		for q := range problems {
			mended++
			if len(q.Changes) == 1 {
				byOne++
			}
			for i := range q.Changes {
				what += q.Changes[i].Message().Japanese() + " "
			}
			row = fmt.Sprintf("yes\t%d", len(q.Changes))
			break
		}
		cancel()
		fmt.Printf("%s\t%d\t%s\t%.1f\t%d/%d\t%d/%d\t%d\t%v\t%s\n", fields[1], len(o.Told.Line), row, time.Since(began).Seconds(),
			o.Told.Singles, o.Told.Of[0], o.Told.Pairs, o.Told.Of[1], o.Told.Open, o.Told.All(), what)
	}
	fmt.Printf("# %d problems, %d mended, %d of them by one change\n", n, mended, byOne)
}
