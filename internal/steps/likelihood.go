package steps

import "math"

// Score is what a record adds to the equations of maximum likelihood at a point, in units of 2⁻²²: of classes −1 and 1
// the residual (y − m)/2 and the weight (1 − m²)/4, m = tanh(t/2); of counts y, cut at Y, y − μ and μ′, at most 2⁴² of
// the unit, with μ(t) the mean of a cut Poisson count. Nothing is cut by a public number beyond that: no release is
// made of them.
func (f Family) Score(p Point, columns []float64, y float64) (residual, weight int64) {
	t := p.Index(columns)
	if f.table == nil {
		m, _, a := f.at(t)
		return units((y - m) / 2), units(a * (1 + math.Abs(m)) / 2)
	}
	mean, slope := f.table.mean(t)
	return units(math.Min(math.Max(y, 0), f.most) - mean), units(slope)
}
