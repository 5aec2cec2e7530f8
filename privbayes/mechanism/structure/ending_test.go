package structure

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ended is a learner of three columns of three levels with noisy tables of 900 records, and the potentials of its fit.
func ended(t *testing.T) (*learner, [][]float64) {
	t.Helper()
	q := &problem{noise: geometric, target: dp.PureDP(1), levels: []int{3, 3, 3}, pairs: [][2]int{{0, 1}, {0, 2}, {1, 2}},
		set: model.MaxEntropy().Always().Settings(), n: 900, rows: 1, publicN: true}
	rate := noise.Rational{Num: 1, Den: 3}
	l := must.Get(q.laws(params{Columns: []noise.Rational{rate, rate, rate},
		Phases: []phase{{Rounds: 2, Choose: &rate, Noise: rate}}}))(t)
	s := must.Get(newLearner(q, l, [][]int64{{450, 300, 148}, {210, 480, 205}, {300, 310, 293}}))(t)
	for k, counts := range [][]int64{{200, 150, 103, -4, 290, 18, 13, 40, 95}, {150, 8, 52, 101, 290, 90, 48, 10, 150}} {
		must.Do(t, s.take(k, candidate{columns: q.pairs[2*k][:]}, counts))
	}
	must.Do(t, s.final(t.Context()))
	return s, s.fit.Potentials()
}

// Potentials of a fit are taken, as those of a fit that ended earlier or elsewhere within the gap are; others are not,
// though a distribution follows from them, too: the conditionals of a file would be its own.
func TestForgedPotentialsAreRefused(t *testing.T) {
	s, fit := ended(t)
	if err := s.fitAt(t.Context(), fit); err != nil || s.gap > fitted {
		t.Fatalf("%v, gap %g", err, s.gap)
	}
	copied := func(do func(p [][]float64)) [][]float64 {
		out := make([][]float64, len(fit))
		for i := range fit {
			out[i] = slices.Clone(fit[i])
		}
		do(out)
		return out
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, p := range map[string][][]float64{
		"two cells swapped":           copied(func(p [][]float64) { p[3][0], p[3][1] = p[3][1], p[3][0] }),
		"two cells of a column":       copied(func(p [][]float64) { p[0][1], p[0][2] = p[0][2], p[0][1] }),
		"drawn to 0 by a hundredth":   copied(func(p [][]float64) { scale(p, .99) }),
		"all 0: uniform":              copied(func(p [][]float64) { scale(p, 0) }),
		"an axis permuted":            copied(func(p [][]float64) { transpose(p[3], 3) }),
		"two tables":                  copied(func(p [][]float64) { p[3], p[4] = p[4], p[3] }),
		"2 % more in a cell":          copied(func(p [][]float64) { p[3][4] += .02 }),
		"2 % more in one of a column": copied(func(p [][]float64) { p[1][1] += .02 }),
		"a table left out":            fit[1:],
		"a cell left out":             copied(func(p [][]float64) { p[0] = p[0][1:] }),
		"noise":                       copied(func(p [][]float64) { shake(p, .05, r) }),
	} {
		var refused *domain.Error
		if err := s.fitAt(t.Context(), p); !errors.As(err, &refused) || refused.Parameter != "potentials" {
			t.Errorf("%s: %v, gap %g", name, err, s.gap)
		}
	}
	for range 20 { // what machines differ by
		if err := s.fitAt(t.Context(), copied(func(p [][]float64) { shake(p, 1e-6, r) })); err != nil {
			t.Error(err)
		}
	}
}

func scale(p [][]float64, by float64) {
	for _, t := range p {
		for i := range t {
			t[i] *= by
		}
	}
}

func shake(p [][]float64, by float64, r *rand.Rand) {
	for _, t := range p {
		for i := range t {
			t[i] += by * (2*r.Float64() - 1)
		}
	}
}

func transpose(t []float64, k int) {
	for i := range k {
		for j := range i {
			t[i*k+j], t[j*k+i] = t[j*k+i], t[i*k+j]
		}
	}
}

// A mean of totals that lies half a record over a whole number is one number on every machine, whichever side of it
// rounding puts it on.
func TestHalfARecordIsRoundedAlike(t *testing.T) {
	q := &problem{noise: geometric, target: dp.PureDP(1).Under(dp.AddRemove), levels: []int{2, 2}, pairs: [][2]int{{0, 1}},
		set: model.MaxEntropy().Always().Settings(), rows: 1}
	for num := uint64(1); num < 400; num++ {
		rate := noise.Rational{Num: num, Den: 512}
		l := must.Get(q.laws(params{Columns: []noise.Rational{rate, rate}}))(t)
		s := &learner{problem: q, laws: l, raw: [][]int64{{20, 19}, {int64(num), 40 - int64(num)}}}
		if n := s.totals(); n != 40 {
			t.Fatalf("γ = %d/512: totals 39 and 40 make %d", num, n)
		}
	}
}
