package regression

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/noisycells"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// tableKind is the registered name of the noisy table of a logistic regression.
const tableKind = "contingency-table"

// NoisyTable releases a logistic regression on factors as a table of counts: see ContingencyTable.
type NoisyTable struct {
	mechanism.Front
	anyway bool
}

// ContingencyTable counts the rows of a logistic regression whose features are all categorical, in the table of all
// cells of the features times the two classes, and adds two-sided geometric noise to every count, P(Z = z) ∝ e^{−γ|z|}.
// One row changes two counts by one where it is replaced and one where it comes or goes: γ = ε/2 and ε for ε-DP, over k
// for units of k rows, and by the exact profile of the pair for (ε, δ), Rényi, zCDP and tCDP targets. Arithmetic:
// exact.
//
// The posterior of the coefficients is given the noisy counts. With λ_c the mean number of rows in cell c, n_cy ~
// Poisson(λ_c·P(y | z_cᵀβ)), and the latent counts are summed out in closed form (noisycells.LogProbability). Priors
// are λ_c^−½ and those of FisherScoring: slopes N(0, 4/λ), intercept N(0, 25/λ), λ that of the model's WithPrior;
// Logistic states its own. Where n is private this is the exact posterior. Where n is public, the posterior has the
// factor Poisson(n; Σλ_c) for what the total says: an approximation, since the counts, and not only their means, add up
// to n. Its standard deviations are 1.02 to 1.04 times the exact ones for one cell of 30 to 100 rows, and .96 to 1.01
// times for 1000 (theory/glm.md §5).
//
// It takes 1 to 5 features, whose levels make at most 10,000 cells, and a frame or a source, whose rows are counted
// once more in the table. If that fails, its context ends or the number of rows of a source has changed, the charge
// stands and nothing is released.
func ContingencyTable() NoisyTable { return NoisyTable{}.made() }

// Anyway plans where n is public and so small that intervals rest on the prior of the cells: without it that is a
// *NotWorthError, before anything is charged.
func (m NoisyTable) Anyway() NoisyTable { m.anyway = true; return m.made() }

func (m NoisyTable) made() NoisyTable { m.Front = mechanism.FrontOf(m.mathematics); return m }

// leastPerCell is n·γ over the number of cells of the features below which the prior of the cells matters: for ε-DP of
// a replaced row, 30 cells for nε. Source: theory/glm.md §5.
const leastPerCell = 15

// tabulating is one problem of the noisy table.
type tabulating struct {
	*setting
	table  *model.Shape // of the counts
	counts sensitivity.CountTables
	cells  int // of the features
	anyway bool
}

// supports accepts logistic regressions on factors.
func (m NoisyTable) supports(sh *model.Shape) error {
	if sh.Linear() == nil || !sh.Classifies() {
		return mechanism.Unsupported(sh.Model().String(), "LogisticRegression or Logistic")
	}
	if len(sh.Columns()) == 1 {
		return mechanism.Unsupported("a model without features", "a table of one to five, or FisherScoring()")
	}
	for _, c := range sh.Columns()[1:] {
		if c.Numeric() {
			return mechanism.Unsupported("the numeric feature "+safetext.Quote(c.Name), "a categorical column, or "+
				"FisherScoring()")
		}
	}
	table, err := sh.Crossed()
	if err != nil {
		return mechanism.Unsupported(err.Error(), "fewer features, or FisherScoring()")
	}
	if cells, columns := table.Cells()/2, len(sh.Linear().Weights()); cells > noisycells.MostCells ||
		columns > gram.MostColumns {
		return mechanism.Unsupported(fmt.Sprintf("%d cells of the features and %d coefficients", cells, columns),
			fmt.Sprintf("at most %d and %d, or SufficientStatistics()", noisycells.MostCells, gram.MostColumns))
	}
	return nil
}

func (m NoisyTable) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*tabulating, error) {
	s, err := newSetting(sh, t)
	if err != nil {
		return nil, err
	}
	switch {
	case s.replaced && s.n == 0:
		return nil, domain.Refuse("regression", "n", 0, "at least one row")
	case sh.Linear().Formula == nil && !(s.prior >= 1e-6 && s.prior <= 1e6):
		return nil, domain.Refuse("regression", "ridge λ", s.prior, "1e-6 to 1e6")
	}
	table, err := s.shape.Crossed()
	if err != nil {
		return nil, err
	}
	of, err := sensitivity.OfCounts(table, t.Adjacency)
	return &tabulating{s, table, of, table.Cells() / 2, m.anyway}, err
}

// tableParams are what a release file keeps: γ.
type tableParams struct {
	Rate noise.Rational `json:"rate"`
}

// Valid refuses what is no rate that the sampler takes: *dp.ParameterError.
func (q tableParams) Valid() error {
	if err := q.Rate.Valid(); err != nil {
		return err
	}
	if v := q.Rate.Float(); !(v >= 0x1p-30 && v <= 64) {
		return domain.Refuse("regression", "rate", q.Rate.String(), "2^−30 to 64")
	}
	return nil
}

