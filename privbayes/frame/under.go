package frame

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/label"
)

// Under puts the rows of a frame under another schema with the same columns in the same order: numbers by their
// values, categories by their names, missing values as missing. Whether n is public stays as it was, and so do the
// steps that made the columns and what was inferred. Errors: *SchemaError, also for another data set or unit, or fewer
// rows of a unit than the frame may hold; *ColumnError where a column is absent or of another kind, or a sequence;
// *ValueError for a value that the new schema has no code for.
func (f *Frame) Under(s *Schema) (*Frame, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	switch has := f.schema; {
	case s.Dataset != has.Dataset:
		return nil, bad("dataset", label.Short(s.Dataset),
			label.Short(has.Dataset)+", as in the frame: budgets are kept by it")
	case s.Unit != has.Unit:
		return nil, bad("unit", label.Short(s.Unit), label.Short(has.Unit)+", as in the frame")
	case s.RowsPerUnit < has.RowsPerUnit:
		return nil, bad("rows_per_unit", strconv.Itoa(s.RowsPerUnit), "at least "+strconv.Itoa(has.RowsPerUnit)+
			", which a unit may have in the frame")
	case s.UnitKey != has.UnitKey || s.PadUnits != has.PadUnits:
		return nil, bad("unit_key", label.Short(s.UnitKey), label.Short(has.UnitKey)+", by which the rows of the frame were "+
			"or were not capped")
	}
	s.Inferred = s.Inferred || f.schema.Inferred
	if k := len(f.schema.Steps); len(s.Steps) < k || !slices.Equal(s.Steps[:k], f.schema.Steps) {
		s.Steps = slices.Concat(f.schema.Steps, s.Steps)
	}
	if len(s.Columns) != len(f.cols) {
		return nil, &ColumnError{Step: "Under", Column: fmt.Sprintf("%d columns", len(s.Columns)),
			Have: f.schema.Names(), Want: count(len(f.cols), "column") + ", as the frame has"}
	}
	g := &Frame{schema: s, n: f.n, cols: make([]column, len(f.cols)), privateBy: f.privateBy, who: f.who, slots: f.slots,
		block: f.block, lineage: f.lineage, source: f.source, places: f.places, public: f.public}
	for i, to := range s.Columns {
		from := f.schema.Columns[i]
		if to.Name != from.Name || to.Kind != from.Kind || to.Kind == KindSequence {
			return nil, &ColumnError{Step: "Under", Column: to.Name, Have: f.schema.Names(),
				Want: fmt.Sprintf("column %d to be %q, %s, as in the frame, and no sequence", i, from.Name, from.Kind)}
		}
		e := newEncoder(to)
		if err := e.recode(f.n, f.cols[i], from); err != nil {
			return nil, err
		}
		g.cols[i] = e.out.column(to)
		if f.n == 0 {
			g.cols[i].codes = Codes{U8: []uint8{}, Levels: to.Levels()}
		}
	}
	return g, nil
}

// recode encodes the rows of a column that was encoded as from.
func (e *encoder) recode(n int, col column, from Column) error {
	labels := from.Labels()
	missing := -1
	if from.HasMissing() {
		missing = len(labels) - 1
	}
	for i := range n {
		code := col.codes.At(i)
		ok, shown := false, labels[code]
		switch {
		case code == missing:
			if ok = e.missing >= 0; ok && e.numeric {
				ok = e.addMissing(e.missing)
			} else if ok {
				e.push(e.missing)
			}
		case e.numeric:
			shown = formatFloat(col.values.at(i))
			ok = e.addNumber(col.values.at(i))
		default:
			ok = e.add([]byte(shown))
		}
		if !ok {
			return &ValueError{Line: i + 1, Column: e.col.Name, Value: shown, Want: e.why(shown)}
		}
	}
	return nil
}
