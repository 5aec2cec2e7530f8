package sampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

// Source is a stream of uniform random words, such as dp.Seeded gives.
type Source = rand.Source

// Contest is the distinguishability game for two fixed data sets x and y: what one posterior sample θ tells the
// adversary is the loss ln ξ(θ|x)/ξ(θ|y), and the sum of the losses of all samples is all that the optimum test needs
// (Neyman and Pearson). Immutable, safe for concurrent use.
type Contest struct {
	name         string
	fromX, fromY func(Source) float64
	p, q         []float64 // finite contests
	loss         []float64
	lrho         float64 // half the range of the loss: the Lρ of every bound
	divergences  divergences
}

// NewContest is the game between two laws on the same finite set. Domain: probability vectors of one length that are
// positive in the same places; otherwise a *ParameterError.
func NewContest(name string, p, q []float64) (*Contest, error) {
	const f = "NewContest"
	if err := laws(f, p, q); err != nil {
		return nil, err
	}
	c := &Contest{name: name}
	for i := range p {
		if err := check(f, domain.Arg(fmt.Sprintf("p[%d], q[%d]", i, i), [2]float64{p[i], q[i]},
			(p[i] == 0) == (q[i] == 0), "both 0 or both positive")); err != nil {
			return nil, err
		}
		if p[i] > 0 {
			c.add(p[i], q[i])
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range c.loss {
		lo, hi = math.Min(lo, l), math.Max(hi, l)
	}
	c.lrho = (hi - lo) / 2
	c.divergences = compare(c.p, c.q)
	c.fromX, c.fromY = c.sampler(c.p), c.sampler(c.q)
	return c, nil
}

// add joins outcomes of equal loss: the test cannot use more, and enumeration is over fewer.
func (c *Contest) add(p, q float64) {
	l := math.Log(p / q)
	for i, v := range c.loss {
		if math.Abs(v-l) <= 1e-13 {
			c.p[i] += p
			c.q[i] += q
			c.loss[i] = math.Log(c.p[i] / c.q[i])
			return
		}
	}
	c.p, c.q, c.loss = append(c.p, p), append(c.q, q), append(c.loss, l)
}

// sampler draws the loss of one outcome by inverse distribution function.
func (c *Contest) sampler(p []float64) func(Source) float64 {
	cumulative, sum := make([]float64, len(p)), 0.0
	for i, v := range p {
		sum += v
		cumulative[i] = sum
	}
	return func(src Source) float64 {
		i := sort.SearchFloat64s(cumulative, sample.Float64(src)*sum)
		return c.loss[min(i, len(c.loss)-1)]
	}
}

// Contest is the game between data sets x and y of a finite family: *ParameterError for what is not a data set, and for
// posteriors of which one underflows.
func (f *Family) Contest(x, y int) (*Contest, error) {
	if err := f.pair("Contest", x, y); err != nil {
		return nil, err
	}
	return NewContest(fmt.Sprintf("%d against %d of a finite family", x, y), f.post[x], f.post[y])
}

// TwoPointContest is the hardest-to-hide pair of the theory: two parameters with log-ratios ±Lρ and equal prior
// weights, whose posteriors are (p, 1−p) and (1−p, p), p = 1/(1 + e^{−Lρ}). Domain: 0 < Lρ ≤ 700; otherwise a
// *ParameterError.
func TwoPointContest(lrho float64) (*Contest, error) {
	if err := check("TwoPointContest", domain.Arg("L*rho", lrho, lrho > 0 && lrho <= 700, "in (0, 700]")); err != nil {
		return nil, err
	}
	e := math.Exp(-lrho)
	p, q := 1/(1+e), e/(1+e)
	return NewContest(fmt.Sprintf("two points, Lρ = %g", lrho), []float64{p, q}, []float64{q, p})
}

// BetaContest is the game between posteriors of n bits under a Beta(a, b) prior trimmed to [l, u]: x has k+1 ones and y
// has k. The loss is logit θ + ln Z(k)/Z(k+1), of range logit u − logit l. Domain: a, b > 0, 0 ≤ k < n ≤ 10,000, 0 < l
// < u < 1; otherwise a *ParameterError.
func BetaContest(n, k int, a, b, l, u float64) (*Contest, error) {
	const f = "BetaContest"
	if err := check(f, domain.Between("n", n, 1, 10_000), domain.Between("k", k, 0, n-1), domain.Positive("a", a),
		domain.Positive("b", b),
		domain.Arg("[l, u]", [2]float64{l, u}, l > 0 && l < u && u < 1, "0 < l < u < 1")); err != nil {
		return nil, err
	}
	ones := float64(k)
	y, err := truncated.NewBeta(a+ones, b+float64(n)-ones, l, u)
	if err != nil {
		return nil, check(f, domain.Arg("a, b", [2]float64{a, b}, false, err.Error()))
	}
	x, err := truncated.NewBeta(a+ones+1, b+float64(n)-ones-1, l, u)
	if err != nil {
		return nil, check(f, domain.Arg("a, b", [2]float64{a, b}, false, err.Error()))
	}

	shift := y.LogMass() - x.LogMass()
	draw := func(s *truncated.Sampler) func(Source) float64 {
		return func(src Source) float64 { return logit(s.Draw(src)) + shift }
	}
	return &Contest{name: fmt.Sprintf("Beta(%g, %g) on [%g, %g], %d or %d ones of %d", a, b, l, u, k+1, k, n),
		fromX: draw(x.Sampler()), fromY: draw(y.Sampler()), lrho: (logit(u) - logit(l)) / 2,
		divergences: betaDivergences(x, y, l, u, shift)}, nil
}

// Name says what is played.
func (c *Contest) Name() string { return c.name }

// LRho is half the range of the loss, the smallest Lρ for which the bounds are stated.
func (c *Contest) LRho() float64 { return c.lrho }

// Jeffreys is the exact D(x‖y) + D(y‖x) of one sample in nats.
func (c *Contest) Jeffreys() float64 { return c.divergences.jeffreys }

// Floor is [ErrorFloor] of this pair after N samples, with its own Jeffreys divergence in place of the worst for the
// range, so that every field is at least as large. Errors: those of ErrorFloor.
func (c *Contest) Floor(samples int) (Floor, error) {
	f, err := ErrorFloor(c.lrho, samples)
	if err != nil {
		return f, err
	}
	f.Jeffreys = math.Max(f.Jeffreys, klFloor(float64(samples)*up(c.divergences.jeffreys)/2))
	f.Floor = math.Max(f.Floor, f.Jeffreys-5e-10)
	return f, nil
}

// OptimalError is the exact average error of the optimum test on N samples, Σ min(P^N, Q^N)/2 = (1 − TV)/2, by
// enumeration of how often each value of the loss occurs. The larger of the two errors is never less. Domain: a finite
// contest, N ≥ 1, at most 20 million compositions; otherwise a *ParameterError.
func (c *Contest) OptimalError(samples int) (float64, error) {
	const f = "OptimalError"
	if err := check(f, domain.Arg("contest", c.name, c.p != nil, "a finite one"),
		enumerable(len(c.p), samples)); err != nil {
		return 0, err
	}
	sum := 0.0
	compositions(c.p, samples, func(counts []int, probability float64) {
		s := 0.0
		for i, k := range counts {
			s += float64(k) * c.loss[i]
		}
		sum += probability * math.Exp(-math.Max(0, s))
	})
	return math.Min(1, sum) / 2, nil
}

func logit(t float64) float64 { return math.Log(t) - math.Log1p(-t) }

// betaDivergences integrates the two laws. The loss crosses 0 once, at logit θ = −shift: TV is the mass above less the
// mass below.
func betaDivergences(x, y *truncated.Beta, l, u, shift float64) divergences {
	integral := func(from float64, f func(t float64) float64) float64 {
		if from >= u {
			return 0
		}
		return num.Integrate24(f, math.Max(l, from), u, 200)
	}
	loss := func(t float64) float64 { return logit(t) + shift }
	px := func(t float64) float64 { return math.Exp(x.LogDensity(t)) }
	py := func(t float64) float64 { return math.Exp(y.LogDensity(t)) }
	cross, _ := num.Logistic(-shift)
	return divergences{
		kl:       integral(l, func(t float64) float64 { return px(t) * loss(t) }),
		jeffreys: integral(l, func(t float64) float64 { return (px(t) - py(t)) * loss(t) }),
		tv:       integral(cross, func(t float64) float64 { return px(t) - py(t) }),
		ratio:    math.Max(math.Abs(loss(l)), math.Abs(loss(u))),
	}
}
