package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// CompareOptions says what Compare runs. Zero values take the defaults in brackets.
type CompareOptions struct {
	Mechanisms []mechanism.Mechanism // [geometric and, with Delta, discrete Gaussian]
	Epsilons   []float64             // [0.1, 0.2, 0.5, 1, 2, 5]
	Delta      float64               // 0: pure ε-DP targets; else (ε, δ)
	Adjacency  dp.Adjacency          // [replace-one]
	Train      float64               // share of rows to train on [0.7]
	Splits     int                   // train/test splits [5]
	Repeats    int                   // releases per mechanism, ε and split [10]
	Seed       uint64
	Progress   func(done, total int64)
}

func (o CompareOptions) withDefaults() (CompareOptions, error) {
	if len(o.Mechanisms) == 0 {
		o.Mechanisms = []mechanism.Mechanism{counts.Geometric()}
		if o.Delta > 0 {
			o.Mechanisms = append(o.Mechanisms, counts.DiscreteGaussian())
		}
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{0.1, 0.2, 0.5, 1, 2, 5}
	}
	return o, repetitions(&o.Train, &o.Splits, &o.Repeats)
}

// repetitions fills in how a comparison repeats itself, and bounds it.
func repetitions(train *float64, splits, repeats *int) error {
	*train, *splits, *repeats = cmp.Or(*train, 0.7), cmp.Or(*splits, 5), cmp.Or(*repeats, 10)
	if *splits < 1 || *repeats < 1 || *splits**repeats > 1<<20 {
		return &OptionError{"Splits, Repeats", fmt.Sprintf("%d, %d", *splits, *repeats), "at least 1 each, and at most 2^20 together"}
	}
	return nil
}

func (o CompareOptions) target(epsilon float64) dp.Target {
	if o.Delta != 0 {
		return dp.ApproxDP(epsilon, o.Delta).Under(o.Adjacency)
	}
	return dp.PureDP(epsilon).Under(o.Adjacency)
}

// OptionError is an option outside its domain.
type OptionError struct {
	Option string
	Value  any
	Want   string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("eval: %s = %v; want %s", e.Option, e.Value, e.Want)
}

// Compare draws releases of every mechanism at every ε, on several splits and with several seeds, and scores them on the held-out
// rows beside the non-private model and the majority class. All plans are made before anything is read, so an ε that cannot be
// met fails first. It stops with the context's error.
func Compare(ctx context.Context, f *frame.Frame, m model.Model, o CompareOptions) (*Diagnostic, error) {
	if !m.Kind.Counts() {
		return nil, &OptionError{"model", m.String(), "a model of count tables; for numbers use CompareNumbers"}
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &comparison{o: o, d: &Diagnostic{Model: m.String(), Dataset: f.Schema().Dataset, Adjacency: o.Adjacency, Delta: o.Delta}}
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
	plans  []*mechanism.Plan
	names  []string // of the mechanism of every plan, unique by mechanism
}

// split is one train/test split with the non-private model on it.
type split struct {
	stats    *model.Statistics
	test     *frame.Frame
	labels   []int
	fitted   *model.Fitted
	accuracy float64
	majority float64
}

func (c *comparison) split(f *frame.Frame, m model.Model) error {
	var acc, maj []float64
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
		if sp.fitted, err = model.FitPrivately(seal.Key{}, sp.stats); err != nil {
			return err
		}
		if sp.labels, err = sp.fitted.Labels(test); err != nil {
			return err
		}
		probs, err := sp.fitted.Predict(test)
		if err != nil {
			return err
		}
		sp.accuracy, _ = quick(probs, sp.labels)
		sp.majority = shareOf(sp.labels, argmax(sp.fitted.Target().Mean()))
		c.d.N, c.d.hiddenN = train.Len(), !public
		c.splits = append(c.splits, sp)
		acc, maj = append(acc, sp.accuracy), append(maj, sp.majority)
	}
	c.d.NonPrivate, c.d.Majority = overSplits(acc), overSplits(maj)
	return nil
}

// plan makes one plan per mechanism and ε: the shape is the same on every split.
func (c *comparison) plan(ctx context.Context) error {
	sh := c.splits[0].stats.Shape()
	for _, mech := range c.o.Mechanisms {
		name := mech.Title()
		for i := 2; slices.Contains(c.d.mechanisms, name); i++ {
			name = fmt.Sprintf("%s (%d)", mech.Title(), i)
		}
		c.d.mechanisms = append(c.d.mechanisms, name)
		for _, eps := range c.o.Epsilons {
			p, err := mech.Plan(ctx, sh, c.o.target(eps))
			if err != nil {
				return err
			}
			c.plans, c.names = append(c.plans, p), append(c.names, name)
		}
	}
	return nil
}

func (c *comparison) run(ctx context.Context) error {
	total, done := int64(len(c.plans)*len(c.splits)*c.o.Repeats), int64(0)
	for i, p := range c.plans {
		acc, loss, kl := grid(c), grid(c), grid(c)
		for s := range c.splits {
			for r := range c.o.Repeats {
				if err := ctx.Err(); err != nil {
					return err
				}
				seed := c.o.Seed*1_000_003 + uint64((i*len(c.splits)+s)*c.o.Repeats+r)
				if err := c.one(ctx, p, s, seed, &acc[s][r], &loss[s][r], &kl[s][r]); err != nil {
					return err
				}
				if done++; c.o.Progress != nil {
					c.o.Progress(done, total)
				}
			}
		}
		c.d.Outcomes = append(c.d.Outcomes, Outcome{c.names[i], p.Target().Level, p.Certified().Level, spread(acc), spread(loss), spread(kl)})
	}
	c.d.Draws = int(total)
	return nil
}

func grid(c *comparison) [][]float64 {
	g := make([][]float64, len(c.splits))
	for s := range g {
		g[s] = make([]float64, c.o.Repeats)
	}
	return g
}

// one draws and scores one release.
func (c *comparison) one(ctx context.Context, p *mechanism.Plan, s int, seed uint64, acc, loss, kl *float64) error {
	sp := c.splits[s]
	d, err := p.Draw(ctx, sp.stats, "diagnostic", dp.Seeded(seed))
	if err != nil {
		return err
	}
	r, err := release.New(p, d)
	if err != nil {
		return err
	}
	probs, err := r.Predict(sp.test)
	if err != nil {
		return err
	}
	*acc, *loss = quick(probs, sp.labels)
	*kl = posteriorKL(sp.fitted, r.Model())
	return nil
}

// quick is accuracy (ties to the first class) and mean −log probability of the true class.
func quick(probs [][]float64, labels []int) (accuracy, logLoss float64) {
	for i, p := range probs {
		if argmax(p) == labels[i] {
			accuracy++
		}
		logLoss -= math.Log(p[labels[i]])
	}
	n := math.Max(1, float64(len(labels)))
	return accuracy / n, logLoss / n
}

func argmax(p []float64) int {
	best := 0
	for i, v := range p {
		if v > p[best] {
			best = i
		}
	}
	return best
}

func shareOf(labels []int, class int) float64 {
	n := 0
	for _, l := range labels {
		if l == class {
			n++
		}
	}
	return float64(n) / math.Max(1, float64(len(labels)))
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
