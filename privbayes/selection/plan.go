package selection

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Rules are all that decides about candidates.
type Rules struct {
	Criteria Criteria `json:"criteria"`
	Test     Test     `json:"test"`
	Stop     Stop     `json:"stop"`
	// Report is the ε of the noisy slacks of what is accepted, divided by their number; 0: no report. It is charged in
	// any case.
	Report float64 `json:"report,omitempty"`
}

// Test is the noisy test of a candidate: accepted where T + Z ≥ t, T the least slack and Z two-sided geometric noise of
// rate ε over the rows of a unit.
type Test struct {
	Epsilon float64 `json:"epsilon"` // of each candidate's test
	// Wrong is the greatest probability that a candidate passes which fails a criterion: t = ⌈ln(1/(Wrong·(1 + q)))/γ⌉,
	// q = e^{−γ}. 0 where the best candidate is asked for.
	Wrong float64 `json:"wrong,omitempty"`
}

// Plan is a selection that was planned and certified, before any candidate is drawn.
type Plan struct {
	rules       Rules
	target      dp.Request
	candidate   *mechanism.Plan
	noise       noise.Distribution // of the test
	report      noise.Distribution // of a slack in the report; nil without one
	limit       int64              // t
	guarantee   dp.Guarantee
	certificate *cert.Certificate
}

// valid refuses rules outside their domain: *dp.ParameterError, *frame.ColumnError.
func (r Rules) valid(sh *model.Shape) error {
	if err := r.Stop.valid(); err != nil {
		return err
	}
	ok, want := r.Test.Wrong > 0 && r.Test.Wrong < .5, "above 0 and below .5"
	if r.Stop.Best {
		ok, want = r.Test.Wrong == 0, "0: the best candidate is released, whatever it meets"
	}
	if err := domain.Check("selection", "test", domain.Positive("ε", r.Test.Epsilon),
		domain.Arg("wrong", r.Test.Wrong, ok, want), domain.NotNegative("report", r.Report)); err != nil {
		return err
	}
	return r.Criteria.valid(sh.Schema())
}

// New plans a selection under pure ε, (ε, δ) or Rényi DP of one order: the candidate's level is the greatest at which
// the whole, tests and report included, meets the target. plan makes a candidate's plan at a level. It reads no data.
// Errors: *dp.ParameterError for rules and targets, those of the candidate's plan, the context's.
func New(ctx context.Context, target dp.Request, rules Rules, sh *model.Shape, plan func(ctx context.Context,
	t dp.Request) (*mechanism.Plan, error)) (*Plan, error) {
	if err := head(target, rules, sh); err != nil {
		return nil, err
	}
	left := float64(target.Epsilon) - rules.Report
	switch target.Notion {
	case dp.Pure:
		own := rules.Stop.base(left)*(1-1e-12) - rules.Test.Epsilon
		if !(own > 0) {
			return nil, tooLittle(target, rules)
		}
		p, err := plan(ctx, at(target, dp.PureDP(own)))
		if err != nil {
			return nil, err
		}
		return assemble(ctx, target, rules, p)
	case dp.Renyi:
		return ofOrder(ctx, target, rules, plan)
	}
	return fit(ctx, target, rules, left-rules.Test.Epsilon, plan)
}

// ofOrder plans under Rényi DP of the target's order. Where the bound of the whole is not narrow, less is left.
func ofOrder(ctx context.Context, target dp.Request, rules Rules, plan func(ctx context.Context, t dp.Request) (
	*mechanism.Plan, error)) (*Plan, error) {
	order := target.Order
	left, test := float64(target.Epsilon)-ofPure(rules.Report, order), ofPure(rules.Test.Epsilon, order)
	if left <= test { // the whole has what a candidate has, at least
		return nil, tooLittle(target, rules)
	}
	own := rules.Stop.baseOf(order, left) - test
	for try := 0; own > 0 && try < 4; try++ {
		p, err := plan(ctx, at(target, dp.RenyiDP(order, own)))
		if err != nil {
			return nil, err
		}
		if value, err := spent(ctx, target, rules, p); err != nil {
			return nil, err
		} else if value <= float64(target.Epsilon) {
			return assemble(ctx, target, rules, p)
		}
		own *= .98
	}
	return nil, tooLittle(target, rules)
}

