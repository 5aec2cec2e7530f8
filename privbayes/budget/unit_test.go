package budget_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The units that one ledger once added up.
var units = map[string]budget.Unit{
	"a visit":              {Name: "visit"},
	"a patient":            {Name: "patient", Key: "patient_id", Rows: 4},
	"a patient, two rows":  {Name: "patient", Key: "patient_id", Rows: 2},
	"a patient, by name":   {Name: "patient", Key: "name", Rows: 4},
	"a patient, unchecked": {Name: "patient", Rows: 4},
	"a household":          {Name: "household", Key: "patient_id", Rows: 4},
	"nothing said":         {},
}

// A budget takes charges about its own unit alone: in memory, in a file, in a file opened again, and on opening it for
// another one. The error is typed, names both, and says what to do; nothing is charged.
func TestUnitsDoNotMix(t *testing.T) {
	for ours, unit := range units {
		path := filepath.Join(t.TempDir(), "l")
		memory, errM := budget.New("votes", unit, dp.PureDP(2))
		file, errF := budget.Open(path, "votes", unit, dp.PureDP(2))
		must.Do(t, errors.Join(errM, errF))
		again, err := budget.Existing(path)
		if err != nil || again.Unit() != file.Unit() || !strings.Contains(again.String(), unit.String()) {
			t.Fatal(err, again)
		}
		for theirs, other := range units {
			c := charge(theirs, dp.PureDP(.5))
			c.Unit = other
			var refused *budget.UnitError
			for where, b := range map[string]*budget.Budget{"memory": memory, "a file": file, "a file, again": again} {
				err := errors.Join(b.For("votes", other), b.Charge("votes", c))
				switch {
				case ours == theirs && err != nil:
					t.Errorf("%s in %s: %v", ours, where, err)
				case ours == theirs:
				case !errors.As(err, &refused) || refused.Have != file.Unit() || len(b.Charges()) > 1 ||
					!strings.Contains(err.Error(), unit.String()) || !strings.Contains(err.Error(), other.String()) ||
					!strings.Contains(err.Error(), "k·ε") || !strings.Contains(err.Error(), "--schema"):
					t.Errorf("%s takes %s in %s: %v", ours, theirs, where, err)
				}
			}
			var le *budget.LedgerError
			if _, err := budget.Open(path, "votes", other, dp.PureDP(2)); ours != theirs &&
				(!errors.As(err, &refused) || !errors.As(err, &le) || refused.Want.String() != other.String()) {
				t.Errorf("%s is opened for %s: %v", ours, theirs, err)
			}
		}
	}
}

// The unit of a budget is that of a schema, with the defaults of schemas.
func TestUnitOfASchema(t *testing.T) {
	for want, s := range map[budget.Unit]*frame.Schema{
		{Name: "person", Rows: 1}: {},
		{Name: "patient", Key: "patient_id", Rows: 4}: {Unit: "patient", UnitKey: "patient_id", RowsPerUnit: 4,
			PadUnits: true},
	} {
		if got := budget.UnitOf(s); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if s := (budget.Unit{Name: "patient", Key: "patient_id", Rows: 4}).String(); s !=
		`"patient" of up to 4 rows, told apart by "patient_id"` {
		t.Error(s)
	}
	for name, u := range map[string]budget.Unit{"a name": {Name: "a\nb"}, "a key": {Key: "a\u202eb"}, "rows": {Rows: -1}} {
		var p *dp.ParameterError
		if _, err := budget.New("votes", u, dp.PureDP(1)); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
