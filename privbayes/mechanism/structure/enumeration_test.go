package structure

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// rational is a fraction of the golden cases, which need not be dyadic.
func rational(num, den uint64) noise.Rational { return noise.Rational{Num: num, Den: den} }

// plainInstance is the release of the golden cases: two choices of three pairs without stop or corrections, in order.
func plainInstance(t *testing.T, g1, eta, g2 noise.Rational, flip bool, n int) *smallInstance {
	t.Helper()
	p := releaseParams{Column: rational(1, 2), Choose: rational(1, 2), Noise: rational(1, 2), Flip: flip, N: n,
		Plain: true}
	out := must.Get(p.smallInstance())(t)
	half := rational(eta.Num, 2*eta.Den)
	out.laws = must.Get(out.problem.laws(params{Columns: []noise.Rational{g1, g1, g1},
		Phases: []phase{{Rounds: 2, Choose: &half, Noise: g2}}, Flip: flip}))(t)
	return out
}

// Whole releases from records up, by the learner and the laws of production.
func TestGoldenReleases(t *testing.T) {
	small, large := [3]noise.Rational{rational(1, 6), rational(1, 4), rational(1, 8)},
		[3]noise.Rational{rational(1, 10), rational(6, 1), rational(1, 10)}
	for _, c := range []struct {
		rates   [3]noise.Rational
		n       int
		flip    bool
		epsilon float64
		pairs   int64
	}{
		{small, 2, false, 1.236851368390, 448}, {small, 3, false, 1.192741132612, 2016},
		{small, 2, true, 1.4784332760523282, 448}, {small, 3, true, 1.366500007314, 2016},
		{large, 3, false, 22.408258963315, 2016}, {large, 3, true, 23.794536939964715, 2016},
	} {
		got, pairs, err := plainInstance(t, c.rates[0], c.rates[1], c.rates[2], c.flip, c.n).epsilon(t.Context(),
			c.rates[2].Float())
		if err != nil || math.Abs(got-c.epsilon) > 2e-12*c.epsilon || pairs != c.pairs {
			t.Errorf("%+v: ε = %.15g over %d pairs, %v", c, got, pairs, err)
		}
	}
}
