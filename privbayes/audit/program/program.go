// Package program audits mechanisms written in any language. It starts an executable, sends it data sets, and reads
// log-probabilities or outputs, by a small line protocol.
//
//	p, err := program.Start(ctx, []string{"python3", "mechanism.py"}, program.Limits{})
//	law, err := p.Law(ctx, space)                        // asked for every data set of the space, then a finite.Mechanism
//	verdict, err := audit.Run(ctx, audit.Subject{Mechanism: law, Space: space, Claim: claim})
//	evidence, err := audit.Sample(ctx, audit.Sampled{Sampler: p, Space: space, Claim: claim})
//	err = p.Close()
//
// The protocol, version 1, is lines of text. The program speaks first and says what it can do:
//
//	privbayes-audit 1 law K          states the law of its K outputs
//	privbayes-audit 1 draw           draws outputs
//	privbayes-audit 1 law K draw     both; a draw is then the number of an output, 0 to K−1
//
// Then it answers one request after the other, until its input ends. A data set is the counts of records of each kind:
//
//	law 3 0 1        one line: K natural logarithms of probabilities, separated by spaces, -inf for an impossible output
//	draw 500 3 0 1   500 lines: an output each, any text of up to 200 bytes
//
// If a program ends, hangs, or writes more, longer or other lines, the result is an [Error] that says so. The program
// runs with your rights. Audit only programs that you would run.
package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Limits are what a program may take.
type Limits struct {
	// Silence is how long it may go without a line while one is due, and how long it may take to end; 0: 10 s.
	Silence time.Duration
}

// Program is a running executable that keeps the protocol. It is not safe for concurrent use. After an error it is
// killed, and every later call gives the same error.
type Program struct {
	name    string
	can     abilities
	silence time.Duration

	longest atomic.Int64 // the bytes of the longest line that any answer can have

	cmd    *exec.Cmd
	kill   context.CancelFunc
	ask    chan string   // requests to the writer
	lines  chan line     // what was read, in order; closed after the last
	done   chan struct{} // closed at the end: the reader stops waiting
	stderr last
	failed error
	closed bool
}

// line is one line of a program, or why there is none.
type line struct {
	text string
	err  error
}

// errLong is a line above the limit.
var errLong = errors.New("the line is longer than its answer can be")

// Start starts an executable with its arguments and reads its greeting. It lives until Close, until an error, or until
// ctx ends. Errors: *Error, *dp.ParameterError for an empty command or a negative limit, and that of ctx.
func Start(ctx context.Context, command []string, l Limits) (*Program, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, domain.Refuse("program: Start", "command", command, "the name of an executable, and its arguments")
	}
	if l.Silence < 0 {
		return nil, domain.Refuse("program: Start", "silence", l.Silence, "a duration ≥ 0; 0 is 10 s")
	}
	if l.Silence == 0 {
		l.Silence = 10 * time.Second
	}
	life, kill := context.WithCancel(ctx)
	p := &Program{name: strings.Join(command, " "), silence: l.Silence, kill: kill, ask: make(chan string, 1),
		lines: make(chan line, 64), done: make(chan struct{})}
	p.longest.Store(maxGreet)
	p.cmd = exec.CommandContext(life, command[0], command[1:]...)
	p.cmd.WaitDelay = time.Second // a child of its own may hold the pipes
	p.cmd.Stderr = &p.stderr
	alone(p.cmd)
	in, err := p.cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = p.cmd.StdoutPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, &Error{Program: p.name, Kind: NotStarted, Err: err}
	}
	go p.write(in)
	go p.read(out)
	first, err := p.next(ctx, "", maxGreet)
	if err != nil {
		return nil, err
	}
	if p.can, err = parseGreeting(first); err != nil {
		return nil, p.fail(&Error{Kind: BadGreeting, Line: first, Err: err})
	}
	p.longest.Store(int64(max(p.can.outputs*maxNumber, maxOutput) + 2))
	return p, nil
}

// Outputs is the number of outputs of the law that the program states; 0 if it states none.
func (p *Program) Outputs() int { return p.can.outputs }

// Draws reports whether the program draws.
func (p *Program) Draws() bool { return p.can.draws }

// write passes requests on, so that a program that reads nothing does not hold up the auditor.
func (p *Program) write(in io.WriteCloser) {
	defer func() { _ = in.Close() }()
	for {
		select {
		case text, ok := <-p.ask:
			if !ok {
				return
			}
			if _, err := io.WriteString(in, text+"\n"); err != nil {
				return // it has ended, which the reader sees
			}
		case <-p.done:
			return
		}
	}
}

// read hands over lines up to the longest that any answer has, and no faster than they are taken.
func (p *Program) read(out io.Reader) {
	defer close(p.lines)
	r := bufio.NewReaderSize(out, 1<<16)
	for {
		var b []byte
		for {
			part, err := r.ReadSlice('\n')
			b = append(b, part...)
			if int64(len(b)) > p.longest.Load() {
				p.hand(line{text: string(b[:min(len(b), maxOutput)]), err: errLong})
				return
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return // what has no line end may be cut, and is no answer
			}
		}
		if !p.hand(line{text: strings.TrimSuffix(string(b), "\n")}) {
			return
		}
	}
}

