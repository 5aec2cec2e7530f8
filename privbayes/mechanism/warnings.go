package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Warnings lists what is dangerous about the plan: of its certified level (dp.Parameters.Warnings), of the posterior
// that it draws from, of the prior, of the schema. It is a function of the plan, and so of public inputs only; it
// stands neither in the plan's JSON nor in a release, and is derived again from both.
func (p *Plan) Warnings() warning.List {
	size := Size(p.spec.Shape)
	return p.certified.Warnings(size).And(p.sampledWarnings(size), p.priorWarnings(size), p.noiseWarnings(size),
		p.networkWarnings(size), p.latticeWarnings(), p.spec.Shape.Schema().Warnings())
}

// Warner is a sampler that warns of what it drew, as it stands in a release: of public numbers.
type Warner interface {
	Warned(drawn Output) warning.List
}

// DrawnWarnings lists what is dangerous about a draw of the plan. It reads what was released, and no data.
func (p *Plan) DrawnWarnings(d *Drawn) warning.List {
	if w, ok := p.spec.Sampler.(Warner); ok && d != nil {
		return w.Warned(d.Output)
	}
	return nil
}

// networkWarnings are about columns of a network whose shares the prior of noise-aware intervals decides: by a normal
// approximation from the levels, the rows of parents, n and the noise (docs/theory/prior.md §3).
func (p *Plan) networkWarnings(size warning.Size) warning.List {
	sh := p.spec.Shape
	m, network := sh.Model().(model.NetworkModel)
	measured, ok := p.Measured()
	if !network || !ok || measured.Parities != nil || !size.Known() {
		return nil
	}
	var columns []string
	least, times := 1.0, 1.0
	for v, d := 0, sh.Graph(); v < d.Len(); v++ {
		levels := d.Arity(v)
		rows, variance := d.FamilyCells(v)/levels, math.Inf(1)
		for t, table := range sh.Tables() {
			if !slices.ContainsFunc(d.Family(v), func(u int) bool { return !slices.Contains(table.Columns, d.Node(u).Name) }) {
				unit, cells := float64(measured.Tables[t].Unit()), float64(table.Cells())/float64(rows*levels)
				variance = min(variance, cells*measured.Tables[t].Variance()/(unit*unit))
			}
		}
		prior := latent.IndependentRows(levels, m.Prior().At(0))
		if m.ShareRows() {
			prior = latent.SharedRows(levels, rows)
		}
		at := func(times float64) float64 {
			return prior.Coverage(rows, float64(size.Rows), variance/(times*times))
		}
		if c := at(1); c < warning.LeastCoverage {
			columns, least = append(columns, d.Node(v).Name), min(least, c)
			for times < math.Inf(1) && at(times) < warning.LeastCoverage {
				if times *= 2; times > 1e6 {
					times = math.Inf(1)
				}
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return warning.List{warning.PriorDecides(columns, least, times)}
}

// latticeWarnings are about numbers of a formula that are rounded to a coarse grid before they are read.
func (p *Plan) latticeWarnings() warning.List {
	l := p.spec.Shape.Linear()
	if l == nil || l.Formula == nil || l.Formula.Degree < warning.CoarseDegree {
		return nil
	}
	var steps []float64
	for _, c := range p.spec.Shape.Columns() {
		if slices.Contains(l.Formula.Numbers, c.Name) {
			steps = append(steps, l.Formula.Step()*(c.Max/2-c.Min/2))
		}
	}
	return warning.List{warning.CoarseLattice(l.Formula.Numbers, steps, l.Formula.Degree)}
}

// noiseWarnings are about means that are mostly noise.
func (p *Plan) noiseWarnings(size warning.Size) warning.List {
	if _, means := p.spec.Shape.Model().(model.MeansModel); !means || !size.Known() {
		return nil
	}
	if share, _ := p.Predict(); share > warning.MostNoise {
		var columns []string
		for _, c := range p.spec.Shape.Columns() {
			columns = append(columns, c.Name)
		}
		return warning.List{warning.Noise(columns, share, size)}
	}
	return nil
}

// sampledWarnings are about a posterior that was flattened or cut.
func (p *Plan) sampledWarnings(size warning.Size) (out warning.List) {
	s, ok := p.Sampled()
	if !ok {
		return nil
	}
	if s.Power < warning.LeastWeight {
		weights := priorWeights(p.spec.Shape)
		if s.Prior > 0 {
			weights = []priorWeight{{s.PriorName, s.Prior}}
		}
		outweighed := 0
		for _, w := range weights {
			if w.records > s.Power*float64(size.Rows) {
				outweighed++
			}
		}
		out = append(out, warning.Tempered(s.Power, s.AtMost, size, outweighed, len(weights)))
	}
	if s.Box < warning.LeastWeight {
		out = append(out, warning.Bounds(s.Box))
	}
	return out
}

// priorWarnings are about priors that outweigh all records. A plan that draws from a flattened posterior says so in
// that warning.
func (p *Plan) priorWarnings(size warning.Size) warning.List {
	s, sampled := p.Sampled()
	if !size.Known() || sampled && s.Power < warning.LeastWeight {
		return nil
	}
	if sampled && s.Prior > 0 {
		if records := s.Prior / s.Power; records > float64(size.Rows) {
			return warning.List{warning.Prior(s.PriorName, records, size, 1, 1)}
		}
		return nil
	}
	power := 1.0
	if sampled {
		power = math.Min(s.Power, 1)
	}
	weights := priorWeights(p.spec.Shape)
	outweighed, worst := 0, priorWeight{}
	for _, w := range weights {
		w.records /= power
		if w.records > float64(size.Rows) {
			outweighed++
		}
		if w.records > worst.records {
			worst = w
		}
	}
	if outweighed == 0 {
		return nil
	}
	return warning.List{warning.Prior(worst.what, worst.records, size, outweighed, len(weights))}
}

// priorWeight is what the prior of one distribution, over all configurations of its parents, weighs.
type priorWeight struct {
	what    string
	records float64
}

// priorWeights are the weights of a model's prior in records: the sum of its hyperparameters for every conditional
// distribution; for a rate what λ amounts to in records of the greatest statistic, the least that it can weigh. Empty
// where public inputs do not tell.
func priorWeights(sh *model.Shape) (out []priorWeight) {
	alpha := sh.Model().Prior()
	if r := sh.Rate(); r != nil {
		if r.Most > 0 {
			out = append(out, priorWeight{"the prior rate, at the least,", alpha[0] / r.Most})
		}
		return out
	}
	for _, c := range sh.Conditionals() {
		sum := 0.0
		for i := range c.Levels {
			sum += alpha.At(i)
		}
		out = append(out, priorWeight{fmt.Sprintf("the prior of %q", c.Name), sum * float64(c.Rows)})
	}
	return out
}
