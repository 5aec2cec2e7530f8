package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/internal/parity"
)

// NetworkPaper is Zhang, Rubinstein and Dimitrakakis, "On the differential privacy of Bayesian inference" (AAAI 2016).
const NetworkPaper = "Zhang, Rubinstein, Dimitrakakis (AAAI 2016)"

func init() {
	register(
		Claim{
			ID: "network/01", Document: NetworkPaper, Place: "Lemma 1, Corollary 1", Verdict: Holds,
			Statement: "replacing one record changes the counts of all families by at most 2|I| in ℓ₁",
			True:      "tight, whatever the arities; releasing the maximal families only needs 2 per maximal family",
			Source:    "theory/networks.md §1.1", check: countSensitivity,
		},
		Claim{
			ID: "network/02", Document: NetworkPaper, Place: "Proposition 1", Verdict: Holds,
			Statement: "with probability 1 − δ no noise exceeds (2|I|/ε) ln(2m/δ)",
			True:      "the exact quantile is −b ln(1 − (1 − δ)^(1/2m)), 0.4 % less at δ = 0.05; with m in place of 2m it fails",
			Source:    "theory/networks.md §1.2", check: largestNoise,
		},
		Claim{
			ID: "network/03", Document: NetworkPaper, Place: "proof of Theorem 1", Verdict: False,
			Statement:      "the mean of a clamped noisy count is D + (b/2)e^(−D/b) + ((n − b)/2)e^((D−n)/b)",
			True:           "D + (b/2)e^(−D/b) − (b/2)e^((D−n)/b)",
			Counterexample: "n = 50, D = 50, b = 2: 74, more than n; correct 49",
			Source:         "theory/networks.md §1.3", check: clampedMean,
		},
		Claim{
			ID: "network/04", Document: NetworkPaper, Place: "Theorem 2", Verdict: Holds,
			Statement: "the coefficients of the downward closure of the families determine all family tables, and released tables agree",
			Source:    "theory/networks.md §2.1", check: closureSuffices,
		},
		Claim{
			ID: "network/05", Document: NetworkPaper, Place: "Corollary 2", Verdict: Loose,
			Statement: "noise of scale 2|N|/ε on the coefficients is ε-DP",
			True:      "the ℓ₁ sensitivity is 2·odd(N), (|N| − 1)/2 < odd(N) ≤ |N| − 1",
			Source:    "theory/networks.md §2.2", check: coefficientSensitivity,
		},
		Claim{
			ID: "network/06", Document: NetworkPaper, Place: "Remark 1", Verdict: False,
			Statement:      "the Fourier release has less noise than noise on counts when in-degrees are large",
			True:           "on counts the ratio is |N|/(|I|·2^(s/2)); for one complete family of three nodes or more it grows with their number",
			Counterexample: "complete graph of 8 nodes: noise of a cell twice that of Algorithm 1",
			Source:         "theory/networks.md §2.3", check: remark1,
		},
		Claim{
			ID: "network/07", Document: NetworkPaper, Place: "Corollary 3", Verdict: Corrected,
			Statement:      "an increment of 4t|N|²/ε makes all cells non-negative with probability at least 1 − e^(−t)",
			True:           "for t ≥ ½; the quantile of a Gamma law is the tight data-free increment",
			Counterexample: "collider (|N| = 8), t = 0.03: probability 0.019 < 0.030",
			Source:         "theory/networks.md §2.4", check: increments,
		},
		Claim{
			ID: "network/08", Document: NetworkPaper, Place: "Theorem 3", Verdict: Loose,
			Statement: "the ℓ₁ error of a table is at most (4|N|/ε)(2^(s−1) ln(|N|/δ) + t|N|) with probability 1 − δ",
			True:      "with √R·ln(R/δ), R = 2^s, in place of R·ln(|N|/δ): 3 to 8 times smaller",
			Source:    "theory/networks.md §2.5", check: tableError,
		},
		Claim{
			ID: "network/09", Document: NetworkPaper, Place: "§5.1", Verdict: False,
			Statement:      "drawing again until all cells are non-negative costs ε",
			True:           "up to 2ε: conditioning on an event changes both normalisers",
			Counterexample: "one count, x = 0 against 1, ε = 1: exactly 1.2091",
			Source:         "theory/networks.md §2.4", check: repeating,
		},
	)
}

// dag is the parents of every node of a small graph.
type dag [][]int

var smallGraphs = map[string]dag{
	"chain": {{}, {0}, {1}}, "collider": {{}, {}, {0, 1}}, "diamond": {{}, {0}, {0}, {1, 2}}, "naive Bayes, 3 features": {{}, {0}, {0}, {0}}, "alone": {{}, {}},
}

// differ counts the families in which two records differ.
func (g dag) differ(x, y []int) int {
	n := 0
	for i, ps := range g {
		d := x[i] != y[i]
		for _, p := range ps {
			d = d || x[p] != y[p]
		}
		if d {
			n++
		}
	}
	return n
}

