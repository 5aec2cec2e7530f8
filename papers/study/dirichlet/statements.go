package dirichlet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// statements are what the paper says of its figures, as contests of Algorithm 1 against others.
var statements = []struct {
	metric Metric
	words  string
}{
	{CrossEntropy, "Figure 3: lower cross-entropy"},
	{Accuracy, "Figure 4: higher accuracy (the paper: no clear winner)"},
	{LogLikelihood, "Figure 6: larger log-likelihood of networks"},
	{KL, "not in the paper: smaller KL of the parameters"},
}

// Statements tabulates what the paper says of its experiments: in how many comparisons, one per data set and ε,
// Algorithm 1 has the better mean. First against the paper's own baselines, then against posterior means of the same
// noise, which cost no privacy.
func (r *Report) Statements() *table.Table {
	t := table.New("Algorithm 1 is ahead", "in", "of the Gaussian, clipped", "of the Laplace, clipped",
		"of the Gaussian, posterior means", "of the Laplace, posterior means")
	for _, s := range statements {
		row := []any{s.words}
		for _, id := range []string{"gauss_paper", "lap_paper", "gauss_fix", "lap_fix"} {
			c := r.Contest(s.metric, "dir_alg1", id)
			row = append(row, fmt.Sprintf("%d of %d", c.Wins, c.Total))
		}
		t.Add(row...)
	}
	return t.Note("Clipped: noisy counts below 1e-6 become 1e-6, as in the paper's code.").Note(r.footing())
}
