package privbayes_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Figures and summaries of columns of dates have dates, and no days since 1970-01-01, some 20,000 of them here.
// Standard deviations are in days.
func TestDatesAreShownAsDates(t *testing.T) {
	s := &frame.Schema{Dataset: "visits", Columns: []frame.Column{
		frame.Date("day", "02.01.2006", "01.01.2024", "01.07.2024", "01.01.2025", "01.01.2026"),
		frame.Categorical("clinic", "north", "south"), frame.Integer("weight", 40, 80, 120)}}
	var text strings.Builder
	text.WriteString("day,clinic,weight\n")
	r := rand.New(rand.NewPCG(1, 7))
	for range 600 {
		fmt.Fprintf(&text, "%02d.%02d.%d,%s,%d\n", 1+r.IntN(28), 1+r.IntN(12), 2024+r.IntN(2), []string{"north",
			"south"}[r.IntN(2)], 50+r.IntN(40))
	}
	f := privbayes.WrapFrame(frame.Read(t.Context(), strings.NewReader(text.String()), "visits", s))
	day, since := regexp.MustCompile(`\b\d\d\.\d\d\.202[456]\b`), regexp.MustCompile(`\b(19[789]|20[0-4])\d\d\b`)
	for k, m := range []model.Model{privbayes.Mean("day"), privbayes.Means("day", "weight"), privbayes.MeanSD("day"),
		privbayes.MeanSD("day").Latent(), privbayes.Quantiles("day", .25, .5), privbayes.GroupMeans("day", "clinic"),
		privbayes.CDF("day")} {
		by := privbayes.Mechanism(privbayes.NoisySums())
		switch k {
		case 4:
			by = privbayes.HistogramQuantiles()
		case 6:
			by = privbayes.Geometric()
		}
		release := must.Get(f.Model(m).Privatize(by, privbayes.PureDP(1), privbayes.Seeded(1)).Release())(t)
		drawn := []figure.Drawing{must.Get(release.Model().Figure(nil, ""))(t)}
		if own, err := release.Figure(); err == nil {
			drawn = append(drawn, own)
		}
		for _, d := range drawn {
			_, alt := d.Words()
			all := d.(interface{ String() string }).String() + alt
			if since.MatchString(all) || !day.MatchString(all) || strings.Contains(all, " of in ") {
				t.Errorf("%s: %s", m, all)
			}
			if faults := seen.Faults(d); len(faults) > 0 {
				t.Errorf("%s: %s", m, faults)
			}
		}
		if all := release.Summary().String(); since.MatchString(all) || !day.MatchString(all) {
			t.Errorf("%s: %s", m, all)
		}
	}
}

// A regression on or of dates says what its numbers count, and its effects on a date are in days. Shares of a weighted
// table are on an axis of shares, and no table of shares of a learned release differs from intervals in its decimals.
func TestNumbersSayWhatTheyCount(t *testing.T) {
	s := &frame.Schema{Dataset: "visits", Columns: []frame.Column{
		frame.Date("day", "2006-01-02", "2024-01-01", "2024-07-01", "2025-01-01"),
		frame.Categorical("clinic", "north", "south"), frame.Integer("weight", 40, 80, 120)}}
	var rows, weighted strings.Builder
	rows.WriteString("day,clinic,weight\n")
	weighted.WriteString("day,clinic,weight,w\n")
	r := rand.New(rand.NewPCG(1, 7))
	for range 400 {
		row := fmt.Sprintf("2024-%02d-%02d,%s,%d", 1+r.IntN(12), 1+r.IntN(28), []string{"north", "south"}[r.IntN(2)],
			50+r.IntN(40))
		fmt.Fprintln(&rows, row)
		fmt.Fprintf(&weighted, "%s,%d\n", row, 1+r.IntN(3))
	}
	f := privbayes.WrapFrame(frame.Read(t.Context(), strings.NewReader(rows.String()), "visits", s))
	for formula, axis := range map[string]string{"day ~ weight": "difference of day, days",
		"weight ~ day": "difference of weight"} {
		release := must.Get(f.Model(privbayes.Linear(formula)).Privatize(privbayes.SufficientStatistics(),
			privbayes.ApproxDP(4, 1e-6), privbayes.Seeded(1)).Release())(t)
		if have := must.Get(release.Figure())(t).XLabel; have != axis {
			t.Errorf("%s: axis %q, want %q", formula, have, axis)
		}
		if all := release.Summary().String(); !strings.Contains(all, "Dates of day count days since 1970-01-01") {
			t.Errorf("%s: %s", formula, all)
		}
	}

	learned := must.Get(f.Learn(privbayes.MaxEntropy()).Privatize(privbayes.Geometric(), privbayes.PureDP(3),
		privbayes.Seeded(1)).Release())(t)
	list, _ := must.Get2(learned.Intervals(t.Context(), .95))(t)
	decimals, k := learned.Decimals(list), learned.Model().Target().Dim()
	for _, part := range learned.Parts() {
		if part.Title != "Shares of the other columns" {
			continue
		}
		for i, row := range part.Rows {
			if want := list[k+i].Text(list[k+i].Estimate, decimals[k+i]); row[1] != want {
				t.Errorf("%s = %s, want %s", row[0], row[1], want)
			}
		}
		k = 0
	}
	if k > 0 {
		t.Error("no shares of the other columns")
	}

	s.Weight = &frame.Weight{Column: "w", Min: "1", Max: "3", Step: "1", Computed: frame.FromDesign}
	f = privbayes.WrapFrame(frame.Read(t.Context(), strings.NewReader(weighted.String()), "visits", s))
	table := must.Get(f.Model(model.ContingencyTable("clinic", "weight")).Privatize(privbayes.Tokens(), privbayes.PureDP(1),
		privbayes.Seeded(1)).Release())(t)
	if have := must.Get(table.Figure())(t).XLabel; have != "share of the population" {
		t.Errorf("axis %q of shares", have)
	}
}
