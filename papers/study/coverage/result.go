package coverage

import (
	_ "embed"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Point is what was counted at one ε: the share of 95 % intervals that hold the truth, and their mean widths.
type Point struct {
	Epsilon    float64 `json:"epsilon"`
	Naive      float64 `json:"naive"`
	Aware      float64 `json:"aware"`
	NaiveWidth float64 `json:"naive_width"`
	AwareWidth float64 `json:"aware_width"`
}

// Curve is one parameter against ε.
type Curve struct {
	Name      string  `json:"name"`
	Mechanism string  `json:"mechanism"`
	Points    []Point `json:"points"`
}

// Result is the outcome of a run. Committed results say what wrote them.
type Result struct {
	Library string  `json:"library,omitempty"`
	Command string  `json:"command,omitempty"`
	Runs    int     `json:"runs"`
	Seed    uint64  `json:"seed"`
	Curves  []Curve `json:"curves"`
}

// SE is the standard error of a coverage whose true value is the level: √(0.95·0.05/Runs).
func (r *Result) SE() float64 { return simulate.SE(r.Runs) }

// Table has a row for every point.
func (r *Result) Table() *table.Table {
	t := table.New("Coverage of 95 % credible intervals", "model", "ε", "naive", "noise-aware", "naive width",
		"noise-aware width")
	for _, c := range r.Curves {
		for _, p := range c.Points {
			t.Add(c.Name, p.Epsilon, p.Naive, p.Aware, p.NaiveWidth, p.AwareWidth)
		}
	}
	return t.Note(r.caption()).Note("naive: the posterior as if the released estimates were the counts. noise-aware: " +
		"the exact posterior given the noisy counts.")
}

func (r *Result) caption() string {
	return fmt.Sprintf("ε-DP, replace-one; parameters from the uniform prior, %d draws of parameters, data and noise "+
		"a point, standard error %.4f; simulated data, seed %d", r.Runs, r.SE(), r.Seed)
}

// Figure is coverage against ε, naive dashed.
func (r *Result) Figure() *figure.Figure {
	return r.figure("Coverage of 95 % credible intervals", "share of intervals that hold the truth",
		func(p Point) (float64, float64) { return p.Naive, p.Aware }, figure.Reference{Name: "95 %", Y: simulate.Level})
}

// Widths is the mean width of the intervals against ε, naive dashed: what right coverage costs.
func (r *Result) Widths() *figure.Figure {
	return r.figure("Mean width of 95 % credible intervals", "mean width",
		func(p Point) (float64, float64) { return p.NaiveWidth, p.AwareWidth })
}

func (r *Result) figure(title, y string, of func(Point) (naive, aware float64),
	lines ...figure.Reference) *figure.Figure {
	f := &figure.Figure{Title: title, XLabel: "ε", YLabel: y, LogX: true, Caption: r.caption(), HLines: lines}
	for _, c := range r.Curves {
		naive, aware := figure.Series{Name: c.Name + ", naive", Dashed: true},
			figure.Series{Name: c.Name + ", noise-aware"}
		for _, p := range c.Points {
			n, a := of(p)
			naive.X, naive.Y = append(naive.X, p.Epsilon), append(naive.Y, n)
			aware.X, aware.Y = append(aware.X, p.Epsilon), append(aware.Y, a)
		}
		f.Series = append(f.Series, aware, naive)
	}
	return f
}

//go:embed results.json
var results []byte

// Committed reads the outcome of the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](results) }
