package program

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// The words of the protocol.
const (
	greeting = "privbayes-audit"
	version  = "1"
	wordLaw  = "law"
	wordDraw = "draw"
)

// The lengths of what a line may hold.
const (
	maxOutput  = 200     // bytes of an output of a draw
	maxNumber  = 40      // bytes of a log-probability with its space
	maxOutputs = 1 << 20 // outputs of a stated law
	maxGreet   = 200     // bytes of the greeting
)

// abilities are what a program says it can do.
type abilities struct {
	outputs int // of the stated law; 0: it states none
	draws   bool
}

// String is the greeting of a program with these abilities.
func (a abilities) String() string {
	s := greeting + " " + version
	if a.outputs > 0 {
		s += fmt.Sprintf(" %s %d", wordLaw, a.outputs)
	}
	if a.draws {
		s += " " + wordDraw
	}
	return s
}

const wantGreeting = `the greeting "privbayes-audit 1", then "law" and the number of outputs, or "draw", or both`

// parseGreeting reads the first line of a program. The error says what is wrong with it.
func parseGreeting(line string) (abilities, error) {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != greeting {
		return abilities{}, fmt.Errorf("want %s", wantGreeting)
	}
	if words[1] != version {
		return abilities{}, fmt.Errorf("want version %s of the protocol", version)
	}
	var a abilities
	rest := words[2:]
	if rest[0] == wordLaw {
		if len(rest) < 2 {
			return abilities{}, fmt.Errorf("want the number of outputs after %q", wordLaw)
		}
		k, err := count(rest[1])
		if err != nil || k < 1 || k > maxOutputs {
			return abilities{}, fmt.Errorf("want a number of outputs from 1 to %d", maxOutputs)
		}
		a.outputs, rest = k, rest[2:]
	}
	if len(rest) > 0 && rest[0] == wordDraw {
		a.draws, rest = true, rest[1:]
	}
	if len(rest) > 0 || a == (abilities{}) {
		return abilities{}, fmt.Errorf("want %s", wantGreeting)
	}
	return a, nil
}

// parseLaw reads the answer to a request for a law of k outputs.
func parseLaw(line string, k int) ([]float64, error) {
	words := strings.Fields(line)
	if len(words) != k {
		return nil, fmt.Errorf("want %d log-probabilities, have %d words", k, len(words))
	}
	out := make([]float64, k)
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("want the log-probability of output %d, a number below infinity or -inf", i)
		}
		out[i] = v
	}
	return out, nil
}

// parseOutput reads one output of a draw.
func parseOutput(line string) (string, error) {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return "", fmt.Errorf("want an output, have an empty line")
	case len(text) > maxOutput:
		return "", fmt.Errorf("want an output of at most %d bytes", maxOutput)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("want an output in UTF-8")
	}
	return text, nil
}

// request is one line to a program.
type request struct {
	draws int // 0: the law is asked for
	x     []int
}

// String is the line.
func (r request) String() string {
	words := []string{wordLaw}
	if r.draws > 0 {
		words = []string{wordDraw, strconv.Itoa(r.draws)}
	}
	for _, c := range r.x {
		words = append(words, strconv.Itoa(c))
	}
	return strings.Join(words, " ")
}

// parseRequest reads a line to a program.
func parseRequest(line string) (request, error) {
	words := strings.Fields(line)
	var r request
	if len(words) > 0 && words[0] == wordDraw && len(words) > 1 {
		k, err := count(words[1])
		if err != nil || k < 1 {
			return r, fmt.Errorf("want a number of draws")
		}
		r.draws, words = k, words[1:]
	} else if len(words) == 0 || words[0] != wordLaw {
		return r, fmt.Errorf("want %q or %q", wordLaw, wordDraw+" M")
	}
	if len(words) < 2 {
		return r, fmt.Errorf("want the counts of a data set")
	}
	for _, w := range words[1:] {
		c, err := count(w)
		if err != nil {
			return r, fmt.Errorf("want counts, which are integers ≥ 0")
		}
		r.x = append(r.x, c)
	}
	return r, nil
}

// count reads an integer ≥ 0 in digits alone.
func count(word string) (int, error) {
	k, err := strconv.ParseUint(word, 10, 31)
	return int(k), err
}

