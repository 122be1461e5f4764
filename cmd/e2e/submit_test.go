package e2e

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ask runs a command of tsumero that asks the service. What it keeps of jobs is in the folder home.
func (s *service) ask(t *testing.T, home, stdin string, args ...string) outcome {
	t.Helper()
	cmd := program(t, "tsumero", args...)
	cmd.Env = append(cmd.Env, "TSUMERO_SERVER="+s.url, "XDG_STATE_HOME="+home)
	return finish(t, cmd, stdin)
}

// TestJobsOfService: against a real service, what is submitted gets the answers of solve, whether
// the commands ask or the form of the page.
func TestJobsOfService(t *testing.T) {
	long(t)
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--rate", "0", "--memory", "128MiB")
	home := t.TempDir()
	input := mateIn5 + "\nno position\n4k4/9/9/9/9/9/9/9/9 b 2P2r2b4g4s4n4l16p 1\n"
	submitted := s.ask(t, home, input, "submit", "--wait", "--nodes", "50000")
	solved := run(t, input, "tsumero", "solve", "--raw", "--nodes", "50000")
	stdout := regexp.MustCompile(`(?m)^# line \d+\n`).ReplaceAllString(submitted.stdout, "")
	// Who submits has not asked for the raw count, and is told what it is.
	if count := " (every move counted)"; strings.Count(stdout, count) == 1 {
		stdout = strings.Replace(stdout, count, "", 1)
	} else {
		t.Errorf("%d times %q", strings.Count(stdout, count), count)
	}
	nodes := regexp.MustCompile(`\d+ nodes?`) // which depend on the memory
	if submitted.code != solved.code || still(nodes.ReplaceAllString(stdout, "")) != still(nodes.ReplaceAllString(solved.stdout, "")) {
		t.Errorf("%+v\nsolve: %+v", submitted, solved)
	}
	id := regexp.MustCompile(`job ([a-z2-7]{26})\n`).FindStringSubmatch(submitted.stderr)
	if id == nil {
		t.Fatal(submitted.stderr)
	}
	if told := s.ask(t, home, "", "jobs", "-o", "tsv", id[1]); told.code != 0 ||
		!strings.Contains(told.stdout, "\tcollection\tdone\t3\t3\t1\t1\t0\t1\t") {
		t.Errorf("%+v", told)
	}

	// The form, as a browser without scripts sends it.
	form := url.Values{"sfen": {mateIn5}, "time_ms": {"60000"}, "shortest": {"true"}, "lang": {"en"}}
	resp, err := http.PostForm(s.url+"/jobs", form)
	for end := time.Now().Add(30 * time.Second); ; {
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		page := string(body)
		if resp.StatusCode == http.StatusOK && strings.Contains(page, "Mate in 5") && strings.Contains(page, "Proven to be the shortest") {
			break
		}
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Request.URL.Path, "/jobs/") || time.Now().After(end) {
			t.Fatalf("%s %s\n%s", resp.Status, resp.Request.URL, page)
		}
		time.Sleep(50 * time.Millisecond)
		resp, err = http.Get(resp.Request.URL.String())
	}
	for path, want := range map[string]int{"/jobs": 200, "/jobs/" + strings.Repeat("a", 26): 404, "/jobs/" + id[1]: 200} {
		if r := s.send(t, "GET", path, ""); r.StatusCode != want {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	if strings.Contains(s.log.whole(), id[1]) {
		t.Error("the log has the id of a job")
	}
}

// TestSubmitOnSameMachine: whoever tries the service out needs no settings for a large collection. A
// quota that is set counts, and a refusal says how.
func TestSubmitOnSameMachine(t *testing.T) {
	long(t)
	home := t.TempDir()
	const lines = 16_000
	s := startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"))
	got := s.ask(t, home, strings.Repeat(mateIn1+"\n", lines), "submit", "--wait", "-o", "tsv")
	if n := strings.Count(got.stdout, "\tmate\t1\t"); got.code != 0 || n != lines {
		t.Errorf("code %d and %d mates of %d: %s", got.code, n, lines, got.stderr)
	}
	s = startService(t, "--jobs", filepath.Join(t.TempDir(), "jobs"), "--quota-anonymous", "lines=1")
	got = s.ask(t, home, mateIn1+"\n"+mateIn1+"\n", "submit")
	if got.code != 5 || !strings.Contains(got.stderr, "at most 1.") || !strings.Contains(got.stderr, "--quota-anonymous lines=N") {
		t.Errorf("code %d: %s", got.code, got.stderr)
	}
}
