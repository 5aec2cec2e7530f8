package advise_test

import (
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Advice finds by measurement what docs/numbers.md says: the exponential mechanism for one quantile, the joint draw for
// several where n·ε is large, the histogram where it is not.
func TestAdviceOnQuantiles(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations only")
	}
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("k", 0, 1000)}}
	em, joint, histogram := quantiles.EM().Title(), quantiles.Joint().Title(), quantiles.Histogram().Title()
	nine := model.Quantiles("k", .1, .2, .3, .4, .5, .6, .7, .8, .9)
	for _, c := range []struct {
		model model.Model
		n     int
		want  []string // of one quantile, the joint draw has the same law but for ties
	}{
		{model.Quantiles("k", .5), 300, []string{em, joint}},
		{nine, 100, []string{histogram}}, {nine, 1000, []string{joint}},
	} {
		sh, err := model.NewShape(s, c.model, c.n, true, "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := advise.For(t.Context(), sh, []dp.Request{dp.PureDP(1)}, advise.Options{Data: 40, Time: unhurried})
		if err != nil {
			t.Fatal(err)
		}
		if best, ok := a.Best(0); !ok || !slices.Contains(c.want, best.Mechanism) {
			t.Errorf("%s, n = %d: %s, want %v\n%s", c.model, c.n, best.Mechanism, c.want, a)
		}
	}
}
