package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/analysis"
)

// stuck returns a solver that heeds neither its context nor its limits, but only release.
func stuck(release <-chan struct{}) solver.Solver {
	return solver.Func(func(context.Context, shogi.Position, solver.Limits) solver.Result {
		<-release
		return solver.Result{Verdict: solver.NoMate}
	})
}

// wantLivez asks both listeners.
func wantLivez(t *testing.T, s *Server, status int, part string) {
	t.Helper()
	public := do(s, "GET", "/livez", "")
	admin := httptest.NewRecorder()
	s.AdminHandler().ServeHTTP(admin, httptest.NewRequest("GET", "/livez", nil))
	for _, w := range []*httptest.ResponseRecorder{public, admin} {
		if w.Code != status || !strings.Contains(w.Body.String(), part) {
			t.Errorf("/livez: %d %q, want %d %q", w.Code, w.Body, status, part)
		}
	}
}

// TestStuckSearch: when no search ends any more, though each has a time to end in, the process is
// of no use. That others are turned away at once is no answer.
func TestStuckSearch(t *testing.T) {
	for _, path := range []string{"/v1/solve", "/v1/solve/batch"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				s := newServer(t, Config{Solver: stuck(release), LongSearches: 1, LongQueue: -1,
					MaxTime: 10 * time.Second})
				done := make(chan int, 1)
				go func() { done <- do(s, "POST", path, question1(mateIn1)).Code }()
				synctest.Wait()
				for range 39 {
					time.Sleep(time.Second)
					if w := post(s, mateIn3); w.Code != http.StatusServiceUnavailable {
						t.Fatalf("a second question: %d", w.Code)
					}
					wantLivez(t, s, http.StatusOK, "ok")
				}
				time.Sleep(2 * time.Second)
				wantLivez(t, s, http.StatusServiceUnavailable, "no long search has ended for 41s")
				close(release)
				if status := <-done; status != http.StatusOK {
					t.Errorf("status %d", status)
				}
				wantLivez(t, s, http.StatusOK, "ok")
			})
		})
	}
}

// TestStuckRequest: the same where it is not the search that hangs.
func TestStuckRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Config{BodyTimeout: time.Second, WriteTimeout: time.Second,
			MaxTime: time.Second})
		release := make(chan struct{})
		h := s.watchRequests(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			<-release
		}))
		go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/solve", nil))
		synctest.Wait()
		longest := 2*s.config.longestRequest() + stallMargin
		time.Sleep(longest)
		wantLivez(t, s, http.StatusOK, "ok")
		time.Sleep(time.Second)
		wantLivez(t, s, http.StatusServiceUnavailable, "no request has ended")
		close(release)
		synctest.Wait()
		wantLivez(t, s, http.StatusOK, "ok")
	})
}

// TestNotStuck: neither a quiet service, nor one whose searches never pause, nor a batch without an
// end is stuck.
func TestNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type limits = solver.Limits
		slow := solver.Func(func(ctx context.Context, _ shogi.Position, _ limits) solver.Result {
			<-ctx.Done()
			return solver.Result{Reason: solver.StopReason(ctx)}
		})
		s := newServer(t, Config{Solver: slow, LongSearches: 1, LongQueue: 10,
			LongWait: time.Minute, DefaultTime: 9 * time.Second})
		wantLivez(t, s, http.StatusOK, "ok")
		time.Sleep(24 * time.Hour)
		wantLivez(t, s, http.StatusOK, "ok")

		dial, end := serveOn(t, s)
		batch := openBatch(t, dial())
		go io.Copy(io.Discard, batch.resp.Body)
		for range 100 {
			go post(s, mateIn1)
			go post(s, mateIn3)
			if err := batch.send("no question\n"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			wantLivez(t, s, http.StatusOK, "ok")
		}
		for range 60 { // the questions are soon answered, and the batch is alone
			if err := batch.send("no question\n"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			wantLivez(t, s, http.StatusOK, "ok")
		}
		if err := batch.end(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		end()
	})
}

// TestStuckAnalysis: an analysis that does not end in its time is noticed, while batches of them may
// go on for longer than any question.
func TestStuckAnalysis(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := analyzing(t, Config{MaxTime: time.Second, MaxAnalysisTime: 10 * time.Second},
			func(ctx context.Context, q analysis.Question, on func(analysis.Update)) (*analysis.Analysis, error) {
				<-release
				return untilEnd(ctx, q, on)
			})
		done := make(chan int, 1)
		go func() { done <- askAnalysis(t.Context(), s, question1(mateIn3)).Code }()
		time.Sleep(40 * time.Second)
		wantLivez(t, s, http.StatusOK, "ok")
		time.Sleep(time.Second)
		wantLivez(t, s, http.StatusServiceUnavailable, "no analysis has ended")
		close(release)
		<-done
		wantLivez(t, s, http.StatusOK, "ok")
	})
	synctest.Test(t, func(t *testing.T) {
		s := analyzing(t, Config{MaxAnalysisTime: time.Minute}, untilEnd)
		var lines strings.Builder
		for i := range 40 {
			fmt.Fprintf(&lines, `{"sfen":%q,"limits":{"nodes":%d,"time_ms":60000}}`+"\n", mateIn3, i+1)
		}
		done := make(chan int, 1)
		go func() {
			done <- do(s, "POST", "/v1/analyze/batch", lines.String(), "Content-Type", ndjsonType).Code
		}()
		for range 39 {
			time.Sleep(time.Minute)
			wantLivez(t, s, http.StatusOK, "ok")
		}
		if code := <-done; code != http.StatusOK {
			t.Errorf("the batch ends with %d", code)
		}
	})
}
