package catalog

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// For is the mechanism that releases a shape's model when m is asked for: of a structure to learn the learner with the
// noise of m, otherwise m itself. Error: *mechanism.UnsupportedError.
func For(sh *model.Shape, m mechanism.Mechanism) (mechanism.Mechanism, error) {
	switch l := sh.Learning(); {
	case l == nil:
		return m, nil
	case l.Algorithm == model.Greedy:
		return privbayes2017.With(m)
	}
	return structure.With(m)
}
