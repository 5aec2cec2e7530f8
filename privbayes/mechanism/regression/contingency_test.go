package regression

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

var bySchool = model.LogisticRegression("pass", "school")

// schools has a class, a factor of two levels and one of three.
func schools(rows int) *frame.Schema {
	return &frame.Schema{Dataset: "exam", RowsPerUnit: rows, Columns: []frame.Column{
		frame.Categorical("pass", "no", "yes"), frame.Categorical("school", "north", "south"),
		frame.Categorical("year", "1", "2", "3"), frame.Real("hours", 0, 20, 40)}}
}

// exact releases a table as it is; twice counts every record a second time, by its class.
type exact struct{ twice bool }

func (e exact) Draw(_ context.Context, data mechanism.Private, _ *dp.Stream) (mechanism.Output, error) {
	table := slices.Clone(data.Tables()[0])
	if e.twice {
		half := int64(0)
		for _, n := range table[:len(table)/2] {
			half += n
		}
		table = append(table, half)
	}
	return mechanism.Output{Raw: [][]int64{table}}, nil
}

func (exact) Estimate(context.Context, mechanism.Output) (model.Estimate, error) {
	return model.Estimate{}, nil
}

// tableOf is what is released of records, 2·class + level, before noise, and the rate of that.
func tableOf(t *testing.T, records []int, rows int, target dp.Request, twice bool) ([]int64, float64) {
	t.Helper()
	s := schools(rows)
	pass, school, year := []string{}, []string{}, []string{}
	for _, r := range records {
		pass, school = append(pass, []string{"no", "yes"}[r/2]), append(school, []string{"north", "south"}[r%2])
		year = append(year, "1")
	}
	f := must.Get(frame.FromColumns(s, map[string]any{"pass": pass, "school": school, "year": year,
		"hours": make([]float64, len(records))}))(t)
	sh := must.Get(model.NewShape(s, bySchool, len(records), true, ""))(t)
	d := *plan(t, ContingencyTable().Anyway(), sh, target).Sampler(key).(*tableSampler)
	d.counting = exact{twice}
	out := must.Get(d.Draw(t.Context(), mechanism.Open(key, must.Get(model.Count(sh, f))(t)), nil))(t)
	return out.Raw[0], d.rate
}

// Over all tables of up to three records of two classes and two levels and all their neighbours, the counts that noise
// is added to move by γ·‖T − T′‖₁ = ε at most, and by no less: replaced, added, and of units of two rows that are
// replaced together. A table that counts the records of a class once more spends half as much again.
func TestNeighbouringTablesSpendTheBudget(t *testing.T) {
	const eps = 1.
	for _, c := range []struct {
		target dp.Request
		rows   int
	}{{dp.PureDP(eps), 1}, {dp.PureDP(eps).Under(dp.AddRemove), 1}, {dp.PureDP(eps), 2},
		{dp.PureDP(eps).Under(dp.AddRemove), 2}} {
		drawn := func(records []int, twice bool) ([]int64, float64) {
			return tableOf(t, records, c.rows, c.target, twice)
		}
		most := func(twice bool) (worst float64) {
			for n := c.rows; n <= 3; n++ {
				for code := range 1 << (2 * n) {
					records := make([]int, n)
					for i := range records {
						records[i] = code >> (2 * i) & 3
					}
					of, rate := drawn(records, twice)
					compare := func(neighbour []int) {
						other, _ := drawn(neighbour, twice)
						moved := 0.
						for i, v := range of {
							moved += math.Abs(float64(v - other[i]))
						}
						worst = math.Max(worst, rate*moved)
					}
					if c.target.Adjacency == dp.AddRemove {
						if n > c.rows {
							compare(records[c.rows:])
						}
						continue
					}
					for to := range 4 { // of a unit all rows alike
						next := slices.Clone(records)
						for i := range c.rows {
							next[i] = to
						}
						compare(next)
					}
				}
			}
			return worst
		}
		if got := most(false); math.Abs(got-eps) > 1e-6 || got > eps {
			t.Errorf("%v, units of %d: ε = %v", c.target, c.rows, got)
		}
		if got := most(true); got < 1.4*eps {
			t.Errorf("%v, units of %d: a table that counts twice spends %v", c.target, c.rows, got)
		}
	}
}

