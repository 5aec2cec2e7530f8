//go:build !browser && !verifier

package weighted

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Calibrated shares and means are the goldens of package survey, from the numbers of a release: every box is where the
// lattice says. Cases with thin cells are refused, and say which.
func TestCalibratedGoldens(t *testing.T) {
	var list []struct {
		Name, Of    string
		Boxes       [][]float64
		Sizes       []float64
		Alpha, Rate float64
		Want        [2]float64
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("../../../internal/survey/testdata/intervals.json"))(t), &list))
	found, refused := 0, 0
	for _, c := range list {
		if !strings.HasPrefix(c.Of, "calibrated") {
			continue
		}
		regions, sizes := []string{"a", "b", "c", "d"}[:len(c.Sizes)], map[string]int64{}
		for g, share := range c.Sizes {
			sizes[regions[g]] = int64(math.Round(1000 * share))
		}
		s := must.Get(frame.ParseSchema(fmt.Appendf(nil, `{"dataset": "cells", "sampling": "sample", "population": 1000,
			"weight": {"column": "w", "min": "1", "max": "%d", "step": "1", "computed": "design"},
			"columns": [{"name": "region", "kind": "categorical", "categories": ["%s"]},
				{"name": "ill", "kind": "categorical", "categories": ["yes", "no"]},
				{"name": "income", "kind": "real", "min": 0, "max": 1}]}`, int(math.Round(1/c.Alpha)),
			strings.Join(regions, `", "`))))(t)
		mean := c.Of == "calibrated mean"
		var m model.Model = model.ContingencyTable("ill", "region")
		if mean {
			m = model.GroupMeans("income", "region")
		}
		sh := must.Get(model.NewShape(s, m, 500, true, ""))(t)
		p := must.Get(New().prepare(t.Context(), sh, dp.PureDP(c.Rate).Under(dp.AddRemove)))(t)
		d := &sampler{problem: p, params: must.Get(calibrate(t.Context(), p))(t)}
		raw := make([]int64, p.tokens.Boxes.Each()*p.groups)
		for g := range regions {
			for j, of := range c.Boxes {
				at := sh.Lattice().Box(j/2*len(regions)+g, j%2)
				if mean {
					at = sh.Lattice().Box(g, j)
				}
				raw[at] = int64(math.Round(of[g] * float64(d.params.Tokens)))
			}
		}
		got, err := d.Calibrated(mechanism.Output{Raw: [][]int64{raw}}, "region", sizes, .95)
		if err != nil {
			if refused++; !strings.Contains(err.Error(), "merge") {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		found++
		if off := math.Abs(got[0].Lower-c.Want[0]) + math.Abs(got[0].Upper-c.Want[1]); off > 1e-7 {
			t.Errorf("%s: %v, want %v", c.Name, got[0], c.Want)
		}
	}
	if found+refused != 5 || found < 2 {
		t.Errorf("%d found, %d refused", found, refused)
	}
}
