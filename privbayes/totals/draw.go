package totals

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Totals are the measurements of a sequence until a period. They are immutable.
type Totals struct {
	plan     *Plan
	id       string    // in ledgers
	sequence string    // the id of the release that began it
	seeds    []*uint64 // of every draw: nil for secure randomness
	y        [][]int64 // of every period so far
	about    warning.List
	loaded   bool
}

// Request is a draw of one more period, or of the first ones.
type Request struct {
	Statistics *model.Statistics // of the rows so far, of the shape of the plan
	Budget     *budget.Budget    // which knows what was released: it is needed
	Seed       *uint64           // nil: secure randomness
	Path       string            // file that keeps the totals; empty: they are not kept
}

// Begin releases the totals of the first period, or of all until one, and charges the budget for the whole sequence.
// Errors: those of [keep.Request.Draw], and *dp.SlotError without a budget.
func (p *Plan) Begin(ctx context.Context, through string, r Request) (*Totals, error) {
	last, err := p.place(through)
	if err != nil {
		return nil, err
	}
	var later []dp.Slot
	for t := last + 1; t < p.change.Periods; t++ {
		later = append(later, p.slot(t))
	}
	return p.release(ctx, r, &Totals{}, last, later)
}

// Next releases the totals of the period after the last one of t, from the rows so far. It adds nothing to the budget
// that paid for the sequence, which notes it, so that no period is measured twice. Errors: those of
// [keep.Request.Draw], *dp.SlotError for a period that was released and for another budget, *mechanism.StatisticsError
// for other rows, and *dp.ParameterError after the last period.
func (t *Totals) Next(ctx context.Context, r Request) (*Totals, error) {
	n := len(t.y)
	if n == t.plan.change.Periods {
		return nil, domain.Refuse("totals", "period", "the one after "+t.Through(), "none: the sequence ends there")
	}
	if r.Statistics == nil {
		return nil, &mechanism.StatisticsError{Have: "nothing", Want: "counts of the rows so far"}
	}
	if err := t.plan.follows(r.Statistics.Shape()); err != nil {
		return nil, err
	}
	q, err := head(t.plan.target, r.Statistics.Shape())
	if err != nil {
		return nil, err
	}
	p, err := assemble(ctx, t.plan.target, r.Statistics.Shape(), q, t.plan.noise.Parameter().Num)
	if err != nil {
		return nil, err
	}
	return p.release(ctx, r, t, n, nil)
}

// release measures the periods after those of before, until last.
func (p *Plan) release(ctx context.Context, r Request, before *Totals, last int, later []dp.Slot) (*Totals, error) {
	if err := p.accepts(r.Statistics); err != nil {
		return nil, err
	}
	if r.Budget == nil {
		return nil, &dp.SlotError{Slot: p.slot(last), Field: "budget", Have: "none",
			Want: "one: it knows which periods were released, as each is measured once"}
	}
	described, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	charge, err := keep.ChargeOf(p.Title(), p.guarantee, budget.ListDeclared, p.shape)
	if err != nil {
		return nil, err
	}
	charge.Slots = later
	charge.Design = "" // rows of later periods are of later samples
	if before.sequence != "" {
		s := p.slot(last)
		s.Publication = before.sequence
		charge.Slot, charge.Level, charge.State = &s, s.Level, budget.Adaptive
		charge.What = fmt.Sprintf("%s: period %d", p.Title(), last+1)
	}
	seed := r.Seed
	if seed != nil { // the noise of two periods is not the same
		own := *seed + uint64(last)
		seed = &own
	}
	out, loaded, err := keep.Work[*Totals]{
		Public:  fmt.Appendf(described, " %s period %d after %d", before.sequence, last, len(before.y)),
		Dataset: p.shape.Schema().Dataset, Budget: r.Budget, Seed: seed, Path: r.Path, Charge: charge,
		Room: func() (int64, error) { return p.room(len(described), last), nil }, Parse: Parse, Load: Load,
		Same: func(path string, have *Totals) error { return p.same(path, have, before, last) },
		Draw: func(ctx context.Context, id string, src *dp.Stream) (*Totals, error) {
			return p.draw(ctx, r.Statistics, before, last, id, src)
		},
	}.Do(ctx)
	if err != nil {
		return nil, err
	}
	out.loaded = loaded // it is not shared yet
	return out, nil
}

