package frame

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/label"
)

// Append puts the rows of another frame of the same data set and schema after those of f. n is the sum where both are
// public, and so is ApproximateRows where both say it. A unit may have rows in both, so its rows add up: the schema's
// RowsPerUnit is the sum of the two, also of a frame and itself, whose rows then count twice. Where a key is declared,
// n is private then, as a unit may have rows in one of them or in both: read files of one table with LoadShards. Error:
// *TogetherError.
func (f *Frame) Append(o *Frame) (*Frame, error) { return f.append(stepAppend, o, false) }

// AppendDisjoint is Append for frames of which the caller knows, without looking, that no unit has rows in both, such
// as the people of two countries: RowsPerUnit is the larger of the two. Frames that are known to share rows, such as
// a table of several files and one of these, are refused, and so are parts of one table with a key and public n: where
// one unit is replaced, both parts may change. Error: *TogetherError.
func (f *Frame) AppendDisjoint(o *Frame) (*Frame, error) { return f.append(stepDisjoint, o, true) }

func (f *Frame) append(name string, o *Frame, disjoint bool) (*Frame, error) {
	refuse := func(why, want string) (*Frame, error) { return nil, &TogetherError{name, why, want} }
	if o == nil {
		return refuse("no frame to append", "one of the same data set and schema")
	}
	s, t := f.Schema(), o.Schema()
	if s.Dataset != t.Dataset {
		return refuse(fmt.Sprintf("the data sets are %s and %s", label.Quote(s.Dataset), label.Quote(t.Dataset)),
			"frames of one data set: budgets are kept by data set, and its rows would be charged to another")
	}
	rows := s.RowsPerUnit + t.RowsPerUnit
	kind, _ := f.Selection().Overlap(o.Selection(), true)
	if disjoint {
		if kind == OverlapSame || kind == OverlapPart {
			return refuse("the frames share rows, so no unit of these has rows in one alone", "Append, which adds up the rows "+
				"of a unit")
		}
		if f.block > 0 && o.block > 0 && f.Selection().sharesSource(o.Selection()) {
			return refuse("the frames are parts of one table with a unit key, and where one unit is replaced both may change",
				"the table before it was divided")
		}
		rows = max(s.RowsPerUnit, t.RowsPerUnit)
	}
	about := s.ApproximateRows + t.ApproximateRows
	if s.ApproximateRows == 0 || t.ApproximateRows == 0 {
		about = 0 // of one of them nobody says
	}
	s.RowsPerUnit, s.ApproximateRows = t.RowsPerUnit, t.ApproximateRows
	if !s.Equal(t) {
		return refuse("the schemas differ", "columns that are made and described in the same way, in the same order")
	}
	s.RowsPerUnit, s.ApproximateRows = rows, about
	if err := s.Validate(); err != nil {
		return nil, err
	}
	by := RowStep{Name: name, Of: [2][]RowStep{f.lineage, o.lineage}}
	if kind == OverlapSame && stepsText(f.lineage) == stepsText(o.lineage) {
		by.Of[1], by.Twice = nil, true
	}
	g := &Frame{schema: s, n: f.n + o.n, cols: make([]column, len(f.cols)),
		lineage: []RowStep{by},
		source:  &source{parts: []Selection{f.Selection(), o.Selection()}, born: 1}}
	if f.public != "" && o.public != "" {
		g.public = f.public
	}
	if g.privateBy = f.privateBy; g.privateBy == "" {
		g.privateBy = o.privateBy
	}
	keyed := f.block > 0 && o.block > 0
	if g.privateBy == "" && keyed && (!disjoint || f.block != o.block) {
		g.privateBy = name
	}
	if g.privateBy != "" || keyed {
		g.who = &identity{find: func() []unitID { return slices.Concat(f.whose(), o.whose()) }, columns: f.columnsOf()}
		if other := o.columnsOf(); other != g.who.columns {
			g.who.columns = shortID(g.who.columns + other)
		}
	}
	for i, c := range f.cols {
		d := o.cols[i]
		g.cols[i] = column{
			codes:  Codes{both(c.codes.U8, d.codes.U8), both(c.codes.U16, d.codes.U16), c.codes.Levels},
			values: c.values.then(d.values),
			seqs:   both(c.seqs, d.seqs),
		}
	}
	if g.privateBy != "" || !keyed {
		return g, nil
	}
	// the units in their order, as if they were of one table
	g.block = f.block
	idx, ids := inOrder(g.n), g.whose()
	slices.SortStableFunc(idx, func(a, b int) int { return slices.Compare(ids[a][:], ids[b][:]) })
	h := g.pick(idx)
	h.lineage = g.lineage
	return h, nil
}

func both[T any](a, b []T) []T {
	if a == nil && b == nil {
		return nil
	}
	return slices.Concat(a, b)
}
