package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
		return 0, false, domain.Refuse("eval", "run", run, "one of "+safetext.List(d.runs, 10))
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

// Headlines are two lines for a terminal that say what the figure shows of a run: the least ε from which on its score
// stays within a distance of the score without privacy, and the scores there, or at the largest ε where there is none.
// They were made from the private table: do not publish. Errors are those of Reaches.
func (d *Diagnostic) Headlines(run string, distance float64) (string, error) {
	epsilon, ok, err := d.Reaches(run, distance)
	if err != nil {
		return "", err
	}
	reached, where := "none tried", "at the largest"
	if ok {
		reached, where = table.Number(epsilon), "there"
	}
	var at Outcome
	for _, o := range d.Outcomes {
		if o.Run == run && (o.Epsilon == epsilon || !ok && o.Epsilon > at.Epsilon) {
			at = o
		}
	}
	score := d.words.Measures[0]
	return fmt.Sprintf("headline: ε from which the %s stays within %s of the line without privacy = %s\n"+
		"headline: %s %s, mean of %d releases, where the line without privacy is at %s = %s\n",
		score, table.Number(distance), reached, score, where, d.Draws/len(d.Outcomes), table.Number(d.NonPrivate.Mean),
		table.Number(at.Score.Mean)), nil
}
