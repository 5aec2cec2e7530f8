package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// NumberRun is one line of a comparison: a mechanism, and what it is asked for at every ε.
type NumberRun struct {
	Name      string
	Mechanism mechanism.Mechanism
	Target    func(epsilon float64) dp.Target // nil: PureDP
}

// NumberOptions says what CompareNumbers runs. Zero values take the defaults in brackets; Runs has none.
type NumberOptions struct {
	Runs     []NumberRun
	Epsilons []float64 // [0.1, 0.3, 1, 3, 10]
	Train    float64   // share of rows to train on [0.7]
	Splits   int       // [5]
	Repeats  int       // releases per run, ε and split [10]
	Seed     uint64
	Progress func(done, total int64)
}

func (o NumberOptions) withDefaults() (NumberOptions, error) {
	if len(o.Runs) == 0 {
		return o, &OptionError{"Runs", "none", "at least one mechanism"}
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{.1, .3, 1, 3, 10}
	}
	return o, repetitions(&o.Train, &o.Splits, &o.Repeats)
}

// NumberOutcome is one run at one ε, averaged over splits and noise.
type NumberOutcome struct {
	Run       string
	Epsilon   float64
	Target    dp.Level
	Certified dp.Level
	Loss      Spread // mean squared error of a regression, minus mean log-density of a rate
}

// NumberDiagnostic is a comparison on a model of numbers that drew many times from private data. Private: do not publish.
type NumberDiagnostic struct {
	Model      string
	Dataset    string
	Loss       string // what Loss is
	N          int    // training rows
	Outcomes   []NumberOutcome
	NonPrivate Spread // loss without privacy; OverNoise is 0
	Prior      Spread // loss of predicting the middle of the response's public range; regressions only
	Draws      int
	regression bool
	runs       []string
	hiddenN    bool // Where, or the adjacency of a run, makes the number of rows private
}

// size is n for titles.
func (d *NumberDiagnostic) size() string { return shownN(fmt.Sprintf("n = %d", d.N), d.hiddenN) }

