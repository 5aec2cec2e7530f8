package claims

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/parity"
)

// spectrum is the parity analysis of a graph's families.
func (g dag) spectrum(states int) (*parity.Spectrum, error) {
	var families [][]int
	for i, ps := range g {
		member := map[int]bool{i: true}
		for _, p := range ps {
			member[p] = true
		}
		var fam []int
		for v := range g {
			if member[v] {
				fam = append(fam, v)
			}
		}
		families = append(families, fam)
	}
	return parity.NewSpectrum(g.arities(states), families)
}

func closureSuffices(_ context.Context, f *Finding) error {
	r := rand.New(rand.NewPCG(3, 4))
	for name, g := range smallGraphs {
		s, err := g.spectrum(2)
		if err != nil {
			return err
		}
		tables := make([][]int64, len(s.Families()))
		for i, c := range s.Cells() {
			tables[i] = make([]int64, c)
		}
		for range 40 { // records
			x := make([]int, len(g))
			for v := range x {
				x[v] = r.IntN(2)
			}
			for i, fam := range s.Families() {
				cell := 0
				for _, v := range fam {
					cell = 2*cell + x[v]
				}
				tables[i][cell]++
			}
		}
		phi, err := s.Coefficients(tables)
		if err != nil {
			return err
		}
		noisy := make([]float64, len(phi))
		for i, v := range phi {
			noisy[i] = float64(v)
		}
		back, err := s.Tables(noisy)
		if err != nil {
			return err
		}
		for i := range back {
			for c, v := range back[i] {
				f.trial().printed(v == float64(tables[i][c]), float64(len(g)), "%s: family %d, cell %d: %v", name, i,
					c, v)
			}
		}
		for i := range noisy { // any noise leaves tables that agree
			noisy[i] += 3 * r.NormFloat64()
		}
		if back, err = s.Tables(noisy); err != nil {
			return err
		}
		for v := range g {
			share := math.NaN()
			for i, fam := range s.Families() {
				for k, u := range fam {
					if u != v {
						continue
					}
					sum := 0.0
					for c, x := range back[i] {
						if c>>(len(fam)-1-k)&1 == 0 {
							sum += x
						}
					}
					f.trial().printed(math.IsNaN(share) || math.Abs(sum-share) < 1e-12*40, float64(len(g)),
						"%s: margins of node %d: %v and %v", name, v, share, sum)
					share = sum
				}
			}
		}
	}
	return nil
}

func coefficientSensitivity(_ context.Context, f *Finding) error {
	for _, c := range []struct {
		name      string
		odd, size int
	}{{"chain", 4, 6}, {"collider", 4, 8}, {"diamond", 7, 11}, {"naive Bayes, 3 features", 6, 8}, {"alone", 2, 3}} {
		g := smallGraphs[c.name]
		s, err := g.spectrum(2)
		if err != nil {
			return err
		}
		odd, exact, _, err := s.OddSensitivity(0)
		if err != nil {
			return err
		}
		worst := int64(0)
		records(g.arities(2), func(z []int) {
			n, err := s.OddCount(z)
			if err == nil {
				worst = max(worst, n)
			}
			f.Cases++
		})
		f.require(exact && worst == odd && s.Size() == c.size, "%s: |N| = %d", c.name, s.Size())
		f.trial().bound(float64(s.Size()), float64(odd), float64(len(g)), "%s", c.name)
		f.require(2*odd > int64(s.Size()-1) && odd <= int64(s.Size()-1), "%s: odd(N) out of its range", c.name)
		f.number(c.name+": odd(N)", float64(odd), float64(c.odd), 0)
	}
	return nil
}

// remark1 compares the noise of a cell of the largest family: 2^{−s/2}·2|N| for the paper's Fourier scale and 2|I| for
// Algorithm 1.
func remark1(_ context.Context, f *Finding) error {
	last := 0.0
	for k := 2; k <= 8; k++ {
		g := make(dag, k)
		for i := range g {
			for j := range i {
				g[i] = append(g[i], j)
			}
		}
		s, err := g.spectrum(2)
		if err != nil {
			return err
		}
		ratio := float64(s.Size()) / float64(k) / math.Exp2(float64(k)/2)
		f.trial().printed(ratio <= 1+1e-12, float64(k), "complete graph of %d nodes: noise of a cell %.2f times that "+
			"of Algorithm 1", k, ratio)
		f.require(k < 4 || ratio > last, "complete graph of %d nodes: ratio %v after %v", k, ratio, last)
		last = ratio
	}
	f.number("Fourier ÷ Algorithm 1, complete graph of 8 nodes", last, 2, 1e-12)
	return nil
}

