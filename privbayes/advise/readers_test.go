package advise

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Advice names the mechanisms with intervals that a logistic regression has at a notion, and none of other models.
func TestReadersAreNamed(t *testing.T) {
	s := &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south"), frame.Real("hours", 0, 20, 40)}}
	for _, c := range []struct {
		m                 model.Model
		pure, approximate string
	}{
		{model.LogisticRegression("pass", "school"), "ContingencyTable() applies",
			"FisherScoring() and ContingencyTable() apply"},
		{model.LogisticRegression("pass", "school", "hours"), "", "FisherScoring() applies"},
		{model.PoissonRegression("hours ~ school"), "", "FisherScoring() applies"},
		{model.LinearRegression("hours", "school"), "", ""},
		{model.Categorical("school"), "", ""},
	} {
		a := &Advice{arena: must.Get(model.NewShape(s, c.m, 500, true, ""))(t)}
		for notion, want := range map[dp.Notion]string{dp.Pure: c.pure, dp.Approximate: c.approximate} {
			if got := a.readers(notion); len(got) < len(want) || got[:len(want)] != want || want == "" && got != "" {
				t.Errorf("%s, %s: %q", c.m, notion, got)
			}
		}
	}
	sh := must.Get(model.NewShape(s, model.PoissonRegression("hours ~ school"), 5000, true, ""))(t)
	a, err := For(t.Context(), sh, []dp.Request{dp.ApproxDP(1, 1e-6)}, Options{})
	if err != nil || !strings.Contains(a.Reason(0), "nothing is compared. FisherScoring() applies and has intervals") {
		t.Error(err, a)
	}
}
