// Package hellingersample draws from the exponential mechanism scored by the Hellinger distance of Dirichlet
// posteriors:
//
//	P(r) ∝ exp(−A·H(x, r)) on R = {r ∈ N^d : Σ r_i = n},  H² = 1 − BC,  ln BC = Σ_i φ(α_i+x_i, α_i+r_i),
//
// φ of num.LogBC, n = Σ x_i, A ≥ 0 the rate. Every sampler draws exactly, with integers, from a distribution whose
// weights are a deterministic function of (α, x, A, r) within e^{±Slack} of exp(−A·H): a guarantee proved for the
// weights themselves grows by 4·Slack.
//
// Set-up and the number of proposals depend on the data; neither is part of a release.
package hellingersample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Sampler draws candidates.
type Sampler interface {
	// Draw is one candidate, a new slice.
	Draw(src rand.Source) ([]int64, error)
	// Slack is η ≥ 0: the law drawn is proportional to weights within e^{±η} of exp(−A·H). It is a function of α, n and
	// the bound on A alone, and may be published.
	Slack() float64
	// Name is the method.
	Name() string
	// Proposals is the expected number of proposals per draw, or an estimate of it or a bound, as the method says. It
	// is a diagnostic: it may depend on the data.
	Proposals() float64
}

// InfeasibleError says that a method would be too slow or too large: what is too large, its value and limit, and what
// to use instead. It depends on α, n, d and the bound on A alone.
type InfeasibleError struct {
	Sampler, What string
	Value, Limit  float64
	Use           string
}

// Error tells the reason and the way out.
func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("hellingersample: the %s sampler is infeasible: %s is %.4g; want at most %.4g; use %s",
		e.Sampler, e.What, e.Value, e.Limit, e.Use)
}

// Domain of every sampler.
const (
	MaxRate  = 1e5  // of A
	MaxTotal = 1e15 // of n
	MinAlpha = 1e-6
	MaxAlpha = 1e9
)

// problem is a checked mechanism instance. bound ≥ a is public.
type problem struct {
	alpha    []float64
	x        []int64
	n        int64
	a, bound float64
}

func newProblem(alpha []float64, x []int64, a, bound float64) (problem, error) {
	if len(alpha) == 0 || len(alpha) != len(x) {
		return problem{}, domain.Refuse("hellingersample", "lengths of alpha and x", [2]int{len(alpha), len(x)},
			"the same, at least 1")
	}
	p := problem{alpha: alpha, x: x, a: a, bound: bound}
	for i, v := range alpha {
		if !(v >= MinAlpha && v <= MaxAlpha) {
			return problem{}, domain.Refuse("hellingersample", fmt.Sprintf("alpha[%d]", i), v, "a number in [1e-6, "+
				"1e9]")
		}
		if x[i] < 0 || x[i] > MaxTotal || p.n+x[i] > MaxTotal {
			return problem{}, domain.Refuse("hellingersample", "x", "at cell "+fmt.Sprint(i), "counts ≥ 0 with a sum "+
				"of at most 1e15")
		}
		p.n += x[i]
	}
	if !(bound >= 0 && bound <= MaxRate) {
		return problem{}, domain.Refuse("hellingersample", "bound on the rate", bound, "a number in [0, 1e5]")
	}
	if !(a >= 0 && a <= bound) {
		return problem{}, domain.Refuse("hellingersample", "rate", "A", "a number in [0, its bound]")
	}
	return p, nil
}

func (p *problem) dim() int { return len(p.x) }

func (p *problem) minAlpha() float64 {
	least := math.Inf(1)
	for _, v := range p.alpha {
		least = math.Min(least, v)
	}
	return least
}

