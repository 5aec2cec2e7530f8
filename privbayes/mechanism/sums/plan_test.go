package sums

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// withSteps is a model on a lattice of four steps.
func withSteps(m model.Model) model.Model {
	switch m := m.(type) {
	case model.MeansModel:
		return m.WithResolution(4)
	case model.MeanSDModel:
		return m.WithResolution(4)
	case model.GroupMeansModel:
		return m.WithResolution(4)
	case model.RateModel:
		return m.WithResolution(4)
	}
	return m
}

// What is released is the sum of the records' integers, whatever the design.
func TestMeasuredIsTheSumOfRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &model.Lattice{Form: model.Form(rapid.IntRange(0, 3).Draw(t, "form")),
			Steps: rapid.Int64Range(1, 9).Draw(t, "K"),
			Low:   []float64{0}, High: []float64{1}}
		switch l.Form {
		case model.PerColumn:
			l.Low, l.High = []float64{0, 0}, []float64{1, 1}
		case model.PerGroup:
			l.Groups, l.Omits = 3, rapid.Bool().Draw(t, "omits")
		}
		squares := l.Form != model.TwoPowers && rapid.Bool().Draw(t, "squares")
		if squares {
			l.Coarse = rapid.SampledFrom([]int64{l.Steps, min(l.Steps, 4) / 2 * 2, 0}).Draw(t, "J")
		}
		adj := rapid.SampledFrom(adjacencies).Draw(t, "adjacency")
		if l.Form == model.TwoPowers {
			adj = dp.ReplaceOne
		}
		d := designOf(l, adj)
		if with, ok := d.squared(l.Coarse); ok && rapid.Bool().Draw(t, "released") {
			d = with
		}
		rows := rapid.IntRange(0, 7).Draw(t, "n")
		whole, want, one := make([]int64, l.Len()), make([]int64, d.dims()), make([]int64, d.dims())
		for range rows {
			if l.Omits && rapid.Bool().Draw(t, "missing") {
				continue
			}
			places := make([]int64, len(l.Low))
			for i := range places {
				places[i] = rapid.Int64Range(0, l.Steps).Draw(t, "k")
			}
			group := 0
			if l.Groups > 0 {
				group = rapid.IntRange(0, 2).Draw(t, "group")
			}
			l.Add(whole, places, group)
			d.record(places, group, one)
			for i, v := range one {
				want[i] += v
			}
		}
		if got := d.measured(whole, rows); !equal(got, want) {
			t.Fatalf("%+v: %v for %v", d, got, want)
		}
	})
}

// Every model, adjacency, notion and unit: planned, certified, drawn, estimated within the bounds, and planned again.
func TestEveryModelIsReleased(t *testing.T) {
	made := map[string]int{}
	for _, m := range models {
		for _, adj := range adjacencies {
			for _, rows := range []int{1, 3} {
				for _, target := range []dp.Request{dp.PureDP(.05), dp.PureDP(3), dp.ApproxDP(1, 1e-6), dp.ZCDP(.05)} {
					sh := shapeOf(t, m, 200, rows)
					p, err := New().Plan(t.Context(), sh, target.Under(adj))
					var no *mechanism.UnsupportedError
					if errors.As(err, &no) {
						continue
					}
					if err != nil {
						t.Fatalf("%s, %s, %s, %d rows: %v", m, target.Parameters, adj, rows, err)
					}
					made[strings.SplitN(p.Setting("noise"), ",", 2)[0]]++
					if got := p.Certified(); !got.Satisfies(target.Parameters) || got.Arithmetic != dp.Exact {
						t.Errorf("%s: %s", m, got)
					}
					if rows == 3 && target.Epsilon != 3 {
						continue
					}
					_, e := released(t, p, sh, 3)
					for i, c := range sh.Parameters() {
						lo, hi := e.Draws.Quantile(i, 0), e.Draws.Quantile(i, 1)
						if !(lo <= hi) || math.IsInf(hi-lo, 0) {
							t.Errorf("%s, %s: %s in [%v, %v]", m, target.Parameters, c, lo, hi)
						}
						if l := sh.Lattice(); i < len(l.Low) && c != "rate" && (lo < l.Low[i]-1e-9 || hi > l.High[i]+1e-9) {
							t.Errorf("%s, %s: %s in [%v, %v], outside its bounds", m, target.Parameters, c, lo, hi)
						}
					}
				}
			}
		}
	}
	census := schema(1)
	census.Sampling = frame.Census // whose mean needs one sum alone
	p := plan(t, New(), must.Get(model.NewShape(census, model.Mean("wage"), 200, true, ""))(t), dp.PureDP(3))
	made[strings.SplitN(p.Setting("noise"), ",", 2)[0]]++
	for _, law := range []string{geometricLaw, staircaseLaw, parabolaLaw, cubeLaw, gaussianLaw} {
		if made[law] == 0 {
			t.Errorf("no release with %s noise", law)
		}
	}
}

