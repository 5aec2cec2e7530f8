package program

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/privbayes/privbayes-go/internal/domain"
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
