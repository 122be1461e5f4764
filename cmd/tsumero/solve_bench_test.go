package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"
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
