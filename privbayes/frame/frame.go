// Package frame holds tables. A [Schema] is the public part of a table, and a [Frame] has its private rows.
//
// The schema comes first and from outside the data: names, categories, bounds, bin edges, what missing marks mean, and
// what happens to a value outside the domain. Reading a file under a schema can refuse the file, but never change the
// schema.
//
//	schema, err := frame.ParseSchema(text)
//	rows, err := frame.Load(ctx, "survey.csv", schema)
//	train, test, err := rows.Split(0.7, 1)
//
// A frame knows which steps chose its rows ([RowStep]) and whether their number is public. It knows nothing about
// privacy. Package model counts its rows, and package privbayes begins chains from it.
package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Frame is an immutable table of private rows under a public schema. Printing it, in any format, shows public facts
// only; it does not marshal. The slices that Codes, Values and Sequences return are its own memory: read, never write
// them.
type Frame struct {
	schema    *Schema
	n         int
	cols      []column
	privateBy string    // why the number of rows is private, "" where it is public
	who       *identity // whose rows these are, where a key says so or n is private; else steps choose by place
	slots     []int     // of each row in who, nil for all in order
	block     int       // with a key and public n: the rows of every unit, which stand together; else 0
	lineage   []RowStep // the steps that chose the rows
	source    *source   // what was read
	places    []uint32  // of the rows in it, where public and not all in order
	public    string    // why the rows are public, "" if they are private
	warned    warning.List
}

// Codes are the codes of one column: U8 where there are at most 256, else U16.
type Codes struct {
	U8     []uint8
	U16    []uint16
	Levels int // codes are 0, …, Levels−1
}

// At is the code of row i.
func (c Codes) At(i int) int {
	if c.U8 != nil {
		return int(c.U8[i])
	}
	return int(c.U16[i])
}

// Len is the number of rows.
func (c Codes) Len() int { return len(c.U8) + len(c.U16) }

// Len is the number of rows. It is private when PublicN says so.
func (f *Frame) Len() int { return f.n }

// Schema returns a copy of the public schema, defaults written out.
func (f *Frame) Schema() *Schema { return f.schema.Clone() }

// PublicN is the number of rows where it is public; ok is false after Where and Present.
func (f *Frame) PublicN() (n int, ok bool) {
	if f.privateBy != "" {
		return 0, false
	}
	return f.n, true
}

// Lineage lists the steps that chose the rows from those that were read, such as "Split(0.7, 1), train". It is public.
func (f *Frame) Lineage() []RowStep { return cloneSteps(f.lineage) }

// PrivateNStep names the step that made the number of rows private, or is empty.
func (f *Frame) PrivateNStep() string { return f.privateBy }

// column finds a column for a step.
func (f *Frame) column(step, name string) (*column, *Column, error) {
	for i := range f.schema.Columns {
		if c := &f.schema.Columns[i]; c.Name == name {
			return &f.cols[i], c, nil
		}
	}
	return nil, nil, &ColumnError{Step: step, Column: name, Have: f.schema.Names()}
}

// coded finds a column that has one code per row.
func (f *Frame) coded(step, name string) (*column, *Column, error) {
	col, c, err := f.column(step, name)
	if err == nil && c.Kind == KindSequence {
		err = &ColumnError{Step: step, Column: name, Have: f.schema.Names(), Want: "a categorical, integer or real " +
			"column; this one is a sequence"}
	}
	return col, c, err
}

// Codes returns the codes of a categorical, integer or real column: *ColumnError otherwise.
func (f *Frame) Codes(name string) (Codes, error) {
	col, _, err := f.coded("Codes", name)
	if err != nil {
		return Codes{}, err
	}
	return col.codes, nil
}

// Values returns the values of an integer or real column, within its bounds, NaN where missing: *ColumnError otherwise.
func (f *Frame) Values(name string) ([]float64, error) {
	col, c, err := f.column("Values", name)
	if err != nil {
		return nil, err
	}
	if !c.Numeric() {
		return nil, &ColumnError{Step: "Values", Column: name, Have: f.schema.Names(), Want: "an integer or real " +
			"column; this one is " + string(c.Kind)}
	}
	return col.values.all(), nil
}

// Sequences returns the item codes of a sequence column: *ColumnError otherwise.
func (f *Frame) Sequences(name string) ([][]uint16, error) {
	col, c, err := f.column("Sequences", name)
	if err != nil {
		return nil, err
	}
	if c.Kind != KindSequence {
		return nil, &ColumnError{Step: "Sequences", Column: name, Have: f.schema.Names(), Want: "a sequence column; " +
			"this one is " + string(c.Kind)}
	}
	return col.seqs, nil
}

