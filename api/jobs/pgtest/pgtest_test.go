package pgtest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestServer: what is acknowledged survives a kill, and Stop.
func TestServer(t *testing.T) {
	t.Parallel()
	s := Start(t, Options{Settings: []string{"work_mem = 1MB"}})
	db := s.NewDatabase()
	s.Query(db, "create table line(n int)")
	for n, end := range []func(){s.Kill, s.Stop, s.Kill} {
		s.Query(db, fmt.Sprintf("insert into line values(%d)", n))
		end()
		if s.Alive() {
			t.Error("it lives")
		}
		s.Restart()
	}
	if got := s.Query(db, "select n from line order by n"); got != "0\n1\n2" {
		t.Errorf("the lines are %q", got)
	}
	for setting, want := range map[string]string{"fsync": "on", "work_mem": "1MB",
		"listen_addresses": "127.0.0.1"} {
		if got := s.Query(db, "show "+setting); got != want {
			t.Errorf("%s is %q", setting, got)
		}
	}
	const tables = "select count(*) from pg_tables where tablename = 'line'"
	if other := s.NewDatabase(); s.Query(other, tables) != "0" {
		t.Errorf("database %s has the tables of %s", other, db)
	}
}

// TestPair: what the primary has acknowledged, its standby has when it is promoted, and so in turn.
func TestPair(t *testing.T) {
	if testing.Short() {
		t.Skip("two servers, twice")
	}
	t.Parallel()
	p := StartPair(t, Options{})
	db := p.Primary.NewDatabase()
	p.Primary.Query(db, "create table line(n int)")
	for n := range 2 {
		p.Primary.Query(db, fmt.Sprintf("insert into line values(%d)", n))
		p.Primary.Kill()
		p.Promote()
		p.Rebuild()
	}
	if got := p.Primary.Query(db, "select count(*) from line"); got != "2" {
		t.Errorf("there are %s lines", got)
	}
	if !strings.Contains(p.URL(db), p.Standby.Address()) {
		t.Errorf("the standby is not in %s", p.URL(db))
	}
}

// TestGone: nothing of a server is left.
func TestGone(t *testing.T) {
	var s *Server
	t.Run("in it", func(t *testing.T) { s = Start(t, Options{}) })
	if s == nil {
		t.Skip("there is none")
	}
	if _, err := os.Stat(s.dir); s.Alive() || !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}
