package privbayes_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

const (
	// goldenByRho are kept releases from before counts of units of several rows, and tokens, had a loss of their own.
	goldenByRho   = "testdata/releases_by_rho.jsonl.gz"
	goldenVectors = "testdata/releases_by_vectors.jsonl.gz"
)

// vectorCases are releases with Gaussian noise on counts of units of three rows, and on tokens, each with its rows.
func vectorCases(t *testing.T) (cases []goldenCase, rows []*privbayes.Frame) {
	t.Helper()
	units := goldenRows(t, strings.Replace(goldenSchema, `"unit": "person"`, `"unit": "person", "rows_per_unit": 3`, 1))
	survey := surveyRows(t, surveySchema(t, nil), 200)
	for _, adj := range []dp.Adjacency{privbayes.ReplaceOne, privbayes.AddRemove} {
		add := func(name string, m privbayes.ModelSpec, mech privbayes.Mechanism, l privbayes.Target, f *privbayes.Frame) {
			cases = append(cases, goldenCase{name + " / " + adj.String(), m, mech, l.Under(adj)})
			rows = append(rows, f)
		}
		one := privbayes.ApproxDP(1, 1e-6)
		add("table", privbayes.Table("c", "a"), privbayes.DiscreteGaussian(), one, units)
		add("naive Bayes", privbayes.NaiveBayes("a", "b", "c"), privbayes.DiscreteGaussian(), one, units)
		add("quantiles", privbayes.Quantiles("u", .5).WithResolution(65), privbayes.HistogramQuantiles(),
			privbayes.ApproxDP(.1, .1), units)
		add("tokens", privbayes.Mean("income"), privbayes.Tokens(), privbayes.ApproxDP(.1, .01), survey)
	}
	return cases, rows
}

// Counts of units of several rows, and tokens, are those that are kept, byte for byte. Files from before load, verify
// and are written again as they were. They have more noise, and less ρ.
func TestReleasesByVectorsStayAsTheyWere(t *testing.T) {
	cases, rows := vectorCases(t)
	if *updateGolden {
		var lines []goldenLine
		for i, c := range cases {
			b, ok := c.draw(t, rows[i])
			if !ok {
				t.Fatal(c.name)
			}
			lines = append(lines, goldenLine{c.name, b})
		}
		keepGolden(t, goldenVectors, lines)
	}
	kept, before := readGolden(t, goldenVectors), readGolden(t, goldenByRho)
	for i, c := range cases {
		got, ok := c.draw(t, rows[i])
		if want := kept[c.name]; !ok || !bytes.Equal(compactJSON(t, got), want) {
			t.Errorf("%s: another release than the kept one:\n%s", c.name, firstDifference(string(want), string(got)))
			continue
		}
		now, then := asItWas(t, c.name, kept[c.name]), asItWas(t, c.name, before[c.name])
		a, b := now.Plan().Pair().(loss.LatticePair), then.Plan().Pair().(loss.LatticePair)
		if a.ByRho || !b.ByRho || !(a.ZCDP() > 1.05*b.ZCDP()) || !strings.Contains(string(got), `"vector": true`) {
			t.Errorf("%s: %+v for %+v", c.name, a, b)
		}
		var other *keep.Error // whoever runs a program of before again
		if err := keep.SamePlan("kept", then.Plan(), now.Plan()); !errors.As(err, &other) ||
			!strings.Contains(err.Error(), "loaded at no cost") {
			t.Errorf("%s: %v", c.name, err)
		}
		edited := bytes.Replace(kept[c.name], []byte(`,"vector":true`), nil, -1)
		if _, err := release.Parse(t.Context(), edited); err == nil {
			t.Errorf("%s: less noise than that of ρ is read as noise by ρ", c.name)
		}
	}
	if len(kept) != len(cases) || len(before) != len(cases) {
		t.Errorf("%d and %d releases are kept, want %d", len(kept), len(before), len(cases))
	}
}
