package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Robustness is one ordered pair of data sets: how far apart their posteriors are, and what Theorems 7 and 8 say of it,
// as printed and improved. Divergences in nats.
type Robustness struct {
	X, Y     int
	Distance float64 // ρ(x, y)

	KL       float64 // D(ξ(·|x) ‖ ξ(·|y)), exact
	Jeffreys float64 // the sum of both directions, exact
	TV       float64 // exact
	Epsilon  float64 // max |ln ξ(θ|x)/ξ(θ|y)|, exact

	PaperKL float64 // Theorem 7.1: 2Lρ. Also the ε of Theorem 8.1, where it is attained
	KLBound float64 // κ(2Lρ), attained; at most (Lρ)²/2
	TVBound float64 // tanh(Lρ/2), attained

	PaperKL2 float64 // Theorem 7.2: C(1+2L0+1/c)ρ, printed for c > 1 only
	PaperTV2 float64 // Theorem 8.2: √(½C(1+2L0+1/c)ρ), printed for c > 1 only

	JeffreysBound float64 // C·E[ℓ]·ρ: both directions together, any c > 0, no chain condition
	JeffreysL0    float64 // C(L0+1/c)ρ, which is no smaller
	TVJeffreys    float64 // the t with 2t ln((1+t)/(1−t)) = JeffreysBound, at most half its root
}

// Robustness compares two data sets; L0 is the constant of Assumption 2, with the best c for it ([Family.BestC]). Every
// bound that is not named Paper holds for every family and prior:
//
//   - the log-ratio of two posteriors has a range of at most 2Lρ, and laws with a log-ratio of range w have D ≤ κ(w),
//     TV ≤ tanh(w/4);
//   - with f_x = ξ(·|x)/ξ ≤ C, D(x‖y) + D(y‖x) = E_ξ (f_x − f_y) ln p_θ(x)/p_θ(y) ≤ E_ξ max(f_x, f_y)·ℓ(θ)ρ ≤
//     C·E_ξ[ℓ]·ρ.
//
// The printed 7.2 is at least twice [Robustness.JeffreysL0] for c ≥ 1 and changes with the unit of ρ; its proof takes
// ln(Ce^a) for Ca. The printed 8.2 is never below 0.7 at ρ = 1. Domain: x, y data sets, L0 as in BestC; otherwise a
// *ParameterError. Source: theory/sampling.md §5, §6.
func (f *Family) Robustness(x, y int, l0 float64) (Robustness, error) {
	if err := f.pair("Robustness", x, y); err != nil {
		return Robustness{}, err
	}
	c, err := f.BestC(l0)
	if err != nil {
		return Robustness{}, err
	}
	return f.robustness(x, y, constants{f.Uniform(), f.Constant(), f.MeanL(), l0, c}), nil
}

// constants are what the bounds need of a family.
type constants struct{ uniform, ratio, meanL, l0, c float64 }

func (f *Family) robustness(x, y int, k constants) Robustness {
	d := compare(f.post[x], f.post[y])
	rho := f.rho[x][y]
	r := Robustness{X: x, Y: y, Distance: rho, KL: d.kl, Jeffreys: d.jeffreys, TV: d.tv, Epsilon: d.ratio}
	if rho == 0 && math.IsInf(k.uniform, 1) { // 0·∞: nothing is promised
		r.PaperKL, r.KLBound, r.TVBound = math.Inf(1), math.Inf(1), 1
		r.JeffreysBound, r.JeffreysL0, r.TVJeffreys = math.Inf(1), math.Inf(1), 1
		r.PaperKL2, r.PaperTV2 = math.Inf(1), math.Inf(1)
		return r
	}
	r.PaperKL = 2 * k.uniform * rho
	r.KLBound = up(Kappa(r.PaperKL))
	r.TVBound = math.Min(1, up(RangeTV(r.PaperKL)))
	r.PaperKL2 = k.ratio * (1 + 2*k.l0 + 1/k.c) * rho
	r.PaperTV2 = math.Sqrt(r.PaperKL2 / 2)
	r.JeffreysBound = up(k.ratio * k.meanL * rho)
	r.JeffreysL0 = up(k.ratio * (k.l0 + 1/k.c) * rho)
	r.TVJeffreys = math.Min(1, up(jeffreysTV(r.JeffreysBound)))
	return r
}

// Worst is the ordered pair of data sets within distance ρ whose posteriors have the largest TV, with its bounds.
// Domain: ρ ≥ 0, a pair within it, L0 as in [Family.BestC]; otherwise a *ParameterError.
func (f *Family) Worst(rho, l0 float64) (Robustness, error) {
	c, err := f.BestC(l0)
	if err != nil {
		return Robustness{}, err
	}
	k := constants{f.Uniform(), f.Constant(), f.MeanL(), l0, c}
	bx, by, best := -1, -1, -1.0
	for x := range f.post {
		for y := range f.post {
			if x != y && f.rho[x][y] <= rho {
				// the pair in both orders has one TV: ties go to the larger divergence
				if d := compare(f.post[x], f.post[y]); d.tv > best+1e-12 || d.tv > best-1e-12 &&
					d.kl > compare(f.post[bx], f.post[by]).kl {
					bx, by, best = x, y, d.tv
				}
			}
		}
	}
	if err := check("Worst", domain.Arg("rho", rho, bx >= 0,
		"at least the distance of some pair of data sets")); err != nil {
		return Robustness{}, err
	}
	return f.robustness(bx, by, k), nil
}

// Table shows the exact values with the bounds that belong to them.
func (r Robustness) Table() *table.Table {
	t := table.New("Robustness of the posterior, Theorems 7 and 8", "quantity", "exact", "paper", "tight")
	t.Add("KL, Assumption 1", r.KL, r.PaperKL, r.KLBound)
	t.Add("KL, Assumption 2", r.KL, r.PaperKL2, r.JeffreysBound)
	t.Add("KL + reverse KL", r.Jeffreys, 2*r.PaperKL2, r.JeffreysBound)
	t.Add("TV, Assumption 1", r.TV, math.Sqrt(r.PaperKL/2), r.TVBound)
	t.Add("TV, Assumption 2", r.TV, r.PaperTV2, r.TVJeffreys)
	t.Add("log-ratio", r.Epsilon, r.PaperKL, r.PaperKL)
	return t.Note("Data sets at distance " + table.Number(r.Distance) + ". Tight: κ(2Lρ), tanh(Lρ/2), C·E[ℓ]·ρ. The " +
		"paper states Assumption 2 for c > 1.")
}
