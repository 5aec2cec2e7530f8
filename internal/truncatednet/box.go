package truncatednet

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// margin inflates certified numbers past every rounding error made here (below 1e-12 relative).
const margin = 1 + 1e-11

// Floors is calibration A: the floors w_i = 1/(r_i − 1 + e^{ε/(2KN)}), one a node, at which N draws have record-level ε
// for data of any size; the target is shared equally among the K nodes. Errors: *domain.Error. Source:
// theory/networks.md §3.5.
func Floors(eps float64, states []int, draws int) ([]float64, error) {
	if err := checkTarget(eps); err != nil {
		return nil, err
	}
	if err := checkCount("draws", draws); err != nil {
		return nil, err
	}
	if err := checkCount("nodes", len(states)); err != nil {
		return nil, err
	}
	out := make([]float64, len(states))
	l := eps / (2 * float64(len(states)) * float64(draws)) / (margin * margin)
	for i, r := range states {
		if r < 2 {
			return nil, domain.Refuse("truncatednet", "states", float64(r), "at least 2")
		}
		if out[i] = 1 / (float64(r-1) + math.Exp(l)); !(out[i]*float64(r) < 1) {
			return nil, domain.Refuse("truncatednet", "epsilon", eps, "a target whose box is wider than the spacing of floats")
		}
	}
	return out, nil
}

// Nominal is the floor ω = e^{−ε/2} of the paper (section 4 there), which it claims to give ε. It does not: see
// [Naive.Epsilon] for the true ε. An empty box (every ε ≤ 2 ln r) is an *EmptyBoxError. Source: theory/networks.md
// §3.4.
func Nominal(eps float64, r int) (float64, error) {
	if err := checkTarget(eps); err != nil {
		return 0, err
	}
	w := math.Exp(-eps / 2)
	return w, checkFloor(w, r)
}

// JointSup is the certified ε of one draw when the box is put on the joint probabilities instead, p(y, x) ≥ w for a
// naive Bayes network of d binary features, for data of any size:
//
//	2 ln R,  R = (p/w)(1 − (w/p)^{1/d})^d,  p = 1 − 2^d·w,  0 < w < 2^{−(d+1)}.
//
// Below ε = 2(d+1) ln 2 that box is empty. Errors: *domain.Error. Source: theory/networks.md §3.4 (ii).
func JointSup(d int, w float64) (float64, error) {
	if d < 1 || d > 1000 {
		return 0, domain.Refuse("truncatednet", "features", float64(d), "1 to 1000")
	}
	if !(w > 0 && w < math.Ldexp(1, -d-1)) {
		return 0, domain.Refuse("truncatednet", "joint floor", w, "0 < floor < 2^−(features+1)")
	}
	p := 1 - math.Ldexp(w, d)
	log := math.Log(p / w)
	return 2 * (log + float64(d)*math.Log(-math.Expm1(-log/float64(d)))) * margin, nil
}
