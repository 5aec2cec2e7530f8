package stratified

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The claim, by the check that the certificate runs, over small tables of every kind: attained by levels, and by sums
// where J = K.
func TestNeighboursWithinStrata(t *testing.T) {
	for _, sampled := range [][]int64{{1}, {2}, {2, 1}, {1, 1, 2}} {
		for _, r := range []rule{{Levels: 2}, {Levels: 3}, {Levels: 4}, {Steps: 1, Coarse: 1}, {Steps: 2, Coarse: 2},
			{Steps: 3, Coarse: 3}, {Steps: 4, Coarse: 4}, {Steps: 3, Coarse: 2}, {Steps: 4, Coarse: 3}, {Steps: 4, Coarse: 2}} {
			c := must.Get(neighboursChecker.Check(t.Context(), cert.Check{}, neighboursParams{r, sampled, false,
				dp.WithinStrata}))(t)
			got, most := float64(c.Value), float64(r.changed())
			if got > most+1e-12 || r.Coarse == r.Steps && math.Abs(got-most) > 1e-12 || got < .6 {
				t.Errorf("%+v, %v: %v, want at most %v", r, sampled, got, most)
			}
			for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
				if len(sampled) == 1 && adj == dp.ReplaceOne {
					continue // nothing to move to
				}
				c := must.Get(neighboursChecker.Check(t.Context(), cert.Check{Bound: 2}, neighboursParams{r, sampled, false,
					adj}))(t)
				if !math.IsInf(float64(c.Value), 1) || c.OK() {
					t.Errorf("%+v, %v: a unit that moves, or is gone, %v", r, sampled, c.Value)
				}
			}
		}
	}
}

// Mutants have the loss that they have, by the enumeration that the certificate runs, in units of the stated ε.
func TestMutantsAreRejected(t *testing.T) {
	sampled := []int64{2, 1}
	three, two, sums := rule{Levels: 3}, rule{Levels: 2}, rule{Steps: 3, Coarse: 3}
	for name, m := range map[string]struct {
		r    rule
		adj  dp.Adjacency
		do   func(c *claims)
		want float64
	}{
		"none":                    {two, dp.WithinStrata, func(*claims) {}, 1},
		"rate ε for three levels": {three, dp.WithinStrata, func(*claims) {}, 2},
		"a unit moves":            {two, dp.ReplaceOne, func(*claims) {}, math.Inf(1)},
		"add-remove":              {two, dp.AddRemove, func(*claims) {}, math.Inf(1)},
		"add-remove of sums":      {sums, dp.AddRemove, func(*claims) {}, math.Inf(1)},
		"n_h not released, a unit moves": {two, dp.ReplaceOne, func(c *claims) {
			c.without = func([]member) []int64 { return nil }
		}, 2},
		"N_h from the data, as many as ill rows": {two, dp.WithinStrata, func(c *claims) {
			c.without = func(rows []member) []int64 {
				out := make([]int64, len(sampled))
				for _, m := range rows {
					out[m.stratum] += int64(1 + m.place)
				}
				return out
			}
		}, math.Inf(1)},
		"a total of all strata without noise": {two, dp.WithinStrata, func(c *claims) {
			c.without = func(rows []member) []int64 {
				out := []int64{0}
				for _, m := range rows {
					out[0] += int64(m.place)
				}
				return out
			}
		}, math.Inf(1)},
		"squares uncharged, each at ε/2": {sums, dp.WithinStrata, func(c *claims) {
			c.gauge = func(z []int64) (sum float64) {
				for i, v := range z {
					sum += math.Abs(float64(v)) / []float64{3, 2 * 9}[i%2]
				}
				return sum
			}
		}, 1.1111},
		"squares at the rate of the sum of u": {sums, dp.WithinStrata, func(c *claims) {
			c.gauge = func(z []int64) (sum float64) {
				for i, v := range z {
					sum += math.Abs(float64(v)) / []float64{3, 9}[i%2]
				}
				return sum
			}
		}, 1.5556},
		"no room for rounding": {rule{Steps: 5, Coarse: 3}, dp.WithinStrata, func(c *claims) {
			c.gauge = func(z []int64) (sum float64) {
				for i, v := range z {
					sum += math.Abs(float64(v)) / []float64{5, 36}[i%2]
				}
				return sum
			}
		}, 1.0222},
	} {
		c := m.r.claims(sampled, false)
		m.do(&c)
		got, _, err := farthest(t.Context(), m.r, sampled, m.adj, c)
		if err != nil || math.Abs(got-m.want) > 1e-3 && got != m.want {
			t.Errorf("%s: ε = %v for %v, %v", name, got, m.want, err)
		}
	}
}

// At the plan's own lattices one row stays within the room, and without it would not.
func TestLattices(t *testing.T) {
	for _, r := range []rule{{Steps: 1, Coarse: 1}, {Steps: 100, Coarse: 100}, {Steps: 4096, Coarse: 4096},
		{Steps: 5000, Coarse: 4096}, {Steps: 1 << 22, Coarse: 4096}, {Steps: 1 << 24, Coarse: 4096}, {Steps: 9, Coarse: 4}} {
		c := must.Get(latticeChecker.Check(t.Context(), cert.Check{Bound: 1}, latticeParams{r, false}))(t)
		if !c.OK() || r.Coarse == r.Steps && c.Value != 1 {
			t.Errorf("%+v: %v", r, c.Value)
		}
		// the places that are rounded to a coarse one, by the model's rule
		if r.Steps <= 5000 {
			l, far := &model.Lattice{Steps: r.Steps, Coarse: r.Coarse}, 0.0
			for k := range r.Steps + 1 {
				for _, other := range []int64{0, k, r.Steps / 2, r.Steps} {
					x, y := 2*l.Coarser(k)-r.Coarse, 2*l.Coarser(other)-r.Coarse
					far = math.Max(far, r.gauge([]int64{k - other, x*x - y*y}))
				}
			}
			if far > float64(c.Value)+1e-12 {
				t.Errorf("%+v: a row moves %v, and all %v", r, far, c.Value)
			}
		}
	}
}

// A file with more of a rate, or none, does not verify.
func TestLossOfEditedParameters(t *testing.T) {
	rate, one := noise.Rational{Num: 1, Den: 2}, rule{Steps: 1, Coarse: 1}
	for name, c := range map[string]struct {
		q    lossParams
		fine bool
	}{
		"as planned":              {lossParams{rule{Levels: 2}, params{Rate: rate}, dp.PureDP(.5).Parameters}, true},
		"rate ε for three levels": {lossParams{rule{Levels: 3}, params{Rate: rate}, dp.PureDP(.5).Parameters}, false},
		"a rate for squares, too": {lossParams{rule{Levels: 2}, params{Rate: rate, Squares: &rate}, dp.PureDP(5).Parameters},
			false},
		"no rate for squares":       {lossParams{one, params{Rate: rate}, dp.PureDP(5).Parameters}, false},
		"squares at the sum's rate": {lossParams{one, params{Rate: rate, Squares: &rate}, dp.PureDP(.5).Parameters}, false},
		"one level":                 {lossParams{rule{Levels: 1}, params{Rate: rate}, dp.PureDP(5).Parameters}, false},
	} {
		check, err := lossChecker.Check(t.Context(), cert.Check{Bound: c.q.Want.Epsilon}, c.q)
		if fine := err == nil && check.OK(); fine != c.fine {
			t.Errorf("%s: %v, %v", name, check.Value, err)
		}
	}
}
