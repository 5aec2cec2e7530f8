package regression

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A regression with more coordinates than a posterior is drawn in is refused by the plan, and not by a draw that was
// charged.
func TestTooManyCoordinatesAreRefusedByThePlan(t *testing.T) {
	for _, features := range []int{ball.MaxDim - 1, ball.MaxDim} { // and the intercept
		s := &frame.Schema{Dataset: "wide"}
		for i := range features + 1 {
			s.Columns = append(s.Columns, frame.Real(fmt.Sprint("x", i), -1, 1))
		}
		sh, err := model.NewShape(s, model.LinearRegression("x0"), 100, true, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []mechanism.Mechanism{Sampler(1), SufficientStatistics().Continuous()} {
			var limit *cert.LimitError
			_, err := m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6))
			if refused := errors.As(err, &limit); refused != (features == ball.MaxDim) || !refused && err != nil {
				t.Errorf("%d features, %s: %v", features, m.Title(), err)
			}
		}
	}
}

// The profile of many draws ends with its context, and says then that nothing is promised.
func TestProfileEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	looks := 0
	if d := (rangePair{width: 1, draws: maxDraws}).DeltaUntil(.5, func() bool { looks++; return looks > 3 }); d != 1 {
		t.Errorf("δ = %g after stop", d)
	}
	if looks != 4 {
		t.Errorf("asked %d times; want 4", looks)
	}
	var p loss.Pair = rangePair{width: .01, draws: maxDraws, residual: 1}
	for loss.Until(ctx, p).Delta(1) < 1 { // the deadline is near
		time.Sleep(time.Millisecond)
	}
	if err := mechanism.Unmet(ctx, dp.ApproxDP(1, 1e-6).Parameters, p, "none"); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	var unmet *mechanism.UnmetTarget
	if err := mechanism.Unmet(t.Context(), dp.PureDP(1).Parameters, p, "none"); !errors.As(err, &unmet) ||
		float64(unmet.Certified.Epsilon) != p.PureEpsilon() {
		t.Errorf("before it: %v", err)
	}
}
