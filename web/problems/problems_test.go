package problems

import (
	"slices"
	"strings"
	"testing"
)

// TestParse: a line with a fault is refused with its number.
func TestParse(t *testing.T) {
	const problem = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"
	all, err := Parse("# x\n\n" + problem + "\t1\tG*5b\ta b\r\n" + problem + "\t1\tG*5b\n" + problem + "\t1\tG*5b\t\tx\t3 -1\n")
	if err != nil || len(all) != 3 || all[0].SFEN != problem || all[0].Plies != 1 || all[0].Line != "G*5b" ||
		strings.Join(all[0].Themes, "+") != "a+b" || all[1].Themes != nil || all[1].Features != nil ||
		all[2].Certificate != "x" || !slices.Equal(all[2].Features, []int{3, -1}) {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{"x", problem, problem + "\t1", "4k4\t1\tG*5b", problem + "\tone\tG*5b", problem + "\t0\tG*5b",
		problem + "\t1\tG*5b\t\tx\t3 x"} {
		if _, err := Parse("#\n" + text); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
