package model_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func paySchema() *frame.Schema {
	return &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Real("wage", 0, 100), frame.Real("age", 20, 60),
		frame.Real("hours", 0, 50), frame.Categorical("sex", "f", "m"), frame.Categorical("school", "low", "mid", "high")}}
}

// paid has wage = 20 + age − .01·age² + 3·[sex = m] + .2·age·[sex = m] + {0, 4, 9}[school], without noise.
func paid(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(3)
	columns := map[string]any{}
	var wage, age, hours []float64
	var sex, school []string
	for range n {
		a, s, k := 20+40*sample.Float64(src), int(sample.Uniform(src, 2)), int(sample.Uniform(src, 3))
		wage = append(wage, 20+a-.01*a*a+float64(s)*(3+.2*a)+[]float64{0, 4, 9}[k])
		age, hours = append(age, a), append(hours, 50*sample.Float64(src))
		sex, school = append(sex, []string{"f", "m"}[s]), append(school, []string{"low", "mid", "high"}[k])
	}
	columns["wage"], columns["age"], columns["hours"], columns["sex"], columns["school"] = wage, age, hours, sex, school
	f, err := frame.FromColumns(paySchema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shapeOfText(t testing.TB, text string, n int) *model.Shape {
	t.Helper()
	sh, err := model.NewShape(paySchema(), model.Linear(text), n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// The sums of products are those of exact fractions, whether rows come in blocks, one by one, as groups or in parts.
func TestSumsOfAFormula(t *testing.T) {
	key := access.Mine()
	f := paid(t, 5000)
	sh := shapeOfText(t, "wage ~ poly(age, 4) + age*sex + hours:school", f.Len())
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	got := st.OpenMoments(key)

	// by fractions: numbers on 2^−5 of their half range, the response on 2^−22
	values := map[string][]float64{}
	for _, c := range []string{"wage", "age", "hours"} {
		values[c], _ = f.Values(c)
	}
	sex, _ := f.Codes("sex")
	school, _ := f.Codes("school")
	rational := func(v, lo, hi, steps float64) *big.Rat {
		u := math.Min(math.Max((v-(lo+hi)/2)/((hi-lo)/2), -1), 1)
		return new(big.Rat).SetFrac64(int64(math.RoundToEven(u*steps)), int64(steps))
	}
	of := func(k int64) *big.Rat { return big.NewRat(k, 1) }
	times := func(factors ...*big.Rat) *big.Rat {
		out := of(1)
		for _, x := range factors {
			out = new(big.Rat).Mul(out, x)
		}
		return out
	}
	plus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	want := make([]*big.Rat, len(got))
	for k := range want {
		want[k] = of(0)
	}
	form := sh.Linear().Formula
	for r := range f.Len() {
		u, h := rational(values["age"][r], 20, 60, 32), rational(values["hours"][r], 0, 50, 32)
		y := rational(values["wage"][r], 0, 100, 1<<22)
		is := func(code, level int) *big.Rat {
			if code == level {
				return of(1)
			}
			return of(0)
		}
		p2 := times(plus(times(of(3), u, u), of(-1)), big.NewRat(1, 2))
		p3 := times(plus(times(of(5), u, u, u), times(of(-3), u)), big.NewRat(1, 2))
		p4 := times(plus(plus(times(of(35), u, u, u, u), times(of(-30), u, u)), of(3)), big.NewRat(1, 8))
		male := is(sex.At(r), 1)
		row := []*big.Rat{of(1), u, p2, p3, p4, male, times(u, male)}
		for level := range 3 {
			row = append(row, times(h, is(school.At(r), level)))
		}
		if r == 0 && len(row) != len(form.Columns) {
			t.Fatalf("columns %q", form.Names)
		}
		for k, at := range form.Places {
			want[k] = plus(want[k], times(row[at[0][0]], row[at[0][1]]))
		}
		for c, x := range row {
			want[len(form.Places)+c] = plus(want[len(form.Places)+c], times(x, y))
		}
		want[len(want)-1] = plus(want[len(want)-1], times(y, y))
	}
	for k, w := range want {
		scaled := times(w, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2*formula.LatticeBits)))
		v := new(big.Int).Lsh(big.NewInt(got[k].Hi), 64)
		if v.Add(v, new(big.Int).SetUint64(got[k].Lo)); !scaled.IsInt() || scaled.Num().Cmp(v) != 0 {
			t.Errorf("%s: %v, want %v", sh.Sums()[k], v, scaled)
		}
	}

	parts := []*model.Tally{}
	for range 2 {
		tally, err := model.NewTally(key, sh)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, tally)
	}
	for r := range f.Len() {
		err := parts[r%2].Group([]int32{0, 0, int32(sex.At(r)), 0, int32(school.At(r))},
			[]float64{values["wage"][r], values["age"][r], 0, values["hours"][r], 0}, 1)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := parts[0].Merge(parts[1]); err != nil {
		t.Fatal(err)
	}
	grouped, err := parts[0].Statistics(f.Selection())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(grouped.OpenMoments(key), got) {
		t.Error("sums of groups in parts are others")
	}
	simulated, err := model.FromSums(sh, f.Len(), st.OpenSums(key))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range simulated.OpenMoments(key) {
		if d := math.Abs(v.Float(0) - got[k].Float(0)); d > 1e-15*math.Abs(got[k].Float(0))+4 {
			t.Errorf("%s from sums is off by %v", sh.Sums()[k], d)
		}
	}
	if err := parts[1].Group([]int32{0, 0, 2, 0, 0}, make([]float64, 5), 1); err == nil {
		t.Error("a code of no level is accepted")
	}
}

// Without noise coefficients are those of the rows, in the units of the data where powers allow it, and forecasts are
// the responses.
func TestCoefficientsOfAFormula(t *testing.T) {
	f := paid(t, 4000)
	for text, want := range map[string][]float64{
		"wage ~ age*sex + I(age^2) + school":              {20, 1, 3, -.01, 4, 9, .2},
		"wage ~ 0 + school + age*sex + I(age^2)":          {20, 24, 29, 1, 3, -.01, .2},
		"wage ~ C(school, ref=high) + age*sex + I(age^2)": {29, -9, -5, 1, 3, -.01, .2},
		"wage ~ poly(age, 2)*sex + school":                nil,
		"wage ~ I(age^2) + age:sex + sex + school":        nil,
		"wage ~ (age + sex)^2 + I(age^2)*school":          nil,
	} {
		st, err := model.Count(shapeOfText(t, text, f.Len()), f)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := model.FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
		d, err := fit.CoefficientDraws()
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range d.Names {
			if want == nil {
				continue
			}
			if got := d.Mean()[i]; len(want) != len(d.Names) || math.Abs(got-want[i]) > .02*(1+math.Abs(want[i])) {
				t.Errorf("%s: %s is %v, want %v of %v", text, name, got, want[i], d.Names)
			}
		}
		mean, _, err := fit.Forecast(f)
		if err != nil {
			t.Fatal(err)
		}
		y, _ := f.Values("wage")
		for r := range y {
			if math.Abs(mean[r]-y[r]) > .1 {
				t.Fatalf("%s: row %d is forecast %v, want %v", text, r, mean[r], y[r])
			}
		}
	}
}

// What is no formula of the schema is refused where the model meets it; a description is read as it was written, and
// not with another response, text or deviation.
func TestFormulasThatAreRefused(t *testing.T) {
	for _, text := range []string{"", "wage", "wage ~ wage", "wage ~ wages", "wage ~ log(age)", "wage ~ C(age)",
		"sex ~ age", "wage ~ I(school^2)", "wage ~ sex + school:sex:age + poly(age, 5)", "wage ~ C(school, ref=top)"} {
		_, err := model.NewShape(paySchema(), model.Linear(text), 10, true, "")
		var e *formula.Error
		var m *model.Error
		if !errors.As(err, &e) && (text != "sex ~ age" || !errors.As(err, &m)) {
			t.Errorf("%s: %v, want *formula.Error", text, err)
		}
	}
	var m *model.Error
	fine := model.Linear("wage ~ age")
	for _, bad := range []model.LinearModel{fine.Slopes(0), fine.Intercept(math.NaN()), fine.Slopes(math.Inf(1))} {
		if _, err := model.NewShape(paySchema(), bad, 10, true, ""); !errors.As(err, &m) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	wide := &frame.Schema{Dataset: "wide", Columns: []frame.Column{frame.Real("y", 0, 1)}}
	text := "y ~ 1"
	for i := range 59 {
		name := "x" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		wide.Columns = append(wide.Columns, frame.Real(name, 0, 1))
		text += " + " + name
	}
	if _, err := model.NewShape(wide, model.Linear(text), 10, true, ""); err != nil {
		t.Errorf("60 columns: %v", err)
	}
	var e *formula.Error
	if _, err := model.NewShape(wide, model.Linear(text+" + I(xaa^2)"), 10, true, ""); !errors.As(err, &e) {
		t.Errorf("61 columns: %v", err)
	}

	good := model.Linear("wage~age * school").Slopes(2).Intercept(3)
	sh, err := model.NewShape(paySchema(), good, 10, true, "")
	if err != nil {
		t.Fatal(err)
	}
	if e := model.Expression(good); e != `Linear("wage ~ age*school").Slopes(2).Intercept(3)` {
		t.Error(e)
	}
	b, err := json.Marshal(sh)
	if err != nil {
		t.Fatal(err)
	}
	var again model.Shape
	if err := json.Unmarshal(b, &again); err != nil || !again.Equal(sh) {
		t.Errorf("%s: %v", b, err)
	}
	for _, d := range []model.Description{
		{Kind: "linear", Target: "age", Formula: "wage ~ age", Slopes: 1, Intercept: 5},
		{Kind: "linear", Target: "wage", Formula: "wage~age", Slopes: 1, Intercept: 5},
		{Kind: "linear", Target: "wage", Formula: "wage ~ age", Slopes: 1, Intercept: 5, Radius: 2},
		{Kind: "linear-regression", Target: "wage", Formula: "wage ~ age", Alpha: model.Prior{1}, Radius: 2},
	} {
		if _, err := d.Model(); err == nil {
			t.Errorf("%+v is accepted", d)
		}
	}
}

// Statistics that are simulated from the prior have moments of rows.
func TestSimulatedFormula(t *testing.T) {
	sh := shapeOfText(t, "wage ~ poly(age, 2)*school", 3000)
	st, err := sh.Simulate(t.Context(), 1, dp.Seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	var exact []num.Int128 = st.OpenMoments(access.Mine())
	if n := exact[0].Float(-2 * formula.LatticeBits); n != 3000 {
		t.Errorf("%v rows", n)
	}
}

// Notes on coefficients name the reference of every factor that a term has less than in full, and the cell that a term
// leaves out.
func TestNotesNameReferences(t *testing.T) {
	f := paid(t, 2000)
	for text, want := range map[string][]string{
		"wage ~ age": nil, "wage ~ 0 + school": nil,
		"wage ~ school*sex":          {"Levels of school are compared with low.", "Levels of sex are compared with f."},
		"wage ~ school + school:sex": {"Levels of school are compared with low.", "Levels of sex are compared with f."},
		"wage ~ C(school, ref=mid):sex": {"The cell \"school=mid:sex=f\" has no column: others of its term are compared " +
			"with it."},
	} {
		sh := shapeOfText(t, text, f.Len())
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := model.FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := fitted.Coefficients()
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(shown.Notes, func(note string) bool { return !strings.Contains(note, "compared with") })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
