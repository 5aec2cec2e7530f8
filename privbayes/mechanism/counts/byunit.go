package counts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// UnitMoments names the release of [Noise.ByUnit]: with the counts of one table, for units of up to k rows of which t
// lie in a cell,
//
//	D = Σ_units Σ_cells t²  and  E − D,  E = Σ_units (its rows)².
//
// A unit adds 0 ≤ D ≤ E ≤ k² to them, so that one that comes or goes changes the two by at most k² in all. Where n is
// public, units are padded to k rows: E = kn is known, and D alone is released: see momentChange. Source:
// theory/intervals.md §1.
const UnitMoments = "counts and unit moments"

// momentsOver is the loss of the moments over that of the counts: 15 % of the whole.
const momentsOver = 15.0 / 85

// ByUnit releases how alike the rows of a unit are, next to the counts: for Binary, Categorical, Histogram and
// ContingencyTable under a schema with a unit key and units of at least two rows, with geometric noise. Intervals of
// cells then take the variance of independent rows times one design effect of the whole table, between 1 and k, in
// place of k. It costs 15 % of the budget. Rows must be in memory: sources do not bring those of a unit together.
func (m Noise) ByUnit() Noise { m.byUnit = true; return m.WithPostProcess(m.post) }

// hasUnits refuses shapes and noise that release no moments of units: *mechanism.UnsupportedError.
func (m Noise) hasUnits(sh *model.Shape) error {
	of := sh.Model().String() + " by unit"
	switch _, rows := sh.Unit(); {
	case m.family != &geometricNoise:
		return mechanism.Unsupported(m.family.title+" by unit", "Geometric().ByUnit()")
	case !sh.CountsUnits():
		return mechanism.Unsupported(of, `Binary, Categorical, Histogram or ContingencyTable under a schema with a `+
			`"unit_key"; without ByUnit(), intervals allow for rows of a unit being all alike`)
	case rows < 2 || rows > maxUnit:
		return mechanism.Unsupported(fmt.Sprintf("%s, of units of %d rows", of, rows),
			fmt.Sprintf(`"rows_per_unit" from 2 to %d`, maxUnit))
	}
	return nil
}

// maxUnit bounds the rows of a unit, whose square is what it changes.
const maxUnit = 1 << 12

// momentChange is what one unit of up to k rows on d cells changes the released moments by, in all: k² where it comes
// or goes; where its k rows are replaced by others, what D lies above its least, that of k rows spread evenly.
func momentChange(k, d int, replaced bool) int {
	most := k * k
	if replaced {
		each, more := k/d, k%d
		most -= (d-more)*each*each + more*(each+1)*(each+1)
	}
	return most
}

// unitPair is the pair of counts and of moments that a unit changes by so much, with independent noise at a rate.
func unitPair(counts loss.Pair, rate float64, change int) loss.Pair {
	moments := loss.ShiftedGeometricPair{Rate: rate, Shift: change, Cells: 1}
	d, err := loss.DeclareByCurve(loss.Repeat{Pair: counts, Times: 1}, loss.Repeat{Pair: moments, Times: 1})
	if err != nil { // at rates whose divergences are 0 to float64
		return loss.PurePair{Epsilon: counts.PureEpsilon() + moments.PureEpsilon()}
	}
	return d
}

// leastByUnit is the least noise on counts that leaves room for the moments, and the rate of theirs.
func (m Noise) leastByUnit(ctx context.Context, q noiseProblem) (p countParams, err error) {
	k, l1 := q.counts.Rows, float64(q.counts.L1())
	change := momentChange(k, q.shape.Tables()[0].Cells(), q.target.Adjacency.PublicN())
	of := func(rate float64) float64 { return rate * l1 * momentsOver / float64(change) }
	f := noise.GeometricFamily
	f.PairAt = func(x float64, cells, rows int) loss.Pair {
		return unitPair(noise.GeometricFamily.PairAt(x, cells, rows), of(x), change)
	}
	p.Post = m.post
	if p.Noise, err = least(ctx, f, q.counts, q.target.Parameters); err != nil {
		return p, err
	}
	r := noise.Dyadic(of(parameter(p.Noise).Float()), f.Search.Bits, false).Reduced()
	if _, err = noise.NewGeometric(r); err != nil {
		return p, mechanism.Unsupported(fmt.Sprintf("%s for units of %d rows", q.target.Parameters, k),
			"fewer rows a unit, a larger budget, or Geometric() without ByUnit()")
	}
	p.Units = &r
	return p, nil
}

