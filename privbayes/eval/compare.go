package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// CompareOptions says what Compare runs. Zero values take the defaults in brackets.
type CompareOptions struct {
	Mechanisms []mechanism.Mechanism // [geometric and, with Delta, discrete Gaussian, for models made of count tables]
	Runs       []Run                 // further lines, each with targets of its own
	Epsilons   []float64             // [0.1, 0.2, 0.5, 1, 2, 5]
	Delta      float64               // of Mechanisms: 0: pure ε-DP targets; else (ε, δ)
	Adjacency  dp.Adjacency          // of Mechanisms [replace-one]
	Train      float64               // share of rows to train on [0.7]
	Splits     int                   // train/test splits [5]
	Repeats    int                   // releases per run, ε and split [10]
	Seed       uint64
	Progress   func(done, total int64)
}

// Run is one line of a comparison: a mechanism, and what it is asked for at every ε.
type Run struct {
	Name      string
	Mechanism mechanism.Mechanism
	Target    func(epsilon float64) dp.Request // nil: PureDP
}

// Compare draws releases of every run at every ε, on several splits and with several seeds, and measures them on the
// held-out rows beside the non-private model and, where there is one, the guess that knows no features. All plans are
// made before anything is drawn, so an ε that cannot be met fails first. Errors: *dp.ParameterError, those of planning,
// and the context's.
func Compare(ctx context.Context, f *frame.Frame, m model.Model, o CompareOptions) (*Diagnostic, error) {
	o.Train, o.Splits, o.Repeats = cmp.Or(o.Train, 0.7), cmp.Or(o.Splits, 5), cmp.Or(o.Repeats, 10)
	if o.Splits < 1 || o.Repeats < 1 || o.Splits*o.Repeats > 1<<20 {
		return nil, domain.Refuse("eval", "Splits, Repeats", fmt.Sprintf("%d, %d", o.Splits, o.Repeats),
			"at least 1 each, and at most 2^20 together")
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{0.1, 0.2, 0.5, 1, 2, 5}
	}
	c := &comparison{o: o,
		d: &Diagnostic{Dataset: f.Schema().Dataset, Adjacency: o.Adjacency, Delta: o.Delta, own: len(o.Runs) > 0}}
	if err := c.split(f, m); err != nil {
		return nil, err
	}
	if err := c.plan(ctx); err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	return c.d, nil
}

// comparison is the state of one Compare.
type comparison struct {
	o      CompareOptions
	d      *Diagnostic
	splits []split
	plans  []*mechanism.Plan // of every run at every ε
}

// split is one train/test split with the non-private model on it.
type split struct {
	stats  *model.Statistics
	test   *frame.Frame
	fitted *model.Fitted
}

func (c *comparison) split(f *frame.Frame, m model.Model) error {
	var without, guess []float64
	for s := range c.o.Splits {
		train, test, err := f.Split(c.o.Train, c.o.Seed+uint64(s))
		if err != nil {
			return err
		}
		n, public := train.PublicN()
		sh, err := model.NewShape(train.Schema(), m, n, public, train.PrivateNStep())
		if err != nil {
			return err
		}
		sp := split{test: test}
		if sp.stats, err = model.Count(sh, train); err != nil {
			return err
		}
		if sp.fitted, err = model.FitPrivately(access.Mine(), sp.stats); err != nil {
			return err
		}
		own, err := sp.fitted.Measure(sp.fitted, test)
		if err != nil {
			return err
		}
		g, err := sp.fitted.Guess(test)
		if err != nil {
			return err
		}
		c.d.N, c.d.hiddenN, c.d.shape = train.Len(), !public, sh
		c.splits, without, guess = append(c.splits, sp), append(without, own[0]), append(guess, g)
	}
	c.d.Model = m.String()
	c.d.NonPrivate, c.d.Guess, c.d.words = overSplits(without), overSplits(guess), c.d.shape.Words()
	return nil
}

// plan makes one plan per run and ε: the shape is the same on every split.
func (c *comparison) plan(ctx context.Context) error {
	list := c.o.Mechanisms
	if len(list)+len(c.o.Runs) == 0 && c.d.shape.Counts() {
		if list = []mechanism.Mechanism{counts.Geometric()}; c.o.Delta > 0 {
			list = append(list, counts.DiscreteGaussian())
		}
	}
	var runs []Run
	for _, mech := range list {
		runs = append(runs, Run{mech.Title(), mech, c.o.target})
	}
	if runs = append(runs, c.o.Runs...); len(runs) == 0 {
		return domain.Refuse("eval", "Mechanisms", "none", "at least one mechanism")
	}
	for _, run := range runs {
		name := run.Name
		for i := 2; slices.Contains(c.d.runs, name); i++ {
			name = fmt.Sprintf("%s (%d)", run.Name, i)
		}
		c.d.runs = append(c.d.runs, name)
		if run.Target == nil {
			run.Target = dp.PureDP
		}
		for _, eps := range c.o.Epsilons {
			t := run.Target(eps)
			p, err := run.Mechanism.Plan(ctx, c.d.shape, t)
			if err != nil {
				return err
			}
			c.d.hiddenN = c.d.hiddenN || !t.Adjacency.PublicN()
			c.plans = append(c.plans, p)
		}
	}
	return nil
}

func (o CompareOptions) target(epsilon float64) dp.Request {
	if o.Delta != 0 {
		return dp.ApproxDP(epsilon, o.Delta).Under(o.Adjacency)
	}
	return dp.PureDP(epsilon).Under(o.Adjacency)
}

func (c *comparison) run(ctx context.Context) error {
	total, done := int64(len(c.plans)*len(c.splits)*c.o.Repeats), int64(0)
	for i, p := range c.plans {
		values := make([][][]float64, len(c.d.words.Measures)) // measure, split, draw
		for k := range values {
			values[k] = make([][]float64, len(c.splits))
		}
		for s, sp := range c.splits {
			for r := range c.o.Repeats {
				if err := ctx.Err(); err != nil {
					return err
				}
				rel, err := draw(ctx, p, sp.stats, c.o.Seed*1_000_003+uint64((i*len(c.splits)+s)*c.o.Repeats+r))
				if err != nil {
					return err
				}
				one, err := rel.Model().Measure(sp.fitted, sp.test)
				if err != nil {
					return err
				}
				for k, v := range one {
					values[k][s] = append(values[k][s], v)
				}
				if done++; c.o.Progress != nil {
					c.o.Progress(done, total)
				}
			}
		}
		o := Outcome{Run: c.d.runs[i/len(c.o.Epsilons)], Epsilon: c.o.Epsilons[i%len(c.o.Epsilons)],
			Target: p.Target().Parameters, Certified: p.Certified().Parameters}
		for _, v := range values {
			o.Measures = append(o.Measures, spread(v))
		}
		o.Score = o.Measures[0]
		c.d.Outcomes = append(c.d.Outcomes, o)
	}
	c.d.Draws = int(total)
	return nil
}

func overSplits(values []float64) Spread {
	column := make([][]float64, len(values))
	for i, v := range values {
		column[i] = []float64{v}
	}
	s := spread(column)
	s.OverNoise = 0
	return s
}

func spread(values [][]float64) Spread {
	mean, splits, noise := TwoWay(values)
	return Spread{mean, splits, noise}
}