// increments draws the paper's noise on the 8 coefficients of a collider whose true cells are 0, with its increment at
// t = 0.03: the share of non-negative tables, by 200 000 seeded draws, is below 1 − e^−t by more than 6.5 standard
// errors.
func increments(_ context.Context, f *Finding) error {
	const size, t, draws = 8, .03, 200_000
	r := rand.New(rand.NewPCG(5, 6))
	good := 0
	var noise [size]float64
	for range draws {
		for i := range noise {
			noise[i] = r.ExpFloat64()
			if r.IntN(2) == 0 {
				noise[i] = -noise[i]
			}
		}
		noise[0] += 2 * t * size
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
	share, claimed := float64(good)/draws, -math.Expm1(-t)
	f.Cases = draws
	f.trial().printed(share+6.5*math.Sqrt(share*(1-share)/draws) >= claimed, t, "collider (|N| = 8), t = 0.03: "+
		"probability %.3f < %.3f", share, claimed)
	f.number("share of non-negative tables, collider, t = 0.03", share, .0191, 6.5*math.Sqrt(.0191*.981/draws))
	for _, n := range []int{1, 2, 4, 10, 34, 10_000} {
		for _, t := range []float64{.5, 1, 3} {
			b, err := parity.TextbookIncrement(n, t)
			if err != nil {
				return err
			}
			f.trial().repaired(b.Failure <= b.Claimed, "|N| = %d, t = %v: %v", n, t, b.Failure)
		}
	}
	return nil
}

func tableError(_ context.Context, f *Finding) error {
	for _, c := range []struct {
		name            string
		size, cells     int
		paper, parseval float64
	}{{"naive Bayes, 16 features", 34, 4, 1774, 596}, {"asia, dyspnoea", 21, 8, 2030, 603},
		{"complete, 6 nodes", 64, 64, 58611, 7326}} {
		b := parity.FourierBound{Size: c.size, Sensitivity: 2 * float64(c.size), Epsilon: 1, Delta: .05, Cells: c.cells}
		paper, err := b.Paper()
		if err != nil {
			return err
		}
		sharp, err := b.Parseval()
		if err != nil {
			return err
		}
		f.number(c.name+": paper", paper, c.paper, 1)
		f.number(c.name+": Parseval", sharp, c.parseval, 1)
		f.trial().bound(paper, sharp, float64(c.cells), "%s", c.name)
		f.require(sharp < paper/2.9, "%s: %v and %v", c.name, sharp, paper)
	}
	return nil
}

// repeating conditions two-sided geometric noise on one count on a non-negative result: for x = 0 against 1 the ratio
// of probabilities at the outcome 0 is e^ε times that of the normalisers P(x + Z ≥ 0).
func repeating(_ context.Context, f *Finding) error {
	const eps = 1.0
	q := math.Exp(-eps)
	z := func(x int) float64 { // P(Z ≥ −x)
		return 1 - math.Pow(q, float64(x)+1)/(1+q)
	}
	worst := 0.0
	for x := range 50 {
		for o := range 100 {
			a := math.Pow(q, math.Abs(float64(o-x))) / z(x)
			b := math.Pow(q, math.Abs(float64(o-x-1))) / z(x+1)
			worst = math.Max(worst, math.Abs(math.Log(a/b)))
			f.Cases++
		}
	}
	f.number("exact ε after conditioning, ε = 1", worst, eps+math.Log(z(1)/z(0)), 1e-12)
	f.trial().printed(worst <= eps, 1, "one count, x = 0 against 1, ε = 1: exactly %.4f", worst)
	f.require(worst <= 2*eps, "exact ε = %v", worst)
	return nil
}