// Format prints public facts for every verb, so that no format shows rows.
func (f *Frame) Format(s fmt.State, _ rune) {
	if f == nil {
		_, _ = io.WriteString(s, "<nil>")
		return
	}
	_, _ = io.WriteString(s, f.String())
}

// MarshalJSON refuses with ErrSealed.
func (f *Frame) MarshalJSON() ([]byte, error) { return nil, ErrSealed }

// Select keeps the named columns in the given order, and the weight's; data set and unit stay. Errors: *ColumnError for
// an unknown or repeated name, *dp.ParameterError for none.
func (f *Frame) Select(names ...string) (*Frame, error) {
	if len(names) == 0 {
		return nil, domain.Refuse("Select", "names", "empty", "at least one of "+safetext.List(f.schema.Names(), 12))
	}
	s := *f.schema
	if w := s.Weighted(); w != nil && !slices.Contains(names, w.Column) {
		names = append(slices.Clip(names), w.Column)
	}
	s.Columns = make([]Column, len(names))
	g := &Frame{schema: &s, n: f.n, cols: make([]column, len(names)), privateBy: f.privateBy, who: f.who, slots: f.slots,
		block: f.block, lineage: f.lineage, source: f.source, places: f.places, public: f.public}
	for i, name := range names {
		col, c, err := f.column("Select", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, &ColumnError{Step: "Select", Column: name, Have: f.schema.Names(), Want: "each column once"}
		}
		g.cols[i], s.Columns[i] = *col, *c
	}
	return g, nil
}

// Where keeps the rows whose label in a column passes: a category, a bin such as "[0, 10)", or the missing category.
// How many pass is private, so the result has no public n. keep is asked once per label, never per row. Error:
// *ColumnError.
func (f *Frame) Where(name string, keep func(label string) bool) (*Frame, error) {
	col, c, err := f.coded("Where", name)
	if err != nil {
		return nil, err
	}
	if keep == nil {
		return nil, domain.Refuse("Where", "keep", "nil", "a function of the label")
	}
	var pass []bool
	by := RowStep{Name: stepWhere, Column: name}
	for _, text := range c.Labels() {
		pass = append(pass, keep(text))
		if pass[len(pass)-1] {
			by.Labels = append(by.Labels, text)
		}
	}
	return f.filtered(col, by, func(code int) bool { return pass[code] }), nil
}

// Present keeps the rows that have a value in a column whose missing values have a code of their own. How many there
// are is private, so the result has no public n. Its schema is that of Schema.Present. Errors: those of Schema.Present.
func (f *Frame) Present(name string) (*Frame, error) {
	s, err := f.schema.Present(name)
	if err != nil {
		return nil, err
	}
	_, at, _ := s.Column(name)
	levels := s.Columns[at].Levels() // the code of missing values
	g := f.filtered(&f.cols[at], RowStep{Name: stepPresent, Column: name}, func(code int) bool { return code != levels })
	codes := g.cols[at].codes
	g.schema, g.cols[at].codes = s, coding(g.n, levels, codes.At)
	return g, nil
}

// filtered keeps the rows whose code in a column passes; n is private then.
func (f *Frame) filtered(col *column, by RowStep, keep func(code int) bool) *Frame {
	var idx []int
	for i := range f.n {
		if keep(col.codes.At(i)) {
			idx = append(idx, i)
		}
	}
	by.made = strings.Join(f.schema.Steps, "\n")
	return f.hidden(f.take(idx, by), fmt.Sprintf("%s(%s)", by.Name, safetext.Quote(by.Column)))
}

// take copies the rows at idx, chosen by a step.
func (f *Frame) take(idx []int, by RowStep) *Frame {
	g := f.pick(idx)
	g.lineage, g.places = append(slices.Clone(f.lineage), by), f.placed(idx)
	return g
}

// pick copies the rows at idx.
func (f *Frame) pick(idx []int) *Frame {
	if idx == nil {
		idx = []int{}
	}
	g := &Frame{schema: f.schema, n: len(idx), cols: make([]column, len(f.cols)), privateBy: f.privateBy, who: f.who,
		block: f.block, source: f.source, public: f.public}
	switch {
	case f.who != nil && f.slots == nil:
		g.slots = idx
	case f.who != nil:
		g.slots = pick(f.slots, idx)
	}
	for i, c := range f.cols {
		g.cols[i] = column{
			codes:  Codes{pick(c.codes.U8, idx), pick(c.codes.U16, idx), c.codes.Levels},
			values: c.values.pick(idx),
			seqs:   pick(c.seqs, idx),
		}
	}
	return g
}

