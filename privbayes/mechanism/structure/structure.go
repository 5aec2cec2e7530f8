// Package structure learns which columns depend on one another and releases a Bayesian network of them: the structure
// is an output, chosen from noisy answers and charged for.
//
// # What is measured
//
// All one-way tables get noise first. Then come rounds: in each, a pair of columns is chosen by how far its table is
// from what the released numbers say of it, and the chosen table gets noise. With N_C the table of a candidate C and
// M_C a public table of whole numbers, the score is
//
//	L_C = ‖N_C − M_C‖₁ − c_C,
//
// c_C whole, the part of the distance that sampling and the noise of a table would make ([learner.correction]), a
// function of M_C that is rounded by itself: rounding the sum would double what a record moves. Replacing a record
// moves every L_C by −2, 0 or 2 where the totals of N and M agree, adding one moves it by −1 or 1, whatever M is; so
// does a stop of constant score. The choice has P(C) ∝ e^{xL_C} ([sample.Selection]), sampled exactly, or is
// permute-and-flip at the same rate under pure ε; it is ε-bounded-range, ε = 4x under replace-one and 2x under
// add-remove, k times that for units of k rows.
//
// Where noise is little and the number of records public, two batches take the place of rounds: all distances are
// released with noise, and a set of tables is chosen by them (batches.go).
//
// # What a release spends
//
// Rates and the number of rounds are fixed: only which table is measured adapts, and every table changes by the same
// amounts. A round in which nothing is chosen measures the table of a column again, which changes by no more. So the
// whole release is a composition declared beforehand ([loss.Declared]): pure ε, ρ, Rényi curves and the products of
// dominating pairs are all valid, and the target is met by the least of them.
//
// # What is made of it
//
// The distribution of maximum entropy (package maxent) is fitted to everything measured, which is post-processing. The
// end of a fit depends on the machine. A file therefore has the potentials of the end, and they are checked: see
// gate.go.
//
// Source: theory/structure.md, of which docs/reference/structure.md says what a user needs.
package structure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Learning learns a structure with one family of noise: Geometric or DiscreteGaussian. The zero value is not usable.
type Learning struct {
	mechanism.Front
	noise *added
}

// Geometric learns with two-sided geometric noise on tables. Under pure ε choices are by permute-and-flip, which is
// never worse at the same ε; under other notions by the exponential mechanism, whose Rényi divergences are smaller.
// Arithmetic: exact.
func Geometric() Learning { return learning(geometric) }

// DiscreteGaussian learns with discrete Gaussian noise on tables, and choices by the exponential mechanism: for (ε, δ),
// Rényi and concentrated targets. Arithmetic: exact.
func DiscreteGaussian() Learning { return learning(gaussian) }

func learning(noise *added) Learning {
	m := Learning{noise: noise}
	m.Front = m.mathematics().Front()
	return m
}

// With is the learner whose noise a mechanism on counts adds: that of Geometric and DiscreteGaussian. A learner is
// itself. What else was asked of a mechanism has no meaning for a learner, whose tables maximum entropy fits: options
// are refused by name. Error: *mechanism.UnsupportedError.
func With(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	if m == nil {
		return nil, &mechanism.UnsupportedError{Mechanism: "no mechanism", What: "a structure to learn", Use: uses}
	}
	refused := &mechanism.UnsupportedError{Mechanism: m.Title(), What: "a structure to learn", Use: uses}
	for added, learner := range map[string]Learning{"geometric": Geometric(), "discrete-gaussian": DiscreteGaussian()} {
		switch options, told := m.(mechanism.Refined); {
		case m.Name() == learner.Name():
			return m, nil
		case m.Name() != added || !told: // options that cannot be seen may be set
		case len(options.Refinements()) > 0:
			refused.What += " with " + strings.Join(options.Refinements(), ", ")
			refused.Use = "Geometric() or DiscreteGaussian() as they are: maximum entropy fits the noisy tables"
		default:
			return learner, nil
		}
	}
	return nil, refused
}

