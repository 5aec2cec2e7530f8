package stratified

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Under Gaussian noise one unit changes no more than is stated, by the check that the certificate runs: attained by
// levels, and by sums where J = K. A unit that moves, or comes or goes, changes n_h.
func TestSquaresOfNeighboursWithinStrata(t *testing.T) {
	for _, sampled := range [][]int64{{1}, {2, 1}, {1, 1, 2}} {
		for _, r := range []rule{{Levels: 2}, {Levels: 3}, {Levels: 4}, {Steps: 1, Coarse: 1}, {Steps: 3, Coarse: 3},
			{Steps: 6, Coarse: 6}, {Steps: 3, Coarse: 2}, {Steps: 4, Coarse: 3}, {Steps: 6, Coarse: 5}} {
			c := must.Get(neighboursChecker.Check(t.Context(), cert.Check{}, neighboursParams{r, sampled, true,
				dp.WithinStrata}))(t)
			got, most := float64(c.Value), float64(r.changed())
			if got > most+1e-12 || r.Coarse == r.Steps && math.Abs(got-most) > 1e-12 || got < .4 {
				t.Errorf("%+v, %v: %v, want at most %v", r, sampled, got, most)
			}
			c = must.Get(neighboursChecker.Check(t.Context(), cert.Check{Bound: 2}, neighboursParams{r, sampled, true,
				dp.AddRemove}))(t)
			if !math.IsInf(float64(c.Value), 1) || c.OK() {
				t.Errorf("%+v, %v: a unit that is gone, %v", r, sampled, c.Value)
			}
		}
	}
}

// At the plan's own lattices, in integers of 128 bits.
func TestLatticesUnderGaussianNoise(t *testing.T) {
	for _, r := range []rule{{Steps: 1, Coarse: 1}, {Steps: 100, Coarse: 100}, {Steps: 4096, Coarse: 4096},
		{Steps: 5000, Coarse: 4096}, {Steps: 1 << 24, Coarse: 4096}, {Steps: 9, Coarse: 4}, {Steps: 7, Coarse: 1}} {
		c := must.Get(latticeChecker.Check(t.Context(), cert.Check{Bound: 1}, latticeParams{r, true}))(t)
		if !c.OK() || r.Coarse == r.Steps && c.Value != 1 || c.Value < .2 {
			t.Errorf("%+v: %v", r, c.Value)
		}
	}
}

// divergence is the Rényi divergence of an order between discrete Gaussian noise of variance parameter σ² and the same
// shifted by z, by summation.
func divergence(order, sigma2 float64, z int64) float64 {
	reach := int64(14*math.Sqrt(sigma2)+order*math.Abs(float64(z))) + 20
	log := func(x int64) float64 { return -float64(x) * float64(x) / (2 * sigma2) }
	norm, sum := 0.0, 0.0
	for x := -reach; x <= reach; x++ {
		norm += math.Exp(log(x))
		sum += math.Exp(order*log(x) + (1-order)*log(x-z))
	}
	return math.Log(sum/norm) / (order - 1)
}

