// Package totals releases running totals: the count of all units so far in every cell of a table, period by period, by
// noise whose error grows with the logarithm of the number of periods, at one ρ for the whole sequence.
//
// The number T of periods is public and fixed beforehand: the levels of a column. In period t the counts x_1, …, x_t of
// the periods so far are measured together, with weights that fall with their age,
//
//	y_t = Σ_{j ≤ t} c_{t−j}·x_j + Z_t,  c_j = round(2^16·C(2j, j)/4^j),  Z_t discrete Gaussian of variance σ²,
//
// and the totals follow from y_1, …, y_t. The Z_t are independent, so no noise has to be kept from one period to the
// next: what a period needs are the rows so far and the measurements that were released, both of which there are. One
// charge pays for all periods. Each is measured once, which the budget knows (theory/publication.md §7).
package totals

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Plan is a sequence of running totals, certified before any row is read. It is public and immutable.
type Plan struct {
	target      dp.Request
	shape       *model.Shape // of the rows so far: the table of the period and the other columns
	noise       noise.Gaussian
	change      change
	cells       int // of one period
	c           []int64
	b           []float64
	guarantee   dp.Guarantee
	certificate *cert.Certificate
}

// New plans a sequence for a contingency table whose first column is the period, in the order of its levels. The target
// is ρ under replace-one or add-remove, for all periods together. It reads no data. Errors: *dp.ParameterError,
// *sensitivity.AdjacencyError.
func New(ctx context.Context, target dp.Request, sh *model.Shape) (*Plan, error) {
	q, err := head(target, sh)
	if err != nil {
		return nil, err
	}
	sigma2 := leastNoise(q.squared(weights(q.Periods)), target.Rho)
	if sigma2.BitLen() > 62 {
		return nil, domain.Refuse("totals", "ρ", target.Rho, "more: the noise would be beyond 2^31 steps of 1/65536")
	}
	return assemble(ctx, target, sh, q, sigma2.Uint64())
}

// head refuses what no sequence can be, and says what one unit changes.
func head(target dp.Request, sh *model.Shape) (q change, err error) {
	if err := target.Valid(); err != nil {
		return q, err
	}
	m, ok := sh.Model().(model.ContingencyTableModel)
	if !ok {
		return q, domain.Refuse("totals", "model", sh.Model(), "a contingency table, the period first")
	}
	s, period := sh.Schema(), sh.Columns()[0]
	switch {
	case target.Notion != dp.Concentrated:
		return q, domain.Refuse("totals", "level", target.Parameters, "ρ of zero-concentrated DP, for all periods together")
	case target.NominalScale:
		return q, domain.Refuse("totals", "level", "a target refined by AsPublished", "a level that the whole has to meet")
	case target.Adjacency != dp.ReplaceOne && target.Adjacency != dp.AddRemove:
		return q, domain.Refuse("totals", "adjacency", target.Adjacency, "replace-one or add-remove: a value that is "+
			"replaced could be the period of a row")
	case period.Name != m.Target() || period.HasMissing() || period.OnMissing == frame.MissingImputed || period.Other != "":
		return q, domain.Refuse("totals", "period", period.Name, "a column without missing or other values: a row would "+
			"change its period when its value is known")
	case period.Levels() > maxPeriods:
		return q, domain.Refuse("totals", "periods", period.Levels(), fmt.Sprintf("at most %d", maxPeriods))
	case s.UnitKey != "":
		return q, domain.Refuse("totals", "unit_key", s.UnitKey, "a schema without one, for a table that has at most "+
			"rows_per_unit rows of a unit in all periods together: which rows are left of a unit with more could change "+
			"with every period")
	case s.StepOf(frame.StepGroupBy, frame.StepDerive, frame.StepLookup) != "":
		return q, domain.Refuse("totals", "step", s.StepOf(frame.StepGroupBy, frame.StepDerive, frame.StepLookup),
			"columns as they were read: a period that is made of other values could change with them")
	case frame.UsesN(sh.Rows()):
		return q, domain.Refuse("totals", "rows", chosen(sh.Rows()), "rows chosen by what they hold: others would be chosen "+
			"when rows are added")
	}
	if err := mechanism.DomainAllows(sh, target.Adjacency); err != nil {
		return q, err
	}
	of, err := sensitivity.OfMeasured(sh, target.Adjacency, []int{sh.Cells()})
	if err != nil {
		return q, err
	}
	q = change{period.Levels(), of.Cells, of.Rows}
	return q, q.valid()
}

