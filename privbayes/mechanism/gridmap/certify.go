package gridmap

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// certify states the release at a given rate η.
func certify(ctx context.Context, p *problem, q params) (spec mechanism.Spec, err error) {
	pair := p.pair(q.Rate)
	if p.enumerable() {
		if pair, err = p.exact(ctx, q.Rate); err != nil {
			return spec, err
		}
	}
	check, err := p.check(ctx, q.Rate, loss.Until(ctx, pair))
	if err != nil {
		return spec, err
	}
	d := &sampler{p, q.Rate}
	return mechanism.Spec{
		Shape: p.shape, Settings: p.settings(q.Rate), Arithmetic: dp.Exact, Pair: pair,
		StandardFormula: p.standardFormula(q.Rate),
		Checks:          []cert.Check{check}, Expected: p.expect(q.Rate), Sampler: d,
		Predict: func() (float64, string) {
			if v, ok := d.spreadError(); ok {
				return v, "sum over all candidates, data spread over the simplex"
			}
			return math.NaN(), ""
		},
	}, nil
}

func (p *problem) settings(rate float64) []mechanism.Setting {
	candidates := 0
	for _, g := range p.grids {
		candidates = max(candidates, len(g.points))
	}
	score, base := "log posterior", ""
	if p.m.posterior {
		score = "posterior probability"
	}
	if p.m.base {
		base = "ξ(θ)·"
	}
	return []mechanism.Setting{
		{Name: "distribution", Value: "P(θ) ∝ " + base + "e^{η·" + score + "}"},
		{Name: "η", Value: fmt.Sprintf("%.6g", rate)},
		{Name: "grid", Value: fmt.Sprintf("multiples of 1/%d, at least %d of them per level; up to %d candidates",
			p.grids[0].steps, p.m.floor, candidates)},
	}
}

// standardFormula is the usual bound on the exponential mechanism: ε = 2ηΔ, Δ = Σ ln R for the log posterior; √L for
// the paper's score.
func (p *problem) standardFormula(rate float64) mechanism.StandardFormula {
	sum, source := 0.0, "ε = 2ηΔ, Δ the log range of the grids"
	for _, g := range p.grids {
		if sum += 2 * rate * g.logRange(); p.m.posterior {
			sum, source = 2*rate*math.Sqrt(g.logRange()), "ε = 2ηΔ, Δ = √L, Algorithm 3 and Lemma 2 of the paper"
		}
	}
	return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(sum)}, Source: source}
}

// checkParams are the public inputs of the check: the grids' levels, n, the prior, and the plan's parameters.
type checkParams struct {
	params
	Levels []int         `json:"levels"`
	N      int           `json:"n"`
	Alpha  model.Prior   `json:"alpha"`
	Want   dp.Parameters `json:"want"`
}

var drawsChecker = cert.Define("map-grid/loss", func(ctx context.Context, q checkParams) (cert.Outcome, error) {
	if err := q.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := q.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	p := &problem{m: MAP{steps: q.Steps, floor: q.Floor, posterior: q.Posterior, base: q.Base}, n: q.N}
	if q.N < 0 || len(q.Levels) == 0 || len(q.Levels) > 1<<16 || q.Floor < 1 || q.Steps > 1<<16 {
		return cert.Outcome{}, domain.Refuse("gridmap", "levels, n, grid",
			fmt.Sprint(len(q.Levels), q.N, q.Steps, q.Floor), "as in a plan")
	}
	for _, l := range q.Levels {
		if l < 2 || len(q.Alpha) != 1 && (len(q.Levels) > 1 || len(q.Alpha) != l) {
			return cert.Outcome{}, domain.Refuse("gridmap", "levels, alpha", fmt.Sprint(l, len(q.Alpha)),
				"at least 2 levels and a hyperparameter for each")
		}
	}
	var err error
	if p.grids, err = newGrids(ctx, q.Levels, q.Steps, q.Floor); err != nil {
		return cert.Outcome{}, err
	}
	shape, err := priorShape(q.Alpha, q.Levels[0])
	if err != nil {
		return cert.Outcome{}, err
	}
	p.shape = shape
	if !p.enumerable() {
		return cert.Outcome{Value: loss.Spent(loss.Until(ctx, p.pair(q.Rate)), q.Want), Method: cert.ProvedBound},
			ctx.Err()
	}
	exact, err := p.exact(ctx, q.Rate)
	if err != nil {
		return cert.Outcome{}, err
	}
	work := int64(p.space().Pairs() * float64(len(p.grids[0].points)))
	return cert.Outcome{Value: loss.Spent(exact, q.Want), Method: cert.Enumeration, Work: work}, nil
})

