package mechanism

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Private is the private statistics of a data set, as a sampler reads them. Only [Plan.Draw] hands one out, to the
// sampler of that plan and after the statistics were found to be of its shape: whoever writes a mechanism reads them in
// its Draw, and nowhere else.
type Private struct {
	st  *model.Statistics
	key access.Key
}

// Open makes statistics readable; the key keeps it inside this module, and without it nothing is there to read.
func Open(key access.Key, st *model.Statistics) Private { return Private{st, key} }

// Tables are the count tables, laid out as the shape's Tables. They must not be changed.
func (p Private) Tables() [][]int64 { return p.st.Open(p.key) }

// Sums are the sums of a model without count tables, in the order of the shape's Sums.
func (p Private) Sums() []float64 { return p.st.OpenSums(p.key) }

// Whole are the integer sums of a model with a Lattice, in the order of its form; nil where none were counted.
func (p Private) Whole() []int64 { return p.st.OpenWhole(p.key) }

// Units are the moments of units: see model.Statistics.OpenUnits.
func (p Private) Units() []int64 { return p.st.OpenUnits(p.key) }

// Margin counts the table of some columns of the rows behind the tables: see model.Statistics.OpenMargin.
func (p Private) Margin(columns ...string) ([]int64, error) {
	return p.st.OpenMargin(p.key, columns...)
}

// Within are the sums within bins of a learned structure: see model.Statistics.OpenWithin.
func (p Private) Within() [][]int64 { return p.st.OpenWithin(p.key) }

// Moments are the exact second moments of a linear regression: see model.Statistics.OpenMoments.
func (p Private) Moments() []num.Int128 { return p.st.OpenMoments(p.key) }

// Pass reads the rows of a logistic regression once more, at a public point: see model.Statistics.OpenPass.
func (p Private) Pass(ctx context.Context, at steps.Point) ([]num.Int128, error) {
	return p.st.OpenPass(ctx, p.key, at)
}

// Crossed are the statistics of the table of all columns: see model.Statistics.OpenCrossed.
func (p Private) Crossed(ctx context.Context) (Private, error) {
	st, err := p.st.OpenCrossed(ctx, p.key)
	return Private{st, p.key}, err
}

// Rows is the number of rows summed; it may be private.
func (p Private) Rows() int { return p.st.Rows(p.key) }

// Output is what was drawn: integers or real numbers.
type Output struct {
	Raw  [][]int64   `json:"raw,omitempty"`  // integers: the measured cells of each table
	Real [][]float64 `json:"real,omitempty"` // real numbers: what they are is the mechanism's to say

	Rounds []Round `json:"rounds,omitempty"` // of learned structures, after Raw: what was chosen, and its table

	// Within are sums within bins, of learned structures, for each of their columns with such sums: see model.BinSteps.
	Within [][]int64 `json:"within,omitempty"`

	Distances *Distances `json:"distances,omitempty"` // of learned structures with Statements
}

// Distances are how far the tables of pairs of columns are from those of a fitted model, as they may be published.
type Distances struct {
	Of    [][]int64 `json:"of"`              // public: the model's table M of every pair, in whole records
	Noisy []int64   `json:"noisy"`           // ‖N − M‖₁ with noise, of every pair or, under pure ε, of the worst
	Worst int       `json:"worst,omitempty"` // the place of that pair among all, from 1
}

// Round is one round of a mechanism that chooses what to measure, as it may be published.
type Round struct {
	Chosen []int   `json:"chosen,omitempty"` // places of the columns among those of the model; none: the table was given
	Stop   bool    `json:"stop,omitempty"`   // nothing was worth choosing
	Counts []int64 `json:"counts"`           // of the table that was measured, with noise; of a report, the distances

	Report *Report `json:"report,omitempty"` // the round released distances, by which a set of tables is chosen
}

// Report is what is public beside the noisy distances of a batch, in the order of the pairs: with them it gives the
// set.
type Report struct {
	Corrections []int64 `json:"corrections"` // what sampling alone makes of a distance
	Sizes       []int64 `json:"sizes"`       // of the tables, by which they share the budget of the batch
}

// Drawing says which numbers a plan draws.
type Drawing int

