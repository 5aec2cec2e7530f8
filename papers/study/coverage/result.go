package coverage

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
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
	t := table.New("Coverage of 95 % credible intervals", "model", "ε", "noise ignored", "noise-aware",
		"noise ignored: width", "noise-aware: width")
	for _, c := range r.Curves {
		for _, p := range c.Points {
			t.Add(c.Name, p.Epsilon, p.Naive, p.Aware, p.NaiveWidth, p.AwareWidth)
		}
	}
	return t.Note(r.caption()).Note("noise ignored: the posterior as if the released estimates were the counts. " +
		"noise-aware: the exact posterior given the noisy counts.")
}

func (r *Result) caption() string {
	return fmt.Sprintf("ε-DP, replace-one; parameters from the uniform prior, %d draws of parameters, data and noise "+
		"a point, standard error %.4f; simulated data, seed %d", r.Runs, r.SE(), r.Seed)
}

// Figure is coverage against ε, a panel for every curve, naive dashed.
func (r *Result) Figure() *figure.Facets {
	return r.figure("Coverage of 95 % credible intervals", "share of intervals that cover the true value",
		func(p Point) (float64, float64) { return p.Naive, p.Aware }, figure.Reference{Name: "95 %", Y: simulate.Level})
}

// Widths is the mean width of the intervals against ε, in the same way: what right coverage costs.
func (r *Result) Widths() *figure.Facets {
	return r.figure("Mean width of 95 % credible intervals", "mean width",
		func(p Point) (float64, float64) { return p.NaiveWidth, p.AwareWidth })
}

func (r *Result) figure(title, y string, of func(Point) (naive, aware float64),
	lines ...figure.Reference) *figure.Facets {
	out := &figure.Facets{Title: title, Caption: r.caption(),
		Subtitle: "Mean over drawn parameters, data and noise; noise ignored: the released counts read as if they had no noise."}
	for _, l := range lines {
		out.Subtitle += " Grey line: " + l.Name + "."
	}
	for _, c := range r.Curves {
		naive, aware := figure.Series{Name: "noise ignored", Dashed: true}, figure.Series{Name: "noise-aware"}
		for _, p := range c.Points {
			n, a := of(p)
			naive.X, naive.Y = append(naive.X, p.Epsilon), append(naive.Y, n)
			aware.X, aware.Y = append(aware.X, p.Epsilon), append(aware.Y, a)
		}
		out.Panels = append(out.Panels, &figure.Figure{Title: c.Name, XLabel: "ε (more private to the left)", YLabel: y,
			LogX: true, HLines: lines, Series: []figure.Series{aware, naive}})
	}
	return out
}

//go:embed results.json
var results []byte

// Committed reads the outcome of the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](results) }

// Only keeps the curves of the given names, in that order. Errors: *dp.ParameterError that lists the names there are.
func (r *Result) Only(names ...string) (*Result, error) {
	out := *r
	out.Curves = nil
	for _, name := range names {
		c, ok := r.curve(name)
		if !ok {
			var have []string
			for _, c := range r.Curves {
				have = append(have, fmt.Sprintf("%q", c.Name))
			}
			return nil, domain.Refuse("coverage", "Only", name, "one of "+strings.Join(have, ", "))
		}
		out.Curves = append(out.Curves, c)
	}
	return &out, nil
}

func (r *Result) curve(name string) (Curve, bool) {
	for _, c := range r.Curves {
		if c.Name == name {
			return c, true
		}
	}
	return Curve{}, false
}

// Beside is a run with the committed one at the same points.
type Beside struct{ Live, Committed *Result }

// Beside puts a run beside the committed results. Errors: those of Committed; *dp.ParameterError if they have no point
// in common.
func (r *Result) Beside() (*Beside, error) {
	c, err := Committed()
	if err != nil {
		return nil, err
	}
	b := &Beside{r, c}
	if len(b.pairs()) == 0 {
		return nil, domain.Refuse("coverage", "Problems", len(r.Curves), "a problem and an ε of the committed results")
	}
	return b, nil
}

// pair is a point of both runs.
type pair struct {
	name            string
	live, committed Point
}

func (b *Beside) pairs() (out []pair) {
	for _, c := range b.Live.Curves {
		full, _ := b.Committed.curve(c.Name)
		for _, p := range c.Points {
			for _, q := range full.Points {
				if p.Epsilon == q.Epsilon {
					out = append(out, pair{c.Name, p, q})
				}
			}
		}
	}
	return out
}

// Table has two rows for every point that both runs have.
func (b *Beside) Table() *table.Table {
	t := table.New("Coverage of 95 % credible intervals: live and committed", "model", "ε", "run", "draws",
		"noise ignored",
		"noise-aware", "standard error")
	for _, p := range b.pairs() {
		t.Add(p.name, p.live.Epsilon, "live", b.Live.Runs, p.live.Naive, p.live.Aware, b.Live.SE())
		t.Add(p.name, p.live.Epsilon, "committed", b.Committed.Runs, p.committed.Naive, p.committed.Aware,
			b.Committed.SE())
	}
	return t.Note("Regenerate: " + b.Committed.Command)
}

// String is the table as text.
func (b *Beside) String() string { return table.Text(b) }
