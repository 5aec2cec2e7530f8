package sampling

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Cost is one point of Theorem 17: the prior restricted to Θ_L, N posterior samples, and what both give and cost.
type Cost struct {
	L       float64
	Samples int

	PaperEpsilon float64 // 2LN, at ρ = 1
	Epsilon      float64 // N times the exact ε of one sample over data sets within distance 1

	Removed float64 // 1 − ξ*(Θ_L)
	Regret  float64 // exact expected regret: over data from the marginal of ξ*, and over samples
	Bound   float64 // of it: Removed + ξ*(Θ_L)·ExpectedBar, at most 1
	// regret ≤ this with probability 1 − δ at every data set: the largest 1 − ξ*(Θ_L|x) + ξ*(Θ_L|x)·FixedBar, at most 1
	HighChance float64
	Paper      float64 // (b) of the theorem with its own constants, 2·2(1−ξ*(Θ_L)) + PaperBar: false per data set
}

// Cost runs Theorem 17 on a query: the belief ξ* of f is ideal, the samples come from the posterior under ξ* restricted
// to Θ_L, and the response is the best one on N samples, ties broken against us. Exact, by enumeration of samples.
//
// The printed part (b) bounds the distance of the priors, the responses use posteriors; per data set the regret is at
// most
//
//	1 − ξ*(Θ_L|x) + ξ*(Θ_L|x)·[FixedBar],
//
// where 1 − ξ*(Θ_L|x) can be near 1 for a Θ_L of prior mass near 1. On average over x it is 1 − ξ*(Θ_L), as printed,
// without a factor.
//
// Domain: data sets whose probabilities add up to 1 for every θ, L at least the lowest level, utilities in [0, 1], 0 <
// δ < 1, N ≥ 1 and at most 20 million compositions of N into the parameters left; otherwise a *ParameterError; or the
// error of the context. Source: theory/sampling.md §21.
func (f *Family) Cost(ctx context.Context, u Utility, l float64, samples int, delta float64) (Cost, error) {
	const name = "Cost"
	if err := u.validate(name, len(f.logPrior)); err != nil {
		return Cost{}, err
	}
	if err := f.complete(name); err != nil {
		return Cost{}, err
	}
	g, err := f.Restrict(l)
	if err != nil {
		return Cost{}, err
	}
	c := Cost{L: l, Samples: samples, PaperEpsilon: 2 * l * float64(samples)}
	left := 0
	for i := range g.logPrior {
		if g.support(i) {
			left++
		}
	}
	if err := check(name, enumerable(left, samples)); err != nil {
		return Cost{}, err
	}
	responses := len(u[0])
	fixed, err := FixedBar(responses, samples, delta)
	if err != nil {
		return Cost{}, err
	}
	printed, err := PaperBar(samples, delta)
	if err != nil {
		return Cost{}, err
	}
	average, err := ExpectedBar(responses, samples)
	if err != nil {
		return Cost{}, err
	}
	kept := 0.0
	for x, w := range f.Marginal() {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		inside := 0.0
		for i, p := range f.post[x] {
			if g.support(i) {
				inside += p
			}
		}
		kept += w * inside
		c.Regret += w * sampledRegret(g.post[x], f.post[x], u, samples)
		c.HighChance = math.Max(c.HighChance, 1-inside+inside*fixed)
	}
	c.Removed = math.Max(0, 1-kept)
	c.Bound = math.Min(1, up(c.Removed+kept*average))
	c.HighChance = math.Min(1, up(c.HighChance))
	c.Paper = 4*c.Removed + printed
	c.Epsilon = up(float64(samples) * g.epsilonWithin(1))
	return c, nil
}

// sampledRegret is the expected regret under ideal of the response that is best on n samples of used.
func sampledRegret(used, ideal []float64, u Utility, n int) float64 {
	var p []float64
	var rows [][]float64
	for i, w := range used {
		if w > 0 {
			p, rows = append(p, w), append(rows, u[i])
		}
	}
	values := u.expected(ideal)
	scores := make([]float64, len(values))
	sum := 0.0
	compositions(p, n, func(counts []int, probability float64) {
		clear(scores)
		for i, k := range counts {
			if k > 0 {
				for r, v := range rows[i] {
					scores[r] += float64(k) * v
				}
			}
		}
		for r := range scores {
			scores[r] /= float64(n)
		}
		sum += probability * loss(scores, values)
	})
	return sum
}

