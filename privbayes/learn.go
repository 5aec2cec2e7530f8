package privbayes

import "github.com/privbayes/privbayes-go/privbayes/model"

// Learn starts a release of a table whose graph is not known: which columns depend on one another is learned, as a part
// of the release and at its expense. Without an argument it learns as [MaxEntropy] does, over all columns of the
// schema. Privatize and Plan take the noise, [Geometric] or [DiscreteGaussian]:
//
//	r, err := frame.Learn(privbayes.Tree()).Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Release()
//	r.Structure()       // what was learned: an output
//	r.Model().Network() // as for a given network
//
// The plan says before any draw whether learning pays, in its setting "decision".
func (f *Frame) Learn(spec ...model.LearnedModel) *Model {
	if len(spec) == 0 {
		return f.Model(MaxEntropy())
	}
	return f.Model(spec[0])
}
