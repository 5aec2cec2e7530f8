// Package keep makes a release once. It charges the budget, generates the noise, and saves the release in a file from
// which later runs load it.
//
// Before the charge, a draft next to the file, path + ".draft", reserves the release's name and disk space. A missing
// folder, a folder that cannot be written and a full disk are a *release.FileError, and nothing is charged. Whatever
// fails afterwards, the next try finds the draft and costs nothing more. It uses a complete draft. Otherwise nobody can
// have seen a noisy number, and it generates the noise again under the same charge. A release that could not be written
// is an [UnwrittenError], from which it can be taken. A draft of another plan is a [DraftError].
//
// This supposes that the reason of a failure did not depend on the noisy numbers. A deadline so short that slow
// sampling misses it is a side channel in time. A copy of a draft made before the noise was generated gives a second
// release under its charge: do not copy drafts. Details: internal/journal.
package keep

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Request is a release to be drawn or kept.
type Request struct {
	Plan       *mechanism.Plan
	Statistics *model.Statistics
	Budget     *budget.Budget // charged before the draw; may be nil
	Seed       *uint64        // nil: secure randomness
	Path       string         // file that keeps the release; empty: it is not kept
	Slot       *dp.Slot       // that pays for it, of a publication that Budget was charged for; may be nil
}

// Draw draws the release, or loads it from the file that keeps it; then loaded is true. On an error before the charge
// nothing is drawn or charged; on one after it the charge stays, and with a path the next try costs nothing more.
// Errors: *Error for a file that keeps another release, *UnwrittenError for a draw that could not be written,
// *DraftError for a draft of another plan, *release.FileError, *dp.SlotError, and those of budgets and draws.
func (r Request) Draw(ctx context.Context) (out *release.Release, loaded bool, err error) {
	if r.Plan == nil {
		return nil, false, &mechanism.StatisticsError{Have: "no plan", Want: "a plan and statistics of its shape"}
	}
	if err := cmp.Or(r.Plan.Accepts(r.Statistics), r.Plan.Fits(ctx)); err != nil {
		return nil, false, err
	}
	public, err := json.Marshal(r.Plan)
	if err != nil {
		return nil, false, err
	}
	g, mode := r.Plan.Certified(), budget.Adaptive
	if _, list := r.Plan.Pair().(loss.Declared); list {
		mode = budget.ListDeclared
	}
	if r.Slot != nil {
		if r.Slot.Joint {
			return nil, false, &dp.SlotError{Slot: *r.Slot, Field: "use", Have: "a release of its own",
				Want: "the next period of the running totals that set it aside"}
		}
		if r.Budget == nil {
			return nil, false, &dp.SlotError{Slot: *r.Slot, Field: "budget", Have: "none",
				Want: "the one that was charged for the publication: it knows whether the slot was used"}
		}
		public = fmt.Appendf(public, " %s", r.Slot)
	}
	sh := r.Plan.Shape()
	charge, err := ChargeOf(r.Plan.Title()+", "+sh.Model().String(), g, mode, sh)
	if err != nil && r.Budget != nil {
		return nil, false, err
	}
	charge.Slot = r.Slot
	return Work[*release.Release]{
		Public: public, Budget: r.Budget, Dataset: sh.Schema().Dataset, Seed: r.Seed, Path: r.Path, Charge: charge,
		Room:  func() (int64, error) { return Room(r.Plan) },
		Draw:  r.draw,
		Parse: release.Parse, Load: release.Load,
		Same: func(path string, have *release.Release) error {
			return cmp.Or(SamePlan(path, have.Plan(), r.Plan), sameSlot(path, have.Slot(), r.Slot))
		},
	}.Do(ctx)
}

// draw draws what is paid for.
func (r Request) draw(ctx context.Context, id string, stream *dp.Stream) (*release.Release, error) {
	drawn, err := r.Plan.Draw(ctx, r.Statistics, id, stream)
	if err != nil {
		return nil, err
	}
	if r.Slot != nil {
		s := *r.Slot // the caller may change its variable
		drawn.Slot = &s
	}
	return release.New(context.WithoutCancel(ctx), r.Plan, drawn) // what is charged is estimated to the end
}
