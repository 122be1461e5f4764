package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkSolve measures the whole way of a position through the command: read, parse, solve,
// verify, print.
func BenchmarkSolve(b *testing.B) {
	data, err := os.ReadFile("../../solver/lab/bench/positions.tsv")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))[2:]
	lines = lines[:len(lines)-1]
	var input bytes.Buffer
	for i := range b.N {
		input.Write(lines[i%len(lines)])
	}
	b.ReportAllocs()
	b.ResetTimer()
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"solve", "-o", "json"}, &input, io.Discard, &stderr); code > exitUnknown {
		b.Fatalf("exit code %d: %s", code, stderr.String())
	}
}

// BenchmarkStart measures what a question takes whose answer is there at once: the processor time of
// a process of its own, with all that it sets up.
func BenchmarkStart(b *testing.B) {
	for _, row := range []struct {
		name string
		args []string
	}{
		{"version", []string{"version"}},
		{"mate1", []string{"solve", "4k4/9/4G4/9/9/9/9/9/9 b G2r2b2g4s4n4l18p 1"}},
		{"mate5", []string{"solve", "--raw", "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"}},
		{"counted5", []string{"solve", "7R1/9/8k/8p/5R3/9/9/9/9 b 2b4g4s4n4l17p 1"}},
	} {
		b.Run(row.name, func(b *testing.B) {
			var used time.Duration
			for range b.N {
				cmd := exec.Command("tsumero", row.args...)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(used.Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