// Refusals are typed and say what to use.
func TestRefused(t *testing.T) {
	counts := shapeOf(t, model.Categorical("job"), 200, 1)
	rate := shapeOf(t, model.Exponential("wage").WithRange(.01, 1), 200, 1)
	for name, c := range map[string]struct {
		m  Noisy
		sh *model.Shape
		t  dp.Request
	}{
		"counts":              {New(), counts, dp.PureDP(1)},
		"a spread, private n": {New(), shapeOf(t, model.MeanSD("wage"), 200, 1), dp.PureDP(1).Under(dp.AddRemove)},
		"Gaussian, private n": {New().Gaussian(), rate, dp.ZCDP(1).Under(dp.AddRemove)},
		"Gaussian, pure":      {New().Gaussian(), rate, dp.PureDP(1)},
		"nominal":             {New(), rate, dp.AsPublished(1)},
		"ε too small":         {New(), shapeOf(t, model.Mean("wage").WithResolution(1<<24), 9, 1), dp.PureDP(1e-6)},
		"a huge unit":         {New(), shapeOf(t, model.Mean("age"), 9, 1<<13), dp.PureDP(1)},
	} {
		_, err := c.m.Plan(t.Context(), c.sh, c.t)
		var no *mechanism.UnsupportedError
		if !errors.As(err, &no) || no.Use == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	private := must.Get(model.NewShape(schema(1), model.Mean("age"), 0, false, "Where"))(t)
	if _, err := New().Plan(t.Context(), private, dp.PureDP(1)); err == nil {
		t.Error("a private n under replace-one is accepted")
	}
	// statistics that are of the shape and have no integer sums
	p := plan(t, New(), rate, dp.PureDP(1))
	st := must.Get(model.FromSums(rate, 200, []float64{400}))(t)
	var se *mechanism.StatisticsError
	if _, err := p.Draw(t.Context(), st, "id", dp.Seeded(1)); !errors.As(err, &se) {
		t.Errorf("no integer sums: %v", err)
	}
}

// The note's closed forms of the errors before a draw.
func TestExpectedErrors(t *testing.T) {
	sh := shapeOf(t, model.Mean("age"), 532, 1)
	p := plan(t, New(), sh, dp.PureDP(1))
	if got, _ := p.ExpectedValue("noise of the mean of age (sd)"); math.Abs(got/0.19139578587376138-1) > 1e-12 {
		t.Errorf("golden: %v", got)
	}
	if want := math.Sqrt2 * 72 / 532; math.Abs(0.1913973242309452/want-1) > 1e-12 {
		t.Errorf("golden of fine lattices: %v", want)
	}
	// pima's glucose at ε = 1: noise within 0.5 % of the mean, about 121
	glucose := &frame.Schema{Dataset: "pima", Columns: []frame.Column{frame.Integer("glu", 0, 200)}}
	pima := must.Get(model.NewShape(glucose, model.Mean("glu"), 532, true, ""))(t)
	if got, _ := plan(t, New(), pima, dp.PureDP(1)).ExpectedValue("noise of the mean of glu (sd)"); got > .005*121 {
		t.Errorf("noise of the mean of glucose: %v", got)
	}
	for _, c := range []struct {
		m    model.Model
		name string
		want float64 // in units of the range, at n = 500, ε = 1
	}{
		{model.MeanSD("wage"), "noise of the mean of wage (sd)", 3.43 / (2 * 500)},
		{model.MeanSD("wage"), "noise of the mean square about the middle of wage (sd)", 1.87 * 100 / (4 * 500)},
		{model.Means("wage", "age"), "noise of the mean of wage (sd)", 8.0 / 7 * math.Sqrt(3*4.0/3) / 500},
		{model.Mean("wage"), "noise of the mean of wage (sd)", math.Sqrt2 / 500},
	} {
		p := plan(t, New(), shapeOf(t, c.m, 500, 1), dp.PureDP(1))
		if got, _ := p.ExpectedValue(c.name); math.Abs(got/(100*c.want)-1) > .002 {
			t.Errorf("%s: %v for %v", c.name, got, 100*c.want)
		}
	}
}

// The error of a mean under add-remove, 0.3 of the way up its range, is √2·√(μ² + (½ − μ)² + (1 − μ)²)/(nε): over 8000
// draws the standard deviation is known to within √(5/32000) = 1.25 % of itself, of which 6.2 are allowed.
func TestErrorOfAPair(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("x", 0, 1)}}
	sh := must.Get(model.NewShape(s, model.Mean("x"), 0, false, ""))(t)
	p := plan(t, New(), sh, dp.PureDP(1).Under(dp.AddRemove))
	st := must.Get(model.FromWhole(sh, 500, []int64{int64(.3 * 500 * float64(sh.Lattice().Steps)),
		150 * sh.Lattice().Coarse, 150 * sh.Lattice().Coarse * sh.Lattice().Coarse}))(t)
	src, square := dp.Seeded(4), 0.0
	const draws = 8000
	for range draws {
		d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
		b := d.Raw[0]
		square += math.Pow(float64(b[2]+b[1]/2)/float64(b[0]+b[1]+b[2])-.3, 2) / draws
	}
	if got, want := math.Sqrt(square), math.Sqrt(2*(.09+.04+.49))/500; math.Abs(got/want-1) > 6.2*.0125 {
		t.Errorf("%v for %v", got, want)
	}
}

