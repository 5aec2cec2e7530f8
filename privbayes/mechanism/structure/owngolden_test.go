package structure

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Divergences of releases with Gaussian noise, σ² = 1/16 and x = 3, with stops and corrections, and under add-remove
// with sizes that are estimated: values of a program of our own in another language, which shares nothing with this
// one.
func TestOwnGoldenDivergences(t *testing.T) {
	for _, c := range []struct {
		adjacency  dp.Adjacency
		n          int
		order      float64
		divergence float64
		pairs      int64
	}{
		{dp.ReplaceOne, 2, 1, 30.307782200940675, 48}, {dp.ReplaceOne, 2, 2, 63.902615670057145, 48},
		{dp.AddRemove, 1, 1, 24.855440171013807, 8}, {dp.AddRemove, 1, 2, 49.71088034202759, 8},
	} {
		p := divergenceParams{Noise: gaussian.name, Column: sixteenth, Choose: largeRate, Table: sixteenth, N: c.n,
			Adjacency: c.adjacency, Order: c.order}
		small := must.Get(p.smallInstance())(t)
		got, pairs, err := small.divergence(t.Context(), c.order, p.Table)
		if err != nil || math.Abs(got/c.divergence-1) > 1e-11 || pairs != c.pairs {
			t.Errorf("%+v: %.16g over %d pairs, %v", c, got, pairs, err)
		}
		if bound, err := p.allowed(); err != nil || got > bound || bound > 1.4*got {
			t.Errorf("%+v: %v; the parts add up to %v, %v", c, got, bound, err)
		}
	}
}

// Cliques of one record of three columns, whose later choices depend on the tables that were measured: values of this
// program, kept. They tend to 6x + 4γ at large rates.
func TestCliquesOfOneRecord(t *testing.T) {
	for x, want := range map[noise.Rational]float64{largeRate: 18.40624999999812, rational(1, 1): 6.406143290235477} {
		r := releaseParams{Column: tenth, Choose: x, Noise: tenth, Flip: true, N: 1, Cliques: true}
		small := must.Get(r.smallInstance())(t)
		got, pairs, err := small.epsilon(t.Context(), tenth.Float())
		if err != nil || math.Abs(got/want-1) > 1e-11 || pairs != 56 || got > r.allowed(4) {
			t.Errorf("x = %s: ε = %.16g over %d pairs, at most %v: %v", x, got, pairs, r.allowed(4), err)
		}
	}
}
