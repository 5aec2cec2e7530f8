package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// drawnRows are the records behind simulated statistics: each stands for so many rows, the first more for one else.
type drawnRows struct {
	columns []frame.Column
	codes   [][]uint16 // by column
	times   int64
	more    int
}

// count is the table of some columns, the last running fastest.
func (d *drawnRows) count(ctx context.Context, columns ...string) ([]int64, error) {
	codes, levels, cells := make([][]uint16, len(columns)), make([]int, len(columns)), 1
	for j, name := range columns {
		i := slices.IndexFunc(d.columns, func(c frame.Column) bool { return c.Name == name })
		if i < 0 {
			return nil, &MismatchError{name, "missing", "a column of the simulated records"}
		}
		codes[j], levels[j] = d.codes[i], d.columns[i].Levels()
		if cells *= levels[j]; cells > maxCells {
			return nil, &Error{Model: "simulated records", Column: strings.Join(columns, " × "),
				Value: "too many cells", Want: fmt.Sprintf("at most %d", maxCells)}
		}
	}
	out := make([]int64, cells)
	for r := range len(d.codes[0]) {
		if r%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cell := 0
		for j, k := range levels {
			cell = cell*k + int(codes[j][r])
		}
		if out[cell] += d.times; r < d.more {
			out[cell]++
		}
	}
	return out, nil
}

// statistics counts the tables of a shape.
func (d *drawnRows) statistics(ctx context.Context, sh *Shape) (*Statistics, error) {
	tables := make([][]int64, len(sh.tables))
	for k, t := range sh.tables {
		var err error
		if tables[k], err = d.count(ctx, t.Columns...); err != nil {
			return nil, err
		}
	}
	st, err := FromCounts(sh, tables)
	if err == nil {
		st.drawn = d
	}
	return st, err
}

// Under are the statistics of another shape on the same simulated records, so that models are compared on the same
// data. Errors: *Error where the statistics are not those that Simulate gives of a learned structure, *MismatchError
// for other columns, and the context's.
func (s *Statistics) Under(ctx context.Context, sh *Shape) (*Statistics, error) {
	if s.drawn == nil {
		return nil, wrong(s.shape.model, "", "no simulated records", "what Simulate makes of a learned structure")
	}
	if err := sh.acceptsAll(s.shape.schema, sh.columns); err != nil {
		return nil, err
	}
	return s.drawn.statistics(ctx, sh)
}

// SimulationBytes is about what the records behind simulated statistics take.
func (l *Learning) SimulationBytes() float64 {
	columns := len(l.shape.columns)
	return 2 * float64(columns) * float64(networkRowsOf(columns, l.shape.n))
}

// WithModel is the shape of another model of the same columns, n and rows: a learned structure, or a given network.
// Errors: *Error for other models and columns.
func (s *Shape) WithModel(m Model) (*Shape, error) {
	switch m.(type) {
	case LearnedModel, NetworkModel:
	case nil:
		return nil, wrong(s.model, "", "no model with it", "a learned structure or a Network")
	default:
		return nil, wrong(m, "", "no distribution of the pairs of columns",
			"a learned structure such as Tree(), or a Network")
	}
	sh, err := NewShape(s.schema, m, s.n, s.publicN, s.nStep)
	if err != nil {
		return nil, err
	}
	own, other := s.columnNames(), sh.columnNames()
	for _, name := range append(slices.Clone(other), own...) {
		if !slices.Contains(own, name) {
			return nil, wrong(m, name, "not a column of "+s.model.String(), safetext.OneOf(name, own))
		} else if !slices.Contains(other, name) {
			return nil, wrong(m, name, "not in the model",
				"the columns of "+s.model.String()+": "+strings.Join(quoted(own), ", "))
		}
	}
	return sh.OfRows(s.rows...), nil
}

// AllPairs is the shape that models of the columns are compared under: its tables are of all pairs of columns that may
// be measured, also where the structure is a public star, and [Fitted.PairsUnder] is of these.
func (l *Learning) AllPairs() *Shape {
	s := l.shape
	all := MaxEntropy().Classifying(l.model.target).MaxCells(l.MaxCells).Always().Evenly()
	all.settings.Columns = s.columnNames()
	sh, err := NewShape(s.schema, all, s.n, s.publicN, s.nStep)
	if err != nil { // of a star: all pairs have too many cells
		return s
	}
	return sh.OfRows(s.rows...)
}

// Alternatives are what a learned structure is to be compared with: MaxEntropy, Tree, and every column by itself, of
// the same columns; the first two with the same public knowledge, workload and bounds.
func (l *Learning) Alternatives() (out []Model) {
	for _, a := range []LearnedModel{MaxEntropy(), Tree()} {
		set := l.model.settings
		if l.Algorithm == Greedy || set.MaxCells == l.model.MaxCells(0).settings.MaxCells { // the usual of each
			set.MaxCells = 0
		}
		set.Algorithm, set.Star, set.Width, set.Always, set.Greedy = a.settings.Algorithm, "", 0, false, nil
		set.Statements = false
		if set.Algorithm != Pairs {
			set.Reserve = nil
		}
		if l.Algorithm == Greedy { // which has no sums within bins
			set.WithinBins = a.settings.WithinBins
		}
		a.settings, a.target = set, l.model.target
		a = a.MaxCells(set.MaxCells)
		out = append(out, a)
	}
	s := l.shape
	families := make([]Family, len(s.columns))
	for i, c := range s.columns {
		families[i] = Node(c.Name)
	}
	return append(out, Network(s.columns[0].Name, families...))
}

// PairsUnder are the fitted distributions of the pairs of a learned structure's shape, in the order of its Pairs, from
// a model of its columns, whatever its structure. Errors: *Error for a model that is no network, those of
// bayesnet.Net.Query where a pair cannot be computed, and the context's.
func (f *Fitted) PairsUnder(ctx context.Context, sh *Shape) (out [][]float64, err error) {
	if f.net == nil {
		return nil, wrong(f.shape.model, "", "no network", "a learned structure, or a Network")
	}
	own := map[[2]string]int{}
	if f.pairsOf != nil {
		for i, p := range f.of.pairs() {
			own[[2]string{f.of.columns[p[0]].Name, f.of.columns[p[1]].Name}] = i
		}
	}
	for _, p := range sh.pairs() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := sh.columns[p[0]], sh.columns[p[1]]
		var t []float64
		if i, ok := own[[2]string{a.Name, b.Name}]; ok {
			t, err = f.pairsOf(i)
		} else if i, ok := own[[2]string{b.Name, a.Name}]; ok {
			if t, err = f.pairsOf(i); err == nil {
				t = transposed(t, b.Levels(), a.Levels())
			}
		} else {
			t, err = f.pair(ctx, a.Name, b.Name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// pair is the distribution of two columns, the second running fastest, by the network.
func (f *Fitted) pair(ctx context.Context, a, b string) ([]float64, error) {
	net := f.Network()
	i, okA := net.DAG().Index(a)
	j, okB := net.DAG().Index(b)
	if !okA || !okB {
		return nil, &MismatchError{a + " × " + b, "missing", "a pair of the network's columns"}
	}
	return net.WithContext(ctx).Query([]int{i, j}, nil)
}
