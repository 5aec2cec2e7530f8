package claims

import (
	"fmt"
	"math"
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

func truncationHelps(t *trial, upper float64) error {
	for n := 1; n <= 12; n++ {
		for d := 0; d <= n; d++ {
			for i := -60; i <= 60; i++ {
				m := float64(n)
				noisy := m * (.5 + float64(i)/20)
				cut := math.Min(math.Max(noisy, 0), upper*m)
				t.printed(math.Abs(cut-float64(d)) <= math.Abs(noisy-float64(d)), m, "n = %d, D = %d, noisy %v", n, d,
					noisy)
			}
		}
	}
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