// The exact Rényi divergences between neighbouring tables, with the variances that production draws with, are at most
// order times ρ; of levels they attain it. Mutants have more: a third level at the variance of two, squares at 1/12 in
// place of 1/11, and no room for rounding.
func TestRhoWithinStrataIsEnumerated(t *testing.T) {
	const rho = .125
	for name, c := range map[string]struct {
		r      rule
		mutant func(variances []float64)
		most   float64 // of what is stated
	}{
		"two levels":                  {rule{Levels: 2}, nil, 1},
		"three levels":                {rule{Levels: 3}, nil, 1},
		"three at the noise of two":   {rule{Levels: 3}, func(v []float64) { v[0], v[1], v[2] = 4, 4, 4 }, 2},
		"zero and one":                {rule{Steps: 1, Coarse: 1}, nil, 1},
		"sums":                        {rule{Steps: 6, Coarse: 6}, nil, 1},
		"sums, coarse":                {rule{Steps: 6, Coarse: 3}, nil, .7},
		"squares at twice their rate": {rule{Steps: 6, Coarse: 6}, func(v []float64) { v[1] /= 2 }, 1.6},
		"squares at a twelfth":        {rule{Steps: 200, Coarse: 200}, func(v []float64) { v[1] *= 11. / 12 }, 1.05},
		"squares at an eleventh":      {rule{Steps: 200, Coarse: 200}, nil, 1},
		"no room for rounding": {rule{Steps: 6, Coarse: 4}, func(v []float64) {
			v[0] *= 36. / 64
			v[1] *= 36. / 64
		}, 1.03},
	} {
		pair := func(sigma2 uint64) loss.Pair { return params{Sigma2: &noise.Rational{Num: sigma2, Den: 1}}.pair(c.r) }
		sigma2 := uint64(math.Ceil(float64(pair(1).ZCDP()) / rho))
		q := params{Sigma2: &noise.Rational{Num: sigma2, Den: 1}}
		stated := float64(q.pair(c.r).ZCDP())
		var variances []float64
		for _, d := range must.Get(q.noise(c.r))(t) {
			variances = append(variances, d.(noise.Gaussian).Sigma2())
		}
		if c.mutant != nil {
			c.mutant(variances)
		}
		worst := 0.0
		l := c.r.lattice(&model.Lattice{Form: model.PerGroup}, 1)
		if c.r.Levels > 0 {
			l.Form = model.PerLevel
		}
		numbers := func(place int64) []int64 {
			sums := make([]int64, l.Len())
			l.Add(sums, []int64{place}, 0)
			return c.r.released(sums, []int64{1})
		}
		for a := range l.Steps + 1 {
			for b := range l.Steps + 1 {
				x, y, gauss := numbers(a), numbers(b), 0.0
				for i := range x {
					z := float64(x[i] - y[i])
					gauss += z * z / (2 * variances[i]) // ρ of the continuous noise, which the discrete one has at integers
				}
				worst = math.Max(worst, gauss)
				if c.r.Steps > 10 {
					continue
				}
				for _, order := range []float64{1.5, 2, 8} {
					all := 0.0
					for i := range x {
						all += divergence(order, variances[i], x[i]-y[i])
					}
					if math.Abs(all-order*gauss) > 1e-6*(1+order*gauss) && all > order*gauss {
						t.Errorf("%s: order %v, %d and %d: %v, want at most %v", name, order, a, b, all, order*gauss)
					}
				}
			}
		}
		if got := worst / stated; c.most <= 1 && (got > 1+1e-12 || got < c.most-.06) || c.most > 1 && got < c.most-.01 {
			t.Errorf("%s: %v of the stated ρ = %v, want %v", name, got, stated, c.most)
		}
	}
}

// Files with other parameters than those of their level do not verify, and no file has two distributions.
func TestLossOfEditedVariances(t *testing.T) {
	four, rate := noise.Rational{Num: 4, Den: 1}, noise.Rational{Num: 1, Den: 2}
	sums, huge := rule{Steps: 10, Coarse: 10}, noise.Rational{Num: 1 << 57, Den: 1}
	for name, c := range map[string]struct {
		q    lossParams
		fine bool
	}{
		"as planned":     {lossParams{rule{Levels: 2}, params{Sigma2: &four}, dp.ZCDP(.1251).Parameters}, true},
		"three levels":   {lossParams{rule{Levels: 3}, params{Sigma2: &four}, dp.ZCDP(.125).Parameters}, false},
		"three, twice ρ": {lossParams{rule{Levels: 3}, params{Sigma2: &four}, dp.ZCDP(.2501).Parameters}, true},
		"sums":           {lossParams{sums, params{Sigma2: &four}, dp.ZCDP(12.501).Parameters}, true},
		"sums, less ρ":   {lossParams{sums, params{Sigma2: &four}, dp.ZCDP(12.4).Parameters}, false},
		"pure ε of none": {lossParams{rule{Levels: 2}, params{Sigma2: &four}, dp.PureDP(9).Parameters}, false},
		"two distributions": {lossParams{rule{Levels: 2}, params{Rate: rate, Sigma2: &four}, dp.ZCDP(1).Parameters},
			false},
		"a variance too large": {lossParams{rule{Steps: 4096, Coarse: 4096}, params{Sigma2: &huge},
			dp.ZCDP(1).Parameters}, false},
	} {
		bound := loss.Allowed(c.q.Want)
		check, err := lossChecker.Check(t.Context(), cert.Check{Bound: bound}, c.q)
		if fine := err == nil && check.OK(); fine != c.fine {
			t.Errorf("%s: %v of %v, %v", name, check.Value, bound, err)
		}
	}
}