// The counts that are released are those of the rows, plus noise of the stated rate: Σz² of 96 draws of 12 counts is
// within 6.5 of its standard deviations, which fails with probability below 1e-9 (its distribution is near normal; the
// kurtosis of z is 6). Noise of half the rate is told.
func TestNoiseOnTheTableFollowsItsLaw(t *testing.T) {
	s := schools(1)
	var pass, school, year []string
	want := make([]int64, 12)
	for i := range 600 {
		p, a, b := i%7/4, i%5/3, i%3
		want[p*6+a*3+b]++
		pass, school = append(pass, []string{"no", "yes"}[p]), append(school, []string{"north", "south"}[a])
		year = append(year, []string{"1", "2", "3"}[b])
	}
	f := must.Get(frame.FromColumns(s, map[string]any{"pass": pass, "school": school, "year": year,
		"hours": make([]float64, 600)}))(t)
	st := counted(t, model.LogisticRegression("pass", "school", "year"), f)
	far := func(d mechanism.Sampler, rate float64) float64 {
		sum, count, src := 0., 0., dp.Seeded(4)
		for range 96 {
			out := must.Get(d.Draw(t.Context(), mechanism.Open(key, st), src))(t)
			for i, v := range out.Raw[0] {
				sum, count = sum+float64(v-want[i])*float64(v-want[i]), count+1
			}
		}
		q := math.Exp(-rate)
		square := 2 * q / ((1 - q) * (1 - q))
		fourth := square * (1 + 10*q + q*q) / ((1 - q) * (1 - q))
		return math.Abs(sum/count-square) / math.Sqrt((fourth-square*square)/count)
	}
	for _, target := range []dp.Request{dp.PureDP(.5), dp.ZCDP(.1).Under(dp.AddRemove), dp.ApproxDP(.5, 1e-6)} {
		sh := st.Shape()
		if target.Adjacency == dp.AddRemove {
			sh = sh.WithoutN()
		}
		d := plan(t, ContingencyTable().Anyway(), sh, target).Sampler(key).(*tableSampler)
		if z := far(d, d.rate); z > 6.5 {
			t.Errorf("%v: %.3g standard deviations", target, z)
		}
		if z := far(d, d.rate/2); z <= 6.5 {
			t.Errorf("%v: half the rate passes", target)
		}
	}
}

