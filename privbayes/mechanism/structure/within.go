package structure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Sums within bins (model.BinSteps = G) are measured once, for each column of numbers, with noise on the sum of every
// bin. A row adds at most G/2 to one sum, in either direction. So adding a row moves the sums of a column by at most
// G/2 in ℓ₁ and ℓ₂. Replacing one moves two sums by up to G/2 each, or one by up to G: by at most G in ℓ₁ and ℓ₂. A
// unit of k rows moves them by k times that. The bins of a column are disjoint: one spend is for all of them.

// What sums take of the budget, an ε or a ρ: a part for each column, and at most so much in all.
const (
	withinColumn = .01
	withinAll    = .05
)

// withinShare is the part of one column.
func (q *problem) withinShare() float64 {
	return math.Min(withinColumn, withinAll/float64(max(len(q.within), 1)))
}

// withinShift is the sensitivity of the sums of a column, in ℓ₁ and in ℓ₂. Tests put wrong ones in its place.
var withinShift = func(q *problem) int { return shiftOf(q, model.BinSteps) }

// shiftOf is that of bins of so many steps.
func shiftOf(q *problem, steps int) int {
	if q.target.Adjacency == dp.AddRemove {
		steps /= 2
	}
	return steps * q.rows
}

// scaledWithin are the parameters of sums at a budget, and what is left of it.
func (q *problem) scaledWithin(budget float64) (rates []noise.Rational, left float64) {
	part := q.withinShare() * budget
	for range q.within {
		r := q.noise.rate(part, q.pure(), 1, withinShift(q))
		if q.noise.unbounded {
			r += smooth
		}
		rates = append(rates, q.noise.rounded(r))
	}
	return rates, budget - part*float64(len(rates))
}

// smooth is the σ² of the discrete Gaussian that rounds a continuous one in [problem.withinPair], and below twice of it
// its argument is not made.
const smooth = 8.

// coarse is the shift in which the loss of geometric noise is counted: it divides G/2.
const coarse = 50

// withinPair dominates the noisy sums of a column, whatever shifts Δ of them add up to at most s = withinShift.
//
// Geometric noise: one sum shifted by s dominates them (theorem of loss.GeometricPair). Its losses γ(s − 2j) are taken
// on the lattice of γs/50: splitting an atom between the two nearest losses of a sublattice keeps the masses of
// both distributions and increases no trade-off, and leads to the pair of noise of rate γs/50 with a shift of 50.
//
// Discrete Gaussian noise: draw Y from N(Δ, σ² − 8) and round it by a discrete Gaussian of σ² = 8 about Y. The result
// has the distribution of Δ plus discrete Gaussian noise of σ² but for a factor of 1 ± 4e^{−16π²}, below 1e-67, in
// every probability. So what continuous noise of σ² − 8 has, GaussianPair with μ = ‖Δ‖₂/√(σ² − 8), dominates it, for
// all Δ of one ℓ₂ norm at once; the slack of profiles is far above the factor. Below σ² = 16 that of the shift alone is
// used.
func (q *problem) withinPair(r noise.Rational) loss.Pair {
	s := withinShift(q)
	switch {
	case !q.noise.unbounded && s%coarse == 0:
		return loss.ShiftedGeometricPair{Rate: r.Float() * float64(s/coarse), Shift: coarse, Cells: 1}
	case q.noise.unbounded && r.Float() > 2*smooth:
		return smoothed(r, float64(s))
	}
	return q.noise.pair(r, 1, s)
}

// smoothed is that of integers with discrete Gaussian noise that move by a shift in ℓ₂ together.
func smoothed(r noise.Rational, shift float64) loss.Pair {
	return loss.GaussianPair{Mu: shift / math.Sqrt(r.Float()-smooth) * (1 + 1e-12)}
}

// drawWithin adds noise to the sums.
func (d *sampler) drawWithin(sums [][]int64, c coins) (out [][]int64) {
	for i, l := range d.laws.within {
		out = append(out, c.noise(l, sums[i]))
	}
	return out
}

// fitsWithin checks the sums of a file.
func (q *problem) fitsWithin(sums [][]int64) error {
	if len(sums) != len(q.within) {
		return domain.Refuse("structure", "within", fmt.Sprintf("sums of %d columns", len(sums)), fmt.Sprint(len(q.within)))
	}
	columns := q.shape.Columns()
	for i, place := range q.within {
		if c := columns[place]; len(sums[i]) != len(c.Edges)-1 {
			return domain.Refuse("structure", "within", fmt.Sprintf("%d sums of %s", len(sums[i]), safetext.Quote(c.Name)),
				fmt.Sprintf("%d, one for each bin", len(c.Edges)-1))
		}
	}
	return nil
}

// withinBins are what noisy sums and the fitted counts say of values within bins.
func (s *learner) withinBins(ctx context.Context, sums [][]int64) (out []model.WithinBins, err error) {
	columns := s.shape.Columns()
	for i, place := range s.within {
		counts, err := s.fit.Margin(ctx, place)
		if err != nil {
			return nil, err
		}
		for b := range counts {
			counts[b] *= float64(s.size)
		}
		w, err := model.NewWithinBins(columns[place], sums[i], counts, s.laws.within[i].Variance())
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// withinSetting says what the plan does about values within bins; ok is false for a model without columns of numbers.
func (q *problem) withinSetting(p params) (s mechanism.Setting, ok bool) {
	var summed, evenly []string
	columns, sd := q.shape.Columns(), []string(nil)
	for i, place := range q.within {
		c := columns[place]
		l, err := q.noise.Of(p.Within[i])
		if err != nil {
			return s, false
		}
		squares := 0.0
		for b := range len(c.Edges) - 1 {
			w := (c.Edges[b+1] - c.Edges[b]) / model.BinSteps
			squares += w * w * l.Variance()
		}
		summed, sd = append(summed, safetext.Word(c.Name)), append(sd, q.meanNoise(c.Name, math.Sqrt(squares)))
	}
	for i, c := range columns {
		if c.Numeric() && model.Spread(c) && !slices.Contains(q.within, i) {
			evenly = append(evenly, safetext.Word(c.Name))
		}
	}
	s = mechanism.Setting{Name: "within bins"}
	if len(summed) > 0 {
		s.Value = fmt.Sprintf("noisy sums of %d steps a bin (%s), %.2g %% of the budget for each, %s%s; standard deviation "+
			"of the noise of a mean at most: %s", model.BinSteps, strings.Join(summed, ", "), 100*q.withinShare(), q.noise.words,
			brief(p.Within[0]), strings.Join(sd, ", "))
	}
	if len(evenly) > 0 {
		if s.Value != "" {
			s.Value += "; "
		}
		s.Value += "evenly: " + strings.Join(evenly, ", ")
	}
	return s, s.Value != ""
}

// meanNoise says the standard deviation that the noise of all sums gives the mean of a column, in its units.
func (q *problem) meanNoise(column string, sd float64) string {
	n, known := q.publicSize()
	if !known {
		return fmt.Sprintf("%s %s divided by the number of records", safetext.Word(column), shown.Number(sd))
	}
	return fmt.Sprintf("%s %s", safetext.Word(column), shown.Number(sd/math.Max(n, 1)))
}
