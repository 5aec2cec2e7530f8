// Package truncatednet computes the privacy of posterior samples of a discrete Bayesian network whose conditional
// probabilities are truncated: every θ_{i|parents} in [w, 1−(r_i−1)w], r_i the number of states of node i
// (theory/networks.md §3). Adjacency: one record replaced, n public.
//
// A replaced record touches every family once. Either it stays in its parent configuration and changes the value, or it
// leaves one configuration and enters another; both ways the log-likelihood ratio ranges over at most 2ℓ, ℓ =
// ln((1−(r−1)w)/w). Hence
//
//	ε ≤ 2N·Σ_i ℓ_i  for N draws,
//
// tight as n → ∞; for a naive Bayes network ε is known exactly at every n. The N draws are independent given the data
// and their log-ratio is largest when all repeat the worst point: N draws cost exactly N times one.
package truncatednet

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/truncated"
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

// EmptyBoxError says that the floor w leaves no conditional distribution on r states: r·w must be below 1.
type EmptyBoxError struct {
	Floor  float64 // w
	States int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("truncatednet: floor %g leaves no probabilities for %d states; want 0 < floor < %g", e.Floor,
		e.States,
		1/float64(e.States))
}

func checkFloor(w float64, r int) error {
	switch {
	case r < 2:
		return domain.Refuse("truncatednet", "states", float64(r), "at least 2")
	case !(w > 0):
		return domain.Refuse("truncatednet", "floor", w, fmt.Sprintf("0 < floor < 1/%d", r))
	case !(w*float64(r) < 1):
		return &EmptyBoxError{w, r}
	}
	return nil
}

func checkCount(name string, v int) error {
	if v < 1 {
		return domain.Refuse("truncatednet", name, float64(v), "at least 1")
	}
	return nil
}

func checkTarget(eps float64) error {
	if !(eps > 0 && eps <= 1e6) {
		return domain.Refuse("truncatednet", "epsilon", eps, "0 < epsilon ≤ 1e6")
	}
	return nil
}

// evidence holds the terms of the exact ε for binary nodes with Beta(α, α) priors on [w, 1−w] and likelihood power η. s
// and f are the successes and failures of the other records in the cell; ι is the box normaliser:
//
//	stay(s, f)  = ηℓ + ln E[(1−t)^η] − ln E[t^η]  under counts (s, f): a record stays and changes its value,
//	enter(k)    = η ln(1−w) − ln E[t^η]           under counts (0, k): a record leaves a cell of k failures,
//	leave(k)    = ln E[t^η] − η ln w              under counts (k, 0): a record enters a cell of k successes.
//
// stay falls in s and rises in f, enter and leave rise in k: laws are ordered by likelihood ratio in their counts.
type evidence struct {
	w, alpha, eta, ell float64
	cell               map[int][2]float64 // ln E[t^η], ln E[(1−t)^η] under counts (0, k)
	err                error
}

func newEvidence(w, alpha, eta float64) (*evidence, error) {
	if err := checkFloor(w, 2); err != nil {
		return nil, err
	}
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		return nil, domain.Refuse("truncatednet", "prior count", alpha, "0 < prior count < ∞")
	}
	if !(eta > 0 && eta <= 1) {
		return nil, domain.Refuse("truncatednet", "power", eta, "0 < power ≤ 1")
	}
	return &evidence{w: w, alpha: alpha, eta: eta, ell: math.Log((1 - w) / w), cell: map[int][2]float64{}}, nil
}

// moments are ln E[t^η] and ln E[(1−t)^η] under counts (s, f).
func (e *evidence) moments(s, f int) (up, down float64) {
	m, err := truncated.NewBeta(e.alpha+e.eta*float64(s), e.alpha+e.eta*float64(f), e.w, 1-e.w)
	if err != nil { // counts beyond float64
		e.err = err
		return math.NaN(), math.NaN()
	}
	return m.LogMoment(e.eta, 0), m.LogMoment(0, e.eta)
}

func (e *evidence) stay(s, f int) float64 {
	up, down := e.moments(s, f)
	return e.eta*e.ell + down - up
}

