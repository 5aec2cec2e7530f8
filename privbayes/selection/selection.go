// Package selection draws candidates of a release until one meets stated criteria, and releases that one.
//
// A candidate is a release of its own, with synthetic rows and a noisy test of how well they meet the [Criteria]. A
// number G of candidates is drawn at random ([Stop]), and the first accepted one of the first G is released, or none.
// G, the number of tries and the candidates that were refused are never released: they would cost many times more
// (theory/selection.md §2). Exactly N candidates are drawn whatever G is, so that the running time does not tell.
//
// Under pure ε the whole has at most twice the ε of a candidate with its test. Of Gaussian noise it costs less:
// [New] computes it for (ε, δ) from the candidate's dominating pair. Candidates are independent draws of one plan: in
// the order of a list of plans the accepted one would tell the try.
package selection

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Selection is what a plan drew: an accepted release with its synthetic rows, or none. It is immutable.
type Selection struct {
	plan      *Plan
	id        string
	drawnFrom *uint64          // the seed of a seeded selection; nil: secure
	accepted  *release.Release // nil: none
	seed      uint64           // of the synthetic rows
	slacks    []int64          // noisy, of the accepted one; nil without a report
	about     warning.List
	loaded    bool
}

// NoneAcceptedError says that no candidate was accepted. It was paid for, and its file is kept.
type NoneAcceptedError struct{ Plan *Plan }

func (e *NoneAcceptedError) Error() string {
	return fmt.Sprintf("selection: no candidate was accepted (%s); the draw is charged: want weaker criteria, or a "+
		"larger level for a selection of its own", e.Plan.rules.Stop)
}

// Request is a draw of a selection.
type Request struct {
	Statistics *model.Statistics
	Rows       *frame.Frame   // the same rows, for the criteria
	Budget     *budget.Budget // charged once, before the first candidate; may be nil
	Seed       *uint64        // nil: secure randomness
	Path       string         // file that keeps the selection; empty: it is not kept
}

// Draw charges the guarantee of the whole, draws every candidate, and keeps the first accepted one, if any. A run that
// ends on the way stays charged, and is not taken up again: that it ended is an event of all candidates. Errors: those
// of [keep.Request.Draw]; not that none was accepted: see [Selection.Release].
//
// The draws tell no progress, not even to a callback of the context ([cert.WithProgress]): where a candidate fails on
// its own noise, how fast they go tells of those that were refused.
func (p *Plan) Draw(ctx context.Context, r Request) (*Selection, error) {
	ctx = cert.WithProgress(ctx, nil)
	if err := cmp.Or(p.candidate.Accepts(r.Statistics), p.candidate.Fits(ctx)); err != nil {
		return nil, err
	}
	s := p.candidate.Shape().Schema()
	private, err := p.rules.Criteria.read(r.Rows, s)
	if err != nil {
		return nil, err
	}
	if n, _ := p.candidate.Shape().N(); private.rows != n {
		return nil, domain.Refuse("selection", "rows", private.rows, fmt.Sprintf("the %d of the plan", n))
	}
	public, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	charge, err := keep.ChargeOf(fmt.Sprintf("selection among %d candidates of %s", p.rules.Stop.Most,
		p.candidate.Title()), p.guarantee, budget.ListDeclared, p.candidate.Shape())
	if err != nil {
		return nil, err
	}
	out, loaded, err := keep.Work[*Selection]{
		Public: public, Dataset: s.Dataset, Budget: r.Budget, Seed: r.Seed, Path: r.Path,
		Charge: charge, Once: true, Room: p.room, Parse: Parse, Load: Load, Same: p.same,
		Draw: func(ctx context.Context, id string, src *dp.Stream) (*Selection, error) {
			return p.draw(ctx, r, private, id, src)
		},
	}.Do(ctx)
	if err != nil {
		return nil, err
	}
	out.loaded = loaded // it is not shared yet
	return out, nil
}

// draw draws all candidates. One that fails on its own noise is refused, in its place.
func (p *Plan) draw(ctx context.Context, r Request, private *reading, id string, src *dp.Stream) (*Selection, error) {
	out := &Selection{plan: p, id: id, drawnFrom: r.Seed}
	var slacks []int64
	var best int64
	until := p.rules.Stop.draw(src)
	for k := range p.rules.Stop.Most {
		one, seed, own, err := p.try(ctx, r.Statistics, private, id, src)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			noisy := least(own) + p.noise.Draw(src)
			better := out.accepted == nil || p.rules.Stop.Best && noisy > best
			if k < until && noisy >= p.limit && better {
				out.accepted, out.seed, slacks, best = one, seed, own, noisy
			}
		}
	}
	if out.accepted != nil && p.report != nil {
		for _, g := range slacks {
			out.slacks = append(out.slacks, g+p.report.Draw(src))
		}
	}
	return out, nil
}

