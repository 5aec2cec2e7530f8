package regression

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// σ_eff² at ε = 1 is osc(B) of the reference values, times the number of draws; the rows for d = 1, B > 1 are maxima
// over a grid, below the truth by up to 1e-7.
func TestGolden(t *testing.T) {
	var golden map[string]json.RawMessage
	if err := json.Unmarshal(must.Get(os.ReadFile("testdata/golden.json"))(t), &golden); err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]model.LinearRegressionModel{"osc d>=2 B": both, "osc d=1 B": alone} {
		var rows map[string]float64
		if err := json.Unmarshal(golden[name], &rows); err != nil || len(rows) == 0 {
			t.Fatal(err)
		}
		for key, osc := range rows {
			b := must.Get(strconv.ParseFloat(key, 64))(t)
			for _, draws := range []int{1, 7} {
				var q samplerParams
				if err := json.Unmarshal(plan(t, Sampler(draws), shapeOf(t, m.WithRadius(b), 50, 1),
					dp.PureDP(1)).Params(), &q); err != nil {
					t.Fatal(err)
				}
				if got := q.Variance / float64(draws); got < osc*(1-1e-15) || got > osc*(1+1.1e-7) {
					t.Errorf("%s = %g, %d draws: σ² a draw %.15g, want %.15g", name, b, draws, got, osc)
				}
			}
		}
	}
	var pair []float64
	if err := json.Unmarshal(golden["s_eff2 eps=1 N=1 B=1,3"], &pair); err != nil {
		t.Fatal(err)
	}
	for i, b := range []float64{1, 3} {
		s := must.Get(Sampler(1).prepare(t.Context(), shapeOf(t, both.WithRadius(b), 50, 1), dp.PureDP(1)))(t)
		if got := must.Get(s.calibrate(t.Context()))(t); math.Abs(got-pair[i]) > 1e-13*pair[i] {
			t.Errorf("B = %g: %g, want %g", b, got, pair[i])
		}
	}
}

var levels = []dp.Request{
	dp.PureDP(.05), dp.PureDP(1), dp.PureDP(30), dp.ApproxDP(.1, 1e-9), dp.ApproxDP(1, 1e-6), dp.ApproxDP(5, 1e-3),
	dp.RenyiDP(2, .5), dp.RenyiDP(20, 1), dp.ZCDP(.01), dp.ZCDP(2), dp.TCDP(.05, 4),
}

// eachPlan plans all variants for all targets, adjacencies and units of one or three rows, skipping what is refused as
// unsupported.
func eachPlan(t *testing.T, visit func(p *mechanism.Plan)) {
	t.Helper()
	planned, levels, wanted := 0, levels, 350
	if testing.Short() {
		levels, wanted = levels[:5], 100
	}
	for _, m := range []mechanism.Mechanism{Sampler(1), Sampler(4), Sampler(3).WithResidual(.2),
		SufficientStatistics().Continuous(), SufficientStatistics().Continuous().Plain(), SufficientStatistics()} {
		for _, sh := range []*model.Shape{shapeOf(t, both, 60, 1), shapeOf(t, both.WithRadius(.5), 60, 3),
			shapeOf(t, alone, 60, 1)} {
			for _, target := range levels {
				for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue} {
					p, err := m.Plan(t.Context(), sh, target.Under(adjacency))
					var no *mechanism.UnsupportedError
					if errors.As(err, &no) {
						continue
					}
					if err != nil {
						t.Fatalf("%s, %s, %s: %v", m.Title(), target.Parameters, adjacency, err)
					}
					planned++
					visit(p)
				}
			}
		}
	}
	if planned < wanted {
		t.Fatalf("only %d plans", planned)
	}
}