func pick[T any](from []T, idx []int) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(idx))
	for k, i := range idx {
		to[k] = from[i]
	}
	return to
}

// Split divides the rows by a seed: about the fraction goes to train, the others to test. Which part a unit is in never
// depends on where other units stand.
//
//   - With a unit key and public n: the round(fraction·units) units that a hash of seed and key puts first are train.
//     Both parts have public n. One unit replaced by another changes at most one unit of each part, but maybe of both:
//     what is released of the two adds up.
//   - Without a key, where n is public: rows are shuffled by place, and the first round(fraction·n) are train. Both
//     parts have public n. Neither of these two is right where n is hidden after all: see WithoutN.
//   - Where n is private: every unit goes by its own hash, of seed and key, or without a key of the seed, the row's
//     contents when n became private, and how many equal rows stand before it. A unit that comes or goes moves no
//     other. The step says which columns these contents were of: with others the same seed gives other parts.
//
// Error: *dp.ParameterError unless 0 ≤ fraction ≤ 1.
func (f *Frame) Split(fraction float64, seed uint64) (train, test *Frame, err error) {
	if !(fraction >= 0 && fraction <= 1) {
		return nil, nil, domain.Refuse("Split", "fraction", number(fraction), "0 to 1, such as 0.7")
	}
	by := RowStep{Name: stepSplit, Fraction: fraction, Seed: seed}
	if f.privateBy != "" {
		var a, b []int
		nth := splits(f.lineage)
		for i, unit := range f.whose() {
			if unit.share(seed, nth) < fraction {
				a = append(a, i)
			} else {
				b = append(b, i)
			}
		}
		by.byHash, by.Columns = true, f.who.columns
		train, test = f.parts(a, b, by)
		return train, test, nil
	}
	order, size := f.shuffled(seed)
	k := size * int(math.Round(fraction*float64(f.n/size)))
	train, test = f.parts(order[:k], order[k:], by)
	return train, test, nil
}

func (f *Frame) parts(a, b []int, by RowStep) (train, test *Frame) {
	if f.block > 0 { // keep the order of the units
		slices.Sort(a)
		slices.Sort(b)
	}
	rest := by
	rest.Test = true
	return f.take(a, by), f.take(b, rest)
}

// shuffled is a public number of rows in the order of a seed, and how many stand together: those of a unit with a key,
// each where its hash puts it; else single rows, by their places.
func (f *Frame) shuffled(seed uint64) (order []int, size int) {
	if f.block == 0 {
		return permutation(f.n, seed), 1
	}
	type placed struct {
		at    [32]byte
		first int
	}
	units, ids, nth := make([]placed, 0, f.n/f.block), f.whose(), splits(f.lineage)
	for i := 0; i < f.n; i += f.block {
		units = append(units, placed{ids[i].at(seed, nth), i})
	}
	slices.SortStableFunc(units, func(a, b placed) int { return bytes.Compare(a.at[:], b.at[:]) })
	for _, u := range units {
		for i := range f.block {
			order = append(order, u.first+i)
		}
	}
	return order, f.block
}

// Holdout sets k rows aside as test: those that Split's order by the seed has last. Both parts have public n. Errors:
// *dp.ParameterError unless 0 ≤ k ≤ n, and k takes whole units where a key is declared; *PrivateNError where n is
// private.
func (f *Frame) Holdout(k int, seed uint64) (train, test *Frame, err error) {
	if f.privateBy != "" {
		return nil, nil, &PrivateNError{"Holdout", f.privateBy}
	}
	if k < 0 || k > f.n {
		return nil, nil, domain.Refuse("Holdout", "k", strconv.Itoa(k), fmt.Sprintf("0 to n = %d", f.n))
	}
	if err := f.wholeUnits("Holdout", k); err != nil {
		return nil, nil, err
	}
	order, _ := f.shuffled(seed)
	train, test = f.parts(order[:f.n-k], order[f.n-k:], RowStep{Name: stepHoldout, Count: k, Seed: seed})
	return train, test, nil
}

// wholeUnits refuses a number of rows that would take some rows of a unit.
func (f *Frame) wholeUnits(step string, k int) error {
	if f.block > 0 && k%f.block != 0 {
		return domain.Refuse(step, "k", strconv.Itoa(k), fmt.Sprintf("a multiple of %d, the rows of every unit", f.block))
	}
	return nil
}

