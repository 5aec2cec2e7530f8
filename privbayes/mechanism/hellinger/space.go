package hellinger

import (
	"context"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// space is one posterior to release: the candidate set of a table with the scale that scores are divided by.
type space struct {
	*hellinger.Space
	alpha []float64
	n     int64
	scale scaling
	gamma float64 // reciprocal
	beta  float64 // smooth

	tables func() *hellingersample.Tables // made on first use, for enumerations; nil beyond their limit
}

// newSpace checks prior and n: *dp.ParameterError.
func newSpace(alpha []float64, n int64, scale scaling, gamma, beta float64) (*space, error) {
	s, err := hellinger.New(alpha, n)
	if err != nil {
		return nil, err
	}
	return &space{s, alpha, n, scale, gamma, beta, sync.OnceValue(func() *hellingersample.Tables {
		t, _ := hellingersample.NewTables(alpha, n)
		return t
	})}, nil
}

// sensitivity is S(x).
func (s *space) sensitivity(x []int64) float64 {
	var v float64
	switch s.scale {
	case globalScale:
		v, _, _ = s.Global()
	case localScale:
		v, _, _ = s.Local(x)
	case localPlusScale:
		v, _, _ = s.LocalPlus(x)
	case smoothScale:
		v = s.Smooth(x, s.beta).Value
	default:
		v = s.Reciprocal(x, s.gamma).Value
	}
	return v
}

// rate is A = κ/S(x), 0 where there is one candidate only.
func (s *space) rate(kappa float64, x []int64) float64 {
	if s.n == 0 {
		return 0
	}
	return kappa / s.sensitivity(x)
}

// maxRate bounds A over all data: every edge of the space has both parameters at most Σα + n, and the edge falls in
// both.
func (s *space) maxRate(kappa float64) float64 {
	if s.n == 0 {
		return 0
	}
	total := float64(s.n)
	for _, a := range s.alpha {
		total += a
	}
	return kappa / s.Edge(total, total) * (1 + 1e-12)
}

// lipschitz is the proved Lipschitz constant of 1/S between neighbours, rounded up; ok is false where there is none.
func (s *space) lipschitz() (gamma float64, ok bool) {
	switch {
	case s.scale == globalScale:
		return 0, true
	case s.scale == reciprocalScale:
		return s.gamma, true
	case s.scale == localPlusScale, s.scale == localScale && len(s.alpha) == 2: // LS = LS⁺ for two cells
		return s.GammaPlusUpper(), true
	}
	return 0, false
}

// rho is Theorem 1's ρ, rounded up: weights exp(−κH/S) have log-ratios within a range of κρ.
func (s *space) rho() (float64, bool) {
	g, ok := s.lipschitz()
	return hellinger.Rho(g, 1), ok
}

// work bounds the ordered neighbouring pairs times outputs, as finite.Audit does.
func (s *space) work() float64 {
	d := float64(len(s.alpha))
	return s.Size() * d * (d - 1) * s.Size()
}

// sampler names the method that draws from the space at κ, and bounds η: what is drawn has weights w·e^{±η} of the
// weights that the proofs are about, which costs at most 4η of ε (theory/hellinger.md §10). The relative error of S,
// below 2e-14, comes on top of the method's own slack. Both are functions of public inputs. The error says that no
// method is feasible.
func (s *space) sampler(kappa float64) (name string, eta float64, err error) {
	a := s.maxRate(kappa)
	name, eta, err = hellingersample.Prospect(s.alpha, s.n, a)
	return name, eta + 4e-14*a + 1e-12, err
}

// slack is η alone, +Inf where nothing can be drawn.
func (s *space) slack(kappa float64) float64 {
	_, eta, err := s.sampler(kappa)
	if err != nil {
		return math.Inf(1)
	}
	return eta
}

// exponents fills out with A·H(x, r), the numbers that are drawn from.
func (s *space) exponents(x []int64, a float64, out []float64) error {
	if t := s.tables(); t != nil {
		return t.Exponents(x, a, out)
	}
	return hellingersample.Exponents(s.alpha, x, a, out)
}

// law is the finite output law at rate κ, on the very exponents that are drawn from.
type law struct {
	*space
	kappa float64
}

// Outputs is |R|.
func (l law) Outputs() int { return int(math.Round(l.Size())) }

// LogLaw fills out with log-probabilities; it is safe for concurrent use.
func (l law) LogLaw(x []int, out []float64) {
	y := make([]int64, len(x))
	for i, v := range x {
		y[i] = int64(v)
	}
	if err := l.exponents(y, l.rate(l.kappa, y), out); err != nil {
		for i := range out {
			out[i] = math.NaN() // not a candidate set: the caller's space is another one
		}
		return
	}
	for i, e := range out {
		out[i] = -e
	}
	z := num.LogSumExp(out)
	for i := range out {
		out[i] -= z
	}
}

// sampler releases one candidate per table.
type sampler struct {
	shape  *model.Shape
	spaces []*space
	tables []tableParams
	flip   bool
}

// Draw takes the rate at the data and draws a candidate of every table.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	out := make([][]int64, len(d.spaces))
	for t, s := range d.spaces {
		x, kappa := tables[t], d.tables[t].Kappa
		a := s.rate(kappa, x)
		var err error
		if d.flip {
			out[t], err = permuteAndFlip(s, x, a, src)
		} else {
			out[t], err = exponential(ctx, s, x, a, s.maxRate(kappa), src)
		}
		if err != nil {
			return mechanism.Output{}, err
		}
	}
	return mechanism.Output{Raw: out}, nil
}