// send asks, unless the program has failed or does not offer that.
func (p *Program) send(ctx context.Context, q request) error {
	switch {
	case p.failed != nil:
		return p.failed
	case p.closed, q.draws > 0 && !p.can.draws, q.draws == 0 && p.can.outputs == 0:
		return &Error{Program: p.name, Kind: CannotDo, Request: q.String()}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	select {
	case l, ok := <-p.lines:
		if ok {
			return p.fail(&Error{Kind: ExtraLine, Line: l.text[:min(len(l.text), maxOutput)]})
		}
	default:
	}
	p.ask <- q.String() // the buffer is free: every earlier request was answered
	return nil
}

// LogLaw asks for the law at counts x: the natural logarithms of the probabilities of all outputs. Whether they add up
// to one is for audit.Run to say. Errors: *Error, and that of ctx.
func (p *Program) LogLaw(ctx context.Context, x []int) ([]float64, error) {
	q := request{x: x}
	if err := p.send(ctx, q); err != nil {
		return nil, err
	}
	text, err := p.next(ctx, q.String(), p.can.outputs*maxNumber)
	if err != nil {
		return nil, err
	}
	law, err := parseLaw(text, p.can.outputs)
	if err != nil {
		return nil, p.fail(&Error{Kind: BadLine, Request: q.String(), Line: text[:min(len(text), maxOutput)], Err: err})
	}
	return law, nil
}

// Draw asks for k outputs at counts x. Errors: *Error, and that of ctx.
func (p *Program) Draw(ctx context.Context, x []int, k int) ([]string, error) {
	q := request{draws: k, x: x}
	if k < 1 {
		return nil, nil
	}
	if err := p.send(ctx, q); err != nil {
		return nil, err
	}
	out := make([]string, k)
	for i := range out {
		text, err := p.next(ctx, q.String(), maxOutput+2)
		if err != nil {
			return nil, err
		}
		if out[i], err = parseOutput(text); err != nil {
			return nil, p.fail(&Error{Kind: BadLine, Request: q.String(), Line: text, Err: err})
		}
	}
	return out, nil
}

// Law asks for the law at every data set of a space, and is a mechanism for audit.Run from then on: what the program
// said once, whatever it would say later. Errors: *Error; *cert.LimitError where the laws would not fit the memory
// limit of ctx; *dp.ParameterError for a space without data sets; that of ctx.
func (p *Program) Law(ctx context.Context, s finite.Space) (finite.Mechanism, error) {
	if s.Cells < 1 || s.N < 0 {
		return nil, domain.Refuse("program: Law", "cells, n", [2]int{s.Cells, s.N}, "cells ≥ 1 and n ≥ 0")
	}
	t := &stated{outputs: p.can.outputs, laws: map[string][]float64{}}
	held, sets := 8*float64(p.can.outputs)+200, 0
	err := every(s, func([]int) error {
		sets++
		return cert.Memory(ctx, "keeping the stated distributions", held*float64(sets))
	})
	if err != nil {
		return nil, err
	}
	err = every(s, func(x []int) error {
		law, err := p.LogLaw(ctx, x)
		t.laws[fmt.Sprint(x)] = law
		if f := cert.ProgressOf(ctx); f != nil {
			f(int64(len(t.laws)), int64(sets))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// every visits the data sets of a space until there is an error.
func every(s finite.Space, visit func(x []int) error) error {
	for x := range s.Inputs() {
		if err := visit(x); err != nil {
			return err
		}
	}
	return nil
}

// stated is the law that a program stated.
type stated struct {
	outputs int
	laws    map[string][]float64
}

// Outputs is the number of outputs.
func (t *stated) Outputs() int { return t.outputs }

// LogLaw is what the program said at x.
func (t *stated) LogLaw(x []int, out []float64) { copy(out, t.laws[fmt.Sprint(x)]) }

// Speaker is the other side of the protocol: a mechanism in Go that can be audited as a program. A nil field is what it
// does not offer.
type Speaker struct {
	Law  finite.Mechanism
	Draw func(x []int) (string, error) // one output, up to 200 bytes of one line; with Law, its number
}

// maxRequest is the length of the longest request that is read, in bytes.
const maxRequest = 1 << 20

// Serve greets, and answers requests until in ends: the main function of a program to audit. The error is that of a
// request that is none (*dp.ParameterError), of Draw, of a write, or of a Speaker that offers nothing.
func Serve(in io.Reader, out io.Writer, s Speaker) error {
	can := abilities{draws: s.Draw != nil}
	if s.Law != nil {
		can.outputs = s.Law.Outputs()
	}
	if can == (abilities{}) {
		return domain.Refuse("program: Serve", "speaker", nil, "a distribution or draws")
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, can)
	if err := w.Flush(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(in, maxRequest)
	for {
		part, err := r.ReadSlice('\n')
		line := string(part)
		if line == "" && err == io.EOF {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		q, err := parseRequest(line)
		if err != nil || q.draws > 0 && s.Draw == nil || q.draws == 0 && s.Law == nil {
			return domain.Refuse("program: Serve", "request", strings.TrimSpace(line), "one that the greeting offers")
		}
		if err := s.answer(w, q); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

// answer writes the lines that a request asks for.
func (s Speaker) answer(w *bufio.Writer, q request) error {
	for range q.draws {
		text, err := s.Draw(append([]int(nil), q.x...))
		if err != nil {
			return err
		}
		fmt.Fprintln(w, text)
	}
	if q.draws > 0 {
		return nil
	}
	law := make([]float64, s.Law.Outputs())
	s.Law.LogLaw(q.x, law)
	for i, v := range law {
		if i > 0 {
			_ = w.WriteByte(' ') // a write that fails is reported by Flush
		}
		_, _ = w.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return w.WriteByte('\n')
}
