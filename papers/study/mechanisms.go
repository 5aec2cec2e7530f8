package study

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// The names of the mechanisms of [Accuracy].
const (
	EMGlobal        = "EM global"
	EMLocal         = "EM local"
	EMSmoothN       = "EM smooth N=n"
	EMSmoothN1      = "EM smooth N=n+1"
	EMSmoothR       = "EM smooth N=|R|"
	EMSmoothProved  = "EM smooth corrected (Thm C)"
	EMReciprocal010 = "EM recip gamma=0.1"
	EMReciprocal025 = "EM recip gamma=0.25"
	EMReciprocal050 = "EM recip gamma=0.5"
	EMReciprocal100 = "EM recip gamma=1"
	EMLocalPlus     = "EM LS+ rho(gamma+)"
	EMLocalPlus2    = "EM LS+ rho=2"
	PFGlobal        = "PF global"
	PFReciprocal    = "PF recip gamma=0.25"
	EMDistance      = "EM distance"
	KNorm           = "K-norm geometric + project"
	GeometricClamp  = "geometric clamp"          // two cells only
	LaplaceOneCell  = "Laplace one cell b=1/eps" // two cells only
	LaplacePerCell  = "Laplace per cell b=2/eps"
	DiscreteLaplace = "discrete Laplace per cell q=exp(-eps/2)"
)

// parameters are what a mechanism puts in its law at the data.
type parameters struct{ rate, scale, rho, beta float64 }

// mechanism is a row of the study: a finite law with its parameters, or continuous noise.
type mechanism struct {
	name, short, privacy string
	cells                int // 2 if only for two cells, else 0
	law                  func(b *bench) (law, parameters)
	noise                func(b *bench) *noise
}

func (m mechanism) outcome(b *bench) (Outcome, error) {
	if m.noise != nil {
		o, err := m.noise(b).outcome(m.name)
		o.Short, o.Privacy = m.short, m.privacy
		return o, err
	}
	l, p := m.law(b)
	o := l.outcome(m.name)
	o.Short, o.Privacy, o.Rate, o.Scale, o.Rho, o.Beta = m.short, m.privacy, p.rate, p.scale, p.rho, p.beta
	return o, nil
}

// sensitivity is S(x), the factor ρ of its mechanism and β where it has one.
type sensitivity func(b *bench) (s, rho, beta float64)

// exponential makes the row of P[r] ∝ exp(−ε/(ρS)·H).
func exponential(name, short, privacy string, of sensitivity) mechanism {
	return mechanism{name: name, short: short, privacy: privacy, law: func(b *bench) (law, parameters) {
		s, rho, beta := of(b)
		rate := b.Epsilon / rho / s
		return b.em(rate), parameters{rate, s, rho, beta}
	}}
}

// flipped makes the row of permute-and-flip with the same rate.
func flipped(name, short string, of sensitivity) mechanism {
	return mechanism{name: name, short: short, privacy: "ε-DP", law: func(b *bench) (law, parameters) {
		s, rho, beta := of(b)
		rate := b.Epsilon / rho / s
		return b.flip(rate), parameters{rate, s, rho, beta}
	}}
}

func global(b *bench) (s, rho, beta float64) { s, _, _ = b.space.Global(); return s, 2, 0 }
func local(b *bench) (s, rho, beta float64)  { s, _, _ = b.space.Local(b.X); return s, 2, 0 }

func localPlus(b *bench) (s, rho, beta float64) {
	s, _, _ = b.space.LocalPlus(b.X)
	return s, hellinger.Rho(b.space.GammaPlus(), 1), 0
}

func localPlus2(b *bench) (s, rho, beta float64) { s, _, _ = localPlus(b); return s, 2, 0 }

func reciprocal(gamma float64) sensitivity {
	return func(b *bench) (s, rho, beta float64) {
		return b.space.Reciprocal(b.X, gamma).Value, hellinger.Rho(gamma, 1), 0
	}
}

