// Package coverage measures how often credible intervals contain the true value.
//
// Probabilities are drawn from the model's prior, data from the model, noise by the mechanism: then a 95 % credible
// interval of the right posterior contains the true value in exactly 95 % of all cases. [Run] counts, against ε, for
// the naive interval, which takes the released estimates for the counts, and for the noise-aware one (package
// noiseaware). [Committed] is the outcome of the full run.
package coverage

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// Problem is a model under the uniform prior, a number of records and the mechanism that releases their counts.
type Problem struct {
	Name      string
	Records   int
	Levels    int   // of the column, or of the class
	Features  []int // naive Bayes: levels of every feature
	Mechanism mechanism.Mechanism
}

// Problems are those of the figure: one coin at n = 50 and 1000, four categories at n = 200, naive Bayes with two
// features of three levels at n = 100.
func Problems() []Problem {
	return []Problem{
		{"Beta, n = 50", 50, 2, nil, counts.Geometric()},
		{"Beta, n = 1000", 1000, 2, nil, counts.Geometric()},
		{"Dirichlet, d = 4, n = 200", 200, 4, nil, counts.KNorm()},
		{"naive Bayes, n = 100", 100, 2, []int{3, 3}, counts.Geometric()},
	}
}

// shape is the problem's model on a simulated data set.
func (p Problem) shape() (*model.Shape, error) {
	column := func(name string, d int) frame.Column {
		var labels []string
		for i := range d {
			labels = append(labels, fmt.Sprint(i))
		}
		return frame.Categorical(name, labels...)
	}
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{column("x", p.Levels)}}
	var m model.Model = model.Categorical("x")
	switch {
	case len(p.Features) > 0:
		m = model.NaiveBayes("x")
		for k, d := range p.Features {
			s.Columns = append(s.Columns, column(fmt.Sprintf("feature %d", k+1), d))
		}
	case p.Levels == 2:
		m = model.Binary("x")
	}
	return model.NewShape(s, m, p.Records, true, "")
}

// watched is a parameter whose interval is looked at: the first of the target, and under naive Bayes also the first of
// the first feature given the first class. Both follow the order of noiseaware.Posterior.Parameters.
type watched struct {
	name  string
	index int
}

func (p Problem) watched() []watched {
	if len(p.Features) == 0 {
		return []watched{{p.Name, 0}}
	}
	return []watched{{p.Name + ", class", 0}, {p.Name + ", feature given class", p.Levels}}
}

// simulate draws all probabilities from the uniform prior and tables of counts from the model; truth is that of the
// watched parameters.
func (p Problem) simulate(src *dp.Stream) (tables [][]int64, truth []float64, err error) {
	target, err := uniform(src, p.Levels)
	if err != nil {
		return nil, nil, err
	}
	truth = []float64{target[0]}
	if len(p.Features) == 0 {
		t := make([]int64, p.Levels)
		for range p.Records {
			t[choose(src, target)]++
		}
		return [][]int64{t}, truth, nil
	}
	given := make([][][]float64, len(p.Features))
	for k, d := range p.Features {
		tables = append(tables, make([]int64, p.Levels*d))
		for range p.Levels {
			g, err := uniform(src, d)
			if err != nil {
				return nil, nil, err
			}
			given[k] = append(given[k], g)
		}
	}
	for range p.Records {
		j := choose(src, target)
		for k, d := range p.Features {
			tables[k][j*d+choose(src, given[k][j])]++
		}
	}
	return tables, append(truth, given[0][0][0]), nil
}

// uniform is a draw from Dirichlet(1, …, 1).
func uniform(src *dp.Stream, d int) ([]float64, error) {
	alpha := make([]float64, d)
	for i := range alpha {
		alpha[i] = 1
	}
	l, err := posterior.NewDirichlet(alpha)
	if err != nil {
		return nil, err
	}
	return l.Sample(src), nil
}

