package steps

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"gonum.org/v1/gonum/mathext"
)

// Family is what the response is: ±1 with log-odds t, or a count of rate e^t, cut at a public number.
type Family struct {
	most  float64 // Y of counts; 0 of classes
	table *counts
}

// Logistic has responses −1 and 1, of mean tanh(t/2).
var Logistic = Family{}

// MostCount bounds Y, so that the table of a family is made in a moment.
const MostCount = 1 << 20

// Poisson has responses 0 to most, larger ones cut. Error: most outside 1 to [MostCount].
func Poisson(most int) (Family, error) {
	if most < 1 || most > MostCount {
		return Family{}, domain.Refuse("steps: Poisson", "largest count", most, "1 to 1048576")
	}
	return Family{float64(most), newCounts(float64(most))}, nil
}

// unit is the grid of what a record contributes, 2⁻²² of it.
const unit = 1 << Bits

// Cut of the first step: the weight of every record.
func (f Family) first() int64 {
	if f.table == nil {
		return unit / 2
	}
	return unit
}

// quantile of the weights at which the next step cuts.
func (f Family) quantile() float64 {
	if f.table == nil {
		return .75
	}
	return .95
}

// at is what the public point says of a record of index t: the predicted response m, the factor ω of its residual, and
// the weight a.
//
//	classes: m = tanh(t/2), ω = 1/(1 + |m|), a = (1 − |m|)/2
//	counts:  m = min(e^t, Y), ω = 1/max(m, Y − m), a = ωm
func (f Family) at(t float64) (m, omega, a float64) {
	if f.table == nil {
		e := math.Exp(-math.Abs(t))
		return math.Tanh(t / 2), (1 + e) / 2, math.Max(e/(1+e), 1e-300)
	}
	m = math.Min(math.Exp(t), f.most)
	omega = 1 / math.Max(m, f.most-m)
	return m, omega, omega * m
}

// Weigh is the map of a record at a point: the residual ω(y − m) in [−1, 1] and the weight min(a, cut), both in units
// of 2⁻²² and cut after rounding. A response beyond those of the family counts as the nearest one.
func (f Family) Weigh(p Point, columns []float64, y float64) (residual, weight int64) {
	m, omega, a := f.at(p.Index(columns))
	if f.table == nil {
		y = math.Min(math.Max(y, -1), 1)
	} else {
		y = math.Min(math.Max(y, 0), f.most)
	}
	residual, weight = units(omega*(y-m)), units(a)
	residual = min(max(residual, -unit), unit)
	if p.First {
		return residual, p.Cut
	}
	return residual, min(max(weight, 0), p.Cut)
}

func units(v float64) int64 { return int64(math.Round(v * unit)) }

// moved is ω(μ(t + δ) − m), μ the mean of the response.
func (f Family) moved(t, m, omega, a, delta float64) float64 {
	if f.table == nil {
		return a * excess(m < 0, a, delta)
	}
	mean, _ := f.table.mean(t + delta)
	return omega * (mean - m)
}

// excess is h = 2q/(1 + mq), q = tanh(δ/2), for classes of mean m: between −2/(1 − m) and 2/(1 + m). It takes m by its
// sign and a = (1 − |m|)/2, which keeps its digits near ±1.
func excess(negative bool, a, delta float64) float64 {
	own, other := 2*a, 2-2*a // 1 + m and 1 − m
	if negative != (delta > 0) {
		own, other = other, own
	}
	e := math.Exp(-math.Abs(delta))
	h := 2 * (1 - e) / (own + e*other)
	if delta > 0 {
		return h
	}
	return -h
}

// response is the derivative of the mean of the response by t, and its variance.
func (f Family) response(t float64) (slope, variance float64) {
	if f.table == nil {
		e := math.Exp(-math.Abs(t))
		variance = 4 * e / ((1 + e) * (1 + e))
		return variance / 2, variance
	}
	_, slope = f.table.mean(t)
	return slope, f.table.spread(t)
}

// counts is a table of mean, slope and variance of min(N, Y), N Poisson of rate e^t, on a grid of t.
type counts struct {
	most                   float64
	means, slopes, squares []float64
}

const (
	countsFrom = -12.
	countsStep = .01
)

func newCounts(most float64) *counts {
	c := &counts{most: most}
	end := math.Log(most+10*math.Sqrt(most)+60) + countsStep
	for k := 0; countsFrom+float64(k)*countsStep <= end; k++ {
		rate := math.Exp(countsFrom + float64(k)*countsStep)
		mean, variance := cutPoisson(rate, most)
		c.means = append(c.means, mean)
		c.slopes = append(c.slopes, rate*mathext.GammaIncRegComp(most, rate)) // λ·P(N < Y)
		c.squares = append(c.squares, variance)
	}
	return c
}

// cutPoisson is mean and variance of min(N, Y), N Poisson of the given rate, summed over N within 12 deviations: of
// the number itself or, for rates above Y, of what it lacks of Y.
func cutPoisson(rate, most float64) (mean, variance float64) {
	reach := 12*math.Sqrt(rate) + 40
	from, to := math.Max(0, math.Ceil(rate-reach)), math.Ceil(rate+reach)
	value := func(k float64) float64 { return math.Min(k, most) }
	if rate > most {
		to = most
		value = func(k float64) float64 { return most - k }
	}
	lgamma, _ := math.Lgamma(from + 1)
	p := math.Exp(from*math.Log(rate) - rate - lgamma)
	square := 0.
	for k := from; k <= to; k++ {
		v := value(k)
		mean += p * v
		square += p * v * v
		p *= rate / (k + 1)
	}
	variance = square - mean*mean
	if rate > most {
		return most - mean, variance
	}
	return mean, variance
}

// cell is the place of t on the grid; ok is false outside.
func (c *counts) cell(t float64) (k int, at float64, ok bool) {
	at = (t - countsFrom) / countsStep
	if !(at >= 0) || at >= float64(len(c.means)-1) {
		return 0, 0, false
	}
	k = int(at)
	return k, at - float64(k), true
}

// mean is that of min(N, Y) at log rate t, by cubic interpolation of values and slopes, and the derivative of that.
func (c *counts) mean(t float64) (mean, slope float64) {
	k, x, ok := c.cell(t)
	switch {
	case !ok && t > 0:
		return c.most, 0
	case !ok:
		mean = math.Exp(t)
		return mean, mean
	}
	a, b, da, db := c.means[k], c.means[k+1], c.slopes[k]*countsStep, c.slopes[k+1]*countsStep
	// a + x·(da + x·(p + x·q))
	p, q := 3*(b-a)-2*da-db, 2*(a-b)+da+db
	return a + x*(da+x*(p+x*q)), (da + x*(2*p+3*x*q)) / countsStep
}

// spread is the variance of min(N, Y) at log rate t.
func (c *counts) spread(t float64) float64 {
	k, x, ok := c.cell(t)
	switch {
	case !ok && t > 0:
		return 0
	case !ok:
		return math.Exp(t)
	}
	return (1-x)*c.squares[k] + x*c.squares[k+1]
}

// Response is mean and variance of the response of a record of index t.
func (f Family) Response(t float64) (mean, variance float64) {
	_, variance = f.response(t)
	if f.table == nil {
		return math.Tanh(t / 2), variance
	}
	mean, _ = f.table.mean(t)
	return mean, variance
}

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