// Head keeps the first min(k, n) rows; where a unit key is declared, units stand in the order of a hash of their keys,
// not in that of the file. Errors: *dp.ParameterError for k < 0, or a k that does not take whole units where a key is
// declared; *PrivateNError where n is private, because then one unit decides which others are among the first.
func (f *Frame) Head(k int) (*Frame, error) {
	if f.privateBy != "" {
		return nil, &PrivateNError{"Head", f.privateBy}
	}
	if k < 0 {
		return nil, domain.Refuse("Head", "k", strconv.Itoa(k), "0 or more rows")
	}
	if err := f.wholeUnits("Head", min(k, f.n)); err != nil {
		return nil, err
	}
	return f.take(inOrder(min(k, f.n)), RowStep{Name: stepHead, Count: k}), nil
}

// inOrder is 0, …, n−1.
func inOrder(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// Rows keeps the rows at the given places, in that order; choose them without looking at the data. A repeated row would
// let one unit count more than once, so it is refused. Where a unit key is declared, the order is that of Head, and the
// places must be of whole units that follow one another, in any order: a unit that is replaced moves all between its
// old place and its new one. Errors: *dp.ParameterError; *PrivateNError where n is private.
func (f *Frame) Rows(idx []int) (*Frame, error) {
	if f.privateBy != "" {
		return nil, &PrivateNError{"Rows", f.privateBy}
	}
	seen := make([]bool, f.n)
	for _, i := range idx {
		if i < 0 || i >= f.n {
			return nil, domain.Refuse("Rows", "index", strconv.Itoa(i), fmt.Sprintf("0 to %d", f.n-1))
		}
		if seen[i] {
			return nil, domain.Refuse("Rows", "index", strconv.Itoa(i)+" twice", "each row at most once, so that "+
				"no unit counts twice")
		}
		seen[i] = true
	}
	if f.block > 0 && len(idx) > 0 {
		idx = slices.Sorted(slices.Values(idx))
		if first, k := idx[0], len(idx); first%f.block != 0 || k%f.block != 0 || idx[k-1]-first != k-1 {
			return nil, domain.Refuse("Rows", "places", "with gaps, or of parts of units", fmt.Sprintf("places that follow "+
				"one another, from a multiple of %d on and as many, since the schema has a unit key; or Split", f.block))
		}
	}
	return f.take(idx, RowStep{Name: stepRows}), nil
}

// Part says that all rows are of one part of the data, which a public rule makes: Part("quarter", "2026-Q1"). No unit
// may have rows in two parts of a rule. That is not checked: who calls it answers for it. A budget counts releases of
// different parts by the part that has used most (theory/ledger.md §5). Errors: *domain.Error for a name that cannot be
// shown, and for a second part.
func (f *Frame) Part(rule, name string) (*Frame, error) {
	for what, text := range map[string]string{"rule": rule, "name": name} {
		if safetext.CheckTitle(text) != nil {
			return nil, domain.Refuse(stepPart, what, safetext.Short(text), safetext.Want)
		}
	}
	for _, s := range f.lineage {
		if s.Name == stepPart {
			return nil, domain.Refuse(stepPart, "part", s.Shown(), "one part: rows of a part by two rules are a part of one "+
				"rule that has both, such as \"region and quarter\"")
		}
	}
	return f.take(inOrder(f.n), RowStep{Name: stepPart, Column: rule, Labels: []string{name}}), nil
}

// WithoutN is the same rows with their number taken as private, for guarantees that hide it: Split then sends every
// unit by its own hash, and what needs n is refused. Take it before the steps that choose rows, since add-remove
// adjacency is refused where a step used n.
func (f *Frame) WithoutN() *Frame {
	return f.hidden(f.take(inOrder(f.n), RowStep{Name: stepWithoutN}), stepWithoutN)
}

// hidden makes n of g private, which are rows of f.
func (f *Frame) hidden(g *Frame, by string) *Frame {
	if f.privateBy != "" {
		return g
	}
	g.privateBy, g.block, g.places = by, 0, f.places
	if f.who == nil {
		g.who, g.slots = g.byContents(), nil
	}
	return g
}

// permutation is the Fisher-Yates shuffle of 0..n−1 by a PCG stream, the same in every release of this package.
func permutation(n int, seed uint64) []int {
	src := rand.NewPCG(seed, 0x70726976626179)
	p := inOrder(n)
	for i := n - 1; i > 0; i-- {
		j := below(src, uint64(i)+1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// below is uniform on 0..n−1: Lemire's multiplication with rejection of the 2^64 mod n low values.
func below(src *rand.PCG, n uint64) uint64 {
	reject := -n % n
	for {
		if hi, lo := bits.Mul64(src.Uint64(), n); lo >= reject {
			return hi
		}
	}
}

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
		return refuse(fmt.Sprintf("the data sets are %s and %s", safetext.Quote(s.Dataset), safetext.Quote(t.Dataset)),
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
		by.Of[1], by.twice = nil, true
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
