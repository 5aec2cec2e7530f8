package gridmap

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// certify builds the plan for a given rate η.
func (p *problem) certify(ctx context.Context, rate float64) (*mechanism.Plan, error) {
	pair := p.pair(rate)
	if p.enumerable() {
		exact, err := p.exact(ctx, rate)
		if err != nil {
			return nil, err
		}
		pair = exact
	}
	want, whole := p.target.Level, pair
	pair = loss.Until(ctx, pair)
	var level dp.Level
	if want.Notion != dp.Approximate || p.target.NominalScale || !loss.Meets(pair, want) {
		level = loss.LevelOf(pair, want)
	} else {
		level = dp.Level{Notion: dp.Approximate, Epsilon: want.Epsilon, Delta: pair.Delta(float64(want.Epsilon))}
	}
	check, err := p.check(ctx, rate, pair)
	pair = whole
	if err != nil {
		return nil, err
	}
	m := p.m
	return mechanism.New(mechanism.Spec{
		Mechanism: Kind, Title: m.Title(), Shape: p.shape, Target: p.target, Params: params{m.steps, m.floor, m.posterior, rate},
		Settings: p.settings(rate), Level: level, Arithmetic: dp.Exact, Pair: pair, Textbook: p.textbook(rate),
		Certificate: &cert.Certificate{Title: m.Title() + ", " + p.shape.Model().String(), Checks: []cert.Check{check}},
		Expected:    p.expect(rate), Drawer: &drawer{p, rate},
	})
}

func (p *problem) settings(rate float64) []mechanism.Setting {
	candidates := 0
	for _, g := range p.grids {
		candidates = max(candidates, len(g.points))
	}
	law := "P(θ) ∝ e^{η·log posterior}"
	if p.m.posterior {
		law = "P(θ) ∝ e^{η·posterior probability}"
	}
	return []mechanism.Setting{
		{Name: "law", Value: law}, {Name: "η", Value: fmt.Sprintf("%.6g", rate)},
		{Name: "grid", Value: fmt.Sprintf("multiples of 1/%d, at least %d of them per level; up to %d candidates", p.grids[0].steps, p.m.floor, candidates)},
	}
}

// textbook is the usual bound on the exponential mechanism: ε = 2ηΔ, Δ = Σ ln R for the log posterior; √L for the paper's score.
func (p *problem) textbook(rate float64) mechanism.Textbook {
	sum, source := 0.0, "ε = 2ηΔ, Δ the log range of the grids"
	for _, g := range p.grids {
		if sum += 2 * rate * g.logRange(); p.m.posterior {
			sum, source = 2*rate*math.Sqrt(g.logRange()), "ε = 2ηΔ, Δ = √L, Algorithm 3 and Lemma 2 of the paper"
		}
	}
	return mechanism.Textbook{Level: dp.Level{Notion: dp.Pure, Epsilon: cert.Number(sum)}, Source: source}
}

// drawsChecker.Kind() is the checker of the loss.

// checkParams are the public inputs of the check: the grids' levels, n, the prior, and the plan's parameters.
type checkParams struct {
	params
	Levels []int       `json:"levels"`
	N      int         `json:"n"`
	Alpha  model.Prior `json:"alpha"`
	Want   dp.Level    `json:"want"`
}

var drawsChecker = cert.Define("map-grid/loss", func(ctx context.Context, q checkParams) (cert.Outcome, error) {
	return q.run(ctx)
})