// ofPure is the Rényi divergence of order λ of what is ε-DP.
func ofPure(epsilon, order float64) float64 {
	if epsilon == 0 {
		return 0
	}
	return loss.PurePair{Epsilon: epsilon}.RDP(order)
}

// at is the target with the level of a candidate: what else it asks for, every candidate has to meet.
func at(target dp.Request, level dp.Request) dp.Request {
	target.Parameters = level.Parameters
	return target
}

// near is how close the δ of a selection comes to that of the target: within this factor.
const near = .95

// fit finds the ρ of the candidate at which the whole has the target's δ: ln δ falls about as (ε − ρ)²/4ρ.
func fit(ctx context.Context, target dp.Request, rules Rules, eps float64, plan func(ctx context.Context,
	t dp.Request) (*mechanism.Plan, error)) (*Plan, error) {
	if !(eps > 0) {
		return nil, tooLittle(target, rules)
	}
	goal := math.Log(target.Delta * (1 + near) / 2)
	low, high := 0., math.Inf(1)
	rho := .5 * math.Pow(math.Sqrt(eps-goal)-math.Sqrt(-goal), 2) // half of what a candidate alone would have
	var last [2]float64
	var best *mechanism.Plan
	for try := range 12 {
		p, err := plan(ctx, at(target, dp.ZCDP(rho)))
		if err != nil {
			return nil, err
		}
		delta, err := spent(ctx, target, rules, p)
		if err != nil {
			return nil, err
		}
		if delta > target.Delta {
			high = rho
		} else {
			low, best = rho, p
			if delta > near*target.Delta {
				break
			}
		}
		// first the effective ε whose (ε − ρ)²/4ρ is −ln δ, then the line through the last two points
		now := [2]float64{math.Log(rho), math.Log(math.Min(delta, .99))}
		effective := rho + 2*math.Sqrt(-rho*now[1])
		rho = math.Pow(math.Sqrt(effective-goal)-math.Sqrt(-goal), 2)
		if slope := (now[1] - last[1]) / (now[0] - last[0]); try > 0 && slope > 1 {
			rho = math.Exp(now[0] + (goal-now[1])/slope)
		}
		last = now
		if rho <= low || rho >= high {
			rho = math.Sqrt(math.Max(low, 1e-12) * math.Min(high, 4*math.Max(low, 1e-12)))
			if low == 0 {
				rho = high / 4
			}
		}
		if high/low < 1.0005 {
			break
		}
	}
	if best == nil {
		return nil, tooLittle(target, rules)
	}
	return assemble(ctx, target, rules, best)
}

func tooLittle(target dp.Request, r Rules) error {
	return domain.Refuse("selection", "level", target, fmt.Sprintf("more: the test of each candidate has ε = %g, the "+
		"report %g", r.Test.Epsilon, r.Report))
}

// leastOrder is the least order of a Rényi target.
const leastOrder = 1.25