// The kinds of numbers. What is drawn as Reals, in floating point, has ideal arithmetic.
const (
	Integers Drawing = iota
	Reals
	// LatticeReals are real numbers by name: integers drawn as such, after a rounding that the certified sensitivity
	// covers.
	LatticeReals
)

// Sampler is the private side of a mechanism: what it measures, and what anyone may make of the measurements.
type Sampler interface {
	// Draw reads the private statistics once. It fails only for reasons that do not depend on the data, or when ctx
	// ends.
	Draw(ctx context.Context, data Private, src *dp.Stream) (Output, error)
	// Estimate is the public post-processing of what was drawn, here or in a file. ctx ends it.
	Estimate(ctx context.Context, drawn Output) (model.Estimate, error)
}

// Fitter is a sampler whose post-processing takes many steps, so that where it ends depends on the machine. It says
// where (model.Estimate.Potentials), and makes the estimate of that place: potentials that are none where a fit may end
// are refused.
type Fitter interface {
	EstimateAt(ctx context.Context, drawn Output, potentials [][]float64) (model.Estimate, error)
}

// Repeater is a sampler that says what it would have released of simulated records, with the choices of a draw: every
// number that was measured, of these records and with fresh noise, and the estimate from it, whose fit may begin at
// given potentials.
type Repeater interface {
	Again(ctx context.Context, of Simulated, drawn Output, potentials [][]float64, src rand.Source) (model.Estimate, error)
}

// Simulated are statistics of records that were drawn from a released model: they are public.
type Simulated struct {
	Table  func(columns ...string) ([]int64, error)
	Within [][]int64 // as Private.Within
}

// Filer is a sampler whose release files hold another estimate than the one that people see: files stay as they were
// when what is shown is mended. Both are functions of what was drawn.
type Filer interface {
	Filed(ctx context.Context, drawn Output) (e model.Estimate, ok bool)
}

// Lawful is a sampler whose outputs are, for some shapes, a short list: it visits every value that may be released of
// given tables, with its probability; ok is false where the list is too long. What is visited is overwritten by the
// next visit.
type Lawful interface {
	OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool)
}

// Measured says how the raw integers of a release come from the tables of its model, for those who infer the tables
// from them: every cell plus noise, table by table, or parities of the records.
type Measured struct {
	Tables   []noise.Distribution // of the noise on each table's cells, a list of integers for each table
	Parities *ParityNoise         // in their place: one list of integers
}

// ParityNoise is noise on the coefficients φ_γ of a spectrum but the first: integer i is (n − φ_{i+1})/2 plus noise,
// or, where Step > 0, φ_{i+1}/Step rounded, plus noise.
type ParityNoise struct {
	Noise    noise.Distribution
	Spectrum *parity.Spectrum // over the nodes of the model's graph, or its columns
	Step     float64
}

// Drawn is what a plan measured: raw noisy integers, or raw real numbers, before any post-processing. It may be
// published.
type Drawn struct {
	ID   string   `json:"id"`             // 128 random bits, fixed before the data was read
	Seed *uint64  `json:"seed,omitempty"` // present only if drawn from a seed: then it is not private
	Slot *dp.Slot `json:"slot,omitempty"` // the publication's that was charged for it, if one was
	Output
}

// numberBytes is what a released number takes until it is a model: drawn, estimated, in a posterior and in its means;
// rowBytes what the posterior of one distribution takes beside its numbers. Measured: 40 and 190 bytes; the rest is
// margin.
const (
	numberBytes = 56
	rowBytes    = 256
)

// Fits estimates what the draw of the plan and the model made of it hold at once, and refuses what is above the memory
// limit of ctx: *cert.LimitError. Ask before a budget is charged. It is a function of public inputs.
func (p *Plan) Fits(ctx context.Context) error {
	numbers, rows := 0.0, 0.0
	for _, c := range p.spec.Shape.Conditionals() {
		rows += float64(c.Rows)
		numbers += float64(c.Rows) * float64(c.Levels)
	}
	return cert.Memory(ctx, "the draw of "+p.spec.Shape.Model().String(),
		numberBytes*math.Max(numbers, float64(p.spec.Shape.Cells()))+rowBytes*rows)
}