const uses = "Geometric(), or DiscreteGaussian() for targets other than pure ε"

// supports accepts models that learn their structure.
func supports(sh *model.Shape) error {
	if l := sh.Learning(); l == nil || l.Algorithm == model.Greedy {
		return &mechanism.UnsupportedError{What: sh.Model().String(),
			Use: "a model such as Tree(), or a mechanism for models whose structure is given"}
	}
	return nil
}

// problem is what a release is planned for: shape and target, and what follows from them.
type problem struct {
	noise    *added
	shape    *model.Shape
	target   dp.Request
	set      model.LearnedSettings
	levels   []int
	pairs    [][2]int
	zeros    []model.Zeros // combinations that no record can have: public
	weights  []int64       // of the pairs under a workload: public
	within   []int         // columns whose values are added up within bins
	reserved [][2]int      // pairs that stay candidates whatever is chosen
	top      int64         // the largest of them, 1 without a workload; 0 is read as 1
	n, rows  int
	publicN  bool
	gated    bool   // whether learning pays decides whether anything is chosen
	declined string // nothing is chosen, and why, where that is known before the draw
	joint    bool   // the joint table of all columns is measured, and nothing chosen
	many     int    // rounds of pairs where they are more than two a column
	batched  bool   // pairs are chosen in batches, and not in rounds
	plain    bool   // neither stops nor corrections: of enumerations only
}

func (m Learning) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: m.noise.kind, Title: "Structure learned with " + m.noise.name + " noise", Supports: supports,
		Prepare: m.prepare, Calibrate: m.calibrate, Certify: m.certify, NoNominal: true,
	}
}

func (m Learning) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	if !t.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	if t.Adjacency != dp.ReplaceOne && t.Adjacency != dp.AddRemove {
		return nil, &mechanism.UnsupportedError{What: t.Adjacency.String() + " adjacency",
			Use: "replace-one or add-remove"}
	}
	if _, err := sensitivity.OfMeasured(sh, t.Adjacency, nil); err != nil {
		return nil, err
	}
	if m.noise.unbounded && t.Notion == dp.Pure {
		return nil, &mechanism.UnsupportedError{What: t.Parameters.String() + ": its loss is unbounded",
			Use: "Geometric(), or an (ε, δ), Rényi or zCDP target"}
	}
	l := sh.Learning()
	q := &problem{noise: m.noise, shape: sh, target: t, set: l.LearnedSettings, pairs: l.Pairs, zeros: l.Zeros,
		weights: l.Weights, reserved: l.Reserved, within: l.Within}
	q.top = mostWeight(q.weights)
	for _, c := range sh.Columns() {
		q.levels = append(q.levels, c.Levels())
	}
	q.n, q.publicN = sh.N()
	_, q.rows = sh.Unit()
	if q.publicN && q.n < 1 {
		return nil, &mechanism.UnsupportedError{What: "a table without rows", Use: "at least one row"}
	}
	q.decide()
	return q, nil
}

// calibrate finds the greatest budget whose release meets the target.
func (m Learning) calibrate(ctx context.Context, q *problem) (p params, err error) {
	known := map[string]float64{} // by the parameters, which are rounded: many budgets have the same
	excess := func(budget float64) float64 {
		p := q.scaled(budget)
		key := fmt.Sprint(p.Columns, p.Within)
		for _, f := range p.Phases {
			key += fmt.Sprint(" ", f.Noise, f.Choose)
		}
		if b := p.Batches; b != nil {
			key += fmt.Sprint(" ", b.Report, b.Tables)
		}
		if s := p.Statements; s != nil {
			key += fmt.Sprint(" ", s.Noise, s.Choose)
		}
		if v, ok := known[key]; ok {
			return v
		}
		d, err := loss.DeclareByCurve(q.parts(p)...)
		if err != nil || ctx.Err() != nil {
			return math.NaN() // no such budget, or no time to find out
		}
		known[key] = loss.Excess(loss.Until(ctx, d), q.target.Parameters)
		return known[key]
	}
	const least, most = 1e-9, 1e5
	if !(excess(least) <= 0) {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		return p, m.unmet(ctx, q, least)
	}
	budget := treeBudget(q.target.Parameters)
	if !q.pure() || !(excess(budget) <= 0) {
		budget = noise.GreatestBy(least, most, excess)
	}
	if err := ctx.Err(); err != nil {
		return p, err
	}
	p = q.scaled(budget)
	if _, err := q.laws(p); err != nil {
		return p, m.unmet(ctx, q, 1e-6)
	}
	return p, nil
}

