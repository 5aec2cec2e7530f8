package dirichlet

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"sync"

	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// perTable plans every table on its own, with ε/K and its own r, as the theory does for dir_opt: the plan of a table
// depends on its size, n and its share only, so tables of one size share it.
func perTable(prior func(*problem) float64, plan func(context.Context, size, float64) (part, error)) planner {
	return func(ctx context.Context, p *problem, epsilon float64) (*drawing, error) {
		d := &drawing{}
		n, _ := p.shape.N()
		for k, t := range p.tables {
			s := size{p.rows[k], len(t) / p.rows[k], n, epsilon / float64(len(p.tables)), p.shape.Schema().Inferred}
			one, err := plan(ctx, s, prior(p))
			if err != nil {
				return nil, err
			}
			one.tables = []int{k}
			d.parts = append(d.parts, one)
		}
		return d, nil
	}
}

// size is what the plan of a table depends on.
type size struct {
	rows, levels, n int
	epsilon         float64
	inferred        bool
}

// shape is a model of one table of the size.
func (s size) shape() (*model.Shape, error) {
	schema := &frame.Schema{Dataset: "table", Columns: []frame.Column{levels("cell", s.levels)}, Inferred: s.inferred}
	var m model.Model = model.Categorical("cell")
	if s.rows > 1 {
		schema.Columns = append(schema.Columns, levels("row", s.rows))
		m = model.NaiveBayes("row")
	}
	return model.NewShape(schema, m, s.n, true, "")
}

func levels(name string, n int) frame.Column {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return frame.Categorical(name, labels...)
}

// tablePlans keeps the plans of tables, which are public functions of their keys.
var tablePlans sync.Map

type tableKey struct {
	size
	calibration dirichlet.Calibration
	raw         bool
}

func (s size) plan(ctx context.Context, c dirichlet.Calibration, raw bool) (*mechanism.Plan, error) {
	key := tableKey{s, c, raw}
	if p, ok := tablePlans.Load(key); ok {
		return p.(*mechanism.Plan), nil
	}
	shape, err := s.shape()
	if err != nil {
		return nil, err
	}
	m := dirichlet.New()
	if raw {
		m = m.Raw()
	}
	p, err := m.WithCalibration(c).Plan(ctx, shape, dp.RenyiDP(Order, s.epsilon))
	if err == nil {
		tablePlans.Store(key, p)
	}
	return p, err
}

// raw1 is one Dirichlet draw of a table, r for the average over the public prior a₀.
func raw1(ctx context.Context, s size, a0 float64) (part, error) {
	p, err := s.plan(ctx, dirichlet.Average(a0), true)
	return part{plan: p}, err
}

// debiased1 is the theory's dir_opt_debias of a table: gamma draws at ten times the r of raw1, and E[count | g] under a
// flat prior on counts ≥ 0.
func debiased1(ctx context.Context, s size, a0 float64) (part, error) {
	base, err := raw1(ctx, s, a0)
	if err != nil {
		return part{}, err
	}
	at, err := gammaOf(base.plan)
	if err != nil {
		return part{}, err
	}
	p, err := s.plan(ctx, dirichlet.AtRate(10*at.Rate), false)
	if err != nil {
		return part{}, err
	}
	if at, err = gammaOf(p); err != nil {
		return part{}, err
	}
	return part{plan: p, post: func(_ context.Context, drawn *mechanism.Drawn) (model.Estimate, error) {
		return at.flat(drawn.Real[0], s),
			nil
	}}, nil
}

// gammaParams are the r and α of a plan of the Dirichlet mechanism.
type gammaParams struct{ Rate, Shape float64 }

func gammaOf(p *mechanism.Plan) (g gammaParams, err error) {
	err = json.Unmarshal(p.Params(), &g)
	return g, err
}

// flat estimates a table by E[count | g] under a flat prior, and the totals of its rows without bias.
func (g gammaParams) flat(logs []float64, s size) model.Estimate {
	est, totals := make([]float64, len(logs)), make([]float64, s.rows)
	for i, y := range logs {
		est[i] = klrisk.GammaMean(y, g.Rate, g.Shape, math.Inf(1), 0)
		totals[i/s.levels] += (math.Exp(y) - g.Shape) / g.Rate
	}
	return model.Estimate{Tables: [][]float64{est}, Class: totals}
}