// hand gives a line to who waits for it, unless nobody will.
func (p *Program) hand(l line) bool {
	select {
	case p.lines <- l:
		return true
	case <-p.done:
		return false
	}
}

// next is the next line, of at most so many bytes.
func (p *Program) next(ctx context.Context, request string, most int) (string, error) {
	wait := time.NewTimer(p.silence)
	defer wait.Stop()
	select {
	case l, ok := <-p.lines:
		switch {
		case !ok:
			return "", p.fail(&Error{Kind: Ended, Request: request})
		case l.err != nil, len(l.text) > most:
			return "", p.fail(&Error{Kind: LongLine, Request: request, Line: l.text[:min(len(l.text), maxOutput)],
				Err: errLong})
		}
		return l.text, nil
	case <-wait.C:
		return "", p.fail(&Error{Kind: Silent, Request: request})
	case <-ctx.Done():
		_ = p.end(0)
		p.failed = ctx.Err()
		return "", p.failed
	}
}

// fail kills the program and keeps the error, with what it wrote to standard error.
func (p *Program) fail(e *Error) error {
	e.Program = p.name
	grace := time.Duration(0)
	if e.Kind == Ended {
		grace = p.silence // for its exit status, which says more
	}
	if err := p.end(grace); e.Err == nil && err != nil && grace > 0 {
		e.Err = err
	}
	e.Stderr = p.stderr.text()
	p.failed = e
	return e
}

// end stops everything, once: the program may take so long to end by itself, then it is killed. The error is that of
// its own end; nil for a program that was killed.
func (p *Program) end(grace time.Duration) error {
	if p.closed {
		return nil
	}
	p.closed = true
	close(p.done)
	ended := make(chan error, 1)
	go func() {
		err := p.cmd.Wait() // closes the pipes, which ends reader and writer
		for range p.lines {
		}
		ended <- err
	}()
	defer p.kill()
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		p.kill()
		<-ended
		return nil
	}
}

// Close lets the program end, and reports lines that nobody asked for, a failure at its end, and one that does not end:
// *Error. It may be called again, and after an error, which it returns.
func (p *Program) Close() error {
	if p.closed {
		return p.failed
	}
	close(p.ask)
	wait := time.NewTimer(p.silence)
	defer wait.Stop()
	select {
	case l, ok := <-p.lines:
		if ok {
			return p.fail(&Error{Kind: ExtraLine, Line: l.text[:min(len(l.text), maxOutput)]})
		}
	case <-wait.C:
		return p.fail(&Error{Kind: Silent, Err: errors.New("its input has ended, and it has not")})
	}
	if err := p.end(p.silence); err != nil {
		p.failed = &Error{Program: p.name, Kind: FailedAtEnd, Stderr: p.stderr.text(), Err: err}
	}
	return p.failed
}

// last keeps the end of a stream and drops the rest.
type last struct {
	sync.Mutex
	b []byte
}

// Write never fails, so that a program that complains without end does not stand still.
func (l *last) Write(b []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	l.b = append(l.b, b[max(0, len(b)-lastBytes):]...)
	l.b = append(l.b[:0], l.b[max(0, len(l.b)-lastBytes):]...)
	return len(b), nil
}

// lastBytes is how much of standard error is kept.
const lastBytes = 1000

// text is the last line, where programs say what is wrong.
func (l *last) text() string {
	l.Lock()
	defer l.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(l.b), "?"))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// Kind says what a program did wrong.
type Kind string

// The kinds of errors of a program.
const (
	NotStarted  Kind = "it could not be started"
	BadGreeting Kind = "its first line is not the greeting"
	BadLine     Kind = "it answered with a wrong line"
	LongLine    Kind = "it wrote a line that is too long"
	ExtraLine   Kind = "it wrote more lines than it was asked for"
	Silent      Kind = "it did not answer in time"
	Ended       Kind = "it ended before it had answered"
	FailedAtEnd Kind = "it ended with a failure"
	CannotDo    Kind = "it does not offer that"
)

// Error is a program that does not keep the protocol. What it wrote stands in the text escaped and cut.
type Error struct {
	Program string
	Kind    Kind
	Request string // the line that was to be answered; empty for the greeting and the end
	Line    string // what it wrote, cut
	Stderr  string // the last line that it wrote to standard error
	Err     error  // what was wanted, or the system's error; may be nil
}

func (e *Error) Error() string {
	s := "audit: program " + safetext.Short(e.Program) + ": " + string(e.Kind)
	if e.Request != "" {
		s += fmt.Sprintf(", asked for %s", safetext.Short(e.Request))
	}
	if e.Line != "" {
		s += ": " + safetext.Short(e.Line)
	}
	if e.Err != nil {
		s += ": " + safetext.Cause(e.Err, 300)
	}
	if e.Stderr != "" {
		s += "; standard error: " + safetext.Short(e.Stderr)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