// A size that the schema declares prices a mean whose number of rows is private, and chooses K; a table's own number of
// rows does neither.
func TestDeclaredSize(t *testing.T) {
	declared := schema(1)
	declared.ApproximateRows = 200_000
	of := func(s *frame.Schema, n int) *mechanism.Plan {
		sh := must.Get(model.NewShape(s, model.Mean("wage"), n, true, ""))(t)
		return plan(t, New(), sh, dp.PureDP(1).Under(dp.AddRemove))
	}
	p := of(declared, 500)
	got, ok := p.ExpectedValue("noise of the mean of wage (sd)")
	if want := 100 / 200_000.0; !ok || math.Abs(got/want-1) > 1e-3 {
		t.Errorf("%v for %v", got, want)
	}
	if k := p.Shape().Lattice().Steps; k != 1<<23 {
		t.Errorf("K = %d for 36·200,000", k)
	}
	if v, how := p.Predict(); math.Abs(v/(100/200_000.0*math.Sqrt(.5)/100)-1) > 1e-3 {
		t.Errorf("%v, %s", v, how)
	}
	for _, n := range []int{500, 5_000_000} {
		if k := of(schema(1), n).Shape().Lattice().Steps; k != 1<<22 {
			t.Errorf("n = %d: K = %d follows a private n", n, k)
		}
	}
}

// Bad models are refused with the column and the value.
func TestBadModels(t *testing.T) {
	bad := schema(1)
	bad.Columns = append(bad.Columns, frame.Integer("wide", 0, 1e9))
	for name, m := range map[string]model.Model{
		"categories":            model.Mean("job"),
		"unknown":               model.Mean("none"),
		"twice":                 model.Means("age", "age"),
		"groups by itself":      model.GroupMeans("age", "age"),
		"groups unknown":        model.GroupMeans("age", "none"),
		"K too large":           model.Mean("wage").WithResolution(1 << 25),
		"K of squares":          model.MeanSD("wage").WithResolution(1 << 14),
		"K negative":            model.Mean("wage").WithResolution(-1),
		"Poisson of reals":      model.Poisson("wage"),
		"Poisson far apart":     model.Poisson("wide"),
		"Poisson with no range": model.Poisson("visits").WithRange(2, 1),
	} {
		if _, err := model.NewShape(bad, m, 10, true, ""); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if sh := must.Get(model.NewShape(bad, model.Mean("wide"), 10, true,
		""))(t); sh.Lattice().Steps > model.MaxSteps {
		t.Errorf("K = %d", sh.Lattice().Steps)
	}
}

// Certificates are quick, and derive again.
func TestCertificatesDeriveAgain(t *testing.T) {
	for _, m := range models {
		p := plan(t, New(), shapeOf(t, m, 100, 2), dp.ApproxDP(.5, 1e-6))
		if v := p.Certificate().Verify(cert.WithWorkLimit(t.Context(), 5_000_000)); !v.OK() {
			t.Errorf("%s:\n%s", m, v)
		}
	}
}

func BenchmarkPlanMean(b *testing.B) {
	sh := shapeOf(b, model.Mean("wage"), 500, 1)
	for range b.N {
		plan(b, New(), sh, dp.PureDP(1))
	}
}

// Weak targets are certified, too: the whole releases that are enumerated have noise whose probabilities float64 holds.
// At an ε that no sampler has room for the error does not ask for a larger one.
func TestWeakTargets(t *testing.T) {
	for _, m := range []model.Model{model.MeanSD("age"), model.MeanSD("wage").Latent(), model.Mean("age"),
		model.Means("age", "wage")} {
		for _, target := range []dp.Request{dp.ZCDP(30), dp.ZCDP(1e3), dp.ZCDP(1e8), dp.ApproxDP(1e4, 1e-6),
			dp.RenyiDP(2, 1e6),
			dp.PureDP(1e5)} {
			if _, err := New().Plan(t.Context(), shapeOf(t, m, 50, 1), target); err != nil {
				t.Errorf("%s, %s: %v", m, target.Parameters, err)
			}
		}
		var none *mechanism.UnsupportedError
		if _, err := New().Plan(t.Context(), shapeOf(t, m, 50, 1), dp.PureDP(1e7)); !errors.As(err, &none) ||
			!strings.Contains(none.Use, "below 2^20") {
			t.Errorf("%s: %v", m, err)
		}
	}
}