func (p *tabulating) calibrate(ctx context.Context) (q tableParams, err error) {
	d, met, err := noise.GeometricFamily.Least(ctx, p.counts.Cells, p.counts.Rows, p.target.Parameters)
	if err != nil {
		return q, err
	}
	if !met {
		return q, mechanism.Unmet(ctx, p.target.Parameters, d.Pair(p.counts.Cells, p.counts.Rows),
			"a level at least that of "+d.String())
	}
	q.Rate = d.(noise.Geometric).Parameter()
	if least := p.leastRows(q.Rate.Float()); p.replaced && !p.anyway && float64(p.n) < least {
		err = &NotWorthError{Rows: p.n, Want: int(math.Ceil(least)), Cells: p.cells}
	}
	return q, err
}

// leastRows is how many rows the table takes. Rates are rounded toward privacy, which does not count.
func (p *tabulating) leastRows(rate float64) float64 {
	return leastPerCell * float64(p.cells) / rate * (1 - 1e-6)
}

func (m NoisyTable) mathematics() mechanism.Family[*tabulating, tableParams] {
	return mechanism.Family[*tabulating, tableParams]{
		Kind: tableKind, Title: "Noisy table of a logistic regression", NoNominal: true,
		Supports: m.supports, Prepare: m.prepare, Certify: certifyTable,
		Calibrate: func(ctx context.Context, p *tabulating) (tableParams, error) { return p.calibrate(ctx) },
	}
}

// counting is the plan of the counts at the rate: package counts releases them, and has their certificate.
func (p *tabulating) counting(ctx context.Context, q tableParams) (*mechanism.Plan, error) {
	params, err := json.Marshal(map[string]any{"noise": q.Rate, "post_process": counts.Clamp})
	if err != nil {
		return nil, err
	}
	return mechanism.Describe(counts.Geometric(), "", "", "").Rebuild(ctx, p.table, p.target, params)
}

func certifyTable(ctx context.Context, p *tabulating, q tableParams) (spec mechanism.Spec, err error) {
	if err := q.Valid(); err != nil {
		return spec, err
	}
	plan, err := p.counting(ctx, q)
	if err != nil {
		return spec, err
	}
	d := &tableSampler{tabulating: p, rate: q.Rate.Float(), counting: plan.Sampler(access.Mine()), last: &sampled{}}
	total := "exact: n is private"
	if p.n > 0 {
		total = "an approximation of the public total: Poisson(n; Σλ)"
	}
	z, _ := plan.Noise()
	slope, intercept := p.shape.FamilyPrior()
	return mechanism.Spec{
		Shape: p.shape, Arithmetic: dp.Exact, Pair: plan.Pair(), Checks: plan.Certificate().Checks,
		StandardFormula: plan.StandardFormula(),
		Settings: []mechanism.Setting{
			{Name: "noise", Value: z.String()},
			{Name: "cells", Value: fmt.Sprintf("%d of the features, times two classes", p.cells)},
			{Name: "sensitivity", Value: fmt.Sprintf("ℓ₁ = %d: one row changes %d counts by one", p.counts.L1(),
				p.counts.Cells)},
			{Name: "posterior", Value: "given the noisy counts, by Markov chains; " + total},
			{Name: "prior", Value: fmt.Sprintf("log-odds: slopes N(0, %.6g²), intercept N(0, %.6g²); cells λ^−½", slope,
				intercept)},
		},
		Expected: []mechanism.Expectation{{Name: "standard deviation of a count", Value: math.Sqrt(z.Variance()),
			Unit: "records", How: "closed form, of the noise"}},
		Sampler: d, Count: p.table.Cells(),
	}, nil
}

// Cost estimates a plan by its enumeration, and a draw by chains.
func (m NoisyTable) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	cells := 1.
	for _, c := range sh.Columns()[1:] {
		cells *= float64(c.Levels())
	}
	return mechanism.Cost{Plan: 1e7, Draw: 2.5e8 * tableSeconds(cells, .5), Bytes: 1<<20 + 500*cells}
}

// tableSampler releases the noisy counts of the table, those of the first class before those of the second, the last
// feature running fastest.
type tableSampler struct {
	*tabulating
	rate     float64
	counting mechanism.Sampler
	last     *sampled
}

// Accepts refuses rows that cannot be counted again, before anything is charged.
func (d *tableSampler) Accepts(st *model.Statistics) error {
	if st.CanPass() {
		return nil
	}
	return &mechanism.StatisticsError{Have: "sums without their rows",
		Want: "a frame or a source, whose rows ContingencyTable() counts; or SufficientStatistics()"}
}

// Draw counts the rows in the table, and adds noise.
func (d *tableSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	table, err := data.Crossed(ctx)
	if err != nil {
		return mechanism.Output{}, err
	}
	return d.counting.Draw(ctx, table, src)
}

