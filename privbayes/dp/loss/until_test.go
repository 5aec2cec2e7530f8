package loss_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// A pair under a context is the pair itself until the context ends, and then claims nothing.
func TestUntil(t *testing.T) {
	for _, p := range []loss.Pair{
		loss.GeometricPair{Rate: .1, Cells: 4}, loss.DiscreteGaussianPair{Sigma2: 2, Cells: 20, Shift: 1},
		loss.DiscreteGaussianPair{Sigma2: 400, Cells: 2, Shift: 1},
		loss.LaplacePair{Scale: 8, Cells: 3}, loss.ShiftedGeometricPair{Rate: .02, Shift: 9, Cells: 5},
		declare(t, loss.Repeat{Pair: loss.DirichletPair{Rate: .1, Shape: 4}, Times: 3}),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		u := loss.Until(ctx, p)
		if u.Delta(.5) != p.Delta(.5) || u.RDP(3) != p.RDP(3) || u.ZCDP() != p.ZCDP() ||
			loss.TruncatedRho(u, 3) != loss.TruncatedRho(p, 3) || u.PureEpsilon() != p.PureEpsilon() {
			t.Errorf("%s: another pair before the end", p)
		}
		cancel()
		for _, want := range []dp.Parameters{dp.ApproxDP(1, .5).Parameters, dp.RenyiDP(2, 1e6).Parameters, dp.ZCDP(1e6).Parameters,
			dp.TCDP(1e6, 2).Parameters} {
			if loss.Meets(u, want) {
				t.Errorf("%s meets %s after the end", p, want)
			}
		}
		if !math.IsInf(loss.EpsilonFor(u, 1e-6), 1) {
			t.Errorf("%s: ε = %v after the end", p, loss.EpsilonFor(u, 1e-6))
		}
	}
}

// A profile that is cut short is still an upper bound, and the law of a sum of 200,000 small noises, hours of work, is
// cut short.
func TestDeltaUntilIsAnUpperBound(t *testing.T) {
	at := func(after int) func() bool {
		return func() bool { after--; return after < 0 }
	}
	gauss := loss.DiscreteGaussianPair{Sigma2: 2, Cells: 40, Shift: 1}
	laplace := loss.LaplacePair{Scale: 30, Cells: 3}
	shifted := loss.ShiftedGeometricPair{Rate: .02, Shift: 9, Cells: 5}
	vector := loss.LatticePair{DiscreteGaussianPair: loss.DiscreteGaussianPair{Sigma2: 20, Cells: 1, Shift: 5}, Least: 20}
	list := declare(t, loss.Repeat{Pair: loss.LaplacePair{Scale: 30, Cells: 1}, Times: 4})
	for after := range 6 {
		for _, c := range []struct{ short, whole float64 }{
			{gauss.DeltaUntil(.5, at(after)), gauss.Delta(.5)},
			{laplace.DeltaUntil(.05, at(after)), laplace.Delta(.05)},
			{shifted.DeltaUntil(.1, at(after)), shifted.Delta(.1)}, {list.DeltaUntil(.05, at(after)), list.Delta(.05)},
			{vector.DeltaUntil(.5, at(after)), vector.Delta(.5)},
		} {
			if !(c.short >= c.whole*(1-1e-9)) {
				t.Errorf("cut short at look %d: δ = %v below %v", after, c.short, c.whole)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if d := loss.Until(ctx, loss.DiscreteGaussianPair{Sigma2: 2, Cells: 200_000, Shift: 1}).Delta(1); d != 1 {
		t.Errorf("δ = %v from a computation that was cut short", d)
	}
	if took := time.Since(start); took > time.Minute {
		t.Error("cut short after", took)
	}
}