// CompareNumbers draws releases of every run at every ε, on several splits and with several seeds, and scores them on the held-out rows
// beside the non-private model. All plans are made before anything is drawn. Errors: *OptionError, those of planning, and the context's.
func CompareNumbers(ctx context.Context, f *frame.Frame, m model.Model, o NumberOptions) (*NumberDiagnostic, error) {
	if m.Kind.Counts() {
		return nil, &OptionError{"model", m.String(), "a model of numbers; for count tables use Compare"}
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &NumberDiagnostic{Model: m.String(), Dataset: f.Schema().Dataset, Loss: numberLossName(m), regression: m.Kind == model.KindLinearRegression}
	stats, tests := make([]*model.Statistics, o.Splits), make([]*frame.Frame, o.Splits)
	var np, prior []float64
	for s := range stats {
		train, test, err := f.Split(o.Train, o.Seed+uint64(s))
		if err != nil {
			return nil, err
		}
		n, public := train.PublicN()
		sh, err := model.NewShape(train.Schema(), m, n, public, train.PrivateNStep())
		if err != nil {
			return nil, err
		}
		if stats[s], err = model.Count(sh, train); err != nil {
			return nil, err
		}
		fitted, err := model.FitPrivately(seal.Key{}, stats[s])
		if err != nil {
			return nil, err
		}
		loss, err := numberLoss(fitted, test)
		if err != nil {
			return nil, err
		}
		np, tests[s], d.N = append(np, loss), test, train.Len()
		d.hiddenN = !public
		if d.regression {
			c := sh.Columns()[0]
			values, err := test.Values(c.Name)
			if err != nil {
				return nil, err
			}
			prior = append(prior, squares(values, c.Min/2+c.Max/2))
		}
	}
	d.NonPrivate = overSplits(np)
	if d.regression {
		d.Prior = overSplits(prior)
	}
	return d, d.run(ctx, o, stats, tests)
}

// squares is the mean squared distance from a centre.
func squares(values []float64, centre float64) float64 {
	s := 0.0
	for _, v := range values {
		s += (v - centre) * (v - centre) / math.Max(1, float64(len(values)))
	}
	return s
}

// run plans everything, then draws.
func (d *NumberDiagnostic) run(ctx context.Context, o NumberOptions, stats []*model.Statistics, tests []*frame.Frame) error {
	var plans []*mechanism.Plan
	for _, r := range o.Runs {
		d.runs = append(d.runs, r.Name)
		for _, eps := range o.Epsilons {
			target := dp.PureDP(eps)
			if r.Target != nil {
				target = r.Target(eps)
			}
			p, err := r.Mechanism.Plan(ctx, stats[0].Shape(), target)
			if err != nil {
				return err
			}
			d.hiddenN = d.hiddenN || !target.Adjacency.PublicN()
			plans = append(plans, p)
		}
	}
	total, done := int64(len(plans)*o.Splits*o.Repeats), int64(0)
	for i, p := range plans {
		losses := make([][]float64, o.Splits)
		for s := range losses {
			for r := range o.Repeats {
				if err := ctx.Err(); err != nil {
					return err
				}
				seed := o.Seed*1_000_003 + uint64((i*o.Splits+s)*o.Repeats+r)
				drawn, err := p.Draw(ctx, stats[s], "diagnostic", dp.Seeded(seed))
				if err != nil {
					return err
				}
				rel, err := release.New(p, drawn)
				if err != nil {
					return err
				}
				loss, err := numberLoss(rel.Model(), tests[s])
				if err != nil {
					return err
				}
				losses[s] = append(losses[s], loss)
				if done++; o.Progress != nil {
					o.Progress(done, total)
				}
			}
		}
		d.Outcomes = append(d.Outcomes, NumberOutcome{
			o.Runs[i/len(o.Epsilons)].Name, o.Epsilons[i%len(o.Epsilons)], p.Target().Level, p.Certified().Level, spread(losses),
		})
	}
	d.Draws = int(total)
	return nil
}

// Table shows the loss of every run and ε.
func (d *NumberDiagnostic) Table() *table.Table {
	t := table.New(fmt.Sprintf("%s on %s, %s (private: do not publish)", d.Model, label.Quote(d.Dataset), d.size()), "run", "target", "certified", d.Loss, "s.e. splits", "s.e. noise")
	t.Add("non-private", "none", "none", d.NonPrivate.Mean, d.NonPrivate.OverSplits, nil)
	if d.regression {
		t.Add("middle of the public range", "none", "none", d.Prior.Mean, d.Prior.OverSplits, nil)
	}
	for _, o := range d.Outcomes {
		t.Add(o.Run, o.Target.String(), o.Certified.String(), o.Loss.Mean, o.Loss.OverSplits, o.Loss.OverNoise)
	}
	return t.Note(fmt.Sprintf("%d releases were drawn from the private table, beside the exact sums. Publishing this table has no privacy guarantee at any ε.", d.Draws))
}

// Figure is the loss against ε with a band of two standard errors, and the non-private line.
func (d *NumberDiagnostic) Figure() *figure.Figure {
	f := &figure.Figure{
		Title: d.Model + " against ε", XLabel: "ε", YLabel: d.Loss + " on held-out rows", LogX: true, LogY: d.regression, Private: true,
		Caption: fmt.Sprintf("%s, %s; bands: ±2 standard errors over noise", label.Quote(d.Dataset), d.size()), HLines: []figure.Reference{{Name: "non-private", Y: d.NonPrivate.Mean}},
	}
	for _, name := range d.runs {
		s := figure.Series{Name: name, Kind: figure.Band}
		for _, o := range d.Outcomes {
			if o.Run != name {
				continue
			}
			lo := o.Loss.Mean - 2*o.Loss.OverNoise
			if d.regression {
				lo = math.Max(lo, o.Loss.Mean/2)
			}
			s.X, s.Y = append(s.X, o.Epsilon), append(s.Y, o.Loss.Mean)
			s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, o.Loss.Mean+2*o.Loss.OverNoise)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// String shows the comparison as text.
func (d *NumberDiagnostic) String() string { return table.Text(d) }
