package mechanism

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost is about what planning and drawing take, estimated from public inputs before anything is allocated. A step is 4
// ns of one core; the estimates are fitted to what was measured on shapes of two to some thousand cells, and are right
// within a factor of about three where they matter, above some ten milliseconds.
type Cost struct {
	Plan  float64 // steps of one plan with its certificate
	Draw  float64 // steps of one draw with its estimate
	Bytes float64 // memory that a plan or a draw takes at once, whichever is more
}

// Costed is a mechanism that says what it takes. Package advise leaves out what a comparison cannot afford, by these
// numbers and not by a clock, so that the same question has the same answer everywhere; a mechanism that does not say
// is given a share of the time.
type Costed interface {
	Cost(sh *model.Shape, t dp.Request) Cost
}

// StructureSteps is about what a check of a shape's structure takes, how many counts a record changes: by the tables,
// up to the limit at which it is by a bound.
func StructureSteps(sh *model.Shape) float64 {
	tables := len(sh.Tables())
	if tables <= 1 {
		return 0
	}
	return math.Min(4e5*float64(tables), 2e7)
}