// assemble certifies a sequence with given noise.
func assemble(ctx context.Context, target dp.Request, sh *model.Shape, q change, sigma2 uint64) (*Plan, error) {
	z, err := noise.NewGaussian(noise.Rational{Num: sigma2, Den: 1})
	if err != nil {
		return nil, err
	}
	if !target.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	p := &Plan{target: target, shape: sh, noise: z, change: q, cells: sh.Cells() / q.Periods, c: weights(q.Periods)}
	p.b = inverse(p.c)
	if p.certificate, err = certify(ctx, noised{q, sigma2}, target.Parameters); err != nil {
		return nil, err
	}
	if !p.certificate.OK() {
		return nil, &mechanism.CheckError{Certificate: p.certificate}
	}
	unit, _ := sh.Unit()
	level := dp.ZCDP(float64(p.certificate.Checks[1].Value)).Parameters
	p.guarantee = dp.Guarantee{Parameters: level, Adjacency: target.Adjacency, Arithmetic: dp.Exact, Unit: unit,
		RowsPerUnit: q.Rows}
	return p, nil
}

// Target is what was asked for.
func (p *Plan) Target() dp.Request { return p.target }

// Certified is the proved guarantee of all periods together.
func (p *Plan) Certified() dp.Guarantee { return p.guarantee }

// Certificate holds the checks of the sequence.
func (p *Plan) Certificate() *cert.Certificate { return p.certificate }

// Shape is what is counted: the table of the period and the other columns, of the rows so far.
func (p *Plan) Shape() *model.Shape { return p.shape }

// Settings lists the public parameters for people.
func (p *Plan) Settings() []mechanism.Setting {
	return []mechanism.Setting{
		{Name: "noise in every cell of every period", Value: fmt.Sprintf("discrete Gaussian, σ² = %d steps², of 1/65536 of "+
			"a row", p.noise.Parameter().Num)},
		{Name: "periods", Value: fmt.Sprint(p.change.Periods)},
		{Name: "weight of a count that is j periods old", Value: "round(2^16·C(2j, j)/4^j) steps"}}
}

// Expected are half the widths of 95 % intervals of the rows, after the first period and after the last.
func (p *Plan) Expected() (out []mechanism.Expectation) {
	last := p.change.Periods
	for _, t := range slices.Compact([]int{1, last}) {
		out = append(out, mechanism.Expectation{
			Name:  fmt.Sprintf("running total of a cell after period %d of %d, ±", t, last),
			Value: p.half(p.sum(t), 1, .95), Unit: "rows", How: "95 % of the noise, closed form"})
	}
	return out
}

// Period is the column of the periods.
func (p *Plan) Period() string { return p.shape.Columns()[0].Name }

// Periods are its levels, in their order.
func (p *Plan) Periods() []string { return p.shape.Columns()[0].Labels() }

// Columns are those of the table that is counted, without the period; none for a single count.
func (p *Plan) Columns() (names []string) {
	for _, c := range p.shape.Columns()[1:] {
		names = append(names, c.Name)
	}
	return names
}

// SD is the standard deviation of the noise in the running total of one cell after t periods, t from 1 to their number,
// in rows: (σ²·Σ_{j<t} b_j²)^½.
func (p *Plan) SD(t int) float64 {
	sum := 0.
	for _, b := range p.b[:min(max(t, 0), len(p.b))] {
		sum += b * b
	}
	return math.Sqrt(p.noise.Sigma2() * sum)
}

// MarshalJSON writes what defines the plan: target, shape and noise.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return json.Marshal(planFile{p.target, p.shape, p.noise.Parameter().Num})
}

// planFile is the JSON form of a plan.
type planFile struct {
	Target dp.Request   `json:"target"`
	Shape  *model.Shape `json:"shape"`
	Sigma2 uint64       `json:"sigma2"` // of the noise, in steps of 1/65536 of a row
}

