package posteriorsample

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
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
		return math.Sqrt(2/(math.Pi*(1+s.power*r.Power*float64(n)))) / root, "closed form of the gamma law, without " +
			"its range"
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
	}, q)
	if err != nil {
		return nil, err
	}
	return []cert.Check{loss, each}, nil
}
