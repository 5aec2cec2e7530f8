package privbayes_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// How many people are in each category: the intervals hold the population's numbers, of samples that were drawn person
// by person. 300 intervals of which .95 hold are fewer than 268 with probability 1e-4.
func TestCategoryTotalsCover(t *testing.T) {
	people := map[string]int{"north": 9000, "south": 3000, "west": 150}
	s, held, all := surveySchema(t, func(s *privbayes.Schema) { s.Population = 0 }), 0, 0
	src := rand.New(rand.NewPCG(7, 8))
	for seed := range uint64(100) {
		rows := strings.Builder{}
		rows.WriteString("region,ill,income,w\n")
		for _, name := range []string{"north", "south", "west"} {
			for i := range people[name] {
				if w := []float64{5, 10, 20}[i%3]; src.Float64() < 1/w {
					fmt.Fprintf(&rows, "%s,no,1,%v\n", name, w)
				}
			}
		}
		r := must.Get(privbayes.ReadFrame(strings.NewReader(rows.String()), s).Model(privbayes.Table("region")).Privatize(
			privbayes.Tokens(), privbayes.PureDP(1), privbayes.Seeded(seed)).Release())(t)
		got := must.Get(r.Totals())(t)
		for i, name := range []string{"north", "south", "west"} {
			p := got.List[i].Population
			if all++; p.Lower <= float64(people[name]) && float64(people[name]) <= p.Upper {
				held++
			}
			if !strings.Contains(got.List[i].Of, name) || p.Lower > got.List[i].Estimate || p.Lower >= p.Upper ||
				got.List[i].Estimate > p.Upper {
				t.Errorf("%+v", got.List[i])
			}
		}
	}
	if t.Logf("%d of %d hold", held, all); held < 268 {
		t.Errorf("%d of %d hold", held, all)
	}
}

// A row that is replaced may move between categories: under replace-one their totals have the noise and intervals of
// ε/2, where the total of one column has those of ε. What has no such totals is refused.
func TestCategoryTotalsMove(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 2000)
	of := func(m privbayes.ModelSpec, target privbayes.Target) *privbayes.Release {
		return must.Get(rows.Model(m).Privatize(privbayes.Tokens(), target, privbayes.Seeded(5)).Release())(t)
	}
	table := privbayes.Table("region", "ill")
	moved := must.Get(of(table, privbayes.PureDP(1)).Totals())(t)
	half := must.Get(of(table, privbayes.PureDP(.5).Under(privbayes.AddRemove)).Totals())(t)
	whole := must.Get(of(table, privbayes.PureDP(1).Under(privbayes.AddRemove)).Totals())(t)
	for i, m := range moved.List {
		if h := half.List[i]; m.Estimate != h.Estimate || *m.Population != *h.Population || len(moved.List) != 6 ||
			m.Population.Upper-m.Population.Lower <= whole.List[i].Population.Upper-whole.List[i].Population.Lower {
			t.Errorf("%+v, at ε/2 %+v", m, h)
		}
	}
	if text := moved.String(); !strings.Contains(text, "Of the population in each category: ") ||
		!strings.Contains(text, "no budget") {
		t.Error(moved)
	}
	units := surveySchema(t, func(s *privbayes.Schema) { s.RowsPerUnit = 2 })
	two := must.Get(surveyRows(t, units, 200).Model(table).Privatize(privbayes.Tokens(), privbayes.PureDP(1),
		privbayes.Seeded(5)).Release())(t)
	plain := surveySchema(t, func(s *privbayes.Schema) { s.Weight.Unused = true })
	for name, r := range map[string]*privbayes.Release{
		"a mean": of(privbayes.Mean("income"), privbayes.PureDP(1)), "units of two": two,
		"quantiles": of(privbayes.Quantiles("income"), privbayes.PureDP(1)),
		"a total":   of(privbayes.Total("income"), privbayes.PureDP(1)),
		"rows alone": must.Get(surveyRows(t, plain, 200).Model(privbayes.Categorical("ill")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1), privbayes.Seeded(5)).Release())(t),
	} {
		var e *dp.ParameterError
		if got, err := r.Totals(); !errors.As(err, &e) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}
