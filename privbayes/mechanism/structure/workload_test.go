package structure

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Weights multiply what a record moves a score by, exactly, and the rate of choices is divided by the largest. A plan
// that forgets it gets no certificate; the right one does, in the same test.
func TestWeightedScores(t *testing.T) {
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, weights := range [][]int64{{1}, {7}, {5, 2}} {
			top := mostWeight(weights)
			c, err := scoreChecker.Check(t.Context(), cert.Check{Bound: cert.Number(spanOf(adj) * float64(top))},
				scoreParams{Cells: 4, N: 3, Adjacency: adj, Weights: weights, Kept: true})
			if err != nil || !c.OK() || float64(c.Value) != spanOf(adj)*float64(top) {
				t.Errorf("%s, %v: moves by %v: %v", adj, weights, c.Value, err)
			}
		}
		m := model.Tree().Always().Workload(3, "c0", "c1").Workload(1, "c2")
		sh := shape(t, m, 200, 2, 2, 3)
		if w := sh.Learning().Weights; len(w) != 3 || w[0] != 3 || w[1] != 2 || w[2] != 2 {
			t.Error(w)
		}
		plan := func() (*mechanism.Plan, error) {
			return Geometric().Plan(t.Context(), sh, dp.PureDP(2).Under(adj))
		}
		p := must.Get(plan())(t)
		var have, plain params
		must.Do(t, mechanism.DecodeParams("test", p.Params(), &have))
		q, err := Geometric().Plan(t.Context(), shape(t, model.Tree().Always(), 200, 2, 2, 3), dp.PureDP(2).Under(adj))
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, mechanism.DecodeParams("test", q.Params(), &plain))
		times := plain.Phases[0].Choose.Float() / have.Phases[0].Choose.Float()
		if top := float64(mostWeight(sh.Learning().Weights)); math.Abs(times/top-1) > 1e-5 {
			t.Errorf("%s: the rate is divided by %v, the largest weight is %v", adj, times, top)
		}
		t.Run("forgotten, "+adj.String(), func(t *testing.T) {
			put(t, &mostWeight, func([]int64) int64 { return 1 })
			var failed *mechanism.CheckError
			if _, err := plan(); !errors.As(err, &failed) {
				t.Errorf("a plan was made: %v", err)
			}
		})
	}
}

// Pairs of weight 0 are never chosen, and scores of bounded tables stay within 64 bits.
func TestWeightsOfCandidates(t *testing.T) {
	q := &problem{levels: []int{2, 2, 2, 2}, pairs: [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
		weights: []int64{2, 1, 1, 1, 1, 0}, top: 2, set: model.Tree().Settings()}
	s := &learner{problem: q}
	if s.may(t.Context(), candidate{columns: []int{2, 3}}) || !s.may(t.Context(), candidate{columns: []int{3, 1}}) {
		t.Error("the pair of weight 0, or another one")
	}
	if w := s.weight(candidate{columns: []int{1, 0, 3}}); w != 2 {
		t.Error(w)
	}
	most := s.mostCorrection() + 2e15
	if 1000*most > math.MaxInt64 || weighted(1000, -int64(most)) >= 0 {
		t.Error("scores overflow")
	}
}
