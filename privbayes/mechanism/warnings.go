package mechanism

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Sampled says from which posterior a mechanism draws, by public figures.
type Sampled struct {
	Power  float64 // weight of a record in it: the power of the likelihood, 1 for the posterior of the data
	AtMost bool    // Power is a bound from above, for any data
	Box    float64 // the part of the range of a probability that a trim leaves, where it leaves least; 1 without

	// Prior is what the prior weighs against Power for every record, in the distribution where it weighs least, and
	// PriorName what it is called: of mechanisms with pseudo-counts of their own, and of models without distributions.
	// 0 if the model's hyperparameters say it.
	Prior     float64
	PriorName string
}

// Sampled is the posterior that the plan draws from; ok is false for a mechanism that does not draw from one.
func (p *Plan) Sampled() (s Sampled, ok bool) {
	if p.spec.Sampled == nil {
		return Sampled{}, false
	}
	return *p.spec.Sampled, true
}

// Size is what warnings about a shape may know of the number of rows: n where it is public, else what the schema
// declares.
func Size(sh *model.Shape) warning.Size {
	if n, public := sh.N(); public {
		return warning.Size{Rows: n}
	}
	return warning.Size{Rows: sh.Schema().ApproximateRows, Declared: true}
}

// Warnings lists what is dangerous about the plan: of its certified level (dp.Parameters.Warnings), of the posterior that it
// draws from, of the prior, of the schema. It is a function of the plan, and so of public inputs only; it stands
// neither in the plan's JSON nor in a release, and is derived again from both.
func (p *Plan) Warnings() warning.List {
	size := Size(p.spec.Shape)
	return p.certified.Warnings(size).And(p.sampledWarnings(size), p.priorWarnings(size), p.noiseWarnings(size),
		p.spec.Shape.Schema().Warnings())
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

// noiseWarnings are about means that are mostly noise.
func (p *Plan) noiseWarnings(size warning.Size) warning.List {
	if _, means := p.spec.Shape.Model().(model.MeansModel); !means || !size.Known() {
		return nil
	}
	if share, _ := p.Predict(); share > warning.MostNoise {
		return warning.List{warning.Noise(share, size)}
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
