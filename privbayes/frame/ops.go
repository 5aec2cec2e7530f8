package frame

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// Split shuffles the rows with a seed and gives the first round(fraction·n) as train, the others as test; both have
// public n.
//
// When n is private a shuffle would let one unit move all others, so each row goes to train by its own coin, a function
// of the seed and of its place in the table it was filtered from, with chance fraction; n stays private. Error:
// *dp.ParameterError unless 0 ≤ fraction ≤ 1.
func (f *Frame) Split(fraction float64, seed uint64) (train, test *Frame, err error) {
	if !(fraction >= 0 && fraction <= 1) {
		return nil, nil, domain.Refuse("Split", "fraction", number(fraction), "0 to 1, such as 0.7")
	}
	name := fmt.Sprintf("Split(%v, %d)", fraction, seed)
	if f.privateBy != "" {
		var a, b []int
		for i, place := range f.slots {
			if coin(seed, uint64(place)) < fraction {
				a = append(a, i)
			} else {
				b = append(b, i)
			}
		}
		return f.take(a, rowStep{text: name + ", train"}), f.take(b, rowStep{text: name + ", test"}), nil
	}
	perm := permutation(f.n, seed)
	k := int(math.Round(fraction * float64(f.n)))
	return f.take(perm[:k], rowStep{text: name + ", train"}), f.take(perm[k:], rowStep{text: name + ", test"}), nil
}

// Holdout shuffles the rows with a seed and sets the last k of them aside as test; both have public n. Errors:
// *dp.ParameterError unless 0 ≤ k ≤ n; *PrivateNError where n is private.
func (f *Frame) Holdout(k int, seed uint64) (train, test *Frame, err error) {
	if f.privateBy != "" {
		return nil, nil, &PrivateNError{"Holdout", f.privateBy}
	}
	if k < 0 || k > f.n {
		return nil, nil, domain.Refuse("Holdout", "k", strconv.Itoa(k), fmt.Sprintf("0 to n = %d", f.n))
	}
	perm := permutation(f.n, seed)
	name := fmt.Sprintf("Holdout(%d, %d)", k, seed)
	train = f.take(perm[:f.n-k], rowStep{text: name + ", train"})
	return train, f.take(perm[f.n-k:], rowStep{text: name + ", test"}), nil
}

// Head keeps the first min(k, n) rows. Errors: *dp.ParameterError for k < 0; *PrivateNError where n is private, because
// then one unit decides which others are among the first.
func (f *Frame) Head(k int) (*Frame, error) {
	if f.privateBy != "" {
		return nil, &PrivateNError{"Head", f.privateBy}
	}
	if k < 0 {
		return nil, domain.Refuse("Head", "k", strconv.Itoa(k), "0 or more rows")
	}
	idx := make([]int, min(k, f.n))
	for i := range idx {
		idx[i] = i
	}
	return f.take(idx, rowStep{text: fmt.Sprintf("Head(%d)", k)}), nil
}

// Rows keeps the rows at the given places, in that order; choose them without looking at the data. A repeated row would
// let one unit count more than once, so it is refused. Errors: *dp.ParameterError; *PrivateNError where n is private.
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
	return f.take(idx, rowStep{text: rowsStep}), nil
}

// Select keeps the named columns in the given order; data set and unit stay. Errors: *ColumnError for an unknown or
// repeated name, *dp.ParameterError for none.
func (f *Frame) Select(names ...string) (*Frame, error) {
	if len(names) == 0 {
		return nil, domain.Refuse("Select", "names", "empty", "at least one of "+suggest.List(f.schema.Names(), 12))
	}
	s := *f.schema
	s.Columns = make([]Column, len(names))
	g := &Frame{schema: &s, n: f.n, cols: make([]column, len(names)), privateBy: f.privateBy, slots: f.slots,
		lineage: f.lineage, source: f.source, places: f.places, public: f.public}
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
	var labels []string
	for _, text := range c.Labels() {
		pass = append(pass, keep(text))
		if pass[len(pass)-1] {
			labels = append(labels, label.Quote(text))
		}
	}
	var idx []int
	for i := range f.n {
		if pass[col.codes.At(i)] {
			idx = append(idx, i)
		}
	}
	g := f.take(idx, rowStep{fmt.Sprintf("Where(%s is %s)", label.Quote(name), strings.Join(labels, " or ")),
		strings.Join(f.schema.Steps, "\n")})
	if f.privateBy == "" {
		g.slots, g.places = idx, f.places
		g.privateBy = fmt.Sprintf("Where(%s)", label.Quote(name))
	}
	return g, nil
}

// take copies the rows at idx, chosen by a step.
func (f *Frame) take(idx []int, by rowStep) *Frame {
	g := &Frame{schema: f.schema, n: len(idx), cols: make([]column, len(f.cols)), privateBy: f.privateBy,
		lineage: append(slices.Clone(f.lineage), by), source: f.source, places: f.placed(idx), public: f.public}
	if f.privateBy != "" {
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

// permutation is the Fisher-Yates shuffle of 0..n−1 by a PCG stream, the same in every release of this package.
func permutation(n int, seed uint64) []int {
	src := rand.NewPCG(seed, 0x70726976626179)
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
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

// coin is a number in [0, 1) that depends on the seed and on one row's place only.
func coin(seed, place uint64) float64 {
	src := rand.NewPCG(seed, place)
	src.Uint64() // the first word of neighbouring states is less mixed
	return float64(src.Uint64()>>11) / (1 << 53)
}