// smooth is S_β with the notes' β.
func smooth(candidates func(b *bench) float64) sensitivity {
	return func(b *bench) (s, rho, beta float64) {
		beta = NotesBeta(b.Epsilon, b.Delta, candidates(b))
		return b.space.Smooth(b.X, beta).Value, 2, beta
	}
}

func smoothProved(b *bench) (s, rho, beta float64) {
	beta = correctedBeta(b.Epsilon, b.Delta, b.space.Size())
	return b.space.Smooth(b.X, beta).Value, 3, beta
}

func records(b *bench) float64  { return float64(b.space.N()) }
func records1(b *bench) float64 { return float64(b.space.N() + 1) }
func size(b *bench) float64     { return b.space.Size() }

// mechanisms lists everything that [Accuracy] compares, in the order it is shown.
func mechanisms() []mechanism {
	const theorem1, claimed, real = "ε-DP (Theorem 1)", "claimed (ε,δ)-DP, not proved", "ε-DP for real numbers"
	plain := func(name, short string, cells int, run func(b *bench) (law, parameters)) mechanism {
		return mechanism{name: name, short: short, privacy: "ε-DP", cells: cells, law: run}
	}
	return []mechanism{
		exponential(EMGlobal, "EM Δg", "ε-DP", global),
		exponential(EMLocal, "EM LS", "no bound for all priors", local),
		exponential(EMSmoothN, "EM Sβ, N=n", claimed, smooth(records)),
		exponential(EMSmoothN1, "EM Sβ, N=n+1", claimed, smooth(records1)),
		exponential(EMSmoothR, "EM Sβ, N=|R|", "(3ε/2, δ/2)-DP (Theorem C)", smooth(size)),
		exponential(EMSmoothProved, "EM Sβ, Thm C", "(ε,δ)-DP (Theorem C)", smoothProved),
		exponential(EMReciprocal010, "EM Sγ 0.1", theorem1, reciprocal(0.1)),
		exponential(EMReciprocal025, "EM Sγ 0.25", theorem1, reciprocal(0.25)),
		exponential(EMReciprocal050, "EM Sγ 0.5", theorem1, reciprocal(0.5)),
		exponential(EMReciprocal100, "EM Sγ 1", theorem1, reciprocal(1)),
		exponential(EMLocalPlus, "EM LS+", theorem1, localPlus),
		exponential(EMLocalPlus2, "EM LS+, ρ=2", "ε-DP where enumerated", localPlus2),
		flipped(PFGlobal, "P&F Δg", global),
		flipped(PFReciprocal, "P&F Sγ 0.25", reciprocal(0.25)),
		plain(EMDistance, "EM distance", 0, func(b *bench) (law, parameters) {
			return b.distance(), parameters{rate: b.Epsilon / 2, scale: 1, rho: 2}
		}),
		plain(KNorm, "K-norm", 0, func(b *bench) (law, parameters) {
			return b.knorm(),
				parameters{rate: b.Epsilon / 2}
		}),
		plain(GeometricClamp, "geometric", 2,
			func(b *bench) (law, parameters) { return b.geometric(), parameters{rate: b.Epsilon} }),
		{name: LaplaceOneCell, short: "Laplace 1 cell", privacy: real, cells: 2, noise: (*bench).laplaceOneCell},
		{name: LaplacePerCell, short: "Laplace", privacy: real, noise: (*bench).laplacePerCell},
		plain(DiscreteLaplace, "discrete Laplace", 0,
			func(b *bench) (law, parameters) { return b.perCell(), parameters{rate: b.Epsilon / 2} }),
	}
}

// em is the exponential mechanism P[r] ∝ exp(−rate·H(x, r)).
func (b *bench) em(rate float64) law { return b.gibbs(b.h, rate) }

// gibbs is P[r] ∝ exp(−rate·score(r)).
func (b *bench) gibbs(score []float64, rate float64) law {
	p := make([]float64, len(score))
	for k, s := range score {
		p[k] = math.Exp(-(rate * s))
	}
	z := total(func(yield func(float64) bool) {
		for _, w := range p {
			if !yield(w) {
				return
			}
		}
	})
	for k := range p {
		p[k] /= z
	}
	return law{b.h, b.l1, p}
}

