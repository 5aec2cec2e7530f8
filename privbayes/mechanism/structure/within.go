package structure

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Sums within bins (model.BinSteps = G) are measured once, for each column of numbers, with noise on the sum of every
// bin. A row adds at most G/2 to one sum, in either direction. So adding a row moves the sums of a column by at most G/2
// in ℓ₁ and ℓ₂. Replacing one moves two sums by up to G/2 each, or one by up to G: by at most G in ℓ₁ and ℓ₂. A unit of
// k rows moves them by k times that. The bins of a column are disjoint: one spend is for all of them.

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
// on the lattice of γs/50: splitting an atom between the two nearest losses of a sublattice keeps both laws' masses
// and increases no trade-off, and leads to the pair of the noise at rate γs/50 with a shift of 50.
//
// Discrete Gaussian noise: draw Y from N(Δ, σ² − 8) and round it by a discrete Gaussian of σ² = 8 about Y. The result
// has the law of Δ plus discrete Gaussian noise of σ² but for a factor of 1 ± 4e^{−16π²}, below 1e-67, in every
// probability. So what continuous noise of σ² − 8 has, GaussianPair with μ = ‖Δ‖₂/√(σ² − 8), dominates it, for all Δ
// of one ℓ₂ norm at once; the slack of profiles is far above the factor. Below σ² = 16 that of the shift alone is used.
func (q *problem) withinPair(r noise.Rational) loss.Pair {
	s := withinShift(q)
	switch {
	case !q.noise.unbounded && s%coarse == 0:
		return loss.ShiftedGeometricPair{Rate: r.Float() * float64(s/coarse), Shift: coarse, Cells: 1}
	case q.noise.unbounded && r.Float() > 2*smooth:
		return loss.GaussianPair{Mu: float64(s) / math.Sqrt(r.Float()-smooth) * (1 + 1e-12)}
	}
	return q.noise.pair(r, 1, s)
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
		if c.Numeric() && model.Spread(c) && !contains(q.within, i) {
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

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// withinParams: the noisy sums of two bins of a few steps.
type withinParams struct {
	Noise     string         `json:"noise"`
	Rate      noise.Rational `json:"rate"`
	Steps     int            `json:"steps"`
	N         int            `json:"n"`
	Rows      int            `json:"rows,omitempty"` // of a unit; 0: 1
	Adjacency dp.Adjacency   `json:"adjacency"`
}

// withinBinsOf adds up values within two bins, [0, 1) and [1, 2], as a count of rows does. Tests put wrong sums in its
// place.
var withinBinsOf = func(values []float64, steps int) (sums [2]int64) {
	for _, v := range values {
		b := 0
		if v >= 1 {
			b = 1
		}
		sums[b] += model.BinStep(v, float64(b), float64(b+1), int64(steps))
	}
	return sums
}

// withinChecker derives what the sums of two bins spend, from rows up by the implemented noise: every table of at most n
// rows with values on all steps, every neighbour, the exact ε over outputs near the sums under geometric noise and the
// divergence of order 2 under Gaussian noise.
var withinChecker = cert.Define("structure/within", func(ctx context.Context, p withinParams) (cert.Outcome, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Rate.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.Steps < 2 || p.Steps > 8 || p.Steps%2 > 0 || p.N < 1 || p.N > 2 {
		return cert.Outcome{}, domain.Refuse("structure", "steps, n", fmt.Sprint(p.Steps, p.N), "2 to 8 even steps, n of 1, 2")
	}
	if err := unitRows(p.Rows, p.N); err != nil {
		return cert.Outcome{}, err
	}
	l, err := family.Of(p.Rate)
	if err != nil {
		return cert.Outcome{}, err
	}
	reach := int64(3 * p.Steps * p.N)
	if family.unbounded {
		reach += int64(14 * math.Sqrt(p.Rate.Float()))
	}
	tables := withinTables(p.Steps, p.N)
	if err := within(ctx, 100*float64(reach)+100*float64(len(tables)*len(tables))); err != nil {
		return cert.Outcome{}, err
	}
	apart, rows := map[int64]float64{}, max(p.Rows, 1) // of one sum, by how far it moves
	of := func(a, b int64) float64 {
		move := max(a-b, b-a)
		if _, known := apart[move]; !known {
			apart[move] = apartBy(l, move, reach, family.unbounded)
		}
		return apart[move]
	}
	worst, work := 0.0, int64(0)
	for _, x := range tables {
		a := withinBinsOf(x, p.Steps)
		for _, y := range tables {
			if !neighbouring(x, y, rows, p.Adjacency) {
				continue
			}
			b := withinBinsOf(y, p.Steps)
			worst = math.Max(worst, of(a[0], b[0])+of(a[1], b[1]))
			work++
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work + int64(len(apart))*reach}, nil
})

// apartBy is how far apart the noise of 0 and of a sum that moved are: the largest log ratio of probabilities, or the
// divergence of order 2.
func apartBy(l noise.Distribution, move, reach int64, unbounded bool) (worst float64) {
	sum := 0.0
	for z := -reach; z <= reach+move; z++ {
		p, q := noiseLaw(l, 0).LogProb(z), noiseLaw(l, move).LogProb(z-move)
		if unbounded {
			sum += math.Exp(2*p - q)
		} else if !math.IsInf(p, -1) {
			worst = math.Max(worst, p-q)
		}
	}
	if unbounded {
		return math.Log(sum)
	}
	return worst
}

// withinTables lists the tables of at most n rows: a value on every step of both bins.
func withinTables(steps, n int) (out [][]float64) {
	out = [][]float64{{}}
	for last := out; n > 0; n-- {
		var next [][]float64
		for _, t := range last {
			for i := range 2*steps + 1 {
				if v := float64(i) / float64(steps); len(t) == 0 || v >= t[len(t)-1] {
					next = append(next, append(append([]float64{}, t...), v))
				}
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

// neighbouring reports whether two sorted tables differ by one unit of at most so many rows: they are there or not, or
// others are in their place.
func neighbouring(x, y []float64, rows int, a dp.Adjacency) bool {
	common, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			common, i, j = common+1, i+1, j+1
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	if a == dp.AddRemove {
		return common == min(len(x), len(y)) && max(len(x), len(y))-common <= rows
	}
	return len(x) == len(y) && len(x)-common <= rows
}

// fewSteps are those of the check of sums.
const fewSteps = 4

// withinChecks execute the sensitivity of sums, by the plan's kind of noise at a rate where slack hides nothing.
func (q *problem) withinChecks(ctx context.Context, p params) (out []cert.Check, err error) {
	if len(p.Within) == 0 {
		return nil, nil
	}
	for rows := 1; rows <= min(q.rows, 2); rows++ {
		r, unit := tenth, *q
		if unit.rows = rows; q.noise.unbounded {
			r = noise.Rational{Num: 20, Den: 1}
		}
		s := float64(withinShift(&unit)) * fewSteps / model.BinSteps
		k := cert.Check{Statement: "exact ε of the noisy sums within two bins, by enumeration",
			Formula: fmt.Sprintf("γΔ, γ = %s, Δ = %g steps", r, s), Source: withinSource,
			Bound: cert.Number(r.Float()*s*(1+1e-12) + 1e-12),
			Scope: fmt.Sprintf("every table of up to 2 rows with values on all steps of two bins of %d steps, every "+
				"neighbour", fewSteps)}
		if q.noise.unbounded {
			k.Statement = "divergence of order 2 of the noisy sums within two bins, by enumeration"
			k.Formula = fmt.Sprintf("2·Δ²/(2σ²), σ² = %s, Δ = %g steps", r, s)
			k.Bound = cert.Number(s*s/r.Float()*(1+1e-9) + 1e-12)
		}
		if rows > 1 {
			k.Statement += "; units of 2 rows"
		}
		one, err := withinChecker.Check(ctx, k, withinParams{q.noise.name, r, fewSteps, 2, rows, q.target.Adjacency})
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

const withinSource = "docs/structure.md, theory/structure.md §9"
