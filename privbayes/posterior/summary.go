package posterior

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// summaryLevel is the credible level of a summary.
const summaryLevel = 0.95

// SummaryRow is one component: mean, standard deviation and equal-tailed credible interval.
type SummaryRow struct {
	Label                  string
	Mean, SD, Lower, Upper float64
}

// Summary describes every component of a posterior at one credible level.
type Summary struct {
	Level float64
	Rows  []SummaryRow
}

// Table shows the summary, numbers with four significant digits.
func (s Summary) Table() *table.Table {
	t := table.New("Posterior", "component", "mean", "sd", fmt.Sprintf("%g%% from", 100*s.Level), "to")
	for _, r := range s.Rows {
		t.Add(r.Label, r.Mean, r.SD, r.Lower, r.Upper)
	}
	return t
}

// labelAt is label i, or the number i when there is none.
func labelAt(labels []string, i int) string {
	if i < len(labels) {
		return labels[i]
	}
	return fmt.Sprint(i)
}

// String shows the summary as text.
func (s Summary) String() string { return table.Text(s) }
