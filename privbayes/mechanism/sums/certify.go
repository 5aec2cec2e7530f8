package sums

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// lossParams are the public inputs of the loss.
type lossParams struct {
	design
	Noise     params        `json:"noise"`
	Adjacency dp.Adjacency  `json:"adjacency"`
	Rows      int           `json:"rows"`
	Want      dp.Parameters `json:"want"`
}

func (q lossParams) valid() error {
	if err := q.design.valid(1<<24, 1<<16); err != nil {
		return err
	}
	if q.Rows < 1 || q.Rows > maxRows {
		return domain.Refuse("sums", "rows", q.Rows, fmt.Sprintf("1 to %d", maxRows))
	}
	if err := q.Noise.Valid(); err != nil {
		return err
	}
	if err := q.Adjacency.Valid(); err != nil {
		return err
	}
	return q.Want.Valid()
}

// maxUnit bounds kJ of unit moments, whose square is what a unit changes.
const maxUnit = 1 << 24

// few refuses unit moments with too many records to enumerate.
func (d design) few(most int64) error {
	if d.Unit*d.Coarse > most {
		return domain.Refuse("sums", "unit", d.Unit, fmt.Sprintf("k·J at most %d of an enumeration", most))
	}
	return nil
}

func (d design) valid(steps int64, width int) error {
	wide := d.Kind == columns || d.Kind == columnsCount || d.byGroup() || d.powers() > 0 && d.Kind != sumSquares
	_, plain := design{Kind: d.Kind}.squared(1)
	units := d.Kind == UnitMoments || d.Kind == groupUnitMoments
	squares := d.powers() > 0 || d.Kind == triple || d.Kind == groupTriple || units
	known := wide || plain || squares || d.Kind == moments
	if d.Kind == moments {
		steps = min(steps, 1<<13)
	}
	if d.Kind == countedSquares && d.Coarse == 1 {
		return domain.Refuse("sums", "coarse", d.Coarse, "at least 2 steps with a count")
	}
	if squares != (d.Coarse > 0) || squares && d.Coarse != d.Steps && (d.Coarse%2 == 1 || d.Coarse > min(d.Steps, 1<<12)) {
		return domain.Refuse("sums", "coarse", d.Coarse, "an even number of steps up to 4096, or K, with squares; else none")
	}
	if units != (d.Unit > 0) || d.Unit > maxRows || d.Unit > 0 && d.Coarse > maxUnit/d.Unit {
		return domain.Refuse("sums", "unit", d.Unit, fmt.Sprintf("1 to %d rows, of unit moments alone", maxRows))
	}
	if d.Omit && !d.byGroup() {
		return domain.Refuse("sums", "omit", d.Kind, "a release with the count of the records that have a value, by group")
	}
	if !known || d.Steps < 1 || d.Steps > steps || wide != (d.Width > 0) || d.Width > width {
		return domain.Refuse("sums", "release", fmt.Sprintf("%q, K = %d, width %d", d.Kind, d.Steps, d.Width),
			fmt.Sprintf("a known release, 1 ≤ K ≤ %d, width at most %d", steps, width))
	}
	return nil
}

// lossChecker derives the level of the dominating pair; that the noise can be drawn as shipped is checked by building
// it.
var lossChecker = cert.Define("noisy-sums/loss", func(ctx context.Context, q lossParams) (cert.Outcome, error) {
	if err := q.valid(); err != nil {
		return cert.Outcome{}, err
	}
	if _, err := q.design.noise(q.Noise, q.Adjacency, q.Rows); err != nil {
		return cert.Outcome{}, err
	}
	pair := loss.Until(ctx, q.pair(q.Noise, q.Adjacency, q.Rows, q.Want.Notion))
	method := cert.ClosedForm
	if q.Noise.Law == gaussianLaw {
		method = cert.ProvedBound
	}
	value := loss.Spent(pair, q.Want)
	return cert.Outcome{Value: value, Method: method}, ctx.Err()
})

// changeParams are the public inputs of the enumeration of records.
type changeParams struct {
	design
	Law       string       `json:"law"`
	Adjacency dp.Adjacency `json:"adjacency"`
}

