package posteriorsample

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// certify states the release at a setting.
func certify(ctx context.Context, p *problem, q params) (spec mechanism.Spec, err error) {
	s := q.setting()
	if err := p.valid(s); err != nil {
		return spec, err
	}
	pair, err := p.pair(s)
	if err != nil {
		return spec, err
	}
	checks, err := p.checks(ctx, s, pair)
	if err != nil {
		return spec, err
	}
	level, _, err := loss.Spend(ctx, pair, p.target)
	if err != nil { // the bounds may have been cut short
		return spec, err
	}
	if level.Notion == dp.Approximate && level.Delta == 0 {
		level = dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(pair.PureEpsilon())}
	}
	pair.settle()
	title := ""
	if p.target.NominalScale {
		title = fmt.Sprintf("Posterior sample of %d, the paper's own mode", s.draws)
	}
	return mechanism.Spec{
		Title: title, Shape: p.shape, Settings: p.settings(s, pair), Level: level, Arithmetic: dp.Ideal,
		StandardFormula: p.standardFormula(s), Pair: pair,
		Checks: checks, Expected: p.expect(s), Sampler: &sampler{p, s}, Draws: mechanism.Reals, Count: s.draws * p.size,
		Sampled: s.sampled(p.nodes), Predict: func() (float64, string) { return p.predict(s) },
	}, nil
}

// predict is the error of the mean of N draws: of counts, E|θ − Eθ| of one tempered draw at equal counts, 2aᵃbᵇ/(B(a,
// b)(a+b)^{a+b+1}), over √N (theory/sampling.md §22, without the trim); of a rate, E|θ/m − 1| of Gamma(a), a = 1 + ηκn,
// about √(2/(πa)), over √N (without the range). NaN where there are no records.
func (p *problem) predict(s setting) (float64, string) {
	n, public := p.shape.N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	root := math.Sqrt(float64(s.draws))
	if r := p.shape.Rate(); r != nil {
		return math.Sqrt(2/(math.Pi*(1+s.power*r.Power*float64(n)))) / root, "closed form of the gamma distribution, " +
			"without its range"
	}
	sum, conds := 0.0, p.shape.Conditionals()
	prior := p.shape.Model().Prior()
	for _, c := range conds {
		levels := float64(c.Levels)
		a := s.power*float64(n)/float64(c.Rows)/levels + prior.At(0)
		b := (levels - 1) * a
		logs := math.Ln2 + a*math.Log(a/(a+b)) + b*math.Log(b/(a+b)) - math.Log(a+b) - num.LogBeta(a, b)
		sum += math.Exp(logs) / float64(len(conds))
	}
	return sum / root, "closed form, equal counts, without the trim"
}

func (p *problem) settings(s setting, pair *Pair) []mechanism.Setting {
	out := []mechanism.Setting{{Name: "draws N", Value: fmt.Sprintf("%d, a list in the order drawn", s.draws)}}
	power := fmt.Sprintf("%.6g", s.power)
	if p.m.rule == byPower && !p.target.NominalScale {
		power += " (largest that meets the target)"
	}
	out = append(out, mechanism.Setting{Name: "likelihood power η", Value: power})
	least, most := math.Inf(1), 0.0
	for _, w := range s.floors {
		least, most = math.Min(least, w), math.Max(most, w)
	}
	switch {
	case p.Rate != nil:
		out = append(out, mechanism.Setting{Name: "box", Value: fmt.Sprintf("rate in [%g, %g]", p.Rate.C1, p.Rate.C2)})
	case least == 0:
		out = append(out, mechanism.Setting{Name: "box", Value: "none"})
	case p.target.NominalScale && p.networkPaper():
		out = append(out, mechanism.Setting{Name: "box", Value: fmt.Sprintf("every probability ≥ ω = e^{−%.6g/2} = "+
			"%.6g", float64(p.target.Epsilon), least)})
	case least == most:
		out = append(out, mechanism.Setting{Name: "box", Value: fmt.Sprintf("every probability ≥ %.6g", least)})
	default:
		out = append(out, mechanism.Setting{Name: "box", Value: fmt.Sprintf("every probability ≥ %.6g to %.6g, by "+
			"its number of levels", least, most)})
	}
	if e := pair.one.Epsilon(); !math.IsInf(e, 1) {
		out = append(out, mechanism.Setting{Name: "pure ε of one draw", Value: fmt.Sprintf("%.6g", e)})
	}
	if p.target.NominalScale {
		value := fmt.Sprintf("the paper's ε = %.6g; true ε = %.6g", float64(p.target.Epsilon), pair.PureEpsilon())
		if s.draws > 1 && p.networkPaper() {
			value += fmt.Sprintf(", %.6g for each of %s", pair.one.Epsilon(), table.Count(s.draws, "draw"))
		}
		out = append(out, mechanism.Setting{Name: "nominal", Value: value})
	}
	return append(out, mechanism.Setting{Name: "records that the posterior weighs",
		Value: fmt.Sprintf("%.4g of %d", s.power*float64(p.N), p.N)})
}

