package divergence

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Goal is Pr[KL(p‖q) > Eta] ≤ Gamma for a histogram of Cells ≥ 2 cells; Eta in nats, > 0, 0 < Gamma < 1.
type Goal struct {
	Cells      int
	Eta, Gamma float64
}

// Calibration is a pair of parameters of the mechanism, Dir(r·f + α), both > 0. Name is for tables.
type Calibration struct {
	Name     string
	R, Alpha float64
}

func (g Goal) arguments(c Calibration) []domain.Argument {
	return []domain.Argument{cells(g.Cells), domain.Positive("eta", g.Eta), domain.Probability("gamma", g.Gamma),
		domain.Positive("r", c.R), domain.Positive("alpha", c.Alpha)}
}

// RecordsTheorem2 is the number of records from which Theorem 2 proves the goal for all p:
//
//	N = max{ dα/(r(e^{η/2} − 1)),  ln(1/γ)·2(2+η)(4+3η)/(rη²) }.
//
// A real number; round up. Domain: see [Goal] and [Calibration], otherwise a *ParameterError; α < ½ is a
// *ConditionError.
func RecordsTheorem2(g Goal, c Calibration) (float64, error) {
	if err := checkRecords("RecordsTheorem2", "Theorem 2", g, c); err != nil {
		return 0, err
	}
	return max(leastBeta(g.Cells, c.Alpha, g.Eta), -math.Log(g.Gamma)/rate2(g.Eta)) / c.R, nil
}

// RecordsStar is the number of records from which Theorem 2* proves the goal for all p: the N with n·kl(ρ‖e^{−η}) =
// ln(1/γ). A real number, within 1e-9 of itself. Domain and errors as [RecordsTheorem2].
func RecordsStar(g Goal, c Calibration) (float64, error) {
	if err := checkRecords("RecordsStar", "Theorem 2*", g, c); err != nil {
		return 0, err
	}
	target := -math.Log(g.Gamma)
	return smallest(func(beta float64) bool { return starExponent(g.Cells, beta, c.Alpha, g.Eta) >= target }) / c.R, nil
}

// RecordsSimple is the closed form that the second half of Theorem 2* gives:
//
//	N = (2/η)[d(α/r) ln 2 + ln(1/γ)/r].
//
// Domain and errors as [RecordsTheorem2].
func RecordsSimple(g Goal, c Calibration) (float64, error) {
	if err := checkRecords("RecordsSimple", "Theorem 2*", g, c); err != nil {
		return 0, err
	}
	return 2 / g.Eta * (float64(g.Cells)*c.Alpha*math.Ln2 - math.Log(g.Gamma)) / c.R, nil
}

// RecordsOneHot is the number of records at which p = (1, 0, …, 0) just meets the goal, exactly ([OneHotTail]). No
// bound for all p can be smaller: its distance from [RecordsStar] is how much Theorem 2* leaves. No condition on α;
// otherwise as [RecordsTheorem2].
func RecordsOneHot(g Goal, c Calibration) (float64, error) {
	if err := check("RecordsOneHot", g.arguments(c)...); err != nil {
		return 0, err
	}
	return smallest(func(beta float64) bool { return oneHot(g.Cells, beta, c.Alpha, g.Eta) <= g.Gamma }) / c.R, nil
}

func checkRecords(function, theorem string, g Goal, c Calibration) error {
	if err := check(function, g.arguments(c)...); err != nil {
		return err
	}
	return atLeastHalf(theorem, c.Alpha)
}

// smallest is the β > 0 from which enough holds, which is false below and true above; +Inf when no β below 1e300 is
// enough.
func smallest(enough func(beta float64) bool) float64 {
	hi := 1.0
	for !enough(hi) {
		if hi *= 2; hi > 1e300 {
			return math.Inf(1)
		}
	}
	lo := hi
	for enough(lo) {
		if lo /= 2; lo < 1e-300 {
			return 0
		}
	}
	sign := func(x float64) float64 {
		if enough(math.Exp(x)) {
			return 1
		}
		return -1
	}
	_, x, _ := num.RootBracket(sign, math.Log(lo), math.Log(hi), 1e-12)
	return math.Exp(x)
}
