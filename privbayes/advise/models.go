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
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// models are the rows of a learned structure's comparison: the model asked about, its alternatives, and those named by
// the user, each with the noise that may be drawn for it. pure leaves out noise that pure ε does not bound.
func models(sh *model.Shape, beside []model.Model, pure bool) (out []Family, err error) {
	list, seen := []model.Model{sh.Model()}, map[string]int{}
	if l := sh.Learning(); l != nil {
		list = append(list, l.Alternatives()...)
	}
	var expressions []string
	for i, m := range append(list, beside...) {
		on, err := sh.WithModel(m)
		switch {
		case err != nil && i < len(list): // an alternative that the columns do not allow, such as by its bound of cells
			continue
		case err != nil:
			return nil, err
		case slices.Contains(expressions, model.Expression(m)):
			continue
		}
		expressions = append(expressions, model.Expression(m))
		title := titleOf(on)
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		f := Family{Title: title, Model: m, short: title, shape: on}
		for _, d := range catalog.All() {
			noise, ok := noises[d.Kind]
			if !ok || d.Choices == nil || noise.unbounded && pure {
				continue
			}
			for _, c := range d.Choices(on) {
				if c.Mechanism.Supports(on) != nil {
					continue
				}
				if c.Name == "usual" {
					c.Name = noise.name
				} else {
					c.Name = noise.name + ", " + c.Name
				}
				f.Choices = append(f.Choices, c)
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// noises are the mechanisms that models are compared with.
var noises = map[string]struct {
	name      string
	unbounded bool // its loss: no pure ε
}{
	"learned-geometric": {name: "geometric noise"}, "geometric": {name: "geometric noise"},
	"learned-gaussian":  {name: "discrete Gaussian noise", unbounded: true},
	"discrete-gaussian": {name: "discrete Gaussian noise", unbounded: true},
	"privbayes":         {name: "Laplace noise"},
}

// titleOf names a model in a table.
func titleOf(sh *model.Shape) string {
	l := sh.Learning()
	switch alone := func(t model.Table) bool { return len(t.Columns) == 1 }; {
	case l != nil && l.Always:
		return sh.Model().String() + ", always"
	case l == nil && !slices.ContainsFunc(sh.Tables(), func(t model.Table) bool { return !alone(t) }):
		return "every column by itself"
	}
	return sh.Model().String()
}

// placed plans every family for its own model, at the shape's n.
func placed(sh *model.Shape, families []Family) ([]Family, error) {
	out := slices.Clone(families)
	for i, f := range out {
		if out[i].shape = sh; f.Model == nil {
			continue
		}
		var err error
		if out[i].shape, err = sh.WithModel(f.Model); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Family is one row of a comparison: a mechanism, and the choices of which the best is taken at every target.
type Family struct {
	Title   string
	Choices []mechanism.Choice
	Model   model.Model // of a comparison of models, which are then the rows; nil: that of the shape

	short string       // in a figure
	shape *model.Shape // that it is planned for
}

// Families lists every mechanism of the library with the choices that are tried on a shape. Of a learned structure it
// lists models in place of mechanisms: the one asked about, MaxEntropy, Tree and every column by itself.
func Families(sh *model.Shape) (out []Family) {
	if sh.Learning() != nil {
		out, _ = models(sh, nil, false)
		return out
	}
	for _, d := range catalog.All() {
		if d.Choices == nil {
			continue
		}
		if list := d.Choices(sh); len(list) > 0 {
			out = append(out, Family{Title: d.Title, Choices: list, short: d.Short})
		}
	}
	return out
}

// alone makes a family of every mechanism.
func alone(list []mechanism.Mechanism) []Family {
	var out []Family
	seen, kinds := map[string]int{}, map[string]int{}
	for _, m := range list {
		kinds[m.Name()]++
	}
	for _, m := range list {
		title := m.Title()
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		short := title
		if kinds[m.Name()] == 1 { // told apart by the name of the kind
			short = shortOf(m.Name(), title)
		}
		out = append(out, Family{Title: title, Choices: []mechanism.Choice{{Name: "as given", Mechanism: m}}, short: short})
	}
	return out
}

// shortOf is the name in a figure of a kind of mechanism, or the title of one that is not of the library.
func shortOf(kind, title string) string {
	for _, d := range catalog.All() {
		if d.Kind == kind && d.Short != "" {
			return d.Short
		}
	}
	return title
}

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
				n.notes = append(n.notes, fmt.Sprintf("Error %s at %s: %s.", table.Number(e), named(t), no.What))
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
		head = append(head, "n at "+named(t))
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
func (n *Requirements) caption() string { return n.advice.captionWith(",") + " n to within 3 %." }

// Figure draws the n that an error needs against the error, a line for every target. A figure without any found n has
// no series and cannot be drawn: its table says why.
func (n *Requirements) Figure() *figure.Figure {
	a := n.advice
	f := &figure.Figure{
		Title: "Records that an error of " + a.Measure() + " needs", XLabel: "mean absolute error", YLabel: "records needed",
		LogX: true, LogY: true, Caption: n.caption(),
	}
	order := make([]int, len(n.errors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(n.errors[i], n.errors[j]) })
	for j, t := range a.targets {
		s := figure.Series{Name: named(t)}
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