// records visits all records of nodes with the given numbers of states.
func records(arities []int, visit func(x []int)) {
	x := make([]int, len(arities))
	for {
		visit(x)
		i := len(x) - 1
		for ; i >= 0; i-- {
			if x[i]++; x[i] < arities[i] {
				break
			}
			x[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (g dag) arities(states int) []int {
	a := make([]int, len(g))
	for i := range a {
		a[i] = states
	}
	return a
}

func countSensitivity(_ context.Context, f *Finding) error {
	for name, g := range smallGraphs {
		for _, states := range []int{2, 3} {
			worst := 0
			records(g.arities(states), func(x []int) {
				a := append([]int(nil), x...)
				records(g.arities(states), func(y []int) { worst = max(worst, 2*g.differ(a, y)); f.Cases++ })
			})
			f.number(fmt.Sprintf("%s, %d states: ℓ₁", name, states), float64(worst), float64(2*len(g)), 0)
		}
	}
	return nil
}

// largestNoise: the magnitudes of 2m Laplace noises of scale 1 all stay below t with probability (1 − e^−t)^{2m}.
func largestNoise(_ context.Context, f *Finding) error {
	const m, delta = 33, .05 // naive Bayes with 16 features
	exceed := func(t float64) float64 { return -math.Expm1(2 * m * math.Log1p(-math.Exp(-t))) }
	paper, exact := math.Log(2*m/delta), -math.Log(-math.Expm1(math.Log1p(-delta)/(2*m)))
	f.require(exceed(paper) <= delta && exceed(exact) <= delta*(1+1e-12), "the bound fails")
	f.number("bound ÷ exact quantile", paper/exact, 1.0035, 1e-4)
	f.number("P[exceed] with m in place of 2m, δ = 0.05", exceed(math.Log(m/delta)), .0952, 1e-4)
	return nil
}

// clampedMean integrates ∫ min(max(D + z, 0), n) e^{−|z|/b}/(2b) dz by its tail: E = ∫₀ⁿ P(D + Z > t) dt.
func clampedMean(_ context.Context, f *Finding) error {
	above := func(t float64) float64 { // P(Z > t), scale 1
		if t > 0 {
			return math.Exp(-t) / 2
		}
		return 1 - math.Exp(t)/2
	}
	for _, c := range [][3]float64{{50, 50, 2}, {50, 25, 34}, {10, 0, 3}, {7, 2, .5}} {
		n, d, b := c[0], c[1], c[2]
		const steps = 200_000
		sum := 0.0
		for i := range steps {
			sum += above((n*(float64(i)+.5)/steps - d) / b)
		}
		mean := sum * n / steps
		correct := d + b/2*math.Exp(-d/b) - b/2*math.Exp((d-n)/b)
		paper := d + b/2*math.Exp(-d/b) + (n-b)/2*math.Exp((d-n)/b)
		f.number(fmt.Sprintf("E[clamped], n = %v, D = %v, b = %v", n, d, b), mean, correct, 1e-6)
		f.require(math.Abs(paper-mean) > 1e-9, "the paper's formula is right at %v", c)
	}
	f.number("the paper's formula at n = 50, D = 50, b = 2", 50+math.Exp(-25)+24, 74, 1e-9)
	return nil
}

// spectrumOf is the parity analysis of a graph's families.
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
				f.require(v == float64(tables[i][c]), "%s: family %d, cell %d: %v", name, i, c, v)
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
					f.require(math.IsNaN(share) || math.Abs(sum-share) < 1e-12*40, "%s: margins of node %d: %v and %v", name, v, share, sum)
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
		f.require(2*odd > int64(s.Size()-1) && odd <= int64(s.Size()-1), "%s: odd(N) out of its range", c.name)
		f.number(c.name+": odd(N)", float64(odd), float64(c.odd), 0)
	}
	return nil
}

// remark1 compares the noise of a cell of the largest family: 2^{−s/2}·2|N| for the paper's Fourier scale and 2|I| for Algorithm 1.
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
		f.require(k < 4 || ratio > last, "complete graph of %d nodes: ratio %v after %v", k, ratio, last)
		last = ratio
	}
	f.number("Fourier ÷ Algorithm 1, complete graph of 8 nodes", last, 2, 1e-12)
	return nil
}

// increments draws the paper's noise on the 8 coefficients of a collider whose true cells are 0, with its increment at t = 0.03: the
// share of non-negative tables, by 200 000 seeded draws, is below 1 − e^−t by more than 6.5 standard errors.
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
	f.require(share+6.5*math.Sqrt(share*(1-share)/draws) < claimed, "share %v, claimed %v", share, claimed)
	f.number("share of non-negative tables, collider, t = 0.03", share, .0191, 6.5*math.Sqrt(.0191*.981/draws))
	for _, n := range []int{1, 2, 4, 10, 34, 10_000} {
		for _, t := range []float64{.5, 1, 3} {
			b, err := parity.TextbookIncrement(n, t)
			if err != nil {
				return err
			}
			f.require(b.Failure <= b.Claimed, "|N| = %d, t = %v: %v", n, t, b.Failure)
		}
	}
	return nil
}

func tableError(_ context.Context, f *Finding) error {
	for _, c := range []struct {
		name            string
		size, cells     int
		paper, parseval float64
	}{{"naive Bayes, 16 features", 34, 4, 1774, 596}, {"asia, dyspnoea", 21, 8, 2030, 603}, {"complete, 6 nodes", 64, 64, 58611, 7326}} {
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
		f.require(sharp < paper/2.9, "%s: %v and %v", c.name, sharp, paper)
	}
	return nil
}

// repeating conditions two-sided geometric noise on one count on a non-negative result: for x = 0 against 1 the ratio of
// probabilities at the outcome 0 is e^ε times that of the normalisers P(x + Z ≥ 0).
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
	f.require(worst > eps && worst <= 2*eps, "exact ε = %v", worst)
	return nil
}