// distance is the exponential mechanism with score dist(x, r) = ½‖x − r‖₁, whose sensitivity is 1.
func (b *bench) distance() law {
	half := make([]float64, len(b.l1))
	for k, v := range b.l1 {
		half[k] = v / 2
	}
	return b.gibbs(half, b.Epsilon/2)
}

// flip is permute-and-flip (McKenna and Sheldon 2020) with the score −H: report-noisy-max with exponential noise, so
// that with a_r = exp(−rate·(H_r − min H))
//
//	P[r] = a_r ∫_0^1 Π_{s≠r} (1 − t·a_s) dt.
//
// The integrand falls like exp(−t·Σa): panels grow geometrically from ¼/Σa, and what is below e^−745 is nothing in
// float64.
func (b *bench) flip(rate float64) law {
	a, sum := make([]float64, len(b.h)), 0.0
	least := math.Inf(1)
	for _, h := range b.h {
		least = math.Min(least, h)
	}
	for k, h := range b.h {
		a[k] = math.Exp(-rate * (h - least))
		sum += a[k]
	}
	p := make([]float64, len(a))
	nodes, weights := num.GaussLegendre24()
	for lo, hi := 0.0, math.Min(1, 0.25/sum); lo < 1; lo, hi = hi, math.Min(1, 1.5*hi) {
		half := (hi - lo) / 2
		for i, u := range nodes {
			t, log := lo+half*(1+u), 0.0
			for _, v := range a {
				log += math.Log1p(-t * v)
			}
			if log < -745 {
				break // and so at every later node
			}
			w := weights[i] * half * math.Exp(log)
			for k, v := range a {
				p[k] += w * v / (1 - t*v)
			}
		}
		if sum*hi > 800 {
			break
		}
	}
	return law{b.h, b.l1, p}
}

// NotesBeta is the smoothing parameter of the notes,
//
//	β = ln(1 + ε/(2 ln(2N/δ))) = ln(1 − ε/(2 ln(δ/(2N)))),
//
// with N = n + 1 in their lemma and N = n in their printed figures; the tail step of the proof needs N = |R|, the
// number of candidates. NaN unless ε > 0, 0 < δ < 1 and N ≥ 1. Source: notes, Lemma 2.2; theory/hellinger.md §0 rows 6
// and 15.
func NotesBeta(epsilon, delta, candidates float64) float64 {
	if !(epsilon > 0 && delta > 0 && delta < 1 && candidates >= 1) {
		return math.NaN()
	}
	return math.Log1p(epsilon / (2 * math.Log(2*candidates/delta)))
}

// correctedBeta is β = ln(1 + κ/ln(|R|/δ)), κ = ε/3, of Theorem C.
func correctedBeta(epsilon, delta, candidates float64) float64 {
	return math.Log1p(epsilon / 3 / math.Log(candidates/delta))
}

// fraction is a rate as the samplers take it: the float64 itself where it is a quotient of small integers, else rounded
// to 2^−40.
func fraction(rate float64) (n, d uint64) {
	for d = 1; d <= 1000; d++ {
		if k := math.Round(rate * float64(d)); k >= 1 && k/float64(d) == rate {
			return uint64(k), d
		}
	}
	return max(1, uint64(math.Round(rate*(1<<40)))), 1 << 40
}

func twoSided(rate float64) sample.TwoSidedGeometric {
	n, d := fraction(rate)
	return sample.TwoSidedGeometric{Num: n, Den: d}
}

// clamped is the law of a count x in [0, n] with two-sided geometric noise at the given rate, clamped to [0, n].
func clamped(x, n int64, rate float64) []float64 {
	g := twoSided(rate)
	p := make([]float64, n+1)
	for v := range p {
		p[v] = math.Exp(g.LogProb(int64(v) - x))
	}
	p[0], p[n] = math.Exp(g.LogTail(x)), math.Exp(g.LogTail(n-x)) // the law is symmetric
	return p
}

// geometric is the clamped geometric mechanism on the first of two counts: q = e^−ε, one count determines the other.
func (b *bench) geometric() law { return law{b.h, b.l1, clamped(b.X[0], b.space.N(), b.Epsilon)} }

