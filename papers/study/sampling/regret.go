package sampling

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Utility is the utility u[θ][r] in [0, 1] of one query: every response r for every parameter θ.
type Utility [][]float64

// validate checks the shape.
func (u Utility) validate(function string, parameters int) error {
	if err := check(function, domain.Arg("rows of the utility", len(u), len(u) == parameters,
		fmt.Sprintf("%d, one for each parameter", parameters))); err != nil {
		return err
	}
	for i, row := range u {
		if err := check(function, domain.Arg(fmt.Sprintf("responses of row %d", i), len(row),
			len(row) > 0 && len(row) == len(u[0]), "as many as in every row, at least 1")); err != nil {
			return err
		}
		for r, v := range row {
			if err := check(function, domain.Arg(fmt.Sprintf("utility[%d][%d]", i, r), v, v >= 0 && v <= 1,
				"in [0, 1]")); err != nil {
				return err
			}
		}
	}
	return nil
}

// expected is the utility of every response under the belief p.
func (u Utility) expected(p []float64) []float64 {
	e := make([]float64, len(u[0]))
	for i, w := range p {
		if w != 0 {
			for r, v := range u[i] {
				e[r] += w * v
			}
		}
	}
	return e
}

// tie is how far below the best a response may be and still be among the best, which are broken against us.
const tie = 1e-12

// loss is what the response that is best under the scores loses under the values; of equally good ones the worst.
func loss(scores, values []float64) float64 {
	best, chosen := largest(scores), math.Inf(1)
	for r, s := range scores {
		if s >= best-tie {
			chosen = math.Min(chosen, values[r])
		}
	}
	return largest(values) - chosen
}

// Regret is what is lost, in utility expected under the belief ideal, by the best response under the belief used. At
// most ‖used − ideal‖₁ (Lemma 14, where a factor 2 is printed too many: u(r*) − u(r) lies in [−1, 1]); attained. A
// response within 1e-12 of the best counts as equally good, so that the regret may exceed the bound by this much.
// Domain: probability vectors of one length, utilities in [0, 1]; otherwise a *ParameterError. Source:
// theory/sampling.md §21.
func Regret(used, ideal []float64, u Utility) (regret, bound, paper float64, err error) {
	const f = "Regret"
	if err := laws(f, used, ideal); err != nil {
		return 0, 0, 0, err
	}
	if err := u.validate(f, len(used)); err != nil {
		return 0, 0, 0, err
	}
	l1 := 2 * hockeyStick(used, ideal, 0)
	return loss(u.expected(used), u.expected(ideal)), up(l1), 2 * l1, nil
}

// Shift are the bounds of Lemma 15 and Corollary 16 for priors with |ln ξ*(θ)/ξ(θ)| ≤ η, divergences in nats.
type Shift struct {
	Eta        float64
	Paper      float64 // 2η, for E D(ξ*_x ‖ ξ_x)
	ExpectedKL float64 // η tanh(η/2), attained when there is no data: D of the posteriors is on average at most D(ξ*‖ξ)
	KL         float64 // κ(2η) ≤ η²/2, for every data set
	L1         float64 // 2 tanh(η/2) ≤ η, for every data set: the prior's part of the regret in Corollary 16
}

// PriorShift gives the bounds at η. Corollary 16 follows with L1 + [FixedBar]; Lemma 15 with Pinsker's inequality, as
// printed, gives only √η. Domain: η ≥ 0; otherwise a *ParameterError. Source: theory/sampling.md §21.
func PriorShift(eta float64) (Shift, error) {
	if err := check("PriorShift", domain.NotNegative("eta", eta)); err != nil {
		return Shift{}, err
	}
	t := math.Tanh(eta / 2)
	return Shift{eta, 2 * eta, eta * t, Kappa(2 * eta), 2 * t}, nil
}

// ShiftBar is Corollary 16 for one query fixed in advance: with probability at least 1 − δ the best response on N
// samples of the private posterior loses at most 2 tanh(η/2) + √(2 ln((R−1)/δ)/N) of the utility expected under the
// ideal posterior, at most 1. Domain: that of [PriorShift] and [FixedBar]; otherwise a *ParameterError.
func ShiftBar(eta float64, responses, samples int, delta float64) (float64, error) {
	s, err := PriorShift(eta)
	if err != nil {
		return 0, err
	}
	bar, err := FixedBar(responses, samples, delta)
	if err != nil {
		return 0, err
	}
	return math.Min(1, up(s.L1+bar)), nil
}

// ShiftExact is what [PriorShift] bounds, on one family.
type ShiftExact struct {
	Eta        float64 // max |ln ξ*(θ)/ξ(θ)|
	ExpectedKL float64 // E D(ξ*_x ‖ ξ_x), x from the marginal of ξ*
	KL         float64 // the largest over data sets
	L1         float64 // the largest ‖ξ*_x − ξ_x‖₁
}

// Shift compares the posteriors of f, whose prior is the ideal one ξ*, with those under another prior of the same
// support. Domain: weights ≥ 0, one for each parameter, 0 where ξ* is 0 and only there; data sets whose probabilities
// add up to 1 for every θ; otherwise a *ParameterError.
func (f *Family) Shift(prior []float64) (ShiftExact, error) {
	if err := f.complete("Shift"); err != nil {
		return ShiftExact{}, err
	}
	g, err := f.WithPrior(prior)
	if err != nil {
		return ShiftExact{}, err
	}
	var s ShiftExact
	for i := range prior {
		if err := check("Shift", domain.Arg(fmt.Sprintf("prior[%d]", i), prior[i], f.support(i) == g.support(i),
			"0 where the ideal prior is, and only there")); err != nil {
			return ShiftExact{}, err
		}
		if f.support(i) {
			s.Eta = math.Max(s.Eta, math.Abs(f.logPrior[i]-g.logPrior[i]))
		}
	}
	for x, w := range f.Marginal() {
		d := compare(f.post[x], g.post[x])
		s.ExpectedKL += w * d.kl
		s.KL = math.Max(s.KL, d.kl)
		s.L1 = math.Max(s.L1, 2*d.tv)
	}
	return s, nil
}
