package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// people is a schema of every kind of column that a table may have: categories, bins, and a missing category.
func people() *frame.Schema {
	region := frame.Categorical("region", "North", "South")
	region.Missing, region.OnMissing = []string{"?"}, frame.MissingAsCategory
	wide := frame.Categorical("wide")
	for i := range 1000 {
		wide.Categories = append(wide.Categories, fmt.Sprint("x", i))
	}
	return &frame.Schema{Dataset: "people", Columns: []frame.Column{frame.Categorical("sex", "f", "m"), region,
		frame.Integer("age", 0, 18, 65, 120), frame.Categorical("comma", "f, North", "f"),
		frame.Categorical("one", "all"), wide,
		{Name: "walk", Kind: frame.KindSequence, Separator: ";", MaxLength: 3, Categories: []string{"a", "b"}}}}
}

// fittedTable fits counts of a table.
func fittedTable(t *testing.T, m model.Model, counts ...float64) *model.Fitted {
	t.Helper()
	s := people()
	s.Columns = s.Columns[:3]
	sh := must.Get(model.NewShape(s, m, 100, true, ""))(t)
	return must.Get(model.Fit(sh, model.Estimate{Tables: [][]float64{counts}}))(t)
}

// Cells are named in order, with bins and the missing category; margins add their cells up, and so do their priors.
func TestCellsAndMargins(t *testing.T) {
	f := fittedTable(t, model.ContingencyTable("sex", "region").WithPrior(.5), 1, 2, 3, 10, 20, 30)
	missing := f.Shape().Columns()[1].Labels()[2]
	if got, want := f.Target().Labels, []string{"f, North", "f, South", "f, " + missing, "m, North", "m, South",
		"m, " + missing}; !slices.Equal(got, want) || f.Target().Name != "sex × region" {
		t.Errorf("%q: cells %q", f.Target().Name, got)
	}
	margins := f.Margins()
	if len(margins) != 2 || !slices.Equal(margins[0].Alpha(), []float64{7.5, 61.5}) ||
		!slices.Equal(margins[1].Alpha(), []float64{12, 23, 34}) || margins[1].Name != "region" {
		t.Errorf("margins %+v", margins)
	}
	within, err := f.Conditionals("region")
	if err != nil || !slices.Equal(within.Rows[1], []string{"m", "0.1707", "0.3333", "0.4959"}) {
		t.Errorf("%v\n%v", within, err)
	}
	layout := f.Parts()[0]
	if !slices.Equal(layout.Columns, []string{"sex", "North", "South", missing, "total"}) ||
		!slices.Equal(layout.Rows[0], []string{"f", "0.02174", "0.03623", "0.05072", "0.1087"}) ||
		!slices.Equal(layout.Rows[2], []string{"total", "0.1739", "0.3333", "0.4928", "1"}) {
		t.Errorf("%v", layout)
	}
	three := fittedTable(t, model.ContingencyTable("age", "sex", "region"), make([]float64, 18)...)
	if got := three.Target().Labels[7]; got != "[18, 65), f, South" || len(three.Margins()) != 3 || three.Parts() != nil {
		t.Errorf("cell %q", got)
	}
	if one := fittedTable(t, model.ContingencyTable("sex"), 3, 4); one.Margins() != nil || one.Shape().Joint() ||
		one.Target().Name != "sex" || !slices.Equal(one.Target().Labels, []string{"f", "m"}) {
		t.Errorf("one column: %+v", one.Target())
	}
	for _, m := range []model.Model{model.ContingencyTable("sex", "region"),
		model.ContingencyTable("age", "sex", "region")} {
		f := fittedTable(t, m, make([]float64, cells(m))...)
		for _, np := range []*model.Fitted{nil, f} {
			if g, err := f.Figure(np, ""); err != nil || g.Validate() != nil || len(g.Table().Rows) < cells(m) {
				t.Errorf("%s: %v %v", m, err, g.Validate())
			}
		}
	}
}

func cells(m model.Model) int { return 6 * (1 + 2*strings.Count(m.String(), "age")) }