// What cannot be released is refused by a typed error that names it, before anything is read.
func TestTablesAreRefused(t *testing.T) {
	s := schools(1)
	names := []string{}
	for _, l := range "abcdef" {
		names = append(names, string(l))
		s.Columns = append(s.Columns, frame.Categorical(string(l), "0", "1"))
	}
	shape := func(m model.Model, n int) *model.Shape { return must.Get(model.NewShape(s, m, n, true, ""))(t) }
	both := model.LogisticRegression("pass", "school", "year")
	pure, nominal := dp.PureDP(1), dp.AsPublished(1)
	for _, c := range []struct {
		what string
		m    NoisyTable
		sh   *model.Shape
		t    dp.Request
		want any
		word string
	}{
		{"a number", ContingencyTable(), shape(model.LogisticRegression("pass", "school", "hours"), 900), pure,
			new(*mechanism.UnsupportedError), "hours"},
		{"a linear one", ContingencyTable(), shape(model.LinearRegression("hours", "school"), 900), pure,
			new(*mechanism.UnsupportedError), "linear"},
		{"six features", ContingencyTable(), shape(model.LogisticRegression("pass", names...), 900), pure,
			new(*mechanism.UnsupportedError), "7 columns"},
		{"no features", ContingencyTable(), shape(model.Logistic("pass ~ 1"), 900), pure,
			new(*mechanism.UnsupportedError), "without features"},
		{"a table", ContingencyTable(), shape(model.ContingencyTable("pass", "school"), 900), pure,
			new(*mechanism.UnsupportedError), "LogisticRegression"},
		{"a paper's formula", ContingencyTable(), shape(both, 900), nominal, new(*mechanism.UnsupportedError), "nominal"},
		{"few rows", ContingencyTable(), shape(both, 179), pure, new(*NotWorthError), "180 rows"},
		{"no rows", ContingencyTable().Anyway(), shape(both, 0), pure, new(*domain.Error), "at least one row"},
		{"private n", ContingencyTable(), shape(both, 900).WithoutN(), pure, new(*sensitivity.AdjacencyError), "add-remove"},
		{"a ridge", ContingencyTable(), shape(both.WithPrior(1e-7), 900), pure, new(*domain.Error), "1e-6"},
	} {
		_, err := c.m.Plan(t.Context(), c.sh, c.t)
		if !errors.As(err, c.want) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// The limit of few rows is sharp, and goes on where it is told to, or where n is private. Statistics without rows are
// refused.
func TestTablesOfFewRows(t *testing.T) {
	both, pure := model.LogisticRegression("pass", "school", "year"), dp.PureDP(1)
	shape := func(m model.Model, n int) *model.Shape {
		return must.Get(model.NewShape(schools(1), m, n, true, ""))(t)
	}
	var few *NotWorthError
	if _, err := ContingencyTable().Plan(t.Context(), shape(both, 179), pure); !errors.As(err, &few) || few.Cells != 6 ||
		few.Rows != 179 || few.Want != 180 || few.Terms != 0 {
		t.Errorf("%+v", few)
	}
	for _, p := range []*mechanism.Plan{plan(t, ContingencyTable(), shape(both, 180), pure),
		plan(t, ContingencyTable().Anyway(), shape(both, 5), pure),
		plan(t, ContingencyTable(), shape(both, 5).WithoutN(), pure.Under(dp.AddRemove)),
		plan(t, ContingencyTable(), shape(both, 900), dp.PureDP(1).Under(dp.ReplaceValue))} {
		if e := float64(p.Certified().Parameters.Epsilon); !(e <= 1 && e > .999) {
			t.Errorf("%v", p.Certified())
		}
	}
	p := plan(t, ContingencyTable(), shape(both, 900), pure)
	sums := must.Get(model.FromSums(shape(both, 900), 900, make([]float64, len(shape(both, 900).Sums()))))(t)
	var no *mechanism.StatisticsError
	if err := p.Accepts(sums); !errors.As(err, &no) {
		t.Error(err)
	}
}

// A file whose rate is not that of its privacy is refused, as is one of a rate that is none; that of the plan is the
// plan again.
func TestRatesOfFiles(t *testing.T) {
	sh := must.Get(model.NewShape(schools(1), bySchool, 900, true, ""))(t)
	p := plan(t, ContingencyTable(), sh, dp.PureDP(1))
	text := string(must.Get(json.Marshal(p))(t))
	again := must.Get(mechanism.ParsePlan(t.Context(), []byte(text)))(t)
	if string(again.Params()) != string(p.Params()) || again.Certified() != p.Certified() {
		t.Errorf("%s became %s", p.Params(), again.Params())
	}
	var rate struct {
		Rate struct{ Num, Den uint64 }
	}
	must.Do(t, json.Unmarshal(p.Params(), &rate))
	for _, wrong := range []string{`{"num":2,"den":1}`, `{"num":0,"den":1}`, `{"num":100,"den":1}`, `{"num":1,"den":0}`} {
		forged := strings.Replace(text, string(p.Params()), `{"rate":`+wrong+`}`, 1)
		if _, err := mechanism.ParsePlan(t.Context(), []byte(forged)); err == nil || forged == text {
			t.Errorf("%s is read", wrong)
		}
	}
}

// Counts of another number, or beyond what rows and noise give, are refused; those that are left have an estimate.
func TestForgedTables(t *testing.T) {
	sh := must.Get(model.NewShape(schools(1), bySchool, 900, true, ""))(t)
	d := plan(t, ContingencyTable(), sh, dp.PureDP(1)).Sampler(key)
	var e *domain.Error
	for _, raw := range [][][]int64{nil, {{1, 2, 3}}, {{1, 2, 3, 4}, {5}}, {{1, 2, 3, 1 << 40}},
		{{math.MinInt64, 2, 3, 4}}} {
		if _, err := d.Estimate(t.Context(), mechanism.Output{Raw: raw}); !errors.As(err, &e) {
			t.Errorf("%v: %v", raw, err)
		}
		if w := d.(mechanism.Warner).Warned(mechanism.Output{Raw: raw}); w != nil {
			t.Errorf("%v: %v", raw, w)
		}
	}
	if _, err := d.Estimate(t.Context(), mechanism.Output{Raw: [][]int64{{-300, 0, 0, 1300}}}); err != nil {
		t.Error(err)
	}
}

// A formula states the deviations of its prior, which the posterior of a table has.
func TestThePriorOfATableIsThatOfTheFormula(t *testing.T) {
	m := model.Logistic("pass ~ school").Slopes(3).Intercept(7)
	d := plan(t, ContingencyTable(), must.Get(model.NewShape(schools(1), m, 900, true, ""))(t),
		dp.PureDP(1)).Sampler(key).(*tableSampler)
	p := must.Get(d.problem(mechanism.Output{Raw: [][]int64{{1, 2, 3, 4}}}))(t)
	if !slices.Equal(p.Deviation, []float64{7, 3}) {
		t.Errorf("deviations %v, want 7 of the intercept and 3 of the slope", p.Deviation)
	}
}
