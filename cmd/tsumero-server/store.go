package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tsumero/tsumero/api/cli"
	"github.com/tsumero/tsumero/api/jobs/queue"
)

// storeSettings say where jobs are kept: in a directory of this process, or in PostgreSQL.
type storeSettings struct {
	address  string
	file     string // that has the address
	maxBytes int64
	flags    *pflag.FlagSet
}

// The bounds of the size of a store.
const (
	leastStore = 16 << 20
	mostStore  = 1 << 50
)

// declare declares the address. where says what it may be.
func (s *storeSettings) declare(set *cli.Settings, flags *pflag.FlagSet, where string) {
	s.flags = flags
	l := set.Language
	set.Text(&s.address, "jobs", "WHERE", where, nil)
	set.Text(&s.file, "jobs-file", "FILE", l.Text("a file that has what --jobs would be; an address with a password belongs "+
		"into one that nobody else may read",
		"--jobs の内容を書いたファイル。パスワード付きのアドレスは、ほかの人が読めないファイルに"), nil)
}

// declareSize declares how much a directory keeps.
func (s *storeSettings) declareSize(set *cli.Settings) {
	l := set.Language
	set.Size(&s.maxBytes, "jobs-max-bytes", 1<<30, leastStore, mostStore, l.Text("the most that is kept in a directory when "+
		"new jobs are taken, and a quarter more for the answers to those; auto: four fifths of what "+
		"the disk has room for",
		"新しいジョブを受けるときのディレクトリの保存量の上限（答えにはさらに4分の1）。auto：ディスクの空きの5分の4"))
	set.Automatic()
}

// resolve reads the file, and checks the address.
func (s *storeSettings) resolve() error {
	if os.Getenv("TSUMERO_NATS") != "" {
		return cli.Errorf("TSUMERO_NATS is gone: %s", "TSUMERO_NATS は廃止されました：%s", insteadOfNATS)
	}
	if s.file != "" {
		if s.address != "" {
			return cli.Errorf("--jobs and --jobs-file say the same: give one of them",
				"--jobs と --jobs-file は同時に使えません。")
		}
		text, err := os.ReadFile(s.file)
		if err != nil {
			return fmt.Errorf("--jobs-file: %w", err)
		}
		s.address = strings.TrimSpace(string(text))
		if s.address == "" {
			return cli.Errorf("--jobs-file: %s is empty", "--jobs-file：%s は空です。", s.file)
		}
	} else if hasPassword(s.address) && s.flags.Changed("jobs") {
		return cli.Errorf("--jobs has a password, and all on this machine can read the command lines of programs: "+
			"give it by --jobs-file, TSUMERO_JOBS, or PGPASSFILE",
			"--jobs に書いたパスワードはほかの利用者に見えます。--jobs-file、TSUMERO_JOBS、PGPASSFILE で渡してください。")
	}
	if s.address == "" {
		return nil
	}
	if err := queue.CheckAddress(s.address); err != nil {
		return fmt.Errorf("--jobs: %w", err)
	}
	return nil
}

// hasPassword reports whether an address has one, or may have one.
func hasPassword(address string) bool {
	if !queue.IsRemote(address) {
		return false
	}
	// Not by url.Parse, which refuses several hosts with ports.
	_, address, _ = strings.Cut(address, "://")
	address, query, _ := strings.Cut(address, "?")
	i := strings.LastIndexByte(address, '@')
	values, err := url.ParseQuery(query)
	return i >= 0 && strings.Contains(address[:i], ":") || err != nil || values.Has("password") || values.Has("sslpassword")
}

// given reports whether there is a store.
func (s *storeSettings) given() bool { return s.address != "" }

// isDirectory reports whether the store is one.
func (s *storeSettings) isDirectory() bool { return s.given() && !queue.IsRemote(s.address) }

// checkpoints returns the directory of the checkpoints: given, or that of a store in a directory.
func (s *storeSettings) checkpoints(given string) string {
	if given == "" && s.isDirectory() {
		return filepath.Join(s.address, "checkpoints")
	}
	return given
}