// epsilonWithin is the largest log-ratio of posteriors of data sets within distance rho.
func (f *Family) epsilonWithin(rho float64) float64 {
	worst := 0.0
	for x := range f.post {
		for y := range x {
			if f.rho[x][y] <= rho {
				worst = math.Max(worst, compare(f.post[x], f.post[y]).ratio)
			}
		}
	}
	return worst
}

// Costs is [Family.Cost] at every L and N, N the faster index. progress, unless nil, is called after each. Errors:
// those of Cost.
func (f *Family) Costs(ctx context.Context, u Utility, ls []float64, samples []int, delta float64,
	progress func(done, total int64)) ([]Cost, error) {
	if err := check("Costs", domain.Between("values of L", len(ls), 1, 1000),
		domain.Between("values of N", len(samples), 1, 1000)); err != nil {
		return nil, err
	}
	var all []Cost
	for _, l := range ls {
		for _, n := range samples {
			c, err := f.Cost(ctx, u, l, n, delta)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
			if progress != nil {
				progress(int64(len(all)), int64(len(ls)*len(samples)))
			}
		}
	}
	return all, nil
}

// Utility is the utility u[θ][r] in [0, 1] of one query: every response r for every parameter θ.
type Utility [][]float64

// validate checks the shape.
func (u Utility) validate(function string, parameters int) error {
	if err := check(function, domain.Arg("rows of the utility", len(u), len(u) == parameters,
		fmt.Sprintf("%d, one for each parameter", parameters))); err != nil {
		return err
	}
	for i, row := range u {
		if err := check(function, domain.Arg(fmt.Sprintf("responses of row %d", i), len(row),
			len(row) > 0 && len(row) == len(u[0]), "as many as in every row, at least 1")); err != nil {
			return err
		}
		for r, v := range row {
			if err := check(function, domain.Arg(fmt.Sprintf("utility[%d][%d]", i, r), v, v >= 0 && v <= 1,
				"in [0, 1]")); err != nil {
				return err
			}
		}
	}
	return nil
}

// expected is the utility of every response under the belief p.
func (u Utility) expected(p []float64) []float64 {
	e := make([]float64, len(u[0]))
	for i, w := range p {
		if w != 0 {
			for r, v := range u[i] {
				e[r] += w * v
			}
		}
	}
	return e
}

// tie is how far below the best a response may be and still be among the best, which are broken against us.
const tie = 1e-12

// loss is what the response that is best under the scores loses under the values; of equally good ones the worst.
func loss(scores, values []float64) float64 {
	best, chosen := largest(scores), math.Inf(1)
	for r, s := range scores {
		if s >= best-tie {
			chosen = math.Min(chosen, values[r])
		}
	}
	return largest(values) - chosen
}

// Regret is what is lost, in utility expected under the belief ideal, by the best response under the belief used. At
// most ‖used − ideal‖₁ (Lemma 14, where a factor 2 is printed too many: u(r*) − u(r) lies in [−1, 1]); attained. A
// response within 1e-12 of the best counts as equally good, so that the regret may exceed the bound by this much.
// Domain: probability vectors of one length, utilities in [0, 1]; otherwise a *ParameterError. Source:
// theory/sampling.md §21.
func Regret(used, ideal []float64, u Utility) (regret, bound, paper float64, err error) {
	const f = "Regret"
	if err := laws(f, used, ideal); err != nil {
		return 0, 0, 0, err
	}
	if err := u.validate(f, len(used)); err != nil {
		return 0, 0, 0, err
	}
	l1 := 2 * hockeyStick(used, ideal, 0)
	return loss(u.expected(used), u.expected(ideal)), up(l1), 2 * l1, nil
}

// Shift are the bounds of Lemma 15 and Corollary 16 for priors with |ln ξ*(θ)/ξ(θ)| ≤ η, divergences in nats.
type Shift struct {
	Eta        float64
	Paper      float64 // 2η, for E D(ξ*_x ‖ ξ_x)
	ExpectedKL float64 // η tanh(η/2), attained when there is no data: D of the posteriors is on average at most D(ξ*‖ξ)
	KL         float64 // κ(2η) ≤ η²/2, for every data set
	L1         float64 // 2 tanh(η/2) ≤ η, for every data set: the prior's part of the regret in Corollary 16
}

