package mechanism

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost is about what planning and drawing take, estimated from public inputs before anything is allocated. A step is 4 ns of one
// core; the estimates are meant to be upper ones, by a factor of about three on an ordinary machine.
type Cost struct {
	Plan  float64 // steps of one plan with its certificate
	Draw  float64 // steps of one draw with its estimate
	Bytes float64 // memory that a plan or a draw takes at once, whichever is more
}

// Costed is a mechanism that says what it takes. Package advise leaves out what a comparison cannot afford, by these numbers and not by a
// clock, so that the same question has the same answer everywhere; a mechanism that does not say is given a share of the time.
type Costed interface {
	Cost(sh *model.Shape, t dp.Target) Cost
}
