package wholenetworks

import (
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Comparison is what was run of Compare. Committed results say what wrote them.
type Comparison struct {
	Library string `json:"library,omitempty"`
	Command string `json:"command,omitempty"`
	Seed    uint64 `json:"seed"`
	Rows    []Row  `json:"rows"`
}

//go:embed beside.json
var compared []byte

// CommittedComparison reads the points that were run.
func CommittedComparison() (*Comparison, error) { return simulate.Committed[Comparison](compared) }

// sorted are the rows by network, records and ε.
func (c *Comparison) sorted() []Row {
	out := slices.Clone(c.Rows)
	slices.SortStableFunc(out, func(a, b Row) int {
		if i, j := slices.Index(Networks(), a.Network), slices.Index(Networks(), b.Network); i != j {
			return i - j
		}
		if a.Records != b.Records {
			return a.Records - b.Records
		}
		return int(math.Copysign(1, a.Epsilon-b.Epsilon))
	})
	return out
}

// Table has a row for every way at every point.
func (c *Comparison) Table() *table.Table {
	t := table.New("Ways to intervals from noisy counts, on the same releases", "network", "n", "ε", "way", "converged",
		"tables", "s.e.", "questions", "width of tables", "width of questions", "CPU s to ESS 400")
	for _, r := range c.sorted() {
		for _, w := range Ways() {
			f := r.Ways[w]
			seconds := "-"
			if f.Seconds > 0 {
				seconds = fmt.Sprintf("%.3g", f.Seconds)
			}
			row := []any{r.Network, r.Records, r.Epsilon, string(w), fmt.Sprintf("%d of %d", f.Replicates, r.Replicates)}
			if f.Replicates == 0 {
				t.Add(append(row, "-", "-", "-", "-", "-", seconds)...)
				continue
			}
			t.Add(append(row, fixed(f.Tables), fixed(f.SD/math.Sqrt(float64(f.Replicates))), fixed(f.Questions),
				fixed(f.TablesWidth), fixed(f.QuestionsWidth), seconds)...)
		}
	}
	return t.Note("Coverage and mean width of 95 % intervals: tables are all entries of all conditional tables, " +
		"questions as in the study of coverage. Pure ε-DP, replace-one, geometric noise; probabilities from the uniform " +
		"prior, simulated records.").
		Note(fmt.Sprintf("converged: R-hat below %v and %v effective draws of every entry, within %v processor seconds for "+
			"the chains of a peer; after three releases given up and none done a peer is left out at that point, and "+
			"coverage is of releases that converged. CPU s: of one thread, until the worst entry has an effective sample "+
			"size of 400, at the rate reached.", simulate.Short.RHat, simulate.Short.ESS, c.limit())).
		Note("Regenerate: " + c.Command)
}

func (c *Comparison) limit() float64 {
	if len(c.Rows) == 0 {
		return 0
	}
	return c.Rows[0].Limit
}

// Figure is the processor time to an effective sample size of 400 against n at one ε, a line for each way and network.
// Points where chains did not come to agree, and ways without chains, are not drawn.
func (c *Comparison) Figure(epsilon float64) *figure.Figure {
	f := &figure.Figure{Title: fmt.Sprintf("Processor seconds to 400 effective draws, ε = %g", epsilon), XLabel: "records",
		LogX: true, LogY: true, YLabel: "CPU seconds", Caption: "Pure ε-DP, replace-one, geometric noise; one thread; the " +
			"worst entry of all tables; mean over releases. What did not come to agree within the limit is not drawn."}
	short := map[Way]string{Library: "library's chains", Augmented: "data augmentation", Normal: "normal counts"}
	for _, w := range []Way{Library, Augmented, Normal} {
		for _, r := range c.sorted() {
			if r.Epsilon != epsilon || r.Ways[w].Seconds == 0 {
				continue
			}
			name := r.Network + ", " + short[w]
			i := slices.IndexFunc(f.Series, func(s figure.Series) bool { return s.Name == name })
			if i < 0 {
				i = len(f.Series)
				f.Series = append(f.Series, figure.Series{Name: name, Dashed: w != Library})
			}
			s := &f.Series[i]
			s.X, s.Y = append(s.X, float64(r.Records)), append(s.Y, r.Ways[w].Seconds)
		}
	}
	return f
}
