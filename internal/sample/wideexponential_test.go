package sample

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// Both laws have the probabilities of their narrow forms: counts of 20,000 draws lie within 6.5 standard errors of
// those (two-sided 8e-11 each, below 1e-9 in all for the cells seen), and outside at twice the rate.
func TestWideExponentialLaws(t *testing.T) {
	const draws = 20000
	worst := func(law func(src rand.Source) []*big.Int, logProb func(z []int64) float64) (most float64) {
		src, counts, cells := rand.NewPCG(3, 4), map[string]float64{}, map[string][]int64{}
		for range draws {
			var z []int64
			for _, v := range law(src) {
				z = append(z, v.Int64())
			}
			name := fmt.Sprint(z)
			counts[name]++
			cells[name] = z
		}
		for name, n := range counts {
			p := math.Exp(logProb(cells[name]))
			if p*draws < 100 {
				continue
			}
			most = math.Max(most, math.Abs(n-p*draws)/math.Sqrt(draws*p*(1-p)))
		}
		return most
	}
	for _, double := range []bool{false, true} {
		num, den := int64(3), int64(2)
		if double {
			num *= 2
		}
		g := must.Get(NewWideGeometric(big.NewInt(num), big.NewInt(den)))(t)
		narrow := TwoSidedGeometric{3, 2}
		if d := worst(func(src rand.Source) []*big.Int { return []*big.Int{g.Draw(src)} },
			func(z []int64) float64 { return narrow.LogProb(z[0]) }); (d > 6.5) != double {
			t.Errorf("geometric, rate doubled %v: %.1f standard errors off", double, d)
		}
		for dim := 1; dim <= 3; dim++ {
			c := must.Get(NewWideCube(dim, big.NewInt(num), big.NewInt(den)))(t)
			if d := worst(c.Draw, Cube{dim, 3, 2}.LogProb); (d > 6.5) != double {
				t.Errorf("cube of %d, rate doubled %v: %.1f standard errors off", dim, double, d)
			}
		}
	}
}

// On a lattice far beyond words the spread is that of the exponential law.
func TestWideExponentialSpread(t *testing.T) {
	den := new(big.Int).Lsh(big.NewInt(3), 90)
	c := must.Get(NewWideCube(4, big.NewInt(1), den))(t)
	src, square := rand.NewPCG(5, 6), 0.0
	scale, _ := new(big.Float).SetInt(den).Float64()
	const draws = 4000
	for range draws {
		for _, v := range c.Draw(src) {
			z, _ := new(big.Float).SetInt(v).Float64()
			square += z * z / (scale * scale) / (4 * draws)
		}
	}
	if want := 5.0 * 6 / 3; math.Abs(square/want-1) > .15 { // the s.e. is about .015
		t.Errorf("variance %v, want %v", square, want)
	}
}

func TestWideExponentialErrors(t *testing.T) {
	var p *domain.Error
	wide := new(big.Int).Lsh(big.NewInt(1), 600)
	for i, f := range []func() error{
		func() error { _, err := NewWideGeometric(big.NewInt(0), big.NewInt(1)); return err },
		func() error { _, err := NewWideGeometric(big.NewInt(1), wide); return err },
		func() error { _, err := NewWideCube(0, big.NewInt(1), big.NewInt(1)); return err },
		func() error { _, err := NewWideCube(1, wide, big.NewInt(1)); return err },
	} {
		if err := f(); !errors.As(err, &p) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// BenchmarkWideCube is the noise of a logistic regression on seven numbers for pure ε.
func BenchmarkWideCube(b *testing.B) {
	c := must.Get(NewWideCube(43, big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 46)))(b)
	src := rand.NewPCG(1, 1)
	for b.Loop() {
		c.Draw(src)
	}
}
