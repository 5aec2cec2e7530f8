package model

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The golden cases of what rows deal.
func TestTokensOfRows(t *testing.T) {
	type row struct{ w, k int64 }
	for name, c := range map[string]struct {
		tokens Tokens
		rows   []row
		want   [][]int64
	}{
		"mean": {Tokens{BoxesMean, 16, 16, 1 << 20}, []row{{3, 0}, {7, 5}, {16, 16}, {1, 9}, {16, 3}}, [][]int64{
			{196608, 0, 0, 159744, 0, 0}, {216832, 197120, 44800, 121968, 110880, 25200}, {0, 0, 1048576, 0, 0, 0},
			{12544, 32256, 20736, 11760, 30240, 19440}, {692224, 319488, 36864, 0, 0, 0}}},
		"share": {Tokens{BoxesShare, 16, 1, 1 << 20}, []row{{3, 0}, {7, 0}, {16, 0}}, [][]int64{
			{196608, 159744}, {458752, 258048}, {1048576, 0}}},
		"total": {Tokens{BoxesTotal, 16, 16, 1000}, []row{{3, 0}, {7, 5}, {16, 16}, {1, 9}, {16, 3}}, [][]int64{
			{0, 0}, {136, 117}, {1000, 0}, {35, 33}, {187, 152}}},
	} {
		for i, r := range c.rows {
			out := make([]int64, c.tokens.Boxes.Each())
			if c.tokens.Deal(r.w, r.k, out); !slices.Equal(out, c.want[i]) {
				t.Errorf("%s, row %v: %v, want %v", name, r, out, c.want[i])
			}
		}
	}
}

// What is kept for a smaller T is what a row deals at that T.
func TestTokensOfEveryT(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for _, boxes := range []Boxes{BoxesMean, BoxesShare, BoxesTotal} {
		for range 2000 {
			k := int64(1)
			if boxes != BoxesShare {
				k = 1 + src.Int64N(1<<src.IntN(22))
			}
			top := Tokens{boxes, 1 + src.Int64N(1<<src.IntN(24)), k, MaxTokens}
			w, at, shift := src.Int64N(top.W+1), src.Int64N(k+1), src.IntN(tokenLevels)
			some, want := make([]int64, boxes.Each()), make([]int64, boxes.Each())
			top.Deal(w, at, some)
			top.fewer(some, shift)
			low := top
			low.T >>= shift
			if low.Deal(w, at, want); !slices.Equal(some, want) {
				t.Fatalf("%v, ω = %d, k = %d, T/2^%d: %v, want %v", top, w, at, shift, some, want)
			}
		}
	}
}

func surveyed(change func(s *frame.Schema)) *frame.Schema {
	s := &frame.Schema{Dataset: "survey", Sampling: frame.Sample, ApproximateRows: 5000, Population: 100000,
		Weight:  &frame.Weight{Column: "w", Min: "0.5", Max: "40", Step: "0.25", Computed: frame.FromDesign},
		Columns: []frame.Column{frame.Categorical("region", "north", "south"), frame.Real("income", 0, 100)}}
	if change != nil {
		change(s)
	}
	return s
}

// Weighted models of a frame, by hand.
func TestWeightedEstimates(t *testing.T) {
	f := must.Get(frame.Read(t.Context(), strings.NewReader("region,income,w\nnorth,10,4\nsouth,50,1\nsouth,100,5\n"), "s",
		surveyed(nil)))(t)
	for _, c := range []struct {
		m    Model
		want []float64
	}{
		{Mean("income"), []float64{59}},
		{GroupMeans("income", "region"), []float64{10, 550. / 6}},
		{ContingencyTable("region"), []float64{.4, .6}},
		{Quantiles("income", .3, .45, .9).WithResolution(10), []float64{10, 50, 100}},
		{Total("income"), []float64{590}},
		{Total("income", "region"), []float64{40, 550}},
	} {
		sh := must.Get(NewShape(f.Schema(), c.m, f.Len(), true, ""))(t)
		st := must.Get(Count(sh, f))(t)
		got := sh.model.(WeightedModel).plainMeans(st)
		for i, v := range got {
			if d := v - c.want[i]; len(got) != len(c.want) || d > 1e-3 || d < -1e-3 {
				t.Errorf("%s: %v, want %v", sh.model, got, c.want)
			}
		}
		again := new(Shape)
		if err := again.UnmarshalJSON(must.Get(sh.MarshalJSON())(t)); err != nil || !again.Equal(sh) {
			t.Errorf("%s read again: %v", sh.model, err)
		}
	}
}