// head refuses what no plan can meet.
func head(target dp.Request, rules Rules, sh *model.Shape) error {
	if err := target.Valid(); err != nil {
		return err
	}
	switch {
	case target.Notion != dp.Pure && target.Notion != dp.Approximate && target.Notion != dp.Renyi:
		return domain.Refuse("selection", "level", target, "pure ε, whose ε²/2 is the ρ that a budget counts; ε and δ; or "+
			"ε of one Rényi order: no ρ of a selection is known for all orders at once")
	case target.Notion == dp.Renyi && target.Order < leastOrder:
		return domain.Refuse("selection", "order", target.Order, fmt.Sprintf("%g or more: near 1 no narrow bound is computed",
			leastOrder))
	case target.Notion != dp.Pure && rules.Stop.Best:
		return domain.Refuse("selection", "level", target, "pure ε where the best candidate is asked for")
	case target.NominalScale:
		return domain.Refuse("selection", "level", "a target refined by AsPublished", "a level that the whole has to meet")
	case target.Adjacency != dp.ReplaceOne:
		return domain.Refuse("selection", "adjacency", target.Adjacency, "replace-one: the criteria count the rows")
	}
	if n, public := sh.N(); !public || n == 0 {
		return domain.Refuse("selection", "n", "private or 0", "a public number of rows, 1 at least")
	}
	if !sh.Synthesizes() {
		return domain.Refuse("selection", "model", sh.Model(), "one whose releases make synthetic rows, such as Learn or "+
			"naive Bayes: the criteria are about these")
	}
	if have, want := len(sh.Columns()), len(sh.Schema().Columns); have < want {
		return domain.Refuse("selection", "columns of the model", have, fmt.Sprintf("all %d of the schema, which criteria "+
			"read: Select those of the model first", want))
	}
	return rules.valid(sh)
}

// selected are the public inputs of the whole: the candidate's plan, the rules and the target.
type selected struct {
	Plan   json.RawMessage `json:"plan"`
	Rules  Rules           `json:"rules"`
	Target dp.Request      `json:"target"`
}

// checker derives what the selection spends: ε of a pure one or of a Rényi order, else δ at the target's ε.
var checker = cert.Define("selection/accept", func(ctx context.Context, s selected) (out cert.Outcome, err error) {
	p, err := mechanism.ParsePlan(ctx, s.Plan)
	if err != nil {
		return out, err
	}
	if err := head(s.Target, s.Rules, p.Shape()); err != nil {
		return out, err
	}
	value, err := spent(ctx, s.Target, s.Rules, p)
	return cert.Outcome{Value: value, Method: cert.ProvedBound, Work: int64(s.Rules.Stop.Most)}, err
})

// spent is the ε of the whole under pure ε and of a Rényi order, else its δ at the target's ε. The report adds its ε.
func spent(ctx context.Context, target dp.Request, r Rules, p *mechanism.Plan) (float64, error) {
	if p.Certified().Adjacency != target.Adjacency {
		return 0, domain.Refuse("selection", "adjacency", p.Certified().Adjacency, target.Adjacency.String())
	}
	if target.ExactOnly && p.Certified().Arithmetic != dp.Exact {
		return 0, domain.Refuse("selection", "sampling", p.Certified().Arithmetic, dp.Exact.String())
	}
	if target.Notion != dp.Approximate {
		order := target.Order
		own, err := p.Certified().At(dp.Parameters{Notion: target.Notion, Order: order})
		switch {
		case err != nil:
			return 0, err
		case target.Notion == dp.Renyi:
			return r.Stop.renyi(order, float64(own.Epsilon)+ofPure(r.Test.Epsilon, order)) + ofPure(r.Report, order), nil
		}
		return r.Stop.pure(float64(own.Epsilon)+r.Test.Epsilon) + r.Report, nil
	}
	test := loss.Repeat{Pair: loss.PurePair{Epsilon: r.Test.Epsilon}, Times: 1}
	list := []loss.Repeat{test}
	switch pair := p.Pair().(type) {
	case loss.Declared:
		list = append(list, pair.Parts()...)
	case nil:
		return 0, domain.Refuse("selection", "mechanism", p.Title(), "one with a dominating pair")
	default:
		list = append(list, loss.Repeat{Pair: pair, Times: 1})
	}
	pair, err := loss.Declare(list...)
	if err != nil {
		return 0, err
	}
	eps := float64(target.Epsilon) - r.Report
	profile := profileOf(loss.Until(ctx, pair), 2*eps+2)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return math.Max(r.Stop.delta(profile, eps), math.SmallestNonzeroFloat64), nil
}

// The machine proofs of the first accepted candidate's level: under pure ε, by a profile, and of one Rényi order.
var firstAccepted, firstApprox, firstRenyi = cert.Cite("Selection.selection_private"),
	cert.Cite("SelectionBeyond.selection_approx"), cert.Cite("SelectionBeyond.selection_renyi")

