package regression_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Released coefficients are near the truth, with n public and private; a file holds the canonical formula and the
// variance of products, and is read as it was written.
func TestReleaseOfAFormula(t *testing.T) {
	truth := map[string]float64{"intercept": -4, "x": 2, "z": 3, "f=b": 1, "f=c": -2, "x:z": 1}
	for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ApproxDP(1, 1e-6).Under(dp.AddRemove)} {
		st := regression.PayStatistics(t, "y ~ x*z+f", 20000, target.Adjacency != dp.AddRemove)
		p := must.Get(regression.SufficientStatistics().Plan(t.Context(), st.Shape(), target))(t)
		drawn := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5)))(t)
		r := must.Get(release.New(t.Context(), p, drawn))(t)
		d := must.Get(r.Model().CoefficientDraws())(t)
		for i, name := range d.Names {
			sd := 0.
			for _, v := range d.Values {
				sd += (v[i] - d.Mean()[i]) * (v[i] - d.Mean()[i]) / float64(d.Len())
			}
			if sd = math.Sqrt(sd); math.Abs(d.Mean()[i]-truth[name]) > 5*sd || sd > 2 || sd < 1e-3 {
				t.Errorf("%v: %s is %v ± %v, want %v", target.Adjacency, name, d.Mean()[i], sd, truth[name])
			}
		}
		raw := must.Get(r.JSON())(t)
		for _, text := range []string{`"formula":"y ~ x*z + f"`, `"sigma2_products"`} {
			if !strings.Contains(strings.ReplaceAll(string(raw), `": `, `":`), text) {
				t.Errorf("no %s in %s", text, raw)
			}
		}
		again := must.Get(release.Parse(t.Context(), raw))(t)
		if v := again.Plan().Certificate().Verify(t.Context()); !v.OK() {
			t.Error(v)
		}
		if !slices.Equal(must.Get(again.Model().CoefficientDraws())(t).Mean(), d.Mean()) {
			t.Error("a file's coefficients are others")
		}
	}
}

// A table without rows is released, too; its estimate is the prior's.
func TestFormulaOfNoRows(t *testing.T) {
	st := regression.PayStatistics(t, "y ~ x*f", 0, true)
	p := must.Get(regression.SufficientStatistics().Plan(t.Context(), st.Shape(), dp.ZCDP(.1)))(t)
	drawn := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5)))(t)
	r := must.Get(release.New(t.Context(), p, drawn))(t)
	if d := r.Model().Draws(); d.Len() != 1 {
		t.Errorf("%d draws", d.Len())
	}
}

// Files in which the formula, its columns, the noise or the numbers were changed are refused.
func TestForgedFormulas(t *testing.T) {
	st := regression.PayStatistics(t, "y ~ x + f", 200, true)
	p := must.Get(regression.SufficientStatistics().Plan(t.Context(), st.Shape(), dp.ZCDP(.1)))(t)
	drawn := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5)))(t)
	raw := string(must.Get(must.Get(release.New(t.Context(), p, drawn))(t).JSON())(t))
	var compact any
	if err := json.Unmarshal([]byte(raw), &compact); err != nil {
		t.Fatal(err)
	}
	raw = string(must.Get(json.Marshal(compact))(t))
	if _, err := release.Parse(t.Context(), []byte(raw)); err != nil {
		t.Fatal(err)
	}
	first := fmt.Sprint(drawn.Output.Real[0][0])
	for from, to := range map[string]string{
		`"formula":"y ~ x + f"`:   `"formula":"y ~ x*f"`,
		`y ~ x + f`:               `y ~ f + x`,
		`"text":"y ~ x + f"`:      `"text":"y ~ x"`,
		`"sigma2_products"`:       `"sigma2_moments"`,
		`"slopes":1`:              `"slopes":2`,
		`"intercept":5`:           `"intercept":0`,
		`"target":"y"`:            `"target":"x"`,
		`["a","b","c"]`:           `["a","b"]`,
		`"real":[[` + first + `,`: `"real":[[`,
		`"real":[[` + first:       `"real":[[1e300`,
		`"kind":"linear"`:         `"kind":"linear-regression"`,
	} {
		forged := strings.ReplaceAll(raw, from, to)
		if forged == raw {
			t.Errorf("%s stands nowhere", from)
		}
		var e *release.FileError
		if _, err := release.Parse(t.Context(), []byte(forged)); !errors.As(err, &e) {
			t.Errorf("%s for %s: %v", to, from, err)
		}
	}
}