func exponential(ctx context.Context, s *space, x []int64, a, bound float64, src *dp.Stream) ([]int64, error) {
	var progress func(done float64)
	if f := cert.ProgressOf(ctx); f != nil {
		progress = func(done float64) { f(int64(1000*done), 1000) }
	}
	sampler, err := hellingersample.Choose(ctx, s.alpha, x, a, bound, progress)
	if err != nil {
		return nil, err
	}
	return sampler.Draw(src)
}

// flipBits is the denominator of a coin's exponent, 2^40.
const flipBits = 40

// permuteAndFlip visits the candidates in random order; the coin of x itself, whose distance is 0, always comes up.
func permuteAndFlip(s *space, x []int64, a float64, src *dp.Stream) ([]int64, error) {
	e, err := coins(s, x, a)
	if err != nil {
		return nil, err
	}
	for _, r := range sample.Permutation(src, len(e)) {
		if sample.BernoulliExp(src, e[r], 1<<flipBits) {
			return hellingersample.Unrank(r, s.n, len(s.alpha)), nil
		}
	}
	return append([]int64(nil), x...), nil
}

// Estimate takes the released candidate as the counts.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != len(d.spaces) {
		return model.Estimate{}, domain.Refuse("hellinger", "raw", "a wrong number of tables", "one per table of the model")
	}
	e := model.Estimate{}
	for t, s := range d.spaces {
		est, total := make([]float64, len(raw[t])), int64(0)
		for i, c := range raw[t] {
			if c < 0 || c > s.n {
				return model.Estimate{}, domain.Refuse("hellinger", "raw", c, "counts in [0, n]")
			}
			est[i] = float64(c)
			total += c
		}
		if len(est) != len(s.alpha) || total != s.n {
			return model.Estimate{}, domain.Refuse("hellinger", "raw",
				"cells that are no candidate of "+safetext.Short(d.shape.Tables()[t].Name),
				"one count per cell, adding up to n")
		}
		e.Tables = append(e.Tables, est)
	}
	e.Class = model.ClassMargin(d.shape, e.Tables)
	return e, nil
}

// coins are the exponents of permute-and-flip's coins in units of 2^-flipBits: candidate r comes up with exp(−coin).
func coins(s *space, x []int64, a float64) ([]uint64, error) {
	e, err := candidateExponents(s, x, a)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(e))
	for r, v := range e {
		out[r] = uint64(math.Round(math.Ldexp(v, flipBits)))
	}
	return out, nil
}

