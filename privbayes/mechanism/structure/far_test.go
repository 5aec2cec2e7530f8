package structure

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// heard are coins that nothing private moves, and that keep the scores they were given by the places of the pairs.
type heard struct {
	r      *rand.Rand
	scores []map[int]int64
}

func (h *heard) noise(_ noise.Distribution, counts []int64) []int64 {
	out := make([]int64, len(counts))
	for i := range out {
		out[i] = h.r.Int64N(120)
	}
	return out
}

func (h *heard) report(l noise.Distribution, distances []int64) []int64 { return h.noise(l, distances) }

func (h *heard) choose(_ sample.Selection, scores []int64, may func(i int) bool) int {
	kept := map[int]int64{}
	for i, s := range scores {
		kept[i] = s
	}
	h.scores = append(h.scores, kept)
	for {
		if i := h.r.IntN(len(scores)); may(i) {
			return i
		}
	}
}

// Of 60 columns a fit follows after four rounds, and pairs that none of its cliques has are scored after every third
// alone. A score that is held moves by one with a record, as all others do, and neighbours publish the same: what is
// held depends on tables that were measured. Scores of twice the distance are seen.
func TestScoresOfFarPairs(t *testing.T) {
	const columns, rows = 60, 240
	levels := make([]int, columns)
	r := rand.New(rand.NewPCG(3, 1))
	records := make([][]uint8, rows)
	for i := range records {
		records[i] = make([]uint8, columns)
		for k := range columns {
			levels[k], records[i][k] = 2, uint8(r.IntN(2))
		}
	}
	sh := shape(t, model.MaxEntropy().Always(), rows, levels...)
	q := must.Get(DiscreteGaussian().prepare(t.Context(), sh, dp.ZCDP(1).Under(dp.AddRemove)))(t)
	d := &sampler{q, must.Get(q.laws(q.scaled(1)))(t)}
	if q.batch() != rare {
		t.Fatalf("a fit after %d rounds", q.batch())
	}
	run := func(records [][]uint8) (*heard, mechanism.Output) {
		h := &heard{r: rand.New(rand.NewPCG(5, 6))}
		out := must.Get(d.run(t.Context(), func(columns []int) ([]int64, error) {
			out := make([]int64, 1<<len(columns))
			for _, x := range records {
				cell := 0
				for _, k := range columns {
					cell = 2*cell + int(x[k])
				}
				out[cell]++
			}
			if len(columns) == 1 {
				out = out[:q.measured(columns[0])]
			}
			return out, nil
		}, h))(t)
		return h, out
	}
	apart := func() (most int64) {
		a, out := run(records)
		b, other := run(records[1:])
		if !reflect.DeepEqual(out, other) {
			t.Fatal("neighbours differ")
		}
		for k := range a.scores {
			for i, s := range a.scores[k] {
				most = max(most, s-b.scores[k][i], b.scores[k][i]-s)
			}
		}
		return most
	}
	if most := apart(); most != 1 {
		t.Errorf("a record moves a score by %d", most)
	}
	h, _ := run(records)
	changed := func(fit int) (n int) { // scores of pairs that were candidates in the last round as well
		k := fit * rare
		for i, s := range h.scores[k] {
			if len(h.scores[k]) == len(h.scores[0]) && len(h.scores[k-rare]) == len(h.scores[0]) && s != h.scores[k-rare][i] {
				n++
			}
		}
		return n
	}
	if one, two, three := changed(1), changed(2), changed(3); one > 200 || two > 200 || three < 400 {
		t.Errorf("%d, %d and %d of 1,770 scores changed after fits", one, two, three)
	}
	put(t, &scored, func(s *learner, ctx context.Context, k int, c candidate, table tables) (int64, error) {
		x, err := s.score(ctx, k, c, table)
		return 2 * x, err
	})
	if most := apart(); most != 2 {
		t.Errorf("twice the distance moves by %d", most)
	}
}