// sampled is the posterior that is drawn from: its power, and the narrowest box, of width 1 − r·w on every side.
func (s setting) sampled(nodes []node) *mechanism.Sampled {
	out := &mechanism.Sampled{Power: s.power, Box: 1}
	for i, v := range nodes {
		out.Box = math.Min(out.Box, 1-float64(v.Levels)*s.floors[i])
	}
	return out
}

// balancedName names the expectation of one draw's spread.
const balancedName = "standard deviation of one draw's probability"

// expect predicts the spread of one draw of the first conditional, were its counts equal.
func (p *problem) expect(s setting) []mechanism.Expectation {
	if p.Rate != nil {
		return nil
	}
	r := float64(p.nodes[0].Levels)
	total := s.power * float64(p.N)
	for i := range p.nodes[0].Levels {
		total += p.cellPrior(i)
	}
	return []mechanism.Expectation{{
		Name: balancedName, Value: math.Sqrt((1 / r) * (1 - 1/r) / (total + 1)),
		How: "closed form, for equal counts, without the trim",
	}}
}

// cellPrior is the prior count of a level of the first conditional.
func (l law) cellPrior(i int) float64 {
	if len(l.Alpha) == 1 {
		return l.Alpha[0]
	}
	return l.Alpha[i]
}

// checkParams are the public inputs of the checks.
type checkParams struct {
	law
	Nodes []node        `json:"conditionals,omitempty"`
	Draws int           `json:"draws"`
	Power float64       `json:"power"`
	Want  dp.Parameters `json:"want"`
}

func (p *problem) checkParams(s setting) checkParams {
	q := checkParams{law: p.law, Draws: s.draws, Power: s.power, Want: p.target.Parameters}
	for i, v := range p.nodes {
		v.Floor = s.floors[i]
		q.Nodes = append(q.Nodes, v)
	}
	return q
}

