package eval

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Reports are several releases of one model, scored on the same rows. Private: do not publish.
type Reports struct {
	names   []string
	reports []*Report
}

// CompareReports puts reports of releases of one classifier side by side, with the model without privacy and the
// majority class. Errors: *dp.ParameterError for reports of other models, other numbers of test rows, or without
// classes.
func CompareReports(names []string, reports ...*Report) (*Reports, error) {
	if len(reports) == 0 || len(names) != len(reports) {
		return nil, domain.Refuse("eval", "reports", fmt.Sprintf("%d names for %d reports", len(names), len(reports)),
			"one name for each report")
	}
	for i, r := range reports {
		if r == nil || r.Private == nil {
			return nil, domain.Refuse("eval", "report of "+names[i], "none with classes", "a report of a classifier")
		}
		have, want := r.release.Plan().Shape().Model().String(), reports[0].release.Plan().Shape().Model().String()
		if have != want || r.test != reports[0].test {
			return nil, domain.Refuse("eval", "report of "+names[i], have, "the model and the test rows of the first: "+
				want)
		}
	}
	return &Reports{names, reports}, nil
}

// caption says on how many rows, and what was released.
func (r *Reports) caption() string {
	s := table.Count(r.reports[0].test, "held-out row")
	var seen []string
	for _, one := range r.reports {
		if c := one.release.Caption(); !slices.Contains(seen, c) {
			seen = append(seen, c)
			s += ". " + c
		}
	}
	return s
}

// Table has a row for every release, one for the model without privacy and one for the majority class.
func (r *Reports) Table() *table.Table {
	first := r.reports[0]
	t := table.New(fmt.Sprintf("On %s (private: do not publish)", table.Count(first.test, "held-out row")), "model",
		"accuracy", "AUC", "cross-entropy, nats", "calibration error")
	add := func(name string, s *Scores) { t.Add(name, s.Accuracy, s.AUC, s.CrossEntropy, s.ECE) }
	for i, one := range r.reports {
		add(r.names[i], one.Private)
	}
	add("without privacy", first.NonPrivate)
	return t.Add("always the majority", first.Guess)
}

// Figure draws the accuracies, with two standard errors over rows, and the model without privacy as a line.
func (r *Reports) Figure() *figure.Figure {
	s := figure.Series{Name: "release, ± 2 s.e. over rows", Kind: figure.Points}
	for i, one := range r.reports {
		a, se := one.Private.Accuracy, one.Private.AccuracySE
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, a)
		s.Lo, s.Hi = append(s.Lo, a-2*se), append(s.Hi, a+2*se)
	}
	first := r.reports[0]
	return &figure.Figure{Title: "Accuracy of several releases", XLabel: "release", YLabel: "accuracy", XTicks: r.names,
		Private: true, Caption: r.caption(), Series: []figure.Series{s},
		HLines: []figure.Reference{{Name: "without privacy", Y: first.NonPrivate.Accuracy},
			{Name: "majority", Y: first.Guess}}}
}

// String is the table as text.
func (r *Reports) String() string { return table.Text(r) }
