package privbayes

import (
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Warnings lists what is dangerous about the release (see release.Release.Warnings) and about how it was made: not kept in a notebook, not
// counted by a budget. It is empty after an error. Nothing in it depends on private rows; String and HTML show it.
func (p *Privatized) Warnings() warning.List {
	if p.Err() != nil {
		return nil
	}
	return p.release.Warnings().And(p.warnings)
}

// Warnings lists what is dangerous about the accuracy: about its level for that many test rows, test rows that the release was made from, and
// a number of test rows that tells how many rows there are in all where the release hides that.
func (a *Accuracy) Warnings() warning.List { return a.warnings }

// accuracyWarnings are those of an accuracy of p on test rows.
func (p *Privatized) accuracyWarnings(plan *mechanism.Plan, test *Frame) warning.List {
	adj := p.plan.Certified().Adjacency
	out := plan.Certified().Warnings(mechanism.Size(plan.Shape())).And(eval.TrainingRows(p.stats, test.f, adj))
	if n, public := test.f.PublicN(); public && !adj.PublicN() && p.stats.Selection().SameSource(test.f.Selection()) {
		out = append(out, warning.PrivateN(n, "beside a release under "+adj.String()+", of the same source, this shows"))
	}
	return out
}