func least(slacks []int64) int64 {
	out := slacks[0]
	for _, g := range slacks {
		out = min(out, g)
	}
	return out
}

// try draws one candidate with its synthetic rows, and measures them. The identifier of every candidate is the same, so
// that it does not tell the try.
func (p *Plan) try(ctx context.Context, st *model.Statistics, private *reading, id string, src *dp.Stream) (
	*release.Release, uint64, []int64, error) {
	seed := src.Uint64()
	d, err := p.candidate.Draw(ctx, st, candidateID(id), src)
	if err != nil {
		return nil, 0, nil, err
	}
	one, err := release.New(ctx, p.candidate, d)
	if err != nil {
		return nil, 0, nil, err
	}
	rows, err := one.Synthesize(private.rows, dp.Seeded(seed))
	if err != nil {
		return nil, 0, nil, err
	}
	s := p.candidate.Shape().Schema()
	own, err := p.rules.Criteria.read(rows, s)
	if err != nil {
		return nil, 0, nil, err
	}
	return one, seed, p.rules.Criteria.slacks(s, private, own), nil
}

// candidateID is the identifier of what is accepted: a function of the selection's.
func candidateID(id string) string {
	h := sha256.Sum256([]byte(id + " candidate"))
	return hex.EncodeToString(h[:16])
}

// room bounds the size of the file from public facts.
func (p *Plan) room() (int64, error) {
	described, err := json.Marshal(p)
	of, e := keep.Room(p.candidate)
	return 2*of + 2*int64(len(described)) + 1<<16, cmp.Or(err, e)
}

// same says where a kept selection is not of the plan: *keep.Error.
func (p *Plan) same(path string, have *Selection) error {
	a, _ := json.Marshal(have.plan.rules)
	b, _ := json.Marshal(p.rules)
	if string(a) != string(b) {
		return &keep.Error{Path: path, Field: "rules", Have: string(a), Want: string(b)}
	}
	return keep.SamePlan(path, have.plan.candidate, p.candidate)
}

// Plan is the public plan.
func (s *Selection) Plan() *Plan { return s.plan }

// ID is the selection's name in ledgers.
func (s *Selection) ID() string { return s.id }

// Loaded reports whether the selection came from the file it was kept in.
func (s *Selection) Loaded() bool { return s.loaded }

// Randomness is "secure" or "seeded: not private".
func (s *Selection) Randomness() string {
	if s.drawnFrom != nil {
		return dp.Seeded(*s.drawnFrom).String()
	}
	return "secure"
}

// Guarantee is that of the whole, or none, with the reason, if it was drawn from a seed or under a schema inferred from
// data.
func (s *Selection) Guarantee() dp.Guarantee {
	g := s.plan.guarantee
	switch {
	case s.drawnFrom != nil:
		g.Parameters = dp.NotPrivate("seeded")
	case s.plan.candidate.Shape().Schema().Inferred:
		g.Parameters = dp.NotPrivate("schema inferred from data")
	}
	return g
}

// Release is the accepted release. It states the guarantee of the selection, as it was chosen by the rows, and has no
// file of its own. Error: *NoneAcceptedError.
func (s *Selection) Release() (*release.Release, error) {
	if s.accepted == nil {
		return nil, &NoneAcceptedError{s.plan}
	}
	return s.accepted.Chosen(s.plan.guarantee), nil
}

// Synthetic are the synthetic rows that were accepted, as many as there are rows. Error: *NoneAcceptedError.
func (s *Selection) Synthetic() (*frame.Frame, error) {
	r, err := s.Release()
	if err != nil {
		return nil, err
	}
	n, _ := s.plan.candidate.Shape().N()
	return r.Synthesize(n, dp.Seeded(s.seed))
}

// Warnings lists what is dangerous about the level of the whole and about the accepted release.
func (s *Selection) Warnings() warning.List {
	out := s.plan.Warnings()
	if s.accepted != nil {
		out = out.And(s.accepted.Warnings().ButLevel())
	}
	return out.And(s.about)
}

// Warned is the selection with further warnings, about how it was made. They stand in no file.
func (s *Selection) Warned(list ...warning.Warning) *Selection {
	with := *s
	with.about = append(with.about.And(nil), list...)
	return &with
}
