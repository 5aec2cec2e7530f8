package structure

import (
	"context"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Rounds of pairs and units of several rows have checks of their own: what is wrong with them alone gets no plan, too.
func TestMutantsOfPairsAndUnits(t *testing.T) {
	louder := func(s *learner, ctx context.Context, k int, c candidate, of tables) (int64, error) {
		v, err := s.score(ctx, k, c, of)
		if s.set.Algorithm == model.Pairs {
			v *= 1000
		}
		return v, err
	}
	later := func(s *learner, ctx context.Context, k int, c candidate, of tables) (int64, error) {
		v, err := s.score(ctx, k, c, of)
		if s.set.Algorithm == model.Pairs && k > 1 { // in the last round of three only
			v *= 3
		}
		return v, err
	}
	for name, m := range map[string]struct {
		m      model.LearnedModel
		rows   int
		mutate func(t *testing.T)
	}{
		"louder scores of pairs":       {model.MaxEntropy(), 1, func(t *testing.T) { put(t, &scored, louder) }},
		"louder scores after a fit":    {model.MaxEntropy(), 1, func(t *testing.T) { put(t, &scored, later) }},
		"a unit of two rows as of one": {model.Tree(), 2, func(t *testing.T) { put(t, &unitSpan, (*problem).span) }},
		"one of three as of one":       {model.MaxEntropy(), 3, func(t *testing.T) { put(t, &unitSpan, (*problem).span) }},
	} {
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			t.Run(name+", "+adj.String(), func(t *testing.T) {
				must.Do(t, plansOf(t, m.m, adj, m.rows))
				m.mutate(t)
				var failed *mechanism.CheckError
				if err := plansOf(t, m.m, adj, m.rows); !errors.As(err, &failed) {
					t.Errorf("a plan was made: %v", err)
				}
			})
		}
	}
}
