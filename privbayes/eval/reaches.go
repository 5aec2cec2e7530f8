package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// Reaches is the least ε tried from which on a run's score stays within a distance of the score without privacy, at
// this ε and at every larger one: what the figure shows, in one number. ok is false where the run never comes so near.
// The number was made from the private table: do not publish. Errors: *dp.ParameterError for a distance that is
// negative or no number, and for a run that is not in the comparison.
func (d *Diagnostic) Reaches(run string, distance float64) (epsilon float64, ok bool, err error) {
	if !(distance >= 0) {
		return 0, false, domain.Refuse("eval", "distance", distance, "a number ≥ 0")
	}
	var own []Outcome
	for _, o := range d.Outcomes {
		if o.Run == run {
			own = append(own, o)
		}
	}
	if len(own) == 0 {
		return 0, false, domain.Refuse("eval", "run", run, "one of "+suggest.List(d.runs, 10))
	}
	slices.SortFunc(own, func(a, b Outcome) int { return cmp.Compare(b.Epsilon, a.Epsilon) })
	for _, o := range own {
		if gap := math.Abs(o.Score.Mean - d.NonPrivate.Mean); !(gap <= distance) {
			break
		}
		epsilon, ok = o.Epsilon, true
	}
	return epsilon, ok, nil
}