// unitParams are the public inputs of the checks of counts by unit.
type unitParams struct {
	Noise     noise.Rational `json:"noise"`
	Units     noise.Rational `json:"units"`
	Cells     int            `json:"cells"`
	Measured  int            `json:"measured"`
	Changed   int            `json:"changed"` // measured counts, by one row
	Rows      int            `json:"rows"`
	Adjacency dp.Adjacency   `json:"adjacency"`
	Want      dp.Parameters  `json:"want"`
}

func (p unitParams) valid() error {
	if p.Changed < 1 || p.Changed > p.Measured || p.Measured > p.Cells || p.Rows < 2 || p.Rows > maxUnit {
		return domain.Refuse("counts", "measured, cells, rows", fmt.Sprint(p.Measured, p.Cells, p.Rows),
			fmt.Sprintf("1 ≤ changed ≤ measured ≤ cells, 2 to %d rows", maxUnit))
	}
	return cmp.Or(p.Noise.Valid(), p.Units.Valid(), p.Adjacency.Valid(), p.Want.Valid())
}

// units are what every unit of up to k rows adds to the measured counts, and to the moments that are released.
func (p unitParams) units() (out [][]int64) {
	cells := make([]int64, p.Cells)
	var visit func(i, left int)
	visit = func(i, left int) {
		if i == p.Cells {
			if p.Adjacency.PublicN() && left > 0 {
				return // units are padded
			}
			d, e := int64(0), int64(p.Rows-left)
			for _, t := range cells {
				d += t * t
			}
			u := append(slices.Clone(cells[:p.Measured]), d)
			if !p.Adjacency.PublicN() {
				u = append(u, e*e-d)
			}
			out = append(out, u)
			return
		}
		for t := range left + 1 {
			cells[i] = int64(t)
			visit(i+1, left-t)
		}
	}
	visit(0, p.Rows)
	return out
}

// farthest is the greatest loss of a unit of a list: of the counts, and of the moments, each at the rate of its noise.
func (p unitParams) farthest(units [][]int64) (worst float64, cases int64) {
	others := units
	if !p.Adjacency.PublicN() {
		others = [][]int64{make([]int64, len(units[0]))} // it comes or goes
	}
	for _, a := range units {
		for _, b := range others {
			sum := 0.0
			for i, v := range a {
				rate := p.Noise.Float()
				if i >= p.Measured {
					rate = p.Units.Float()
				}
				sum += rate * math.Abs(float64(v-b[i]))
			}
			worst, cases = math.Max(worst, sum), cases+1
		}
	}
	return worst, cases
}

// pair is the dominating pair.
func (p unitParams) pair() loss.Pair {
	return unitPair(noise.GeometricFamily.PairAt(p.Noise.Float(), p.Changed, p.Rows), p.Units.Float(),
		momentChange(p.Rows, p.Cells, p.Adjacency.PublicN()))
}

var unitEnumChecker = cert.Define("geometric/units", func(_ context.Context, p unitParams) (cert.Outcome, error) {
	if err := p.valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.Cells > 4 || p.Rows > 4 {
		return cert.Outcome{}, domain.Refuse("counts", "cells, rows", fmt.Sprint(p.Cells, p.Rows), "at most 4 of each")
	}
	worst, cases := p.farthest(p.units())
	return cert.Outcome{Value: worst, Work: cases, Method: cert.Enumeration}, nil
})

var unitPairChecker = cert.Define("geometric/units/pair", func(ctx context.Context, p unitParams) (cert.Outcome,
	error) {
	if err := p.valid(); err != nil {
		return cert.Outcome{}, err
	}
	value := loss.Spent(loss.Until(ctx, p.pair()), p.Want)
	return cert.Outcome{Value: value, Method: cert.ClosedForm}, ctx.Err()
})

