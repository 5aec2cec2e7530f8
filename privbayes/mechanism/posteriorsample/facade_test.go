package posteriorsample_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// The paper's own mode the whole way, on real votes: a budget is charged the true ε of all draws, refuses what the
// nominal ε would have let through, and the kept file says the same.
func TestNominalIsChargedInFull(t *testing.T) {
	r, schema := data.Votes()
	ledger := must.Get(budget.New(schema.Dataset, budget.UnitOf(schema), privbayes.PureDP(1000)))(t)
	frame := privbayes.ReadFrame(r, schema).WithBudget(ledger)
	votes := frame.Model(privbayes.NaiveBayes("Class", "V3", "V4"))
	const nominal, draws = 3., 4
	path := filepath.Join(t.TempDir(), "votes.release.json")
	p := votes.Privatize(privbayes.PosteriorSample(draws), privbayes.AsPublished(nominal), privbayes.KeepIn(path))
	rel := must.Get(p.Release())(t)
	w := math.Exp(-nominal / 2)
	most := 0.0 // Σ 2 ln((1−(r−1)ω)/ω) over the columns as the schema has them
	for _, c := range rel.Plan().Shape().Columns() {
		most += 2 * draws * math.Log((1-float64(c.Levels()-1)*w)/w)
	}
	e := float64(rel.Guarantee().Epsilon)
	if !(e > draws*nominal && e <= most*(1+1e-9) && e > most/2) || float64(ledger.Spent().Epsilon) != e {
		t.Errorf("guarantee %s, charged %s, at most %v", rel.Guarantee(), ledger.Spent(), most)
	}
	if len(rel.Draws().Values) != draws {
		t.Errorf("%d draws", len(rel.Draws().Values))
	}
	again, err := release.Load(t.Context(), path)
	if err != nil || again.Guarantee() != rel.Guarantee() ||
		!strings.Contains(again.String(), rel.Guarantee().String()) {
		t.Errorf("%v, %v", again, err)
	}
	if v, err := privbayes.Verify(path); err != nil || !v.OK() {
		t.Errorf("%v, %v", v, err)
	}
	small := must.Get(budget.New(schema.Dataset, budget.UnitOf(schema), privbayes.PureDP(nominal)))(t)
	r, schema = data.Votes()
	_, err = privbayes.ReadFrame(r, schema).WithBudget(small).Model(privbayes.NaiveBayes("Class", "V3",
		"V4")).Privatize(privbayes.PosteriorSample(1), privbayes.AsPublished(nominal)).Release()
	var exceeded *budget.ExceededError
	if !errors.As(err, &exceeded) || small.Spent().Epsilon != 0 {
		t.Errorf("a budget of the nominal ε lets it through: %v", err)
	}
}

// Calibrations A, B and C on real votes: each meets ε, the wider box is that at the exact n, and the draws answer
// questions.
func TestCalibrationsOnVotes(t *testing.T) {
	r, schema := data.Votes()
	votes := privbayes.ReadFrame(r, schema).Model(privbayes.NaiveBayes("Class", "V3", "V4", "V12"))
	for name, m := range map[string]privbayes.Mechanism{"A": privbayes.PosteriorSample(2).ForAnyN().ByBounds(),
		"B": privbayes.PosteriorSample(2).ByBounds(), "C": privbayes.PosteriorSample(2)} {
		rel := must.Get(votes.Privatize(m, privbayes.PureDP(6), privbayes.Seeded(1)).Release())(t)
		c := rel.Plan().Certified()
		if e := float64(c.Epsilon); e > 6*(1+1e-12) || e < 6*.999 {
			t.Errorf("%s: %s", name, c)
		}
		q := must.Get(rel.Query())(t)
		if a, err := q.Probability(func(p []float64) bool { return p[0] > p[1] }); err != nil ||
			!(a.Value >= 0 && a.Value <= 1) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