func (e *evidence) failures(k int) [2]float64 {
	v, ok := e.cell[k]
	if !ok {
		v[0], v[1] = e.moments(0, k)
		e.cell[k] = v
	}
	return v
}

func (e *evidence) enter(k int) float64 { return e.eta*math.Log1p(-e.w) - e.failures(k)[0] }

// leave uses the symmetry t → 1−t of the prior and the box.
func (e *evidence) leave(k int) float64 { return e.failures(k)[1] - e.eta*math.Log(e.w) }

// largest is an upper bound within 1e-11 of max over i in 0…n of down(i) + up(i), down nonincreasing and up
// nondecreasing: on a block [i, j] the value is at most down(i) + up(j). Small ranges are enumerated, larger ones split
// best first.
func largest(n int, down, up func(i int) float64) float64 {
	best := math.Inf(-1)
	try := func(i int) (d, u float64) {
		d, u = down(i), up(i)
		best = math.Max(best, d+u)
		return d, u
	}
	if n <= 64 {
		for i := 0; i <= n; i++ {
			try(i)
		}
		return best
	}
	type block struct {
		lo, hi                     int
		downLo, downHi, upLo, upHi float64
	}
	const tolerance = 1e-11
	dl, ul := try(0)
	dh, uh := try(n)
	stack := []block{{0, n, dl, dh, ul, uh}}
	slack := 0.0
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		bound := b.downLo + b.upHi
		if b.hi-b.lo <= 1 {
			continue
		}
		if bound <= best+tolerance*math.Max(1, best) {
			slack = math.Max(slack, bound-best)
			continue
		}
		mid := (b.lo + b.hi) / 2
		d, u := try(mid)
		left, right := block{b.lo, mid, b.downLo, d, b.upLo, u}, block{mid, b.hi, d, b.downHi, u, b.upHi}
		if left.downLo+left.upHi > right.downLo+right.upHi {
			left, right = right, left
		}
		stack = append(stack, left, right) // the more promising half is split first
	}
	return best + slack
}

// Naive is a naive Bayes network of binary nodes, public in all its parts: one class and Features features, every
// conditional in [w, 1−w], symmetric Beta(Alpha, Alpha) priors, N = Records records (public).
type Naive struct {
	Features int     // d ≥ 1
	Records  int     // n ≥ 1
	Alpha    float64 // prior counts, > 0
}

func (m Naive) check() error {
	if err := checkCount("features", m.Features); err != nil {
		return err
	}
	if err := checkCount("records", m.Records); err != nil {
		return err
	}
	if !(m.Alpha > 0) || math.IsInf(m.Alpha, 1) {
		return domain.Refuse("truncatednet", "prior count", m.Alpha, "0 < prior count < ∞")
	}
	return nil
}

// Epsilon is the exact record-level ε of one draw from prior × likelihood^η on the box with floor w (η = 1: the
// posterior), over all data sets of n records and all replacements, inflated by 1e-11:
//
//	max{ d·stay(0, n−1),  max_{s+f=n−1} stay(s, f) + d·(enter(s) + leave(f)) }
//
// with the terms of evidence. The first case keeps the class and changes every feature; in the second the class
// changes, s and f being the other records' classes, and every feature's record moves between cells that are worst when
// empty of the other value. It equals enumeration over all data sets (d = 1, n ≤ 4; d = 2, n ≤ 3). Errors:
// *domain.Error, *EmptyBoxError. Source: theory/networks.md §3.4 (i).
func (m Naive) Epsilon(w, eta float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	e, err := newEvidence(w, m.Alpha, eta)
	if err != nil {
		return 0, err
	}
	d, n := float64(m.Features), m.Records
	same := d * e.stay(0, n-1)
	change := largest(n-1,
		func(s int) float64 { return e.stay(s, n-1-s) + d*e.leave(n-1-s) },
		func(s int) float64 { return d * e.enter(s) })
	if e.err != nil {
		return 0, e.err
	}
	return math.Max(same, change) * margin, nil
}