func candidateExponents(s *space, x []int64, a float64) ([]float64, error) {
	e := make([]float64, int(math.Round(s.Size())))
	return e, hellingersample.Exponents(s.alpha, x, a, e)
}

// Weights are the integers that the exponential mechanism draws the candidate of x from, where it enumerates: a single
// table of three cells or more. They are what a checker outside this module is given.
func (d *sampler) Weights(x []int64) (*sample.Weights, error) {
	if err := d.single(false); err != nil {
		return nil, err
	}
	s := d.spaces[0]
	e, err := candidateExponents(s, x, s.rate(d.tables[0].Kappa, x))
	if err != nil {
		return nil, err
	}
	return sample.NewWeights(e)
}

// Coins are the exponents of permute-and-flip's coins at x, and their denominator: a single table.
func (d *sampler) Coins(x []int64) (exponents []uint64, denominator uint64, err error) {
	if err := d.single(true); err != nil {
		return nil, 0, err
	}
	s := d.spaces[0]
	exponents, err = coins(s, x, s.rate(d.tables[0].Kappa, x))
	return exponents, 1 << flipBits, err
}

// single refuses what is not one table drawn in the given way.
func (d *sampler) single(flip bool) error {
	if len(d.spaces) != 1 || d.flip != flip || !flip && len(d.spaces[0].alpha) < 3 {
		return domain.Refuse("hellinger", "plan", "another distribution", "one table, and the mechanism that draws so")
	}
	return nil
}

// outputLimit is the number of candidates up to which an output law is walked.
const outputLimit = 2000

// OutputLaw visits every candidate that Draw may release of one table, with its probability; ok is false for several
// tables and too many candidates. What is visited is overwritten by the next visit. Package advise sums errors over it.
func (d *sampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.spaces) != 1 || d.spaces[0].Size() > outputLimit {
		return false
	}
	l := law{d.spaces[0], d.tables[0].Kappa}
	x, logs := make([]int, len(tables[0])), make([]float64, l.Outputs())
	for i, c := range tables[0] {
		x[i] = int(c)
	}
	l.LogLaw(x, logs)
	if d.flip {
		flipProbabilities(logs)
	}
	raw := make([][]int64, 1)
	for o, v := range logs {
		if v > -40 { // the rest has a probability below outputLimit·e^−40
			raw[0] = hellingersample.Unrank(o, l.n, len(x))
			visit(raw, math.Exp(v))
		}
	}
	return true
}

// flipProbabilities turns the log-weights of the exponential mechanism, up to a constant, into the log-probabilities of
// permute-and-flip. A random order is a uniform arrival time for every candidate; with a_s = e^{weight} relative to the
// greatest,
//
//	P(r) = a_r ∫₀¹ ∏_{s≠r} (1 − t·a_s) dt.
//
// By quadrature: the product falls like e^{−t·Σa}, so panels double from 1/Σa on.
func flipProbabilities(logs []float64) {
	top, total := math.Inf(-1), 0.0
	for _, v := range logs {
		top = math.Max(top, v)
	}
	a, sums := make([]float64, len(logs)), make([]float64, len(logs))
	for i, v := range logs {
		a[i] = math.Exp(v - top)
		total += a[i]
	}
	nodes, weights := num.GaussLegendre24()
	missed := make([]float64, len(a)) // ln(1 − t·a)
	for lo, hi := 0.0, math.Min(1, 1/total); lo < 1 && lo*(total-1) < 45; lo, hi = hi, math.Min(1, 2*hi) {
		for k := range nodes {
			t, product := lo+(hi-lo)*(1+nodes[k])/2, 0.0
			for i, v := range a {
				missed[i] = math.Log1p(-t * v)
				product += missed[i]
			}
			for i := range a {
				sums[i] += (hi - lo) / 2 * weights[k] * math.Exp(product-missed[i])
			}
		}
	}
	for i, v := range a {
		logs[i] = math.Log(v) + math.Log(sums[i])
	}
}
