package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/tsumero/tsumero/api/filelock"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/solver/analysis"
)

// A Keep has finished reports in a file, so that a run that was stopped goes on where it was, and the
// same reports in another output or language cost nothing. A report is found again by all that it
// depends on: the position, the author's line, what is asked, the limits, and the build that made it.
// Reports that time or an interrupt has cut short are not kept. It is safe for concurrent use.
//
// The file has a line that says what it is, and then a line for each report, as the API answers it, and
// for each job that was submitted.
// Lines are only appended, so that a killed program leaves at most one that is cut off, which the next
// run removes. A report that is not as it was written, because the disk or another program has
// changed it, is made again. One run has the file at a time.
type Keep struct {
	build string

	mu    sync.Mutex
	file  *os.File // nil if nothing is kept longer than the run
	end   int64
	at    map[string]keptAt // by key
	brief map[string][]byte // what is found again during this run alone
	jobs  []*CollectionJob  // that were submitted, in order
	err   error             // of the first report that could not be written
}

// keptAt is where a report is in the file.
type keptAt struct {
	offset int64
	size   int
}

// keepHeader is the first line of the file.
// It is that of tsumero games, too: keys are those of one or the other.
const keepHeader = `{"keeps":"reports of tsumero collection"}` + "\n"

// A kept report is a line of the file: keyBegins, the key, keyEnds, the report, and what sealed appends. A
// job is a line that begins with jobBegins.
const (
	jobBegins = `{"job":`
	keyBegins = `{"key":"`
	keyEnds   = `","report":`
	keySize   = 2 * sha256.Size
)

// sealed returns the rest of the line of a report: the report, and the checksum of it and its key.
func sealed(key string, report []byte) []byte {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte(key), castagnoli), castagnoli, report)
	return fmt.Appendf(report[:len(report):len(report)], `,"crc32c":"%08x"}`+"\n", sum)
}

// unsealed returns the report that sealed made rest of. ok is false if there is none.
func unsealed(key string, rest []byte) (report []byte, ok bool) {
	size := len(rest) - len(sealed("", nil))
	if size < 0 {
		return nil, false
	}
	return rest[:size], bytes.Equal(sealed(key, rest[:size]), rest)
}

// NewKeep returns a Keep without a file, for reports of that build.
func NewKeep(build string) *Keep {
	return &Keep{build: build, at: map[string]keptAt{}, brief: map[string][]byte{}}
}

// OpenKeep returns the Keep in a file, which is made if it is not there. build names the build that
// makes reports, and those of others are left alone.
func OpenKeep(path, build string) (*Keep, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	k := NewKeep(build)
	k.file = file
	err = filelock.Lock(file)
	if errors.Is(err, filelock.ErrHeld) {
		err = errKeepInUse
	}
	if err == nil {
		err = k.load()
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

var errKeepInUse = Errorf("another run writes this file; wait for it, or name another one",
	"別の実行が書き込み中のファイルです。終わるまで待つか、別のファイルを指定してください。")

var errNoKeep = Errorf("this is no file of kept reports; name a new one",
	"途中経過のファイルではありません。新しいファイルを指定してください。")

func (k *Keep) load() error {
	in := bufio.NewReaderSize(k.file, 1<<20)
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		head := line[:min(len(line), len(keyBegins)+keySize+len(keyEnds))]
		key := string(head[min(len(head), len(keyBegins)):min(len(head), len(keyBegins)+keySize)])
		size := len(line)
		ok := string(head) == keyBegins+key+keyEnds
		if first {
			switch {
			case err == io.EOF && bytes.HasPrefix([]byte(keepHeader), line): // new, or cut off
				if _, err := k.file.WriteAt([]byte(keepHeader), 0); err != nil {
					return err
				}
				k.end = int64(len(keepHeader))
				return nil
			case string(line) != keepHeader:
				return errNoKeep
			}
			k.end = int64(size)
			continue
		}
		var whole []byte // of a line about a job
		isJob := bytes.HasPrefix(line, []byte(jobBegins))
		for errors.Is(err, bufio.ErrBufferFull) {
			if isJob {
				whole = append(whole, line...)
			}
			line, err = in.ReadSlice('\n')
			size += len(line)
		}
		switch {
		case err == io.EOF:
			return k.file.Truncate(k.end) // cut off, if there is anything
		case err != nil:
			return err
		case isJob:
			var r jobRecord
			if json.Unmarshal(append(whole, line...), &r) == nil && r.Job != nil {
				k.jobs = append(k.jobs, r.Job)
			}
		case ok:
			offset := len(keyBegins) + keySize + len(keyEnds)
			k.at[key] = keptAt{k.end + int64(offset), size - offset}
		}
		k.end += int64(size)
	}
}

// Close ends the use of the file. Its error says that a report could not be written, too.
func (k *Keep) Close() error {
	if k.file == nil {
		return nil
	}
	return cmp.Or(k.err, filelock.Unlock(k.file), k.file.Close())
}

// key returns all that the report on a question depends on, as a hash.
func (k *Keep) key(q *analysis.Question) string {
	profile := ""
	if q.Profile != nil {
		profile = q.Profile.Name
	}
	text := fmt.Appendf(nil, "%s\n%s\n%s %v %v %s %d %v %v %d %d", k.build, wire.AnalysisSemantics,
		q.Position.ProblemSFEN(), q.Attacker, q.Policy, profile, q.Parts, q.Scope, q.Stop,
		q.Nodes, q.QuestionNodes)
	for _, m := range q.Line {
		text = m.AppendUSI(append(text, ' '))
	}
	return keyOf(text)
}

// keyOf returns the key of a report that depends on what a text says.
func keyOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// find returns the report on a question, nil if it is not there.
func (k *Keep) find(q *analysis.Question) *analysis.Analysis {
	text := k.text(k.key(q))
	if text == nil {
		return nil
	}
	a, err := wire.ReadAnalysis(text, q.Parts)
	if err != nil || a.Position.ProblemSFEN() != q.Position.ProblemSFEN() {
		return nil // it is searched again
	}
	a.Position = q.Position // with its ply
	return a
}

// text returns the report with a key, nil if it is not there.
func (k *Keep) text(key string) []byte {
	k.mu.Lock()
	text := k.brief[key]
	at, ok := k.at[key]
	k.mu.Unlock()
	if text != nil || !ok {
		return text
	}
	rest := make([]byte, at.size)
	_, err := k.file.ReadAt(rest, at.offset)
	if text, ok = unsealed(key, rest); err != nil || !ok {
		return nil // it is searched again
	}
	return text
}

// add keeps the report on a question: for the run, and in the file if it is the same each time.
func (k *Keep) add(q *analysis.Question, report []byte, lasting bool) {
	key := k.key(q)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.file == nil || !lasting {
		k.brief[key] = report
		return
	}
	k.write(key, report)
}

// addText keeps the report with a key in the file.
func (k *Keep) addText(key string, report []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.write(key, report)
}

// write appends a report to the file. If it cannot be written the run goes on with what it has found,
// and Close says so. The caller holds mu.
func (k *Keep) write(key string, report []byte) {
	rest := sealed(key, report)
	line := slices.Concat([]byte(keyBegins), []byte(key), []byte(keyEnds), rest)
	if _, err := k.file.WriteAt(line, k.end); err != nil {
		k.brief[key], k.err = report, cmp.Or(k.err, err)
		return
	}
	k.at[key] = keptAt{k.end + int64(len(line)-len(rest)), len(rest)}
	k.end += int64(len(line))
}
