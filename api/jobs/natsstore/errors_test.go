//go:build !nonats

package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// An election while records are read says nothing about them.
func TestVerifyWithoutLeader(t *testing.T) {
	engine, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	engine.Start()
	defer engine.Shutdown()
	s := newStore(Options{Prefix: "tsumero"}, "cluster")
	s.timeout = time.Minute
	s.nc, err = nats.Connect("", nats.InProcessServer(engine))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.js, err = jetstream.New(s.nc); err != nil {
		t.Fatal(err)
	}
	// One job has a record. Its stream has a leader when subjects are listed, and none when they are read.
	id := jobs.NewID()
	_, err = s.nc.Subscribe("$JS.API.STREAM.>", func(m *nats.Msg) {
		answer := `{"error":{"code":503,"err_code":10008}}`
		if name, ok := strings.CutPrefix(m.Subject, "$JS.API.STREAM.INFO."); ok {
			answer = `{"config":{"name":"` + name + `"},"total":1,"state":{"subjects":{"` + s.subject("job", id) + `":1}}}`
		}
		_ = m.Respond([]byte(answer))
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.streams[jobsStream], err = s.js.Stream(t.Context(), s.streamName(jobsStream)); err != nil {
		t.Fatal(err)
	}
	if missing, err := s.Verify(t.Context(), false); missing != nil || !errors.Is(err, jobs.ErrUnavailable) {
		t.Errorf("%v, %v", missing, err)
	}
}