// assemble certifies the whole.
func assemble(ctx context.Context, target dp.Request, rules Rules, p *mechanism.Plan) (*Plan, error) {
	rows := p.Certified().RowsPerUnit
	out := &Plan{rules: rules, target: target, candidate: p}
	var met bool
	var err error
	out.noise, met, err = noise.GeometricFamily.Least(ctx, 1, rows, dp.PureDP(rules.Test.Epsilon).Parameters)
	if err != nil || !met {
		return nil, domain.Refuse("selection", "ε of the test", rules.Test.Epsilon, "a level that geometric noise reaches")
	}
	if rules.Report > 0 {
		each := rules.Report / float64(len(rules.Criteria.Names()))
		if out.report, met, err = noise.GeometricFamily.Least(ctx, 1, rows, dp.PureDP(each).Parameters); err != nil || !met {
			return nil, domain.Refuse("selection", "report", rules.Report, "a level that geometric noise reaches")
		}
	}
	gamma := out.noise.(noise.Geometric).Rate()
	out.limit = math.MinInt64
	if !rules.Stop.Best {
		out.limit = int64(math.Ceil(-math.Log(rules.Test.Wrong*(1+math.Exp(-gamma))) / gamma))
	}
	described, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	words, formula, citation := "the loss", "max{ln f(b)/f(b′), ε + ln h(b)/h(b′)} + ε₃", cert.Citation{}
	switch {
	case target.Notion == dp.Approximate:
		words, formula = "the privacy profile at ε", "sup_a h(b)·min(a, δ(x)) + (f(b) − e^ε·f(b′))₊"
		citation = firstApprox
	case target.Notion == dp.Renyi:
		words, formula = "the Rényi divergence", "sup ln{H(E − y) + Ky}/(λ−1) + that of the report"
		citation = firstRenyi
	case rules.Stop.Best:
		formula = "ε + ln r(b)/r(b′) + ε₃"
	default:
		citation = firstAccepted
	}
	check, err := checker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("of what is released of %d candidates and its report, %s is at most the target",
			rules.Stop.Most, words),
		Formula: formula, Source: "theory/selection.md §§2–4", Bound: loss.Allowed(target.Parameters),
		Scope: "all data sets and neighbours, whatever is accepted", Citation: citation,
	}, selected{described, rules, target})
	if err != nil {
		return nil, err
	}
	level := target.Parameters
	if value := float64(check.Value); level.Notion != dp.Approximate {
		level.Epsilon = cert.Number(value)
	} else {
		level.Delta = math.Min(value, target.Delta)
	}
	out.certificate = &cert.Certificate{Title: "selection", Checks: []cert.Check{check},
		Parts: []*cert.Certificate{p.Certificate()}}
	unit, _ := p.Shape().Unit()
	out.guarantee = dp.Guarantee{Parameters: level, Adjacency: target.Adjacency, Arithmetic: p.Certified().Arithmetic,
		Unit: unit, RowsPerUnit: rows}
	if !out.certificate.OK() {
		return nil, &mechanism.CheckError{Certificate: out.certificate}
	}
	return out, nil
}

// Candidate is the plan of each candidate.
func (p *Plan) Candidate() *mechanism.Plan { return p.candidate }

// Rules are what decides about candidates.
func (p *Plan) Rules() Rules { return p.rules }

// Target is what was asked for.
func (p *Plan) Target() dp.Request { return p.target }

// Certified is the proved guarantee of the whole.
func (p *Plan) Certified() dp.Guarantee { return p.guarantee }

// Certificate holds the check of the whole, and the candidate's certificate as its part.
func (p *Plan) Certificate() *cert.Certificate { return p.certificate }

// Limit is t: what the noisy least slack of a candidate must reach. It is math.MinInt64 where the best is asked for.
func (p *Plan) Limit() int64 { return p.limit }