// Every plan meets its target and spends 99.9 % of it, holds its certificate, and survives JSON.
func TestPlans(t *testing.T) {
	eachPlan(t, func(p *mechanism.Plan) {
		want, got := p.Target().Parameters, p.Certified()
		ratio := float64(got.Epsilon) / float64(want.Epsilon)
		switch want.Notion {
		case dp.Approximate:
			ratio = loss.EpsilonFor(p.Pair(), want.Delta) / float64(want.Epsilon)
		case dp.Concentrated, dp.TruncatedConcentrated:
			ratio = got.Rho / want.Rho
		}
		if !got.Satisfies(want) || got.Arithmetic != arithmeticOf(p) || !(ratio >= .999 && ratio <= 1+1e-9) {
			t.Errorf("%s, %s, %s: certified %s, spends %.6f", p.Title(), want, p.Target().Adjacency, got, ratio)
		}
		if !p.Certificate().OK() {
			t.Errorf("%s:\n%s", p.Title(), p.Certificate())
		}
		b := must.Get(json.Marshal(p))(t)
		q := must.Get(mechanism.ParsePlan(t.Context(), b))(t)
		if c := must.Get(json.Marshal(q))(t); string(b) != string(c) ||
			p.Certificate().String() != q.Certificate().String() {
			t.Errorf("%s changed on its way through JSON: %s, %s", p.Title(), b, c)
		}
		if want.Epsilon == 1 {
			if v := p.Certificate().Verify(t.Context()); !v.OK() {
				t.Errorf("%s:\n%s", p.Title(), v)
			}
		}
	})
}

// Claims that are too small do not get a plan, from the same certificate that accepts the right ones: a variance fitted
// to the data, N draws charged once, the loss of add-remove for replacement, noise for half the sensitivity.
func TestMutantsGetNoPlan(t *testing.T) {
	st := counted(t, both, simulated(t, 400, 1))
	xx, xy, yy := st.Shape().Linear().Moments(st.OpenSums(key))
	np := must.Get(model.FitPrivately(key, st))(t)
	fitted := residualSum(xx, xy, yy, np.Means()[0]) / 400
	s := must.Get(Sampler(5).prepare(t.Context(), st.Shape(), dp.PureDP(1)))(t)
	right := must.Get(s.calibrate(t.Context()))(t)
	certify := func(variance float64) (*mechanism.Plan, error) {
		return s.m.mathematics().Rebuild(t.Context(), st.Shape(), s.target, samplerParams{5, variance, 0})
	}
	if _, err := certify(right); err != nil {
		t.Fatal(err)
	}
	for name, variance := range map[string]float64{"fitted to the data": fitted, "of one draw": right / 5,
		"of add-remove": right / 2} {
		p, err := certify(variance)
		var check *mechanism.CheckError
		if !errors.As(err, &check) {
			t.Errorf("a variance %s (%g) is certified: %v, %v", name, variance, p, err)
		}
	}
	z := must.Get(SufficientStatistics().Continuous().prepare(t.Context(), st.Shape(), dp.ApproxDP(1, 1e-6)))(t)
	sigma := must.Get(z.calibrate(t.Context()))(t)
	certifyNoise := func(sigma shipped) error {
		_, err := z.m.mathematics().Rebuild(t.Context(), st.Shape(), z.target, statisticsParams{sigma, false})
		return err
	}
	if err := certifyNoise(sigma); err != nil {
		t.Fatal(err)
	}
	sigma.Sigma /= 2
	if certifyNoise(sigma) == nil {
		t.Error("half the noise is certified")
	}
}

// The checks are close to their bounds, so that a claim 0.1 % smaller would fail: the enumeration of posteriors and of
// moments, and the row of greatest norm. The search is evidence: near, never above.
func TestChecksAreTight(t *testing.T) {
	for _, m := range []model.LinearRegressionModel{both, both.WithRadius(.5), both.WithRadius(7), alone} {
		for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			for _, mech := range []mechanism.Mechanism{Sampler(2), SufficientStatistics().Continuous(), SufficientStatistics()} {
				p, err := mech.Plan(t.Context(), shapeOf(t, m, 60, 1), dp.ApproxDP(1, 1e-6).Under(adjacency))
				if err != nil {
					continue // one feature alone, under add-remove
				}
				for _, c := range p.Certificate().All() {
					tight := float64(c.Value) >= .999*float64(c.Bound)
					if (c.Kind == movesChecker.Kind() || c.Kind == recordsChecker.Kind()) && m.String() == alone.String() &&
						!p.Shape().Linear().Intercept {
						tight = float64(c.Value) > .94*float64(c.Bound) // one dimension is charged for two
					}
					if !c.OK() || !tight {
						t.Errorf("%s, B = %g, %s: %s: %g of %g", p.Title(), p.Shape().Linear().Radius, adjacency, c.Kind,
							float64(c.Value), float64(c.Bound))
					}
				}
			}
		}
	}
}

