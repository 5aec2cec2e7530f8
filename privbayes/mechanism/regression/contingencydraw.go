package regression

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/noisycells"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

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
	slope, intercept := d.deviations()
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

// tableSeconds is about how long the chains of a table of so many cells take on one core: sums of incomplete gammas have
// some 1/γ terms.
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
	names, contract := d.shape.Linear().Weights(), mcmc.ContractOf(ctx, mcmc.Contract{})
	of := d.hash(drawn)
	return model.Estimate{Sampling: &model.Sampling{Seed: hex.EncodeToString(of[:]),
		Seconds: tableSeconds(float64(d.cells), d.rate),
		Without: &model.Draws{Names: names, Values: [][]float64{d.scaled(mode)}},
		Draw: func(ctx context.Context) (*model.Draws, error) {
			if contract != (mcmc.Contract{}) {
				ctx = contract.With(ctx)
			}
			all, err := d.sample(ctx, drawn, p)
			if err != nil {
				return nil, err
			}
			return &model.Draws{Names: names, Values: thinned(all.Weights)}, nil
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
	draws, err := d.sample(context.Background(), drawn, p)
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
