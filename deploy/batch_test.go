package deploy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestBatchPart runs the script of the indexed job as the job does: each part once, one of them
// twice at once, one again after its task was killed. The parts together are what the collection is
// in one run.
func TestBatchPart(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program, which takes seconds to build")
	}
	t.Parallel()
	dir, data := programDir(t), t.TempDir()
	lines := strings.SplitAfter(read(t, "../solver/solvertest/testdata/known.tsv"), "\n")
	lines = append(slices.DeleteFunc(lines, func(l string) bool {
		return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#")
	})[:30], "no position\n")
	const parts = 4
	if err := os.Mkdir(filepath.Join(data, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, part := range slices.Collect(slices.Chunk(lines, (len(lines)+parts-1)/parts)) {
		write(t, filepath.Join(data, "in", fmt.Sprintf("part-%05d", i)), strings.Join(part, ""), 0o600)
	}
	whole := filepath.Join(data, "whole")
	write(t, whole, strings.Join(lines, ""), 0o600)

	path := dir + string(os.PathListSeparator) + os.Getenv("PATH")
	task := func(index int, path string) error {
		cmd := exec.Command("sh", "k8s/batch/part.sh", "--nodes=100000")
		cmd.Env = []string{"PATH=" + path, "DATA=" + data, "JOB_COMPLETION_INDEX=" + strconv.Itoa(index)}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("part %d: %w\n%s", index, err, out)
		}
		return nil
	}

	// A program that is killed in the middle leaves nothing that looks finished.
	killed := t.TempDir()
	write(t, filepath.Join(killed, "tsumero"), "#!/bin/sh\necho '{}'\nkill -9 $$\n", 0o700)
	if err := task(0, killed+string(os.PathListSeparator)+path); err == nil {
		t.Error("part 0 is finished though the program was killed")
	}
	if left := names(t, filepath.Join(data, "out")); len(left) > 0 {
		t.Errorf("killed, it left %q", left)
	}
	if err := task(parts, path); err == nil {
		t.Errorf("there is no part %d, and it is finished", parts)
	}

	var running sync.WaitGroup
	for _, index := range []int{0, 1, 2, 3, 3} {
		running.Go(func() {
			if err := task(index, path); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	if err := task(0, killed); err != nil {
		t.Errorf("a part that is there is made again: %v", err)
	}

	var together []byte
	for _, name := range names(t, filepath.Join(data, "out")) {
		together = append(together, gunzip(t, filepath.Join(data, "out", name))...)
	}
	cmd := exec.Command(filepath.Join(dir, "tsumero"), "solve", "--nodes=100000", "--output=json", "--file", whole)
	want, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 3 { // of the line that is no position
		t.Fatal(err)
	}
	if got, want := answers(t, together), answers(t, want); !slices.Equal(got, want) {
		t.Errorf("the parts have\n%s\nthe whole has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// answers returns lines of JSON without what differs between runs, and between places in a file.
func answers(t *testing.T, text []byte) (all []string) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var answer map[string]any
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		delete(answer, "elapsed_us")
		delete(answer, "line")
		b, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return all
}

func gunzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// names returns the names of what is in a folder, sorted.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
