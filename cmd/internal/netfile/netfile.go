// Package netfile reads the files of networks.
package netfile

import (
	"fmt"
	"io"
	"os"

	"github.com/tsumero/tsumero/solver/play/eval"
)

// Read returns the network of a file, or why it cannot be used.
func Read(path string) (*eval.Net, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, eval.MaxNetSize+1))
	if err != nil {
		return nil, err
	}
	n, err := eval.ParseNet(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}
