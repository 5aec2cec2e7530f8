package privbayes_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	csvsource "github.com/privbayes/privbayes-go/privbayes/source"
)

// Rows without a value are left out of a source as they are of a frame: the releases of one seed are the same.
func TestSourcesOmitMissingNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	f := paid(t, path, frame.MissingOmitted, 1, 40, map[int]bool{0: true, 7: true, 39: true})
	csv := must.Get(csvsource.Files(f.Data().Schema(), path))(t)
	for _, c := range []struct {
		model     privbayes.ModelSpec
		mechanism privbayes.Mechanism
	}{
		{privbayes.Mean("wage"), privbayes.NoisySums()},
		{privbayes.GroupMeans("wage", "group"), privbayes.NoisySums()},
		{privbayes.Quantiles("wage", .5), privbayes.QuantileEM()},
		{privbayes.Quantiles("wage", .4, .7).WithResolution(8), privbayes.JointQuantiles()},
		{privbayes.Quantiles("wage", .5), privbayes.HistogramQuantiles()},
	} {
		var raw [][][]int64
		for _, rows := range []*privbayes.Frame{f, privbayes.From(t.Context(), csv)} {
			r, err := rows.Model(c.model).Privatize(c.mechanism, privbayes.PureDP(1), privbayes.Seeded(3)).Release()
			if err != nil {
				t.Fatalf("%v: %v", c.model, err)
			}
			raw = append(raw, r.Raw())
		}
		if !reflect.DeepEqual(raw[0], raw[1]) {
			t.Errorf("%v by %v: %v of a frame, %v of a source", c.model, c.mechanism, raw[0], raw[1])
		}
	}
}