// logBC is φ(α+x, α+r). The smaller parameter lo is put on the grid of the larger one, so that the distance |r−x|, on
// which φ depends most, is exact. With h = |r−x|/2, φ = ½Σ_k ln(1 − h²/(lo+h+k)²) gives ∂|φ|/∂lo ≤ 2|φ|(1/lo + 1 +
// ln(1+h/lo))/hi, so the move of lo, 2^−53·hi, changes φ by at most 2^−52·(1 + 1/lo + ln(1+h/lo)) relative, and its
// first rounding by no more.
func logBC(alpha float64, x, r int64) float64 {
	t := float64(max(r-x, x-r))
	lo := alpha + float64(min(x, r))
	hi := lo + t
	if on := hi - t; on > lo/2 {
		lo = on
	}
	return num.LogBC(lo, hi)
}

// phiError bounds the relative error of logBC.
func (p *problem) phiError() float64 {
	least := p.minAlpha()
	return 5e-15 + 0x1p-51*(1+1/least+math.Log1p(float64(p.n)/least))
}

// exponent is A·H from ln BC ≤ 0.
func (p *problem) exponent(logBC float64) float64 { return p.a * math.Sqrt(-math.Expm1(logBC)) }

// exponentError bounds the error of a computed A·H. The terms of ln BC have one sign; d ln(−expm1 s)/d ln|s| is in [0,
// 1]; the root halves relative errors; H ≤ 1.
func (p *problem) exponentError() float64 {
	d := float64(p.dim())
	return p.bound * ((p.phiError()+(d+4)*0x1p-53)/2 + 0x1p-52)
}

// grid is the unit of quantised exponents, in which acceptance exp(−k/grid) is drawn exactly.
const grid = 1 << 40

// gridError is the rounding to it.
const gridError = 0x1p-41

func quantise(e float64) uint64 { return uint64(math.Round(e * grid)) }

// logBCOf is ln BC of two data vectors.
func (p *problem) logBCOf(r []int64) float64 {
	sum := 0.0
	for i, v := range r {
		sum += logBC(p.alpha[i], p.x[i], v)
	}
	return sum
}

// chooseUniformBelow is the bound on the rate up to which [Choose] rejects from the uniform distribution: at most
// e^6 ≈ 400 proposals.
const chooseUniformBelow = 6

// Choose prepares the sampler that suits d, n and bound, a public upper bound of the rate a: shells for two cells,
// enumeration up to [MaxCandidates] candidates, rejection from the uniform distribution for bounds up to 6, else the
// mixture.
// The choice, the Slack and every refusal depend on α, n, d and bound alone. Two cells are always feasible.
//
// Errors: *domain.Error, also for a > bound; *[InfeasibleError]; the context's.
func Choose(ctx context.Context, alpha []float64, x []int64, a, bound float64,
	progress func(done float64)) (Sampler, error) {
	p, err := newProblem(alpha, x, a, bound)
	if err != nil {
		return nil, err
	}
	switch {
	case p.dim() == 2:
		return newShells(p)
	case p.enumerable() == nil:
		return newEnumerated(p)
	case bound <= chooseUniformBelow:
		return &uniform{p}, nil
	}
	return newMixture(ctx, p, progress)
}

// Count is the number |R| = C(n+d−1, d−1) of candidates, math.MaxUint64 when it is larger; 0 for n < 0 or d < 1.
func Count(n int64, d int) uint64 {
	if n < 0 || d < 1 {
		return 0
	}
	top, k := uint64(n)+uint64(d)-1, min(uint64(n), uint64(d)-1)
	c := uint64(1)
	for i := uint64(1); i <= k; i++ { // c = C(top−k+i, i) grows by a factor (top−k+i)/i ≥ 2
		hi, lo := bits.Mul64(c, top-k+i)
		if hi >= i {
			return math.MaxUint64
		}
		c, _ = bits.Div64(hi, lo, i)
	}
	return c
}

