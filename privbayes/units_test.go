package privbayes_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// A regression is shown in the units of the data wherever it is shown, with the reference level of every factor: rent
// is 400 + 7·area, 150 more in the north, and cheap is rarer the larger a flat is.
func TestRegressionsAreShownInUnitsOfTheData(t *testing.T) {
	schema := &privbayes.Schema{Dataset: "flats", Columns: []frame.Column{frame.Real("rent", 0, 2000),
		frame.Real("area", 0, 150), frame.Categorical("side", "south", "north"), frame.Categorical("cheap", "no", "yes")}}
	var csv strings.Builder
	csv.WriteString("rent,area,side,cheap\n")
	for i := range 4000 {
		area, north := float64(20+i*37%110), i%2
		rent, cheap := 400+7*area+150*float64(north), "no"
		if (i*7919%110)+20 > int(area) {
			cheap = "yes"
		}
		fmt.Fprintf(&csv, "%g,%g,%s,%s\n", rent, area, []string{"south", "north"}[north], cheap)
	}
	for _, m := range []privbayes.ModelSpec{
		privbayes.LinearRegression("rent", "area", "side").WithRadius(100).WithPrior(1e-6),
		privbayes.LogisticRegression("cheap", "area", "side"),
	} {
		r := must.Get(privbayes.ReadFrame(strings.NewReader(csv.String()), schema).Model(m).
			Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(20, 1e-6), privbayes.Seeded(1)).Release())(t)
		want := must.Get(r.Model().Coefficients())(t)
		for name, text := range map[string]string{"Summary": fmt.Sprint(r.Summary()), "the model": fmt.Sprint(r.Model()),
			"the release": fmt.Sprint(r)} {
			for _, part := range []string{strings.SplitN(want.String(), "\nIn the units", 2)[0],
				"In the units of the data", "Levels of side are compared with south", "side=north"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s of %s lacks %q:\n%s", name, m, part, text)
				}
			}
		}
		if f, err := r.Model().Figure(nil, ""); err != nil || !strings.Contains(f.Caption, "compared with south") {
			t.Error("the figure does not name the reference level:", err)
		}
	}
	r := must.Get(privbayes.ReadFrame(strings.NewReader(csv.String()), schema).
		Model(privbayes.LinearRegression("rent", "area", "side").WithRadius(100).WithPrior(1e-6)).
		Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(20, 1e-6), privbayes.Seeded(1)).Release())(t)
	if slope, err := strconv.ParseFloat(r.Summary().Rows[1][1], 64); err != nil || math.Abs(slope-7) > .3 {
		t.Errorf("dollars for a square metre: %v, want 7", r.Summary().Rows[1])
	}
}
