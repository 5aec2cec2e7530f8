package model

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Sampling makes draws of the parameters by Markov chains, which takes long enough to wait until they are asked for.
type Sampling struct {
	Seed    string  // of the chains, in hexadecimal: a hash of what was released
	Filed   bool    // files of version 0.2.0 hold draws of an earlier kind in place of the seed
	Seconds float64 // about how long it takes on one core
	// Draw makes them; it is a function of released numbers, and ctx ends it.
	Draw func(ctx context.Context) (*Draws, error)
	// Moments are the released numbers next to what the same draws predict of them, nil where no check is made
	// of them. Errors are those of Draw.
	Moments func(ctx context.Context) ([]Moment, error)
	// Problem is what the draws are the posterior of.
	Problem func() *gram.Problem
	// Without is one draw, for where there are no others.
	Without *Draws
}

// MostSeconds is how long chains may take, about and on one core, that are run to show a release. Longer ones run when
// they are asked for: see Fitted.Sample.
const MostSeconds = 20

// later holds draws once they are made. The one place in its channel is a lock for which a context can end the wait.
type later struct {
	Sampling
	lock  chan struct{}
	done  bool
	draws *Draws
	err   error
}

// Draws are draws of the parameters; nil where none were released or made. Of a regression they are weights on scaled
// rows: CoefficientDraws has them in the units of the data. Where they are made by chains it is one of them, the
// estimate without its uncertainty, if the chains did not agree or would take more than MostSeconds: Unsampled says so.
func (f *Fitted) Draws() *Draws {
	if f.later == nil {
		return f.draws
	}
	if f.later.Seconds > MostSeconds && !f.sampled() {
		return f.later.Without
	}
	_ = f.Sample(context.Background())
	f.later.lock <- struct{}{}
	defer func() { <-f.later.lock }()
	return f.later.draws
}

func (f *Fitted) sampled() bool {
	f.later.lock <- struct{}{}
	defer func() { <-f.later.lock }()
	return f.later.done
}

// Sample makes the draws of the parameters now, however long it takes, where they are made by chains and were not yet.
// Draws and all that is shown have them afterwards. Errors: that of chains that do not agree, of a model too wide for
// them, and ctx's.
func (f *Fitted) Sample(ctx context.Context) error {
	l := f.later
	if l == nil {
		return nil
	}
	select {
	case l.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.lock }()
	if !l.done {
		l.draws, l.err = l.Draw(ctx)
		if l.done = ctx.Err() == nil; l.err != nil {
			l.draws = l.Without
		}
	}
	return l.err
}

// Unsampled says why there is one draw where there could be many: chains that would take longer than they may without
// being asked for (*LongError), or what Sample says. It is nil where nothing is missing.
func (f *Fitted) Unsampled() error {
	switch {
	case f.later == nil:
		return nil
	case f.later.Seconds > MostSeconds && !f.sampled():
		return &LongError{f.later.Seconds}
	}
	return f.Sample(context.Background())
}

// LongError says that intervals wait until they are asked for.
type LongError struct{ Seconds float64 }

// Error says how long they take and how to ask.
func (e *LongError) Error() string {
	return fmt.Sprintf("intervals take about %s s on one core, and are made when they are asked for, by Sample "+
		"(privbayes intervals)",
		table.Number(e.Seconds))
}

// ofSums is what models made of sums over rows have in common: estimates of them are draws of the parameters.
type ofSums struct{ base }

func (ofSums) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Sampling != nil {
		return &Fitted{shape: sh, later: &later{Sampling: *e.Sampling, lock: make(chan struct{}, 1)}}, nil
	}
	if e.Draws == nil {
		return nil, wrong(sh.model, "", "an estimate without draws", "draws of the parameters")
	}
	return &Fitted{shape: sh, draws: e.Draws}, nil
}

func (ofSums) guess(*Fitted, *frame.Frame) (float64, error) { return 0, nil }

// parameter checks the single hyperparameter of a model of sums, which has a name.
func (b ofSums) parameter(m Model, name string) error {
	if want, ok := b.alpha.valid(1, true); !ok {
		return wrong(m, "", fmt.Sprintf("%s = %s", name, b.alpha), want)
	}
	return nil
}

// heldOut are the values of a column of held-out rows, at least one.
func (f *Fitted) heldOut(x *frame.Frame, column string) ([]float64, error) {
	values, err := x.Values(column)
	if err == nil && len(values) == 0 {
		err = wrong(f.shape.model, "", "no rows", "at least one held-out row")
	}
	return values, err
}

// unseen reports whether rows are absent, where that is private.
func unseen(x *frame.Frame) bool {
	_, public := x.PublicN()
	return !public && x.Len() == 0
}