func (m Learning) unmet(ctx context.Context, q *problem, budget float64) error {
	d, err := loss.DeclareByCurve(q.parts(q.scaled(budget))...)
	if err != nil {
		return err
	}
	return mechanism.Unmet(ctx, q.target.Parameters, d, "a larger target, or fewer columns")
}

// laws are the exact laws of parameters.
func (q *problem) laws(p params) (out laws, err error) {
	for _, r := range p.Columns {
		l, err := q.noise.Of(r)
		if err != nil {
			return out, err
		}
		out.columns = append(out.columns, l)
	}
	for _, r := range p.Within {
		l, err := q.noise.Of(r)
		if err != nil {
			return out, err
		}
		out.within = append(out.within, l)
	}
	for _, f := range p.Phases {
		l := phaseLaw{rounds: f.Rounds, kept: q.noise.keptNoise(f.Noise.Float(), p.Kept)}
		if l.noise, err = q.noise.Of(f.Noise); err != nil {
			return out, err
		}
		if l.choose, err = f.choice(p.Flip); err != nil {
			return out, err
		}
		out.phases = append(out.phases, l)
	}
	if out.batch, err = q.batchLaw(p.Batches); err == nil {
		out.statements, err = q.statementLaw(p.Statements)
	}
	return out, err
}

// certify states the release at given parameters.
func (m Learning) certify(ctx context.Context, q *problem, p params) (spec mechanism.Spec, err error) {
	if err := q.fits(p); err != nil {
		return spec, err
	}
	l, err := q.laws(p)
	if err != nil {
		return spec, err
	}
	pair, err := loss.DeclareByCurve(q.parts(p)...)
	if err != nil {
		return spec, err
	}
	checks, err := q.checks(ctx, p)
	if err != nil {
		return spec, err
	}
	rounds, cells := 0, 0
	for _, f := range p.Phases {
		rounds += f.Rounds
	}
	for _, k := range q.levels {
		cells += k
	}
	if p.Batches != nil { // about as many tables as rounds have
		rounds = q.pairShare().rounds
		cells += p.Batches.Number * p.Batches.Distances
	}
	for _, i := range q.within {
		cells += q.levels[i]
	}
	if p.Statements != nil {
		for _, c := range q.reported() {
			cells += q.levels[c.columns[0]]*q.levels[c.columns[1]] + 1
		}
	}
	return mechanism.Spec{
		Shape: q.shape, Settings: q.settings(p), Arithmetic: dp.Exact, Pair: pair,
		StandardFormula: q.standardFormula(p), Checks: checks, Expected: q.expectations(p), Sampler: &sampler{q, l},
		Count: cells + rounds*q.largest(),
	}, nil
}

// largest is the cells of the largest table that a round may measure.
func (q *problem) largest() int {
	most := 0
	for _, k := range q.levels {
		most = max(most, k)
	}
	for _, p := range q.pairs {
		most = max(most, q.levels[p[0]]*q.levels[p[1]])
	}
	switch {
	case q.joint:
		return q.jointCells()
	case q.grows():
		return q.set.MaxCells
	}
	return most
}

