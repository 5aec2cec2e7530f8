package model_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Golden values by hand: five draws with means (2, 3), variances 2.5, 3.5 and covariance 1.25 give 21.5/7.1875; p is
// exp(−x/2) on two degrees and erfc(√(x/2)) on one. A scale of a coefficient changes nothing.
func TestJointStatistic(t *testing.T) {
	d := &model.Draws{Names: []string{"a", "b"}, Values: [][]float64{{1, 2}, {3, 1}, {2, 3}, {4, 6}, {0, 3}}}
	const want = 21.5 / 7.1875
	for _, scale := range []float64{1, 1e-9, 1e9} {
		for i := range d.Values {
			d.Values[i][1] *= scale
		}
		x, p, err := d.Joint()
		if err != nil || math.Abs(x/want-1) > 1e-12 || math.Abs(p/math.Exp(-want/2)-1) > 1e-12 {
			t.Errorf("χ² = %v, p = %v, %v; want %v", x, p, err, want)
		}
		for i := range d.Values {
			d.Values[i][1] /= scale
		}
	}
	one := &model.Draws{Names: []string{"a"}, Values: [][]float64{{1}, {3}, {2}, {4}, {0}}}
	x, p, err := one.Joint()
	if err != nil || math.Abs(x-1.6) > 1e-12 || math.Abs(p/math.Erfc(math.Sqrt(.8))-1) > 1e-12 {
		t.Errorf("χ² = %v, p = %v, %v", x, p, err)
	}
	if got := one.Positive(0); got != 5./6 { // four draws, half of the one of 0, and ½, of six
		t.Errorf("P(positive) = %v", got)
	}
	for name, bad := range map[string]*model.Draws{
		"one draw":             {Names: []string{"a", "b"}, Values: [][]float64{{1, 2}}},
		"a constant":           {Names: []string{"a"}, Values: [][]float64{{1}, {1}}},
		"the same twice":       {Names: []string{"a", "b"}, Values: [][]float64{{1, 1}, {2, 2}, {4, 4}}},
		"fewer draws than k+1": {Names: []string{"a", "b"}, Values: [][]float64{{1, 2}, {2, 1}}},
	} {
		var e *dp.ParameterError
		if _, _, err := bad.Joint(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rejections counts tests at level .05 of three coefficients that are 0, of posterior means N(0, C) and 400 draws
// N(mean, C·spread²), of the joint test and of the first coefficient alone.
func rejections(t *testing.T, times int, spread float64) (joint, sign int) {
	src := dp.Seeded(3)
	root := [][]float64{{1, 0, 0}, {.8, .6, 0}, {-.5, .5, .1}}
	for range times {
		d := &model.Draws{Names: []string{"a", "b", "c"}}
		normal := func(scale float64, at []float64) []float64 {
			z, out := [3]float64{sample.Normal(src), sample.Normal(src), sample.Normal(src)}, slices.Clone(at)
			for i, row := range root {
				for j, v := range row {
					out[i] += scale * v * z[j]
				}
			}
			return out
		}
		centre := normal(1, []float64{0, 0, 0})
		for range 400 {
			d.Values = append(d.Values, normal(spread, centre))
		}
		_, p, err := d.Joint()
		if err != nil {
			t.Fatal(err)
		}
		if p < .05 {
			joint++
		}
		if q := d.Positive(0); 2*math.Min(q, 1-q) < .05 {
			sign++
		}
	}
	return joint, sign
}

// Under the null the level holds, but for the error of 400 draws: rates are .05 ± .01, six deviations of 2000 tests are
// .029, which is a false alarm of 10⁻⁸·⁷ and, with the .01, below 10⁻⁹. Draws that are too narrow by a quarter,
// as those that leave out noise, reject .14 of one coefficient and .22 of three.
func TestLevelOfTests(t *testing.T) {
	within := func(count int) bool { return math.Abs(float64(count)/2000-.05) < .04 }
	if joint, sign := rejections(t, 2000, 1); !within(joint) || !within(sign) {
		t.Errorf("%d and %d of 2000 reject at .05", joint, sign)
	}
	if joint, sign := rejections(t, 2000, .75); within(joint) || within(sign) {
		t.Errorf("draws that are too narrow: %d and %d of 2000 reject at .05", joint, sign)
	}
}

// A term is all its coefficients, in whatever order its factors are written; what the model does not have is refused.
func TestTermDraws(t *testing.T) {
	rows := paid(t, 300)
	fit := func(m model.Model) *model.Fitted {
		sh := must.Get(model.NewShape(paySchema(), m, rows.Len(), true, ""))(t)
		return must.Get(model.FitPrivately(access.Mine(), must.Get(model.Count(sh, rows))(t)))(t)
	}
	byFormula := fit(model.Linear("wage ~ age*sex + I(age^2) + school"))
	plain := fit(model.LinearRegression("wage", "age", "school"))
	for _, c := range []struct {
		fit         *model.Fitted
		term        model.Term
		names, more []string
	}{
		{byFormula, "school", []string{"school=mid", "school=high"}, nil},
		{byFormula, "school=high", []string{"school=high"}, []string{"school"}},
		{byFormula, "sex:age", []string{"age:sex=m"}, []string{"age", "sex", "age^2"}},
		{byFormula, "age + I(age^2)", []string{"age", "age^2"}, []string{"age:sex"}},
		{byFormula, "intercept", []string{"intercept"}, nil},
		{plain, "school", []string{"school=mid", "school=high"}, nil},
		{plain, "age+school", []string{"age", "school=mid", "school=high"}, nil},
	} {
		d, shared, err := c.fit.TermDraws(c.term)
		if err != nil {
			t.Errorf("%s: %v", c.term, err)
			continue
		}
		if !slices.Equal(d.Names, c.names) {
			t.Errorf("%s: %v, want %v", c.term, d.Names, c.names)
		}
		if !slices.Equal(shared, c.more) {
			t.Errorf("%s shares columns with %v, want %v", c.term, shared, c.more)
		}
	}
	var unknown *model.Error
	for _, term := range []model.Term{"shcool", "age:school", "sex + poly(age, 3)", "wage", ""} {
		var text *formula.Error
		if _, _, err := byFormula.TermDraws(term); !errors.As(err, &unknown) && (term != "" || !errors.As(err, &text)) {
			t.Errorf("%q: %v", term, err)
		}
	}
	var text *formula.Error
	if _, _, err := byFormula.TermDraws("age + log(sex)"); !errors.As(err, &text) || text.At != 7 {
		t.Errorf("a function: %v", err)
	}
	mean := fit(model.Mean("wage"))
	if _, _, err := mean.TermDraws("age"); !errors.As(err, &unknown) {
		t.Errorf("a mean: %v", err)
	}
}