// What is not offered of weighted tables is refused by name, and so is a total without weights.
func TestWeightedRefusals(t *testing.T) {
	plain := surveyed(func(s *frame.Schema) { s.Weight, s.Population = nil, 0 })
	for name, c := range map[string]struct {
		s    *frame.Schema
		m    Model
		want string
	}{
		"naive Bayes":      {surveyed(nil), NaiveBayes("region"), "Mean, GroupMeans, Table"},
		"regression":       {surveyed(nil), LinearRegression("income"), "Unweighted()"},
		"histogram":        {surveyed(nil), Histogram("income"), "Unweighted()"},
		"quantiles of it":  {surveyed(nil), Quantiles("w"), "another column"},
		"a rank of 1":      {surveyed(nil), Quantiles("income", 1), "0 < p < 1"},
		"too many points":  {surveyed(nil), Quantiles("income").WithResolution(1 << 12), "1 ≤ K"},
		"two means":        {surveyed(nil), Means("income", "w"), "Unweighted()"},
		"a prior":          {surveyed(nil), ContingencyTable("region").WithPrior(2), "without a prior"},
		"the weight":       {surveyed(nil), Mean("w"), "another column"},
		"by the weight":    {surveyed(nil), GroupMeans("income", "w"), "another column"},
		"total of nothing": {plain, Total("income"), `a "weight" in the schema`},
		"total below 0": {surveyed(func(s *frame.Schema) { s.Columns[1] = frame.Real("income", -1, 100) }),
			Total("income"), "lower bound ≥ 0"},
		"fine": {surveyed(nil), Mean("income").WithResolution(1 << 23), "1 ≤ K ≤"},
	} {
		_, err := NewShape(c.s, c.m, 10, true, "")
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewShape(surveyed(nil).Unweighted(), Quantiles("income"), 10, true, ""); err != nil {
		t.Errorf("unweighted: %v", err)
	}
}

// Bounds whose totals would not be finite numbers are refused by the schema, before any charge.
func TestWeightedBounds(t *testing.T) {
	for _, max := range []float64{1e308, 1e300, 1e200} {
		s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Real("x")},
			Weight: &frame.Weight{Column: "w", Min: "0", Max: "998001000", Step: "1000", Computed: frame.FromDesign}}
		s.Columns[0].Max = max
		for _, m := range []Model{Total("x"), Mean("x")} {
			var wrong *Error
			if _, err := NewShape(s, m, 10, true, ""); !errors.As(err, &wrong) || wrong.Column != "x" {
				t.Errorf("%v of a weight and a bound of %g: %v", m, max, err)
			}
		}
	}
}

// Rows that are counted by weight and cell give the sums of rows that are dealt one by one, in any order of asking and
// adding. A mutant whose counts are not cleared gives others.
func TestRowsOfOneWeightDealAlike(t *testing.T) {
	s := surveyed(func(s *frame.Schema) { s.Columns = append(s.Columns, frame.Categorical("sex", "f", "m")) })
	src := rand.New(rand.NewPCG(3, 4))
	for _, m := range []Model{ContingencyTable("region", "sex"), ContingencyTable("sex"), Mean("income")} {
		sh := must.Get(NewShape(s, m, 0, false, "test"))(t)
		blocks, single := tokenSumsOf(sh), tokenSumsOf(sh)
		if (blocks.alike != nil) != (m.String() != Mean("income").String()) {
			t.Fatalf("%v: counted by weight: %v", m, blocks.alike != nil)
		}
		for range 4 {
			codes, values := make([]frame.Codes, len(sh.Columns())), make([][]float64, len(sh.Columns()))
			for range 700 {
				var row []int32
				var of []float64
				for i, c := range sh.Columns() {
					code, x := int32(0), .5+.25*float64(src.IntN(159))
					if c.Kind == frame.KindCategorical {
						code, x = int32(src.IntN(2)), 0
					} else if i < len(codes)-1 {
						x = 100 * src.Float64()
					}
					row, of = append(row, code), append(of, x)
					codes[i].U8, values[i] = append(codes[i].U8, uint8(code)), append(values[i], x)
				}
				must.Do(t, single.addRow(row, of, 1))
			}
			must.Do(t, blocks.add(codes, values))
			if got, want := blocks.numbers(), single.numbers(); !slices.Equal(got, want) {
				t.Fatalf("%v: %v, want %v", m, got, want)
			}
		}
		if blocks.alike != nil {
			blocks.alike[1]++
			blocks.rows++
			if slices.Equal(blocks.numbers(), single.numbers()) {
				t.Errorf("%v: a row that stays in the counts is not seen", m)
			}
		}
	}
}