// Draw reads the private statistics once and draws. The statistics must be of the plan's shape: *StatisticsError. The
// identifier is the release's name in a ledger; pass the one that was charged. ctx ends long preparations.
func (p *Plan) Draw(ctx context.Context, st *model.Statistics, id string, r *dp.Stream) (*Drawn, error) {
	if err := cmp.Or(p.Accepts(st), ctx.Err(), p.Fits(ctx)); err != nil {
		return nil, err
	}
	numbers, err := p.spec.Sampler.Draw(ctx, Open(access.Mine(), st), r)
	if err != nil {
		return nil, err
	}
	d := &Drawn{ID: id, Output: numbers}
	if seed, ok := r.Seed(); ok {
		d.Seed = &seed
	}
	return d, nil
}

// Accepts refuses statistics that are not of the plan's shape: *StatisticsError. Ask before a budget is charged.
func (p *Plan) Accepts(st *model.Statistics) error {
	if st == nil {
		return &StatisticsError{"nothing", describeShape(p.spec.Shape)}
	}
	have := st.Shape()
	if !p.certified.Adjacency.PublicN() {
		have = have.WithoutN()
	}
	if !have.Equal(p.spec.Shape) {
		return &StatisticsError{describeShape(have), describeShape(p.spec.Shape)}
	}
	if s, ok := p.spec.Sampler.(interface {
		Accepts(st *model.Statistics) error
	}); ok {
		if err := s.Accepts(st); err != nil {
			return err
		}
	}
	if l := p.spec.Shape.Learning(); l != nil && l.Width > 2 && !st.HasRows() {
		return &StatisticsError{"a source, which counts tables of one and of two columns",
			wider(p.spec.Shape.Model(), l.LearnedSettings)}
	}
	return nil
}

// wider says what a learner whose tables may have more than two columns needs, and which need no more than pairs.
func wider(m model.Model, set model.LearnedSettings) string {
	use := "Cliques(2)"
	if set.Algorithm == model.Greedy {
		use = "PrivBayes().Degree(1)"
	}
	return fmt.Sprintf("rows in memory for %s, whose tables have up to %d columns (%s, Tree() and MaxEntropy() learn "+
		"from a source)", model.Expression(m), set.Width, use)
}

// AcceptsUnits refuses statistics of rows that are not known by their units: *StatisticsError.
func AcceptsUnits(sh *model.Shape, st *model.Statistics) error {
	if st.HasUnits() {
		return nil
	}
	return &StatisticsError{Have: "rows that are not known by their units, as those of a source",
		Want: fmt.Sprintf("rows in memory under the schema's \"unit_key\" %q", sh.Schema().UnitKey)}
}

func describeShape(s *model.Shape) string {
	n := "private n"
	if v, ok := s.N(); ok {
		n = fmt.Sprintf("n = %d", v)
	}
	return fmt.Sprintf("%s on %s, %s (shape %.8s)", s.Model(), safetext.Quote(s.Schema().Dataset), n, s.Digest())
}

// Estimate is the plan's post-processing of the raw numbers: a public function of both. The context ends it: that is
// for draws that are read from files. What was just drawn and charged is estimated to the end.
func (p *Plan) Estimate(ctx context.Context, d *Drawn) (e model.Estimate, err error) {
	if err := cmp.Or(ctx.Err(), p.kinds(d)); err != nil {
		return e, err
	}
	e, err = p.spec.Sampler.Estimate(ctx, d.Output)
	return e, cmp.Or(err, ctx.Err())
}

// EstimateAt is Estimate of a file that says at which potentials a fit ended: they are checked, and nothing is fitted
// again. Of plans that fit nothing they are nil.
func (p *Plan) EstimateAt(ctx context.Context, d *Drawn, potentials [][]float64) (e model.Estimate, err error) {
	f, fits := p.spec.Sampler.(Fitter)
	switch {
	case !fits && potentials == nil:
		return p.Estimate(ctx, d)
	case !fits:
		return e, domain.Refuse("mechanism", "potentials", "potentials", "none: nothing is fitted")
	case potentials == nil:
		return e, domain.Refuse("mechanism", "potentials", "none", "those at which the fit ended")
	}
	if err := cmp.Or(ctx.Err(), p.kinds(d)); err != nil {
		return e, err
	}
	e, err = f.EstimateAt(ctx, d.Output, potentials)
	return e, cmp.Or(err, ctx.Err())
}

