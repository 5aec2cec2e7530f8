package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ContingencyTableModel is the Dirichlet posterior of the cells of a table of several columns: see ContingencyTable.
type ContingencyTableModel struct {
	ofCounts
	others []string
}

// ContingencyTable is the joint distribution of 1 to 6 columns: the share of every cell of their table under the prior
// Dirichlet(α, …, α) over cells, α = 1. Cells are all combinations of the columns' public levels (categories, bins, the
// missing category), the last column running fastest, and at most 1,000,000. Each row lies in one cell, so that the
// table is released as one column with as many levels. A margin is a sum of cells: its posterior is Dirichlet, too.
// Predictions are of the first column given the others.
func ContingencyTable(columns ...string) ContingencyTableModel {
	m := ContingencyTableModel{ofCounts: ofCounts{base{alpha: Prior{1}}}}
	if len(columns) > 0 {
		m.target, m.others = columns[0], slices.Clone(columns[1:])
	}
	return m
}

// Bounds of a contingency table.
const (
	maxTableColumns = 6
	maxTableCells   = 1_000_000
)

// WithPrior sets the prior: one hyperparameter α > 0 for every cell, or one per cell, the last column running fastest.
// α is public: choose it without the data.
func (m ContingencyTableModel) WithPrior(alpha ...float64) ContingencyTableModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// names are the columns, in order.
func (m ContingencyTableModel) names() []string { return append([]string{m.target}, m.others...) }

// String describes the model.
func (m ContingencyTableModel) String() string {
	return "contingency table of " + strings.Join(quoted(m.names()), " × ")
}

func (m ContingencyTableModel) describe() Description {
	return Description{Kind: "table", Target: m.target, Features: m.others, Alpha: m.alpha}
}

func (m ContingencyTableModel) with(d Description) Model {
	m.target, m.others, m.alpha = d.Target, d.Features, d.Alpha
	return m
}

