package audit

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Test is one event at one pair of neighbours, counted in fresh draws.
type Test struct {
	X, Y    []int
	Event   string  // in words
	Hits    [2]int  // draws in the event at X and at Y
	AtLeast float64 // the probability of the event at X
	AtMost  float64 // the probability of the event at Y
	Spent   float64 // what the claim bounds is at least this: see [Sample]
}

// Evidence is what draws say against a claim. It concerns the mechanism and the space, not anybody's data, and may be
// published.
type Evidence struct {
	Name       string
	Claim      dp.Parameters
	Space      finite.Space
	Draws      int     // of each data set, and on either side of each test
	Total      int64   // draws in all
	FalseAlarm float64 // the probability of refuting a true claim, at most
	Tests      []Test  // the worst first
}

// Refuted reports whether a test shows more than the claim allows. False means that nothing was shown: not that the
// claim holds.
func (e *Evidence) Refuted() bool {
	for _, t := range e.Tests {
		if t.Spent > bound(e.Claim)*(1+DefaultTolerance) {
			return true
		}
	}
	return false
}

// quantity names what the claim bounds.
func (e *Evidence) quantity() string {
	switch e.Claim.Notion {
	case dp.Approximate:
		return "δ at ε = " + table.Number(float64(e.Claim.Epsilon))
	case dp.Renyi:
		return "divergence of order " + table.Number(e.Claim.Order)
	case dp.Concentrated, dp.TruncatedConcentrated:
		return "ρ"
	}
	return "pure ε"
}

// Table lists the tests, a row each.
func (e *Evidence) Table() *table.Table {
	answer := "not refuted"
	if e.Refuted() {
		answer = "the claim is FALSE"
	}
	t := table.New(fmt.Sprintf("Audit of %s by draws: %s? %s", e.Name, e.Claim, answer),
		"neighbours", "event", "share at the first", "at the second", e.quantity()+" is at least", "claimed")
	for _, k := range e.Tests {
		t.Add(fmt.Sprintf("%v, %v", k.X, k.Y), k.Event, float64(k.Hits[0])/float64(e.Draws),
			float64(k.Hits[1])/float64(e.Draws), k.Spent, bound(e.Claim))
	}
	t.Note(fmt.Sprintf("%d draws: %d from each data set over %d cells, %s, to choose the events, then %d fresh ones "+
		"on either side of each", e.Total, e.Draws, e.Space.Cells, records(e.Space), e.Draws))
	t.Note(fmt.Sprintf("a claim that holds is refuted with probability at most %s, if the draws are independent",
		table.Number(e.FalseAlarm)))
	if !e.Refuted() {
		t.Note("that a claim is not refuted is no proof of it")
	}
	return t
}

// String shows the evidence as text.
func (e *Evidence) String() string { return table.Text(e) }
