package mechanism

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Drawn is what a plan measured: raw noisy integers, or raw real numbers, before any post-processing. It may be
// published.
type Drawn struct {
	ID   string  `json:"id"`             // 128 random bits, fixed before the data was read
	Seed *uint64 `json:"seed,omitempty"` // present only if drawn from a seed: then it is not private
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
	if l := p.spec.Shape.Learning(); l != nil && l.Width > 2 && !st.HasRows() {
		return &StatisticsError{"a source, which counts tables of one and of two columns", wider(p.spec.Shape.Model(), l.LearnedSettings)}
	}
	return nil
}

// wider says what a learner whose tables may have more than two columns needs, and which need no more than pairs.
func wider(m model.Model, set model.LearnedSettings) string {
	use := "Cliques(2)"
	if set.Algorithm == model.Greedy {
		use = "PrivBayes().Degree(1)"
	}
	return fmt.Sprintf("rows in memory for %s, whose tables have up to %d columns (%s, Tree() and MaxEntropy() learn from "+
		"a source)", model.Expression(m), set.Width, use)
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

// kinds refuses numbers of a kind that the plan does not draw.
func (p *Plan) kinds(d *Drawn) error {
	if p.spec.Draws == Integers && d.Real != nil || p.spec.Draws != Integers && (d.Raw != nil || d.Rounds != nil) {
		return domain.Refuse("mechanism", "draw", "raw and real numbers",
			"the kind of numbers that the mechanism releases")
	}
	if d.Rounds != nil && p.spec.Shape.Learning() == nil {
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
