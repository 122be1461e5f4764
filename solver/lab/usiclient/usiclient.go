// Package usiclient runs programs that speak USI (the Universal Shogi Interface) as players of
// matches.
package usiclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tsumero/tsumero/shogi"
	"github.com/tsumero/tsumero/solver/lab/match"
	"github.com/tsumero/tsumero/solver/play"
)

// Options are a program and how to start it.
type Options struct {
	Command []string // the program and its arguments
	Options []Option // that are set before the first game
	Wishes  []Option // that are set too, but only if the program has them and Options has not
}

// An Option is one of a program's own.
type Option struct{ Name, Value string }

// The times a program has for what is no move.
const (
	startTime = 30 * time.Second // until usiok
	readyTime = 2 * time.Minute  // until readyok: tables and networks are loaded
	quitTime  = time.Second      // from quit until it is killed
)

// seedOption is the option for what a program leaves to chance: 31 bits.
const seedOption = "Seed"

const (
	dialogueLines = 50      // kept for reports
	maxLine       = 1 << 20 // bytes; a program that writes longer ones is broken
	clipLine      = 500     // bytes of a line in a report
)

// A Client is a match.Player that is a program. The program is started again for the next game
// after it has crashed or did not answer.
type Client struct {
	o        Options
	mu       sync.Mutex
	dialogue []string // guarded by mu
	process  *process // nil: none runs
	seeded   bool     // the program has an option for its seed, which is set for each game
}

// Start starts the program and waits until it is ready. A program without one of the options is an
// error, for a match with another option than its report says is worth nothing.
func Start(ctx context.Context, o Options) (*Client, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no program")
	}
	c := &Client{o: o}
	if err := c.start(ctx); err != nil {
		c.kill()
		return nil, fmt.Errorf("%s: %w", strings.Join(o.Command, " "), err)
	}
	return c, nil
}

// A process is a running program.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan string // lines but info; closed at the end of the output
	read    sync.WaitGroup
	mu      sync.Mutex
	nodes   uint64 // guarded by mu: of the last info line that has them
	score   play.Score
	scored  bool
}

// start starts the program and sets its options.
func (c *Client) start(ctx context.Context) error {
	cmd := exec.Command(c.o.Command[0], c.o.Command[1:]...)
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &process{cmd: cmd, in: in, replies: make(chan string, 64)}
	c.process = p
	p.read.Go(func() { c.readErrors(stderr) })
	p.read.Go(func() { c.read(p, out) })

	if err := c.say("usi"); err != nil {
		return err
	}
	names, err := c.options(ctx)
	if err != nil {
		return err
	}
	set := map[string]bool{}
	for _, o := range c.o.Options {
		if !names[o.Name] {
			return fmt.Errorf("it has no option %q", o.Name)
		}
		set[o.Name] = true
		if err := c.set(o); err != nil {
			return err
		}
	}
	for _, o := range c.o.Wishes {
		if names[o.Name] && !set[o.Name] {
			if err := c.set(o); err != nil {
				return err
			}
		}
	}
	c.seeded = names[seedOption] && !set[seedOption]
	return c.ready(ctx)
}

// set sets an option. A button has no value.
func (c *Client) set(o Option) error {
	text := "setoption name " + o.Name
	if o.Value != "" {
		text += " value " + o.Value
	}
	return c.say(text)
}

// options reads the names of the program's options.
func (c *Client) options(ctx context.Context) (map[string]bool, error) {
	// Programs have these without saying so.
	names := map[string]bool{"USI_Hash": true, "USI_Ponder": true}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		words, err := c.next(ctx, "usiok")
		switch {
		case err != nil:
			return nil, err
		case words[0] == "usiok":
			return names, nil
		case len(words) > 2 && words[0] == "option" && words[1] == "name":
			name := words[2:] // which may be several words
			if i := slices.Index(name, "type"); i > 0 {
				name = name[:i]
			}
			names[strings.Join(name, " ")] = true
		}
	}
}

