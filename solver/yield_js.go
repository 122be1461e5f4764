package solver

import (
	"runtime"
	"sync"
	"syscall/js"
	"time"
)

// In a browser a program has one thread, which a search does not give up by itself: no limit of time
// would end it, and nobody could stop it.

// breathe is how long a search may go on without a look at what the page has said.
const breathe = 16 * time.Millisecond

// Yield lets timers run that are due, and now and then whatever waits in the page. StopReason calls it;
// a search that does not ask that one calls it where it asks whether to stop.
func Yield() {
	runtime.Gosched()
	if e := &pageEvents; time.Since(e.last) >= breathe {
		e.let()
		e.last = time.Now() // the next search may have begun long after
	}
}

// The channel is made here: one that is made in a bubble of testing/synctest is of no use outside.
var pageEvents = events{back: make(chan struct{}, 1)}

// events lets the page's events happen. Nothing runs in parallel, so it needs no lock.
type events struct {
	last time.Time
	once sync.Once
	call func() // has the page call after the events that wait now
	back chan struct{}
}

// let returns once the events are over that wait now.
func (e *events) let() {
	e.once.Do(e.start)
	e.call()
	<-e.back
}

// start finds out how to be called: by a message to oneself, which has not the delay that browsers
// give timers set by timers. Node.js, which handles a thousand messages before it looks at a timer,
// has a function for it.
func (e *events) start() {
	called := js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case e.back <- struct{}{}:
		default: // another search has gone on already
		}
		return nil
	})
	if js.Global().Get("setImmediate").Type() == js.TypeFunction {
		e.call = func() { js.Global().Call("setImmediate", called) }
		return
	}
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", called)
	port := channel.Get("port2")
	e.call = func() { port.Call("postMessage", js.Null()) }
}
