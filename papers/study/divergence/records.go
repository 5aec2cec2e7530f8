package divergence

import (
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
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

// Case is a row of the comparison of sample sizes: a goal at a privacy level, the paper's calibration for that level
// and, when its R is not 0, a better one. Lambda and Epsilon, a Rényi order and bound, are for reading only: that the
// calibrations meet them is the caller's to know.
type Case struct {
	Lambda, Epsilon float64
	Goal            Goal
	Paper, Better   Calibration
}

// Need is how many records a case takes. Real numbers: rounding up is for tables.
type Need struct {
	Case
	Theorem2, Star, Simple, OneHot float64 // with the paper's calibration
	BetterStar                     float64 // Theorem 2* with the better one; 0 without it
}

// Comparison is sample sizes by case, as numbers, table and figure. The figure's own table twin is Figure.Table().
type Comparison struct {
	Needs  []Need
	Table  *table.Table
	Figure *figure.Figure
}

// RecordsNeeded compares how many records guarantee each case's goal for every histogram p by Theorem 2, by Theorem 2*
// and by both Theorem 2* and a better calibration, with the exact need of a one-hot histogram for reference. Reads no
// data.
//
// Errors: no case, or a case outside the domain of [RecordsTheorem2], is a *ParameterError; α < ½ is a *ConditionError.
func RecordsNeeded(cases []Case) (*Comparison, error) {
	if err := check("RecordsNeeded", domain.Arg("cases", len(cases), len(cases) > 0, "at least one")); err != nil {
		return nil, err
	}
	c := &Comparison{}
	for _, k := range cases {
		n, err := k.need()
		if err != nil {
			return nil, err
		}
		c.Needs = append(c.Needs, n)
	}
	c.Table = recordsTable(c.Needs)
	c.Figure = recordsFigure(c.Needs)
	return c, nil
}

func (k Case) need() (Need, error) {
	n := Need{Case: k}
	var errs [5]error
	n.Theorem2, errs[0] = RecordsTheorem2(k.Goal, k.Paper)
	n.Star, errs[1] = RecordsStar(k.Goal, k.Paper)
	n.Simple, errs[2] = RecordsSimple(k.Goal, k.Paper)
	n.OneHot, errs[3] = RecordsOneHot(k.Goal, k.Paper)
	if k.Better.R != 0 {
		n.BetterStar, errs[4] = RecordsStar(k.Goal, k.Better)
	}
	return n, errors.Join(errs[:]...)
}

func recordsTable(needs []Need) *table.Table {
	t := table.New("Records needed for a small divergence", "cells", "λ", "ε", "η", "γ", "Theorem 2", "Theorem 2*",
		"closed form", "one-hot, exact", "2* and better r, α")
	for _, n := range needs {
		row := []any{n.Goal.Cells, n.Lambda, n.Epsilon, n.Goal.Eta, n.Goal.Gamma}
		for _, x := range []float64{n.Theorem2, n.Star, n.Simple, n.OneHot} {
			row = append(row, math.Ceil(x))
		}
		if n.BetterStar > 0 {
			row = append(row, math.Ceil(n.BetterStar))
		}
		t.Add(row...)
	}
	return t.Note("Records from which Pr[KL > η] ≤ γ, KL in nats. Theorem 2, Theorem 2* and its closed form hold for " +
		"every histogram; one-hot is the exact need of one, which no such bound can undercut.")
}

func recordsFigure(needs []Need) *figure.Figure {
	f := &figure.Figure{
		Title: "Records needed for a small divergence", XLabel: "case", YLabel: "records", LogY: true,
		Caption: "Records from which Pr[KL > η] ≤ γ for every histogram; exact for a one-hot histogram. Each case is " +
			"cells d, Rényi bound ε, divergence η in nats" + shared(needs) + ".",
	}
	for _, n := range needs {
		f.XTicks = append(f.XTicks, fmt.Sprintf("d=%d ε=%g η=%g", n.Goal.Cells, n.Epsilon, n.Goal.Eta))
	}
	for _, s := range []struct {
		name string
		of   func(Need) float64
	}{
		{"Theorem 2", func(n Need) float64 { return n.Theorem2 }},
		{"Theorem 2*", func(n Need) float64 { return n.Star }},
		{"one-hot, exact", func(n Need) float64 { return n.OneHot }},
		{"Theorem 2* and better r, α", func(n Need) float64 { return n.BetterStar }},
	} {
		series := figure.Series{Name: s.name, Kind: figure.Points}
		for i, n := range needs {
			if y := s.of(n); y > 0 && domain.Finite(y) {
				series.X, series.Y = append(series.X, float64(i)), append(series.Y, math.Ceil(y))
			}
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	return f
}

// shared is what all cases have in common.
func shared(needs []Need) string {
	text := ""
	first := needs[0]
	same := func(of func(Need) float64) bool {
		for _, n := range needs {
			if of(n) != of(first) {
				return false
			}
		}
		return true
	}
	if same(func(n Need) float64 { return n.Lambda }) {
		text += fmt.Sprintf("; λ = %g", first.Lambda)
	}
	if same(func(n Need) float64 { return n.Goal.Gamma }) {
		text += fmt.Sprintf("; γ = %g", first.Goal.Gamma)
	}
	return text
}

// Gain is the loss of one calibration on one histogram.
type Gain struct {
	Calibration
	KL, Spread float64 // mean and standard deviation of KL(p‖q), nats
	LogLoss    float64 // mean cross-entropy −Σ p_i ln q_i, nats
	Factor     float64 // mean KL of the first calibration divided by this one
}

// HistogramGains is how calibrations compare on one histogram. It depends on the counts.
type HistogramGains struct {
	Name    string
	Records float64
	Gains   []Gain
}

// Gains compares calibrations on one histogram of counts by the exact moments of KL(p‖q), p the shares of the counts
// and q ~ Dir(r·f + α):
//
//	E KL = Σ_{p_i>0} p_i[ln p_i − ψ(rf_i + α)] + ψ(rN + dα),  Var KL = Σ p_i²ψ′(rf_i + α) − ψ′(rN + dα).
//
// The first calibration, such as Algorithm 1, is what the factors are relative to. Choosing r or α by this on private
// counts breaks the guarantee. Private, like the counts: do not publish, unless they are public.
//
// Errors: fewer than two cells, no record, a negative or infinite count, no calibration, r or α ≤ 0: *ParameterError.
func Gains(name string, counts []float64, calibrations []Calibration) (*HistogramGains, error) {
	args := []domain.Argument{cells(len(counts)),
		domain.Arg("calibrations", len(calibrations), len(calibrations) > 0, "at least one")}
	total := 0.0
	for i, f := range counts {
		args = append(args, domain.Arg(fmt.Sprintf("counts[%d]", i), f, f >= 0 && domain.Finite(f),
			"a finite count ≥ 0"))
		total += f
	}
	args = append(args, domain.Positive("records", total))
	for _, c := range calibrations {
		args = append(args, domain.Positive("r of "+c.Name, c.R), domain.Positive("alpha of "+c.Name, c.Alpha))
	}
	if err := check("Gains", args...); err != nil {
		return nil, err
	}
	p := make([]float64, len(counts))
	for i, f := range counts {
		p[i] = f / total
	}
	g := &HistogramGains{Name: name, Records: total}
	for _, c := range calibrations {
		kl := klrisk.ExpectedKL(p, total, c.R, c.Alpha)
		g.Gains = append(g.Gains, Gain{
			Calibration: c, KL: kl, Spread: math.Sqrt(klrisk.VarKL(p, total, c.R, c.Alpha)),
			LogLoss: klrisk.ExpectedLogLoss(p, total, c.R, c.Alpha),
		})
		last := &g.Gains[len(g.Gains)-1]
		last.Factor = g.Gains[0].KL / last.KL
	}
	return g, nil
}

// Table shows the gains.
func (g *HistogramGains) Table() *table.Table {
	t := table.New("Expected divergence of one draw: "+g.Name, "calibration", "r", "α", "E KL", "s.d.", "E log-loss",
		"gain")
	for _, c := range g.Gains {
		t.Add(c.Name, c.R, c.Alpha, c.KL, c.Spread, c.LogLoss, c.Factor)
	}
	return t.Note(fmt.Sprintf("Nats, exact; %s records. Gain: E KL of the first row divided by this row's. Depends "+
		"on the counts: private unless they are public.", table.Number(g.Records)))
}

// TheoremStar is Theorem 2*: for α ≥ ½, all p and η > 0, with n = β + dα and ρ = (β + α − ½)/n,
//
//	Pr[KL(p‖q) > η] ≤ exp(−n·kl(ρ‖e^{−η}))  where e^{−η} < ρ, and 1 elsewhere,
//
// kl being the divergence of two coins. It is never above Theorem 2 and nearly exact for p at a corner, see
// [OneHotTail].
//
// Proof. With M(t) = E e^{tKL} as in equation (14), d/dt ln M = ψ(s + dα) − Σ p_i ψ(sp_i + α) + Σ p_i ln p_i at s = β −
// t. Now ψ(x) ≤ ln x, ψ(x) ≥ ln(x − ½), and, p ↦ p ln(s + (α−½)/p) being concave with value 0 at 0, Σ p_i ln(s +
// (α−½)/p_i) ≥ ln(s + α − ½): the derivative is at most ln[(s + dα)/(s + α − ½)]. Minimise its integral less tη: (s₀ +
// dα)/(s₀ + α − ½) = e^η, and the value is −n·kl.
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; α < ½ is a *ConditionError.
func TheoremStar(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkStar("TheoremStar", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return math.Exp(-starExponent(d, beta, alpha, eta)), nil
}

// TheoremStarSimple is the simpler, weaker form of Theorem 2*:
//
//	Pr[KL(p‖q) > η] ≤ min(1, 2^{dα} e^{−βη/2}),
//
// from ln[(s + dα)/(s + α − ½)] ≤ dα/s and t = β/2. Domain and errors as [TheoremStar].
func TheoremStarSimple(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkStar("TheoremStarSimple", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return math.Exp(min(0, float64(d)*alpha*math.Ln2-beta*eta/2)), nil
}

// OneHotTail is Pr[KL(p‖q) > η] for p = (1, 0, …, 0), exactly: KL = −ln q₁ and q₁ ~ Beta(β + α, (d−1)α), so it is
//
//	I_x(β + α, (d−1)α),  x = e^{−η}.
//
// No condition on α. Domain: d ≥ 2; β, α, η > 0; otherwise a *ParameterError.
func OneHotTail(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail("OneHotTail", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return oneHot(d, beta, alpha, eta), nil
}

func oneHot(d int, beta, alpha, eta float64) float64 {
	lower, _ := num.BetaTails(beta+alpha, float64(d-1)*alpha, math.Exp(-eta), -math.Expm1(-eta))
	return lower
}

// starExponent is n·kl(ρ‖e^{−η}), or 0 where e^{−η} ≥ ρ; 1 − ρ is known without subtraction.
func starExponent(d int, beta, alpha, eta float64) float64 {
	n := beta + float64(d)*alpha
	x, xc := (beta+alpha-half)/n, (float64(d-1)*alpha+half)/n
	y, yc := math.Exp(-eta), -math.Expm1(-eta)
	if yc <= xc {
		return 0
	}
	return n * coins(x, xc, y, yc)
}

// coins is kl(x‖y) of two coins given with their complements, as a sum without negative terms:
// y·φ((x−y)/y) + y′·φ((y−x)/y′), φ(h) = (1+h)ln(1+h) − h.
func coins(x, xc, y, yc float64) float64 {
	gap := x - y
	if xc < 0.5 {
		gap = yc - xc
	}
	return y*num.XLogXMinus(gap/y) + yc*num.XLogXMinus(max(-gap/yc, -1))
}

func checkStar(function string, d int, beta, alpha, eta float64) error {
	if err := checkTail(function, d, beta, alpha, eta); err != nil {
		return err
	}
	return atLeastHalf("Theorem 2*", alpha)
}

// PaperTheorem2 is Theorem 2 as printed, a bound of Pr[KL(p‖q) > η] for all p "for any α > 0" and β ≥ dα/(e^{η/2} − 1):
//
//	exp(−βη²/(2(2+η)(4+3η))).
//
// It is false for small α: d = 1000, β = 100, α = 0.01, η = 1 and uniform p have the bound 0.092, and nearly every draw
// exceeds 1 nat. Use [Theorem2], or better [TheoremStar].
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; a β below the printed condition is a *ConditionError.
func PaperTheorem2(d int, beta, alpha, eta float64) (float64, error) {
	return theorem2("PaperTheorem2", d, beta, alpha, eta)
}

// Theorem2 is Theorem 2 of the paper with the condition that its proof uses: for α ≥ ½ and β ≥ dα/(e^{η/2} − 1),
//
//	Pr[KL(p‖q) > η] ≤ exp(−βη²/(2(2+η)(4+3η)))  for all p.
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; α < ½ or β too small is a *ConditionError.
func Theorem2(d int, beta, alpha, eta float64) (float64, error) {
	bound, err := theorem2("Theorem 2", d, beta, alpha, eta)
	if err == nil {
		err = atLeastHalf("Theorem 2", alpha)
	}
	if err != nil {
		return 0, err
	}
	return bound, nil
}

func theorem2(name string, d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail(name, d, beta, alpha, eta); err != nil {
		return 0, err
	}
	if least := leastBeta(d, alpha, eta); beta < least {
		return 0, &ConditionError{name, "beta", beta, least}
	}
	return math.Exp(-beta * rate2(eta)), nil
}

// rate2 is the rate of Theorem 2 in β.
func rate2(eta float64) float64 { return eta * eta / (2 * (2 + eta) * (4 + 3*eta)) }

// leastBeta is the β from which Theorem 2 holds.
func leastBeta(d int, alpha, eta float64) float64 { return float64(d) * alpha / math.Expm1(eta/2) }

// Theorem2W is the bound inside the proof of Theorem 2 before W is estimated (equation 16), for α ≥ ½ and every η > 0:
//
//	Pr[KL(p‖q) > η] ≤ exp(−β(W − 1)²/W),  W = W₀(βe^{1+η}/(β + dα)),  and 1 where W ≤ 1,
//
// W₀ being Lambert's function. Domain and errors as [Theorem2], without its condition on β.
func Theorem2W(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail("Theorem2W", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	if err := atLeastHalf("Theorem 2", alpha); err != nil {
		return 0, err
	}
	above := eta - math.Log1p(float64(d)*alpha/beta) // ln of the argument, less one
	if above <= 0 {
		return 1, nil
	}
	// v = W − 1 solves v + ln(1 + v) = above: concave, so Newton's method from v = above/2 ≤ v rises to it.
	v := above / 2
	for range 8 {
		v -= (v + math.Log1p(v) - above) * (1 + v) / (2 + v)
	}
	return math.Exp(-beta * v * v / (1 + v)), nil
}

func checkTail(function string, d int, beta, alpha, eta float64) error {
	return check(function, cells(d), domain.Positive("beta", beta), domain.Positive("alpha", alpha),
		domain.Positive("eta", eta))
}