func (q checkParams) run(ctx context.Context) (cert.Outcome, error) {
	if err := q.valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := q.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	p := &problem{m: Mechanism{q.Steps, q.Floor, q.Posterior}, n: q.N}
	if q.N < 0 || len(q.Levels) == 0 || len(q.Levels) > 1<<16 || q.Floor < 1 || q.Steps > 1<<16 {
		return cert.Outcome{}, &mechanism.ParamsError{Field: "levels, n, grid", Value: fmt.Sprint(len(q.Levels), q.N, q.Steps, q.Floor), Want: "as in a plan"}
	}
	for _, l := range q.Levels {
		if l < 2 || len(q.Alpha) != 1 && (len(q.Levels) > 1 || len(q.Alpha) != l) {
			return cert.Outcome{}, &mechanism.ParamsError{Field: "levels, alpha", Value: fmt.Sprint(l, len(q.Alpha)), Want: "at least 2 levels and a hyperparameter for each"}
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
		return cert.Outcome{Value: mechanism.Spent(loss.Until(ctx, p.pair(q.Rate)), q.Want), Method: cert.ProvedBound}, ctx.Err()
	}
	exact, err := p.exact(ctx, q.Rate)
	if err != nil {
		return cert.Outcome{}, err
	}
	work := int64(p.space().Pairs() * float64(len(p.grids[0].points)))
	return cert.Outcome{Value: mechanism.Spent(exact, q.Want), Method: cert.Enumeration, Work: work}, nil
}

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
	q := checkParams{params: params{p.m.steps, p.m.floor, p.m.posterior, rate}, N: p.n, Alpha: p.shape.Model().Prior(), Want: p.target.Level}
	for _, c := range p.conds {
		q.Levels = append(q.Levels, c.Levels)
	}
	bound := mechanism.Allowed(p.target.Level)
	if p.target.NominalScale {
		bound = cert.Number(mechanism.Spent(pair, p.target.Level))
	}
	formula, scope := "range = Σ over conditionals 2η ln((m − (d−1)f)/f)", "all data; η as shipped, the weights' rounding included"
	if p.m.posterior {
		formula = "range = 2η tanh(L/2)"
	}
	if p.enumerable() {
		scope = fmt.Sprintf("every data set of n = %d records, every neighbour, every candidate", p.n)
	}
	return drawsChecker.Check(ctx, cert.Check{
		Statement: "loss of the draws, " + mechanism.NotionWords(p.target.Level), Formula: formula,
		Source: "theory/networks.md §4; bounded range: Dong, Durfee, Rogers 2020", Bound: bound, Scope: scope,
	}, q)
}

// drawer releases, for every conditional, the grid point of every row.
type drawer struct {
	*problem
	rate float64
}

// Draw draws every row of every conditional on its own.
func (d *drawer) Draw(ctx context.Context, _ seal.Key, tables [][]int64, src *dp.Stream) ([][]int64, error) {
	var out [][]int64
	for k, counts := range d.shape.ConditionalCounts(tables) {
		var points []int64
		for lo := 0; lo < len(counts); lo += d.conds[k].Levels {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			w, err := d.weights(k, counts[lo:lo+d.conds[k].Levels], d.rate)
			if err != nil {
				return nil, err
			}
			for _, r := range d.grids[k].points[w.Draw(src)] {
				points = append(points, int64(r))
			}
		}
		out = append(out, points)
	}
	return out, nil
}

// Estimate takes the points as the model's parameters. A row stands for an equal share of the records.
func (d *drawer) Estimate(raw [][]int64) (model.Estimate, error) {
	if len(raw) != len(d.conds) {
		return model.Estimate{}, &mechanism.ParamsError{Field: "raw", Value: fmt.Sprintf("%d conditionals", len(raw)), Want: fmt.Sprint(len(d.conds))}
	}
	e := model.Estimate{}
	for k, c := range d.conds {
		g := d.grids[k]
		if len(raw[k]) != c.Rows*c.Levels {
			return e, &mechanism.ParamsError{Field: "raw", Value: fmt.Sprintf("%d numbers for %s", len(raw[k]), c.Name), Want: fmt.Sprint(c.Rows * c.Levels)}
		}
		share := math.Max(float64(d.n), 1) / float64(c.Rows)
		var row []float64
		for lo := 0; lo < len(raw[k]); lo += c.Levels {
			total := int64(0)
			for _, r := range raw[k][lo : lo+c.Levels] {
				if r < int64(g.floor) || r > int64(g.steps) {
					return e, &mechanism.ParamsError{Field: "raw", Value: fmt.Sprint(r), Want: fmt.Sprintf("grid steps in [%d, %d]", g.floor, g.steps)}
				}
				total += r
				row = append(row, share*float64(r)/float64(g.steps))
			}
			if total != int64(g.steps) {
				return e, &mechanism.ParamsError{Field: "raw", Value: fmt.Sprintf("steps that add up to %d", total), Want: fmt.Sprint(g.steps)}
			}
		}
		e.Conditionals = append(e.Conditionals, row)
	}
	return e, nil
}
