package weighted

import (
	"context"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// spread is the coefficient of variation that weights are taken to have.
const spread = .5

// Predicted is of the first number, at the schema's population, of values that are spread as guessed or evenly,
// whatever the weights, which vary by half of their mean. What is said of the rows is the noise alone; the interval of
// the population is that of the expected sums. There is none without a population, or where none is shown.
func (d *sampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	p mechanism.Predicted, ok bool) {
	people, groups := float64(d.shape.Population()), float64(d.groups)
	if people == 0 || d.withheld(d.params) != nil {
		return p, false
	}
	weight := people / d.shape.Weighted().Max
	squares := math.Min(weight, weight*weight/float64(rows)*(1+spread*spread))
	reach := d.params.reach(level)
	l := d.shape.Lattice()
	if d.tokens.Boxes == model.BoxesShare {
		at, unit, shares := 0, mechanism.InShares, guess.Spread(d.groups)
		share := shares[0]
		factor := math.Sqrt((1-share)*(1-share) + (groups-1)*share*share)
		if r := d.shape.WeightedRanks(); r != nil {
			unit, shares = mechanism.InRanks, (*mechanism.Guess)(nil).Spread(d.groups)
			for i, a := range r.A {
				if q := float64(a) / float64(r.B); i == 0 || q*(1-q) > share*(1-share) {
					at, share = i, q
				}
			}
			factor = math.Sqrt(groups * share * (1 - share))
		}
		b := make([]float64, 2*d.groups)
		for g, s := range shares {
			b[l.Box(g, 0)], b[l.Box(g, 1)] = s*weight, s*(weight-squares)
		}
		found := d.found(b, level)[at]
		if unit == mechanism.InRanks {
			found.Lower, found.Upper = (found.Lower-l.Low[0])/(l.High[0]-l.Low[0]), (found.Upper-l.Low[0])/(l.High[0]-l.Low[0])
		}
		return away(share, reach*factor/weight, found.Lower, found.Upper, unit, guess).Sampled(level, share*(1-share),
			float64(rows), 1+spread*spread), true
	}
	width := l.High[0] - l.Low[0]
	mean, variance := guess.Place(l.Low[0], l.High[0], l.Steps == 1)
	b, of := make([]float64, d.tokens.Boxes.Each()*d.groups), float64(rows)/groups
	if d.tokens.Boxes == model.BoxesTotal {
		first := (l.Low[0] + mean*width) / l.High[0]
		second := first*first + variance*width*width/(l.High[0]*l.High[0])
		for g := range d.groups {
			b[l.Box(g, 0)], b[l.Box(g, 1)] = first*weight/groups, (first*weight-second*squares)/groups
		}
		i, unit := d.found(b, level)[0], d.shape.TotalUnit()
		people /= groups
		return away(first*weight/groups*unit, reach*unit, i.Lower, i.Upper, mechanism.InValues, guess).Sampled(level,
			second*l.High[0]*l.High[0]*people*people, of, 1+spread*spread), true
	}
	six := [3]float64{(1-mean)*(1-mean) + variance, 2 * (mean*(1-mean) - variance), mean*mean + variance}
	for g := range d.groups {
		for j, s := range six {
			b[6*g+j], b[6*g+3+j] = s*weight/groups, s*(weight-squares)/groups
		}
	}
	i := d.found(b, level)[0]
	factor := math.Sqrt(mean*mean + (.5-mean)*(.5-mean) + (1-mean)*(1-mean))
	return away(l.Low[0]+mean*width, reach*factor*width*groups/weight, i.Lower, i.Upper, mechanism.InValues,
		guess).Sampled(level, variance*width*width, of, 1+spread*spread), true
}

// away is a prediction of an interval of the noise about a value, and of one of the population.
func away(value, noise, low, high float64, unit string, guess *mechanism.Guess) mechanism.Predicted {
	rows := mechanism.Range{Lower: value - noise, Upper: value + noise}
	return mechanism.Interval{Rows: &rows, Population: &mechanism.Range{Lower: low, Upper: high}}.Away(value, unit,
		guess.Words("values spread evenly")+", weights with a coefficient of variation of 0.5")
}

// reach is what the noise of a box of t exceeds with probability 1 − level, in units of the largest weight.
func (q params) reach(level float64) float64 {
	if q.Rate != nil {
		return -math.Log(1-level) / (q.Rate.Float() * float64(q.Tokens))
	}
	return distuv.UnitNormal.Quantile((1+level)/2) * q.sd()
}
