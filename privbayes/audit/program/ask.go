package program

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

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
		return cert.Memory(ctx, "keeping the stated laws", held*float64(sets))
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
