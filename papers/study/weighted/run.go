// Package weighted measures how often intervals from noisy sums of weighted records hold the value in the population.
//
// Rows are drawn anew for every release: independent ones with weights of five kinds, domains, strata, cells that
// respond unequally, clusters. They deal whole tokens, rounded down, to boxes, which get integer noise as a release
// does. Compared with it is the linearised interval without privacy. Rows of the table: theory/survey.md.
package weighted

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
)

// Cell is what was counted of one design at one rate.
type Cell struct {
	Kind, Design string
	N            int     // rows, units, clusters, or rows of a stratum
	Rate         float64 // ε′, half of ε where records are replaced; ρ under zCDP
	Runs         int
	Coverage     float64
	Width        float64 // mean; over that without privacy, where there is such an interval
	Plain        float64 // coverage without privacy
	Empty        int     // intervals without width
}

// MarshalText writes the cell as a line.
func (c Cell) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s | %s | %d %v %d %.4f %.4g %.4f %d", c.Kind, c.Design, c.N, c.Rate, c.Runs, c.Coverage,
		c.Width, c.Plain, c.Empty), nil
}

// UnmarshalText reads what MarshalText wrote.
func (c *Cell) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), " | ")
	if len(parts) == 3 {
		c.Kind, c.Design = parts[0], parts[1]
		if _, err := fmt.Sscan(parts[2], &c.N, &c.Rate, &c.Runs, &c.Coverage, &c.Width, &c.Plain, &c.Empty); err == nil {
			return nil
		}
	}
	return fmt.Errorf("weighted: %q is no cell", text)
}

// Result is the outcome of a run.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// run counts the intervals of a design at all its rates.
func (d design) run(ctx context.Context, seed uint64) ([]Cell, error) {
	cells := make([]Cell, len(d.rates))
	dealers := make([]dealer, len(d.rates))
	held, widths := make([]int, len(d.rates)), make([]float64, len(d.rates))
	plain, width := 0, 0.
	for i, rate := range d.rates {
		made := newDealer
		if d.normal {
			made = newNormalDealer
		}
		var err error
		if dealers[i], err = made(rate); err != nil {
			return nil, err
		}
	}
	r := simulate.Stream("weighted", seed, fmt.Sprint(d.kind, d.name, d.n), 0)
	src := rand.NewPCG(r.Uint64(), r.Uint64())
	for range d.runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := d.rows(rand.New(src))
		if d.plain != nil {
			lo, hi := d.plain(rows)
			plain, width = plain+count(lo <= d.truth && d.truth <= hi), width+(hi-lo)/float64(d.runs)
		}
		for i := range dealers {
			e := d.interval(dealers[i], src, rows)
			held[i] += count(e[0] <= d.truth && d.truth <= e[1])
			cells[i].Empty += count(!(e[1]-e[0] > 1e-6))
			widths[i] += (e[1] - e[0]) / float64(d.runs)
		}
	}
	share := func(k int) float64 { return float64(k) / float64(d.runs) }
	for i := range cells {
		c := Cell{d.kind, d.name, d.n, d.rates[i], d.runs, share(held[i]), widths[i], share(plain), cells[i].Empty}
		if width > 0 {
			c.Width /= width
		}
		cells[i] = c
	}
	return cells, nil
}

// count is 1 of what is true.
func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
