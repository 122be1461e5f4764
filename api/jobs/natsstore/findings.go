//go:build !nonats

package natsstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// findings are the damages that were found in a store. Those of an embedded store are in a file.
type findings struct {
	path string // "" for none

	mu  sync.Mutex
	all []Finding
}

// openFindings reads the findings of a file. A line that cannot be read is a finding itself.
func openFindings(path string) (*findings, error) {
	f := &findings{path: path}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("natsstore: %w", err)
	}
	for line := range bytes.Lines(text) {
		var one Finding
		if json.Unmarshal(line, &one) != nil {
			one = Finding{Text: fmt.Sprintf("a finding that cannot be read: %.200q", line)}
		}
		f.all = append(f.all, one)
	}
	return f, nil
}

// add keeps findings, unless they are known, and returns those that are not.
func (f *findings) add(found ...Finding) (added []Finding, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[Finding]bool{}
	for _, one := range f.all {
		one.Time, one.Acknowledged = time.Time{}, false
		known[one] = true
	}
	var text []byte
	for _, one := range found {
		if known[one] {
			continue
		}
		one.Time = time.Now().UTC().Truncate(time.Second)
		f.all = append(f.all, one)
		added = append(added, one)
		line, err := json.Marshal(one)
		if err != nil {
			return added, err
		}
		text = append(append(text, line...), '\n')
	}
	if len(text) == 0 || f.path == "" {
		return added, nil
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return added, fmt.Errorf("natsstore: %w", err)
	}
	info, err := file.Stat()
	if err == nil {
		if _, err = file.Write(text); err != nil {
			_ = file.Truncate(info.Size()) // else the next finding is behind half of one
		}
	}
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil && info.Size() == 0 { // it may be new
		err = syncDirectory(filepath.Dir(f.path))
	}
	if err != nil {
		return added, fmt.Errorf("natsstore: %w", err)
	}
	return added, nil
}

// KeepFindings keeps what Verify found and nobody mends now.
func (s *Store) KeepFindings(missing []Missing) error {
	found := make([]Finding, len(missing))
	for i, m := range missing {
		found[i] = Finding{ID: m.ID, Text: m.String()}
	}
	_, err := s.findings.add(found...)
	return err
}

// Findings returns the damages that were found in the store and not acknowledged since.
func (s *Store) Findings() []Finding {
	s.findings.mu.Lock()
	defer s.findings.mu.Unlock()
	var open []Finding
	for _, one := range s.findings.all {
		if !one.Acknowledged {
			open = append(open, one)
		}
	}
	return open
}

// Acknowledge ends all Findings. A damage that stays is not reported again. Those of a cluster are
// known to this process only.
func (s *Store) Acknowledge() error {
	f := s.findings
	f.mu.Lock()
	defer f.mu.Unlock()
	var kept []Finding
	var text []byte
	for _, one := range f.all {
		if one.isEvent() {
			continue
		}
		one.Acknowledged = true
		kept = append(kept, one)
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	if f.path != "" {
		if err := writeFile(f.path, text); err != nil {
			return err
		}
	}
	f.all = kept
	return nil
}

// report keeps what was found, and logs it, but not again what stays as it was. What cannot be written
// now, as on a full disk, is known to this process only.
func (s *Store) report(f Finding) {
	added, err := s.findings.add(f)
	if len(added) > 0 || f.isEvent() {
		s.options.Log.Error("the job store is damaged", "job", f.ID.Short(), "found", hideIDs(f.Text), "done", f.Done)
	}
	if err != nil {
		s.options.Log.Error("a damage of the job store could not be kept", "error", err)
	}
}

// isEvent reports whether another finding like it is another damage.
func (f *Finding) isEvent() bool { return f.ID == "" || f.Done != "" }
