//go:build js

// Command tsumero-wasm is the inside of a Worker: it answers the questions of a page with the paths
// and the bytes of the service, package local. With the build tag board it has only what a board
// asks, and is less than half as large.
//
// Messages to it are objects:
//
//	{start: bytes}   the memory of all tables together; 0: 64 MiB. It must come first
//	{id, method, path, body, progress}   a request: body is a text; with progress, events come too
//	{stop: id}       ends the search for a request, whose answer then has the reason "cancelled"
//
// and so are those from it:
//
//	{loaded: true, version}  when it takes messages; version is what the other programs print
//	{ready: true}            after start
//	{id, event, data}        an event, its data in JSON
//	{id, status, body}       the answer or the problem in its place, in JSON
package main

import (
	"context"
	"sync"
	"syscall/js"
	"time"

	"github.com/tsumero/tsumero/api/answer"
	"github.com/tsumero/tsumero/api/local"
	"github.com/tsumero/tsumero/api/wire"
	"github.com/tsumero/tsumero/cmd/internal/version"
	"github.com/tsumero/tsumero/solver"
	"github.com/tsumero/tsumero/solver/dfpn"
	"github.com/tsumero/tsumero/solver/mate"
	"github.com/tsumero/tsumero/solver/sched"
)

func main() {
	p := &page{searches: map[int]context.CancelFunc{}}
	js.Global().Set("onmessage", js.FuncOf(p.message))
	post(map[string]any{"loaded": true, "version": version.Get().Text("tsumero-wasm")})
	select {} // messages are handled in goroutines of their own
}

// Sizes of tables, which grow on use. Those of short searches and of the sessions for lengths and
// analyses are as in the service, so that the answers have its bytes; what is left is for long
// searches.
const (
	quickTable    = 4 << 20
	defaultTables = 64 << 20
	mostTables    = 2 << 30 // of the 4 GiB that a program may have
)

// bounds are those of a service, but for the time: nobody else waits for it.
var bounds = wire.Bounds{Plies: 9999, Nodes: 100_000_000, Time: 10 * time.Minute,
	DefaultTime: 2 * time.Second,
	Analysis: wire.AnalysisBounds{Nodes: 50_000_000, Time: 10 * time.Minute,
		DefaultTime: 20 * time.Second},
	Play: wire.PlayBounds{Levels: levelNames(), Nodes: 1_000_000, DefaultNodes: 50_000}}

// A page is who asks.
type page struct {
	server *local.Server

	mu       sync.Mutex
	searches map[int]context.CancelFunc // by the id of the request
}

// message handles a message. It must not wait: everything else in the program waits meanwhile.
func (p *page) message(_ js.Value, args []js.Value) any {
	m := args[0].Get("data")
	if start := m.Get("start"); !start.IsUndefined() {
		if p.server == nil {
			p.server = newServer(start.Int())
		}
		post(map[string]any{"ready": true})
		return nil
	}
	if stop := m.Get("stop"); !stop.IsUndefined() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if cancel := p.searches[stop.Int()]; cancel != nil {
			cancel()
		}
		return nil
	}
	if p.server == nil || m.Get("id").Type() != js.TypeNumber {
		return nil // not of this protocol
	}
	id := m.Get("id").Int()
	r := &local.Request{Method: m.Get("method").String(), Path: m.Get("path").String()}
	if body := m.Get("body"); body.Type() == js.TypeString {
		r.Body = []byte(body.String())
	}
	if m.Get("progress").Truthy() {
		r.Progress = func(event string, data []byte) {
			post(map[string]any{"id": id, "event": event, "data": string(data)})
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	p.searches[id] = cancel
	p.mu.Unlock()
	go func() {
		response := p.server.Serve(ctx, r)
		cancel()
		p.mu.Lock()
		delete(p.searches, id)
		p.mu.Unlock()
		post(map[string]any{"id": id, "status": response.Status, "body": string(response.Body)})
	}()
	return nil
}

func post(message map[string]any) { js.Global().Call("postMessage", message) }

// newServer returns what answers, with so many bytes for all tables.
func newServer(tables int) *local.Server {
	if tables <= 0 {
		tables = defaultTables
	}
	long := max(min(tables, mostTables)-quickTable-dfpn.SessionBytes, quickTable)
	// A page has nobody else to ask, so its questions wait for each other as long as it takes.
	pool := func(table int) sched.PoolConfig {
		return sched.PoolConfig{Solver: mate.New(mate.Options{TableBytes: table}), Slots: 1,
			Queue: 1 << 20, Wait: 24 * time.Hour}
	}
	answers, err := answer.New(answer.Config{
		Sched: sched.Config{Quick: pool(quickTable), Long: pool(long),
			Sessions: sched.SessionConfig{New: func() solver.Session { return dfpn.NewSession() },
				Slots: 1, Queue: 1 << 20, Wait: 24 * time.Hour}},
		Bounds: bounds, Version: version.Get().Version})
	if err != nil {
		panic(err) // the settings above are complete
	}
	return local.New(answers, append(routes(), local.Solve, local.Moves, local.Limits)...)
}