// Bootstrap is the estimate from a repetition of a draw with records that are drawn from a fitted model, n of them, and
// with fresh noise: a parametric bootstrap, where the model is the one released. Of units of k rows, k records at a
// time are alike, as those of a unit may be. It reads no private data. at are the potentials of the released fit.
// Errors: *dp.ParameterError for a plan that learns no structure by noisy tables; those of drawing records, the
// context's.
func (p *Plan) Bootstrap(ctx context.Context, d *Drawn, f *model.Fitted, n int, at [][]float64, src rand.Source) (
	e model.Estimate, err error) {
	again, ok := p.spec.Sampler.(Repeater)
	if !ok {
		return e, domain.Refuse("mechanism", "bootstrap", p.Title(), "a structure learned by noisy tables")
	}
	_, k := p.spec.Shape.Unit()
	var units simulatedUnits
	for _, part := range []struct{ units, rows int }{{n / k, k}, {n % k, 1}} {
		if part.units == 0 {
			continue
		}
		records, err := f.Synthesize(part.units, src)
		if err != nil {
			return e, err
		}
		st, err := model.Count(p.spec.Shape.WithoutN(), records)
		if err != nil {
			return e, err
		}
		units.counted, units.rows = append(units.counted, st), append(units.rows, int64(part.rows))
	}
	return again.Again(ctx, Simulated{units.table, units.within()}, d.Output, at, src)
}

// simulatedUnits are statistics of simulated units, each with so many rows that are alike.
type simulatedUnits struct {
	counted []*model.Statistics
	rows    []int64
}

// table is a table of the rows.
func (u simulatedUnits) table(columns ...string) (sum []int64, err error) {
	for i, st := range u.counted {
		t, err := st.OpenMargin(access.Mine(), columns...)
		if err != nil {
			return nil, err
		}
		sum = plus(sum, t, u.rows[i])
	}
	return sum, nil
}

// within are the sums within bins of the rows.
func (u simulatedUnits) within() (sums [][]int64) {
	for i, st := range u.counted {
		for c, t := range st.OpenWithin(access.Mine()) {
			if i == 0 {
				sums = append(sums, nil)
			}
			sums[c] = plus(sums[c], t, u.rows[i])
		}
	}
	return sums
}

// plus adds so many times the counts to a sum, which is nil at first.
func plus(sum, counts []int64, times int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(counts))
	}
	for i, v := range counts {
		sum[i] += times * v
	}
	return sum
}

// kinds refuses numbers of a kind that the plan does not draw.
func (p *Plan) kinds(d *Drawn) error {
	chosen := d.Rounds != nil || d.Within != nil || d.Distances != nil
	whole := d.Raw != nil || chosen
	if p.spec.Draws == Integers && d.Real != nil || p.spec.Draws != Integers && whole {
		return domain.Refuse("mechanism", "draw", "raw and real numbers",
			"the kind of numbers that the mechanism releases")
	}
	if chosen && p.spec.Shape.Learning() == nil {
		return domain.Refuse("mechanism", "draw", "rounds", "none: the mechanism does not choose what it measures")
	}
	return nil
}

// Filed is the estimate that stands in a release's file: Estimate's, unless the sampler is a Filer.
func (p *Plan) Filed(ctx context.Context, d *Drawn, shown model.Estimate) model.Estimate {
	if f, ok := p.spec.Sampler.(Filer); ok {
		if e, ok := f.Filed(ctx, d.Output); ok {
			return e
		}
	}
	return shown
}

// Guarantee is the guarantee of a draw: the plan's, or none if the draw came from a seed or the schema from the data.
func (p *Plan) Guarantee(d *Drawn) dp.Guarantee {
	g := p.certified
	switch {
	case d.Seed != nil:
		g.Parameters = dp.NotPrivate("seeded")
	case p.spec.Shape.Schema().Inferred:
		g.Parameters = dp.NotPrivate("schema inferred from data")
	}
	return g
}
