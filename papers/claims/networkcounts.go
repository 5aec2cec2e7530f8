package claims

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/internal/parity"
)

// dag is the parents of every node of a small graph.
type dag [][]int

var smallGraphs = map[string]dag{
	"chain": {{}, {0}, {1}}, "collider": {{}, {}, {0, 1}}, "diamond": {{}, {0}, {0}, {1, 2}}, "naive Bayes, 3 " +
		"features": {{}, {0}, {0}, {0}}, "alone": {{}, {}},
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

func countSensitivity(t *trial, factor float64) error {
	for name, g := range smallGraphs {
		for _, states := range []int{2, 3} {
			worst := 0
			records(g.arities(states), func(x []int) {
				a := append([]int(nil), x...)
				records(g.arities(states), func(y []int) { worst = max(worst, 2*g.differ(a, y)); t.f.Cases++ })
			})
			t.f.number(fmt.Sprintf("%s, %d states: ℓ₁", name, states), float64(worst), float64(2*len(g)), 0)
			t.bound(factor*float64(len(g)), float64(worst), float64(len(g)), "%s, %d states", name, states)
		}
	}
	return nil
}

// algorithm1Epsilon takes the exact loss of the noisy counts between two records at every corner of the output: the
// densities are those of independent Laplace noises, so that the loss at the counts of the first is the largest. A
// clamped count is compared at its two atoms, too.
func algorithm1Epsilon(t *trial, factor float64) error {
	for name, g := range smallGraphs {
		for _, eps := range []float64{.1, 1, 5} {
			b := factor * float64(len(g)) / eps
			records(g.arities(2), func(x []int) {
				a := append([]int(nil), x...)
				records(g.arities(2), func(y []int) {
					loss := 0.0 // Σ |z − D̃| − |z − D| over counts, at z = D
					for i, ps := range g {
						now, next := a[i], y[i]
						for _, p := range ps {
							now, next = 2*now+a[p], 2*next+y[p]
						}
						if now != next {
							loss += 2 / b
						}
					}
					t.bound(eps, loss, float64(len(g)), "%s, ε = %v, %v to %v", name, eps, a, y)
				})
			})
			tail := func(z float64) float64 { // P(Y ≤ −z), scale b
				if z >= 0 {
					return math.Exp(-z/b) / 2
				}
				return 1 - math.Exp(z/b)/2
			}
			for d := range 20 {
				v := float64(d)
				t.printed(math.Abs(math.Log(tail(v)/tail(v+1))) <= 1/b*(1+1e-9), v, "the atom at 0, D = %d", d)
			}
		}
	}
	t.attained(1e-9)
	return nil
}

// largestNoise: the magnitudes of 2m Laplace noises of scale 1 all stay below t with probability (1 − e^−t)^{2m}.
func largestNoise(t *trial, factor float64) error {
	const m, delta = 33, .05 // naive Bayes with 16 features
	exceed := func(z float64) float64 { return -math.Expm1(2 * m * math.Log1p(-math.Exp(-z))) }
	paper, exact := math.Log(2*m/delta), -math.Log(-math.Expm1(math.Log1p(-delta)/(2*m)))
	t.f.require(exceed(exact) <= delta*(1+1e-12), "the quantile fails")
	for _, d := range []float64{.5, delta, 1e-3, 1e-6} { // the bound approaches the quantile as δ → 0
		bound := math.Log(factor * m / d)
		t.bound(bound, -math.Log(-math.Expm1(math.Log1p(-d)/(2*m))), d, "δ = %v", d)
		t.f.require(factor < 2 || exceed(bound) <= d, "δ = %v: %v", d, exceed(bound))
	}
	t.f.number("bound ÷ exact quantile", paper/exact, 1.0035, 1e-4)
	t.f.number("P[exceed] with m in place of 2m, δ = 0.05", exceed(math.Log(m/delta)), .0952, 1e-4)
	return nil
}

// noiseOrder takes the exact 95 % quantile of the largest noise of complete networks, where m = 2^|I| − 1.
func noiseOrder(t *trial, power float64) error {
	const delta = .05
	for k := 1; k <= 50; k++ {
		cells := 2 * (math.Exp2(float64(k)) - 1)
		quantile := -2 * float64(k) * math.Log(-math.Expm1(math.Log1p(-delta)/cells))
		bound := 2 * math.Log(2/delta) * math.Pow(float64(k), power)
		t.printed(quantile <= bound, float64(k), "%d nodes: %v", k, quantile)
		t.f.require(quantile >= 2*math.Ln2*float64(k*k)*.99, "%d nodes: the order is not reached", k)
	}
	return nil
}

// clampedMean integrates ∫ min(max(D + z, 0), n) e^{−|z|/b}/(2b) dz by its tail: E = ∫₀ⁿ P(D + Z > t) dt. The share is
// 1 for the printed formula, with n in its last term, and 0 for the one without.
func clampedMean(t *trial, share float64) error {
	above := func(z float64) float64 { // P(Z > z), scale 1
		if z > 0 {
			return math.Exp(-z) / 2
		}
		return 1 - math.Exp(z)/2
	}
	for _, c := range [][3]float64{{50, 50, 2}, {50, 25, 34}, {10, 0, 3}, {7, 2, .5}} {
		n, d, b := c[0], c[1], c[2]
		const steps = 50_000
		sum := 0.0
		for i := range steps {
			sum += above((n*(float64(i)+.5)/steps - d) / b)
		}
		mean := sum * n / steps
		correct := d + b/2*math.Exp(-d/b) - b/2*math.Exp((d-n)/b)
		paper := d + b/2*math.Exp(-d/b) + (share*n-b)/2*math.Exp((d-n)/b)
		t.f.number(fmt.Sprintf("E[clamped], n = %v, D = %v, b = %v", n, d, b), mean, correct, 1e-6)
		t.printed(math.Abs(paper-mean) < 1e-6, -paper/n, "n = %v, D = %v, b = %v: %.3g, more than n; correct %.3g", n,
			d, b, paper, correct)
	}
	t.f.number("the paper's formula at n = 50, D = 50, b = 2", 50+math.Exp(-25)+24, 74, 1e-9)
	return nil
}

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
			failure := mathext.GammaIncRegComp(float64(n), 2*t0*float64(n))
			t.repaired(failure <= math.Exp(-t0), "|N| = %d, t = %v: %v", n, t0, failure)
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
		scale, size, most := 2*float64(c.size), float64(c.size), float64(c.cells) // of the noise at ε = 1
		paper, sharp := scale*most*math.Log(size/delta), scale*math.Sqrt(most)*math.Log(most/delta)
		draws := 80_000 / c.cells * 4
		errors, raised := make([]float64, draws), 0
		const at = .5 // with its increment
		increment := 4 * at * float64(c.size*c.size)
		cells := make([]float64, c.cells)
		for k := range errors {
			total := 0.0
			for i := range cells {
				cells[i] = r.ExpFloat64() * scale * float64(1-2*r.IntN(2))
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

// spectrum is the parity analysis of a graph's families.
func (g dag) spectrum(states int) (*parity.Spectrum, error) {
	var families [][]int
	for _, set := range g.families() {
		var fam []int
		for v := range g {
			if set>>v&1 == 1 {
				fam = append(fam, v)
			}
		}
		families = append(families, fam)
	}
	return parity.NewSpectrum(g.arities(states), families)
}

// families are the nodes with their parents, as bit masks.
func (g dag) families() []uint {
	out := make([]uint, len(g))
	for i, ps := range g {
		out[i] = 1 << i
		for _, p := range ps {
			out[i] |= 1 << p
		}
	}
	return out
}

// closure lists N: all sets that lie inside of a family, the empty one first.
func (g dag) closure() []uint {
	var out []uint
	for set := range uint(1) << len(g) {
		for _, f := range g.families() {
			if set&^f == 0 {
				out = append(out, set)
				break
			}
		}
	}
	return out
}

// sign is (−1)^⟨γ, c⟩.
func sign(gamma, cell uint) float64 { return 1 - 2*float64(bits.OnesCount(gamma&cell)&1) }

// margin sums a table over all variables outside of a set: by cell of the full table with the others at 0.
func margin(h []float64, set uint) map[uint]float64 {
	out := map[uint]float64{}
	for c, v := range h {
		out[uint(c)&set] += v
	}
	return out
}

// closureSuffices takes the definitions as printed: f^γ of 2^k cells, its projection on every family, and random real
// tables. The error moves one coefficient.
func closureSuffices(t *trial, err float64) error {
	r := rand.New(rand.NewPCG(3, 4))
	for name, g := range smallGraphs {
		size := uint(1) << len(g)
		norm := math.Exp2(-float64(len(g)) / 2)
		h := make([]float64, size)
		for i := range h {
			h[i] = 10 * r.NormFloat64()
		}
		for _, fam := range g.families() {
			sum := map[uint]float64{}
			for gamma := range size {
				if gamma&^fam != 0 {
					continue
				}
				f, coefficient := make([]float64, size), err
				for c := range f {
					f[c] = sign(gamma, uint(c)) * norm
					coefficient += f[c] * h[c]
				}
				for c, v := range margin(f, fam) {
					sum[c] += coefficient * v
				}
			}
			for c, v := range margin(h, fam) {
				t.printed(math.Abs(v-sum[c]) < 1e-10, float64(len(g)), "%s: family %b, cell %b: %v, not %v", name, fam,
					c, sum[c], v)
			}
		}
		s, fails := g.spectrum(2)
		if fails != nil {
			return fails
		}
		t.f.require(s.Size() == len(g.closure()), "%s: |N| = %d", name, s.Size())
	}
	return nil
}

// tablesAgree builds the joint table of noisy coefficients and compares its margins with the tables that Algorithm 2
// computes from the same coefficients, by this package's sums and by the library's transform.
func tablesAgree(t *trial, err float64) error {
	r := rand.New(rand.NewPCG(3, 5))
	for name, g := range smallGraphs {
		s, fails := g.spectrum(2)
		if fails != nil {
			return fails
		}
		joint := make([]float64, uint(1)<<len(g))
		for i := range joint {
			joint[i] = 5 * r.NormFloat64()
		}
		var tables [][]float64
		for _, fam := range s.Families() {
			m := make([]float64, 1<<len(fam))
			for c, v := range joint {
				cell := 0
				for _, u := range fam {
					cell = 2*cell + c>>u&1
				}
				m[cell] += v
			}
			tables = append(tables, m)
		}
		phi, fails := s.CoefficientsReal(tables)
		if fails != nil {
			return fails
		}
		back, fails := s.Tables(phi)
		if fails != nil {
			return fails
		}
		back[0][0] += err
		for i := range back {
			for c, v := range back[i] {
				t.printed(math.Abs(v-tables[i][c]) < 1e-10, float64(len(g)), "%s: family %d, cell %d: %v", name, i, c, v)
			}
		}
		for i := range phi { // any noise leaves tables that agree
			phi[i] += 3 * r.NormFloat64()
		}
		if back, fails = s.Tables(phi); fails != nil {
			return fails
		}
		back[0][0] += err
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
					t.printed(math.IsNaN(share) || math.Abs(sum-share) < 1e-10, float64(len(g)),
						"%s: margins of node %d: %v and %v", name, v, share, sum)
					share = sum
				}
			}
		}
	}
	return nil
}

func coefficientSensitivity(t *trial, factor float64) error {
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
		worst, most := int64(0), 0
		for z := range uint(1) << len(g) { // x and y = x xor z disagree on the γ with ⟨γ, z⟩ odd, by 2 each
			n := 0
			for _, gamma := range g.closure() {
				if sign(gamma, z) < 0 {
					n++
				}
			}
			most = max(most, n)
			t.f.Cases++
		}
		records(g.arities(2), func(z []int) {
			if n, err := s.OddCount(z); err == nil {
				worst = max(worst, n)
			}
		})
		t.f.require(exact && worst == odd && int64(most) == odd && s.Size() == c.size, "%s: |N| = %d", c.name, s.Size())
		t.bound(factor*float64(s.Size()), 2*float64(odd), float64(len(g)), "%s", c.name)
		t.f.require(2*odd > int64(s.Size()-1) && odd <= int64(s.Size()-1), "%s: odd(N) out of its range", c.name)
		t.f.number(c.name+": odd(N)", float64(odd), float64(c.odd), 0)
	}
	return nil
}
