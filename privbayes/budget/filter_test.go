package budget_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

func TestRenyiFilter(t *testing.T) {
	f := must.Get(budget.NewRenyiFilter(4, 1))(t)
	must.Do(t, f.Spend(func(order float64) float64 { return order * 0.15 }))
	var exceeded *budget.FilterExceededError
	if err := f.Spend(loss.GaussianPair{Mu: 1}.RDP); !errors.As(err, &exceeded) ||
		math.Abs(exceeded.Spent-0.6) > 1e-12 || exceeded.Order != 4 {
		t.Fatalf("2 on top of 0.6 of 1: %v", err)
	}
	if math.Abs(f.Left()-0.4) > 1e-12 {
		t.Errorf("a refused charge was spent: %v left", f.Left())
	}
	for _, bad := range []float64{-1, math.NaN()} {
		var e *dp.ParameterError
		if err := f.Spend(func(float64) float64 { return bad }); !errors.As(err, &e) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := f.Spend(func(float64) float64 { return math.Inf(1) }); !errors.As(err, &exceeded) {
		t.Errorf("infinite: %v", err)
	}
	if g := f.Guarantee(); g.Notion != dp.Renyi || g.Order != 4 || math.Abs(float64(g.Epsilon)-1) > 1e-8 {
		t.Errorf("guarantee %v", g)
	}
	for _, bad := range [][2]float64{{1, 1}, {2, 0}, {math.NaN(), 1}, {2, math.Inf(1)}, {0.5, 1}} {
		if _, err := budget.NewRenyiFilter(bad[0], bad[1]); err == nil {
			t.Errorf("a filter of %v", bad)
		}
	}
	// ten tenths fit, from many goroutines, and not one more
	f, _ = budget.NewRenyiFilter(2, 1)
	var wg sync.WaitGroup
	fit := make(chan bool, 40)
	for range 40 {
		wg.Go(func() { fit <- f.Spend(func(float64) float64 { return 0.1 }) == nil })
	}
	wg.Wait()
	close(fit)
	n := 0
	for ok := range fit {
		if ok {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d charges of 0.1 fit into 1", n)
	}
}

// adaptive is an adaptive sequence of two randomised responses: the second is at strong after a 1 and at weak after a
// 0. It returns the exact Rényi divergence of order λ of its joint law, by enumeration of the outputs.
func adaptive(order, first, strong, weak float64) float64 {
	moment := 0.0
	for y := range 2 {
		for z := range 2 {
			p, q := 1.0, 1.0
			step := func(eps float64, out int) {
				hit := 1 / (1 + math.Exp(-eps))
				if out == 1 {
					p, q = p*hit, q*(1-hit)
				} else {
					p, q = p*(1-hit), q*hit
				}
			}
			step(first, y)
			if y == 1 {
				step(strong, z)
			} else {
				step(weak, z)
			}
			moment += math.Pow(p, order) * math.Pow(q, 1-order)
		}
	}
	return math.Log(moment) / (order - 1)
}

// The theorem on sequences that can be enumerated: what the filter admits is within its guarantee, and a filter that
// averaged the losses over outputs would not be.
func TestFilteredSequencesAreWithinTheGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := func(name string) float64 { return math.Exp(rapid.Float64Range(-2, 1).Draw(t, name)) }
		order, first, strong, weak := 1+eps("λ−1"), eps("first"), eps("strong"), eps("weak")
		limit := eps("budget") * 2
		for _, second := range []*float64{&strong, &weak} { // after a 1, and after a 0
			f := must.Get(budget.NewRenyiFilter(order, limit))(t)
			if f.Spend(loss.PurePair{Epsilon: first}.RDP) != nil {
				return
			}
			if f.Spend(loss.PurePair{Epsilon: *second}.RDP) != nil {
				*second = 0 // refused: no information
			}
		}
		if d := adaptive(order, first, strong, weak); d > limit*(1+1e-9) {
			t.Fatalf("divergence %v under a budget of %v", d, limit)
		}
	})
	// the mutant charges the mean cost of the two branches
	opening := loss.PurePair{Epsilon: 1}
	mean := (loss.PurePair{Epsilon: 3}.RDP(2) + loss.PurePair{Epsilon: 0.01}.RDP(2)) / 2
	if adaptive(2, 1, 3, 0.01) <= opening.RDP(2)+mean {
		t.Error("the comparison has no power against a filter that averages")
	}
}

func ExampleRenyiFilter() {
	f, err := budget.NewRenyiFilter(8, 1)
	if err != nil {
		panic(err)
	}
	for step := 1; ; step++ {
		if err := f.Spend(loss.GaussianPair{Mu: 0.25}.RDP); err != nil {
			fmt.Printf("step %d refused; everything released has %s\n", step, f.Guarantee())
			return
		}
	}
	// Output: step 5 refused; everything released has ε = 1 at order λ = 8
}