// read makes law and setting again, checked.
func (q checkParams) read() (law, setting, error) {
	l, s := q.law, setting{draws: q.Draws, power: q.Power}
	fail := func(field string, value any, want string) (law, setting, error) {
		return l, s, domain.Refuse("posteriorsample", field, value, want)
	}
	if l.N < 1 || len(l.Alpha) == 0 || q.Draws < 1 || q.Draws > maxDraws || !(q.Power >= minPower && q.Power <= 1) {
		return fail("n, alpha, draws, power", fmt.Sprint(l.N, l.Alpha, q.Draws, q.Power), "n, N ≥ 1, a prior, η in "+
			"(0, 1]")
	}
	if (l.Rate == nil) == (len(q.Nodes) == 0) || len(q.Nodes) > 1<<16 {
		return fail("conditionals", len(q.Nodes), "a rate, or conditional distributions")
	}
	l.nodes = q.Nodes
	l.binary = len(q.Nodes) == 1 && q.Nodes[0].Levels == 2
	if l.binary && len(l.Alpha) != 2 {
		return fail("alpha", l.Alpha, "two prior counts")
	}
	for _, v := range q.Nodes {
		if v.Rows < 1 || v.Levels < 2 || !(v.Floor >= 0) || v.Floor*float64(v.Levels) >= 1 || v.Floor == 0 &&
			!l.binary {
			return fail("conditionals", v, "rows ≥ 1, levels ≥ 2, floors in (0, 1/levels)")
		}
		s.floors = append(s.floors, v.Floor)
	}
	if l.Rate != nil {
		if err := l.Rate.valid(); err != nil {
			return l, s, err
		}
	}
	if _, _, _, err := l.curve(s); err != nil {
		return l, s, err
	}
	return l, s, q.Want.Valid()
}

var pairChecker = cert.Define("posterior-sample/pair", func(ctx context.Context, q checkParams) (cert.Outcome, error) {
	l, s, err := q.read()
	if err != nil {
		return cert.Outcome{}, err
	}
	pair, err := l.pair(s, func() bool { return ctx.Err() != nil })
	if err != nil {
		return cert.Outcome{}, err
	}
	method := cert.ProvedBound
	if q.Want.Notion == dp.Pure && (l.binary || l.Rate != nil) {
		method = cert.ClosedForm
	}
	spent := loss.Spent(pair, q.Want)
	if err := ctx.Err(); err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: spent, Method: method}, nil
})

var neighboursChecker = cert.Define("posterior-sample/neighbours",
	func(ctx context.Context, q checkParams) (cert.Outcome, error) {
		l, s, err := q.read()
		if err != nil {
			return cert.Outcome{}, err
		}
		return l.enumerate(ctx, s)
	})

func (p *problem) checks(ctx context.Context, s setting, pair *Pair) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	q := p.checkParams(s)
	bound := loss.Allowed(p.target.Parameters)
	if p.target.NominalScale { // nothing was asked for: the check states what is true
		bound = cert.Number(loss.Spent(pair, p.target.Parameters))
	}
	formula := map[dp.Notion]string{
		dp.Pure: "N·ε₁", dp.Approximate: "δ₁(ε) for one draw, else min_λ of N·D_λ", dp.Renyi: "N·D_λ",
		dp.Concentrated: "sup_λ N·D_λ/λ", dp.TruncatedConcentrated: "sup_{λ≤ω} N·D_λ/λ",
	}[p.target.Notion]
	draws := "one draw"
	if s.draws > 1 {
		draws = table.Count(s.draws, "draw") + ", independent given the data"
	}
	loss, err := pairChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("%s, %s", draws, loss.NotionWords(p.target.Parameters)),
		Formula:   formula, Source: "theory/sampling.md §13, §14, §16, §17, §22, §23; theory/networks.md §3",
		Bound: bound, Scope: fmt.Sprintf("all data of n = %d records, all replacements of one", p.N),
	}, q)
	if err != nil {
		return nil, err
	}
	what, of, top := p.enumerated(s, pair)
	each, err := neighboursChecker.Check(ctx, cert.Check{
		Statement: what, Source: "theory/sampling.md §22 A, B", Bound: cert.Number(top), Scope: of,
		Citation: p.rangeProof(),
	}, q)
	if err != nil {
		return nil, err
	}
	return []cert.Check{loss, each}, nil
}

const (
	scanned   = 2000 // a binary model's counts are visited one by one up to there, then evenly
	sums      = 33   // sums of a rate's statistic that are visited
	corners   = 12   // levels of a conditional whose pairs are visited
	untrimmed = 1.0  // the ε at which an untrimmed model's δ is visited
)

