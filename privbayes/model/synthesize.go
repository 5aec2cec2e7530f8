package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Synthesize draws n records from the posterior predictive: the class, then each feature given the class. Binned
// columns get a value uniform in their bin, an integer where the column holds integers. The result reads nothing but
// the fitted model.
func (f *Fitted) Synthesize(n int, src rand.Source) (*frame.Frame, error) {
	if n < 0 || n > maxCells {
		return nil, wrong(f.shape.model, "", n, "0 ≤ n ≤ 2^27 synthetic records")
	}
	if src == nil {
		return nil, wrong(f.shape.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	m, ok := f.shape.model.(counted)
	if !ok {
		return nil, wrong(f.shape.model, "", "no law of whole records", "a model made of count tables")
	}
	codes, err := m.records(f, n, src)
	if err != nil {
		return nil, err
	}
	return f.shape.drawn(codes, src)
}

// SynthesizeExact makes n records whose counts are as near to the fitted network's probabilities as whole numbers can
// be, see bayesnet.Net.Deal; values and bins as in Synthesize. Errors: *Error for a model that is no network, too many
// records, or no source.
func (f *Fitted) SynthesizeExact(n int, src rand.Source) (*frame.Frame, error) {
	switch {
	case f.net == nil:
		return nil, wrong(f.shape.model, "", "no network", "a model made of a network")
	case n < 0 || n > maxCells/max(f.shape.dag.Len(), 1):
		return nil, wrong(f.shape.model, "", n, fmt.Sprintf("0 to %d records: 2^27 values",
			maxCells/max(f.shape.dag.Len(), 1)))
	case src == nil:
		return nil, wrong(f.shape.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	codes, err := f.shape.recordsBy(f.Network().Deal, n, src)
	if err != nil {
		return nil, err
	}
	return f.shape.drawn(codes, src)
}

// RecordsOf draws n records of a network with the shape's graph, with the columns, labels and values that Synthesize
// gives: for tables of probabilities other than the fitted ones, such as draws from a posterior. Errors:
// *Error for a shape without that graph or too many records, those of bayesnet.Net.Sample.
func (s *Shape) RecordsOf(net *bayesnet.Net, n int, src rand.Source) (*frame.Frame, error) {
	switch {
	case net == nil || s.dag == nil || net.DAG() != s.dag:
		return nil, wrong(s.model, "", "a network of another graph", "one over the DAG of Graph")
	case n < 0 || n > maxCells/max(s.dag.Len(), 1):
		return nil, wrong(s.model, "", n, fmt.Sprintf("0 to %d records: 2^27 values", maxCells/max(s.dag.Len(), 1)))
	case src == nil:
		return nil, wrong(s.model, "", "no source of randomness", "one such as dp.Secure or dp.Seeded gives")
	}
	codes, err := s.recordsOf(net, n, src)
	if err != nil {
		return nil, err
	}
	f, err := s.drawn(codes, src)
	if err != nil {
		return nil, err
	}
	return f.AsPublic("drawn from a network")
}

// drawn is the frame of codes, one list for each of the model's columns.
func (s *Shape) drawn(codes [][]int, src rand.Source) (*frame.Frame, error) {
	cols := map[string]any{}
	sc := *s.schema
	sc.Columns, sc.Format = s.columns, nil // drawn records are no file, and are written as plain CSV
	sc.UnitKey, sc.PadUnits = "", false    // every record is a unit of its own
	if name := sc.Dataset + " (synthetic)"; safetext.CheckTitle(name) == nil {
		sc.Dataset = name
	}
	for c, col := range s.columns {
		marks, err := s.schema.Marks(col.Name)
		if err != nil {
			return nil, err
		}
		cols[col.Name] = decode(col, codes[c], src, marks)
	}
	return frame.FromColumns(&sc, cols)
}

// records draws the codes of every column.
func (ofCounts) records(f *Fitted, n int, src rand.Source) ([][]int, error) {
	class := newAlias(f.class.Mean())
	cond := make([][]alias, len(f.cond))
	for k, rows := range f.cond {
		for _, d := range rows {
			cond[k] = append(cond[k], newAlias(d.Mean()))
		}
	}
	codes := make([][]int, len(f.shape.columns))
	for c := range codes {
		codes[c] = make([]int, n)
	}
	for i := range n {
		j := class.draw(src)
		codes[0][i] = j
		for k := range cond {
			codes[k+1][i] = cond[k][j].draw(src)
		}
	}
	return codes, nil
}

// decode turns codes into the labels or values that the schema reads back to the same codes. marks are numbers that it
// would read as missing.
func decode(col frame.Column, codes []int, src rand.Source, marks []float64) any {
	labels := col.Labels()
	out := make([]string, len(codes))
	for i, c := range codes {
		switch {
		case col.Kind == frame.KindCategorical && c < len(col.Categories):
			out[i] = labels[c]
		case len(col.Edges) > 0 && c < len(col.Edges)-1:
			out[i] = formatValue(col, c, src, marks)
		case len(col.Missing) > 0:
			out[i] = col.Missing[0]
		default:
			out[i] = labels[c]
		}
	}
	return out
}

// formatValue draws a value in a bin, whole where the column has whole numbers, that is none of the marks. A bin of
// marks alone, in which only noise can count anybody, gives a mark.
func formatValue(col frame.Column, bin int, src rand.Source, marks []float64) string {
	lo, hi := binEnds(col, bin)
	if col.Kind == frame.KindInteger {
		a, b := lo, hi
		inside := slices.DeleteFunc(slices.Clone(marks), func(m float64) bool {
			return m < a || m > b || m != math.Trunc(m)
		})
		if free := b - a + 1 - float64(len(inside)); free <= 0 && len(inside) > 0 {
			return col.Missing[0]
		}
		v := a + float64(sample.Uniform(src, uint64(math.Max(b-a, 0))+1-uint64(len(inside))))
		for _, m := range inside { // in order
			if m <= v {
				v++
			}
		}
		if col.Date != "" {
			return col.Text(v)
		}
		return formatFloat(v)
	}
	v := lo + (hi-lo)*sample.Float64(src)
	for slices.Contains(marks, v) {
		v = lo + (hi-lo)*sample.Float64(src)
	}
	if v >= hi && bin < len(col.Edges)-2 {
		v = lo
	}
	return formatFloat(v)
}