// PriorShift gives the bounds at η. Corollary 16 follows with L1 + [FixedBar]; Lemma 15 with Pinsker's inequality, as
// printed, gives only √η. Domain: η ≥ 0; otherwise a *ParameterError. Source: theory/sampling.md §21.
func PriorShift(eta float64) (Shift, error) {
	if err := check("PriorShift", domain.NotNegative("eta", eta)); err != nil {
		return Shift{}, err
	}
	t := math.Tanh(eta / 2)
	return Shift{eta, 2 * eta, eta * t, Kappa(2 * eta), 2 * t}, nil
}

// ShiftBar is Corollary 16 for one query fixed in advance: with probability at least 1 − δ the best response on N
// samples of the private posterior loses at most 2 tanh(η/2) + √(2 ln((R−1)/δ)/N) of the utility expected under the
// ideal posterior, at most 1. Domain: that of [PriorShift] and [FixedBar]; otherwise a *ParameterError.
func ShiftBar(eta float64, responses, samples int, delta float64) (float64, error) {
	s, err := PriorShift(eta)
	if err != nil {
		return 0, err
	}
	bar, err := FixedBar(responses, samples, delta)
	if err != nil {
		return 0, err
	}
	return math.Min(1, up(s.L1+bar)), nil
}

// ShiftExact is what [PriorShift] bounds, on one family.
type ShiftExact struct {
	Eta        float64 // max |ln ξ*(θ)/ξ(θ)|
	ExpectedKL float64 // E D(ξ*_x ‖ ξ_x), x from the marginal of ξ*
	KL         float64 // the largest over data sets
	L1         float64 // the largest ‖ξ*_x − ξ_x‖₁
}

// Shift compares the posteriors of f, whose prior is the ideal one ξ*, with those under another prior of the same
// support. Domain: weights ≥ 0, one for each parameter, 0 where ξ* is 0 and only there; data sets whose probabilities
// add up to 1 for every θ; otherwise a *ParameterError.
func (f *Family) Shift(prior []float64) (ShiftExact, error) {
	if err := f.complete("Shift"); err != nil {
		return ShiftExact{}, err
	}
	g, err := f.WithPrior(prior)
	if err != nil {
		return ShiftExact{}, err
	}
	var s ShiftExact
	for i := range prior {
		if err := check("Shift", domain.Arg(fmt.Sprintf("prior[%d]", i), prior[i], f.support(i) == g.support(i),
			"0 where the ideal prior is, and only there")); err != nil {
			return ShiftExact{}, err
		}
		if f.support(i) {
			s.Eta = math.Max(s.Eta, math.Abs(f.logPrior[i]-g.logPrior[i]))
		}
	}
	for x, w := range f.Marginal() {
		d := compare(f.post[x], g.post[x])
		s.ExpectedKL += w * d.kl
		s.KL = math.Max(s.KL, d.kl)
		s.L1 = math.Max(s.L1, 2*d.tv)
	}
	return s, nil
}

// Randomised is Corollary 9 at one L.
type Randomised struct {
	L         float64
	PaperRate float64 // 1 − e^{−c(L−L0)}: the claimed probability that the posterior is 2Lρ-private for all x, y
	Event     float64 // that probability: the event does not involve θ, so it is 0 or 1
	Outside   float64 // δ_L = max_x ξ(ℓ(θ) > L | x)

	Epsilon float64 // corrected, at distance ρ: (2Lρ, δ_L)
	Delta   float64
	Exact   float64 // the largest exact δ at Epsilon over pairs within ρ: never more than Delta

	Pointwise float64 // 2Lρ + ln 1/(1−δ_L): the loss is at most this outside an event of posterior probability δ_L
	// the largest exact loss on Θ_L over pairs within ρ: never more than Pointwise, but it can exceed 2Lρ
	Loss float64
}

