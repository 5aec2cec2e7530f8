package sampling

import (
	"context"
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

// PlayOptions are the settings of [Play].
type PlayOptions struct {
	Samples  []int                   // the values of N, ascending; all are played on the same draws
	Trials   int                     // independent games
	Error    float64                 // two-sided error probability of each interval; 0 is 1e-9
	Progress func(done, total int64) // called about a hundred times, in games; may be nil
}

// Rate is an observed frequency with its Clopper–Pearson interval.
type Rate struct {
	Events, Trials int
	Lo, Hi         float64
}

// Value is the frequency; NaN without trials.
func (r Rate) Value() float64 { return float64(r.Events) / float64(r.Trials) }

// Round is the record of the simulated adversary at one N.
type Round struct {
	Samples int
	Error   Rate  // he is wrong: x and y equally likely
	MissX   Rate  // says y when it is x
	MissY   Rate  // says x when it is y
	Floor   Floor // what no adversary can be below
}

// Refutes reports whether the game shows, up to the error probability of the interval, that a claimed floor of the
// average error is too high: the adversary's error is below it.
func (r Round) Refutes(floor float64) bool { return r.Error.Hi < floor }

// Play runs the game of section 4.3 of the paper against a contest: a fair coin picks x or y, N posterior samples are
// drawn from the one picked, and the adversary answers x when the sum of the losses is positive, y when it is negative,
// and by a coin of his own when it is
// 0. This is the optimum test, so the frequencies estimate the least possible average error.
//
// Seeded sources replay. Domain: at least one N, ascending, from 1 to 1e6; 1 ≤ Trials ≤ 1e8; 0 ≤ Error < 1; a source;
// otherwise a *ParameterError. Cancelling the context ends the game with its error.
func Play(ctx context.Context, c *Contest, src Source, o PlayOptions) ([]Round, error) {
	const f = "Play"
	if err := check(f, domain.Arg("contest", c, c != nil, "one"), domain.Arg("source", src, src != nil, "one"),
		domain.Between("number of N", len(o.Samples), 1, 10_000), domain.Between("trials", o.Trials, 1, 100_000_000),
		domain.Arg("error", o.Error, o.Error >= 0 && o.Error < 1, "in [0, 1), 0 for 1e-9")); err != nil {
		return nil, err
	}
	for i, n := range o.Samples {
		least := 1
		if i > 0 {
			least = o.Samples[i-1] + 1
		}
		if err := check(f, domain.Between("N", n, least, 1_000_000)); err != nil {
			return nil, err
		}
	}
	var trials [2]int
	wrong := make([][2]int, len(o.Samples))
	for game := range o.Trials {
		if game%max(1, o.Trials/100) == 0 && o.Progress != nil {
			o.Progress(int64(game), int64(o.Trials))
		}
		side := int(src.Uint64() & 1)
		trials[side]++
		if err := c.game(ctx, src, side, o.Samples, wrong); err != nil {
			return nil, err
		}
	}
	if o.Progress != nil {
		o.Progress(int64(o.Trials), int64(o.Trials))
	}
	alpha := o.Error
	if alpha == 0 {
		alpha = 1e-9
	}
	rounds := make([]Round, len(o.Samples))
	for i, n := range o.Samples {
		floor, err := c.Floor(n)
		if err != nil {
			return nil, err
		}
		w := wrong[i]
		rounds[i] = Round{n, clopperPearson(w[0]+w[1], o.Trials, alpha), clopperPearson(w[0], trials[0], alpha),
			clopperPearson(w[1], trials[1], alpha), floor}
	}
	return rounds, nil
}

// game plays one: side 0 is x, 1 is y.
func (c *Contest) game(ctx context.Context, src Source, side int, samples []int, wrong [][2]int) error {
	draw := c.fromX
	if side == 1 {
		draw = c.fromY
	}
	// A sum of exactly cancelling losses is a tie, not a rounding error with an opinion.
	sum, size, next := 0.0, 0.0, 0
	for n := 1; next < len(samples); n++ {
		if n&1023 == 1 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		l := draw(src)
		sum += l
		size += math.Abs(l)
		if n != samples[next] {
			continue
		}
		says := 0
		if math.Abs(sum) <= 1e-13*size {
			says = int(src.Uint64() & 1)
		} else if sum < 0 {
			says = 1
		}
		if says != side {
			wrong[next][side]++
		}
		next++
	}
	return nil
}

// clopperPearson is the interval that contains the true probability with probability at least 1 − alpha, whatever it
// is.
func clopperPearson(events, trials int, alpha float64) Rate {
	r := Rate{Events: events, Trials: trials, Hi: 1}
	k, n := float64(events), float64(trials)
	if events > 0 {
		r.Lo = num.InvRegIncBeta(k, n-k+1, alpha/2)
	}
	if events < trials {
		r.Hi = 1 - num.InvRegIncBeta(n-k, k+1, alpha/2)
	}
	return r
}

// SampleBounds is Theorem 13 the right way round: numbers of posterior samples without which no adversary tells x from
// y with both errors at most δ, when |ln p_θ(x)/p_θ(y)| ≤ Lρ for all θ. All are necessary, none is sufficient.
type SampleBounds struct {
	Paper     float64 // 3 ln(1/δ)/(4Lρ), printed as sufficient
	Pure      float64 // ln((1−δ)/δ)/(Lρ)
	KL        float64 // (1−2δ)ln((1−δ)/δ)/κ(2Lρ)
	Jeffreys  float64 // (1−2δ)ln((1−δ)/δ)/(Lρ tanh(Lρ/2)), never below KL
	Hellinger float64 // ln(1/(4δ(1−δ)))/(2 ln cosh(Lρ/2))
	Necessary float64 // the largest of Pure, Jeffreys, Hellinger
	TwoPoint  int     // samples that do suffice for the two-point family of this Lρ, by its optimum test
}

// Samples bounds the adversary's work by Lρ = L·ρ(x, y). The theorem is printed with "can distinguish if"; a parameter
// set of one point, where the posterior is constant, refutes it. Read as "only if", the printed rate is true for δ ≤
// 0.2755 ([PaperValidBelow]), but 1/(Lρ) is not the order: N grows like 1/(Lρ)². With both errors at most δ, TV of N
// samples is at least t = 1 − 2δ, and
//
//	Pure:       the log-ratio of N samples has range 2NLρ, so TV ≤ tanh(NLρ/2);
//	KL:         2t ln((1+t)/(1−t)) ≤ J = D(x‖y) + D(y‖x), where D of N samples is at most Nκ(2Lρ) in either direction;
//	Jeffreys:   J of one sample is at most w·TV ≤ w tanh(w/4) for a log-ratio of range w = 2Lρ, since ∫(p−q) = 0;
//	Hellinger:  t² ≤ 1 − BC^{2N}, and laws with a log-ratio of range w have BC = Σ√(pq) ≥ 1/cosh(w/4), as √ is concave.
//
// Domain: Lρ > 0, 0 < δ < ½; otherwise a *ParameterError. Source: theory/sampling.md §20; the Jeffreys and Hellinger
// forms are this package's.
func Samples(lrho, delta float64) (SampleBounds, error) {
	if err := check("Samples", domain.Arg("L*rho", lrho, lrho >= 1e-4 && lrho <= 1e6, "from 1e-4 to 1e6"),
		domain.Arg("delta", delta, delta >= 1e-12 && delta < .5, "in [1e-12, 1/2)")); err != nil {
		return SampleBounds{}, err
	}
	odds := math.Log1p(-delta) - math.Log(delta)
	b := SampleBounds{Paper: -3 * math.Log(delta) / (4 * lrho), Pure: odds / lrho,
		KL: (1 - 2*delta) * odds / Kappa(2*lrho)}
	b.Hellinger = -math.Log(4*delta*(1-delta)) / (2 * logCosh(lrho/2))
	b.Jeffreys = (1 - 2*delta) * odds / (lrho * math.Tanh(lrho/2))
	b.Necessary = max(b.Pure, b.Jeffreys, b.Hellinger)
	b.TwoPoint = twoPointSamples(lrho, delta)
	return b, nil
}

// PaperValidBelow is the δ up to which the printed rate of Theorem 13, read as "only if", follows from ln((1−δ)/δ) ≥ ¾
// ln(1/δ).
const PaperValidBelow = 0.275508040999484

// SamplesStochastic is Theorem 13 under Assumption 2, with C of [Family.Constant] and any L0 and c of [Family.BestC]:
// by J ≤ C(L0+1/c)ρ no adversary has both errors at most δ with fewer samples than
//
//	necessary = 2(1−2δ)ln((1−δ)/δ)/(C(L0+1/c)ρ).
//
// The printed 3 ln(1/δ)/(2(C+2L0/c)ρ) is false in both directions: Θ = {.2, .8}, one bit at ρ = 0.1, c = 1000 gives
// 27.6 where 7 suffice. Domain: C ≥ 1, L0 ≥ 0, c > 0 (also +Inf), ρ > 0, 0 < δ < ½; otherwise a *ParameterError.
// Source: theory/sampling.md §5, §20.
func SamplesStochastic(constant, l0, c, rho, delta float64) (necessary, paper float64, err error) {
	if err := check("SamplesStochastic", domain.Arg("C", constant, constant >= 1-1e-12 && domain.Finite(constant),
		"a finite number ≥ 1"), domain.NotNegative("L0", l0),
		domain.Arg("c", c, c > 0, "a number > 0"), domain.Positive("rho", rho),
		domain.Arg("delta", delta, delta > 0 && delta < .5, "in (0, 1/2)")); err != nil {
		return 0, 0, err
	}
	odds := math.Log1p(-delta) - math.Log(delta)
	return 2 * (1 - 2*delta) * odds / up(constant*(l0+1/c)*rho),
		-3 * math.Log(delta) / (2 * (constant + 2*l0/c) * rho), nil
}

// logCosh is ln cosh x, x ≥ 0, without cancellation for small x.
func logCosh(x float64) float64 {
	s := math.Sinh(x / 2)
	if x < 20 {
		return math.Log1p(2 * s * s)
	}
	return x - math.Ln2
}

// twoPointSamples is the least N at which the majority of N samples errs with probability at most δ when each is wrong
// with probability 1/(1 + e^{Lρ}). An even N is no better than the odd N before it.
func twoPointSamples(lrho, delta float64) int {
	p := 1 / (1 + math.Exp(lrho))
	half := func(k int) bool { return atLeastTail(p, float64(2*k+1), float64(k+1)) <= delta }
	hi := 1
	for !half(hi) {
		hi *= 2
	}
	lo := -1 // half(lo) is false
	for hi-lo > 1 {
		if m := (lo + hi) / 2; half(m) {
			hi = m
		} else {
			lo = m
		}
	}
	return 2*hi + 1
}

// Floor is a lower bound of the average, hence also of the larger, error probability of every test of x against y on N
// samples.
type Floor struct{ Pure, KL, Jeffreys, Hellinger, Floor float64 }

// ErrorFloor turns [Samples] round: with t the bound of TV, the error is at least (1 − t)/2:
//
//	Pure 1/(1 + e^{NLρ}),  KL (1 − t)/2 with t ln((1+t)/(1−t)) = Nκ(2Lρ),  Jeffreys the same with N·Lρ tanh(Lρ/2),
//	Hellinger (1 − √(1 − cosh(Lρ/2)^{−2N}))/2.
//
// Floor is the largest, taken down by 1e-9 of TV. Pure and Jeffreys are attained for N = 1; Hellinger is the sharpest
// for many samples. Domain: Lρ ≥ 0, N ≥ 1; otherwise a *ParameterError. Source: theory/sampling.md §20.
func ErrorFloor(lrho float64, samples int) (Floor, error) {
	if err := check("ErrorFloor", domain.NotNegative("L*rho", lrho),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return Floor{}, err
	}
	n := float64(samples)
	f := Floor{Pure: (1 - math.Tanh(n*lrho/2)) / 2, KL: klFloor(n * Kappa(2*lrho))}
	f.Jeffreys = klFloor(n * lrho * math.Tanh(lrho/2))
	f.Hellinger = (1 - math.Sqrt(-math.Expm1(-2*n*logCosh(lrho/2)))) / 2
	f.Floor = math.Max(0, max(f.Pure, f.Jeffreys, f.Hellinger)-5e-10)
	return f, nil
}

// KLFloor is the least average error of any test of two laws whose Kullback–Leibler divergences in the two directions
// have a mean of at most the given nats: (1 − t)/2 with t ln((1+t)/(1−t)) = nats. One direction alone is not enough. N
// samples have N times the divergence of one. Domain: nats ≥ 0; otherwise a *ParameterError.
func KLFloor(nats float64) (float64, error) {
	if err := check("KLFloor", domain.NotNegative("nats", nats)); err != nil {
		return 0, err
	}
	return klFloor(nats), nil
}

func klFloor(nats float64) float64 { return (1 - jeffreysTV(2*nats)) / 2 }
