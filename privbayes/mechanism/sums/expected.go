package sums

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// noiseOf is the standard deviation of the noise of an average, times n where n is private: of a mean at the middle of
// the range, which is the mean of least noise there.
func (p *problem) noiseOf(z onSums) float64 {
	sd := math.Sqrt(z.variance(0))
	switch p.Kind {
	case moments:
		_, unit := p.half()
		sd /= float64(unit)
	case halves, groupHalves: // A/(A+B) at one half: its noise is (Z_A − Z_B)/2, in steps
		sd /= math.Sqrt2
	case columnsCount: // (2k − K)
		sd /= 2
	}
	return sd
}

// expected are the predicted errors, known before anything is spent.
func (p *problem) expected(z onSums) (out []mechanism.Expectation) {
	l := p.shape.Lattice()
	how := "closed form; the rounding of records is not in it"
	names := make([]string, len(l.Low))
	for i := range names {
		names[i] = p.shape.Columns()[i].Name
	}
	per, of := float64(p.about), ""
	if p.n == 0 && p.about > 0 {
		how = fmt.Sprintf("closed form, at %s; the rounding of records is not in it", mechanism.Size(p.shape))
	}
	if p.about == 0 {
		per, of = 1, ", times the number of records"
	}
	if p.Kind == groupHalves {
		per, of = 1, ", times the number of records of the group"
	}
	if p.shape.OneParameter() != nil {
		return []mechanism.Expectation{{Name: "noise of the mean of the rounded statistic (sd)" + of,
			Value: p.noiseOf(z) * l.Step(0) / per, How: how}}
	}
	for i, name := range names {
		out = append(out, mechanism.Expectation{Name: fmt.Sprintf("noise of the mean of %s (sd)%s", name, of),
			Value: p.noiseOf(z) * l.Step(i) / per, How: how})
	}
	if p.Kind == moments {
		_, unit := p.half()
		step := l.Step(0) / float64(unit)
		out = append(out, mechanism.Expectation{
			Name:  fmt.Sprintf("noise of the mean square about the middle of %s (sd)%s", names[0], of),
			Value: math.Sqrt(z.variance(1)) * step * step / per, How: how})
	}
	return out
}

// predict is the mean absolute noise of an average as a share of the range, by the ratio √½ of Laplace noise and √(2/π)
// of normal noise to the standard deviation.
func (p *problem) predict(z onSums) func() (float64, string) {
	if p.about == 0 || p.Kind == moments || p.Kind == groupHalves || p.Kind == columnsCount {
		return nil
	}
	ratio := math.Sqrt(.5)
	if z.law == gaussianLaw || z.law == cubeLaw {
		ratio = math.Sqrt(2 / math.Pi)
	}
	if p.shape.OneParameter() != nil {
		return func() (float64, string) {
			return p.relative(ratio * p.noiseOf(z)), "to first order, averaged over the prior"
		}
	}
	return func() (float64, string) {
		return ratio * p.noiseOf(z) / float64(p.Steps) / float64(p.about), "closed form, as a share of the range"
	}
}

// priorPoints are the values of a parameter that its error is averaged over.
const priorPoints = 64

// relative is the mean relative error of a one-parameter model's θ, where the sum's is noise on average: noise/(n·|dm/d
// log θ|), m the mean of a record's place, averaged over the prior on its range. A single θ counts at most 1.
func (p *problem) relative(noise float64) float64 {
	one := p.shape.OneParameter()
	law, low, high, prior := one.Record, one.Low, one.High, one.LogPrior
	cells := make([]float64, p.Steps+1)
	mean := func(theta float64) (m float64) {
		law(theta, cells)
		for k, v := range cells {
			m += float64(k) * v
		}
		return m
	}
	unit := func(float64) float64 { return 1 }
	if l := p.shape.Lattice(); p.countsEvents() { // its errors are shares of the range
		unit = func(theta float64) float64 { return theta / (l.High[0] - l.Low[0]) }
	}
	sum, total := 0.0, 0.0
	for i := range priorPoints {
		theta := low + (float64(i)+.5)/priorPoints*(high-low)
		const h = 1e-3
		slope := math.Abs(mean(theta*(1+h))-mean(theta*(1-h))) / (2 * h)
		w := math.Exp(prior(theta) - prior(low))
		sum += w * math.Min(1, noise/(float64(p.about)*slope)) * unit(theta)
		total += w
	}
	return sum / total
}

func (p *problem) countsEvents() bool {
	_, ok := p.shape.Model().(model.PoissonModel)
	return ok
}

func (p *problem) settings(q params) []mechanism.Setting {
	noise := q.Law
	if q.Epsilon != nil {
		noise += fmt.Sprintf(", ε = %s = %.6g", q.Epsilon, q.Epsilon.Float())
	} else {
		noise += fmt.Sprintf(", σ² = %s = %.6g squared steps", q.Sigma2, q.Sigma2.Float())
	}
	return []mechanism.Setting{
		{Name: "noise", Value: noise},
		{Name: "lattice", Value: fmt.Sprintf("K = %d steps of %.6g", p.Steps, p.shape.Lattice().Step(0))},
		{Name: "released", Value: p.Kind},
	}
}

// standardFormula is what the usual formula claims: Laplace noise at ε = Δ₁γ, or ρ = Δ₂²/(2σ²) and its conversion.
func (p *problem) standardFormula(q params) mechanism.StandardFormula {
	c := p.changeOf(p.target.Adjacency)
	if q.Epsilon != nil {
		return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(q.Epsilon.Float())},
			Source: "the noise's own norm; Dwork, McSherry, Nissim, Smith 2006; Hardt, Talwar 2010"}
	}
	out := mechanism.StandardFormula{}
	out.Level, out.Source = noise.StandardGaussian(q.Sigma2.Float(),
		float64(c.cells)*float64(c.shift*c.shift)*float64(p.rows*p.rows), p.target.Parameters)
	return out
}
