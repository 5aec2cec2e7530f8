package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Curve is how far one record can move the score of each candidate: Figure 1 of the notes.
type Curve struct {
	Local    float64   // LS(x) in closed form
	Y        []int64   // a neighbour y′ of x at distance LS(x)
	Max      float64   // the maximum over all candidates and neighbours, by enumeration
	Argmax   [][]int64 // the candidates that attain it, within 1e-12 relative: x and every y′
	RunnerUp float64   // the largest value at any other candidate
	Figure   *figure.Figure
	Table    *table.Table
}

// Figure1 enumerates max_{y ~ x} |H(x, r) − H(y, r)| for every candidate r and shows that the maximum is LS(x),
// attained at r = x and r = y′ only, y′ a farthest neighbour: this is why the local sensitivity costs O(d) instead of a
// search through R.
//
// For d = 2 the figure runs through all candidates; for d = 3 along the line of candidates through x and y′. n must be
// Σx ≥ 1. Errors: *SettingError, ctx.Err(). Source: notes, §4.1; theory/hellinger.md §2.
func Figure1(ctx context.Context, prior []float64, n int64, x []int64) (*Curve, error) {
	s := Setting{Prior: prior, X: x, Epsilon: 1, Delta: 0.5}
	if have := s.N(); have != n {
		return nil, &SettingError{"ΣX", have, fmt.Sprintf("n = %d", n)}
	}
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	local, from, to := b.space.Local(x)
	c := &Curve{Local: local, Y: moved(x, from, to)}
	gaps := make([]float64, len(b.h))
	hy := make([]float64, len(b.h))
	for i := range x {
		for j := range x {
			if i == j || x[i] == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := hellingersample.Exponents(prior, moved(x, i, j), 1, hy); err != nil {
				return nil, fmt.Errorf("study: %w", err)
			}
			for k, h := range b.h {
				gaps[k] = max(gaps[k], math.Abs(h-hy[k]))
			}
		}
	}
	c.Max = slices.Max(gaps)
	for k, g := range gaps {
		if g >= c.Max*(1-1e-12) {
			c.Argmax = append(c.Argmax, hellingersample.Unrank(k, n, len(x)))
		} else {
			c.RunnerUp = max(c.RunnerUp, g)
		}
	}
	c.describe(b, gaps, from, to)
	return c, nil
}

// moved is x with one record moved.
func moved(x []int64, from, to int) []int64 {
	y := slices.Clone(x)
	y[from]--
	y[to]++
	return y
}

// describe draws the section through x along the move, and lists the largest values.
func (c *Curve) describe(b *bench, gaps []float64, from, to int) {
	var xs, ys []float64
	r := slices.Clone(b.X) // from the end of the line where cell to is empty
	r[from], r[to] = r[from]+r[to], 0
	for ; r[from] >= 0; r[from], r[to] = r[from]-1, r[to]+1 {
		xs, ys = append(xs, float64(r[to])), append(ys, gaps[b.rank(r)])
	}
	line := "all candidates"
	if len(b.X) > 2 {
		line = "candidates on the line through x and y′"
	}
	mark := func(name string, v []int64) figure.Series {
		return figure.Series{Name: name, Kind: figure.Points, X: []float64{float64(v[to])},
			Y: []float64{gaps[b.rank(v)]}}
	}
	c.Figure = &figure.Figure{
		Title:  "One record changes the score of a candidate r most at r = BI(x) and r = BI(y′)",
		XLabel: fmt.Sprintf("count of cell %d in the candidate r", to+1),
		YLabel: "largest |H(x, r) − H(y, r)|",
		Caption: fmt.Sprintf("Prior %v, x = %v, n = %d, y′ = %v; replace-one neighbours y; %s. Local sensitivity "+
			"%.6g.", b.Prior, b.X, b.space.N(), c.Y, line, c.Local),
		Series: []figure.Series{{Name: "maximum over neighbours y", X: xs, Y: ys}, mark("r = BI(x)", b.X),
			mark("r = BI(y′)", c.Y)},
	}
	order := make([]int, len(gaps))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(gaps[j], gaps[i]) })
	c.Table = table.New("Candidates whose score one record changes most", "candidate r", "replaced from x",
		"largest |H(x, r) − H(y, r)|", "share of LS(x)")
	for _, k := range order[:min(10, len(order))] {
		c.Table.Add(fmt.Sprint(hellingersample.Unrank(k, b.space.N(), len(b.X))), b.l1[k]/2, gaps[k], gaps[k]/c.Local)
	}
	c.Table.Note(fmt.Sprintf("%d candidates enumerated; LS(x) = %.12g in closed form.", len(gaps), c.Local))
}