// rounding is taken off what an enumeration found: its own rounding must not exceed the exact value.
func rounding(v float64) float64 { return math.Max(0, v-1e-9*math.Max(1, v)) }

// enumerated says what enumerate visits, and the bound on what it finds.
func (p *problem) enumerated(s setting, pair *Pair) (statement, scope string, bound float64) {
	switch {
	case p.Rate != nil:
		return "no neighbouring sums exceed the pure ε: log-ratio of the laws that are drawn, at both ends of the range",
			fmt.Sprintf("%d sums ΣT of n = %d records, each with two replacements", sums, p.N), pair.PureEpsilon()
	case p.untrimmed():
		return fmt.Sprintf("no neighbouring counts exceed one draw's δ at ε = %g: hockey-stick divergence of the "+
				"laws that are drawn", untrimmed),
			p.countsScope(), pair.with(1).Delta(untrimmed)
	case p.binary:
		return "no neighbouring counts exceed the pure ε: log-ratio of the laws that are drawn, at both ends of the " +
			"box", p.countsScope(), pair.PureEpsilon()
	}
	return "range of the log-likelihood ratio of two records over the corners of the box",
		fmt.Sprintf("every pair of values of up to %d levels, in one row of a conditional distribution or in two",
			corners), float64(s.draws) * pair.one.Oscillation()
}

// networkRange is the machine proof of how far the log-likelihoods of two records of a network are apart.
var networkRange = cert.Cite("NetworkDraw.row_range")

// rangeProof is its citation, where the range is what is visited.
func (p *problem) rangeProof() cert.Citation {
	if p.Rate != nil || p.binary || p.untrimmed() {
		return cert.Citation{}
	}
	return networkRange
}

func (p *problem) countsScope() string {
	if p.N <= scanned {
		return fmt.Sprintf("every count of n = %d records", p.N)
	}
	return fmt.Sprintf("%d counts, evenly spaced, of n = %d records", scanned, p.N)
}

// enumerate is the greatest loss of the laws that are drawn, found without the accounting's formulas.
func (l law) enumerate(ctx context.Context, s setting) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	visit := func(v float64) {
		out.Value = math.Max(out.Value, v)
		out.Work++
	}
	var err error
	switch {
	case l.Rate != nil:
		err = l.visitSums(ctx, s, visit)
	case l.binary:
		err = l.visitCounts(ctx, s, visit)
	default:
		out.Value, out.Work = l.visitCorners(s)
	}
	if !(l.binary && s.floors[0] == 0) {
		out.Value *= float64(s.draws) // N draws repeat the worst point
	}
	out.Value = rounding(out.Value)
	return out, err
}

// visitCounts visits the pairs of k and k+1 ones.
func (l law) visitCounts(ctx context.Context, s setting, visit func(float64)) error {
	at := func(k int) (*truncated.Beta, error) { return l.beta(s, int64(l.N-k), int64(k), 0) }
	step := max(1, float64(l.N)/scanned)
	for i := 0.0; int(i) < l.N; i += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := int(i)
		x, err := at(k)
		if err != nil {
			return err
		}
		y, err := at(k + 1)
		if err != nil {
			return err
		}
		w := s.floors[0]
		if w == 0 {
			visit(math.Max(excess(x, y), excess(y, x)))
			continue
		}
		if float64(l.N)+l.cellPrior(0)+l.cellPrior(1) > distinct {
			a, b, err := l.apart(s, k)
			if err != nil {
				return err
			}
			visit(a)
			visit(b)
			continue
		}
		for _, t := range []float64{w, 1 - w} {
			visit(math.Abs(y.LogDensity(t) - x.LogDensity(t)))
		}
	}
	return nil
}

// distinct is the number of counts, prior ones included, up to which the difference of two log-densities keeps its
// digits.
const distinct = 1e6

