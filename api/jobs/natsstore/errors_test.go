//go:build !nonats

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/tsumero/tsumero/api/jobs"
)

// Whoever knows the ID of a job may see and cancel it, and errors come into the log.
func TestErrorsHideIDs(t *testing.T) {
	s := newStore(Options{Prefix: "tsumero"}, "embedded")
	id := jobs.NewID()
	for _, cause := range []error{nats.ErrTimeout, nats.ErrMaxPayload} {
		err := s.failed(t.Context(), "write "+s.subject("out", id, "r", 7), cause)
		if text := err.Error(); strings.Contains(text, string(id)) || !errors.Is(err, cause) ||
			!strings.Contains(text, "write tsumero.out."+id.Short()+".r.7: ") {
			t.Error(text)
		}
	}
}

// lateContext is past its deadline before its timer has fired.
type lateContext struct{ context.Context }

func (lateContext) Deadline() (time.Time, bool) { return time.Now(), true }

func TestErrorsAtDeadline(t *testing.T) {
	s := newStore(Options{Prefix: "tsumero"}, "embedded")
	if err := s.failed(lateContext{t.Context()}, "pull", nats.ErrTimeout); !errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, jobs.ErrUnavailable) {
		t.Error(err)
	}
}

// A server that has a replica answers for a stream without a leader, and may lack what was written.
func TestNoLeader(t *testing.T) {
	s := newStore(Options{Prefix: "tsumero"}, "cluster")
	for text, want := range map[string]error{
		`{"state":{"last_seq":7}}`:                        nil, // one server
		`{"cluster":{"leader":"a"}}`:                      nil,
		`{"cluster":{"name":"c","replicas":[]}}`:          jobs.ErrUnavailable,
		`{"error":{"code":503,"err_code":10008}}`:         jobs.ErrUnavailable,
		`{"error":{"code":500,"err_code":10118}}`:         jobs.ErrUnavailable,
		`{"cluster":{"leader":"a"},"error":{"code":500}}`: jobs.ErrUnavailable,
	} {
		var answer infoAnswer
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		err := answer.err()
		if err != nil {
			err = s.failed(t.Context(), "STREAM.INFO", err)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
}

// newAnswered returns a store on a server without streams: tests answer themselves.
func newAnswered(t *testing.T) *Store {
	t.Helper()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := user.Seed()
	public, _ := user.PublicKey()
	creds := filepath.Join(t.TempDir(), "creds")
	if err := os.WriteFile(creds, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	engine, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		NoSystemAccount: true, Nkeys: []*server.NkeyUser{{Nkey: public}}})
	if err != nil {
		t.Fatal(err)
	}
	engine.Start()
	t.Cleanup(engine.Shutdown)
	if !engine.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	o := ClusterOptions{URL: engine.ClientURL(), SystemCreds: creds}
	if err := o.fill(); err != nil {
		t.Fatal(err)
	}
	s := newStore(o.Options, "cluster")
	s.cluster, s.replicas, s.timeout = &o, 3, time.Minute
	t.Cleanup(func() { _ = s.Close() })
	if s.nc, err = nats.Connect(o.URL, nats.Nkey(public, user.Sign)); err != nil {
		t.Fatal(err)
	}
	if s.js, err = jetstream.New(s.nc); err != nil {
		t.Fatal(err)
	}
	return s
}

// answer answers what is asked under a subject, but for the answer "".
func answer(t *testing.T, s *Store, subject string, f func(m *nats.Msg) string) {
	t.Helper()
	_, err := s.nc.Subscribe(subject, func(m *nats.Msg) {
		if text := f(m); text != "" {
			_ = m.Respond([]byte(text))
		}
	})
	if err == nil {
		err = s.nc.Flush() // the server has it before another connection asks
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An election while records are read says nothing about them.
func TestVerifyWithoutLeader(t *testing.T) {
	t.Parallel()
	s := newAnswered(t)
	s.timeout = time.Second
	// One job has a record. Its stream has a leader when subjects are listed, and none when they are read.
	id := jobs.NewID()
	answer(t, s, "$JS.API.STREAM.>", func(m *nats.Msg) string {
		if name, ok := strings.CutPrefix(m.Subject, "$JS.API.STREAM.INFO."); ok {
			return `{"config":{"name":"` + name + `"},"total":1,"state":{"subjects":{"` + s.subject("job", id) + `":1}}}`
		}
		return noLeader
	})
	setStream(t, s, jobsStream)
	if missing, err := s.Verify(t.Context(), false); missing != nil || !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("%v, %v", missing, err)
	}
}

const noLeader = `{"error":{"code":503,"err_code":10008}}`

// setStream makes a stream known whose settings nobody looks at.
func setStream(t *testing.T, s *Store, name string) {
	t.Helper()
	var err error
	if s.streams[name], err = s.js.Stream(t.Context(), s.streamName(name)); err != nil {
		t.Fatal(err)
	}
}

// What is asked of a leader that ends before it answers is asked of the next one, long before the call
// has taken its time.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	s := newAnswered(t)
	asked := 0
	answer(t, s, "$JS.API.STREAM.INFO.tsumero-OUT", func(*nats.Msg) string {
		switch asked++; asked {
		case 1:
			return ""
		case 2:
			return noLeader
		}
		return `{"state":{"last_seq":7}}`
	})
	if last, err := s.lastSequence(t.Context(), outStream); last != 7 || err != nil || asked != 3 {
		t.Errorf("%d, %v, asked %d times", last, err, asked)
	}
}

// A write that is sent again since its answer was lost is not taken for that of another process, and
// the write of another process not for it.
func TestWriteAgain(t *testing.T) {
	t.Parallel()
	for name, isOurs := range map[string]bool{"ours": true, "another's": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAnswered(t)
			answer(t, s, "$JS.API.STREAM.INFO.*", func(*nats.Msg) string { return `{"config":{"name":"tsumero-OUT"}}` })
			setStream(t, s, outStream)
			id := jobs.NewID()
			var sent []*nats.Msg
			answer(t, s, s.subject("out", ">"), func(m *nats.Msg) string {
				if sent = append(sent, m); len(sent) == 1 {
					return "" // it is stored
				}
				return `{"error":{"code":400,"err_code":10071}}`
			})
			answer(t, s, "$JS.API.STREAM.MSG.GET.*", func(*nats.Msg) string {
				header := "NATS/1.0\r\n"
				for key := range sent[0].Header {
					value := sent[0].Header.Get(key)
					if key == writeHeader && !isOurs {
						value = "another"
					}
					header += key + ": " + value + "\r\n"
				}
				text, _ := json.Marshal(map[string]any{"message": map[string]any{
					"subject": sent[0].Subject, "seq": 7, "hdrs": []byte(header + "\r\n"), "data": sent[0].Data}})
				return string(text)
			})
			first, err := s.writeFirst(t.Context(), finishing,
				&nats.Msg{Subject: s.subject("out", id, "r", 0), Data: []byte("a result")})
			if err != nil || first != isOurs {
				t.Errorf("%t, %v", first, err)
			}
			if len(sent) != 2 {
				t.Errorf("sent %d times", len(sent))
			}
		})
	}
}

// A service starts while a server is away, and sees later whether that one syncs. One of three is none.
func TestServersAway(t *testing.T) {
	t.Parallel()
	for n, want := range []string{1: "should be 3 at least", 2: "", 3: ""} {
		if n == 0 {
			continue
		}
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			s := newAnswered(t)
			var answers atomic.Int32
			answers.Store(int32(n))
			answer(t, s, "$SYS.REQ.SERVER.PING.JSZ", func(m *nats.Msg) string {
				for range answers.Load() {
					_ = m.Respond([]byte(`{"data":{"config":{"sync_always":true}}}`))
				}
				return ""
			})
			err := s.checkSync(t.Context(), *s.cluster)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Fatalf("%v, want %q", err, want)
			}
			if s.sync != (n == 3) {
				t.Errorf("%d servers sync, and all: %t", n, s.sync)
			}
			answers.Store(3)
			s.seeSyncLater() // not so soon
			s.mu.Lock()
			s.syncAsked = time.Now().Add(-time.Hour)
			s.mu.Unlock()
			for seen := false; !seen; time.Sleep(10 * time.Millisecond) {
				s.seeSyncLater()
				s.mu.Lock()
				seen = s.sync
				s.mu.Unlock()
			}
		})
	}
}
