package bugs

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Bug is one defect: a mechanism that spends more than it claims. The fields are what Run finds, kept for reading
// without running; a test compares them.
type Bug struct {
	ID             string
	Mechanism      string
	Symptom        string        // what the code does, and what it should do
	Claimed        dp.Parameters // natural logarithms
	Spent          dp.Parameters // in the notion of the claim, at its δ or order; ε may be +Inf
	Adjacency      dp.Adjacency
	How            string // the checker
	Counterexample string // neighbouring data sets, and the event, that show it
	Remedy         string // the right version

	check func(ctx context.Context, defect bool) (verdict, error)
}

// verdict is what a checker says about one version.
type verdict struct {
	spent          dp.Parameters
	holds          bool
	counterexample string
	evidence       []*table.Table
}

// Finding is what the checker of a bug says about both of its versions.
type Finding struct {
	Claimed        dp.Parameters
	Spent          dp.Parameters // by the defective version
	Rejected       bool          // the checker refuses the claim of the defective version
	RightSpent     dp.Parameters // by the right version
	Accepted       bool          // the checker accepts the same claim of the right version
	Counterexample string
	Evidence       []*table.Table // the checker's own tables: of the defective version, then of the right one
}

// Run recomputes everything: the defective version and the right one go through the same checker, which is told the
// same claim. Errors: *UnknownError for a Bug that is not from All, the checker's, and the context's.
func (b Bug) Run(ctx context.Context) (Finding, error) {
	if b.check == nil {
		return Finding{}, &UnknownError{b.ID}
	}
	bad, err := b.check(ctx, true)
	if err != nil {
		return Finding{}, fmt.Errorf("gallery: %s, defective version: %w", b.ID, err)
	}
	good, err := b.check(ctx, false)
	if err != nil {
		return Finding{}, fmt.Errorf("gallery: %s, right version: %w", b.ID, err)
	}
	for _, t := range bad.evidence {
		t.Title = "Defective version: " + t.Title
	}
	for _, t := range good.evidence {
		t.Title = "Right version: " + t.Title
	}
	return Finding{
		Claimed: b.Claimed, Spent: bad.spent, Rejected: !bad.holds, RightSpent: good.spent, Accepted: good.holds,
		Counterexample: bad.counterexample, Evidence: append(bad.evidence, good.evidence...),
	}, nil
}

// Table shows the finding: one row per version.
func (f Finding) Table() *table.Table {
	t := table.New("Claimed and spent", "version", "claims", "spends", "the checker says")
	t.Add("defective", f.Claimed, amount(f.Spent), word(!f.Rejected))
	t.Add("right", f.Claimed, amount(f.RightSpent), word(f.Accepted))
	if f.Counterexample != "" {
		t.Note("counterexample: " + f.Counterexample)
	}
	return t
}

func word(holds bool) string {
	if holds {
		return "holds"
	}
	return "REJECTED"
}

// UnknownError is a bug, or the name of one, that is not in the gallery.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("gallery: no bug %q; want one of All()", e.ID)
}

// All lists the bugs: wrong formulas, wrong sensitivities and scales, learners of a structure, wrong accounting, and
// wrong use of randomness and of the ledger.
func All() []Bug {
	return []Bug{
		withoutExp(), bitsAndNats(), permuteAndFlip(), dirichletShape(), classCounts(), classSum(), shrunkNoise(),
		conditionalFloor(),
		normalisedScore(), oneDirection(), zeroSensitivity(), freeEdges(), keptRefusal(), untilPositive(),
		oneSeed(), spentTwice(), redrawn(),
	}
}

// Find is the bug with this ID: *UnknownError if there is none.
func Find(id string) (Bug, error) {
	for _, b := range All() {
		if b.ID == id {
			return b, nil
		}
	}
	return Bug{}, &UnknownError{id}
}
