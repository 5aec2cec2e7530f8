package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Requirements are a comparison read backwards: what given errors need, in ε at the shape's own n, and in records at
// every target. It is public, like its [Advice].
type Requirements struct {
	advice *Advice
	errors []float64
	levels []float64 // by error, as LevelFor has it
	within []bool    // whether the targets bracket it
	sizes  [][]Size  // error × target; N is 0 where there is none
	notes  []string  // why there is none
}

// mostErrors bounds what is asked at once.
const mostErrors = 100

// Required asks [Advice.LevelFor] and, at every target, [Advice.NFor] what each of the given errors needs. All searches
// together take Options.Time; where one finds no n the table says why. Errors: *Error for errors that are not
// finite and positive, for none and for more than 100, and the context's.
func (a *Advice) Required(ctx context.Context, absolute ...float64) (*Requirements, error) {
	if len(absolute) == 0 || len(absolute) > mostErrors ||
		slices.ContainsFunc(absolute, func(e float64) bool { return !(e > 0) || math.IsInf(e, 1) }) {
		return nil, &Error{fmt.Sprintf("errors %v", absolute[:min(len(absolute), 5)]),
			fmt.Sprintf("1 to %d finite errors > 0", mostErrors)}
	}
	part := *a
	searches := len(absolute) * len(a.targets)
	part.options.Time = max(1, a.options.Time/time.Duration(searches))
	part.options.steps /= float64(searches)
	n := &Requirements{advice: a, errors: slices.Clone(absolute)}
	for _, e := range absolute {
		level, within := a.LevelFor(e)
		row := make([]Size, len(a.targets))
		for i, t := range a.targets {
			size, err := part.NFor(ctx, i, e)
			var no *Error
			switch {
			case errors.As(err, &no):
				n.notes = append(n.notes, fmt.Sprintf("Error %g at %s: %s.", e, t.Parameters, no.What))
			case err != nil:
				return nil, err
			}
			row[i] = size
		}
		n.levels, n.within, n.sizes = append(n.levels, level), append(n.within, within), append(n.sizes, row)
	}
	return n, nil
}

// Level is the smallest level (ε or ρ) at the shape's own n that reaches the i-th error; ok is false where the targets
// do not bracket it.
func (n *Requirements) Level(i int) (level float64, ok bool) { return n.levels[i], n.within[i] }

// level says it in the table's words: the first level compared may do already, and the last may not do.
func (n *Requirements) level(i int) string {
	switch level, ok := n.Level(i); {
	case ok:
		return fmt.Sprintf("%.2g", level)
	case level > 0:
		return fmt.Sprintf("below %.3g", level)
	}
	most := 0.0
	for _, t := range n.advice.targets {
		most = max(most, scale(t))
	}
	return fmt.Sprintf("not up to %.3g", most)
}

// Size is the smallest n, up to 3 %, that reaches the i-th error at target j, with the mechanism recommended there; ok
// is false where the search found none.
func (n *Requirements) Size(i, j int) (s Size, ok bool) { return n.sizes[i][j], n.sizes[i][j].N > 0 }

// Table has a line for every error: the level that it needs at the shape's own n, and the n that it needs at every
// target.
func (n *Requirements) Table() *table.Table {
	a := n.advice
	own, _ := a.shape.N()
	head := []string{"error", fmt.Sprintf("%s at n = %d", symbol(a.targets[0]), own)}
	for _, t := range a.targets {
		head = append(head, "n at "+t.Parameters.String())
	}
	t := table.New("What an error of "+a.Measure()+" needs", head...)
	for i, e := range n.errors {
		row := []any{e, n.level(i)}
		for j := range a.targets {
			if s, ok := n.Size(i, j); ok {
				row = append(row, s.N)
			} else {
				row = append(row, "–")
			}
		}
		t.Add(row...)
	}
	for _, note := range n.notes {
		t.Note(note)
	}
	return t.Note(n.caption() + " " + symbol(a.targets[0]) + " by interpolation between the levels compared.")
}

// caption are the terms without the n, which is one of the answers.
func (n *Requirements) caption() string { return n.advice.captionWith(",") + " n up to 3 %." }

// Figure draws the n that an error needs against the error, a line for every target. A figure without any found n has
// no series and cannot be drawn: its table says why.
func (n *Requirements) Figure() *figure.Figure {
	a := n.advice
	f := &figure.Figure{
		Title: "What an error of " + a.Measure() + " needs", XLabel: "mean absolute error", YLabel: "n",
		LogX: true, LogY: true, Caption: n.caption(),
	}
	order := make([]int, len(n.errors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(n.errors[i], n.errors[j]) })
	for j, t := range a.targets {
		s := figure.Series{Name: t.Parameters.String()}
		for _, i := range order {
			if size, ok := n.Size(i, j); ok {
				s.X, s.Y = append(s.X, n.errors[i]), append(s.Y, float64(size.N))
			}
		}
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

// String shows the table as text.
func (n *Requirements) String() string { return table.Text(n) }
