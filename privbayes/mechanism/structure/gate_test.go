package structure

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// prepared is a problem before it has rates.
func prepared(t *testing.T, l Learning, m model.LearnedModel, n int, target dp.Request, levels ...int) *problem {
	t.Helper()
	return must.Get(l.prepare(context.Background(), shape(t, m, n, levels...), target))(t)
}

// The decision is made by the rates of the rounds that choose: those of the parameters that the plan ships where it
// learns and chooses two pairs a column, whatever the algorithm, the noise and the notion.
func TestTheGateUsesTheRatesOfItsPlan(t *testing.T) {
	levels := []int{2, 3, 4, 5, 2}
	median := 4.0 // of (k − 1)(k′ − 1) over the ten pairs: 1 2 2 3 3 4 4 6 8 12
	for name, m := range map[string]model.LearnedModel{"pairs": model.MaxEntropy(), "tree": model.Tree(),
		"cliques": model.Cliques(3)} {
		for _, target := range []dp.Request{dp.PureDP(2), dp.ZCDP(.25), dp.PureDP(2).Under(dp.AddRemove),
			dp.ZCDP(.25).Under(dp.AddRemove), dp.ZCDP(.25).Under(dp.ReplaceOne)} {
			for _, l := range []Learning{Geometric(), DiscreteGaussian()} {
				if target.Notion == dp.Pure && l.noise != geometric {
					continue
				}
				q := prepared(t, l, m.Always(), 1_000_000, target, levels...)
				q.many, q.batched = 0, false
				p := q.scaled(treeBudget(target.Parameters))
				f := p.Phases[0]
				span := 4.0
				if target.Adjacency == dp.AddRemove {
					span = 2
				}
				eta := 2 * f.Choose.Float()
				want := gate{math.Log(10) / eta, median * q.noise.meanAbsolute(f.Noise.Float()) / 2}
				if got := q.gate(); math.Abs(got.choices/want.choices-1) > 1e-5 || math.Abs(got.noise/want.noise-1) > 1e-5 {
					t.Errorf("%s, %s, %s: %+v; the plan's rates give %+v", name, l.Title(), target, got, want)
				}
				// The rates are what the shares buy: one choice spends its part of ε or ρ.
				_, shares := q.shares()
				spent := loss.SelectionPair{Epsilon: span * f.Choose.Float()}.ZCDP()
				if target.Notion == dp.Pure {
					spent = span * f.Choose.Float()
				}
				part := treeBudget(target.Parameters) * shares[0].choose / float64(shares[0].rounds)
				if math.Abs(spent/part-1) > 1e-5 {
					t.Errorf("%s, %s, %s: a choice spends %v of %v", name, l.Title(), target, spent, part)
				}
			}
		}
	}
}

// A plan learns from its threshold on, and not with one record fewer: by the public number of records, or by the public
// size where the number is private; without one the noisy size decides, and no plan can depend on the private number.
func TestTheGateReadsPublicSizesOnly(t *testing.T) {
	for name, m := range map[string]model.LearnedModel{"pairs": model.MaxEntropy(), "tree": model.Tree()} {
		for _, l := range []Learning{Geometric(), DiscreteGaussian()} {
			target := dp.ApproxDP(1, 1e-6)
			q := prepared(t, l, m, 100, target, 3, 3, 3, 3)
			threshold := int(math.Ceil(q.gate().kappa() / learnAt))
			for n, declined := range map[int]bool{threshold - 1: true, threshold: false, threshold + 1: false} {
				q := prepared(t, l, m, n, target, 3, 3, 3, 3)
				if (q.declined != "") != declined || strings.HasPrefix(q.alternatives(), "Yes") == declined {
					t.Errorf("%s, %s, n = %d, threshold %d: %q, %s", name, l.Title(), n, threshold, q.declined, q.alternatives())
				}
			}
			remove := target.Under(dp.AddRemove)
			alone := prepared(t, l, m, 10, remove, 3, 3, 3, 3)
			threshold = int(math.Ceil(alone.gate().kappa() / learnAt))
			for _, n := range []int{10, threshold - 1, threshold, 100 * threshold} { // private
				q := prepared(t, l, m, n, remove, 3, 3, 3, 3)
				if q.declined != "" || !q.gated || q.alternatives() != alone.alternatives() {
					t.Errorf("%s, %s: a private n of %d decides: %q", name, l.Title(), n, q.declined)
				}
				for size, declined := range map[int]bool{threshold - 1: true, threshold: false} {
					if q := prepared(t, l, m.Size(size), n, remove, 3, 3, 3, 3); (q.declined != "") != declined {
						t.Errorf("%s, %s, size %d: %q", name, l.Title(), size, q.declined)
					}
				}
			}
		}
	}
}

// Rounds of pairs have smaller rates than those of a tree, so that a threshold made with the rates of another algorithm
// is another one: German Credit at (1, 1e-9) learns by the rates of a tree, and loses.
func TestTheGateOfAnotherAlgorithm(t *testing.T) {
	german := []int{4, 8, 5, 11, 8, 5, 5, 4, 5, 3, 4, 4, 6, 3, 3, 4, 4, 2, 2, 2, 2}
	target := dp.ApproxDP(1, 1e-9).Under(dp.AddRemove)
	q := prepared(t, DiscreteGaussian(), model.MaxEntropy().Size(700), 700, target, german...)
	if q.declined == "" {
		t.Errorf("pairs: r + ν = %v", q.gate().kappa()/700)
	}
	if k := q.gateOf(q.treeShare(1)).kappa() / 700; k > learnAt {
		t.Errorf("by the rates of a tree r + ν = %v", k)
	}
	if q := prepared(t, DiscreteGaussian(), model.Tree().Size(700), 700, target, german...); q.declined != "" {
		t.Errorf("a tree: %s", q.declined)
	}
}
