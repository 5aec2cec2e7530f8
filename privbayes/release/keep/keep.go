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
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
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

// ChargeOf is the charge for what is released of some shapes of one table under a guarantee, without its name: with
// the part of the data that a step named, the design by which its schema says that rows were drawn, and under
// replace-value with the columns that are protected, within strata with these. Errors: *dp.ParameterError for columns
// that cannot be told from those of other releases.
func ChargeOf(what string, g dp.Guarantee, mode budget.ChargeMode, shapes ...*model.Shape) (budget.Charge, error) {
	c := budget.Charge{What: safetext.Clip(what, 4000), Level: g.Parameters, Adjacency: g.Adjacency,
		Unit: budget.UnitOf(shapes[0].Schema()), State: mode, Part: partOf(shapes[0].Rows()),
		Design: designOf(shapes[0], g.Adjacency)}
	if g.Adjacency == dp.WithinStrata {
		c.Strata = shapes[0].Schema().StrataName()
	}
	if g.Adjacency != dp.ReplaceValue {
		return c, nil
	}
	var err error
	c.Columns, err = columnsOf(shapes)
	return c, err
}

// columnsOf are the columns that the shapes protect under replace-value, and those that they do not.
func columnsOf(shapes []*model.Shape) (*budget.Columns, error) {
	c := &budget.Columns{}
	for _, sh := range shapes {
		if step := sh.Schema().StepOf(frame.StepRename, frame.StepDerive, frame.StepGroupBy, frame.StepLookup); step != "" {
			return nil, domain.Refuse("budget", "columns", "those after "+step, "the columns of the table that was read: under "+
				"replace-value a budget tells columns apart by their names")
		}
		class := sh.Unprotected()
		for _, col := range sh.Columns() {
			to := &c.Protected
			if col.Name == class {
				to = &c.Class
			}
			if !slices.Contains(*to, col.Name) {
				*to = append(*to, col.Name)
			}
		}
	}
	slices.Sort(c.Class)
	slices.Sort(c.Protected)
	return c, nil
}

// designOf is how the rows were drawn, where they are those of the sample that the schema describes: none appended, and
// where their number is public all of them, and so many.
func designOf(sh *model.Shape, adj dp.Adjacency) string {
	for _, step := range sh.Rows() {
		if adj != dp.AddRemove || !step.Known() || strings.HasPrefix(step.Name, "Append") {
			return ""
		}
	}
	rows, public := sh.N()
	if !public || adj == dp.AddRemove {
		rows = 0
	}
	return sh.Schema().DesignName(rows)
}

// partOf is the part that the steps put all rows in, where exactly one of them did.
func partOf(steps []frame.RowStep) (part *budget.Part) {
	for _, s := range steps {
		rule, name, ok := s.InPart()
		if !ok {
			continue
		}
		if part != nil {
			return nil
		}
		part = &budget.Part{Rule: rule, Name: name}
	}
	return part
}
