package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// verifyRows checks what a file says about how its rows were chosen, as far as that follows from the file: the forms of
// the steps, and what they say about n and about the rows of a unit. note says what was checked and what cannot be,
// and is empty for a release of all rows that were read; a step that contradicts the rest is a failed result.
func verifyRows(sh *model.Shape) (note string, failed []cert.Result) {
	steps := sh.Rows()
	if len(steps) == 0 {
		return "", nil
	}
	unseen := "That these rows were taken, and that they did not depend on more than this, the file cannot show."
	if slices.ContainsFunc(steps, func(s frame.RowStep) bool { return !s.Known() }) {
		return "Rows: " + sh.RowsText() + ". A step is in no form that this version knows: nothing about it was checked. " +
			unseen, nil
	}
	n, public := sh.N()
	_, unit := sh.Unit()
	refuse := func(i int, why string) {
		failed = append(failed, cert.Result{Check: cert.Check{Statement: fmt.Sprintf("step %d of the rows: %s", i+1,
			steps[i].Shown())}, Derived: math.NaN(), Status: cert.Failed, Reason: why})
	}
	declared := ""
	for i, s := range steps {
		if most, ok := s.Most(); ok && public && n > most {
			refuse(i, fmt.Sprintf("it leaves at most %d rows, and n = %d", most, n))
		}
		if s.HidesN() && public {
			declared = "n is public though a step chose rows by their values: somebody declared the rows public. "
		}
	}
	if least := frame.UnitRows(steps); unit < least {
		refuse(0, fmt.Sprintf("a unit may have %d rows after it, and the schema says %d", least, unit))
	}
	return "Rows: " + sh.RowsText() + ". Checked: the steps have known forms and agree with n and with the rows of a " +
		"unit. " + declared + unseen, failed
}