// What a table cannot be made of is refused: by an error that says what is wanted.
func TestRefusedTables(t *testing.T) {
	for want, m := range map[string]model.Model{
		"1 to 6 columns": model.ContingencyTable("sex", "region", "age", "comma", "a", "b", "c"),
		`no column ""`:   model.ContingencyTable(), `no column "ages"`: model.ContingencyTable("sex", "ages"),
		"each column once":             model.ContingencyTable("sex", "age", "sex"),
		"at least two categories":      model.ContingencyTable("sex", "one"),
		"categorical, integer or real": model.ContingencyTable("walk", "sex"),
		"finite α > 0":                 model.ContingencyTable("sex", "age").WithPrior(0),
		"one for each of the 6 levels": model.ContingencyTable("sex", "age").WithPrior(1, 2),
		"at most 1000000 cells":        model.ContingencyTable("wide", "many"),
		"labels that tell cells apart": model.ContingencyTable("comma", "apart"),
	} {
		s := people()
		many := s.Columns[5]
		many.Name, many.Categories = "many", append(slices.Clone(many.Categories), "more")
		s.Columns = append(s.Columns, many, frame.Categorical("apart", "g", "North, g"))
		_, err := model.NewShape(s, m, 10, true, "")
		var wrong *model.Error
		var column *frame.ColumnError
		if !errors.As(err, &wrong) && !errors.As(err, &column) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", m, err, want)
		}
	}
}

// Counting puts every row in its cell, predictions are the shares of the first column among the cells that are left,
// the likelihood is that of the cells, and drawn records have their shares (within 7 standard deviations: false alarm
// below 1e-9).
func TestTablesCountPredictAndDraw(t *testing.T) {
	s := people()
	s.Columns = s.Columns[:3]
	f := must.Get(frame.FromColumns(s, map[string]any{"sex": []string{"m", "f", "m", "m"},
		"region": []string{"South", "?", "North", "South"}, "age": []int{70, 3, 30, 66}}))(t)
	m := model.ContingencyTable("sex", "region", "age")
	sh := must.Get(model.NewShape(s, m, 4, true, ""))(t)
	st := must.Get(model.Count(sh, f))(t)
	want := make([]int64, 18)
	want[14], want[6], want[10] = 2, 1, 1
	if got := st.Open(access.Mine())[0]; !slices.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
	np := must.Get(model.FitPrivately(access.Mine(), st))(t)
	p, err := np.Predict(f)
	if err != nil || math.Abs(p[0][1]-.75) > 1e-12 || math.Abs(p[1][0]-2./3) > 1e-12 {
		t.Errorf("predictions %v, %v; want 3/4 for the first row and 2/3 for the second", p, err)
	}
	lik, err := np.LogLikelihood(f)
	if w := (2*math.Log(3./22) + 2*math.Log(2./22)) / 4; err != nil || math.Abs(lik-w) > 1e-12 {
		t.Errorf("log-likelihood %v, want %v (%v)", lik, w, err)
	}
	if guess, err := np.Guess(f); err != nil || guess != .75 {
		t.Errorf("the most frequent level is right in %v (%v)", guess, err)
	}
	const n = 40_000
	drawn := must.Get(np.Synthesize(n, rand.NewPCG(1, 2)))(t)
	many := must.Get(model.NewShape(drawn.Schema(), m, n, true, ""))(t)
	if st, err = model.Count(many, drawn); err != nil {
		t.Fatal(err)
	}
	for i, share := range np.Target().Mean() {
		if got := float64(st.Open(access.Mine())[0][i]) / n; math.Abs(got-share) > 7*math.Sqrt(share*(1-share)/n) {
			t.Errorf("cell %d has the share %v of the drawn records, want %v", i, got, share)
		}
	}
}

// A table survives its file, and says in Go what makes it.
func TestTablesSurviveJSON(t *testing.T) {
	f := fittedTable(t, model.ContingencyTable("region", "sex").WithPrior(1, 2, 3, 4, 5, 6), 1, 1, 1, 1, 1, 1)
	b := must.Get(json.Marshal(f.Shape()))(t)
	var back model.Shape
	if err := json.Unmarshal(b, &back); err != nil || !back.Equal(f.Shape()) {
		t.Errorf("%s: %v", b, err)
	}
	if s := model.Expression(f.Shape().Model()); s != `Table("region", "sex").WithPrior(1, 2, 3, 4, 5, 6)` {
		t.Error(s)
	}
}
