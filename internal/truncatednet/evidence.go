package truncatednet

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

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
