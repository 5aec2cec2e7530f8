package mechanism

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// NeedPublicN refuses what a mechanism whose law is shaped by n cannot account for: an adjacency other than replace-one
// and units of several rows (*UnsupportedError), a private number of records (*sensitivity.AdjacencyError), and no
// records at all (*ParamsError). It returns n.
func NeedPublicN(title string, s *model.Shape, t dp.Target) (n int, err error) {
	n, public := s.N()
	_, rows := s.Unit()
	switch {
	case t.Adjacency != dp.ReplaceOne:
		return 0, &UnsupportedError{title, t.Adjacency.String() + " adjacency: n shapes the law that is drawn and " +
			"must be public", "replace-one, or Geometric()"}
	case !public:
		return 0, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: s.Model().String(), Step: s.PrivateNStep(),
			Want: "a public number of records, which shapes the law that is drawn; or Geometric() under add-remove"}
	case rows > 1:
		return 0, &UnsupportedError{title, fmt.Sprintf("units of %d rows", rows), "one row a unit, or counts with " +
			"noise, such as Geometric()"}
	case n < 1:
		return 0, domain.Refuse("mechanism", "n", n, "at least one record")
	}
	return n, nil
}
