// Package shogihome adds an engine to the list of engines that the GUI ShogiHome keeps.
//
// The list is the file usi_engine.json in the folder of ShogiHome's settings, or beside the program
// of its portable edition:
//
//	{
//	  "engines": {
//	    "es://usi-engine/<milliseconds>/<random>": {
//	      "uri": "…",          the name of the member again
//	      "name": "…",         what the user calls the engine
//	      "defaultName": "…",  what it calls itself
//	      "author": "…",
//	      "path": "…",
//	      "options": {"<name>": {"name": "…", "type": "…", "order": 100, "default": …}},
//	      "labels": {"game": true, "research": true, "mate": true},
//	      "tags": ["…"],       labels in the language of the user
//	      "enableEarlyPonder": false
//	    }
//	  },
//	  "tagColorMapping": {"<tag>": "<colour>"}
//	}
//
// This is the form that ShogiHome 1.29 reads and writes (src/common/settings/usi.ts and
// src/background/settings.ts there). An engine without tags gets those of its labels when ShogiHome
// reads it. A file of another form is refused: nothing is guessed in other people's files.
package shogihome

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tsumero/tsumero/api/cli"
)

const uriPrefix = "es://usi-engine/"

// Engine is an engine as it describes itself.
type Engine struct {
	Path    string // absolute
	Name    string
	Author  string
	Options []Option
}

// Option is an option of an engine, as USI declares it.
type Option struct {
	Name, Type string
	Default    *string
	Min, Max   string // of a spin
	Vars       []string
}

// Describe reads what an engine says about itself, from its answer to "usi" up to "usiok".
func Describe(path, answer string) (Engine, error) {
	e := Engine{Path: path}
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n")
		switch words := strings.Split(line, " "); {
		case line == "usiok":
			if e.Name == "" {
				return Engine{}, cli.Errorf("it does not say its name", "エンジン名がありません。")
			}
			return e, nil
		case strings.HasPrefix(line, "id name "):
			e.Name = strings.TrimPrefix(line, "id name ")
		case strings.HasPrefix(line, "id author "):
			e.Author = strings.TrimPrefix(line, "id author ")
		case len(words) >= 5 && words[0] == "option" && words[1] == "name" && words[3] == "type":
			o := Option{Name: words[2], Type: words[4]}
			for i := 5; i+1 < len(words); i += 2 {
				switch value := words[i+1]; words[i] {
				case "default":
					o.Default = &value
				case "min":
					o.Min = value
				case "max":
					o.Max = value
				case "var":
					o.Vars = append(o.Vars, value)
				}
			}
			e.Options = append(e.Options, o)
		}
	}
	return Engine{}, cli.Errorf("it does not answer \"usi\" with \"usiok\", as USI engines do",
		"usi に usiok を返さないので、USI エンジンではありません。")
}

// DefaultFile returns where ShogiHome keeps its list for the user of this process. The folder is
// called by the name that ShogiHome once had.
func DefaultFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "electron-shogi", "usi_engine.json"), nil
}

// A List is the list of engines as a file has it.
type List struct {
	Engines []Listed
	data    []byte
	// Where a member can be added to "engines": behind the last one, or behind the brace.
	at int
}

// Listed is an engine of a list.
type Listed struct{ Name, Path string }

// Parse reads a list. No data is an empty list.
func Parse(data []byte) (*List, error) {
	if len(data) == 0 {
		data = []byte("{\n  \"engines\": {}\n}")
	}
	l := &List{data: data}
	if err := l.parse(); err != nil {
		return nil, cli.Errorf("it is not what ShogiHome 1.29 writes: %s", "ShogiHome 1.29 の形ではありません：%s", err)
	}
	return l, nil
}

func (l *List) parse() error {
	d := jsontext.NewDecoder(bytes.NewReader(l.data)) // refuses a name that is there twice
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return cmp.Or(err, cli.Errorf("it is no JSON object", "JSON のオブジェクトではありません。"))
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		switch name := name.String(); name {
		case "engines":
			err = l.parseEngines(d)
		case "tagColorMapping":
			var colours map[string]string
			err = json.UnmarshalDecode(d, &colours)
		default:
			err = cli.Errorf("%q is not known", "%s が未知の項目です。", name)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, cli.Errorf("something follows the object", "オブジェクトの後に余分な文字があります。"))
	}
	if l.at == 0 {
		return cli.Errorf("it has no \"engines\"", "engines がありません。")
	}
	return nil
}

func (l *List) parseEngines(d *jsontext.Decoder) error {
	if d.PeekKind() != '{' {
		return cli.Errorf("\"engines\" is no object", "engines の形が違います。")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	l.at = int(d.InputOffset())
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		uri := name.String()
		var e struct {
			URI  *string `json:"uri"`
			Name *string `json:"name"`
			Path *string `json:"path"`
		}
		if err := json.UnmarshalDecode(d, &e); err != nil {
			return err
		}
		if !strings.HasPrefix(uri, uriPrefix) || e.URI == nil || *e.URI != uri ||
			e.Name == nil || e.Path == nil {
			return cli.Errorf("the engine %q has another form", "エンジン「%s」の形が違います。", uri)
		}
		l.Engines = append(l.Engines, Listed{*e.Name, *e.Path})
		l.at = int(d.InputOffset())
	}
	_, err := d.ReadToken()
	return err
}

// Find returns the engine of that file, if the list has one.
func (l *List) Find(path string) (Listed, bool) {
	for _, e := range l.Engines {
		if samePath(e.Path, path) {
			return e, true
		}
	}
	return Listed{}, false
}

