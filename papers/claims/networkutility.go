package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/papers/study/utility"
)

// theorem1Mean compares the exact mean with the printed bound.
func theorem1Mean(t *trial, factor float64) error {
	least := math.Inf(1)
	for _, prior := range []utility.Prior{{Alpha: 2, Beta: 2}, {Alpha: 3, Beta: 2}, {Alpha: 8, Beta: 4}, {Alpha: 1,
		Beta: 1}} {
		for _, n := range []int{1, 2, 5, 20} {
			for _, d := range [][2]float64{{0, 0}, {1, 0}, {0, float64(n)}, {float64(n), 0}} {
				for _, b := range []float64{.25, 1, 5, 50} {
					c := utility.Cell{Prior: prior, A: d[0], B: d[1]}
					m, err := utility.ExpectedKL(c, n, b)
					if err != nil {
						return err
					}
					bound, err := utility.PaperExpected(c, n)
					if err != nil {
						return err
					}
					size := float64(n) + math.Abs(b-1) + d[0] + d[1]
					if prior.Alpha < 2 {
						t.outside(m.Mean <= bound, size, "Beta(%v, %v), counts (%v, %v), n = %d, b = %v: the bound is "+
							"%.3g, the mean %.3f", prior.Alpha, prior.Beta, d[0], d[1], n, b, bound, m.Mean)
						continue
					}
					t.printed(m.Mean <= factor*bound, size, "Beta(%v, %v), counts (%v, %v), n = %d, b = %v: %v > %v",
						prior.Alpha, prior.Beta, d[0], d[1], n, b, m.Mean, bound)
					least = math.Min(least, bound/m.Mean)
				}
			}
		}
	}
	t.f.require(least > 3, "bound ÷ mean falls to %v", least)
	return nil
}

// cornerLaw is what is certain of one cell with counts (n, 0) under nearly flat noise: the masses of the four corners
// and the divergences there.
func cornerLaw(c utility.Cell, n int, b float64) (mass, loss [4]float64) {
	m := float64(n)
	stay, leave := .5, math.Exp(-m/b)/2 // at the true end of [0, n], and at the other
	for i := range 4 {
		z, w := [2]float64{}, 1.0
		for k, true1 := range [2]float64{c.A, c.B} {
			z[k] = m * float64(i>>k&1)
			if z[k] == true1 {
				w *= stay
			} else {
				w *= leave
			}
		}
		mass[i], loss[i] = w, c.Divergence(z[0], z[1])
	}
	return mass, loss
}

// theorem1Tail bounds the probability from below by the corners beyond the threshold, and that of the corrected form
// from above by these and all that is no corner. The power is that of c.
func theorem1Tail(t *trial, power float64) error {
	for _, n := range []int{2, 5, 10, 20, 50, 100, 200} {
		for _, delta := range []float64{.2, .05} {
			c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: float64(n)}
			b := 1000 * float64(n)
			mean, err := utility.ExpectedKL(c, n, b)
			if err != nil {
				return err
			}
			printed := 0.0
			for _, form := range []utility.Form{utility.TheoremForm, utility.LemmaForm, utility.ProofForm} {
				v, err := utility.PaperRange(form, c.Prior, n)
				if err != nil {
					return err
				}
				printed = math.Max(printed, v)
			}
			exact, err := utility.CornerMax(c, n)
			if err != nil {
				return err
			}
			tail := math.Sqrt(-math.Pow(printed, power) * math.Log(delta) / 2)
			corrected := exact * math.Sqrt(-math.Log(delta)/2)
			beyond, above, rest := 0.0, 0.0, 1.0
			mass, loss := cornerLaw(c, n, b)
			for i, w := range mass {
				rest -= w
				if loss[i] >= mean.Mean+tail {
					beyond += w
				}
				if loss[i] >= mean.Mean+corrected {
					above += w
				}
			}
			t.printed(beyond <= delta, float64(n)-delta, "one node, Beta(2, 2), n = %d, counts (%d, 0), ε = %.2g, δ = "+
				"%v: probability at least %.5f", n, n, 2/b, delta, beyond)
			t.repaired(above+rest <= delta, "n = %d, δ = %v: %v", n, delta, above+rest)
		}
	}
	return nil
}

// theorem1Refined asks for n ≥ b; with refined 0 it is the bound of network/10.
func theorem1Refined(t *trial, refined float64) error {
	prior := utility.Prior{Alpha: 2, Beta: 2}
	for _, n := range []int{2, 10, 50} {
		for _, b := range []float64{.25, 1, 2} {
			for _, d := range [][2]float64{{0, float64(n)}, {float64(n / 2), float64(n / 2)}} {
				c := utility.Cell{Prior: prior, A: d[0], B: d[1]}
				m, err := utility.ExpectedKL(c, n, b)
				if err != nil {
					return err
				}
				bound, err := utility.PaperRefined(prior, n, b)
				if refined == 0 {
					bound, err = utility.PaperExpected(c, n)
				}
				if err != nil {
					return err
				}
				t.printed(m.Mean <= bound, float64(n)+b+d[0]/1000, "Beta(2, 2), counts (%v, %v), n = %d, b = %v: %.3g > "+
					"%.3g", d[0], d[1], n, b, m.Mean, bound)
			}
		}
	}
	large := utility.Cell{Prior: prior, A: 500, B: 500} // the rate of the true mean
	m, err := utility.ExpectedKL(large, 1000, 5)
	if err != nil {
		return err
	}
	half, err := utility.ExpectedKL(large, 1000, 2.5)
	if err != nil {
		return err
	}
	t.f.number("mean at scale b ÷ mean at b/2, n = 1000", m.Mean/half.Mean, 4, .02)
	return nil
}

// theorem1Order takes constants for both O( ): under n ≥ b all loss together is below the first term, and for b far
// above n a corner of probability near ¼ is above the sum.
func theorem1Order(t *trial, constant float64) error {
	for _, n := range []int{2, 3, 4, 5, 6, 20, 100, 1000} {
		m := float64(n)
		c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: m}
		most, err := utility.CornerMax(c, n)
		if err != nil {
			return err
		}
		order := constant * m * math.Log(m)
		for _, cells := range []float64{1, 33} {
			for _, b := range []float64{m / 10, m / 2, m} {
				bound := cells*order*-math.Expm1(-m/b) + math.Sqrt(cells*order*math.Log(1/.2))
				t.printed(cells*most <= bound, m, "%v cells, n = %d, b = %v: %v > %v", cells, n, b, cells*most, bound)
			}
		}
		b := 1000 * m
		bound := order*-math.Expm1(-m/b) + math.Sqrt(order*math.Log(1/.2))
		beyond := 0.0
		mass, loss := cornerLaw(c, n, b)
		for i, w := range mass {
			if loss[i] > bound {
				beyond += w
			}
		}
		t.outside(beyond <= .2, m, "one cell, n = %d, b = %v, δ = 0.2: probability at least %.4f", n, b, beyond)
	}
	return nil
}
