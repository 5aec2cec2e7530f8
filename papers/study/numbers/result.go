package numbers

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Cell is what was counted at one size and ε: how many of the runs' 95 % intervals held the truth, and their mean
// width, in units of the parameter.
type Cell struct {
	N       int     `json:"n"`
	Epsilon float64 `json:"epsilon"`
	Runs    int     `json:"runs"`
	Held    int     `json:"held"`
	Width   float64 `json:"width"`
}

// Coverage is the share of the intervals that held the truth.
func (c Cell) Coverage() float64 { return float64(c.Held) / float64(c.Runs) }

// SE is the standard error of a coverage whose true value is the level.
func (c Cell) SE() float64 { return simulate.SE(c.Runs) }

// Curve is one parameter over sizes and ε.
type Curve struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Cells []Cell `json:"cells"`
}

// Mean is the mean coverage over the cells.
func (c Curve) Mean() float64 {
	sum := 0.0
	for _, cell := range c.Cells {
		sum += cell.Coverage() / float64(len(c.Cells))
	}
	return sum
}

// RateError is the root mean square relative error of the posterior mean of an exponential rate θ = ½ on [0, 10].
type RateError struct {
	N       int     `json:"n"`
	Epsilon float64 `json:"epsilon"`
	Runs    int     `json:"runs"`
	Error   float64 `json:"error"`
	Note    float64 `json:"note"` // that of theory/numbers.md §2
}

// Result is the outcome of one or several runs with one seed after the other. Committed results say what wrote them.
type Result struct {
	Library string      `json:"library,omitempty"`
	Command string      `json:"command,omitempty"`
	Seed    uint64      `json:"seed"` // the first
	Rounds  int         `json:"rounds"`
	Curves  []Curve     `json:"curves"`
	Rates   []RateError `json:"rates,omitempty"`
}

// add counts another run's intervals beside those there are.
func (r *Result) add(o *Result) {
	if r.Rounds += o.Rounds; len(r.Curves) == 0 {
		r.Curves = o.Curves
		return
	}
	for i, c := range o.Curves {
		for j, b := range c.Cells {
			a := &r.Curves[i].Cells[j]
			a.Width = (a.Width*float64(a.Runs) + b.Width*float64(b.Runs)) / float64(a.Runs+b.Runs)
			a.Held, a.Runs = a.Held+b.Held, a.Runs+b.Runs
		}
	}
}

var kinds = map[kind]string{oneParameter: "one parameter", twoMoments: "two moments", modelFree: "model-free"}

func (k kind) String() string { return kinds[k] }

// Wrong lists what is not as it should be: a curve of one parameter whose mean coverage is not within .945 to .955 (but
// for 3.5 standard errors of a short run), or with a cell further than 3.5 standard errors from .95; two moments
// outside .92 to .98 and model-free intervals outside .93 to .99, by more than 3.5 standard errors; a rate's error
// above 1.1 times the note's, but for 3.5 standard errors.
func (r *Result) Wrong() (list []string) {
	for _, c := range r.Curves {
		runs := 0
		for _, cell := range c.Cells {
			runs += cell.Runs
			v, se := cell.Coverage(), cell.SE()
			bad := false
			switch c.Kind {
			case kinds[oneParameter]:
				bad = math.Abs(v-simulate.Level) > 3.5*se
			case kinds[twoMoments]:
				bad = v < .92-short(cell.Runs) || v > .98+short(cell.Runs)
			default:
				bad = v < .93-short(cell.Runs) || v > .99+short(cell.Runs)
			}
			if bad {
				list = append(list, fmt.Sprintf("%s, n = %d, ε = %v: %.4f of %d", c.Name, cell.N, cell.Epsilon, v, cell.Runs))
			}
		}
		se := simulate.SE(runs)
		if off := math.Abs(c.Mean() - simulate.Level); c.Kind == kinds[oneParameter] && off > math.Max(.005, 3.5*se) {
			list = append(list, fmt.Sprintf("%s: %.4f on average", c.Name, c.Mean()))
		}
	}
	for _, e := range r.Rates {
		// squares of nearly normal errors: their mean has a relative standard error of √(2/runs), and of some √(50/runs)
		// where single releases decide
		if e.Error > 1.1*e.Note*math.Sqrt(1+3.5*math.Sqrt(e.tails()/float64(e.Runs))) {
			list = append(list, fmt.Sprintf("rate, n = %d, ε = %v: %.4f for %.4f", e.N, e.Epsilon, e.Error, e.Note))
		}
	}
	return list
}

// tails is the variance of a squared error over its squared mean.
func (e RateError) tails() float64 {
	if e.Note > .1 {
		return 50
	}
	return 2
}

// short is what chance is allowed in a cell of so many runs: 3.5 standard errors.
func short(runs int) float64 { return 3.5 * simulate.SE(runs) }

// Table has a row for every parameter and a column for every size and ε.
func (r *Result) Table() *table.Table {
	head := []string{"parameter", "mean"}
	for _, c := range r.Curves[0].Cells {
		head = append(head, fmt.Sprintf("%d, %v", c.N, c.Epsilon))
	}
	t := table.New("Coverage of 95 % intervals of noisy sums, by n and ε", head...)
	for _, c := range r.Curves {
		row := []any{c.Name, fmt.Sprintf("%.3f", c.Mean())}
		for _, cell := range c.Cells {
			row = append(row, fmt.Sprintf("%.3f", cell.Coverage()))
		}
		t.Add(row...)
	}
	first := r.Curves[0].Cells[0]
	return t.Note(fmt.Sprintf("ε-DP; simulated data, seeds from %d on; %d runs a cell, standard error %.4f", r.Seed,
		first.Runs, first.SE()))
}

// String is the table as text.
func (r *Result) String() string { return table.Text(r) }

//go:embed results.json
var results []byte

// Committed reads the outcome of the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](results) }
