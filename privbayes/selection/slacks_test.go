package selection

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// births is a schema of a weight in grams, weeks, a number with decimals and a sex.
func births() *frame.Schema {
	return &frame.Schema{Dataset: "births", Columns: []frame.Column{frame.Integer("weight", 0, 20, 40, 100),
		frame.Integer("weeks", 20, 37, 45), frame.Real("height", 0, 1, 2), frame.Categorical("sex", "girl", "boy")}}
}

// all are criteria of every kind.
func all() Criteria {
	return Criteria{}.Cut("weight", 10, 50).Cut("weeks", 30, 40).CellsWithin(2, .1).RatioWithin(1.4).
		MeanWithin("weight", 9.5, "sex", "weeks").MeanWithin("height", .25).RegressionWithin("weight", 5).MatchedShare(.8)
}

// rowsOf is a frame of rows: weight, weeks, height in percent, sex.
func rowsOf(t rapid.TB, rows [][4]int) *frame.Frame {
	columns := map[string]any{}
	weight, weeks, height, sex := []int{}, []int{}, []float64{}, []string{}
	for _, r := range rows {
		weight, weeks, height = append(weight, r[0]), append(weeks, r[1]), append(height, float64(r[2])/100)
		sex = append(sex, []string{"girl", "boy"}[r[3]])
	}
	columns["weight"], columns["weeks"], columns["height"], columns["sex"] = weight, weeks, height, sex
	f, err := frame.FromColumns(births(), columns)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func someRows(t *rapid.T, n int, name string) (out [][4]int) {
	for range n {
		out = append(out, [4]int{rapid.IntRange(0, 100).Draw(t, name), rapid.IntRange(20, 45).Draw(t, name),
			rapid.IntRange(0, 200).Draw(t, name), rapid.IntRange(0, 1).Draw(t, name)})
	}
	return out
}

// Whatever row is replaced by whatever other, no slack moves by more than 1, and so does the least. Two rows move every
// slack by 2 somewhere: a unit of two rows that is taken for one is seen.
func TestSlacksMoveByOne(t *testing.T) {
	s, c := births(), all()
	moved := map[int]map[string]int64{1: {}, 2: {}}
	check := func(t *rapid.T, replaced int) {
		n := rapid.IntRange(replaced, 12).Draw(t, "n")
		rows, candidate := someRows(t, n, "row"), someRows(t, n, "candidate")
		at, others := rapid.IntRange(0, n-replaced).Draw(t, "at"), someRows(t, replaced, "other")
		m := must.Get(c.read(rowsOf(t, candidate), s))(t)
		before := c.slacks(s, must.Get(c.read(rowsOf(t, rows), s))(t), m)
		copy(rows[at:], others)
		after := c.slacks(s, must.Get(c.read(rowsOf(t, rows), s))(t), m)
		for i, name := range c.Names() {
			d := max(after[i]-before[i], before[i]-after[i])
			moved[replaced][name] = max(moved[replaced][name], d)
			if d > int64(replaced) {
				t.Fatalf("%s moves from %d to %d", name, before[i], after[i])
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, 1) })
	for replaced := range moved {
		seeded := rapid.Custom(func(t *rapid.T) bool { check(t, replaced); return true })
		for seed := range 1000 { // the same in every run, so that each moves
			seeded.Example(seed)
		}
		for _, name := range c.Names() {
			if moved[replaced][name] != int64(replaced) {
				t.Errorf("%d rows move %s by %d at most: the test sees nothing", replaced, name, moved[replaced][name])
			}
		}
	}
}

// Slacks of small tables, by hand.
func TestSlacksByHand(t *testing.T) {
	s := births()
	rows := [][4]int{{10, 30, 50, 0}, {20, 40, 50, 0}, {30, 40, 100, 1}, {90, 44, 200, 1}}
	other := [][4]int{{10, 30, 50, 0}, {20, 40, 50, 0}, {30, 40, 100, 1}, {50, 44, 200, 0}}
	for _, c := range []struct {
		name string
		of   Criteria
		want int64
	}{
		// one boy fewer and one girl more: the pair (90, boy) is in the bin of (50, girl): 1 of 4 rows
		{"cells of one column", Criteria{}.CellsWithin(1, .5), 1},
		{"cells of all", Criteria{}.CellsWithin(4, .25), 0},
		// 2 boys for 1: (2+1)/(1+1) = 1.5; ⌊2 − 3/1.4⌋ = −1
		{"ratio", Criteria{}.RatioWithin(1.4), -1},
		{"ratio met", Criteria{}.RatioWithin(1.5), 0},
		// sums 150 and 110: ⌊(4τ − 40)/(100 + τ)⌋
		{"mean", Criteria{}.MeanWithin("weight", 10), 0},
		{"mean missed", Criteria{}.MeanWithin("weight", 9.9), -1},
		// girls 10, 20 | 80/3: |30 − 2·80/3| = 23.3, 2τ = 20 less
		{"mean of groups", Criteria{}.MeanWithin("weight", 10, "sex"), -1},
		{"no row in a group", Criteria{}.Cut("weeks", 20, 44.5).MeanWithin("weight", 50, "weeks"), -4},
		{"matched", Criteria{}.MatchedShare(.75), 0},
		{"all matched", Criteria{}.MatchedShare(1), -1},
	} {
		got := c.of.slacks(s, must.Get(c.of.read(rowsOf(t, rows), s))(t), must.Get(c.of.read(rowsOf(t, other), s))(t))
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	c := all()
	own := must.Get(c.read(rowsOf(t, rows), s))(t)
	for i, g := range c.slacks(s, own, own) {
		if g < 0 && c.Names()[i] != `mean of "weight" within 9.5 by "weeks"` {
			t.Errorf("the rows themselves fail: %s, %d", c.Names()[i], g)
		}
	}
}

// Rules that nobody can follow are refused by name.
func TestBadRules(t *testing.T) {
	sh := must.Get(model.NewShape(births(), model.NaiveBayes("sex"), 50, true, ""))(t)
	good := Rules{Criteria: all(), Test: Test{.3, .01}, Stop: Stop{20, 5, false}}
	if err := head(dp.PureDP(3), good, sh); err != nil {
		t.Fatal(err)
	}
	with := func(change func(r *Rules)) Rules {
		r := good
		change(&r)
		return r
	}
	for name, r := range map[string]Rules{
		"no criterion":  with(func(r *Rules) { r.Criteria = Criteria{} }),
		"γ":             with(func(r *Rules) { r.Stop.OneIn = 0 }),
		"γ below .001":  with(func(r *Rules) { r.Stop.OneIn = 1001 }),
		"N":             with(func(r *Rules) { r.Stop.Most = 0 }),
		"a test":        with(func(r *Rules) { r.Test.Epsilon = 0 }),
		"wrong":         with(func(r *Rules) { r.Test.Wrong = .5 }),
		"best":          with(func(r *Rules) { r.Stop.Best = true }),
		"report":        with(func(r *Rules) { r.Report = -1 }),
		"cells":         with(func(r *Rules) { r.Criteria = r.Criteria.CellsWithin(0, .1) }),
		"share":         with(func(r *Rules) { r.Criteria = r.Criteria.CellsWithin(2, 1) }),
		"ratio":         with(func(r *Rules) { r.Criteria = r.Criteria.RatioWithin(1) }),
		"no slack":      with(func(r *Rules) { r.Criteria = r.Criteria.MeanWithin("weight", 0) }),
		"no number":     with(func(r *Rules) { r.Criteria = r.Criteria.MeanWithin("sex", 1) }),
		"no column":     with(func(r *Rules) { r.Criteria = r.Criteria.MeanWithin("weight", 1, "region") }),
		"regression":    with(func(r *Rules) { r.Criteria = r.Criteria.RegressionWithin("sex", 1) }),
		"cut":           with(func(r *Rules) { r.Criteria = r.Criteria.Cut("weight", 5, 5) }),
		"cut of labels": with(func(r *Rules) { r.Criteria = r.Criteria.Cut("sex", 5) }),
		"matched":       with(func(r *Rules) { r.Criteria = r.Criteria.MatchedShare(2) }),
	} {
		err := head(dp.PureDP(3), r, sh)
		if !errors.As(err, new(*dp.ParameterError)) && !errors.As(err, new(*frame.ColumnError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wide := births()
	wide.Columns = append(wide.Columns, frame.Integer("code", 0, 1<<19, 1<<20))
	edges := make([]float64, 1<<10)
	for i := range edges {
		edges[i] = float64(i)
	}
	r := with(func(r *Rules) {
		r.Criteria = r.Criteria.Cut("code", edges...).Cut("weight", edges...).CellsWithin(2, .1)
	})
	of := must.Get(model.NewShape(wide, model.NaiveBayes("sex"), 50, true, ""))(t)
	if err := head(dp.PureDP(3), r, of); !errors.As(err, new(*dp.ParameterError)) {
		t.Errorf("a table of %d cells: %v", 1<<20, err)
	}
}

// What no plan can meet is refused by name.
func TestBadTargets(t *testing.T) {
	sh := must.Get(model.NewShape(births(), model.NaiveBayes("sex"), 50, true, ""))(t)
	good := Rules{Criteria: all(), Test: Test{.3, .01}, Stop: Stop{20, 5, false}}
	best := good
	best.Stop.Best, best.Test.Wrong = true, 0
	private := must.Get(model.NewShape(births(), model.NaiveBayes("sex"), 50, true, ""))(t).WithoutN()
	few := must.Get(model.NewShape(births(), model.ContingencyTable("weeks", "sex"), 50, true, ""))(t)
	endless := births()
	endless.Columns[2] = frame.Real("height", -1e308, 0, 1e308)
	far := must.Get(model.NewShape(endless, model.NaiveBayes("sex"), 50, true, ""))(t)
	for name, err := range map[string]error{
		"a model of two columns": head(dp.PureDP(3), good, few), "a range of 2e308": head(dp.PureDP(3), good, far),
		"as published": head(dp.AsPublished(3), good, sh),
		"zCDP":         head(dp.ZCDP(.1), good, sh), "add-remove": head(dp.PureDP(1).Under(dp.AddRemove), good, sh),
		"private n":         head(dp.PureDP(1), good, private),
		"best under (ε, δ)": head(dp.ApproxDP(1, 1e-6), best, sh),
	} {
		if !errors.As(err, new(*dp.ParameterError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