// knorm is sum-zero noise P(Z) ∝ exp(−ε/2·‖Z‖₁), Σ Z = 0, and [project]: for d = 2 the two-sided geometric law at rate
// ε on the line, for d = 3 a sum over the lattice up to |Z_i| ≤ 36/ε + 2, outside of which there is less than e^−36 of
// the mass.
func (b *bench) knorm() law {
	w := int64(36/b.Epsilon) + 2
	d, n := len(b.X), b.space.N()
	num, den := fraction(b.Epsilon / 2)
	noise, _ := sample.NewSumZero(d, num, den) // ε and d are in its domain
	p := make([]float64, len(b.h))
	q, norm := math.Exp(-2*noise.Rate()), math.Exp(-noise.LogNorm())
	power := make([]float64, 2*w+1) // e^{−γ‖z‖₁} = q^{‖z‖₁/2}
	for t := range power {
		power[t] = math.Exp(float64(t)*math.Log(q)) * norm
	}
	r := make([]int64, d)
	for u := -w; u <= w; u++ {
		if d == 2 {
			r[0], r[1] = b.X[0]+u, b.X[1]-u
			project(r, n)
			p[b.rank(r)] += power[gap(u, 0)]
			continue
		}
		for v := max(-w, -w-u); v <= min(w, w-u); v++ {
			r[0], r[1], r[2] = b.X[0]+u, b.X[1]+v, b.X[2]-u-v
			project(r, n)
			p[b.rank(r)] += power[(gap(u, 0)+gap(v, 0)+gap(u+v, 0))/2]
		}
	}
	return law{b.h, b.l1, p}
}

// project maps integers of sum n to counts of sum n, in place: negative cells become 0, then the excess is taken from
// the positive cells in equal parts, again and again while cells run empty, and what does not divide from the largest,
// the first of equals first. Any fixed map would do for privacy (theory/hellinger.md §8).
func project(r []int64, n int64) {
	excess, positive := -n, int64(0)
	for i, v := range r {
		r[i] = max(0, v)
		excess += r[i]
	}
	for excess > 0 {
		positive = 0
		least := int64(math.MaxInt64)
		for _, v := range r {
			if v > 0 {
				positive++
				least = min(least, v)
			}
		}
		if excess < positive {
			break
		}
		k := min(least, excess/positive)
		for i, v := range r {
			if v > 0 {
				r[i] -= k
			}
		}
		excess -= k * positive
	}
	if excess <= 0 {
		return
	}
	before := append(make([]int64, 0, 3), r...) // the order is that of the cells before the last units go
	for ; excess > 0; excess-- {
		at := 0
		for i, v := range before {
			if v > before[at] {
				at = i
			}
		}
		r[at]--
		before[at] = -1
	}
}

// perCell is independent two-sided geometric noise, q = e^{−ε/2}, on every count, clamped to [0, n]. The noisy counts
// need not sum to n, so that the totals A = Σα + n and B = Σα + Σr differ and ln BC = Σφ(α_i + x_i, α_i + r_i) − φ(A,
// B).
func (b *bench) perCell() law {
	d, n := len(b.X), b.space.N()
	var phi, prob [][]float64
	sumPrior := 0.0
	for i, x := range b.X {
		prob = append(prob, clamped(x, n, b.Epsilon/2))
		phi = append(phi, b.space.Phi(i, x))
		sumPrior += b.Prior[i]
	}
	whole := make([]float64, int64(d)*n+1)
	for s := range whole {
		whole[s] = num.LogBC(sumPrior+float64(n), sumPrior+float64(s))
	}
	size := int(n + 1)
	for range d - 1 {
		size *= int(n + 1)
	}
	l := law{make([]float64, 0, size), make([]float64, 0, size), make([]float64, 0, size)}
	cells := func(i, sum int, log, l1, p float64) {
		last, x := prob[i], b.X[i]
		for v, w := range last {
			if w *= p; w < negligible {
				continue
			}
			l.h = append(l.h, math.Sqrt(math.Max(0, -math.Expm1(log+phi[i][v]-whole[sum+v]))))
			l.l1 = append(l.l1, l1+float64(gap(int64(v), x)))
			l.p = append(l.p, w)
		}
	}
	for u, pu := range prob[0] {
		lu := float64(gap(int64(u), b.X[0]))
		if d == 2 {
			cells(1, u, phi[0][u], lu, pu)
			continue
		}
		for v, pv := range prob[1] {
			if p := pu * pv; p > negligible {
				cells(2, u+v, phi[0][u]+phi[1][v], lu+float64(gap(int64(v), b.X[1])), p)
			}
		}
	}
	l.h, l.l1, l.p = slices.Clip(l.h), slices.Clip(l.l1), slices.Clip(l.p)
	return l
}