// A refusal names what is wrong, and depends on public inputs only.
func TestErrors(t *testing.T) {
	sh := shapeOf(t, both, 60, 1)
	private := must.Get(model.NewShape(schema(1), both, 0, false, "Where"))(t)
	counts := shapeOf(t, model.Categorical("word"), 60, 1)
	var (
		unsupported *mechanism.UnsupportedError
		params      *dp.ParameterError
		domain      *dp.ParameterError
		adjacency   *sensitivity.AdjacencyError
	)
	for i, c := range []struct {
		m  mechanism.Mechanism
		sh *model.Shape
		t  dp.Request
		as any
	}{
		{Sampler(1), counts, dp.PureDP(1), &unsupported},
		{Sampler(0), sh, dp.PureDP(1), &params},
		{Sampler(maxDraws + 1), sh, dp.PureDP(1), &params},
		{Sampler(1).WithResidual(1), sh, dp.PureDP(1), &params},
		{Sampler(1).WithResidual(math.NaN()), sh, dp.PureDP(1), &params},
		{Sampler(1).WithResidual(.1), sh, dp.PureDP(1).Under(dp.AddRemove), &unsupported},
		{Sampler(1), sh, dp.PureDP(1).RequireExact(), &unsupported},
		{Sampler(1), sh, dp.PureDP(-1), &domain},
		{Sampler(1), sh, dp.Request{}, &domain},
		{Sampler(1), sh, dp.AsPublished(1, 1e-6), &unsupported},
		{Sampler(1), private, dp.PureDP(1), &adjacency},
		{Sampler(1), sh, dp.PureDP(1).Under(dp.UnderMetric("hours")), &adjacency},
		{SufficientStatistics().Continuous(), sh, dp.PureDP(1), &unsupported},
		{SufficientStatistics().Continuous(), sh, dp.AsPublished(1, 1e-6), &unsupported},
		{SufficientStatistics().Continuous(), sh, dp.ApproxDP(1, 1e-6).RequireExact(), &unsupported},
		{SufficientStatistics().Continuous(), counts, dp.ApproxDP(1, 1e-6), &unsupported},
		{SufficientStatistics().Continuous(), private, dp.ApproxDP(1, 1e-6), &adjacency},
		{SufficientStatistics().Continuous(), shapeOf(t, alone, 60, 1), dp.ApproxDP(1, 1e-6).Under(dp.AddRemove),
			&unsupported},
	} {
		if _, err := c.m.Plan(t.Context(), c.sh, c.t); !errors.As(err, c.as) {
			t.Errorf("case %d: %T %v", i, err, err)
		}
		if c.as == &params && params.Of != "linear" || c.as == &domain && domain.Of != "dp" {
			t.Errorf("case %d: refused elsewhere: %v", i, c.as)
		}
	}
	if _, err := Sampler(1).Plan(t.Context(), private, dp.PureDP(1)); !errors.Is(err, frame.ErrPrivateN) {
		t.Error(err)
	}
	// no target is below a floor but that of floating point, where it is said
	var unmet *mechanism.UnmetTarget
	if _, err := Sampler(1).Plan(t.Context(), sh, dp.PureDP(1e-320)); !errors.As(err, &unmet) {
		t.Error(err)
	}
	if _, err := SufficientStatistics().Plan(t.Context(), sh, dp.ZCDP(1e-30)); !errors.As(err, &unmet) {
		t.Error(err)
	}
	// bounds, B and b are the model's to check
	for _, m := range []model.Model{both.WithRadius(0), both.WithRadius(math.Inf(1)), both.WithPrior(0),
		both.WithPrior(-1), model.LinearRegression("word", "a")} {
		var e *model.Error
		if _, err := model.NewShape(schema(1), m, 60, true, ""); !errors.As(err, &e) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// Files with other parameters are refused, or certified as what they are.
func TestForeignParameters(t *testing.T) {
	b := string(must.Get(json.Marshal(plan(t, Sampler(2), shapeOf(t, both, 60, 1), dp.PureDP(1))))(t))
	for _, params := range []string{
		`{"draws":2,"variance":0}`, `{"draws":2,"variance":-1}`, `{"draws":2,"variance":1e999}`,
		`{"draws":3,"variance":18}`, `{"draws":0,"variance":18}`,
		`{"draws":2,"variance":17.9}`, `{"draws":2,"variance":18,"residual_share":2}`,
		`{"draws":2,"variance":19,"chain":100}`,
	} {
		if p, err := mechanism.ParsePlan(t.Context(), []byte(replaceParams(t, b, params))); err == nil {
			t.Errorf("%s becomes %s", params, p.Certified())
		}
	}
	if p, err := mechanism.ParsePlan(t.Context(),
		[]byte(replaceParams(t, b, `{"draws":2,"variance":36}`))); err != nil || p.Certified().Epsilon > .5000001 {
		t.Errorf("twice the variance: %v, %v", p, err)
	}
	for kind, raw := range map[string]string{
		lossChecker.Kind(): `{"radius":1,"dim":2,"rows":0}`, gridChecker.Kind(): `{"radius":1,"dim":9}`,
		searchChecker.Kind(): `{"radius":1,"dim":99,"starts":1}`, noiseChecker.Kind(): `{"dim":0}`,
		squareChecker.Kind(): `{}`, movesChecker.Kind(): `{"dim":3}`, designChecker.Kind(): `{"features":[[1,1]],"response":[0,1]}`,
	} {
		if _, err := cert.Run(t.Context(), kind, json.RawMessage(raw)); err == nil {
			t.Errorf("%s takes %s", kind, raw)
		}
		if _, err := cert.Run(t.Context(), kind, json.RawMessage(`{`)); err == nil {
			t.Errorf("%s takes half an object", kind)
		}
	}
}

func replaceParams(t testing.TB, plan, params string) string {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(plan), &parts); err != nil {
		t.Fatal(err)
	}
	parts["params"] = json.RawMessage(`null`)
	out := string(must.Get(json.Marshal(parts))(t))
	const mark = `"params":null`
	for i := range out {
		if i+len(mark) <= len(out) && out[i:i+len(mark)] == mark {
			return out[:i] + `"params":` + params + out[i+len(mark):]
		}
	}
	t.Fatal("no parameters in ", fmt.Sprint(out))
	return ""
}

// Nominal uses the paper's formula, whose n has no place in it, and states what is true.
func TestNominal(t *testing.T) {
	small := plan(t, Sampler(1), shapeOf(t, both.WithRadius(10), 2, 1), dp.AsPublished(1))
	if got := float64(small.Certified().Epsilon); math.Abs(got-121/(2*(1+20*math.Sqrt(3)+30))) > 1e-6 ||
		small.StandardFormula().Level.Epsilon != 1 {
		t.Errorf("n = 2, B = 10: true ε %g, textbook %s", got, small.StandardFormula().Level)
	}
	// its reading below the truth: many draws, charged once
	many := plan(t, Sampler(50), shapeOf(t, both.WithRadius(10), 2, 1), dp.AsPublished(1))
	if got := float64(many.Certified().Epsilon); got < 45 {
		t.Errorf("50 draws at a nominal ε = 1 cost %g", got)
	}
}

// arithmeticOf is exact on a lattice, where noise is drawn in integers.
func arithmeticOf(p *mechanism.Plan) dp.Arithmetic {
	if p.Draws() == mechanism.LatticeReals {
		return dp.Exact
	}
	return dp.Ideal
}