// problem reads noisy counts, here or from a file. Error: *domain.Error for counts that no table has.
func (d *tableSampler) problem(drawn mechanism.Output) (*noisycells.Problem, error) {
	if len(drawn.Raw) != 1 || len(drawn.Raw[0]) != 2*d.cells || drawn.Real != nil {
		return nil, domain.Refuse("regression", "raw", "counts of another table",
			fmt.Sprintf("one list of %d counts", 2*d.cells))
	}
	most := 1e15 // rows of any table
	if d.replaced {
		most = float64(d.n)
	}
	for _, r := range drawn.Raw[0] { // noise exceeds 200/γ with probability e^−200
		if !(math.Abs(float64(r)) <= most+200/d.rate) {
			return nil, domain.Refuse("regression", "raw", r, fmt.Sprintf("a count of at most %.6g, with noise", most))
		}
	}
	p := &noisycells.Problem{Rows: d.rowsOfCells(), First: drawn.Raw[0][:d.cells], Second: drawn.Raw[0][d.cells:],
		Rate: d.rate}
	if d.replaced {
		p.N = float64(d.n)
	}
	slope, intercept := d.shape.FamilyPrior()
	for j := range d.dim {
		p.Deviation = append(p.Deviation, slope)
		if j == 0 {
			p.Deviation[0] = intercept
		}
	}
	return p, p.Check()
}

// rowsOfCells are the columns of the regression in every cell of the features.
func (d *tableSampler) rowsOfCells() (out [][]float64) {
	columns, features := d.shape.Linear().Columns(), d.shape.Columns()[1:]
	for cell := range d.cells {
		level, rest := map[int]int{}, cell
		for i := len(features) - 1; i >= 0; i-- {
			level[i], rest = rest%features[i].Levels(), rest/features[i].Levels()
		}
		row := make([]float64, len(columns))
		for j, c := range columns {
			row[j] = c.Value(nil, level)
		}
		out = append(out, row)
	}
	return out
}

// tableSeconds is about how long the chains of a table of so many cells take on one core: sums of incomplete gammas
// have some 1/γ terms.
func tableSeconds(cells, rate float64) float64 { return cells * (.07 + .005/rate) }

// scaled are coefficients as weights on scaled rows, w = β√D.
func (d *tableSampler) scaled(beta []float64) (out []float64) {
	for _, b := range beta {
		out = append(out, b*math.Sqrt(float64(d.shape.Linear().Square())))
	}
	return out
}

// Estimate is the posterior given the noisy counts, drawn when it is asked for. Without it there is a fit to the noisy
// counts.
func (d *tableSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	p, err := d.problem(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	mode, err := p.Mode()
	if err != nil {
		return model.Estimate{}, err
	}
	names, contract := d.shape.Linear().Weights(), d.last.hold(ctx)
	of := d.hash(drawn)
	return model.Estimate{Sampling: &model.Sampling{Seed: hex.EncodeToString(of[:]),
		Seconds: tableSeconds(float64(d.cells), d.rate),
		Without: &model.Draws{Names: names, Values: [][]float64{d.scaled(mode)}},
		Draw: func(ctx context.Context) (*model.Draws, error) {
			all, err := d.sample(held(ctx, contract), drawn, p)
			if err != nil {
				return nil, err
			}
			return &model.Draws{Names: names, Values: thinned(all.Weights), Chains: noisycells.Chains}, nil
		},
	}}, nil
}

// hash is the seed of what was released.
func (d *tableSampler) hash(drawn mechanism.Output) [32]byte {
	values := make([]float64, len(drawn.Raw[0]))
	for i, r := range drawn.Raw[0] {
		values[i] = float64(r)
	}
	return d.seed(values)
}

// sample draws weights on scaled rows from the posterior. Errors: *NotConvergedError, the context's.
func (d *tableSampler) sample(ctx context.Context, drawn mechanism.Output, p *noisycells.Problem) (*gram.Draws, error) {
	return d.last.once(ctx, d.hash(drawn), func(of [32]byte) (*gram.Draws, error) {
		draws, err := p.Sample(ctx, of)
		if err != nil {
			return nil, named(err, d.shape.Linear().Weights(), "")
		}
		for k, beta := range draws.Weights {
			draws.Weights[k] = d.scaled(beta)
		}
		return draws, nil
	})
}

// Warned says that there are no intervals, for which weights they are about as wide as the prior and, where n is
// private, that the table has few rows for its cells. It reads released numbers.
func (d *tableSampler) Warned(drawn mechanism.Output) (list warning.List) {
	p, err := d.problem(drawn)
	if err != nil {
		return nil
	}
	rows := 0.
	for _, r := range drawn.Raw[0] {
		rows += float64(r)
	}
	if least := d.leastRows(d.rate); !d.replaced && rows < least {
		list = append(list, warning.FewRows(rows, least, d.cells))
	}
	if tableSeconds(float64(d.cells), d.rate) > model.MostSeconds && !d.last.has(d.hash(drawn)) {
		return list // until it is sampled
	}
	draws, err := d.sample(d.last.background(), drawn, p)
	if err != nil {
		return append(list, warning.NoIntervals(err))
	}
	var precision []float64
	for _, sd := range d.scaled(p.Deviation) {
		precision = append(precision, 1/(sd*sd))
	}
	if few := drowned(draws.Weights, precision, d.shape.Linear().Weights()); few != nil {
		list = append(list, warning.NoiseDrowns(few))
	}
	return list
}
