package structure

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// counted are the statistics of columns of codes.
func counted(t testing.TB, sh *model.Shape, codes []frame.Codes) *model.Statistics {
	t.Helper()
	tally := must.Get(model.NewTally(access.Mine(), sh))(t)
	must.Do(t, tally.Block(codes[0].Len(), codes, nil))
	return must.Get(tally.Statistics(frame.Selection{}))(t)
}

// Of 31 columns, where every other round has no fit before it, no pair is chosen twice between fits; the file gives the
// same structure every time, and one that chooses a pair twice between fits is refused.
func TestNoPairTwiceBetweenFits(t *testing.T) {
	levels, codes := dependent(31, 4000)
	for i := range levels {
		levels[i] = 2
		codes[i].Levels = 2
		for r, v := range codes[i].U8 {
			codes[i].U8[r] = v % 2
		}
	}
	sh := shape(t, model.MaxEntropy().Always(), 4000, levels...)
	p := must.Get(DiscreteGaussian().Plan(t.Context(), sh, dp.ZCDP(1).Under(dp.AddRemove)))(t)
	d := p.Sampler(access.Mine())
	drawn := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), counted(t, sh, codes)), dp.Seeded(3)))(t)
	if len(drawn.Rounds) != 62 {
		t.Fatalf("%d rounds", len(drawn.Rounds))
	}
	for k := 0; k+1 < len(drawn.Rounds); k += 2 {
		if reflect.DeepEqual(drawn.Rounds[k].Chosen, drawn.Rounds[k+1].Chosen) {
			t.Errorf("rounds %d and %d choose %v", k+1, k+2, drawn.Rounds[k].Chosen)
		}
	}
	first := must.Get(d.Estimate(t.Context(), drawn))(t)
	again, err := d.Estimate(t.Context(), drawn)
	first.Pairs, again.Pairs = nil, nil // functions do not compare
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("another estimate of the same file: %v", err)
	}
	drawn.Rounds[7].Chosen = drawn.Rounds[6].Chosen
	if _, err := d.Estimate(t.Context(), drawn); err == nil {
		t.Error("a file that chooses a pair twice between fits is taken")
	}
	drawn.Rounds[7].Chosen, drawn.Rounds[8].Chosen = drawn.Rounds[9].Chosen, drawn.Rounds[6].Chosen
	if _, err := d.Estimate(t.Context(), drawn); err != nil {
		t.Errorf("a pair that is chosen again after a fit: %v", err)
	}
}

// countdown is a context that ends after so many looks at it.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a context ends while a file is replayed, the error is the context's: a release that was not read to its end
// is not accused of choices that were not open.
func TestReplayEndsWithItsContext(t *testing.T) {
	levels, codes := dependent(4, 400)
	sh := shape(t, model.MaxEntropy().Always(), 400, levels...)
	p := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(4)))(t)
	d := p.Sampler(access.Mine())
	drawn := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), counted(t, sh, codes)), dp.Seeded(1)))(t)
	for looks := range 200 {
		_, err := d.Estimate(&countdown{t.Context(), looks}, drawn)
		if err == nil {
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
	}
}

// Statistics without rows are accepted, before any charge, by learners of pairs and refused by those of triples.
func TestTriplesNeedRows(t *testing.T) {
	levels, codes := dependent(4, 400)
	for _, c := range []struct {
		spec  model.LearnedModel
		wants bool
	}{{model.Tree(), false}, {model.MaxEntropy(), false}, {model.Cliques(2), false}, {model.Cliques(3), true}} {
		sh := shape(t, c.spec.Always(), 400, levels...)
		p := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(4)))(t)
		var refused *mechanism.StatisticsError
		if err := p.Accepts(counted(t, sh, codes)); errors.As(err, &refused) != c.wants {
			t.Errorf("%s: %v", c.spec, err)
		}
	}
}