// priorShape is a shape that only carries a prior.
func priorShape(alpha model.Prior, levels int) (*model.Shape, error) {
	labels := make([]string, levels)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	s := &frame.Schema{Dataset: "check", Columns: []frame.Column{frame.Categorical("x", labels...)}}
	return model.NewShape(s, model.Categorical("x").WithPrior(alpha...), 0, true, "")
}

func (p *problem) check(ctx context.Context, rate float64, pair loss.Pair) (cert.Check, error) {
	q := checkParams{params: params{p.m.steps, p.m.floor, p.m.posterior, p.m.base, rate}, N: p.n,
		Alpha: p.shape.Model().Prior(), Want: p.target.Parameters}
	for _, c := range p.conds {
		q.Levels = append(q.Levels, c.Levels)
	}
	bound := loss.Allowed(p.target.Parameters)
	if p.target.NominalScale {
		bound = cert.Number(loss.Spent(pair, p.target.Parameters))
	}
	formula, scope := "range = Σ over conditionals 2η ln((m − (d−1)f)/f)", "all data; η as shipped, the weights' "+
		"rounding included"
	if p.m.posterior {
		formula = "range = 2η tanh(L/2)"
	}
	if p.enumerable() {
		scope = fmt.Sprintf("every data set of n = %d records, every neighbour, every candidate", p.n)
	}
	return drawsChecker.Check(ctx, cert.Check{
		Statement: "loss of the draws, " + loss.NotionWords(p.target.Parameters), Formula: formula,
		Source: "theory/networks.md §4; bounded range: Dong, Durfee, Rogers 2020", Bound: bound, Scope: scope,
	}, q)
}

// sampler releases, for every conditional, the grid point of every row.
type sampler struct {
	*problem
	rate float64
}

// Draw draws every row of every conditional on its own.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	var out [][]int64
	for k, counts := range d.shape.ConditionalCounts(tables) {
		var points []int64
		for lo := 0; lo < len(counts); lo += d.conds[k].Levels {
			if ctx.Err() != nil {
				return mechanism.Output{}, ctx.Err()
			}
			w, err := d.weights(k, counts[lo:lo+d.conds[k].Levels], d.rate)
			if err != nil {
				return mechanism.Output{}, err
			}
			for _, r := range d.grids[k].points[w.Draw(src)] {
				points = append(points, int64(r))
			}
		}
		out = append(out, points)
	}
	return mechanism.Output{Raw: out}, nil
}

// Estimate takes the points as the model's parameters. A row stands for an equal share of the records.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != len(d.conds) {
		return model.Estimate{}, domain.Refuse("gridmap", "raw", fmt.Sprintf("%d conditionals", len(raw)),
			fmt.Sprint(len(d.conds)))
	}
	e := model.Estimate{}
	for k, c := range d.conds {
		g := d.grids[k]
		if len(raw[k]) != c.Rows*c.Levels {
			return e, domain.Refuse("gridmap", "raw", fmt.Sprintf("%d numbers for %s", len(raw[k]), c.Name),
				fmt.Sprint(c.Rows*c.Levels))
		}
		share := math.Max(float64(d.n), 1) / float64(c.Rows)
		var row []float64
		for lo := 0; lo < len(raw[k]); lo += c.Levels {
			total := int64(0)
			for _, r := range raw[k][lo : lo+c.Levels] {
				if r < int64(g.floor) || r > int64(g.steps) {
					return e, domain.Refuse("gridmap", "raw", r, fmt.Sprintf("grid steps in [%d, %d]", g.floor, g.steps))
				}
				total += r
				row = append(row, share*float64(r)/float64(g.steps))
			}
			if total != int64(g.steps) {
				return e, domain.Refuse("gridmap", "raw", fmt.Sprintf("steps that add up to %d", total), fmt.Sprint(g.steps))
			}
		}
		e.Conditionals = append(e.Conditionals, row)
	}
	return e, nil
}