// apart is |η·logit θ − ln E[θ^η] + ln E[(1−θ)^η]| at both ends of the box, in the law of the records that the data of
// k and of k+1 ones share: their log-ratio without the difference of two large logarithms.
func (l law) apart(s setting, k int) (low, high float64, err error) {
	shared, err := l.beta(s, int64(l.N-k-1), int64(k), 0)
	if err != nil {
		return 0, 0, err
	}
	w := s.floors[0]
	end := s.power * (math.Log1p(-w) - math.Log(w))
	rest := shared.LogMoment(0, s.power) - shared.LogMoment(s.power, 0)
	return math.Abs(rest - end), math.Abs(rest + end), nil
}

// excess is the hockey-stick divergence at ε = untrimmed of two laws with a monotone log-ratio: that of the tail in
// which it exceeds ε.
func excess(p, q *truncated.Beta) float64 {
	ratio := func(t float64) float64 { return p.LogDensity(t) - q.LogDensity(t) - untrimmed }
	const edge = 1e-300
	lo, hi := edge, math.Nextafter(1, 0)
	rising := ratio(hi) > 0
	if !rising && !(ratio(lo) > 0) {
		return 0
	}
	logit := func(t float64) float64 { return math.Log(t) - math.Log1p(-t) }
	a, b := logit(lo), logit(hi)
	for range 100 {
		mid := (a + b) / 2
		if (ratio(1/(1+math.Exp(-mid))) > 0) == rising {
			b = mid
		} else {
			a = mid
		}
	}
	t := 1 / (1 + math.Exp(-(a+b)/2))
	x, y := p.Sampler().CDF(t), q.Sampler().CDF(t)
	if rising {
		x, y = 1-x, 1-y
	}
	return x - math.Exp(untrimmed)*y
}

// visitSums visits pairs of sums that differ by the whole or half of one record's range.
func (l law) visitSums(ctx context.Context, s setting, visit func(float64)) error {
	r := l.Rate
	first, span := float64(l.N)*r.Low, float64(l.N-1)*(r.High-r.Low)
	for i := range sums {
		if err := ctx.Err(); err != nil {
			return err
		}
		sum := first + span*float64(i)/(sums-1)
		x, err := l.gamma(s, sum)
		if err != nil {
			return err
		}
		for _, d := range []float64{r.High - r.Low, (r.High - r.Low) / 2} {
			y, err := l.gamma(s, sum+d)
			if err != nil {
				return err
			}
			for _, t := range []float64{r.C1, r.C2} {
				visit(math.Abs(y.LogDensity(t) - x.LogDensity(t)))
			}
		}
	}
	return nil
}

// visitCorners adds, over the conditionals, the greatest range of η(ln θ_a − ln θ_b) over the corners of the box, for
// values a, b of the replaced record and its replacement: in one row, θ is one point; in two rows, two.
func (l law) visitCorners(s setting) (value float64, work int64) {
	for i, v := range l.nodes {
		levels, w := v.Levels, s.floors[i]
		log := func(corner, level int) float64 {
			if corner == level {
				return s.power * math.Log1p(-float64(levels-1)*w)
			}
			return s.power * math.Log(w)
		}
		most := 0.0
		tried := min(levels, corners)
		for a := range tried {
			for b := range tried {
				one, left, right := newRange(), newRange(), newRange()
				for corner := range tried {
					one.add(log(corner, a) - log(corner, b))
					left.add(log(corner, a))
					right.add(log(corner, b))
					work++
				}
				most = math.Max(most, one.width())
				if v.Rows > 1 {
					most = math.Max(most, left.width()+right.width())
				}
			}
		}
		value += most
	}
	return value, work
}

type interval struct{ lo, hi float64 }

func newRange() *interval { return &interval{math.Inf(1), math.Inf(-1)} }

func (r *interval) add(v float64)  { r.lo, r.hi = math.Min(r.lo, v), math.Max(r.hi, v) }
func (r *interval) width() float64 { return r.hi - r.lo }
