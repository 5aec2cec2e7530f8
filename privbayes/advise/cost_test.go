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
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func shaped(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	s := labelled(levels...)
	if len(levels) == 0 {
		s = reals(3)
	}
	sh, err := model.NewShape(s, m, n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
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
		p, err := grid.Plan(t.Context(), coin(n), target)
		if err != nil {
			t.Fatal(err)
		}
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
		p, err := c.m.Plan(cert.WithWorkLimit(t.Context(), defaultWork), c.sh, target)
		if err != nil {
			t.Fatal(err)
		}
		st, err := c.sh.Simulate(t.Context(), 1, dp.Seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := st.Means(access.Mine())
		if err != nil {
			t.Fatal(err)
		}
		least := time.Hour
		for i := range 8 {
			start := time.Now()
			if _, _, err := (&Advice{arena: c.sh}).loss(t.Context(), p, c.sh, &dataSet{statistics: st, plain: plain},
				uint64(i)); err != nil {
				t.Fatal(err)
			}
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
	a, err := For(t.Context(), shaped(t, model.Binary("c0"), 100, 2), []dp.Request{dp.PureDP(1)},
		Options{Mechanisms: []mechanism.Mechanism{free{polite}, counts.KNorm()}, Time: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
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
