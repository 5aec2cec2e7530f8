package mechanism

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// NeedPublicN refuses what a mechanism whose law is shaped by n cannot account for: an adjacency other than replace-one
// and units of several rows (*UnsupportedError), a private number of records (*sensitivity.AdjacencyError), and no
// records at all (*dp.ParameterError). It returns n.
func NeedPublicN(s *model.Shape, t dp.Request) (n int, err error) {
	n, public := s.N()
	_, rows := s.Unit()
	switch {
	case t.Adjacency != dp.ReplaceOne:
		return 0, Unsupported(t.Adjacency.String()+" adjacency: n shapes the law that is drawn and "+
			"must be public", "replace-one, or Geometric()")
	case !public:
		return 0, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: s.Model().String(), Step: s.PrivateNStep(),
			Want: "a public number of records, which shapes the law that is drawn; or Geometric() under add-remove"}
	case rows > 1:
		return 0, Unsupported(fmt.Sprintf("units of %d rows", rows), "one row a unit, or counts with "+
			"noise, such as Geometric()")
	case n < 1:
		return 0, domain.Refuse("mechanism", "n", n, "at least one record")
	}
	return n, nil
}

// RowsError says that rows were chosen in a way that an adjacency does not go with.
type RowsError struct {
	Rows      string // the public steps, or the part of the schema that chose them
	Adjacency dp.Adjacency
	Why, Want string
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("mechanism: %s under %s adjacency: %s; want %s", e.Rows, e.Adjacency, e.Why, e.Want)
}

// rowsAllow refuses an adjacency under which one unit would decide which rows of others were chosen, or a value which
// other values of its unit count: *RowsError. It reads public facts only.
func rowsAllow(sh *model.Shape, adj dp.Adjacency) error {
	if !adj.PublicN() && frame.UsesN(sh.Rows()) {
		return &RowsError{sh.RowsText(), adj, "rows were chosen by how many there are, which is hidden, and one unit more " +
			"or less would change which others were chosen", "WithoutN() before the first of these steps, after which Split " +
			"sends every unit by its own hash; or replace-one"}
	}
	if capped, _ := sh.Schema().CapsRows(); capped && adj == dp.ReplaceValue {
		return &RowsError{`"unit_key" of the schema`, adj, "which rows of a unit are kept follows from their values, so one " +
			"value changed may bring in other rows", "replace-one or add-remove"}
	}
	return nil
}
