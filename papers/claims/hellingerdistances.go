package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// NoteA and NoteB are the two notes on the exponential mechanism over posteriors. They have one title; the claims call
// them note A and note B.
const (
	NoteA = "Notes of DP - Bayesian Inference, note A"
	NoteB = "Notes of DP - Bayesian Inference, note B"
)

func init() {
	register(
		Claim{
			ID: "hellinger/01", Document: NoteB, Place: "§2.2.1", Verdict: Holds,
			Statement: "the Hellinger distance of two Beta or Dirichlet posteriors is √(1 − B((a+b)/2)/√(B(a)B(b)))",
			True:      "for one record moved from cell i to j it is √(1 − g(c_i − 1)·g(c_j)), g(t) = Γ(t+½)/(Γ(t)√t)",
			Source:    "theory/hellinger.md §1", check: closedForm,
		},
		Claim{
			ID: "hellinger/02", Document: NoteA, Place: "§1", Verdict: Corrected,
			Statement:      "the Dirichlet density is ∏ ξ_i^{α_i}/B(α)",
			True:           "∏ ξ_i^{α_i − 1}/B(α)",
			Counterexample: "α = (1, 1): the printed density integrates to 1/6",
			Source:         "theory/hellinger.md §0", check: density,
		},
		Claim{
			ID: "hellinger/03", Document: NoteA, Place: "§4.1, Figure 1", Verdict: Holds,
			Statement: "max over candidates r of |H(x, r) − H(y, r)| is attained at r = the posterior of x",
			True:      "exactly at the posteriors of x and of y",
			Source:    "theory/hellinger.md §2", check: attainedAtTheEnds,
		},
		Claim{
			ID: "hellinger/05", Document: NoteA, Place: "Figures 3, 4", Verdict: False,
			Statement: "the global sensitivity for DL(7,4,5) is 0.239992747797",
			True: "0.23362948070888 = edge(4, 5) for every n ≥ 1; the printed number is the distance of " +
				"the priors (7,4,5) and (8,3,5)",
			Counterexample: "n = 1",
			Source:         "theory/hellinger.md §0", check: printedGlobal,
		},
		Claim{
			ID: "hellinger/06", Document: NoteA, Place: "Figures 3, 4", Verdict: Corrected,
			Statement: "0.0699407108115 and 0.0677791100173 bound the smooth sensitivity; Figure 4 (n = 150) " +
				"has the second",
			True: "they are β = ln(1 + ε/(2 ln(2N/δ))) at ε = δ = 0.8 with N = n = 100 and 120; for n = " +
				"150 it is 0.0653087964221843",
			Counterexample: "with the lemma's N = n + 1 = 101 it is 0.0698191876427854",
			Source:         "theory/hellinger.md §0", check: printedBeta,
		},
		Claim{
			ID: "hellinger/07", Document: NoteA, Place: "Figures 3, 4", Verdict: False,
			Statement: "local and smooth sensitivity at the data are 0.08 and 0.09 (n = 100), 0.0945 and 0.096 " +
				"(n = 120, 150)",
			True:           "for DL(7,4,5) no data set of 100 or 120 records has both, within rounding",
			Counterexample: "all x, DL(7,4,5)",
			Source:         "theory/hellinger.md §0", check: printedLocal,
		},
	)
}

// closedForm compares the edge formula with the general one on neighbours.
func closedForm(_ context.Context, f *Finding) error {
	for _, alpha := range [][]float64{{1, 1}, {7, 4}, {.5, .5}, {.01, 30}, {7, 4, 5}, {1, 2, 3, 40}} {
		s := space(6, alpha...)
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				a, b := s.Distance(x, y), s.Edge(alpha[i]+float64(x[i])-1, alpha[j]+float64(x[j]))
				f.trial().printed(math.Abs(a-b) <= 1e-13*a, 6, "prior %v, %v to %v: %v and %v", alpha, x, y, a, b)
			}
		})
	}
	// Beta(2,1) against Beta(1,2): BC = ∫ 2√(t(1−t)) dt = π/4
	f.number("H(Beta(2,1), Beta(1,2))", space(1, 1, 1).Distance([]int64{1, 0}, []int64{0, 1}), math.Sqrt(1-math.Pi/4),
		1e-15)
	return nil
}

