package budget

import (
	"cmp"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Unit is whom a budget protects: the rows that change together between two neighbouring data sets. Guarantees about
// different units do not add up. Values are comparable; the zero value is one "person" of one row, as in a schema that
// says nothing.
type Unit struct {
	Name string `json:"name"`          // what one unit is: "patient"
	Key  string `json:"key,omitempty"` // the column that says whose row a row is; none where nothing enforces Rows
	Rows int    `json:"rows"`          // the most rows of one unit
}

// UnitOf is the unit of a schema.
func UnitOf(s *frame.Schema) Unit {
	return Unit{Name: s.Unit, Key: s.UnitKey, Rows: s.RowsPerUnit}.filled()
}

// filled is the unit with its defaults written out.
func (u Unit) filled() Unit {
	u.Name, u.Rows = cmp.Or(u.Name, "person"), cmp.Or(u.Rows, 1)
	return u
}

// valid returns a *ParameterError for a name or a key that cannot be shown, and for rows that are no number ≥ 1.
func (u Unit) valid() error {
	if err := validText("unit", u.Name, safetext.CheckTitle); err != nil {
		return err
	}
	if u.Rows < 1 {
		return &dp.ParameterError{Of: "budget", Parameter: "rows of a unit", Value: u.Rows, Want: "a number ≥ 1"}
	}
	if u.Key == "" {
		return nil
	}
	return validText("key of a unit", u.Key, safetext.Check)
}

// String shows the unit, such as
//
//	"patient" of up to 4 rows, told apart by "patient_id"
//
// Names stand in quotes that nothing in them can close.
func (u Unit) String() string {
	u = u.filled()
	s := safetext.Quote(u.Name)
	if u.Rows > 1 {
		s += fmt.Sprintf(" of up to %d rows", u.Rows)
	}
	if u.Key != "" {
		s += ", told apart by " + safetext.Quote(u.Key)
	}
	return s
}

// UnitError refuses a guarantee about another unit than the budget's. Nothing was charged. A budget converts nothing
// between units, as what holds for one unit need not hold for another: of ε about one row follows k·ε about a unit of
// at most k rows, and no bound at all where the number of rows is not limited.
type UnitError struct {
	Dataset    string
	Have, Want Unit // the budget's, and the one asked for
}

func (e *UnitError) Error() string {
	return fmt.Sprintf("the budget of %s is about the unit %s; asked for is the unit %s. Guarantees about "+
		"different units do not add up: ε for one row is k·ε for a unit of at most k rows. For that unit, open another "+
		"ledger with the schema that names it: OpenBudget(file, schema, limit), or \"privbayes budget FILE --schema "+
		"SCHEMA --epsilon E\"; nothing was charged", safetext.Quote(e.Dataset), e.Have, e.Want)
}
