package structure

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// played are coins whose noise is nothing that data show, and whose choices are those of the production sampler, which
// asks about few candidates. before and after a choice a test looks.
type played struct {
	tossed
	r     *rand.Rand
	look  func(may func(i int) bool, many int)
	after func(may func(i int) bool, many int)
}

func (p *played) noise(_ noise.Distribution, counts []int64) []int64 {
	out := make([]int64, len(counts))
	for i := range out {
		out[i] = p.r.Int64N(60)
	}
	return out
}

func (p *played) choose(s sample.Selection, scores []int64, may func(i int) bool) int {
	p.look(may, len(scores))
	i := p.tossed.choose(s, scores, may)
	p.after(may, len(scores))
	return i
}

// stale compares all answers of one release with those of a learner without a past; keep is a mutant.
func stale(t *testing.T, m model.LearnedModel, seed uint64, keep bool) (differ, again int) {
	t.Helper()
	levels := []int{6, 7, 9, 2, 9, 8, 3, 3}
	sh := shape(t, m, 500, levels...)
	q := must.Get(Geometric().prepare(t.Context(), sh, dp.PureDP(20)))(t)
	p := q.scaled(20)
	l := must.Get(q.laws(p))(t)
	d := &sampler{q, l}
	r := rand.New(rand.NewPCG(seed, 1))
	private := func(columns []int) ([]int64, error) { // such that any score may come
		cells := 1
		for _, v := range columns {
			cells *= levels[v]
		}
		out := make([]int64, cells)
		out[0] = r.Int64N(2000)
		if len(columns) == 1 {
			out = out[:q.measured(columns[0])]
		}
		return out, nil
	}
	var own *learner
	refused := map[[2]int]bool{}
	put(t, &sizeOf, func(s *learner) int64 { own = s; return 500 })
	c := &played{tossed: tossed{dp.Seeded(seed)}, r: r}
	c.look = func(may func(i int) bool, many int) {
		if keep {
			maps.Copy(own.legal, refused)
		}
		fresh := *own
		fresh.legal = map[[2]int]bool{}
		list := fresh.allPairs()
		if len(list) != many {
			t.Fatalf("%d candidates, then %d", many, len(list))
		}
		for i, one := range list {
			was, asked := own.legal[[2]int(one.columns)]
			want := fresh.may(t.Context(), one)
			if asked && was != want || !asked && want != may(i) {
				differ++
			}
			if !want {
				again++
			}
			delete(own.legal, [2]int(one.columns)) // the test's own questions are none
			if asked {
				own.legal[[2]int(one.columns)] = was
			}
		}
	}
	c.after = func(func(i int) bool, int) {
		for pair, ok := range own.legal {
			if !ok {
				refused[pair] = false
			}
		}
	}
	must.Get(d.run(t.Context(), private, c))(t)
	return differ, again
}

// What may be chosen is a function of what was measured: whatever was asked in the rounds before, which depends on
// private scores, a learner that went through the same rounds without a question says the same. Rounds of many
// columns under a tight cap make pairs legal that were not: a learner that keeps its refusals is found out.
func TestNothingThatWasAskedOutlivesItsRound(t *testing.T) {
	tight := model.MaxEntropy().Always().MaxCells(200)
	for name, m := range map[string]model.LearnedModel{"cap": tight, "reserved": tight.Reserve("c0", "c2").Reserve("c4", "c5")} {
		illegal, mutant := 0, 0
		for seed := range uint64(40) {
			differ, again := stale(t, m, seed, false)
			if differ > 0 {
				t.Errorf("%s, seed %d: %d answers depend on what was asked before", name, seed, differ)
			}
			illegal += again
			differ, _ = stale(t, m, seed, true)
			mutant += differ
		}
		if illegal == 0 || mutant == 0 {
			t.Errorf("%s: the cap refused %d times; refusals that are kept were wrong %d times: the test sees nothing", name,
				illegal, mutant)
		}
	}
}
