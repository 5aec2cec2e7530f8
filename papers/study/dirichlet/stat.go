package dirichlet

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Stat is a mean over splits with its standard error, the sample standard deviation over √N.
type Stat struct {
	Mean, SE float64
	N        int
}

// String shows mean ± s.e.
func (s Stat) String() string {
	if s.N < 2 {
		return table.Number(s.Mean)
	}
	return fmt.Sprintf("%s ± %.2g", table.Number(s.Mean), s.SE)
}

func statOf(x []float64) Stat {
	s := Stat{N: len(x)}
	for _, v := range x {
		s.Mean += v / float64(len(x))
	}
	if s.N > 1 {
		ss := 0.0
		for _, v := range x {
			ss += (v - s.Mean) * (v - s.Mean)
		}
		s.SE = math.Sqrt(ss / float64(s.N-1) / float64(s.N))
	}
	return s
}

// values are a method's scores at the i-th ε, one per split, in the order of the splits.
func (r *Report) values(task Task, name, id string, metric Metric, i int) (out []float64) {
	for _, c := range r.Cells {
		if c.Task != task || c.Data != name {
			continue
		}
		x := c.Scores[id][metric]
		switch {
		case len(x) == 1:
			out = append(out, x[0])
		case i >= 0 && i < len(x):
			out = append(out, x[i])
		}
	}
	return out
}

// Stat is the mean of a metric over the splits at the i-th ε of the settings; ok is false where the report has none.
// Naive Bayes has KL, CrossEntropy and Accuracy, networks have LogLikelihood.
func (r *Report) Stat(name, id string, metric Metric, i int) (s Stat, ok bool) {
	x := r.values(taskOf(metric), name, id, metric, i)
	return statOf(x), len(x) > 0
}

func taskOf(m Metric) Task {
	if m == LogLikelihood {
		return Network
	}
	return NaiveBayes
}

// DataSets lists the data sets that a task has cells of, in the order of the paper's Table 1.
func (r *Report) DataSets(task Task) (names []string) {
	for _, name := range data.StudyNames() {
		if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Task == task && c.Data == name }) {
			names = append(names, name)
		}
	}
	return names
}

// metricNames are the metrics for people.
var metricNames = map[Metric]string{
	KL:            "parameter KL (nats)",
	CrossEntropy:  "cross-entropy on held-out records",
	Accuracy:      "accuracy on held-out records",
	LogLikelihood: "log-likelihood per held-out record",
}

// Table tabulates a metric: one row per data set and method, one column per ε, mean ± s.e. Without names it has all
// data sets. Errors: *dp.ParameterError for an unknown metric or a data set without cells.
func (r *Report) Table(metric Metric, names ...string) (*table.Table, error) {
	label, ok := metricNames[metric]
	if !ok {
		return nil, domain.Refuse("dirichlet", "metric", string(metric), "kl, ce, acc or ll")
	}
	have := r.DataSets(taskOf(metric))
	if len(names) == 0 {
		names = have
	}
	columns := []string{"data set", "method"}
	for _, e := range r.Settings.Epsilons {
		columns = append(columns, "ε = "+table.Number(e))
	}
	t := table.New(label, columns...)
	for _, name := range names {
		if !slices.Contains(have, name) {
			return nil, domain.Refuse("dirichlet", "data set", name, fmt.Sprintf("one of the report: %v", have))
		}
		for _, id := range r.Settings.Methods {
			row := []any{name, id}
			for i := range r.Settings.Epsilons {
				if s, ok := r.Stat(name, id, metric, i); ok {
					row = append(row, s.String())
				}
			}
			if len(row) > 2 {
				t.Add(row...)
			}
		}
	}
	return t.Note(r.footing()), nil
}

// footing says what every number stands on.
func (r *Report) footing() string {
	s := r.Settings
	return fmt.Sprintf("(λ, ε)-Rényi DP, λ = %g, δ = 0, replace-one; %s bins; mean ± s.e. over %d splits, %g for "+
		"training. %s.",
		s.Order, s.Bins, r.seeds(), s.Fraction, r.Privacy)
}

// seeds is the largest number of splits of a data set.
func (r *Report) seeds() (most int) {
	n := map[string]int{}
	for _, c := range r.Cells {
		key := string(c.Task) + c.Data
		n[key]++
		most = max(most, n[key])
	}
	return most
}

// Table1 is the paper's Table 1 of the data sets, with what this library knows about each.
func Table1() *table.Table {
	t := table.New("Table 1: the data sets", "data set", "records", "attributes", "classes", "positive", "citation")
	for _, o := range data.Study() {
		share := "—"
		if o.Positive != "" {
			share = fmt.Sprintf("%.0f %%", 100*float64(o.ClassCounts[o.Positive])/float64(o.Rows))
		}
		t.Add(o.PaperName, o.Rows, o.Features, o.Classes, share, o.Citation)
	}
	return t.Note("All from the UCI Machine Learning Repository, CC BY 4.0. Adult without fnlwgt.")
}
