package privbayes_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// calibrationSchema is of n rows with weights from 1 to most, and regions as cells.
func calibrationSchema(t testing.TB, most, population int, regions ...string) *privbayes.Schema {
	return must.Get(privbayes.ParseSchema(fmt.Appendf(nil, `{"dataset": "cells", "sampling": "sample", "population": %d,
		"weight": {"column": "w", "min": "1", "max": "%d", "step": "1", "computed": "design"},
		"columns": [{"name": "region", "kind": "categorical", "categories": ["%s"]},
			{"name": "ill", "kind": "categorical", "categories": ["yes", "no"]},
			{"name": "income", "kind": "real", "min": 0, "max": 1}]}`, population, most,
		strings.Join(regions, `", "`))))(t)
}

// What cannot be calibrated is refused by a typed error that says what to give.
func TestCalibrateRefuses(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 2000)
	table := must.Get(rows.Model(privbayes.Table("region", "ill")).Privatize(privbayes.Tokens(), privbayes.PureDP(1)).
		Release())(t)
	faint := must.Get(rows.Model(privbayes.Table("region", "ill")).Privatize(privbayes.Tokens(), privbayes.PureDP(.001)).
		Release())(t)
	total := must.Get(rows.Model(privbayes.Total("income", "region")).Privatize(privbayes.Tokens(), privbayes.PureDP(1)).
		Release())(t)
	good := map[string]int64{"north": 5000, "south + west": 15000}
	for name, c := range map[string]struct {
		release *privbayes.Release
		column  string
		sizes   map[string]int64
		want    string
	}{
		"another sum":     {table, "region", map[string]int64{"north": 1, "south": 2, "west": 3}, "20000, the population"},
		"a size of 0":     {table, "region", map[string]int64{"north": 0, "south": 2, "west": 3}, "at least 1"},
		"another cell":    {table, "region", map[string]int64{"north": 5, "east": 2, "west": 3}, "levels of the column"},
		"a level missing": {table, "region", map[string]int64{"north": 5, "west": 3}, `the size of every level`},
		"a level twice":   {table, "region", map[string]int64{"north": 5, "north + west": 3, "south": 2}, "once"},
		"another column":  {table, "income", good, "groups by"},
		"thin cells":      {faint, "region", good, "merge each of these"},
		"a total":         {total, "region", good, "GroupMeans, or Table"},
	} {
		var e *dp.ParameterError
		if _, err := c.release.Calibrate(c.column, c.sizes); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := table.Calibrate("region", good); err != nil || len(got.List) != 2 ||
		math.Abs(got.List[0].Estimate+got.List[1].Estimate-1) > 1e-9 || !strings.Contains(got.String(), "no budget") {
		t.Errorf("merged: %v, %v", got, err)
	}
}

// Of 200 samples that answer unequally, calibrated intervals contain the share of the population. At a coverage of .92
// fewer than 157 do with a probability below 1e-9.
func TestCalibratedIntervalsCover(t *testing.T) {
	src, held, plain := rand.New(rand.NewPCG(5, 6)), 0, 0
	ones, answers := []float64{.6, .2, .1}, []float64{.5, 1, 1} // of a third of the population each
	truth := (.6 + .2 + .1) / 3
	s := calibrationSchema(t, 4, 3000, "a", "b", "c")
	for run := range 200 {
		b := strings.Builder{}
		b.WriteString("region,ill,income,w\n")
		for range 600 {
			g := src.IntN(3)
			for src.Float64() > answers[g] {
				g = src.IntN(3)
			}
			ill := "no"
			if src.Float64() < ones[g] {
				ill = "yes"
			}
			fmt.Fprintf(&b, "%s,%s,0,%d\n", string(rune('a'+g)), ill, 1+src.IntN(4))
		}
		r := must.Get(privbayes.ReadFrame(strings.NewReader(b.String()), s).Model(privbayes.Table("region", "ill")).
			Privatize(privbayes.Tokens(), privbayes.PureDP(2), privbayes.Seeded(uint64(run))).Release())(t)
		got := must.Get(r.Calibrate("region", map[string]int64{"a": 1000, "b": 1000, "c": 1000}))(t)
		if i := got.List[0].Population; i.Lower <= truth && truth <= i.Upper {
			held++
		}
		all := 0.0
		list, _ := must.Get2(r.Intervals(t.Context(), .95))(t)
		for _, i := range list {
			if strings.HasSuffix(i.Of+i.Label, "yes") {
				all += i.Estimate
			}
		}
		if math.Abs(all-truth) < .03 {
			plain++
		}
	}
	if held < 157 || plain > 100 {
		t.Errorf("%d of 200 contain the share; %d of 200 are near it without calibration", held, plain)
	}
}

// A few rows of equal weight are too few, and a release says so; a total is on the grid that it was asked for.
func TestFewWeightedRows(t *testing.T) {
	rows := surveyRows(t, surveySchema(t, nil), 20)
	r := must.Get(rows.Model(privbayes.Total("income").WithResolution(50)).Privatize(privbayes.Tokens(),
		privbayes.PureDP(10)).Release())(t)
	if k := r.Plan().Shape().Lattice().Steps; k != 50 {
		t.Errorf("%d steps", k)
	}
	r = must.Get(rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens(), privbayes.PureDP(100)).Release())(t)
	if !slices.ContainsFunc(r.Warnings(), func(w warning.Warning) bool { return w.Kind == warning.KindFewEffective }) {
		t.Errorf("warnings: %v", r.Warnings())
	}
}
