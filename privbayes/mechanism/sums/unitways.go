package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// UnitWays compare the intervals of a mean by rows and by unit: with the noise of both at the target, and the sums of
// values that are spread evenly over the range, or half of them ones on one step, as many in every group.
func (d *sampler) UnitWays(ctx context.Context) (w mechanism.UnitWays, ok bool) {
	other, ok := d.otherWay(ctx)
	if !ok {
		return w, false
	}
	byUnit, byRows := d, other
	if d.Unit == 0 {
		byUnit, byRows = other, d
	}
	w = mechanism.UnitWays{Guess: d.guessed(), Rows: mechanism.GuessedRows(d.shape), Chosen: d.Unit > 0}
	rows := float64(w.Rows) / float64(max(d.shape.Lattice().Groups, 1))
	_, variance := (*mechanism.Guess)(nil).Place(0, 1, d.Steps == 1)
	width := func(s *sampler, correlation float64) float64 {
		r := s.ofMean(0, s.guess(rows, correlation, .5, variance), .95).Population
		return r.Upper - r.Lower
	}
	w.ByRows = width(byRows, 0)
	w.ByUnit = func(correlation float64) float64 { return width(byUnit, correlation) }
	j := float64(d.shape.Lattice().Coarse)
	return w, float64(w.Rows)*j*j*float64(d.rows)*float64(d.rows) < 1<<62
}

// guessed says what guess supposes.
func (d *sampler) guessed() string {
	text := "values spread evenly over the range"
	if d.Steps == 1 {
		text = "one half of the values at each end of the range"
	}
	if d.byGroup() && !d.lone() {
		text += fmt.Sprintf(", the same in all %d groups", d.shape.Lattice().Groups)
	}
	return text
}

// otherWay is the release by unit of one by rows at the same target, and the other way round.
func (d *sampler) otherWay(ctx context.Context) (*sampler, bool) {
	if !d.shape.CountsUnits() {
		return nil, false
	}
	m := d.m.with(d.m.law)
	m.byUnit = d.Unit == 0
	p, err := m.made().prepare(ctx, d.shape, d.target)
	if err != nil {
		return nil, false
	}
	q, err := calibrate(ctx, p)
	if err != nil {
		return nil, false
	}
	with := p.of(q)
	z, err := with.noise(q)
	return &sampler{with, z}, err == nil
}

// guess are the sums of the rows without noise, of values with a mean and a variance, as shares of the range: of every
// column, or of the first group, with 0 for others.
func (d *sampler) guess(rows, correlation, mean, variance float64) []int64 {
	k, j := float64(d.shape.Lattice().Steps), float64(d.Coarse)
	half, _ := d.coarseHalf()
	u := 2*mean - 1
	power := rows * (u*u + 4*variance) // of values from −1 to 1
	squares := power * float64(half) * float64(half)
	var sums []float64
	switch d.Kind {
	case moments:
		m, _ := d.half()
		sums = []float64{rows * u * float64(m), power * float64(m) * float64(m)}
	case columnsCount, countedSquares:
		sums = make([]float64, d.dims())
		for i := range sums {
			if sums[i] = rows * u * k; i >= d.Width {
				sums[i] = squares
			}
		}
		sums[d.Width] = rows * k
	case UnitMoments, groupUnitMoments:
		unit := float64(d.Unit)
		of := variance * (1 + (unit-1)*correlation) / unit // of a unit's mean
		times := rows / unit * unit * unit * j * j
		sums = []float64{times * (mean*mean + of), times * ((1-mean)*(1-mean) + of), times * 2 * (mean*(1-mean) - of), 0,
			0}
	case triple, groupTriple:
		times := rows * j * j
		sums = []float64{times * ((1-mean)*(1-mean) + variance), times * 2 * (mean*(1-mean) - variance),
			times * (mean*mean + variance)}
	case halves, groupHalves:
		sums = []float64{rows * k * mean, rows * k * (1 - mean)}
	default:
		for i := range d.dims() {
			if i < max(d.powers(), d.Width, 1) {
				sums = append(sums, rows*k*mean)
			} else {
				sums = append(sums, squares)
			}
		}
	}
	raw := make([]int64, d.dims())
	for i, v := range sums {
		raw[i] = int64(math.Round(v))
	}
	return raw
}