// byUnitSpec adds to the certificate of the counts that of their moments, and their noise to the sampler.
func (m Noise) byUnitSpec(ctx context.Context, spec *mechanism.Spec, d *countSampler, s sensitivity.CountTables,
	t dp.Request, params countParams) (err error) {
	p := unitParams{Noise: parameter(params.Noise), Units: *params.Units, Cells: spec.Shape.Tables()[0].Cells(),
		Measured: d.measured[0], Changed: s.Cells, Rows: s.Rows, Adjacency: t.Adjacency, Want: t.Parameters}
	if err := p.valid(); err != nil {
		return err
	}
	z, err := noise.NewGeometric(p.Units)
	if err != nil {
		return err
	}
	d.unitNoise = z
	spec.Pair = p.pair()
	spec.Settings = append(spec.Settings, mechanism.Setting{Name: "released", Value: UnitMoments},
		mechanism.Setting{Name: "noise of unit moments", Value: z.String()})
	spec.StandardFormula.Level.Epsilon += cert.Number(z.Rate() *
		float64(momentChange(s.Rows, p.Cells, t.Adjacency.PublicN())))
	small := p
	small.Cells, small.Rows = min(p.Cells, 4), min(p.Rows, 4)
	small.Measured = small.Cells - (p.Cells - p.Measured)
	bound := small.pair().PureEpsilon()
	enumerated, err := unitEnumChecker.Check(ctx, cert.Check{
		Statement: "exact pure ε of counts and moments together, by enumeration of units",
		Formula:   "γ·Σ|Δ counts| + γ_units·Σ|Δ moments| over every change of a unit, and 1e-12 for rounding",
		Source:    "theory/intervals.md §1", Bound: cert.Number(bound * (1 + 1e-12)),
		Scope: fmt.Sprintf("every unit of up to %d rows on %d cells; for every k and d: doc of momentChange",
			small.Rows, small.Cells),
	}, small)
	if err != nil {
		return err
	}
	level, err := unitPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair of counts and moments together, " + loss.NotionWords(t.Parameters),
		Formula:   spec.Pair.String(), Source: "doc of UnitMoments; loss.GeometricPair, theorem",
		Bound: loss.Allowed(t.Parameters), Scope: "all data; the rates are exact, rounded toward privacy",
	}, p)
	spec.Checks = append(spec.Checks, enumerated, level)
	return err
}

// unitSums are the moments that are released, of the units' D and E − D.
func (c *countSampler) unitSums(moments []int64, src *dp.Stream) []int64 {
	out := slices.Clone(moments[:c.unitDims()])
	for i := range out {
		out[i] += c.unitNoise.Draw(src)
	}
	return out
}

// unitDims is how many moments are released: none but by unit.
func (c *countSampler) unitDims() int {
	switch _, public := c.shape.N(); {
	case c.unitNoise == nil:
		return 0
	case public:
		return 1
	}
	return 2
}

// Accepts refuses statistics without the moments that are released: *mechanism.StatisticsError.
func (c *countSampler) Accepts(st *model.Statistics) error {
	if c.unitNoise != nil {
		return mechanism.AcceptsUnits(c.shape, st)
	}
	return nil
}

// alike is the pooled design effect of the table from its noisy counts: how many times the variance of independent rows
// the shares of cells have, on average over cells, between 1 and k. A part of the moments' noise is added, so that it
// is seldom too small.
func (c *countSampler) alike(counts []float64, moments []int64, public bool) float64 {
	const margin = .7
	_, rows := c.shape.Unit()
	k, n, total := float64(rows), float64(0), floats.Sum(counts)
	d, e := float64(moments[0]), 0.0
	if public {
		size, _ := c.shape.N()
		n = float64(size)
		e, counts = k*n, slices.Clone(counts)
		floats.AddConst((n-total)/float64(len(counts)), counts)
	} else {
		n, e = math.Max(total, 1), d+float64(moments[1])
	}
	same := 0.0
	for _, y := range counts {
		p := math.Min(math.Max(y/math.Max(n, 1), 0), 1)
		same += p * p
	}
	effect := (d - e*same + margin*math.Sqrt(c.unitNoise.Variance())) / math.Max(n*(1-same), 1)
	return math.Min(math.Max(effect, 1), k)
}
