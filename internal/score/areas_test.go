package score

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func geometricSD(rate float64) float64 { q := math.Exp(-rate); return math.Sqrt(2*q) / (1 - q) }

// The golden means of six areas, over twenty distributions, are of another implementation.
func TestGoldenAreas(t *testing.T) {
	g, sd := newGrid(200, nil), geometricSD(.5)
	var areas []view
	for _, a := range [][2]float64{{3, 12}, {25, 60}, {0, 5}, {10, 30}, {40, 200}, {-3, 8}} {
		areas = append(areas, view{likelihood: Rate(a[0], a[1], sd, sd, false).likelihood(g.at, 7)})
	}
	var points []hyper
	for _, mu := range []float64{-2, -1.6, -1.2, -.8} {
		for _, rho := range []float64{-5, -4, -3, -2, -1} {
			points = append(points, hyper{mu, rho})
		}
	}
	post, weights := mix(g, areas, points)
	for k, want := range []float64{.2044782814, .2751210561, .1968114252, .231959326, .1716998541, .1840443027} {
		if got := g.pooled(post[k], .95).Mean; math.Abs(got-want) > 1e-9 {
			t.Errorf("area %d: %.10f, want %.10f", k, got, want)
		}
	}
	if math.Abs(weights[0]-.000277939) > 1e-8 {
		t.Errorf("weight of the first point: %.9f", weights[0])
	}
}

// Over areas, intervals hold the rates, with half of the error of each area alone; the naive shares do not hold them.
// False alarm below 1e-9: of 20 × 30 areas .90 would do.
func TestPooledHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const areas, rounds, rate = 30, 20, .15
	held, naive, square, alone := 0, 0, 0.0, 0.0
	noise := func() float64 { return math.Floor(r.ExpFloat64()/rate) - math.Floor(r.ExpFloat64()/rate) }
	for range rounds {
		truth, list := make([]float64, areas), make([]Area, areas)
		shares := make([]float64, areas)
		for k := range list {
			a, b := r.ExpFloat64()+r.ExpFloat64()+r.ExpFloat64(), 0.0
			for range 12 {
				b += r.ExpFloat64()
			}
			truth[k] = a / (a + b) // Beta(3, 12)
			yes, n := 0.0, 20+r.IntN(100)
			for range n {
				if r.Float64() < truth[k] {
					yes++
				}
			}
			y, w := yes+noise(), float64(n)-yes+noise()
			list[k] = Rate(y, w, geometricSD(rate), geometricSD(rate), false)
			shares[k] = math.Min(math.Max(y/math.Max(y+w, 1), 0), 1)
			if se := 1.96 * math.Sqrt(shares[k]*(1-shares[k])/math.Max(y+w, 1)); math.Abs(shares[k]-truth[k]) <= se {
				naive++
			}
		}
		pooled := must.Get(Pool(context.Background(), list, .95))(t)
		for k, p := range pooled {
			if p.Lower <= truth[k] && truth[k] <= p.Upper {
				held++
			}
			square += (p.Mean - truth[k]) * (p.Mean - truth[k])
			alone += (shares[k] - truth[k]) * (shares[k] - truth[k])
		}
	}
	const all = areas * rounds
	if least := all*.92 - 6.2*math.Sqrt(all*.92*.08); float64(held) < least || float64(naive) >= least {
		t.Errorf("held in %d of %d, the naive ones in %d; want at least %.0f", held, all, naive, least)
	}
	if square > .6*alone {
		t.Errorf("the mean square error is %.3f times that of each alone", square/alone)
	}
}

// Areas that are known far better than the common grid can show have their own intervals, within a tenth those of the
// normal distribution, beside one that is not; Room is added at both ends.
func TestPoolOfManyRecords(t *testing.T) {
	var list []Area
	rates, sizes := []float64{.001, .07, .2, .21, .5, .97, .3}, []float64{1e7, 1e4, 1e5, 1e6, 1e9, 1e8, 40}
	for k, n := range sizes {
		list = append(list, Rate(rates[k]*n, (1-rates[k])*n, 3, 3, false))
	}
	const room = 1e-5
	list[2].Room = room
	pooled := must.Get(Pool(t.Context(), list, .95))(t)
	for k, p := range pooled[:len(pooled)-1] {
		n, theta := sizes[k], rates[k]
		want := 2 * (1.96*math.Sqrt(n*theta*(1-theta)+9)/n + list[k].Room)
		if width := p.Upper - p.Lower; math.Abs(width/want-1) > .1 || math.Abs(p.Mean-theta) > .05*want {
			t.Errorf("%v of %g: %+v, width %.3g, want %.3g", theta, n, p, width, want)
		}
	}
	if p := pooled[len(pooled)-1]; !(p.Lower < .3 && .3 < p.Upper && p.Upper-p.Lower > .1) {
		t.Errorf("few records: %+v", p)
	}
}

func BenchmarkPool(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{200, 3000} {
		var list []Area
		for range n {
			size := 20 + 100*r.Float64()
			list = append(list, Rate(.2*size+4*r.NormFloat64(), .8*size+4*r.NormFloat64(), 2.8, 2.8, false))
		}
		b.Run(map[int]string{200: "200", 3000: "3000"}[n], func(b *testing.B) {
			for b.Loop() {
				_, _ = Pool(context.Background(), list, .95)
			}
		})
	}
}
