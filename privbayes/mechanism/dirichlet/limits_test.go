package dirichlet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Parameters far beyond any calibrated ones claim nothing: a profile that would take too many panels is 1, not what was
// summed so far.
func TestHugeRatesClaimNothing(t *testing.T) {
	for _, p := range []loss.Pair{loss.DirichletPair{Rate: 2e7, Shape: 1e5}, loss.DirichletPair{Rate: 1e8, Shape: 1e6},
		loss.GammaPair{Rate: 1e8, Shape: 1e6}, loss.BinaryDirichletPair{Rate: 1e8, Shape: 1e6, N: 50}} {
		if d := p.Delta(1); d < .999 {
			t.Errorf("%s: δ(1) = %v", p, d)
		}
	}
	sh := shape(t, model.Categorical("c0"), 50, 1, 3)
	p := must.Get(New().WithCalibration(AtRate(1)).Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6)))(t)
	b := must.Get(p.MarshalJSON())(t)
	edited := strings.NewReplacer(`"rate":1,`, `"rate":100000000,`, fmt.Sprintf(`"shape":%v`, paramsOf(t, p).Shape),
		`"shape":1000000`).Replace(string(b))
	if edited == string(b) {
		t.Fatal("nothing was edited")
	}
	if q, err := mechanism.ParsePlan(t.Context(), []byte(edited)); err == nil {
		t.Error("an edited plan is certified:", q.Certified())
	}
}

func paramsOf(t testing.TB, p *mechanism.Plan) (q params) {
	t.Helper()
	must.Do(t, mechanism.DecodeParams(Kind, p.Params(), &q))
	return q
}

// A least count is drawn, not promised: histograms that break it come out as if they held it. A count that n cannot
// hold is refused.
func TestLeastCountIsDrawn(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 30, 1, 3)
	p := must.Get(New().WithCalibration(AtRate(1)).WithMinCount(5).Plan(t.Context(), sh,
		dp.ApproxDP(1, 1e-6)))(t)
	draw := func(counts ...int64) string {
		st := must.Get(model.FromCounts(sh, [][]int64{counts}))(t)
		return fmt.Sprint(must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t).Real)
	}
	if draw(20, 10, 0) == draw(19, 11, 0) {
		t.Error("draws do not follow the counts")
	}
	d := p.Sampler(access.Mine()).(*sampler)
	low := must.Get(model.FromCounts(sh, [][]int64{{26, 4, 0}}))(t)
	raised := must.Get(model.FromCounts(shape(t, model.Categorical("c0"), 36, 1, 3),
		[][]int64{{26, 5, 5}}))(t)
	a := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), low), dp.Seeded(4)))(t).Real
	b := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), raised), dp.Seeded(4)))(t).Real
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("counts below 5 are drawn as they are: %v, %v", a, b)
	}
	var bad *dp.ParameterError
	if _, err := New().WithMinCount(11).Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6)); !errors.As(err, &bad) {
		t.Error(err)
	}
}

// A profile that underflows states the asked δ, which a budget can charge.
func TestNoZeroDelta(t *testing.T) {
	p := must.Get(New().Raw().WithCalibration(Algorithm1).Plan(t.Context(),
		shape(t, model.Categorical("c0"), 30, 3, 3), dp.ApproxDP(50, .1)))(t)
	if p.Certified().Delta <= 0 || p.Certified().Valid() != nil {
		t.Error(p.Certified())
	}
}
