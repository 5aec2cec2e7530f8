package advise

import (
	"context"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func coin(t testing.TB, n int, alpha ...float64) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "coin", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	m := model.Binary("answer")
	if alpha != nil {
		m = m.WithPrior(alpha...)
	}
	sh, err := model.NewShape(s, m, n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// Enumeration and simulation find the same error, on the same plan: 6.5 standard errors, a false alarm below 1e-9 for
// each. Half the error would not pass.
func TestEnumerationAgreesWithSimulation(t *testing.T) {
	for _, m := range []mechanism.Mechanism{
		counts.KNorm(), counts.KNorm().WithPostProcess(counts.PosteriorMean), counts.Geometric(),
		counts.Geometric().WithPostProcess(counts.Clamp),
		counts.DiscreteGaussian(), counts.BySize(), counts.Fourier(), gridmap.New(), hellinger.New(),
		hellinger.New().PermuteAndFlip(),
	} {
		sh := coin(t, 40, 2, 1)
		o := Options{Data: 600, Prior: .7, Work: defaultWork, Memory: defaultMemory}
		a := &Advice{shape: sh, arena: sh, options: o, sets: newDataSets(t.Context(), sh, 1, o, stepsPerSecond)}
		p, err := m.Plan(cert.WithWorkLimit(t.Context(), o.Work), sh, dp.ApproxDP(.5, 1e-3))
		if err != nil {
			t.Fatal(err)
		}
		exact, ok, err := a.enumerate(t.Context(), p)
		if err != nil || !ok || exact.how != Enumeration || exact.sets != 41 {
			t.Fatal(m.Title(), exact, ok, err)
		}
		drawn, err := a.simulate(t.Context(), p, sh, finalNoise, o.Data, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		if z := math.Abs(drawn.absolute-exact.absolute) / drawn.se; z > 6.5 {
			t.Errorf("%s: enumerated %v, simulated %v ± %v", m.Title(), exact.absolute, drawn.absolute, drawn.se)
		}
		if z := math.Abs(drawn.absolute-exact.absolute/2) / drawn.se; z < 6.5 {
			t.Errorf("%s: half the error would pass", m.Title())
		}
	}
}

// Quadrature over the prior is close to the sum over all data sets.
func TestQuadratureIsNearTheEnumeration(t *testing.T) {
	sh := coin(t, 900)
	a := &Advice{shape: sh, options: Options{Prior: 1}}
	p, err := counts.KNorm().Plan(t.Context(), sh, dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	exact, ok, err := a.enumerate(t.Context(), p)
	if !ok || err != nil || exact.how != Enumeration {
		t.Fatal(exact, ok, err)
	}
	p2, err := counts.KNorm().Plan(t.Context(), coin(t, 9000), dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	b := &Advice{shape: coin(t, 9000), options: Options{Prior: 1}}
	nodes, ok, err := b.enumerate(t.Context(), p2)
	if !ok || err != nil || nodes.how != Quadrature {
		t.Fatal(nodes, ok, err)
	}
	if r := nodes.absolute * 10 / exact.absolute; math.Abs(r-1) > .01 {
		t.Errorf("ten times the records have %v times a tenth of the error", r)
	}
}

// The weights of the data sets are a distribution with the prior's mean and variance.
func TestDataSetsOfThePrior(t *testing.T) {
	for _, a0 := range []float64{.5, 1, 3} {
		a := &Advice{options: Options{Prior: a0}}
		for _, outputs := range []int{1, 5000} {
			const n = 300
			sum, mean, square := 0.0, 0.0, 0.0
			ks, ws := a.dataSetsOf(n, outputs)
			for i, k := range ks {
				x := float64(k)/n - .5
				sum, mean, square = sum+ws[i], mean+ws[i]*x, square+ws[i]*x*x
			}
			want := .25 / (2*a0 + 1) * (1 + 2*a0/n)
			if math.Abs(sum-1) > 1e-9 || math.Abs(mean) > 1e-3 || math.Abs(square/want-1) > .03 {
				t.Errorf("a₀ = %v, %d outputs: mass %v, mean %v, variance %v, want %v", a0, outputs, sum, mean, square,
					want)
			}
		}
	}
}

// A search stops where no n is enough, and ends within 3 % above a known curve.
func TestSearch(t *testing.T) {
	curve := func(floor float64) func(n int) (Size, error) {
		return func(n int) (Size, error) { return Size{n, Row{Error: 3/float64(n) + floor}}, nil }
	}
	for _, here := range []int{1, 100, 1_000_000} {
		for _, e := range []float64{2.9, .3, .001, 1e-5} {
			s, _ := curve(0)(here)
			got, err := search(s, e, mostRecords, curve(0))
			if want := 3 / e; err != nil || float64(got.N) < want*(1-1e-12) ||
				float64(got.N) > math.Max(want*near, want+1) {
				t.Errorf("from %d, error %v: n = %d, want %v; %v", here, e, got.N, want, err)
			}
		}
	}
	s, _ := curve(.01)(100)
	if got, err := search(s, .005, 1_000_000, curve(.01)); err == nil {
		t.Error("an error below the floor:", got)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := For(ctx, coin(t, 40), []dp.Request{dp.PureDP(1)}, Options{}); err == nil {
		t.Error("a cancelled context is not noticed")
	}
}
