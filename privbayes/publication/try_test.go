package publication

import (
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func TestTry(t *testing.T) {
	regions := []string{}
	for i := range 10 {
		regions = append(regions, fmt.Sprint("r", i))
	}
	cols := []frame.Column{frame.Categorical("sex", "m", "f"), frame.Categorical("region", regions...), frame.Real("income", 0, 100), frame.Categorical("vote", "a", "b")}
	var feats []string
	for i := range 8 {
		feats = append(feats, fmt.Sprint("f", i))
		cols = append(cols, frame.Categorical(feats[i], "x", "y", "z"))
	}
	s := &frame.Schema{Dataset: "survey", Columns: cols}
	items := []Item{Of(model.Categorical("sex")).Within(.01), Of(model.Categorical("region")).Within(.01), Of(model.ContingencyTable("sex", "region")).Within(.01),
		Of(model.Mean("income")).WithinOfRange(.01), Of(model.GroupMeans("income", "region")).WithinOfRange(.02), Of(model.Quantiles("income", .5)).Within(.01),
		Of(model.NaiveBayes("vote", feats...)).Within(.015)}
	for _, target := range []dp.Request{dp.PureDP(1), dp.ZCDP(.02), dp.ApproxDP(1, 1e-6), dp.PureDP(1).Under(dp.AddRemove)} {
		t0 := time.Now()
		p, err := New(t.Context(), "survey 2026", target, items, func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, 5000, true, "") })
		if err != nil {
			t.Error(err)
			continue
		}
		fmt.Println(target, time.Since(t0), p.guarantee)
		for _, l := range p.lines {
			fmt.Printf("%-40s %8.4g %8.4g %8.4g %s part %.3f %s\n", l.Name, l.Within.Value, l.Predicted.Rows, l.Predicted.Population, l.Predicted.Unit, l.Part, l.Plan.Title())
		}
	}
}