// density integrates the printed and the standard density of Dirichlet(1, 1) by the midpoint rule.
func density(_ context.Context, f *Finding) error {
	d, err := posterior.NewBeta(1, 1)
	if err != nil {
		return err
	}
	const steps = 100_000
	printed, standard := 0.0, 0.0
	for i := range steps {
		t := (float64(i) + .5) / steps
		printed += t * (1 - t) / steps // B(1, 1) = 1
		standard += math.Exp(d.LogDensity(t)) / steps
	}
	f.number("∫ printed density, α = (1, 1)", printed, 1./6, 1e-9)
	f.number("∫ density with exponents α − 1", standard, 1, 1e-9)
	f.Cases = steps
	f.trial().printed(math.Abs(printed-1) < 1e-6, 2, "α = (1, 1): the printed density integrates to 1/%.0f", 1/printed)
	f.trial().repaired(math.Abs(standard-1) < 1e-6, "α = (1, 1): %v", standard)
	return nil
}

// attainedAtTheEnds finds all maximisers.
func attainedAtTheEnds(_ context.Context, f *Finding) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{1, []float64{1, 1}}, {12, []float64{7, 4}}, {20, []float64{.3, 2}}, {6, []float64{1, 1, 1}},
		{5, []float64{7, 4, 5}}, {4, []float64{1, 1, 1, 1}}} {
		s := space(c.n, c.alpha...)
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				most := s.Distance(x, y)
				eachHistogram(s, func(r []int64) {
					gap := math.Abs(s.Distance(x, r) - s.Distance(y, r))
					end := hellinger.Dist(x, r) == 0 || hellinger.Dist(y, r) == 0
					f.trial().printed(end && math.Abs(gap-most) <= 1e-13 || !end && gap < most*(1-1e-9), float64(c.n),
						"prior %v, x = %v, y = %v, r = %v: %v of %v", c.alpha, x, y, r, gap, most)
				})
			}
		})
	}
	return nil
}

func printedGlobal(_ context.Context, f *Finding) error {
	s := space(1, 7, 4, 5)
	f.number("edge(3, 7), the printed number", s.Edge(3, 7), 0.239992747797, 5e-13)
	f.number("edge(4, 5)", s.Edge(4, 5), 0.23362948070888, 1e-14)
	for n := 1; n <= 14; n++ {
		s := space(n, 7, 4, 5)
		most := 0.0
		eachHistogram(s, func(x []int64) { v, _, _ := s.Local(x); most = math.Max(most, v) })
		f.trial().printed(math.Abs(most-.239992747797) < 5e-13, float64(n), "n = %d", n)
		f.require(math.Abs(most-s.Edge(4, 5)) < 1e-14, "n = %d: max LS = %v", n, most)
	}
	return nil
}

func printedBeta(_ context.Context, f *Finding) error {
	f.number("β, N = 100", notesBeta(.8, .8, 100), 0.0699407108115, 5e-14)
	f.number("β, N = 120", notesBeta(.8, .8, 120), 0.0677791100173, 5e-14)
	f.number("β, N = 150", notesBeta(.8, .8, 150), 0.0653087964221843, 1e-15)
	f.number("β, N = 101, as in the lemma", notesBeta(.8, .8, 101), 0.0698191876427854, 1e-15)
	t := f.trial()
	t.printed(near(notesBeta(.8, .8, 101), .0699407108115, 1e-11), 100, "with the lemma's N = n + 1 = 101 it is %.16f",
		notesBeta(.8, .8, 101))
	t.printed(near(notesBeta(.8, .8, 151), .0677791100173, 1e-11), 150, "n = 150: %.16f", notesBeta(.8, .8, 151))
	t.repaired(near(notesBeta(.8, .8, 100), .0699407108115, 1e-11) &&
		near(notesBeta(.8, .8, 120), .0677791100173, 1e-11), "N = n = 100 and 120")
	return nil
}

func printedLocal(_ context.Context, f *Finding) error {
	for _, c := range []struct {
		n          int
		ls, s, lsW float64
	}{{100, .08, .09, .005}, {120, .0945, .096, .00005}} {
		sp := space(c.n, 7, 4, 5)
		beta, found := notesBeta(.8, .8, float64(c.n)), false
		eachHistogram(sp, func(x []int64) {
			ls, _, _ := sp.Local(x)
			s := sp.Smooth(x, beta).Value
			found = found || math.Abs(ls-c.ls) <= c.lsW && math.Abs(s-c.s) <= .0005
			f.Cases++
		})
		f.trial().printed(found, float64(c.n), "all x, DL(7,4,5)")
	}
	return nil
}