func samePath(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Add returns the file with one more engine. Everything else in it is as it was, byte for byte.
func (l *List) Add(e Engine, now time.Time) ([]byte, error) {
	member, err := describe(e, fmt.Sprintf("%s%d/%x", uriPrefix, now.UnixMilli(), rand.Uint64N(1<<53)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(l.data[:l.at])
	if len(l.Engines) > 0 {
		out.WriteByte(',')
	}
	out.WriteString("\n    ")
	out.Write(member)
	if len(l.Engines) == 0 {
		out.WriteString("\n  ")
	}
	out.Write(l.data[l.at:])
	after, err := Parse(out.Bytes())
	if err != nil {
		return nil, err
	}
	if _, found := after.Find(e.Path); !found || len(after.Engines) != len(l.Engines)+1 {
		return nil, cli.Errorf("the engine is not in the list that was made",
			"作った一覧にエンジンが入りませんでした。") // not to be written
	}
	return out.Bytes(), nil
}

// describe returns the member of "engines" for an engine.
func describe(e Engine, uri string) ([]byte, error) {
	type option struct {
		Name    string   `json:"name"`
		Type    string   `json:"type"`
		Order   int      `json:"order"`
		Vars    []string `json:"vars,omitempty"`
		Default any      `json:"default,omitempty"`
		Min     *int64   `json:"min,omitempty"`
		Max     *int64   `json:"max,omitempty"`
	}
	var options jsontext.Value
	for i, o := range e.Options {
		// User-defined options begin with 100 in ShogiHome.
		described := option{Name: o.Name, Type: o.Type, Order: 100 + i, Vars: o.Vars}
		if o.Default != nil {
			described.Default = *o.Default
		}
		if o.Type == "spin" {
			for _, field := range []struct {
				text string
				to   **int64
			}{{o.Min, &described.Min}, {o.Max, &described.Max}} {
				if field.text == "" {
					continue
				}
				n, err := strconv.ParseInt(field.text, 10, 64)
				if err != nil {
					return nil, cli.Errorf("the option %s: %q is no number",
						"オプション %s の「%s」は数ではありません。", o.Name, field.text)
				}
				*field.to = &n
			}
			if o.Default != nil {
				n, err := strconv.ParseInt(*o.Default, 10, 64)
				if err != nil {
					return nil, cli.Errorf("the option %s: %q is no number",
						"オプション %s の「%s」は数ではありません。", o.Name, *o.Default)
				}
				described.Default = n
			}
		}
		name, err := json.Marshal(o.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(described)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			options = append(options, ',')
		}
		options = append(append(append(options, name...), ':'), value...)
	}
	engine := struct {
		URI         string         `json:"uri"`
		Name        string         `json:"name"`
		DefaultName string         `json:"defaultName"`
		Author      string         `json:"author"`
		Path        string         `json:"path"`
		Options     jsontext.Value `json:"options"`
		Labels      struct {
			Game     bool `json:"game"`
			Research bool `json:"research"`
			Mate     bool `json:"mate"`
		} `json:"labels"`
		EnableEarlyPonder bool `json:"enableEarlyPonder"`
	}{URI: uri, Name: e.Name, DefaultName: e.Name, Author: e.Author, Path: e.Path,
		Options: jsontext.Value("{" + string(options) + "}")}
	engine.Labels.Game, engine.Labels.Research, engine.Labels.Mate = true, true, true
	name, err := json.Marshal(uri)
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(engine, jsontext.WithIndentPrefix("    "), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(append(name, ':', ' '), value...), nil
}

// ErrChanged says that somebody else has written the file.
var ErrChanged = cli.Errorf("it has changed in the meantime", "途中でほかから書き換えられました。")

// ErrLocked says that ShogiHome is writing the file.
var ErrLocked = cli.Errorf("ShogiHome is writing it: try again", "ShogiHome が書き込み中です。もう一度実行してください。")

// lockAge is how old the lock of a program is that has ended without removing it. ShogiHome renews
// its lock every few seconds, and takes one of 5 seconds for such.
const lockAge = 10 * time.Second

// Replace writes the file, which must still be as it was read, nil if there was none. What was in
// it is kept in a copy beside it, whose path is returned. Whatever interrupts it, the file is the
// old one or the new one.
func Replace(file string, old, data []byte, now time.Time) (backup string, err error) {
	unlock, err := lock(file)
	if err != nil {
		return "", err
	}
	defer unlock()
	// The file itself is replaced, not a link to it.
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist) && old == nil:
	case err != nil:
		return "", err
	default:
		mode = info.Mode().Perm()
		present, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if old == nil || !bytes.Equal(present, old) {
			return "", ErrChanged
		}
		backup = file + ".backup-" + now.Format("20060102150405.000")
		if err := writeNew(backup, old, mode); err != nil {
			return "", err
		}
	}
	temp := file + ".tsumero.tmp"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return backup, err
	}
	if err := writeNew(temp, data, mode); err != nil {
		return backup, err
	}
	if err := os.Rename(temp, file); err != nil {
		return backup, errors.Join(err, os.Remove(temp))
	}
	return backup, nil
}

// writeNew writes a file that must not be there yet, and waits until the disk has it.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// lock takes the lock under which ShogiHome writes the file: a folder beside it.
func lock(file string) (unlock func(), err error) {
	path := file + ".lock"
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrExist) {
		info, statErr := os.Stat(path)
		if statErr != nil || time.Since(info.ModTime()) < lockAge {
			return nil, ErrLocked
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		err = os.Mkdir(path, 0o755)
	}
	if err != nil {
		return nil, err
	}
	return func() { os.Remove(path) }, nil
}