// choose is i with probability p_i.
func choose(src *dp.Stream, p []float64) int {
	u := sample.Float64(src)
	for i, q := range p[:len(p)-1] {
		if u -= q; u < 0 {
			return i
		}
	}
	return len(p) - 1
}

// Options says what is run. Zero values take those in brackets.
type Options struct {
	Problems []Problem // [Problems()]
	Epsilons []float64 // of ε-DP releases [0.03, 0.1, 0.3, 1, 3, 10]
	Runs     int       // draws of parameters, data and noise per point [4000]
	Seed     uint64
	// Overstated computes posteriors as if ε had been this many times what it was [1]: √2 takes the noise for one of
	// half its variance (but for the lattice, when ε is large). Any value but 1 is a wrong posterior, for showing that
	// coverage tells.
	Overstated float64
	Progress   func(done, total int64)
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Problems) == 0 {
		o.Problems = Problems()
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{0.03, 0.1, 0.3, 1, 3, 10}
	}
	if o.Runs == 0 {
		o.Runs = 4000
	}
	if o.Overstated == 0 {
		o.Overstated = 1
	}
	if o.Runs < 1 {
		return o, domain.Refuse("coverage", "Runs", o.Runs, "at least 1")
	}
	if !(o.Overstated > 0) || math.IsInf(o.Overstated, 1) {
		return o, domain.Refuse("coverage", "Overstated", o.Overstated, "a finite number above 0")
	}
	return o, nil
}

// Run simulates every problem at every ε. Errors: *dp.ParameterError, those of planning, and ctx's.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	out := &Result{Runs: o.Runs, Seed: o.Seed}
	done, total := int64(0), int64(len(o.Problems)*len(o.Epsilons)*o.Runs)
	for _, p := range o.Problems {
		sh, err := p.shape()
		if err != nil {
			return nil, err
		}
		first := len(out.Curves)
		for _, w := range p.watched() {
			out.Curves = append(out.Curves, Curve{Name: w.name, Mechanism: p.Mechanism.Title()})
		}
		for k, eps := range o.Epsilons {
			drawn, stated, err := simulate.Plans(ctx, p.Mechanism, sh, dp.PureDP, eps, o.Overstated)
			if err != nil {
				return nil, err
			}
			points, err := point(ctx, p, drawn, stated, dp.Seeded(o.Seed+uint64(k)), o.Runs, func() {
				if done++; o.Progress != nil && (done%100 == 0 || done == total) {
					o.Progress(done, total)
				}
			})
			if err != nil {
				return nil, err
			}
			for i, pt := range points {
				pt.Epsilon = eps
				out.Curves[first+i].Points = append(out.Curves[first+i].Points, pt)
			}
		}
	}
	return out, nil
}

// point counts over runs, one Point for every watched parameter.
func point(ctx context.Context, p Problem, drawn, stated *mechanism.Plan, src *dp.Stream, runs int,
	step func()) ([]Point, error) {
	watch := p.watched()
	out := make([]Point, len(watch))
	each := 1 / float64(runs)
	for range runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tables, truth, err := p.simulate(src)
		if err != nil {
			return nil, err
		}
		st, err := model.FromCounts(drawn.Shape(), tables)
		if err != nil {
			return nil, err
		}
		r, err := simulate.Release(ctx, drawn, stated, st, src)
		if err != nil {
			return nil, err
		}
		post, err := noiseaware.Of(r)
		if err != nil {
			return nil, err
		}
		params := post.Parameters()
		for i, w := range watch {
			q := params[w.index]
			l, u := q.Naive.CredibleInterval(simulate.Level)
			out[i].NaiveWidth += each * (u - l)
			out[i].Naive += each * simulate.Held(l, u, truth[i])
			l, u = q.Law().CredibleInterval(simulate.Level)
			out[i].AwareWidth += each * (u - l)
			out[i].Aware += each * simulate.Held(l, u, truth[i])
		}
		step()
	}
	return out, nil
}
