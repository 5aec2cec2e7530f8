package loss

import (
	"context"
	"math"
)

// Until is the same pair until ctx ends: from then on, and within the computation that is under way, its bounds are the
// trivial ones, δ = 1 and ε = ρ = +Inf, which hold for every release. A search for parameters that looks at ctx between
// two evaluations ends soon after it.
func Until(ctx context.Context, p Pair) Pair { return untilPair{p, ctx} }

// A pair whose profile is a long computation has, besides Delta, DeltaUntil(ε, stop): an upper bound of Delta, soon
// after stop says so.
type untilPair struct {
	Pair
	ctx context.Context
}

// Delta implements Pair.
func (u untilPair) Delta(epsilon float64) float64 {
	if u.ctx.Err() != nil {
		return 1
	}
	if long, ok := u.Pair.(interface {
		DeltaUntil(epsilon float64, stop func() bool) float64
	}); ok {
		return long.DeltaUntil(epsilon, func() bool { return u.ctx.Err() != nil })
	}
	return u.Pair.Delta(epsilon)
}

// RDP implements Pair.
func (u untilPair) RDP(order float64) float64 {
	return u.bound(func() float64 { return u.Pair.RDP(order) })
}

// ZCDP implements Pair.
func (u untilPair) ZCDP() float64 { return u.bound(u.Pair.ZCDP) }

// TCDP is what TruncatedRho asks for.
func (u untilPair) TCDP(omega float64) float64 {
	return u.bound(func() float64 { return TruncatedRho(u.Pair, omega) })
}

func (u untilPair) bound(of func() float64) float64 {
	if u.ctx.Err() != nil {
		return math.Inf(1)
	}
	return of()
}