// Randomised runs Corollary 9 ("with probability at least 1 − e^{−c(L−L0)} the posterior is 2L-private") at distance
// rho. As printed it is false: Event is what it claims to bound. What holds for every pair within rho, with a, b = ξ(ℓ
// > L | x), ξ(ℓ > L | y) ≤ δ_L:
//
//	on Θ_L      ξ(θ|x)/ξ(θ|y) ≤ e^{2Lρ}(1−a)/(1−b), since r = p_θ(x)/p_θ(y) ≤ e^{Lρ} and
//	            1 − a = φ(y)/φ(x)·∫_{Θ_L} r dξ(·|y) ≥ φ(y)/φ(x)·e^{−Lρ}(1 − b);
//	for all B   ξ(B|x) ≤ a + (1−a)v, v = min(1, e^{2Lρ} ξ(B∩Θ_L|y)/(1−b)), which is
//	            at most v(1−b) + max(a, b) ≤ e^{2Lρ} ξ(B|y) + δ_L.
//
// So the posterior is (2Lρ, δ_L)-private; ln 1/(1−δ_L) is needed for the pointwise form only. Restricting the prior to
// Θ_L instead gives (2Lρ, 0): [Family.Restrict].
//
// Domain: ρ > 0, L ≥ L0, L0 as in [Family.BestC]; otherwise a *ParameterError. Pointwise is +Inf when some posterior
// leaves Θ_L no mass. Source: theory/sampling.md §7, which has ln 1/(1−δ_L) in both forms.
func (f *Family) Randomised(l, l0, rho float64) (Randomised, error) {
	c, err := f.BestC(l0)
	if err != nil {
		return Randomised{}, err
	}
	if err := check("Randomised", domain.Positive("rho", rho),
		domain.Arg("L", l, l >= l0 && domain.Finite(l), "a finite number ≥ L0")); err != nil {
		return Randomised{}, err
	}
	r := Randomised{L: l, PaperRate: -math.Expm1(-c * (l - l0)), Event: 1}
	if l == l0 {
		r.PaperRate = 0
	}
	ell := f.lipschitz()
	for _, p := range f.post {
		out := 0.0
		for i, v := range p {
			if above(ell[i], l) {
				out += v
			}
		}
		r.Outside = math.Max(r.Outside, math.Min(1, out))
	}
	r.Delta = math.Min(1, up(r.Outside))
	r.Epsilon = up(2 * l * rho)
	r.Pointwise = up(2*l*rho - math.Log1p(-r.Outside))
	for x, p := range f.post {
		for y, q := range f.post {
			d := f.rho[x][y]
			if x == y || d == 0 {
				continue
			}
			if above(compare(p, q).ratio, 2*l*d) {
				r.Event = 0
			}
			if d > rho {
				continue
			}
			r.Exact = math.Max(r.Exact, hockeyStick(p, q, r.Epsilon))
			for i := range p {
				if !above(ell[i], l) && p[i] > 0 && q[i] > 0 {
					r.Loss = math.Max(r.Loss, math.Log(p[i]/q[i]))
				}
			}
		}
	}
	return r, nil
}

// GroupDelta is the δ between data sets k edges apart when every edge is (ε, δ)-private: δ(e^{kε} − 1)/(e^ε − 1),
// attained, at ε' = kε. Remark 3 of the paper claims kδ, which holds only for ε = 0 or δ = 0; two bits with P(B) = 0,
// .1, .1, .3 refute it at ε = ln 2. Domain: ε, δ ≥ 0, k ≥ 1; otherwise a *ParameterError. Source: theory/sampling.md
// §1.
func GroupDelta(epsilon, delta float64, k int) (float64, error) {
	if err := check("GroupDelta", domain.NotNegative("epsilon", epsilon), domain.NotNegative("delta", delta),
		domain.Between("k", k, 1, maxSamples)); err != nil {
		return 0, err
	}
	if epsilon == 0 || delta == 0 {
		return float64(k) * delta, nil
	}
	return delta * math.Expm1(float64(k)*epsilon) / math.Expm1(epsilon), nil
}

