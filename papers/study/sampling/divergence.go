package sampling

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Kappa is κ(w) = u − 1 − ln u, u = w/(e^w − 1): the largest Kullback–Leibler divergence in nats of two laws whose
// log-ratio has a range of at most w, attained by a two-point law. κ(w) ≤ w²/8, and close to w − 1 − ln w for large w.
// NaN for w < 0. Source: theory/sampling.md §5.
func Kappa(w float64) float64 {
	switch {
	case !(w >= 0):
		return math.NaN()
	case math.IsInf(w, 1):
		return w
	case w < 0.1: // w²/8 − w⁴/576 + w⁶/25920 − w⁸/1075200 + …: u − 1 and ln u would cancel
		s := w * w
		return s/8 - s*s/576 + s*s*s/25920 - s*s*s*s/1075200
	}
	u := w / math.Expm1(w)
	return u - 1 - (math.Log(w) - w - math.Log(-math.Expm1(-w)))
}

// RangeTV is tanh(w/4), the largest TV of two laws whose log-ratio has a range of at most w. NaN for w < 0.
func RangeTV(w float64) float64 {
	if !(w >= 0) {
		return math.NaN()
	}
	return math.Tanh(w / 4)
}

// laws checks two probability vectors and returns nil when they are two of the same length.
func laws(function string, p, q []float64) error {
	if err := check(function, domain.Arg("outcomes of p", len(p), len(p) > 0, "at least one"),
		domain.Arg("outcomes of q", len(q), len(q) == len(p), fmt.Sprint(len(p)))); err != nil {
		return err
	}
	for _, v := range []struct {
		name string
		p    []float64
	}{{"p", p}, {"q", q}} {
		sum := 0.0
		for i, x := range v.p {
			if err := check(function, domain.NotNegative(fmt.Sprintf("%s[%d]", v.name, i), x)); err != nil {
				return err
			}
			sum += x
		}
		if err := check(function, domain.Arg("sum of "+v.name, sum, math.Abs(sum-1) <= 1e-9,
			"1, within 1e-9")); err != nil {
			return err
		}
	}
	return nil
}

// HockeyStick is max_B [P(B) − e^ε Q(B)] = Σ (p_i − e^ε q_i)₊: the δ of the ordered pair at ε. Its value at ε = 0 is
// TV. Domain: two probability vectors of one length, ε ≥ 0; otherwise a *ParameterError.
func HockeyStick(p, q []float64, epsilon float64) (float64, error) {
	const f = "HockeyStick"
	if err := check(f, domain.NotNegative("epsilon", epsilon)); err != nil {
		return 0, err
	}
	if err := laws(f, p, q); err != nil {
		return 0, err
	}
	return hockeyStick(p, q, epsilon), nil
}

func hockeyStick(p, q []float64, epsilon float64) float64 {
	sum, e := 0.0, math.Exp(epsilon)
	for i := range p {
		if q[i] == 0 { // also for e^ε = ∞
			sum += p[i]
			continue
		}
		sum += math.Max(0, p[i]-e*q[i])
	}
	return sum
}

// divergences are the exact distances of two laws with the same support.
type divergences struct{ kl, jeffreys, tv, ratio float64 }

// compare computes them; outcomes outside the common support are left out. Posteriors of one prior that differ in
// support do so by underflow of a mass below 1e-308.
func compare(p, q []float64) divergences {
	var d divergences
	for i := range p {
		if p[i] == 0 || q[i] == 0 {
			continue
		}
		l := math.Log(p[i] / q[i])
		d.kl += p[i] * l
		d.jeffreys += (p[i] - q[i]) * l
		d.ratio = math.Max(d.ratio, math.Abs(l))
	}
	d.kl = math.Max(d.kl, 0)
	d.tv = hockeyStick(p, q, 0)
	return d
}

