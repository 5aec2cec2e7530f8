package advise

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Advice names the mechanisms with intervals that a logistic or Poisson regression has at a notion, and none of other
// models. It names them where nothing was compared, too.
func TestReadersAreNamed(t *testing.T) {
	s := &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south"), frame.Real("hours", 0, 20, 40),
		frame.Integer("visits", 0, 20)}}
	for _, c := range []struct {
		m                 model.Model
		pure, approximate string
	}{
		{model.LogisticRegression("pass", "school"), "ContingencyTable() applies",
			"FisherScoring() and ContingencyTable() apply"},
		{model.LogisticRegression("pass", "school", "hours"), "", "FisherScoring() applies"},
		{model.Logistic("pass ~ school*hours"), "", "FisherScoring() applies"},
		{model.PoissonRegression("visits ~ school"), "", "FisherScoring() applies"},
		{model.LinearRegression("hours", "school"), "", ""},
		{model.Categorical("school"), "", ""},
	} {
		sh := must.Get(model.NewShape(s, c.m, 500, true, ""))(t)
		a := &Advice{arena: sh, shape: sh, targets: []dp.Request{dp.ApproxDP(1, 1e-5)}, rows: make([][]Row, 1)}
		if got, want := a.Reason(0), "nothing was compared. "+c.approximate; c.approximate != "" &&
			!strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", c.m, got, want)
		}
		for notion, want := range map[dp.Notion]string{dp.Pure: c.pure, dp.Approximate: c.approximate} {
			if got := a.readers(notion, ""); len(got) < len(want) || got[:len(want)] != want || want == "" && got != "" {
				t.Errorf("%s, %s: %q", c.m, notion, got)
			}
		}
	}
}