// RectangleHockeyStick is the largest P(A)P'(B) − e^ε Q(A)Q'(B) over rectangles A × B: all that the printed proof of
// Theorem 4 looks at. The worst set of two releases need not be one, so it can be less than [HockeyStick] of the
// product. Domain: as HockeyStick, at most 12 outcomes each; otherwise a *ParameterError. Source: theory/sampling.md
// §2.
func RectangleHockeyStick(p, q, p2, q2 []float64, epsilon float64) (float64, error) {
	const f = "RectangleHockeyStick"
	if err := check(f, domain.NotNegative("epsilon", epsilon),
		domain.Between("outcomes", max(len(p), len(p2)), 1, 12)); err != nil {
		return 0, err
	}
	if err := laws(f, p, q); err != nil {
		return 0, err
	}
	if err := laws(f, p2, q2); err != nil {
		return 0, err
	}
	best, e := 0.0, math.Exp(epsilon)
	for set := range 1 << len(p) {
		pa, qa := mass(p, set), mass(q, set)
		for set2 := range 1 << len(p2) {
			best = math.Max(best, pa*mass(p2, set2)-e*qa*mass(q2, set2))
		}
	}
	return best, nil
}

// mass is the probability of the outcomes whose bit is set.
func mass(p []float64, set int) float64 {
	sum := 0.0
	for i, v := range p {
		if set>>i&1 == 1 {
			sum += v
		}
	}
	return sum
}

// AnswerOptions are the settings of [Family.Answers].
type AnswerOptions struct {
	Data     int     // the data set x
	Samples  int     // N
	Trials   int     // independent sample sets
	Query    Utility // fixed in advance; nil for the adaptive query
	Default  float64 // of the adaptive query: what its sure response is worth
	Bar      float64 // the claimed bound of the regret
	Progress func(done, total int64)
}

// Answers simulates Lemma 11: how often the response that is best on N samples of ξ(·|x) loses more posterior expected
// utility than the bar. Ties are broken against us. A nil Query is one that looks at the samples first, as PSAQR
// allows: its responses are a sure one, worth Default for every θ, and the indicator of "θ is one of the samples",
// which looks perfect. Domain: a data set, N and trials from 1 to 1e6, utilities and Default in [0, 1], Bar ≥ 0, a
// source; otherwise a *ParameterError; or the error of the context.
func (f *Family) Answers(ctx context.Context, src Source, o AnswerOptions) (Rate, error) {
	const name = "Answers"
	if err := check(name, domain.Between("data", o.Data, 0, len(f.post)-1),
		domain.Between("samples", o.Samples, 1, 1_000_000), domain.Between("trials", o.Trials, 1, 1_000_000),
		domain.Arg("source", src, src != nil, "one"),
		domain.Arg("default", o.Default, o.Default >= 0 && o.Default <= 1, "in [0, 1]"),
		domain.NotNegative("bar", o.Bar)); err != nil {
		return Rate{}, err
	}
	p, u := f.post[o.Data], o.Query
	if u == nil {
		u = make(Utility, len(p))
		for i := range u {
			u[i] = []float64{o.Default, 0}
		}
	} else if err := u.validate(name, len(p)); err != nil {
		return Rate{}, err
	}
	over, counts, scores := 0, make([]int, len(p)), make([]float64, len(u[0]))
	for trial := range o.Trials {
		if err := ctx.Err(); err != nil {
			return Rate{}, err
		}
		if o.Progress != nil && trial%max(1, o.Trials/100) == 0 {
			o.Progress(int64(trial), int64(o.Trials))
		}
		clear(counts)
		clear(scores)
		for range o.Samples {
			counts[pick(p, sample.Float64(src))]++
		}
		for i, k := range counts {
			if o.Query == nil {
				u[i][1] = 0
				if k > 0 {
					u[i][1] = 1
				}
			}
			for r, v := range u[i] {
				scores[r] += float64(k) * v / float64(o.Samples)
			}
		}
		if loss(scores, u.expected(p)) > o.Bar {
			over++
		}
	}
	if o.Progress != nil {
		o.Progress(int64(o.Trials), int64(o.Trials))
	}
	return clopperPearson(over, o.Trials, 1e-9), nil
}

// pick is the outcome of p at the uniform number v.
func pick(p []float64, v float64) int {
	for i, w := range p {
		if v -= w; v < 0 {
			return i
		}
	}
	for i := len(p) - 1; i > 0; i-- { // rounding of the sum: the last outcome that has mass
		if p[i] > 0 {
			return i
		}
	}
	return 0
}