// key names the sequence: all of the plan that is the same in every period.
func (p *Plan) key() string {
	b, _ := json.Marshal(struct { // public names and numbers
		Target  dp.Request
		Schema  string
		Columns []string
		Sigma2  uint64
	}{p.target, p.shape.Schema().Digest(), p.Columns(), p.noise.Parameter().Num})
	return fmt.Sprintf("%.12x", sha256.Sum256(slices.Concat(b, []byte(p.Period()))))
}

// slot is what the charge of the sequence sets aside for a period, from 0: one measurement of it. The levels of all
// measurements are proved together and do not add up.
func (p *Plan) slot(t int) dp.Slot {
	own := p.change
	own.Periods = 1
	rho := rhoOf(own.squared(p.c[:1]), p.noise.Parameter().Num)
	return dp.Slot{Name: fmt.Sprintf("period %d of %d, plan %s", t+1, p.change.Periods, p.key()),
		Level: dp.ZCDP(rho).Parameters, Joint: true}
}

// place is a period, from 0. *dp.ParameterError where there is none of the name.
func (p *Plan) place(period string) (int, error) {
	all := p.Periods()
	at := slices.Index(all, period)
	if at < 0 {
		return 0, domain.Refuse("totals", "period", period, safetext.OneOf(period, all))
	}
	return at, nil
}

// Title names what is released, for people.
func (p *Plan) Title() string {
	what := "counts"
	if columns := p.Columns(); len(columns) > 0 {
		what = "counts by " + safetext.List(columns, 6)
	}
	return fmt.Sprintf("running totals of %s, %s of %s", what, table.Count(p.change.Periods, "period"),
		safetext.Quote(p.Period()))
}

// Warnings lists what is dangerous about the level of the sequence, and about the schema.
func (p *Plan) Warnings() warning.List {
	return p.guarantee.Parameters.Warnings(mechanism.Size(p.shape)).And(p.shape.Schema().Warnings())
}

// Table shows the sequence, and the error of its totals.
func (p *Plan) Table() *table.Table {
	t := table.New("Plan: "+p.Title(), "after period", "95 % of a total, ± rows", "of what a period adds")
	labels := p.Periods()
	last := len(labels)
	shown := []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 80, 120}
	for _, at := range append(shown, last) {
		if at <= last && (at < last || len(t.Rows) == 0 || t.Rows[len(t.Rows)-1][0] != labels[last-1]) {
			t.Add(labels[at-1], p.half(p.sum(at), 1, .95), p.half(p.between(at-1, at), 1, .95))
		}
	}
	t.Note(fmt.Sprintf("After %s the standard deviation is %.3g times that of one count at the whole ρ. Totals that are "+
		"released anew in each period would have %.3g.", table.Count(last, "period"), p.SD(last)/p.SD(1)*
		math.Sqrt(p.norm()), math.Sqrt(float64(last))))
	return t.Note("Guarantee of all periods together: " + p.guarantee.String() + ".")
}

// norm is Σc_j² in units of c_0².
func (p *Plan) norm() float64 {
	sum := 0.
	for _, c := range p.c {
		sum += float64(c) * float64(c) / (scale * scale)
	}
	return sum
}

// String shows the plan as text.
func (p *Plan) String() string { return table.Text(p) }

// chosen says how rows were chosen. Rows that are appended, such as those of a new period, are chosen like the others.
func chosen(steps []frame.RowStep) string {
	var names []string
	for _, s := range steps {
		name, a := s.String(), chosen(s.Of[0])
		if strings.HasPrefix(name, "Append") && a == chosen(s.Of[1]) {
			name = a
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, "; ")
}

// follows refuses rows that are not those of the sequence so far: *mechanism.StatisticsError.
func (p *Plan) follows(sh *model.Shape) error {
	a, b := p.shape.Schema(), sh.Schema()
	for _, of := range []struct{ what, have, want string }{
		{"data set", b.Dataset, a.Dataset}, {"schema with digest", b.Digest(), a.Digest()},
		{"model", sh.Model().String(), p.shape.Model().String()},
		{"rows", cmp.Or(chosen(sh.Rows()), "all"), cmp.Or(chosen(p.shape.Rows()), "all")},
	} {
		if of.have != of.want {
			return &mechanism.StatisticsError{Have: of.what + " " + safetext.Quote(of.have),
				Want: cmp.Or(safetext.Quote(of.want), "none") + ", that of the sequence"}
		}
	}
	return nil
}
