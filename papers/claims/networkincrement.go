package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/parity"
)

// increments draws the paper's noise on the 8 coefficients of a collider with one record at ε = 0.01, with its
// increment: the share of non-negative tables, by 200 000 seeded draws, against 1 − e^−t within 6.5 standard errors.
func increments(t *trial, at float64) error {
	const size, draws, eps = 8, 200_000, .01
	r := rand.New(rand.NewPCG(5, 6))
	good := 0
	var noise [size]float64
	for range draws {
		for i := range noise {
			noise[i] = r.ExpFloat64()
			if r.IntN(2) == 0 {
				noise[i] = -noise[i]
			}
			noise[i] += eps / (2 * size) // the record (0, 0, 0), in units of the scale
		}
		noise[0] += 2 * at * size
		cells := noise
		for h := 1; h < size; h *= 2 {
			for i := range cells {
				if i&h == 0 {
					cells[i], cells[i|h] = cells[i]+cells[i|h], cells[i]-cells[i|h]
				}
			}
		}
		ok := true
		for _, v := range cells {
			ok = ok && v >= 0
		}
		if ok {
			good++
		}
	}
	share, claimed := float64(good)/draws, -math.Expm1(-at)
	t.f.Cases += draws
	t.printed(share+6.5*math.Sqrt(share*(1-share)/draws) >= claimed, at, "collider, one record, ε = 0.01, t = %v: "+
		"probability %.3f < %.3f", at, share, claimed)
	if at == .03 {
		t.f.number("share of non-negative tables, collider, t = 0.03", share, .0191, 6.5*math.Sqrt(.0191*.981/draws))
	}
	for _, n := range []int{1, 2, 4, 10, 34, 10_000} {
		for _, t0 := range []float64{.5, 1, 3} {
			b, err := parity.TextbookIncrement(n, t0)
			if err != nil {
				return err
			}
			t.repaired(b.Failure <= b.Claimed, "|N| = %d, t = %v: %v", n, t0, b.Failure)
		}
	}
	return nil
}

// tableError simulates the ℓ₁ error of a table of R cells: R noisy coefficients of scale 1, transformed and divided by
// R. The true quantile is of order statistics of seeded draws, with a standard error below 1.5 %.
func tableError(t *trial, factor float64) error {
	const delta = .05
	r := rand.New(rand.NewPCG(5, 7))
	for _, c := range []struct {
		name            string
		size, cells     int
		paper, parseval float64
		ratio           float64
	}{{"naive Bayes, 16 features", 34, 4, 1774, 596, 5.82}, {"asia, dyspnoea", 21, 8, 2030, 603, 8.88},
		{"complete, 6 nodes", 64, 64, 58611, 7326, 40.7}} {
		b := parity.FourierBound{Size: c.size, Sensitivity: 2 * float64(c.size), Epsilon: 1, Delta: delta,
			Cells: c.cells}
		paper, err := b.Paper()
		if err != nil {
			return err
		}
		sharp, err := b.Parseval()
		if err != nil {
			return err
		}
		draws := 80_000 / c.cells * 4
		errors, raised := make([]float64, draws), 0
		const at = .5 // with its increment
		increment := 4 * at * float64(c.size*c.size)
		cells := make([]float64, c.cells)
		for k := range errors {
			total := 0.0
			for i := range cells {
				cells[i] = r.ExpFloat64() * 2 * float64(c.size) * float64(1-2*r.IntN(2))
			}
			for h := 1; h < c.cells; h *= 2 {
				for i := range cells {
					if i&h == 0 {
						cells[i], cells[i|h] = cells[i]+cells[i|h], cells[i]-cells[i|h]
					}
				}
			}
			for _, v := range cells {
				errors[k] += math.Abs(v) / float64(c.cells)
				total += math.Abs(v+increment) / float64(c.cells)
			}
			if total > factor*paper+increment {
				raised++
			}
		}
		slices.Sort(errors)
		quantile := errors[int((1-delta)*float64(draws))]
		t.f.number(c.name+": paper", paper, c.paper, 1)
		t.f.number(c.name+": Parseval", sharp, c.parseval, 1)
		t.f.number(c.name+": paper ÷ simulated quantile", paper/quantile, c.ratio, .05*c.ratio)
		t.bound(factor*paper, quantile, float64(c.cells), "%s", c.name)
		t.printed(float64(raised) <= delta*float64(draws), float64(c.cells), "%s with t = ½: exceeded %d times", c.name,
			raised)
		t.f.require(sharp >= quantile && sharp < paper/2.9, "%s: %v and %v", c.name, sharp, paper)
	}
	return nil
}

// repeating takes two-sided geometric noise on one count: the loss of the pair "the first run is negative" and the
// outcome of the second, and that of a second run alone given the first failed, over all pairs of neighbouring counts.
func repeating(t *trial, factor float64) error {
	for _, eps := range []float64{.5, 1, 2} {
		q := math.Exp(-eps)
		bad := func(x int) float64 { return math.Pow(q, float64(x)+1) / (1 + q) } // P(x + Z < 0)
		good := func(x int) float64 { return 1 - bad(x) }
		conditioned := 0.0
		for x := range 50 {
			for o := range 100 {
				once := math.Log(math.Pow(q, math.Abs(float64(o-x))) / math.Pow(q, math.Abs(float64(o-x-1))))
				failed := math.Log(bad(x) / bad(x+1))
				t.bound(factor*eps, math.Abs(failed+once), float64(x), "ε = %v, x = %d, outcome %d", eps, x, o)
				conditioned = math.Max(conditioned, math.Abs(once-math.Log(good(x)/good(x+1))))
			}
		}
		t.f.number(fmt.Sprintf("until non-negative, ε = %v", eps), conditioned, eps+math.Log(good(1)/good(0)), 1e-12)
		t.f.require(conditioned > eps && conditioned <= 2*eps, "ε = %v: %v", eps, conditioned)
	}
	t.attained(1e-9)
	return nil
}