var changeChecker = cert.Define("noisy-sums/change", func(_ context.Context, q changeParams) (cert.Outcome, error) {
	if err := cmp.Or(q.design.valid(24, 3), q.design.few(24)); err != nil {
		return cert.Outcome{}, err
	}
	if err := q.Adjacency.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if (q.Law == parabolaLaw) && q.Kind != moments {
		return cert.Outcome{}, domain.Refuse("sums", "law", q.Law, "a noise distribution of this release")
	}
	return q.farthest(q.Adjacency, q.records(), q.gauge(q.Law, q.Adjacency)), nil
})

// releaseParams are the public inputs of the enumeration of whole releases.
type releaseParams struct {
	design
	Noise     params       `json:"noise"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Rows      int          `json:"rows"`
	N         int          `json:"n"`
	Box       int64        `json:"box"`
}

var releaseChecker = cert.Define("noisy-sums/releases",
	func(ctx context.Context, q releaseParams) (cert.Outcome, error) {
		if err := cmp.Or(q.design.valid(6, 2), q.design.few(8)); err != nil {
			return cert.Outcome{}, err
		}
		if q.Rows < 1 || q.Rows > 2 || q.N < 1 || q.N > 3 || q.Box < 1 || q.Box > 256 {
			return cert.Outcome{}, domain.Refuse("sums", "rows, n, box", fmt.Sprint(q.Rows, q.N, q.Box),
				"1 or 2 rows, n of 1 to 3, a box of 1 to 256")
		}
		if err := q.Noise.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if err := q.Adjacency.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		z, err := q.design.noise(q.Noise, q.Adjacency, q.Rows)
		if err != nil {
			return cert.Outcome{}, err
		}
		e := enumeration{records: q.records(), n: q.N, rows: q.Rows, adj: q.Adjacency, exponent: z.exponent, box: q.Box}
		if q.Adjacency == dp.ReplaceValue {
			e.differ = q.oneColumn
		}
		return e.largestLoss(ctx, q.Noise.Law == gaussianLaw)
	})

// small is the design on a lattice of few steps; where a middle is taken, K stays even or odd.
func (d design) small(steps int64, width int) design {
	switch d.Kind {
	case UnitMoments:
		return d.smallUnit(2, 4)
	case groupUnitMoments:
		d.Width = min(d.Width, 2)
		return d.smallUnit(2, 3)
	}
	if d.Kind == moments || d.Kind == columnsCount || d.powers() > 0 {
		steps += (d.Steps - steps) & 1
	}
	if d.Coarse > 0 && d.Coarse < d.Steps { // places are rounded
		d.Steps, d.Coarse = 4*steps, 4
	} else if d.Steps = min(d.Steps, steps); d.Coarse > 0 {
		d.Coarse = d.Steps
	}
	if d.Kind == columnsSquares || d.Kind == countedSquares {
		width = min(width, 2)
	}
	d.Width = min(d.Width, width)
	return d
}

// tiny is the design, and the noise, whose whole releases are enumerated: n = 2 where that is quick.
func (p *problem) tiny(q params) releaseParams {
	t := releaseParams{design: p.small(2, 2), Noise: q, Adjacency: p.target.Adjacency, Rows: min(p.rows, 2), N: 2, Box: 6}
	switch p.Kind {
	case oneSum:
		t.Steps, t.Box = min(p.Steps, 4), 12
	case sumSquares, triple, groupTriple:
		t.Coarse = min(t.Coarse, 2)
		if t.Steps = t.Coarse; p.Coarse < p.Steps {
			t.Steps = 4
		}
		if p.Kind == groupTriple {
			t.Steps, t.Coarse, t.N, t.Box = 1, 1, 1, 1
		}
	case UnitMoments, groupUnitMoments:
		t.design, t.Box = p.smallUnit(1, 2), 1
		if p.Kind == groupUnitMoments {
			t.Width, t.N = 1, 1
		}
	case columnsSquares, countedSquares:
		t.Steps, t.Coarse, t.Box = 2, 2, 1
	case columns, columnsCount, groupHalves:
		t.design, t.Box = p.small(1, 2), 2
	}
	switch q.Law {
	case staircaseLaw:
		t.Noise.Low = max(1, uint64(float64(q.Low)/float64(p.changeOf(p.target.Adjacency).l1*int64(p.rows))*
			float64(t.Steps*int64(t.Rows))+.5))
	case gaussianLaw:
		// the same ρ, or the nearest one at which the noise fits the box, eight standard deviations, and no probability of a
		// neighbour's output is 0 to float64
		least, most := .125, 50.0
		switch {
		case t.Unit > 0:
			t.Unit, t.N, least = 1, 1, 16
		case t.Kind == columnsSquares || t.Kind == countedSquares:
			t.Width, t.N, least = 1, 1, 4
		case t.dims() > 4:
			least = 16
		case t.dims() > 2:
			t.N, least = 1, 4
		case t.Kind == columns:
			t.N = 1
		}
		rho := min(max(p.pair(q, t.Adjacency, p.rows, dp.Concentrated).ZCDP(), least), most)
		c := t.changeOf(t.Adjacency)
		sigma2 := noise.Dyadic(float64(c.cells*c.shift*c.shift*int64(t.Rows*t.Rows))/(2*rho), noise.GaussianBits, true)
		t.Noise.Sigma2 = &sigma2
		t.Box = max(2, int64(math.Ceil(8*math.Sqrt(sigma2.Float()))))
	}
	return t
}

func certify(ctx context.Context, p *problem, q params) (s mechanism.Spec, err error) {
	if q.Coarse != 0 && q.Coarse != p.shape.Lattice().Coarse {
		return s, domain.Refuse("sums", "coarse", q.Coarse, fmt.Sprintf("that of the model's grid, %d, or none",
			p.shape.Lattice().Coarse))
	}
	if q.ByUnit {
		if err := p.hasUnits(); err != nil {
			return s, err
		}
	}
	p = p.of(q)
	z, err := p.noise(q)
	if err != nil {
		return s, err
	}
	p.m.law = q.Law
	want, adj := p.target.Parameters, p.target.Adjacency
	pair := p.pair(q, adj, p.rows, want.Notion)
	words := map[string]string{geometricLaw: "‖z‖₁/Δ₁", staircaseLaw: "|z|/K", cubeLaw: "max|z_i|/K",
		parabolaLaw: "the gauge of the parabola's hull", gaussianLaw: "‖z‖₂/Δ₂, weighted"}
	small := p.small(5, 3)
	change, err := changeChecker.Check(ctx, cert.Check{
		Statement: "one record moves the sums by at most 1 in the norm of the noise",
		Formula:   fmt.Sprintf("%s ≤ 1, released: %s", words[q.Law], p.released()),
		Source:    "theory/numbers.md §1; proofs at changeOf, sample.ParabolaNorm and momentRatio for every K",
		Bound:     1 + 1e-12, Scope: fmt.Sprintf("every record, and every two, at K = %d", small.Steps),
	}, changeParams{small, q.Law, adj})
	if err != nil {
		return s, err
	}
	tiny := p.tiny(q)
	check := cert.Check{
		Statement: "exact pure ε of whole releases, by enumeration",
		Formula:   "max |log P_x(o)/P_y(o)|, P_x(o) ∝ e^{−ε‖o − S(x)‖/rows}",
		Source:    "the exponents that the integer sampler draws by",
	}
	if q.Law == gaussianLaw {
		rho := tiny.pair(tiny.Noise, adj, tiny.Rows, dp.Concentrated).ZCDP()
		check.Statement = "Rényi divergence of order 2 of whole releases, by enumeration"
		check.Formula, check.Bound = "log Σ P_x(o)²/P_y(o) ≤ 2ρ", cert.Number(2*rho*(1+1e-6)+1e-9)
	} else {
		check.Bound = cert.Number(q.Epsilon.Float()*(1+1e-12) + 1e-12)
	}
	check.Scope = fmt.Sprintf("every data set of n ≤ %d records at K = %d, every neighbour, every output within %d of "+
		"the sums", tiny.N, tiny.Steps, tiny.Box)
	releases, err := releaseChecker.Check(ctx, check, tiny)
	if err != nil {
		return s, err
	}
	level, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(want),
		Formula:   pair.String(), Source: "doc of package sums",
		Bound: loss.Allowed(want), Scope: "all data of all sizes, every K; " + p.changeWords(),
	}, lossParams{p.design, q, adj, p.rows, want})
	if err != nil {
		return s, err
	}
	return mechanism.Spec{
		Title: p.m.title(), Shape: p.shape, Arithmetic: dp.Exact,
		StandardFormula: p.standardFormula(q), Pair: pair, Checks: []cert.Check{change, releases, level},
		Settings: p.settings(q), Expected: p.expected(z), Draws: mechanism.Integers, Count: p.dims(),
		Sampler: &sampler{p, z}, Predict: p.predict(z), Sum: p.sum(z),
	}, ctx.Err()
}

// sum is the noise on the sum of k, where it is released first and its noise is independent of the others'.
func (p *problem) sum(z onSums) noise.Probabilities {
	if p.Kind != oneSum && p.Kind != sumSquares || p.Unit > 0 || z.one == nil {
		return nil
	}
	return z.one(0)
}

// changeWords says what differs between neighbours.
func (p *problem) changeWords() string {
	what := "one record replaced"
	if p.target.Adjacency == dp.AddRemove {
		what = "one record added or removed"
	}
	if p.Unit > 0 {
		what = strings.ReplaceAll(what, "one record", fmt.Sprintf("a unit of up to %d rows", p.Unit))
	}
	if p.Omit {
		what += ", with a value or without"
	}
	if p.rows > 1 {
		return fmt.Sprintf("a unit of up to %d rows: %s, %d times", p.rows, what, p.rows)
	}
	return what
}

// records are the integers of every possible record of a small design: the production's, or a mutant's.
func (d design) records() (out [][]int64) {
	if d.Unit > 0 {
		return d.units()
	}
	if d.Omit {
		out = append(out, make([]int64, d.dims()))
	}
	width, groups := 1, 1
	switch d.Kind {
	case columns, columnsCount, columnsSquares, countedSquares:
		width = d.Width
	case groupHalves, groupTriple:
		groups = d.Width
	}
	places := make([]int64, width)
	for {
		for g := range groups {
			z := make([]int64, d.dims())
			d.record(places, g, z)
			out = append(out, z)
		}
		i := 0
		for ; i < width; i++ {
			if places[i]++; places[i] <= d.Steps {
				break
			}
			places[i] = 0
		}
		if i == width {
			return out
		}
	}
}

// oneColumn reports whether two records of a small design differ in one column at most.
func (d design) oneColumn(a, b []int64) bool {
	differ := 0
	for i := range d.Width {
		if a[i] != b[i] {
			differ++
		}
	}
	return d.Kind != columns && d.Kind != columnsSquares || differ <= 1
}

// moves visits what replacing, adding or removing one record can do.
func (d design) moves(adj dp.Adjacency, records [][]int64, visit func(z []int64)) {
	z := make([]int64, len(records[0]))
	for _, a := range records {
		if adj == dp.AddRemove {
			visit(a)
			continue
		}
		for _, b := range records {
			if adj == dp.ReplaceValue && !d.oneColumn(a, b) {
				continue
			}
			for i := range z {
				z[i] = a[i] - b[i]
			}
			visit(z)
		}
	}
}

// farthest is the greatest norm of what one record can do.
func (d design) farthest(adj dp.Adjacency, records [][]int64, gauge func(z []int64) float64) cert.Outcome {
	out := cert.Outcome{Method: cert.Enumeration}
	d.moves(adj, records, func(z []int64) {
		out.Value, out.Work = math.Max(out.Value, gauge(z)), out.Work+1
	})
	return out
}

// dataset is one data set: how often each record is there, and the sums.
type dataset struct {
	counts []int
	sums   []int64
}

// datasets are all data sets of n records.
func datasets(records [][]int64, n int) (out []dataset) {
	for x := range finite.Histograms(len(records), n) {
		s := dataset{slices.Clone(x), make([]int64, len(records[0]))}
		for k, c := range x {
			for j, v := range records[k] {
				s.sums[j] += int64(c) * v
			}
		}
		out = append(out, s)
	}
	return out
}

// apart is the number of records in which two data sets of one size differ.
func (a dataset) apart(b dataset) int {
	sum := 0
	for i, c := range a.counts {
		sum += max(c-b.counts[i], 0)
	}
	return sum
}

// enumeration is what whole releases are enumerated for: every data set of up to n records, every neighbour, and every
// output in a box.
type enumeration struct {
	records [][]int64
	n, rows int
	adj     dp.Adjacency
	differ  func(a, b []int64) bool // whether one record may become the other
	// exponent is −log P(z) of the noise, up to a constant that does not depend on the data
	exponent func(z []int64) float64
	box      int64
}

// largestLoss is the greatest |log P_x(o) − log P_y(o)|. With order2 it is the greatest Rényi divergence of order 2 in
// its place, summed over the box.
func (e enumeration) largestLoss(ctx context.Context, order2 bool) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	compare := func(a, b dataset) error {
		v, work := e.compare(a.sums, b.sums, order2)
		out.Value, out.Work = math.Max(out.Value, v), out.Work+work
		if out.Work > cert.WorkLimit(ctx) {
			return cert.ErrWorkLimit
		}
		return ctx.Err()
	}
	for n := 1; n <= e.n; n++ {
		list := datasets(e.records, n)
		for i, a := range list {
			if e.adj == dp.AddRemove {
				for less := 1; less <= min(e.rows, n); less++ {
					for _, b := range datasets(e.records, n-less) {
						if contains(a, b) {
							if err := compare(a, b); err != nil {
								return out, err
							}
						}
					}
				}
				continue
			}
			for _, b := range list[:i] {
				if a.apart(b) > e.rows || !e.reachable(a, b) {
					continue
				}
				if err := compare(a, b); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// contains reports whether b is a part of a.
func contains(a, b dataset) bool {
	for i, c := range b.counts {
		if c > a.counts[i] {
			return false
		}
	}
	return true
}

// reachable reports whether the records in which two data sets differ, at most two, may become each other.
func (e enumeration) reachable(a, b dataset) bool {
	if e.differ == nil {
		return true
	}
	var from, to [][]int64
	for i, c := range a.counts {
		for range max(c-b.counts[i], 0) {
			from = append(from, e.records[i])
		}
		for range max(b.counts[i]-c, 0) {
			to = append(to, e.records[i])
		}
	}
	if len(from) == 1 {
		return e.differ(from[0], to[0])
	}
	return len(from) == 0 || e.differ(from[0], to[0]) && e.differ(from[1], to[1]) ||
		e.differ(from[0], to[1]) && e.differ(from[1], to[0])
}

// compare visits every output in the box about both sums.
func (e enumeration) compare(x, y []int64, order2 bool) (value float64, work int64) {
	d := len(x)
	lo, hi := make([]int64, d), make([]int64, d)
	for i := range lo {
		lo[i], hi[i] = min(x[i], y[i])-e.box, max(x[i], y[i])+e.box
	}
	o, a, b := append([]int64(nil), lo...), make([]int64, d), make([]int64, d)
	mass, square := 0.0, 0.0
	for {
		for i := range o {
			a[i], b[i] = o[i]-x[i], o[i]-y[i]
		}
		p, q := e.exponent(a), e.exponent(b)
		if order2 {
			mass += math.Exp(-q)
			square += math.Exp(q - 2*p)
		} else {
			value = math.Max(value, math.Abs(p-q))
		}
		work++
		i := 0
		for ; i < d; i++ {
			if o[i]++; o[i] <= hi[i] {
				break
			}
			o[i] = lo[i]
		}
		if i == d {
			break
		}
	}
	if order2 { // Σ P²/Q, P and Q with the same constant
		value = math.Log(square / mass)
	}
	return value, work
}
