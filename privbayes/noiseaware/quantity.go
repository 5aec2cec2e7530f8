package noiseaware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Quantity is a function of the network with its posterior, as draws. It is immutable.
type Quantity struct {
	Name string
	// RHat is the rank-normalised split R-hat of the chains, below 1.01, and ESS the smaller of the effective sample
	// sizes of bulk and tails, at least 400.
	RHat, ESS float64

	draws  [][]float64 // by chain
	sorted []float64
	mean   float64
	sd     float64
}

// Draws are the values, chain by chain.
func (q *Quantity) Draws() [][]float64 { return clone(q.draws) }

// Mean is the posterior mean, the average of the draws. It says nothing where the posterior has no mean, as of an odds
// ratio one of whose cells may be empty: take Quantile(.5).
func (q *Quantity) Mean() float64 { return q.mean }

// SD is the posterior standard deviation, that of the draws: see Mean.
func (q *Quantity) SD() float64 { return q.sd }

// Quantile is the order statistic at p·(N + 1) of N draws, between two the straight line, for 0 ≤ p ≤ 1; NaN for other
// p. An interval between such quantiles covers a further draw with its nominal probability, which one that is
// interpolated at p·(N − 1) does not.
func (q *Quantity) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	n := len(q.sorted)
	h := p * float64(n+1)
	i := int(h)
	switch {
	case i < 1:
		return q.sorted[0]
	case i >= n:
		return q.sorted[n-1]
	}
	lo, hi := q.sorted[i-1], q.sorted[i]
	if lo == hi || math.IsInf(lo, -1) {
		return lo
	}
	if math.IsInf(hi, 1) {
		if h == float64(i) {
			return lo
		}
		return hi
	}
	return lo + (h-float64(i))*(hi-lo)
}

// CredibleInterval is the equal-tailed interval of the given level in (0, 1); NaN for another.
func (q *Quantity) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	return q.Quantile((1 - level) / 2), q.Quantile((1 + level) / 2)
}

// Ask is the posterior of a question: a function of the network, which must not depend on anything else. It is
// evaluated on every draw, from several goroutines at once, and where its own R-hat or effective sample size is not
// good enough the chains are doubled first. Asking costs no privacy, and the answer does not depend on what was asked
// before. Errors: that of the function, *PanicError where it panics, *dp.ParameterError for a value that is not a
// number and for an alpha so small that what the question is given has probability 0 in floating point,
// *NotConvergedError, the context's.
func (p *NetworkPosterior) Ask(ctx context.Context, name string,
	question func(*bayesnet.Net) (float64, error)) (*Quantity, error) {
	out, err := p.AskAll(ctx, []string{name}, func(net *bayesnet.Net, out []float64) (err error) {
		out[0], err = question(net)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// AskAll is Ask for several questions that are answered together: question fills out with one value for each name.
func (p *NetworkPosterior) AskAll(ctx context.Context, names []string,
	question func(net *bayesnet.Net, out []float64) error) ([]*Quantity, error) {
	if len(names) == 0 {
		return nil, domain.Refuse("noiseaware", "questions", "none", "at least one")
	}
	var values [][][]float64 // [question][chain]
	var failed error
	var found []mcmc.Diagnosis
	err := p.until(ctx, func(l *level) finding {
		if values, failed = p.evaluate(ctx, l, names, question); failed != nil {
			return finding{d: mcmc.Diagnosis{RHat: 1, Bulk: math.Inf(1), Tail: math.Inf(1)}}
		}
		found = found[:0]
		worst := finding{d: mcmc.Diagnosis{RHat: 0, Bulk: math.Inf(1), Tail: math.Inf(1)}}
		for i, v := range values {
			f := finding{names[i], mcmc.Diagnose(v)}
			found = append(found, f.d)
			if i == 0 || f.worse(worst) {
				worst = f
			}
		}
		return worst
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	out := make([]*Quantity, len(names))
	for i := range out {
		out[i] = newQuantity(names[i], values[i], found[i])
	}
	return out, nil
}

func newQuantity(name string, draws [][]float64, d mcmc.Diagnosis) *Quantity {
	q := &Quantity{Name: name, RHat: d.RHat, ESS: min(d.Bulk, d.Tail), draws: draws, sorted: slices.Concat(draws...)}
	slices.Sort(q.sorted)
	n, least := float64(len(q.sorted)), q.sorted[0]
	for _, x := range q.sorted {
		q.mean += (x - least) / n
	}
	q.mean += least
	for _, x := range q.sorted {
		q.sd += (x - q.mean) * (x - q.mean) / n
	}
	q.sd = math.Sqrt(q.sd)
	return q
}

// evaluate asks every draw of a level.
func (p *NetworkPosterior) evaluate(ctx context.Context, l *level, names []string,
	question func(net *bayesnet.Net, out []float64) error) ([][][]float64, error) {
	values := make([][][]float64, len(names))
	for i := range values {
		values[i] = make([][]float64, chains)
		for c := range chains {
			values[i][c] = make([]float64, l.draws)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), chains)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			out := make([]float64, len(names))
			for i := w; i < chains*l.draws; i += workers {
				c, d := i/l.draws, i%l.draws
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = safely(names, question, l.net(p, c, d).WithContext(ctx), out)
				}
				if errs[w] != nil {
					errs[w] = p.tooSmall(l.net(p, c, d), errs[w])
					return
				}
				for j, x := range out {
					if math.IsNaN(x) {
						errs[w] = p.tooSmall(l.net(p, c, d), domain.Refuse("noiseaware", "value of "+names[j], x,
							"a number for every network"))
						return
					}
					values[j][c][d] = x
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// tooSmall is err, or, where entries of the network are 0, since they were drawn below the smallest number, a
// *dp.ParameterError that says what to do: what was asked given such an entry has no answer in floating point, and one
// with the entry put at the smallest number would be wrong.
func (p *NetworkPosterior) tooSmall(net *bayesnet.Net, err error) error {
	var parameter *dp.ParameterError
	var evidence *bayesnet.ImpossibleError
	if !errors.As(err, &parameter) && !errors.As(err, &evidence) {
		return err
	}
	for v := range net.DAG().Len() {
		if slices.Contains(net.Table(v), 0) {
			least := math.Inf(1)
			for _, a := range p.s.problem.Alpha {
				least = min(least, slices.Min(a))
			}
			return domain.Refuse("noiseaware", "alpha", least, "a larger hyperparameter, 0.1 or more, or a question given "+
				"less: with this one probabilities below 1e-308 are drawn, which are 0 here ("+err.Error()+")")
		}
	}
	return err
}

// safely asks, and makes a panic of the question an error: in a goroutine of its own it would end the program.
func safely(names []string, question func(*bayesnet.Net, []float64) error, net *bayesnet.Net, out []float64) (err error) {
	defer recovered(strings.Join(names, ", "), &err)
	return question(net, out)
}

// route says how draws were made.
func (p *NetworkPosterior) route() string {
	l := p.base
	if p.tree != nil {
		return p.treeRoute()
	}
	return fmt.Sprintf("Draws of latent tables by %d Markov chains of %d sweeps, seeded by the release; R-hat < %v and "+
		"effective sample size ≥ %v for every parameter.", chains, l.sweeps, p.s.contract.RHat, p.s.contract.ESS)
}

func makeNets(n int) ([]sync.Once, []*bayesnet.Net) {
	return make([]sync.Once, n), make([]*bayesnet.Net, n)
}