func (q *problem) standardFormula(p params) mechanism.StandardFormula {
	l := dp.Parameters{Notion: dp.Pure}
	sum := 0.0
	for _, r := range q.parts(p) {
		sum += float64(r.Times) * r.Pair.PureEpsilon()
	}
	if q.noise.unbounded {
		sum = 0
		for i, r := range p.Columns {
			sum += float64(q.changed(q.measured(i))*q.rows*q.rows) / (2 * r.Float())
		}
		for _, r := range p.Within {
			sum += math.Pow(float64(withinShift(q)), 2) / (2 * r.Float())
		}
		for _, f := range p.Phases {
			each := float64(q.changed(4)*q.rows*q.rows) / (2 * f.Noise.Float())
			if f.Choose != nil {
				e := q.chosenRange(*f.Choose)
				each += e * e / 8
			}
			sum += float64(f.Rounds) * each
		}
		if p.Batches != nil {
			sum += q.batchRho(p.Batches)
		}
		sum += q.statementRho(p.Statements)
		return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Concentrated, Rho: sum},
			Source: "ρ = Σ Δ₂²/(2σ²) + Σ ε²/8, Cesar, Rogers 2021"}
	}
	l.Epsilon = number(sum)
	return mechanism.StandardFormula{Level: l, Source: "ε = Σ Δ₁γ + Σ ε, basic composition"}
}

// placed is how many columns of the model are places of children that have zeros by the schema: those whose partner is
// a column of the model, too. more says how many children have places, where more are counted.
func (q *problem) placed() (k int, more string) {
	has := func(name string) bool {
		return slices.ContainsFunc(q.shape.Columns(), func(c frame.Column) bool { return c.Name == name })
	}
	places, counted := 0, 0
	for _, p := range q.shape.Schema().Places() {
		if places = p.At + 1; p.Before == 0 {
			number, _, _ := q.shape.Schema().Column(p.By)
			counted = number.Levels() - 1
		}
		if has(p.Column) && has(p.By) {
			k++
		}
	}
	if counted > places {
		more = fmt.Sprintf("; of up to %d who are counted %d have places", counted, places)
	}
	return k, more
}

// settings are the public parameters, for people.
func (q *problem) settings(p params) []mechanism.Setting {
	low, high := p.Columns[0], p.Columns[0]
	for _, r := range p.Columns {
		if r.Float() < low.Float() {
			low = r
		}
		if r.Float() > high.Float() {
			high = r
		}
	}
	d := len(q.levels)
	out := []mechanism.Setting{
		{Name: "decision", Value: q.alternatives()},
		{Name: "candidates", Value: fmt.Sprintf("%d of %d pairs of %d columns; %s", len(q.pairs), d*(d-1)/2, d,
			q.capText())},
		{Name: "one-way tables", Value: q.noise.words + brief(low) + " to " + brief(high)},
	}
	if q.chooses() {
		out = append(out, mechanism.Setting{Name: "algorithm", Value: q.algorithm(p)},
			mechanism.Setting{Name: "within reach", Value: q.shape.Learning().ReachableText()})
	}
	if s, ok := q.withinSetting(p); ok {
		out = append(out, s)
	}
	if q.weights != nil {
		out = append(out, mechanism.Setting{Name: "workload", Value: q.set.WorkloadText(5) +
			fmt.Sprintf("; scores are multiplied by weights of up to %d, and the rate x divided", q.top)})
	}
	if len(q.zeros) > 0 {
		declared := []string{q.set.ZeroText(5)}
		if k, more := q.placed(); k > 0 {
			of := "of the schema, " + shown.Count(k, "column") + " of children who may be absent"
			declared = append([]string{of + more}, declared...)
		}
		out = append(out, mechanism.Setting{Name: "structural zeros",
			Value: strings.TrimSuffix(strings.Join(declared, "; "), "; ")})
	}
	if q.set.Star == "" && !q.joint {
		g := q.gate()
		out = append(out, mechanism.Setting{Name: "expected error of learning",
			Value: fmt.Sprintf("r + ν = (%.4g for choices that are missed + %.4g for noise)/n; at most %g is worthwhile",
				g.choices, g.noise, learnAt)})
	}
	for i, f := range p.Phases {
		name, kind := fmt.Sprintf("rounds %d", i+1), "exponential mechanism"
		if p.Flip {
			kind = "permute-and-flip"
		}
		value := shown.Count(f.Rounds, "table") + ", " + q.noise.words + brief(f.Noise)
		if f.Choose != nil {
			value += fmt.Sprintf("; each chosen by the %s at x = %s", kind, brief(*f.Choose))
		}
		out = append(out, mechanism.Setting{Name: name, Value: value})
	}
	composed := "declared: rates and rounds are fixed"
	if p.Batches != nil {
		out, composed = append(out, q.batchSettings(p.Batches)...), "declared: what a batch spends is fixed"
	}
	return append(append(out, q.statementSettings(p.Statements)...), mechanism.Setting{Name: "composition",
		Value: composed})
}

