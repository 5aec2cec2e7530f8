package figure_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// since is the day of a date, as columns of dates have it.
func since(t *testing.T, date string) float64 {
	return float64(must.Get(time.Parse("2006-01-02", date))(t).Unix() / (24 * 60 * 60))
}

// An axis of dates is marked at days, weeks, months or years, by how long it is; nothing of it is a number of days.
func TestAxisOfDates(t *testing.T) {
	for _, c := range []struct {
		from, to, layout string
		want             string // the marks
	}{
		{"2024-02-28", "2024-03-01", "2006-01-02", "2024-02-28 2024-02-29 2024-03-01"},
		{"2024-06-19", "2024-06-19", "02.01.2006", "18.06.2024 19.06.2024 20.06.2024"},
		{"2024-06-03", "2024-07-08", "02.01.2006", "03.06.2024 10.06.2024 17.06.2024 24.06.2024 01.07.2024"},
		{"2023-12-20", "2024-04-10", "2006-01-02", "Jan 2024|Feb 2024|Mar 2024|Apr 2024"},
		{"2019-07-01", "2024-03-01", "2006-01-02", "2020 2021 2022 2023 2024"},
		{"1899-12-31", "2001-01-01", "2006-01-02", "1900 1920 1940 1960 1980 2000"},
		{"1935-01-01", "2009-06-01", "2006-01-02", "1940 1960 1980 2000"},
	} {
		x := []float64{since(t, c.from), since(t, c.to)}
		f := &figure.Figure{Title: "t", XLabel: "day", YLabel: "share", XDates: c.layout, Series: []figure.Series{{Name: "s",
			X: x, Y: []float64{.2, .6}}}}
		svg := string(must.Get(f.SVG())(t))
		want := strings.Split(c.want, "|")
		if len(want) == 1 {
			want = strings.Fields(c.want)
		}
		at := 0
		for _, label := range want {
			i := strings.Index(svg[at:], ">"+label+"<")
			if i < 0 {
				t.Fatalf("%s to %s: no %s in order in\n%s", c.from, c.to, label, svg)
			}
			at += i
		}
		if faults := seen.Faults(f); len(faults) > 0 {
			t.Errorf("%s to %s: %s", c.from, c.to, faults)
		}
		first := must.Get(time.Parse("2006-01-02", c.from))(t).Format(c.layout)
		if _, alt := f.Words(); !strings.Contains(alt, first) || f.Table().Rows[0][1] != first {
			t.Errorf("%s; %s", alt, f.Table())
		}
	}
}

// Rows of dates have dates next to them, in the table twin and in words, with ends that are never shorter than those of
// the numbers; rows of another unit keep numbers.
func TestRowsOfDates(t *testing.T) {
	day := since(t, "2024-06-19")
	plot := &figure.Figure{Title: "t", XLabel: "quantity", YLabel: "born", XTicks: []string{"mean", "sd"},
		Units: []string{"mean of born", "standard deviation of born, days"}, Dates: []string{"02.01.2006", ""},
		Series: []figure.Series{{Name: "released", Kind: figure.Points, X: []float64{0, 1}, Y: []float64{day + .4, 30},
			Lo: []float64{day - .4, 25}, Hi: []float64{day + 1.2, 35}}}}
	svg := string(must.Get(plot.SVG())(t))
	for _, want := range []string{"19.06.2024 (18.06.2024 to 21.06.2024)", ">30.0 (25.0 to 35.0)<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if have, want := plot.Table().Rows[0], []string{"released", "mean", "19.06.2024", "18.06.2024", "21.06.2024"}; !slices.
		Equal(have, want) {
		t.Errorf("%q", have)
	}
	if _, alt := plot.Words(); !strings.Contains(alt, "19.06.2024 for mean, 30 for sd") || !strings.HasPrefix(alt,
		"Dot plot of mean of born, standard deviation of born, days. ") {
		t.Error(alt)
	}
	if have := plot.Table().Columns; !slices.Equal(have, []string{"series", "quantity", "value", "from", "to"}) {
		t.Errorf("%q", have)
	}
	same := *plot
	same.YLabel, same.Units = "born", []string{"mean of born", "standard deviation of born"}
	if have := same.Table().Columns[2]; have != "born" {
		t.Errorf("of one unit %q", have)
	}
	plot.Dates, plot.Units = []string{"02.01.2006"}, nil
	var wrong *figure.FigureError
	if err := plot.Validate(); !errors.As(err, &wrong) {
		t.Error(err)
	}
	forest := &figure.Forest{Title: "t", XLabel: "day", Series: []string{"s"}, Rows: []figure.ForestRow{
		{Name: "a", Dates: "2006-01-02", Marks: []figure.Mark{{At: day, From: day - 1, To: day + 1}}},
		{Name: "b", Dates: "2006-01-02", Marks: []figure.Mark{{At: 3e9, From: -1e200, To: 1e200}}}}}
	if _, err := forest.SVG(); err != nil { // further than dates are written
		t.Error(err)
	}
	if forest.Rows[1].Marks[0] = (figure.Mark{At: day, From: day, To: day}); forest.Table().Rows[1][3] != "2024-06-19" {
		t.Error(forest.Table())
	}
	forest.Rows[1].Dates = ""
	if _, err := forest.SVG(); !errors.As(err, &wrong) {
		t.Error(err)
	}
}
