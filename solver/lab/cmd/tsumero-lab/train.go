package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tsumero/tsumero/solver/lab/internal/command"
	"github.com/tsumero/tsumero/solver/lab/train"
)

func newTrain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Make the networks that the levels play with",
		Long: `Train makes networks from nothing but games of this program. For the level full, 'train gen' plays
games and records their positions, and 'train fit' trains a network on the records. 'train naginagi'
does both for the level of that name. 'train check' says what is in a file of records or of a network.

Only games show whether a network is any good:
  tsumero-lab match level:full,net=new.bin level:full --nodes 1000`,
		Args: command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTrainGen(), newTrainFit(), newTrainCheck(), newTrainNaginagi())
	return cmd
}

// A source is a file of records and what it says of itself.
type source struct {
	File    string       `json:"file"`
	Records int          `json:"records"`
	Header  train.Header `json:"header"`
}

// openRecords opens a file of records.
func openRecords(path string) (*os.File, *train.Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	r, err := train.NewReader(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, r, nil
}

// readRecords calls each for the records of a file. A record that a running generator has not yet
// written to its end is left out.
func readRecords(path string, each func(*train.Record)) (source, error) {
	file, r, err := openRecords(path)
	if err != nil {
		return source{}, err
	}
	defer file.Close()
	s := source{File: filepath.Base(path), Header: r.Header()}
	for {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return s, nil
		case err != nil:
			return s, fmt.Errorf("%s: %w", path, err)
		}
		s.Records++
		each(&record)
	}
}

// writeFile puts a file in the place of another at once, so that there is always one of the two.
func writeFile(path string, text []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}