// ready asks the program whether it is ready and waits for it.
func (c *Client) ready(ctx context.Context) error {
	if err := c.say("isready"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for {
		words, err := c.next(ctx, "readyok")
		if err != nil || words[0] == "readyok" {
			return err
		}
	}
}

// next returns the words of the next line, of which there is at least one. what is waited for.
func (c *Client) next(ctx context.Context, what string) ([]string, error) {
	for {
		select {
		case line, ok := <-c.process.replies:
			if !ok {
				return nil, fmt.Errorf("the program has ended, or writes no more lines; %s was expected", what)
			}
			if words := strings.Fields(line); len(words) > 0 {
				return words, nil
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("no %s: %w", what, ctx.Err())
		}
	}
}

// say writes a line.
func (c *Client) say(line string) error {
	c.note("> ", line)
	if _, err := io.WriteString(c.process.in, line+"\n"); err != nil {
		return fmt.Errorf("the program has ended, or reads no more: %w", err)
	}
	return nil
}

// note adds a line to the dialogue.
func (c *Client) note(prefix, line string) {
	if len(line) > clipLine {
		line = line[:clipLine] + "…"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.dialogue) == 2*dialogueLines {
		c.dialogue = append(c.dialogue[:0], c.dialogue[dialogueLines:]...)
	}
	c.dialogue = append(c.dialogue, prefix+strings.ToValidUTF8(line, "\uFFFD"))
}

// read reads what the program writes until it ends.
func (c *Client) read(p *process, out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		line := lines.Text()
		c.note("< ", line)
		if strings.HasPrefix(line, "info") {
			p.info(strings.Fields(line))
			continue
		}
		select {
		case p.replies <- line:
		default: // nobody listens to so much
		}
	}
	if lines.Err() != nil {
		c.note("! ", lines.Err().Error())
	}
	close(p.replies)
	_, _ = io.Copy(io.Discard, out) // so that the program does not wait
}

// readErrors reads the program's standard error.
func (c *Client) readErrors(stderr io.Reader) {
	lines := bufio.NewScanner(stderr)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		c.note("! ", lines.Text())
	}
	_, _ = io.Copy(io.Discard, stderr)
}

// info keeps the nodes and the score of an info line.
func (p *process) info(words []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := func(i int) (int64, bool) {
		if i >= len(words) {
			return 0, false
		}
		n, err := strconv.ParseInt(words[i], 10, 64)
		return n, err == nil
	}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "string", "pv":
			return // what follows is no more of this kind
		case "multipv":
			if n, ok := number(i + 1); ok && n != 1 {
				return
			}
		case "nodes":
			if n, ok := number(i + 1); ok && n >= 0 {
				p.nodes = uint64(n)
			}
		case "cp":
			if n, ok := number(i + 1); ok {
				const most = int64(play.MaxCentipawns)
				p.score, p.scored = play.Score(max(-most, min(most, n))), true
			}
		case "mate":
			if n, ok := number(i + 1); ok && n != 0 {
				p.score, p.scored = play.MateIn(int(n)), true
				if n < 0 {
					p.score = play.MatedIn(int(-n))
				}
			}
		}
	}
}

// NewGame begins a game, and starts the program if none runs.
func (c *Client) NewGame(ctx context.Context, seed uint64) error {
	if err := c.newGame(ctx, seed); err != nil {
		c.kill()
		return err
	}
	return nil
}

