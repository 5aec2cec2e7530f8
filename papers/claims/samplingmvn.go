package claims

import (
	"math"
	"math/rand/v2"
)

func init() {
	register(
		sampled(Claim{
			ID: "sampling/26", Place: "Lemma 23 (multivariate normal)", Verdict: Loose,
			Statement: "N(x; 0, A⁻¹) satisfies Assumption 1 with L = ½‖A‖_F under ‖xx′ − yy′‖_F",
			True:      "L = ½λ_max(A), attained at y = 0",
			Source:    "theory/sampling.md §15",
		}, lemma23),
		sampled(Claim{
			ID: "sampling/27", Place: "Lemma 23, classical DP for bounded data", Verdict: Corrected,
			Statement: "(ε, 0) under ρ = ‖xx′ − yy′‖_F + 2‖x − y‖₂ is (3ε, 0) for bounded data",
			True: "for data in [0, 1]; on the unit ball (d ≥ 2) the greatest ρ is 4.7096, on [0, 1]^d it " +
				"is 2√d + d",
			Counterexample: "d = 1, data in [−1, 1]: ρ = 4",
			Source:         "theory/sampling.md §15",
		}, lemma23Classical),
	)
}

// outer is ‖xx′ − yy′‖_F = √(|x|⁴ + |y|⁴ − 2(x·y)²).
func outer(x, y []float64) float64 {
	var xx, yy, xy float64
	for i := range x {
		xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
	}
	return math.Sqrt(math.Max(0, xx*xx+yy*yy-2*xy*xy))
}

func lemma23(t *trial) error {
	r := rand.New(rand.NewPCG(6, 23))
	for _, eigen := range [][]float64{{3, 2, 1}, {1, 1}, {2, 1}, {1, 1, 1, 1}, {5, 1}} {
		norm, top, most := 0.0, 0.0, 0.0
		for _, v := range eigen {
			norm, top = norm+v*v, math.Max(top, v)
		}
		norm = math.Sqrt(norm)
		try := func(x, y []float64) {
			d := outer(x, y)
			if d < 1e-9 {
				return
			}
			sum := 0.0
			for i, v := range eigen {
				sum += v * (x[i]*x[i] - y[i]*y[i]) / 2
			}
			t.f.require(math.Abs(sum)/d <= top/2*(1+1e-9), "%v above ½λ_max = %v", sum/d, top/2)
			most = math.Max(most, math.Abs(sum)/d)
		}
		for range 2000 {
			x, y := make([]float64, len(eigen)), make([]float64, len(eigen))
			for i := range x {
				x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			}
			try(x, y)
		}
		x := make([]float64, len(eigen))
		x[0] = 1
		try(x, make([]float64, len(eigen)))
		t.bound(norm/2, most, top, "eigenvalues %v", eigen)
	}
	t.margin(1.0198, 2, 1e-4)
	return nil
}

func lemma23Classical(t *trial) error {
	greatest := func(points [][]float64) float64 {
		most := 0.0
		for _, x := range points {
			for _, y := range points {
				gap := 0.0
				for i := range x {
					gap += (x[i] - y[i]) * (x[i] - y[i])
				}
				most = math.Max(most, outer(x, y)+2*math.Sqrt(gap))
				t.f.Cases++
			}
		}
		return most
	}
	var line, wide, square, disc [][]float64
	for i := range 21 {
		u := float64(i) / 20
		line, wide = append(line, []float64{u}), append(wide, []float64{2*u - 1})
		for j := range 21 {
			square = append(square, []float64{u, float64(j) / 20})
		}
	}
	for i := range 720 { // ρ is largest on the circle
		a := math.Pi * float64(i) / 360
		disc = append(disc, []float64{math.Cos(a), math.Sin(a)})
	}
	t.repaired(greatest(line) <= 3, "[0, 1]: %v", greatest(line))
	t.printed(greatest(line) <= 3, 0, "d = 1, data in [0, 1]: ρ = %.4g", greatest(line))
	t.printed(greatest(wide) <= 3, 1, "d = 1, data in [−1, 1]: ρ = %.4g", greatest(wide))
	t.printed(greatest(square) <= 3, 2, "d = 2, data in [0, 1]²: ρ = %.4g", greatest(square))
	ball := greatest(disc)
	t.printed(ball <= 3, 3, "d = 2, unit ball: ρ = %.4g", ball)
	t.f.number("greatest ρ on the unit ball", ball, 4.7096008204, 2e-5)
	t.f.number("greatest ρ on [0, 1]²", greatest(square), 2*math.Sqrt2+2, 1e-12)
	return nil
}