// ShortfallName names how far below the best score one row's draw may be.
const ShortfallName = "shortfall of a row's score, 95 % bound"

// missed is the probability with which a draw falls below the bound of ShortfallName.
const missed = .05

// expectWork bounds the exact expected error.
const expectWork = 2e6

// expect predicts, without data, the shortfall and, where it is cheap, the error of a proportion.
func (p *problem) expect(rate float64) []mechanism.Expectation {
	out := []mechanism.Expectation{p.shortfall(rate)}
	if e, ok := p.proportion(rate); ok {
		out = append(out, e)
	}
	return out
}

// shortfall is Lemma 4 of the paper with its missing factor, for a score drawn by e^{ηu}, here with t → s, over the
// counting measure of G candidates: P(u ≤ u* − s) ≤ (G − 1)·e^{−ηs}, hence s = ln((G − 1)/0.05)/η. A posterior
// probability is short by 1 at most.
func (p *problem) shortfall(rate float64) mechanism.Expectation {
	candidates := 0
	for _, g := range p.grids {
		candidates = max(candidates, len(g.points))
	}
	e := mechanism.Expectation{
		Name: ShortfallName, Value: math.Max(0, math.Log(math.Max(float64(candidates-1), missed)/missed)/rate),
		Unit: "nats",
		How:  fmt.Sprintf("Lemma 4 corrected, ln((G−1)/0.05)/η, G = %d candidates", candidates),
	}
	if p.m.base {
		odds := 0.0 // of all other candidates against the one with the least base
		for _, g := range p.grids {
			logs := p.logBase(g)
			least, sum := slices.Min(logs), 0.0
			for _, v := range logs {
				sum += math.Exp(v - least)
			}
			odds = math.Max(odds, sum-1)
		}
		e.Value = math.Max(0, math.Log(math.Max(odds, missed)/missed)/rate)
		e.How = "Lemma 4 corrected, ln((1/μ−1)/0.05)/η, μ the least prior probability of a candidate"
	}
	if p.m.posterior {
		e.Value, e.Unit = math.Min(e.Value, 1), ""
	}
	return e
}

// proportion is the mean absolute error of the first probability of a single posterior with two levels, over uniform k
// in 0 … n, which is what uniform p gives.
func (p *problem) proportion(rate float64) (e mechanism.Expectation, ok bool) {
	if len(p.grids) != 1 || p.grids[0].levels != 2 || p.n == 0 ||
		float64(p.n)*float64(len(p.grids[0].points)) > expectWork {
		return e, false
	}
	g := p.grids[0]
	out, sum := make([]float64, len(g.points)), 0.0
	for k := 0; k <= p.n; k++ {
		gridLaw{p, rate}.LogLaw([]int{k, p.n - k}, out)
		for i, l := range out {
			sum += math.Exp(l) * math.Abs(float64(g.points[i][0])/float64(g.steps)-float64(k)/float64(p.n))
		}
	}
	return mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: sum / float64(p.n+1),
		How: "sum over all outcomes, uniform p"}, true
}

// Weights are the integers that the grid point of x is drawn from, of one distribution without parents. They are what a
// checker outside this module is given.
func (d *sampler) Weights(x []int64) (*sample.Weights, error) {
	if len(d.conds) != 1 || d.conds[0].Rows != 1 {
		return nil, domain.Refuse("gridmap", "plan", "several distributions", "one distribution without parents")
	}
	return d.weights(0, x, d.rate)
}

// outputLimit is the number of candidates up to which an output law is walked.
const outputLimit = 20_000

// OutputLaw visits every grid point that Draw may release of one distribution, with its probability; ok is false for
// several distributions and too many points. What is visited is overwritten by the next visit. Package advise sums
// errors over it.
func (d *sampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.conds) != 1 || d.conds[0].Rows != 1 || len(d.grids[0].points) > outputLimit {
		return false
	}
	x, logs := make([]int, len(tables[0])), make([]float64, len(d.grids[0].points))
	for i, c := range tables[0] {
		x[i] = int(c)
	}
	gridLaw{d.problem, d.rate}.LogLaw(x, logs)
	raw := [][]int64{make([]int64, len(x))}
	for o, v := range logs {
		for i, r := range d.grids[0].points[o] {
			raw[0][i] = int64(r)
		}
		visit(raw, math.Exp(v))
	}
	return true
}
