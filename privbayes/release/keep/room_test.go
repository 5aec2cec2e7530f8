package keep_test

import (
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

// The room that is made before the charge holds the file, for every mechanism.
func TestRoomHoldsEveryRelease(t *testing.T) {
	train, _ := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	network := privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("V3", "Class"),
		privbayes.Node("V4", "Class", "V3"))
	approximate := privbayes.ApproxDP(2, 1e-6)
	for _, c := range []struct {
		model  privbayes.ModelSpec
		mech   privbayes.Mechanism
		target privbayes.Target
	}{
		{privbayes.NaiveBayes("Class"), privbayes.Geometric(), approximate},
		{network, privbayes.Fourier(), approximate},
		{network, privbayes.KNorm(), approximate}, {network, privbayes.Laplace(), privbayes.PureDP(.01)},
		{network, privbayes.Geometric(), privbayes.PureDP(1e-7)},
		{privbayes.Binary("Class"), privbayes.Geometric(), approximate},
		{privbayes.NaiveBayes("Class"), privbayes.Dirichlet(), approximate},
		{privbayes.NaiveBayes("Class"), privbayes.Dirichlet().BySize(), approximate},
		{privbayes.NaiveBayes("Class", "V3", "V4"), privbayes.SyntheticRecords(300), approximate},
		{privbayes.Binary("Class"), privbayes.MAP(), privbayes.PureDP(2)},
		{privbayes.NaiveBayes("Class", "V3"), privbayes.PosteriorSample(400), privbayes.PureDP(2)},
		{privbayes.Binary("Class"), privbayes.Hellinger(), approximate},
	} {
		r, err := train.Model(c.model).Privatize(c.mech, c.target, privbayes.Seeded(1)).Release()
		if err != nil {
			t.Errorf("%T: %v", c.mech, err)
			continue
		}
		b := must.Get(r.JSON())(t)
		size, err := keep.Room(r.Plan())
		if err != nil || size < int64(len(b)) || size > 1<<18+8*int64(len(b)) {
			t.Errorf("%s on %s: room for %d bytes, %v; the file has %d", r.Plan().Title(), c.model, size, err, len(b))
		}
	}
}
