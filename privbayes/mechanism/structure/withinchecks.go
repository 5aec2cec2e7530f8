package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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

// withinChecker derives what the sums of two bins spend, from rows up by the implemented noise: every table of at most
// n rows with values on all steps, every neighbour, the exact ε over outputs near the sums under geometric noise and
// the divergence of order 2 under Gaussian noise.
var withinChecker = cert.Define("structure/within", func(ctx context.Context, p withinParams) (cert.Outcome, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Rate.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.Steps < 2 || p.Steps > 8 || p.Steps%2 > 0 || p.N < 1 || p.N > 2 {
		return cert.Outcome{}, domain.Refuse("structure", "steps, n", fmt.Sprint(p.Steps, p.N),
			"2, 4, 6 or 8 steps, n of 1 or 2")
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

const withinSource = "docs/structure.md, theory/structure.md §10"
