package frame

import (
	"io"
	"math"
	"slices"
	"strconv"
)

// inferCategories is the largest number of distinct numbers that InferSchema still takes for categories.
const inferCategories = 12

// InferSchema guesses a schema from CSV or CSV.gz data, for exploration only: it reads private rows, so the schema has
// Inferred set and nothing made under it is private. Empty fields, "NA" and "?" count as missing; columns of numbers
// with more than 12 distinct values get ten bins between round bounds, whole numbers if all are; any other column gets
// its distinct values in order as categories. Errors: *FileError, *ValueError (a record of another length),
// *SchemaError (more than 65536 categories).
func InferSchema(r io.Reader, dataset string, opts ...ReadOption) (*Schema, error) {
	format, err := formatOf(nil, opts)
	if err != nil {
		return nil, err
	}
	text, err := plainText(r, dataset, format.encoding())
	if err != nil {
		return nil, err
	}
	sc, err := format.begin(text, dataset)
	if err != nil {
		return nil, err
	}
	var cols []*guess
	names, _ := headerNames(sc.fields())
	for _, name := range names {
		cols = append(cols, &guess{name: name, values: map[string]bool{}, marks: map[string]bool{}, whole: true,
			read: encoder{numeric: true}, min: math.Inf(1), max: math.Inf(-1)})
	}
	rows := 0
	for _, g := range cols {
		g.read.written(format)
	}
	for ; err == nil; rows++ {
		if err = sc.next(); err != nil {
			break
		}
		fields := sc.fields()
		if len(fields) != len(cols) {
			return nil, &ValueError{File: dataset, Line: sc.line, Value: count(len(fields), "field"),
				Want: count(len(cols), "field") + ", as in the header"}
		}
		for i, g := range cols {
			g.see(fields[i])
		}
	}
	if err != io.EOF {
		return nil, sc.failure(dataset, err)
	}
	if rows == 0 {
		return nil, &FileError{File: dataset, Want: "at least one row; the file has a header but no rows"}
	}
	s := &Schema{Dataset: dataset, Inferred: true, Format: format}
	for _, g := range cols {
		s.Columns = append(s.Columns, g.column())
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// guess gathers what one column looks like.
type guess struct {
	name     string
	values   map[string]bool // distinct, up to maxLevels+1
	marks    map[string]bool
	read     encoder // of numbers
	text     bool    // a value is not a number
	whole    bool
	min, max float64
}

func (g *guess) see(b []byte) {
	switch string(b) {
	case "", "NA", "?":
		g.marks[string(b)] = true
		return
	}
	if len(g.values) <= maxLevels && !g.values[string(b)] {
		g.values[string(b)] = true
	}
	x, ok := g.read.parse(b)
	if !ok || math.IsInf(x, 0) {
		g.text = true
		return
	}
	g.whole = g.whole && x == math.Trunc(x) && math.Abs(x) < 1e15
	g.min, g.max = min(g.min, x), max(g.max, x)
}

func (g *guess) column() Column {
	c := Column{Name: g.name, Kind: KindCategorical, Description: "inferred from data"}
	for m := range g.marks {
		c.Missing = append(c.Missing, m)
	}
	slices.Sort(c.Missing)
	if len(c.Missing) > 0 {
		c.OnMissing = MissingAsCategory
		c.MissingCategory = "missing"
		for g.values[c.MissingCategory] {
			c.MissingCategory += "_"
		}
	}
	if g.text || len(g.values) <= inferCategories {
		for v := range g.values {
			c.Categories = append(c.Categories, v)
		}
		slices.Sort(c.Categories)
		if len(c.Categories) == 0 { // nothing but missing marks
			c.Categories = []string{"present"}
		}
		return c
	}
	c.Kind, c.Edges = KindReal, roundEdges(g.min, g.max, g.whole)
	if g.whole {
		c.Kind = KindInteger
	}
	c.Min, c.Max = c.Edges[0], c.Edges[len(c.Edges)-1]
	return c
}

// roundEdges gives about ten bins with edges at multiples of 1, 2 or 5 times a power of ten.
func roundEdges(lo, hi float64, whole bool) []float64 {
	raw := hi/10 - lo/10
	exp := math.Floor(math.Log10(raw))
	step := 10.0
	for _, m := range []float64{1, 2, 5} {
		if m*math.Pow(10, exp) >= raw {
			step = m
			break
		}
	}
	if whole && exp < 0 {
		step, exp = 1, 0
	}
	unit := step * math.Pow(10, exp)
	if !(unit > 0) || math.IsInf(unit, 0) || math.Abs(lo)/unit > 1e9 || math.Abs(hi)/unit > 1e9 {
		return []float64{lo, hi} // too far apart or too close for round numbers
	}
	// The decimal text of k·unit, so that edges read 0.3 and not 0.30000000000000004.
	edge := func(k float64) float64 {
		e, _ := strconv.ParseFloat(strconv.FormatFloat(k*unit, 'g', 12, 64), 64)
		return e
	}
	k := math.Floor(lo / unit)
	if edge(k) > lo {
		k--
	}
	edges := []float64{edge(k)}
	for edges[len(edges)-1] < hi {
		k++
		edges = append(edges, edge(k))
	}
	return edges
}
