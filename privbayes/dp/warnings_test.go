package dp_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// edge is the greatest ρ-zCDP without a warning: its ε at δ = 1e-6 is 10.
func edge(t testing.TB) float64 {
	lo, hi := 1.0, 2.0
	for range 60 {
		mid := (lo + hi) / 2
		l := must.Get(dp.ZCDP(mid).Parameters.At(dp.ApproxDP(1, warning.ReferenceDelta).Parameters))(t)
		if float64(l.Epsilon) > warning.MostEpsilon {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// Every warning of a level begins right above its limit.
func TestLevelsWarnFromTheirLimitOn(t *testing.T) {
	above := func(x float64) float64 { return x * (1 + 1e-9) }
	below := func(x float64) float64 { return x * (1 - 1e-9) }
	rho := edge(t)
	if math.Abs(rho-1.539) > 1e-3 { // the figure in the documentation
		t.Error(rho)
	}
	n := func(rows int) warning.Size { return warning.Size{Rows: rows} }
	for _, c := range []struct {
		name  string
		level dp.Parameters
		size  warning.Size
		want  warning.Kind
	}{
		{"pure, at the limit", dp.PureDP(10).Parameters, n(5), ""},
		{"pure, above", dp.PureDP(math.Nextafter(10, 11)).Parameters, n(5), warning.KindEpsilon},
		{"approximate, at the limit", dp.ApproxDP(10, 1e-9).Parameters, n(5), ""},
		{"approximate, above", dp.ApproxDP(above(10), 1e-9).Parameters, n(5), warning.KindEpsilon},
		{"δ = 1/n", dp.ApproxDP(1, 1./1024).Parameters, n(1024), warning.KindDelta},
		{"δ below 1/n", dp.ApproxDP(1, math.Nextafter(1./1024, 0)).Parameters, n(1024), ""},
		{"δ = 1/n of a declared size", dp.ApproxDP(1, 1./1024).Parameters, warning.Size{Rows: 1024, Declared: true},
			warning.KindDelta},
		{"any δ without a size", dp.ApproxDP(1, .5).Parameters, warning.Size{}, ""},
		{"zCDP, below", dp.ZCDP(below(rho)).Parameters, n(5), ""},
		{"zCDP, above", dp.ZCDP(above(rho)).Parameters, n(5), warning.KindEpsilon},
		{"tCDP, below", dp.TCDP(below(rho), 3).Parameters, n(5), ""},
		{"tCDP, above", dp.TCDP(above(rho), 3).Parameters, n(5), warning.KindEpsilon},
		{"Rényi at a low order, below", dp.RenyiDP(2, below(2*rho)).Parameters, n(5), ""},
		{"Rényi at a low order, above", dp.RenyiDP(2, above(2*rho)).Parameters, n(5), warning.KindEpsilon},
		{"Rényi at a high order, at the limit", dp.RenyiDP(100, 10).Parameters, n(5), ""},
		{"Rényi at a high order, above", dp.RenyiDP(100, above(10)).Parameters, n(5), warning.KindEpsilon},
		{"no claim", dp.NotPrivate("seeded"), n(5), ""},
	} {
		got := c.level.Warnings(c.size)
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: %v", c.name, got)
		case c.want != "" && (len(got) != 1 || got[0].Kind != c.want || !(got[0].Value >= got[0].Limit)):
			t.Errorf("%s: %v, want one of kind %s", c.name, got, c.want)
		}
	}
	if both := dp.ApproxDP(11, .5).Parameters.Warnings(n(2)); len(both) != 2 {
		t.Error(both)
	}
}

// A level that follows from another one by a conversion between notions without δ warns only if that one does: who
// states a weaker form does not escape, and who states a stronger one gets no more warnings.
func TestConversionsKeepWarnings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := dp.ZCDP(rapid.Float64Range(.01, 4).Draw(rt, "ρ")).Parameters
		order := rapid.Float64Range(1.01, 60).Draw(rt, "λ")
		for _, want := range []dp.Parameters{{Notion: dp.Renyi, Order: order},
			{Notion: dp.TruncatedConcentrated, Order: order}} {
			to := must.Get(l.At(want))(rt)
			if to.Notion == dp.Renyi && to.Epsilon > warning.MostEpsilon {
				continue // more than ten nats at one order
			}
			to.Epsilon, to.Rho = to.Epsilon*(1-1e-9), to.Rho*(1-1e-9) // conversions inflate by 1e-12
			if len(to.Warnings(warning.Size{})) > len(l.Warnings(warning.Size{})) {
				rt.Errorf("%s warns, %s does not", to, l)
			}
		}
		pure := dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(rapid.Float64Range(.01, 9.999).Draw(rt, "ε"))}
		if r, err := pure.At(dp.Parameters{Notion: dp.Renyi, Order: 100}); err != nil ||
			len(r.Warnings(warning.Size{})) > 0 {
			rt.Errorf("%s warns at order 100: %v", pure, err)
		}
	})
}