// jeffreysTV is the largest TV of two laws with Jeffreys divergence j = D(p‖q) + D(q‖p): the t with
//
//	2t ln((1+t)/(1−t)) = j,
//
// attained by two-point laws. Never more than √j/2, which is Pinsker's inequality in both directions.
func jeffreysTV(j float64) float64 {
	if !(j > 0) {
		return 0
	}
	lo, hi := 0.0, math.Min(1, math.Sqrt(j)/2)
	for range 200 {
		if t := (lo + hi) / 2; 4*t*math.Atanh(t) < j {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}

// Robustness is one ordered pair of data sets: how far apart their posteriors are, and what Theorems 7 and 8 say of it,
// as printed and improved. Divergences in nats.
type Robustness struct {
	X, Y     int
	Distance float64 // ρ(x, y)

	KL       float64 // D(ξ(·|x) ‖ ξ(·|y)), exact
	Jeffreys float64 // the sum of both directions, exact
	TV       float64 // exact
	Epsilon  float64 // max |ln ξ(θ|x)/ξ(θ|y)|, exact

	PaperKL float64 // Theorem 7.1: 2Lρ. Also the ε of Theorem 8.1, where it is attained
	KLBound float64 // κ(2Lρ), attained; at most (Lρ)²/2
	TVBound float64 // tanh(Lρ/2), attained

	PaperKL2 float64 // Theorem 7.2: C(1+2L0+1/c)ρ, printed for c > 1 only
	PaperTV2 float64 // Theorem 8.2: √(½C(1+2L0+1/c)ρ), printed for c > 1 only

	JeffreysBound float64 // C·E[ℓ]·ρ: both directions together, any c > 0, no chain condition
	JeffreysL0    float64 // C(L0+1/c)ρ, which is no smaller
	TVJeffreys    float64 // the t with 2t ln((1+t)/(1−t)) = JeffreysBound, at most half its root
}

// Robustness compares two data sets; L0 is the constant of Assumption 2, with the best c for it ([Family.BestC]). Every
// bound that is not named Paper holds for every family and prior:
//
//   - the log-ratio of two posteriors has a range of at most 2Lρ, and laws with a log-ratio of range w have D ≤ κ(w),
//     TV ≤ tanh(w/4);
//   - with f_x = ξ(·|x)/ξ ≤ C, D(x‖y) + D(y‖x) = E_ξ (f_x − f_y) ln p_θ(x)/p_θ(y) ≤ E_ξ max(f_x, f_y)·ℓ(θ)ρ ≤
//     C·E_ξ[ℓ]·ρ.
//
// The printed 7.2 is at least twice [Robustness.JeffreysL0] for c ≥ 1 and changes with the unit of ρ; its proof takes
// ln(Ce^a) for Ca. The printed 8.2 is never below 0.7 at ρ = 1. Domain: x, y data sets, L0 as in BestC; otherwise a
// *ParameterError. Source: theory/sampling.md §5, §6.
func (f *Family) Robustness(x, y int, l0 float64) (Robustness, error) {
	if err := f.pair("Robustness", x, y); err != nil {
		return Robustness{}, err
	}
	c, err := f.BestC(l0)
	if err != nil {
		return Robustness{}, err
	}
	return f.robustness(x, y, constants{f.Uniform(), f.Constant(), f.MeanL(), l0, c}), nil
}

// constants are what the bounds need of a family.
type constants struct{ uniform, ratio, meanL, l0, c float64 }

func (f *Family) robustness(x, y int, k constants) Robustness {
	d := compare(f.post[x], f.post[y])
	rho := f.rho[x][y]
	r := Robustness{X: x, Y: y, Distance: rho, KL: d.kl, Jeffreys: d.jeffreys, TV: d.tv, Epsilon: d.ratio}
	if rho == 0 && math.IsInf(k.uniform, 1) { // 0·∞: nothing is promised
		r.PaperKL, r.KLBound, r.TVBound = math.Inf(1), math.Inf(1), 1
		r.JeffreysBound, r.JeffreysL0, r.TVJeffreys = math.Inf(1), math.Inf(1), 1
		r.PaperKL2, r.PaperTV2 = math.Inf(1), math.Inf(1)
		return r
	}
	r.PaperKL = 2 * k.uniform * rho
	r.KLBound = up(Kappa(r.PaperKL))
	r.TVBound = math.Min(1, up(RangeTV(r.PaperKL)))
	r.PaperKL2 = k.ratio * (1 + 2*k.l0 + 1/k.c) * rho
	r.PaperTV2 = math.Sqrt(r.PaperKL2 / 2)
	r.JeffreysBound = up(k.ratio * k.meanL * rho)
	r.JeffreysL0 = up(k.ratio * (k.l0 + 1/k.c) * rho)
	r.TVJeffreys = math.Min(1, up(jeffreysTV(r.JeffreysBound)))
	return r
}

// Worst is the ordered pair of data sets within distance ρ whose posteriors have the largest TV, with its bounds.
// Domain: ρ ≥ 0, a pair within it, L0 as in [Family.BestC]; otherwise a *ParameterError.
func (f *Family) Worst(rho, l0 float64) (Robustness, error) {
	c, err := f.BestC(l0)
	if err != nil {
		return Robustness{}, err
	}
	k := constants{f.Uniform(), f.Constant(), f.MeanL(), l0, c}
	bx, by, best := -1, -1, -1.0
	for x := range f.post {
		for y := range f.post {
			if x != y && f.rho[x][y] <= rho {
				// the pair in both orders has one TV: ties go to the larger divergence
				if d := compare(f.post[x], f.post[y]); d.tv > best+1e-12 || d.tv > best-1e-12 &&
					d.kl > compare(f.post[bx], f.post[by]).kl {
					bx, by, best = x, y, d.tv
				}
			}
		}
	}
	if err := check("Worst", domain.Arg("rho", rho, bx >= 0,
		"at least the distance of some pair of data sets")); err != nil {
		return Robustness{}, err
	}
	return f.robustness(bx, by, k), nil
}

// Table shows the exact values with the bounds that belong to them.
func (r Robustness) Table() *table.Table {
	t := table.New("Robustness of the posterior, Theorems 7 and 8", "quantity", "exact", "paper", "tight")
	t.Add("KL, Assumption 1", r.KL, r.PaperKL, r.KLBound)
	t.Add("KL, Assumption 2", r.KL, r.PaperKL2, r.JeffreysBound)
	t.Add("KL + reverse KL", r.Jeffreys, 2*r.PaperKL2, r.JeffreysBound)
	t.Add("TV, Assumption 1", r.TV, math.Sqrt(r.PaperKL/2), r.TVBound)
	t.Add("TV, Assumption 2", r.TV, r.PaperTV2, r.TVJeffreys)
	t.Add("log-ratio", r.Epsilon, r.PaperKL, r.PaperKL)
	return t.Note("Data sets at distance " + table.Number(r.Distance) + ". Tight: κ(2Lρ), tanh(Lρ/2), C·E[ℓ]·ρ. The " +
		"paper states Assumption 2 for c > 1.")
}

// LeCam is Le Cam's bound for two data sets under Assumption 1: whoever guesses the data from N posterior samples has,
// on one of them, an expected distance to the truth of at least
//
//	(ρ/2)(1 − TV) ≥ ρ/(1 + e^{NLρ}).
//
// Domain: ρ ≥ 0, L ≥ 0, N ≥ 1; otherwise a *ParameterError. Source: Lemma 18 of the paper, theory/sampling.md §21.
func LeCam(rho, l float64, samples int) (float64, error) {
	if err := check("LeCam", domain.NotNegative("rho", rho), domain.NotNegative("L", l),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return 0, err
	}
	return rho / (1 + math.Exp(float64(samples)*l*rho)), nil
}

// LeCamBest is the most that [LeCam] can give in a data space with a pair at every distance: value = (z − 1)/(NL) at ρ
// = z/(NL), where 1 + e^z = z e^z, z = 1.2784645. Domain: L > 0, N ≥ 1; otherwise a *ParameterError.
func LeCamBest(l float64, samples int) (value, rho float64, err error) {
	if err := check("LeCamBest", domain.Positive("L", l),
		domain.Between("samples", samples, 1, maxSamples)); err != nil {
		return 0, 0, err
	}
	scale := float64(samples) * l
	return (leCamZ - 1) / scale, leCamZ / scale, nil
}

// leCamZ solves 1 + e^z = z e^z, where z/(1 + e^z) = z − 1 is largest.
const leCamZ = 1.27846454276107379

// LeCam is the best two-point bound of this family with exact total variation distances: max over pairs of (ρ/2)(1 −
// TV_N), and the pair. Errors: those of [Contest.OptimalError].
func (f *Family) LeCam(samples int) (value float64, x, y int, err error) {
	for a := range f.post {
		for b := range a {
			c, err := f.Contest(a, b)
			if err != nil {
				return 0, 0, 0, err
			}
			e, err := c.OptimalError(samples) // (1 − TV)/2
			if err != nil {
				return 0, 0, 0, err
			}
			if v := f.rho[a][b] * e; v > value {
				value, x, y = v, b, a
			}
		}
	}
	return value, x, y, nil
}

// Risk is a bracket of the minimax risk of guessing the data.
type Risk struct {
	Lo, Hi        float64
	Deterministic float64 // best guess without randomisation; NaN when there are more than a million to try
}

// Minimax brackets min_ψ max_x E ρ(ψ(θ), x), θ one posterior sample, over randomised guesses ψ among the data sets of
// the family: the quantity that Le Cam's method bounds from below. Any prior on the data gives a lower bound (its Bayes
// risk) and any ψ an upper one; both sides of the game learn by regret matching until the bracket is narrower than
// width, or for 200,000 rounds. Every bracket returned is valid. Domain: width > 0; otherwise a *ParameterError; or the
// error of the context.
func (f *Family) Minimax(ctx context.Context, width float64) (Risk, error) {
	if err := check("Minimax", domain.Positive("width", width)); err != nil {
		return Risk{}, err
	}
	g := newGuessing(f)
	r := Risk{Lo: 0, Hi: math.Inf(1)}
	for round := 1; round <= 200_000; round++ {
		if round&255 == 0 {
			if err := ctx.Err(); err != nil {
				return Risk{}, err
			}
		}
		g.step(float64(round))
		if round&(round-1) == 0 || round%512 == 0 {
			r.Lo = math.Max(r.Lo, g.bayesRisk(g.natureSum.normalised()))
			r.Hi = math.Min(r.Hi, g.worstRisk())
			if r.Hi-r.Lo <= width {
				break
			}
		}
	}
	r.Deterministic = g.deterministic()
	return r, nil
}

// regrets are the accumulated positive regrets of one decision, which play in proportion (regret matching).
type regrets []float64

func (r regrets) normalised() []float64 {
	p, sum := make([]float64, len(r)), 0.0
	for _, v := range r {
		sum += v
	}
	for i, v := range r {
		if sum > 0 {
			p[i] = v / sum
		} else {
			p[i] = 1 / float64(len(r))
		}
	}
	return p
}

// update adds the regrets for not having played each action, value[i] against what the mixture earned, and keeps the
// positive part.
func (r regrets) update(value []float64, earned float64) {
	for i, v := range value {
		r[i] = math.Max(0, r[i]+v-earned)
	}
}

// guessing is the zero-sum game: nature picks the data set, the adversary, for each θ, a guess.
type guessing struct {
	f         *Family
	nature    regrets
	guess     []regrets // [θ]
	natureSum regrets   // later rounds weigh more
	guessSum  []regrets
}

func newGuessing(f *Family) *guessing {
	g := &guessing{f: f, nature: make(regrets, len(f.post)), natureSum: make(regrets, len(f.post))}
	for range f.logPrior {
		g.guess = append(g.guess, make(regrets, len(f.post)))
		g.guessSum = append(g.guessSum, make(regrets, len(f.post)))
	}
	return g
}

// step plays one round: the adversary learns against nature's play, nature against his new one.
func (g *guessing) step(weight float64) {
	pi := g.nature.normalised()
	psi := make([][]float64, len(g.guess))
	for i := range g.guess {
		costs, earned := g.costs(pi, i), 0.0
		p := g.guess[i].normalised()
		for a := range costs {
			costs[a] = -costs[a]
			earned += p[a] * costs[a]
		}
		g.guess[i].update(costs, earned)
		psi[i] = g.guess[i].normalised()
		for a, v := range psi[i] {
			g.guessSum[i][a] += weight * v
		}
	}
	risk, earned := g.risks(psi), 0.0
	for x, v := range pi {
		earned += v * risk[x]
		g.natureSum[x] += weight * v
	}
	g.nature.update(risk, earned)
}

// costs is the expected distance of each guess at θ_i, weighted with how likely nature's mixture makes θ_i.
func (g *guessing) costs(pi []float64, i int) []float64 {
	c := make([]float64, len(pi))
	for x, w := range pi {
		w *= g.f.post[x][i]
		for a := range c {
			c[a] += w * g.f.rho[a][x]
		}
	}
	return c
}

// risks is the expected distance at each data set.
func (g *guessing) risks(psi [][]float64) []float64 {
	r := make([]float64, len(g.f.post))
	for x, post := range g.f.post {
		for i, w := range post {
			for a, v := range psi[i] {
				r[x] += w * v * g.f.rho[a][x]
			}
		}
	}
	return r
}

func (g *guessing) bayesRisk(pi []float64) float64 {
	sum := 0.0
	for i := range g.guess {
		sum += least(g.costs(pi, i))
	}
	return sum
}

func (g *guessing) worstRisk() float64 {
	psi := make([][]float64, len(g.guessSum))
	for i := range psi {
		psi[i] = g.guessSum[i].normalised()
	}
	return largest(g.risks(psi))
}

// deterministic tries every map from parameters to guesses.
func (g *guessing) deterministic() float64 {
	if math.Pow(float64(len(g.f.post)), float64(len(g.guess))) > 1e6 {
		return math.NaN()
	}
	best := math.Inf(1)
	var try func(i int, risk []float64)
	try = func(i int, risk []float64) {
		if i == len(g.guess) {
			best = math.Min(best, largest(risk))
			return
		}
		for a := range g.f.post {
			next := make([]float64, len(risk))
			for x := range risk {
				next[x] = risk[x] + g.f.post[x][i]*g.f.rho[a][x]
			}
			try(i+1, next)
		}
	}
	try(0, make([]float64, len(g.f.post)))
	return best
}

func least(v []float64) float64 {
	m := math.Inf(1)
	for _, x := range v {
		m = math.Min(m, x)
	}
	return m
}

func largest(v []float64) float64 {
	m := math.Inf(-1)
	for _, x := range v {
		m = math.Max(m, x)
	}
	return m
}