func (c *Client) newGame(ctx context.Context, seed uint64) error {
	if c.process == nil {
		c.mu.Lock()
		c.dialogue = nil
		c.mu.Unlock()
		if err := c.start(ctx); err != nil {
			return err
		}
	}
	if c.seeded {
		if err := c.set(Option{seedOption, strconv.FormatUint(seed>>33, 10)}); err != nil {
			return err
		}
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	return c.say("usinewgame")
}

// Move asks the program for a move. A program that fails, or that does not answer before ctx ends,
// is killed.
func (c *Client) Move(ctx context.Context, g *shogi.Game, t match.Turn) (match.Reply, error) {
	if c.process == nil {
		return match.Reply{}, errors.New("the program does not run")
	}
	r, err := c.move(ctx, g, &t)
	if err != nil {
		c.kill()
	}
	return r, err
}

func (c *Client) move(ctx context.Context, g *shogi.Game, t *match.Turn) (match.Reply, error) {
	p := c.process
	p.mu.Lock()
	p.nodes, p.scored = 0, false
	p.mu.Unlock()
	for len(p.replies) > 0 { // what came without a question
		<-p.replies
	}
	pos := g.Position()
	if err := c.say("position " + match.FormatGame(g)); err != nil {
		return match.Reply{}, err
	}
	if err := c.say(goCommand(t, pos.SideToMove())); err != nil {
		return match.Reply{}, err
	}
	for {
		words, err := c.next(ctx, "bestmove")
		if err != nil {
			return match.Reply{}, err
		}
		if words[0] == "bestmove" {
			r := reply(words[1:])
			p.mu.Lock()
			r.Nodes, r.Score, r.HasScore = p.nodes, p.score, p.scored
			p.mu.Unlock()
			return r, nil
		}
	}
}

// reply reads what follows bestmove.
func reply(words []string) match.Reply {
	if len(words) == 0 {
		return match.Reply{Text: "bestmove"}
	}
	switch words[0] {
	case "resign":
		return match.Reply{Resigns: true}
	case "win":
		return match.Reply{Declares: true}
	}
	m, err := shogi.ParseMove(words[0])
	if err != nil {
		return match.Reply{Text: words[0]}
	}
	return match.Reply{Move: m}
}

// goCommand returns the command to search. Without any limit it is a search that only its own
// options end.
func goCommand(t *match.Turn, side shogi.Color) string {
	var b strings.Builder
	b.WriteString("go")
	add := func(word string, n int64) { fmt.Fprintf(&b, " %s %d", word, n) }
	if t.HasClock() {
		other := side.Opponent()
		controls := [2]*match.Control{}
		controls[side], controls[other] = &t.Control, &t.Opponent
		add("btime", main(t, shogi.Black, controls))
		add("wtime", main(t, shogi.White, controls))
		if controls[0].Increment > 0 || controls[1].Increment > 0 {
			add("binc", controls[shogi.Black].Increment.Milliseconds())
			add("winc", controls[shogi.White].Increment.Milliseconds())
		}
		if t.Byoyomi > 0 || controls[0].Increment == 0 && controls[1].Increment == 0 {
			add("byoyomi", t.Byoyomi.Milliseconds())
		}
	}
	if t.MoveTime > 0 {
		add("movetime", t.MoveTime.Milliseconds())
	}
	if t.Nodes > 0 {
		fmt.Fprintf(&b, " nodes %d", t.Nodes)
	}
	if t.Depth > 0 {
		add("depth", int64(t.Depth))
	}
	return b.String()
}

// main returns what a clock shows. What has been added for this move counts as time there is.
func main(t *match.Turn, c shogi.Color, controls [2]*match.Control) int64 {
	if !controls[c].HasClock() {
		return 0
	}
	return t.Left[c].Milliseconds()
}

// GameOver tells the program how the game ended.
func (c *Client) GameOver(result int) {
	if c.process != nil {
		_ = c.say("gameover " + [...]string{"lose", "draw", "win"}[result+1])
	}
}

// Dialogue returns the last lines, > to the program, < from it, ! from its standard error.
func (c *Client) Dialogue() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.dialogue[max(0, len(c.dialogue)-dialogueLines):])
}

// Close asks the program to end, and kills it if it does not.
func (c *Client) Close() {
	if c.process == nil {
		return
	}
	_ = c.say("quit")
	_ = c.process.in.Close()
	timer := time.AfterFunc(quitTime, c.process.kill)
	c.process.wait()
	timer.Stop()
	c.process = nil
}

// kill ends the program now.
func (c *Client) kill() {
	if c.process != nil {
		c.process.kill()
		_ = c.process.in.Close()
		c.process.wait()
		c.process = nil
	}
}

// kill ends the program and what it has started.
func (p *process) kill() { killGroup(p.cmd) }

// wait waits until the program has ended. Its last words are waited for, but not those of a program
// that it may have started.
func (p *process) wait() {
	read := make(chan struct{})
	go func() {
		p.read.Wait()
		close(read)
	}()
	select {
	case <-read:
	case <-time.After(quitTime):
	}
	_ = p.cmd.Wait() // which closes the pipes
	<-read
}