// Unrank is candidate i in lexicographic order, first cell slowest: the order of [Exponents]. It is nil unless 0 ≤ i <
// Count(n, d) and Count(n, d) < 2^31.
func Unrank(i int, n int64, d int) []int64 {
	total := Count(n, d)
	if i < 0 || uint64(i) >= total || total >= 1<<31 {
		return nil
	}
	r, left, rank := make([]int64, d), uint64(n), uint64(i)
	for c := range d - 1 {
		k := uint64(d - c - 2) // cells after this one, less one
		if k == 0 {            // one candidate with every value here
			r[c], left = int64(rank), left-rank
			break
		}
		with := Count(int64(left), d-c-1)
		for rank >= with { // candidates with this value here: C(left+k, k)
			rank -= with
			with = with * left / (left + k)
			left--
			r[c]++
		}
	}
	r[d-1] = int64(left)
	return r
}

// composition is a uniform candidate, exactly: stars and bars. The positions of the bars, or of the stars if they are
// fewer, are a uniform subset (Floyd's algorithm).
func composition(src rand.Source, n int64, d int) []int64 {
	r := make([]int64, d)
	places, bars := uint64(n)+uint64(d)-1, uint64(d)-1
	if stars := uint64(n); stars < bars {
		for i, p := range subset(src, places, stars) {
			r[p-uint64(i)]++ // p−i bars stand before star i
		}
		return r
	}
	last := uint64(0)
	for i, p := range subset(src, places, bars) {
		r[i] = int64(p - last)
		last = p + 1
	}
	r[d-1] = int64(places - last)
	return r
}

