package coverage

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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
	t := table.New("Coverage of 95 % credible intervals: live and committed", "model", "ε", "run", "draws", "naive",
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
