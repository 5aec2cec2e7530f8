package advise

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
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
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
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
		p := must.Get(m.Plan(cert.WithWorkLimit(t.Context(), o.Work), sh, dp.ApproxDP(.5, 1e-3)))(t)
		exact, ok, err := a.enumerate(t.Context(), p)
		if err != nil || !ok || exact.how != Enumeration || exact.sets != 41 {
			t.Fatal(m.Title(), exact, ok, err)
		}
		drawn := must.Get(a.simulate(t.Context(), p, sh, finalNoise, o.Data, math.Inf(1)))(t)
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
	p := must.Get(counts.KNorm().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	exact, ok, err := a.enumerate(t.Context(), p)
	if !ok || err != nil || exact.how != Enumeration {
		t.Fatal(exact, ok, err)
	}
	p2 := must.Get(counts.KNorm().Plan(t.Context(), coin(t, 9000), dp.PureDP(1)))(t)
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

func shaped(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	s := labelled(levels...)
	if len(levels) == 0 {
		s = reals(3)
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// unestimated names what in families plans on a shape without a positive, finite estimate of what that takes.
func unestimated(t *testing.T, sh *model.Shape, families []Family, target dp.Request) (bad []string) {
	t.Helper()
	for _, f := range families {
		for _, c := range f.Choices {
			ctx := cert.WithWorkLimit(t.Context(), defaultWork)
			if c.Mechanism.Supports(sh) != nil {
				continue
			}
			if _, err := c.Mechanism.Plan(ctx, sh, target); err != nil {
				continue
			}
			m, says := c.Mechanism.(mechanism.Costed)
			if !says {
				bad = append(bad, f.Title+": does not say")
				continue
			}
			cost := m.Cost(sh, target)
			for what, v := range map[string]float64{"plan": cost.Plan, "draw": cost.Draw, "bytes": cost.Bytes} {
				if !(v > 0) || math.IsInf(v, 1) {
					bad = append(bad, fmt.Sprintf("%s, %s: %s %v", f.Title, c.Name, what, v))
				}
			}
		}
	}
	return bad
}

// free is a mechanism that claims to take nothing.
type free struct{ mechanism.Mechanism }

func (free) Cost(*model.Shape, dp.Request) mechanism.Cost { return mechanism.Cost{} }

// Every mechanism of the library estimates what a plan that succeeds takes; a mechanism that says nothing, or 0, is
// found.
func TestEveryMechanismEstimates(t *testing.T) {
	for _, sh := range []*model.Shape{
		shaped(t, model.Binary("c0"), 50, 2), shaped(t, model.Categorical("c0"), 30, 5),
		shaped(t, model.NaiveBayes("c0"), 40, 2, 3), shaped(t, chain(3), 40, 2, 2, 2),
		shaped(t, model.LinearRegression("c0"), 100), shaped(t, model.Exponential("c0").WithRange(.3, 5), 100),
	} {
		targets := []dp.Request{dp.PureDP(1)}
		if sh.Rate() == nil { // whose profiles take seconds
			targets = append(targets, dp.ApproxDP(1, 1e-4))
		}
		for _, target := range targets {
			if bad := unestimated(t, sh, Families(sh), target); len(bad) > 0 {
				t.Errorf("%s at %s: %s", sh.Model(), target.Parameters, strings.Join(bad, "; "))
			}
		}
	}
	sh := shaped(t, model.Binary("c0"), 50, 2)
	for _, m := range []mechanism.Mechanism{silent{counts.KNorm()}, free{counts.KNorm()}} {
		if bad := unestimated(t, sh, alone([]mechanism.Mechanism{m}), dp.PureDP(1)); len(bad) == 0 {
			t.Errorf("%T passes", m)
		}
	}
}

// Estimates follow counted work: pairs × candidates of an exact calibration, candidates that a draw visits, records of
// an urn, cells. The bounds are of steps for one of these.
func TestEstimatesFollowCountedWork(t *testing.T) {
	target := dp.PureDP(1)
	coin := func(n int) *model.Shape { return shaped(t, model.Binary("c0"), n, 2) }
	type counted struct {
		name         string
		steps, units float64
		least, most  float64
	}
	var list []counted
	for _, n := range []int{50, 500, 5000} {
		grid := gridmap.New()
		p := must.Get(grid.Plan(t.Context(), coin(n), target))(t)
		work := int64(0)
		for _, c := range p.Certificate().All() {
			work = max(work, c.Work)
		}
		list = append(list, counted{"calibration of a grid", grid.Cost(coin(n), target).Plan, float64(work), 100,
			10_000})
	}
	for _, n := range []int{20, 40, 80} {
		sh := shaped(t, model.Categorical("c0"), n, 4)
		list = append(list, counted{"a draw by enumeration", hellinger.New().Cost(sh, target).Draw,
			float64(hellingersample.Count(int64(n), 4)), 1, 100})
	}
	for _, m := range []int{100, 10_000} {
		list = append(list, counted{"an urn", dirichlet.SyntheticRecords(m).Cost(coin(500), target).Draw, float64(m),
			5, 50})
	}
	for _, d := range []int{5, 500, 50_000} {
		sh := shaped(t, model.Categorical("c0"), 1000, d)
		list = append(list, counted{"noise on cells",
			counts.Geometric().WithPostProcess(counts.Clamp).Cost(sh, target).Draw, float64(d), 20, 1000})
	}
	for _, c := range list {
		if !(c.units > 0) || c.steps < c.least*c.units || c.steps > c.most*c.units {
			t.Errorf("%s: %.3g steps for %.3g units", c.name, c.steps, c.units)
		}
		if 0 >= c.least*c.units { // the mutant: an estimate of nothing
			t.Errorf("%s: an estimate of 0 passes", c.name)
		}
	}
}

// An estimate is not far from the time of a draw on any machine that these tests run on: a factor of a hundred either
// way of the least of several times. Off by more than that, advice would not answer in time, or leave out what takes
// nothing.
func TestEstimatesAgainstTheClock(t *testing.T) {
	if testing.Short() {
		t.Skip("clock")
	}
	for _, c := range []struct {
		sh *model.Shape
		m  mechanism.Mechanism
	}{
		{shaped(t, model.NaiveBayes("c0"), 400, repeat(2, 16, 3)...),
			counts.Geometric().WithPostProcess(counts.PosteriorMean)},
		{shaped(t, model.Categorical("c0"), 10_000, 400), counts.KNorm()},
		{shaped(t, model.Categorical("c0"), 10_000, 5), hellinger.New()},
		{shaped(t, model.Categorical("c0"), 10_000, 20), dirichlet.SyntheticRecords(10_000)},
	} {
		target := dp.PureDP(1)
		p := must.Get(c.m.Plan(cert.WithWorkLimit(t.Context(), defaultWork), c.sh, target))(t)
		st := must.Get(c.sh.Simulate(t.Context(), 1, dp.Seeded(1)))(t)
		plain := must.Get(st.Means(access.Mine()))(t)
		least := time.Hour
		for i := range 8 {
			start := time.Now()
			must.Get2((&Advice{arena: c.sh}).loss(t.Context(), p, c.sh, &dataSet{statistics: st, plain: plain},
				uint64(i)))(t)
			least = min(least, time.Since(start))
		}
		ratio := c.m.(mechanism.Costed).Cost(c.sh, target).Draw * 4e-9 / least.Seconds()
		t.Logf("%s: estimated / measured %.2f", p.Title(), ratio)
		if ratio < .01 || ratio > 100 {
			t.Errorf("%s: estimated / measured %.3g", p.Title(), ratio)
		}
	}
}

// A mechanism whose estimate is 0 does not make an advice late: the clock ends it, by name. One that says what it takes
// is not begun.
func TestEstimateOfNothing(t *testing.T) {
	polite := planted{counts.Geometric(), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	a := must.Get(For(t.Context(), shaped(t, model.Binary("c0"), 100, 2), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{free{polite}, counts.KNorm()}, Time: 3 * time.Second}))(t)
	if r := a.Rows(0); !r[0].LeftOut || !strings.Contains(r[0].Refused, "by the clock") || r[1].Refused != "" {
		t.Errorf("%+v", r)
	}
}

// Where not one data set can be afforded, the mechanisms with a formula are priced by theory, and no row claims a
// simulation; the error is the plan's own expectation. A shape that can be simulated is.
func TestTheoryWhereNothingIsSimulated(t *testing.T) {
	sh := shaped(t, model.NaiveBayes("c0"), 100_000_000, 1000, 500)
	target := dp.PureDP(1)
	a, err := For(t.Context(), sh, []dp.Request{target}, Options{Time: time.Minute, steps: 10 * stepsPerSecond})
	if err != nil {
		t.Fatal(err)
	}
	priced := 0
	for _, r := range a.Rows(0) {
		if r.Refused != "" {
			continue
		}
		priced++
		if r.How != Theory || r.Sets != 0 || r.Error != r.Expected || !(r.Error > 0) || r.Reduced == "" ||
			!r.Certified.Satisfies(target.Parameters) {
			t.Errorf("%+v", r)
		}
	}
	if best, ok := a.Best(0); priced < 3 || !ok || !strings.Contains(a.String(), string(Theory)) ||
		best.Mechanism == "" {
		t.Errorf("%d priced\n%s", priced, a)
	}
	a, err = For(t.Context(), shaped(t, model.NaiveBayes("c0"), 1000, 3, 2), []dp.Request{target},
		Options{Mechanisms: []mechanism.Mechanism{counts.KNorm()}, Data: 8, Time: time.Minute})
	if err != nil || a.Rows(0)[0].How != Simulation {
		t.Error(a, err)
	}
}