// subset is k of {0, …, m−1}, sorted.
func subset(src rand.Source, m, k uint64) []uint64 {
	chosen, list := make(map[uint64]struct{}, k), make([]uint64, 0, k)
	for j := m - k; j < m; j++ {
		t := sample.Uniform(src, j+1)
		if _, taken := chosen[t]; taken {
			t = j
		}
		chosen[t] = struct{}{}
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}

// shelled draws for two cells by dyadic shells. t = |r_1 − x_1| lies in [2^j, 2^{j+1}) on either side; a shell has the
// constant envelope exp(−A·H) at its near end, since H grows with t. Shells are chosen by size times envelope, t
// uniformly in the shell, and kept with probability exp(−(e(t) − e(2^j))), e = A·H rounded to the grid 2^−40.
//
// Proposals: the envelope of shell j is at most the sum of the law over shell j−1's places and one more, so at most 2
// in the mean.
type shelled struct {
	problem
	shells  []shell
	weights *sample.MultipleWeights
}

// shell is t ∈ [from, from+count) on one side.
type shell struct {
	side, from int64
	count, env uint64
}

// newShells takes about 2·log2 n evaluations of H, for any n up to [MaxTotal].
func newShells(p problem) (*shelled, error) {
	s := &shelled{problem: p, shells: []shell{{count: 1}}}
	for _, e := range [2][2]int64{{-1, p.x[0]}, {1, p.x[1]}} {
		for t := int64(1); t <= e[1]; t *= 2 {
			s.shells = append(s.shells, shell{e[0], t, uint64(min(t, e[1]-t+1)), floor53(s.at(e[0] * t))})
		}
	}
	exponents, counts := make([]float64, len(s.shells)), make([]uint64, len(s.shells))
	for i, h := range s.shells {
		exponents[i], counts[i] = float64(h.env)/grid, h.count
	}
	w, err := sample.NewMultipleWeights(exponents, counts)
	s.weights = w
	return s, err
}

// floor53 clears what a float64 cannot hold, so that an envelope is one exact number: as an exponent it only becomes
// safer.
func floor53(e uint64) uint64 {
	cut := max(bits.Len64(e)-53, 0)
	return e >> cut << cut
}

// at is A·H(x, (x_1+t, x_2−t)) on the grid.
func (s *shelled) at(t int64) uint64 {
	return quantise(s.exponent(logBC(s.alpha[0], s.x[0], s.x[0]+t) + logBC(s.alpha[1], s.x[1], s.x[1]-t)))
}

// Draw is exact for the weights described at [Sampler]. Rounding could put e(t) below the envelope, though H is
// monotone; it is then the envelope, which is no further from the truth than e(t) and the near end are.
func (s *shelled) Draw(src rand.Source) ([]int64, error) {
	for {
		h := s.shells[s.weights.Draw(src)]
		if h.side == 0 {
			return []int64{s.x[0], s.x[1]}, nil
		}
		t := h.side * (h.from + int64(sample.Uniform(src, h.count)))
		if sample.BernoulliExp(src, max(s.at(t), h.env)-h.env, grid) {
			return []int64{s.x[0] + t, s.x[1] - t}, nil
		}
	}
}

// Slack is the error of A·H, of the grid with the cut of the envelope, and of the dyadic weight.
func (s *shelled) Slack() float64 {
	return s.exponentError() + gridError + s.bound*0x1p-52 + sample.RelativeError(s.bound)
}

// Name is the method.
func (s *shelled) Name() string { return "dyadic shells" }

// Proposals is the bound 2.
func (s *shelled) Proposals() float64 { return 2 }

// stable walks the discrete ½-stable law p_0, p_1, … with generating function Σ p_N z^N = exp(−A√(1−z)):
//
//	p_0 = e^{−A},  p_1 = (A/2)·p_0,  p_{N+2} = [(N + ½)·p_{N+1} + A²/(4(N+1))·p_N]/(N + 2),
//
// the recurrence of y′√(1−z) = (A/2)·y, differentiated once more. All terms are positive, so that the relative error of
// p_N is at most 4N·2^−53. Values are kept as cur·2^(step·scale), in units of p_0.
type stable struct {
	a         float64
	n         int64 // of cur
	cur, next float64
	scale     int
}

const stableStep = 400

func newStable(a float64) stable { return stable{a: a, cur: 1, next: a / 2} }

// advance goes from N to N+1. It tells whether the scale was raised.
func (s *stable) advance() bool {
	n := float64(s.n)
	s.cur, s.next = s.next, ((n+0.5)*s.next+s.a*s.a/(4*(n+1))*s.cur)/(n+2)
	s.n++
	if s.next > 0x1p+400 {
		s.cur, s.next = s.cur*0x1p-400, s.next*0x1p-400
		s.scale++
		return true
	}
	return false
}

// log is ln p_N.
func (s *stable) log() float64 { return s.logOf(s.cur) }

func (s *stable) logOf(v float64) float64 {
	return math.Log(v) + float64(s.scale)*(stableStep*math.Ln2) - s.a
}

// sum is ln(p_N + … + p_{end−1}); it leaves the walk at end. The sum is compensated.
func (s *stable) sum(end int64) float64 {
	var total kahan
	for s.n < end {
		total.add(s.cur)
		if s.advance() {
			total.sum, total.rest = total.sum*0x1p-400, total.rest*0x1p-400
		}
	}
	return s.logOf(total.sum)
}

// exponents fills out with ln(max p) − ln p_N, N = s.n, s.n+1, …
func (s stable) exponents(out []float64) {
	least := math.Inf(1)
	for i := range out {
		out[i] = -s.log()
		least = math.Min(least, out[i])
		s.advance()
	}
	for i := range out {
		out[i] -= least
	}
}

// kahan is a compensated sum of positive terms, relative error below 2^−51.
type kahan struct{ sum, rest float64 }

func (k *kahan) add(v float64) {
	y := v - k.rest
	t := k.sum + y
	k.rest = (t - k.sum) - y
	k.sum = t
}

// uniform proposes a uniform candidate and keeps it with probability exp(−A·H), A·H rounded to the grid 2^−40.
// Proposals is the bound e^A.
type uniform struct{ problem }

func (u *uniform) Draw(src rand.Source) ([]int64, error) {
	for {
		r := composition(src, u.n, u.dim())
		if sample.BernoulliExp(src, quantise(u.exponent(u.logBCOf(r))), grid) {
			return r, nil
		}
	}
}

// Slack is the error of A·H and of the grid.
func (u *uniform) Slack() float64 { return u.exponentError() + gridError }

func (u *uniform) Name() string { return UniformName }

// UniformName is the name of the sampler that rejects from the uniform law, which takes no tables.
const UniformName = "rejection from the uniform distribution"

func (u *uniform) Proposals() float64 { return math.Exp(u.a) }