func (m ContingencyTableModel) columns(s *frame.Schema) (out []frame.Column, err error) {
	if k := len(m.names()); k > maxTableColumns {
		return nil, wrong(m, "", fmt.Sprintf("%d columns", k), fmt.Sprintf("1 to %d columns", maxTableColumns))
	}
	cells := 1
	for i, name := range m.names() {
		c, _, err := s.Column(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(m.names()[:i], name) {
			return nil, wrong(m, name, "named twice", "each column once")
		}
		if err := countable(m, c); err != nil {
			return nil, err
		}
		if cells *= c.Levels(); cells > maxTableCells {
			return nil, wrong(m, name, fmt.Sprintf("%d cells so far", cells),
				fmt.Sprintf("at most %d cells; use fewer columns, levels or bins", maxTableCells))
		}
		out = append(out, *c)
	}
	if want, ok := m.Prior().valid(cells, true); !ok {
		return nil, wrong(m, "", fmt.Sprintf("prior hyperparameter α = %s", m.Prior()), want)
	}
	return out, nil
}

// layOut makes one table, of all columns.
func (m ContingencyTableModel) layOut(sh *Shape) error {
	t := Table{Name: strings.Join(m.names(), " × "), Columns: m.names()}
	for _, c := range sh.columns {
		t.Levels, t.Labels = append(t.Levels, c.Levels()), append(t.Labels, c.Labels())
	}
	sh.tables = []Table{t}
	odd := func(l string) bool { return strings.ContainsAny(l, ",[") && !bin(l) }
	if !slices.ContainsFunc(slices.Concat(t.Labels...), odd) {
		return nil // a label that begins with a bracket is a bin up to its end, so that a cell's is read in one way
	}
	seen := make(map[string]bool, t.Cells())
	for _, label := range t.CellLabels() {
		if seen[label] {
			return wrong(m, "", fmt.Sprintf("two cells that are both %s", safetext.Quote(label)),
				"labels that tell cells apart: Recode those that hold a comma")
		}
		seen[label] = true
	}
	return nil
}

// CellLabels names the cells of the table by the labels of its columns, in order: "male, North".
func (t Table) CellLabels() []string {
	out := []string{""}
	for i, labels := range t.Labels {
		next := make([]string, 0, len(out)*len(labels))
		for _, first := range out {
			if i > 0 {
				first += ", "
			}
			for _, l := range labels {
				next = append(next, first+l)
			}
		}
		out = next
	}
	return out
}

// Margin sums the cells of the table over all columns but some, which are given by their places in order.
func (t Table) Margin(cells []float64, columns ...int) []float64 {
	size := 1
	for _, c := range columns {
		size *= t.Levels[c]
	}
	out, code := make([]float64, size), make([]int, len(t.Levels))
	for i, v := range cells {
		for k, rest := len(code)-1, i; k >= 0; k-- {
			code[k], rest = rest%t.Levels[k], rest/t.Levels[k]
		}
		at := 0
		for _, c := range columns {
			at = at*t.Levels[c] + code[c]
		}
		out[at] += v
	}
	return out
}

// Joint reports whether the model is one table of several columns: a contingency table.
func (s *Shape) Joint() bool {
	_, ok := s.model.(ContingencyTableModel)
	return ok && len(s.columns) > 1
}

// whole names the one distribution of a model without features, and its levels: those of the target, or the cells of a
// contingency table.
func (s *Shape) whole() (name string, labels []string) {
	if s.Joint() {
		return s.tables[0].Name, s.tables[0].CellLabels()
	}
	return s.columns[0].Name, s.columns[0].Labels()
}

// Margins are the posteriors of the columns of a contingency table of several, each a sum of cells: none for other
// models.
func (f *Fitted) Margins() (out []Named) {
	if !f.shape.Joint() {
		return nil
	}
	for i, c := range f.shape.columns {
		if d, err := posterior.NewDirichlet(f.shape.tables[0].Margin(f.class.Alpha(), i)); err == nil {
			out = append(out, Named{c.Name, c.Labels(), d})
		}
	}
	return out
}

func (ContingencyTableModel) conditionals(sh *Shape) []Conditional {
	return []Conditional{{sh.tables[0].Name, 1, sh.Cells()}}
}

func (m ContingencyTableModel) words() Words {
	w := m.ofCounts.words()
	w.Guess, w.Error = "most frequent level", "a share of a cell"
	w.Bars = "Accuracy on held-out rows, of the first column given the others"
	return w
}

// predict gives P(level of the first column | levels of the others): the posterior means of the cells, scaled.
func (ContingencyTableModel) predict(f *Fitted, x *frame.Frame) ([]float64, error) {
	return f.shape.GivenOthers(f.class.Mean(), x)
}

// GivenOthers are the shares of the first column's levels among the cells of a contingency table that a row of x may be
// in by its other columns, row by row: cells are shares above 0. Errors: those of reading the columns.
func (s *Shape) GivenOthers(cells []float64, x *frame.Frame) ([]float64, error) {
	codes := make([]frame.Codes, len(s.columns)-1)
	for k, c := range s.columns[1:] {
		var err error
		if codes[k], err = x.Codes(c.Name); err != nil {
			return nil, err
		}
	}
	classes := s.Classes()
	stride, out := len(cells)/classes, make([]float64, x.Len()*classes)
	for i := range x.Len() {
		at := 0
		for k, c := range codes {
			at = at*s.columns[k+1].Levels() + c.At(i)
		}
		row := out[i*classes : (i+1)*classes]
		for j := range row {
			row[j] = cells[j*stride+at]
		}
		for sum, j := floats.Sum(row), 0; j < classes; j++ {
			row[j] /= sum
		}
	}
	return out, nil
}

// guess is the accuracy of always saying the level of the first column that is most frequent in training.
func (m ContingencyTableModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	if margins := np.Margins(); margins != nil {
		first := *np
		first.class = margins[0]
		np = &first
	}
	return m.ofCounts.guess(np, x)
}

func (ContingencyTableModel) logLikelihood(f *Fitted, x *frame.Frame) (sum float64, err error) {
	counts, err := x.CountPrivate(f.shape.columnNames()...)
	mean := f.class.Mean()
	for i, n := range counts {
		if n > 0 {
			sum += float64(n) * math.Log(mean[i])
		}
	}
	return sum, err
}

// records draws cells.
func (ContingencyTableModel) records(f *Fitted, n int, src rand.Source) ([][]int, error) {
	cells, codes := newAlias(f.class.Mean()), make([][]int, len(f.shape.columns))
	for c := range codes {
		codes[c] = make([]int, n)
	}
	for i := range n {
		cell := cells.draw(src)
		for c := len(codes) - 1; c >= 0; c-- {
			l := f.shape.columns[c].Levels()
			codes[c][i], cell = cell%l, cell/l
		}
	}
	return codes, nil
}

func (ContingencyTableModel) simulate(_ context.Context, sh *Shape, n int, a0 float64, src rand.Source) (*Statistics,
	error) {
	return FromCounts(sh, [][]int64{multinomial(int64(n), distribution(sh.Cells(), a0, src), src)})
}

// conditionalTable shows the shares of a column's levels within each level of the first.
func (m ContingencyTableModel) conditionalTable(f *Fitted, feature string, _ cellOf) (*table.Table, error) {
	k := f.shape.place(feature)
	if k < 1 {
		return nil, wrong(m, feature, "not a column after the first", safetext.OneOf(feature, m.others))
	}
	t := f.shape.tables[0]
	both, first := t.Margin(f.class.Alpha(), 0, k), t.Margin(f.class.Alpha(), 0)
	return cellTable(plain(feature)+" given "+plain(m.target), plain(m.target), t.Labels[k], plains(t.Labels[0]), k,
		func(_, j, level int) any { return both[j*t.Levels[k]+level] / first[j] }), nil
}

// The layout of a table has at most so many rows and columns.
const layoutRows, layoutColumns = 60, 12

// shown is the layout of a table of two columns: rows × columns with totals. It asks cell for the distributions 0, the
// cells, and 1 and 2, the totals of rows and of columns.
func (m ContingencyTableModel) shown(f *Fitted, cell cellOf) []*table.Table {
	t := f.shape.tables[0]
	if len(t.Levels) != 2 || t.Levels[0] > layoutRows || t.Levels[1] > layoutColumns {
		return nil
	}
	return []*table.Table{cellTable("Shares of "+plain(m.target)+" × "+plain(m.others[0]), plain(m.target),
		append(t.Labels[1], "total"), append(plains(t.Labels[0]), "total"), 0, func(_, j, level int) any {
			switch {
			case j == t.Levels[0] && level == t.Levels[1]:
				return 1
			case j == t.Levels[0]:
				return cell(2, 0, level)
			case level == t.Levels[1]:
				return cell(1, 0, j)
			}
			return cell(0, j, level)
		})}
}

// figure draws the cells as bars with their intervals: grouped by the first column where that has few levels.
func (m ContingencyTableModel) figure(f, np *Fitted, caption string) *figure.Figure {
	const groups = 6
	name, labels := f.shape.whole()
	out := &figure.Figure{Title: "Shares of " + plain(name), XLabel: plain(name), Caption: caption, Private: np != nil,
		YLabel: fmt.Sprintf("share, %g %% given the counts", 100*shareLevel), XTicks: labels}
	rows, names := 1, []string{""}
	if t := f.shape.tables[0]; len(t.Levels) == 2 && t.Levels[0] <= groups {
		rows, names, out.XTicks, out.XLabel = t.Levels[0], t.Labels[0], t.Labels[1], plain(m.others[0])
	}
	draw := func(kind string, f *Fitted, dashed bool) {
		for j, name := range names {
			s := figure.Series{Name: strings.TrimPrefix(name+", "+kind, ", "), Kind: figure.Bars, Dashed: dashed}
			for x := range len(labels) / rows {
				addShare(&s, float64(x), f.class.Marginal(j*len(labels)/rows+x))
			}
			out.Series = append(out.Series, s)
		}
	}
	draw("released", f, false)
	if np != nil {
		draw("non-private", np, true)
	}
	return out
}