// capText says how large tables and cliques may be.
func (q *problem) capText() string {
	if q.set.MaxWork == 0 {
		return fmt.Sprintf("cap %d cells", q.set.MaxCells)
	}
	return fmt.Sprintf("cap %d cells of a clique, %d of all", q.set.MaxCells, q.set.MaxWork)
}

// brief is a rate for people: the file has it exactly.
func brief(r noise.Rational) string {
	if s := r.String(); len(s) <= len("99/1000") {
		return s
	}
	return shown.Number(r.Float())
}

// expectations are the errors of a count of a table.
func (q *problem) expectations(p params) []mechanism.Expectation {
	stated := q.statementExpectations(p.Statements)
	if p.Joint { // the tables of columns and pairs are sums of its counts
		return append([]mechanism.Expectation{{Name: "absolute error of a count of the joint table",
			Value: q.noise.meanAbsolute(p.Phases[0].Noise.Float()), Unit: "records", How: "closed form, before the fit"}},
			stated...)
	}
	sum := 0.0
	for _, r := range p.Columns {
		sum += q.noise.meanAbsolute(r.Float()) / float64(len(p.Columns))
	}
	out := []mechanism.Expectation{{Name: "absolute error of a count of one column", Value: sum, Unit: "records",
		How: "closed form, mean over columns, before the fit"}}
	if p.Batches != nil {
		out = append(out, q.batchExpectation(p.Batches))
	}
	if len(p.Phases) > 0 {
		kind := "a given"
		if p.Phases[0].Choose != nil {
			kind = "a chosen"
		}
		out = append(out, mechanism.Expectation{Name: "absolute error of a count of " + kind + " table",
			Value: q.noise.meanAbsolute(p.Phases[0].Noise.Float()), Unit: "records", How: "closed form, before the fit"})
	}
	return append(out, stated...)
}

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		mechanism.Describe(Geometric(), "LearnedGeometric", "learned-geometric", "Learned, geometric"),
		mechanism.Describe(DiscreteGaussian(), "LearnedGaussian", "learned-gaussian", "Learned, Gaussian"),
	}
}

// Cost estimates a plan by its enumerations and calibration, and a draw by its scores and fits.
func (m Learning) Cost(sh *model.Shape, t dp.Request) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	d, cells := float64(len(sh.Columns())), float64(sh.Cells())
	c.Plan = 1.5e8
	if t.Notion != dp.Pure {
		c.Plan += 2e8
	}
	c.Draw = 2e6 + 400*cells*d // every round scores all pairs and fits what was measured
	if sh.Learning().Algorithm == model.Forest {
		c.Draw = 2e6 + 400*cells
	}
	c.Bytes = 64*cells + 1e6
	return c
}
