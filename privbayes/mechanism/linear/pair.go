package linear

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// rangePair bounds the privacy of N draws from one posterior whose log-ratio between neighbours has range at most w,
// and of an ε₂-DP release after them (0: none). It is no single pair of laws but the supremum over all of them:
//
// a pair of laws with losses in [b−w, b] is a post-processing of the two-point pair with losses b and b−w (the profile
// of the latter is the chord above it), so that N draws are one of its N-fold product, with the same b for every draw;
// b in [0, w].
type rangePair struct {
	width    float64 // w = osc/σ²
	draws    int
	residual float64 // ε₂
}

// String describes the bound.
func (p rangePair) String() string {
	s := fmt.Sprintf("%s with a log-ratio of range %.6g", table.Count(p.draws, "draw"), p.width)
	if p.residual > 0 {
		s += fmt.Sprintf(", then %.6g-DP", p.residual)
	}
	return s
}

// PureEpsilon is Nw + ε₂.
func (p rangePair) PureEpsilon() float64 {
	return (float64(p.draws)*p.width + p.residual) * (1 + 4e-16)
}

// RDP is the sum over the draws, each the maximum over two-point laws (logratio.BoundedRange), and randomised response
// at ε₂.
func (p rangePair) RDP(order float64) float64 {
	r := float64(p.draws) * logratio.BoundedRange(p.width).Renyi(order)
	if p.residual > 0 {
		r += loss.PurePair{Epsilon: p.residual}.RDP(order)
	}
	return r
}

// ZCDP is N·min(w²/8, w·tanh(w/2)) + ε₂·tanh(ε₂/2).
func (p rangePair) ZCDP() float64 {
	w := logratio.BoundedRange(p.width)
	r := float64(p.draws) * math.Min(w.ZCDP(), loss.PurePair{Epsilon: p.width}.ZCDP())
	if p.residual > 0 {
		r += loss.PurePair{Epsilon: p.residual}.ZCDP()
	}
	return r * (1 + 1e-15)
}

// Delta is the privacy profile: in closed form for one draw, by branch and bound over b otherwise. The release after
// the draws may depend on them: given any draws it is dominated by randomised response at ε₂, and so is their
// composition by the product.
func (p rangePair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or 1 soon after stop says so.
func (p rangePair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	if p.draws == 1 && p.residual == 0 {
		return math.Min(1, logratio.BoundedRange(p.width).Delta(epsilon)*(1+1e-12))
	}
	return p.profile(epsilon, stop)
}

// cellWidth is the width, relative to w, of the smallest cells of b; a cell is bounded by the pair with both ends'
// losses, whose range is larger by as much. maxCells bounds the work, with a sum of about √N terms a cell.
const (
	cellWidth = 1.0 / 8192
	maxCells  = 20000
)

// profile is sup_b Σ_k Bin(N, k; p_b)(1 − e^{ε − kb − (N−k)(b−w)})₊, with ε₂ its mean over ε ± ε₂, from above: the
// greatest bound of the cells that are left.
func (p rangePair) profile(epsilon float64, stop func() bool) float64 {
	if epsilon >= p.PureEpsilon() {
		return 0
	}
	type cell struct{ lo, hi float64 }
	w, found, bound, visited := p.width, 0.0, 0.0, 0
	const first = 16
	var todo []cell
	for i := range first {
		todo = append(todo, cell{w * float64(i) / first, w * float64(i+1) / first})
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if visited++; stop != nil && stop() {
			return 1
		}
		mid := (c.lo + c.hi) / 2
		found = math.Max(found, p.deltaAt(mid, w, epsilon))
		upper := p.deltaAt(c.hi, w+(c.hi-c.lo), epsilon)
		switch {
		case upper <= math.Max(found, bound): // nothing above what is already allowed for
		case c.hi-c.lo <= w*cellWidth || visited > maxCells:
			bound = math.Max(bound, upper)
		default:
			todo = append(todo, cell{c.lo, mid}, cell{mid, c.hi})
		}
	}
	return math.Min(1, math.Max(found, bound)*(1+1e-10))
}

// deltaAt is the profile at one b and range w.
func (p rangePair) deltaAt(b, w, epsilon float64) float64 {
	if p.residual == 0 {
		return binomialDelta(p.draws, b, w, epsilon)
	}
	up := 1 / (1 + math.Exp(-p.residual)) // of a loss ε₂
	return up*binomialDelta(p.draws, b, w, epsilon-p.residual) + (1-up)*binomialDelta(p.draws, b, w, epsilon+p.residual)
}

// binomialDelta is E(1 − e^{ε−L})₊ of the N-fold product of the two-point pair with losses b and b − w, 0 ≤ b ≤ w; any
// real ε. With k tops L = Nb − (N−k)w, which rises in k. The sum goes from its largest term, or the first of all, both
// ways; where a term's ratio to the last says that the rest is below 1e−16 of the sum, the geometric bound of that rest
// is added in its place.
func binomialDelta(n int, b, w, epsilon float64) float64 {
	if b <= 0 || b >= w { // one law: no loss
		return math.Max(0, -math.Expm1(epsilon))
	}
	all := math.Log(-math.Expm1(-w))
	logP := math.Log(-math.Expm1(b-w)) - all
	logQ := b - w + math.Log(-math.Expm1(-b)) - all // not 1 − p, which is 0 for b far below w
	m := float64(n)
	loss := func(k int) float64 { return m*b*(1+8e-16) - float64(n-k)*w*(1-8e-16) } // never below the truth
	first := int(math.Min(math.Max(math.Ceil((epsilon+m*(w-b))/w), 0), m+1))
	for first > 0 && loss(first-1) > epsilon {
		first--
	}
	for first <= n && loss(first) <= epsilon {
		first++
	}
	if first > n {
		return 0
	}
	k := max(first, min(n, int((m+1)*math.Exp(logP)))) // the mode, where it counts
	start := math.Exp(num.LogGamma(m+1) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1)) + float64(k)*logP +
		float64(n-k)*logQ)
	sum := start * -math.Expm1(epsilon-loss(k))
	for i, term, odds := k, start, math.Exp(logP-logQ); i < n; i++ {
		ratio := float64(n-i) / float64(i+1) * odds
		if rest := term * ratio / (1 - ratio); ratio < 1 && rest <= 1e-16*sum {
			sum += rest
			break
		}
		term *= ratio
		sum += term * -math.Expm1(epsilon-loss(i+1))
	}
	for i, term, odds := k, start, math.Exp(logQ-logP); i > first; i-- {
		ratio := float64(i) / float64(n-i+1) * odds
		if rest := term * ratio / (1 - ratio); ratio < 1 && rest <= 1e-16*sum {
			sum += rest
			break
		}
		term *= ratio
		sum += term * -math.Expm1(epsilon-loss(i-1))
	}
	return sum
}
