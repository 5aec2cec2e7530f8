package privbayes_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// A charged accuracy publishes the number of test rows, so it cannot keep a promise that hides it.
func TestPrivateAccuracyRefusesPrivateSizes(t *testing.T) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(7))
	var unsupported *mechanism.UnsupportedError
	if a, err := p.PrivateAccuracy(test, privbayes.PureDP(1).Under(dp.AddRemove)); !errors.As(err, &unsupported) {
		t.Errorf("%v, %v", a, err)
	}
}

// What the data defined stays not private, in whichever of the two frames it was.
func TestPrivateAccuracyOfInferredSchemas(t *testing.T) {
	r, public := data.Votes()
	raw := must.Get(io.ReadAll(r))(t)
	inferred := must.Get(frame.InferSchema(bytes.NewReader(raw), "votes"))(t)
	inferred.Unit = public.Unit
	for _, s := range []*privbayes.Schema{public, inferred} {
		train, test := privbayes.ReadFrame(bytes.NewReader(raw), s).Split(0.7, 1)
		a := must.Get(train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1)).PrivateAccuracy(test, privbayes.PureDP(1)))(t)
		if private := a.Guarantee.Notion != dp.None; private == s.Inferred {
			t.Errorf("inferred %v: %s", s.Inferred, a.Guarantee)
		}
	}
}
