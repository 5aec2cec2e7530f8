package finite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// response is randomised response on the parity of the first count: truth with probability p.
type response struct{ p float64 }

func (r response) Outputs() int { return 2 }
func (r response) LogLaw(x []int, out []float64) {
	out[x[0]%2], out[1-x[0]%2] = math.Log(r.p), math.Log1p(-r.p)
}

func TestRandomisedResponse(t *testing.T) {
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		eps := 1.25
		p := 1 / (1 + math.Exp(-eps))
		res := must.Get(finite.Audit(context.Background(), response{p}, finite.Space{Cells: 3, N: 4, Adjacency: adj},
			[]float64{0, 0.5, 2}, []float64{2}))(t)
		if math.Abs(res.Epsilon-eps) > 1e-14 {
			t.Errorf("%s: ε = %v, want %v at %+v", adj, res.Epsilon, eps, res.At)
		}
		pair := loss.GeometricPair{Rate: eps, Cells: 1}
		for i, e := range []float64{0, 0.5, 2} {
			if d := math.Abs(res.Delta[i] - pair.Delta(e)); d > 1e-9 {
				t.Errorf("%s: δ(%v) = %v, want %v", adj, e, res.Delta[i], pair.Delta(e))
			}
		}
		if math.Abs(res.RDP[0]-pair.RDP(2)) > 1e-9 {
			t.Errorf("%s: RDP(2) = %v, want %v", adj, res.RDP[0], pair.RDP(2))
		}
	}
}

// leaky never answers 1 for an empty first cell: not private at all.
type leaky struct{}

func (leaky) Outputs() int { return 2 }
func (leaky) LogLaw(x []int, out []float64) {
	out[0], out[1] = math.Log(0.5), math.Log(0.5)
	if x[0] == 0 {
		out[0], out[1] = 0, math.Inf(-1)
	}
}

func TestImpossibleOutputsAreInfinitelyRevealing(t *testing.T) {
	res, err := finite.Audit(context.Background(), leaky{}, finite.Space{Cells: 2, N: 2}, []float64{1}, []float64{2})
	if err != nil || !math.IsInf(res.Epsilon, 1) || !math.IsInf(res.RDP[0], 1) || res.Delta[0] < 0.5 {
		t.Fatalf("%+v, %v", res, err)
	}
}

func TestHistogramCounts(t *testing.T) {
	for _, c := range []struct{ cells, n, want int }{{1, 5, 1}, {2, 5, 6}, {4, 6, 84}, {3, 0, 1}} {
		got := 0
		for range finite.Histograms(c.cells, c.n) {
			got++
		}
		if got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestLimitsAndErrors(t *testing.T) {
	ctx := cert.WithWorkLimit(context.Background(), 10)
	if _, err := finite.Audit(ctx, response{0.7}, finite.Space{Cells: 3, N: 9}, nil, nil); !errors.Is(err,
		cert.ErrWorkLimit) {
		t.Error(err)
	}
	var se *dp.ParameterError
	if _, err := finite.Audit(context.Background(), response{0.7}, finite.Space{Cells: 0, N: 1}, nil,
		nil); !errors.As(err, &se) {
		t.Error(err)
	}
	if _, err := finite.Audit(context.Background(), response{0.7},
		finite.Space{Cells: 2, N: 1, Adjacency: dp.ReplaceValue}, nil, nil); !errors.As(err, &se) {
		t.Error(err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := finite.Audit(done, response{0.7}, finite.Space{Cells: 2, N: 1}, nil, nil); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}

func ExampleAudit() {
	p := 1 / (1 + math.Exp(-1.0)) // randomised response at ε = 1
	res, _ := finite.Audit(context.Background(), response{p}, finite.Space{Cells: 2, N: 3}, nil, nil)
	fmt.Printf("exact ε = %.6f over %d pairs\n", res.Epsilon, res.Pairs)
	// Output: exact ε = 1.000000 over 6 pairs
}