// accepts refuses statistics of another shape: *mechanism.StatisticsError.
func (p *Plan) accepts(st *model.Statistics) error {
	if st == nil {
		return &mechanism.StatisticsError{Have: "nothing", Want: p.Title()}
	}
	have := st.Shape()
	if !p.target.Adjacency.PublicN() {
		have = have.WithoutN()
	}
	if !have.Equal(p.shape) {
		return &mechanism.StatisticsError{Have: have.Model().String(), Want: p.Title() + ", of the rows of the plan"}
	}
	return nil
}

// draw measures the periods after those of before, until last, with noise of their own.
func (p *Plan) draw(ctx context.Context, st *model.Statistics, before *Totals, last int, id string, src *dp.Stream) (
	*Totals, error) {
	out := &Totals{plan: p, id: id, sequence: before.sequence, seeds: before.seeds[:len(before.seeds):len(before.seeds)],
		y: before.y[:len(before.y):len(before.y)]}
	if out.sequence == "" {
		out.sequence = id
	}
	var seed *uint64
	if s, ok := src.Seed(); ok {
		seed = &s
	}
	counts := st.Open(access.Mine())[0]
	for t := len(before.y); t <= last; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		y := measured(p.c, counts, p.cells, t)
		for i := range y {
			y[i] += p.noise.Draw(src)
		}
		out.y, out.seeds = append(out.y, y), append(out.seeds, seed)
	}
	return out, nil
}

// room bounds the size of the file from public facts: a measurement and an estimate of every cell, with its labels.
func (p *Plan) room(described, last int) int64 {
	each := int64(300)
	for _, c := range p.shape.Columns() {
		longest := 0
		for _, l := range c.Labels() {
			longest = max(longest, len(l))
		}
		each += int64(6*longest + 16) // a character may be written as six
	}
	return 3*int64(described) + int64(last+1)*int64(p.cells+2)*each + 1<<16
}

// same says where kept totals are not those that would be drawn: *keep.Error.
func (p *Plan) same(path string, have, before *Totals, last int) error {
	a, errA := json.Marshal(have.plan)
	b, errB := json.Marshal(p)
	switch {
	case len(have.y) != last+1:
		return &keep.Error{Path: path, Field: "period", Have: safetext.Quote(have.Through()),
			Want: safetext.Quote(p.Periods()[last])}
	case before.sequence != "" && have.sequence != before.sequence:
		return &keep.Error{Path: path, Field: "sequence", Have: safetext.Word(have.sequence),
			Want: safetext.Word(before.sequence)}
	case have.plan.key() != p.key():
		return &keep.Error{Path: path, Field: "plan", Have: have.plan.Title() + ", " + have.plan.key(),
			Want: p.Title() + ", " + p.key()}
	case errA != nil || errB != nil || !bytes.Equal(a, b):
		return &keep.Error{Path: path, Field: "rows", Have: "those of another number, or chosen in another way",
			Want: "those of the plan"}
	}
	return nil
}

// Plan is the public plan, of the rows until the last period that was released.
func (t *Totals) Plan() *Plan { return t.plan }

// ID is the name of the last draw in ledgers.
func (t *Totals) ID() string { return t.id }

// Through is the last period that was released.
func (t *Totals) Through() string { return t.plan.Periods()[len(t.y)-1] }

// Measured is how many numbers with noise there are: one of every cell and period.
func (t *Totals) Measured() int { return len(t.y) * t.plan.cells }

// Loaded reports whether the totals came from the file they were kept in.
func (t *Totals) Loaded() bool { return t.loaded }

// Randomness is "secure" or "seeded: not private".
func (t *Totals) Randomness() string {
	for _, s := range t.seeds {
		if s != nil {
			return dp.Seeded(*s).String()
		}
	}
	return "secure"
}

// Guarantee is that of the whole sequence, or none, with the reason, if a period was drawn from a seed or under a
// schema inferred from data.
func (t *Totals) Guarantee() dp.Guarantee {
	g := t.plan.guarantee
	switch {
	case t.Randomness() != "secure":
		g.Parameters = dp.NotPrivate("seeded")
	case t.plan.shape.Schema().Inferred:
		g.Parameters = dp.NotPrivate("schema inferred from data")
	}
	return g
}

// Warnings lists what is dangerous about the level of the sequence, and about the run that made it.
func (t *Totals) Warnings() warning.List { return t.plan.Warnings().And(t.about) }

// Warned is the totals with further warnings, about how they were made. They stand in no file.
func (t *Totals) Warned(list ...warning.Warning) *Totals {
	with := *t
	with.about = append(with.about.And(nil), list...)
	return &with
}