// negligible outcomes are left out: at most 201³ of them weigh less than 1e-17 together.
const negligible = 1e-24

// law is a finite output law: outcome k has distances h[k] and l1[k] from the truth and probability p[k]. Σp = 1 to
// rounding.
type law struct{ h, l1, p []float64 }

// quantiles5 are the levels an Outcome reports.
var quantiles5 = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// tie is the slack of a quantile: levels that the cumulative sum reaches up to rounding count as reached.
const tie = 1e-12

// outcome sums the law up.
func (l law) outcome(name string) Outcome {
	mean := func(v []float64) float64 {
		return total(func(yield func(float64) bool) {
			for k, p := range l.p {
				if p > 0 && !yield(p*v[k]) {
					return
				}
			}
		})
	}
	o := Outcome{Name: name, MeanH: mean(l.h), MeanL1: mean(l.l1)}
	o.SDH = math.Sqrt(total(func(yield func(float64) bool) {
		for k, p := range l.p {
			if d := l.h[k] - o.MeanH; p > 0 && !yield(p*d*d) {
				return
			}
		}
	}))
	q := quantiles(l.h, l.p, quantiles5)
	o.Q05, o.Q25, o.Q50, o.Q75, o.Q95 = q[0], q[1], q[2], q[3], q[4]
	q = quantiles(l.l1, l.p, quantiles5)
	o.Q05L1, o.Q25L1, o.Q50L1, o.Q75L1, o.Q95L1 = q[0], q[1], q[2], q[3], q[4]
	o.ProbTruth = total(func(yield func(float64) bool) {
		for k, h := range l.l1 {
			if h == 0 && !yield(l.p[k]) {
				return
			}
		}
	})
	return o
}

// tail is P[H ≥ t].
func (l law) tail(t float64) float64 {
	return total(func(yield func(float64) bool) {
		for k, h := range l.h {
			if h >= t && !yield(l.p[k]) {
				return
			}
		}
	})
}

// quantiles are the smallest values v with P[V ≤ v] ≥ level, for ascending levels. Values are thrown into bins first,
// so that only the few bins that hold a quantile are sorted: millions of outcomes take a linear pass.
func quantiles(v, p, levels []float64) []float64 {
	top := slices.Max(v)
	out := make([]float64, len(levels))
	if top == 0 {
		return out
	}
	const bins = 1 << 12
	place := func(x float64) int { return min(int(x/top*bins), bins-1) }
	mass := make([]float64, bins)
	for k, x := range v {
		mass[place(x)] += p[k]
	}
	type item struct{ v, p float64 }
	sorted := map[int][]item{}
	for i, level := range levels {
		below, bin := 0.0, 0
		for bin < bins-1 && below+mass[bin] < level-tie {
			below += mass[bin]
			bin++
		}
		items, ok := sorted[bin]
		if !ok {
			for k, x := range v {
				if p[k] > 0 && place(x) == bin {
					items = append(items, item{x, p[k]})
				}
			}
			slices.SortFunc(items, func(a, b item) int {
				switch {
				case a.v < b.v:
					return -1
				case a.v > b.v:
					return 1
				}
				return 0
			})
			sorted[bin] = items
		}
		for _, it := range items {
			out[i] = it.v
			if below += it.p; below >= level-tie {
				break
			}
		}
	}
	return out
}
