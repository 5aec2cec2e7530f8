package privbayes2017

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// copied is a table of 400 records whose four columns follow c0, which has three levels.
func copied(t *testing.T, m model.LearnedModel) (*model.Shape, *model.Statistics) {
	t.Helper()
	sh := shape(t, m, 400, 3, 3, 2, 3)
	columns := map[string]any{}
	for i, k := range []int{3, 3, 2, 3} {
		var values []string
		for r := range 400 {
			v := r % 3
			if i == 1 && r%10 == 0 {
				v = (v + 1) % 3
			}
			if i == 3 {
				v = r / 3 % 3
			}
			values = append(values, []string{"v0", "v1", "v2"}[min(v, k-1)])
		}
		columns[[]string{"c0", "c1", "c2", "c3"}[i]] = values
	}
	f := must.Get(frame.FromColumns(sh.Schema(), columns))(t)
	st := must.Get(model.Count(sh, f))(t)
	return sh, st
}

// A draw at a large ε has the network and the tables of its records, at every degree and by usefulness.
func TestDraws(t *testing.T) {
	for _, m := range []model.LearnedModel{model.PrivBayes(), model.PrivBayes().Degree(1), model.PrivBayes().Degree(2),
		model.PrivBayes().Degree(3), model.PrivBayes().Scored(model.ByInformation)} {
		sh, st := copied(t, m)
		p := must.Get(New().Plan(t.Context(), sh, dp.PureDP(1000)))(t)
		d := must.Get(p.Draw(t.Context(), st, "a", dp.Seeded(4)))(t)
		b := must.Get(json.Marshal(d))(t)
		var read mechanism.Drawn
		must.Do(t, json.Unmarshal(b, &read))
		e, err := p.Estimate(t.Context(), &read)
		if err != nil {
			t.Fatal(m, err)
		}
		f, err := model.Fit(sh, e)
		if err != nil {
			t.Fatal(m, err)
		}
		law, err := f.Network().Given("c2", map[string]string{"c0": "v1"})
		if err != nil || law[1] < .97 {
			t.Errorf("%v: P(c2 | c0 = v1) = %v, %v", m, law, err)
		}
		law, err = f.Network().Given("c1", map[string]string{"c0": "v1"})
		if err != nil || math.Abs(law[1]-.9) > .03 {
			t.Errorf("%v: P(c1 | c0 = v1) = %v, %v", m, law, err)
		}
		if s := e.Structure; len(s.Rounds) != 4 || len(s.Edges) < 2 || s.Size != 400 {
			t.Errorf("%v: %+v", m, s)
		}
	}
}

// A file whose rounds the plan cannot have made is refused.
func TestIllegalRounds(t *testing.T) {
	sh, st := copied(t, model.PrivBayes().Degree(1))
	p := must.Get(New().Plan(t.Context(), sh, dp.PureDP(100)))(t)
	d := must.Get(p.Draw(t.Context(), st, "a", dp.Seeded(1)))(t)
	for name, change := range map[string]func(n *mechanism.Output){
		"a round less":   func(n *mechanism.Output) { n.Rounds = n.Rounds[:3] },
		"a column twice": func(n *mechanism.Output) { n.Rounds[2].Chosen = n.Rounds[1].Chosen },
		"a parent that comes later": func(n *mechanism.Output) {
			n.Rounds[1].Chosen = []int{n.Rounds[2].Chosen[1], n.Rounds[1].Chosen[1]}
		},
		"a first column with a parent": func(n *mechanism.Output) { n.Rounds[0].Chosen = []int{0, 1} },
		"no column":                    func(n *mechanism.Output) { n.Rounds[0].Chosen = []int{7} },
		"a stop":                       func(n *mechanism.Output) { n.Rounds[3].Stop = true },
		"a count more":                 func(n *mechanism.Output) { n.Rounds[3].Counts = append(n.Rounds[3].Counts, 1) },
		"a table that is a margin":     func(n *mechanism.Output) { n.Rounds[0].Counts = []int64{1, 2, 3} },
		"tables beside":                func(n *mechanism.Output) { n.Raw = [][]int64{{1}} },
	} {
		n := mechanism.Output{Rounds: slices.Clone(d.Rounds)}
		for i := range n.Rounds {
			n.Rounds[i].Counts = slices.Clone(n.Rounds[i].Counts)
		}
		change(&n)
		if _, err := p.Estimate(t.Context(), &mechanism.Drawn{ID: "a", Output: n}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A row of a table without counts is uniform, and the others keep their shares.
func TestRowsWithoutCounts(t *testing.T) {
	if got := whole([]float64{0, 0, 3, 1}, 2, 40); !slices.Equal(got, []float64{.5, .5, 30, 10}) {
		t.Error(got)
	}
	if got := whole(make([]float64, 4), 2, 40); !slices.Equal(got, []float64{.5, .5, .5, .5}) {
		t.Error(got)
	}
}
