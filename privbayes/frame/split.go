package frame

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Split divides the rows by a seed: about the fraction goes to train, the others to test. Which part a unit is in never
// depends on where other units stand.
//
//   - With a unit key and public n: the round(fraction·units) units that a hash of seed and key puts first are train.
//     Both parts have public n. One unit replaced by another changes at most one unit of each part, but maybe of both:
//     what is released of the two adds up.
//   - Without a key, where n is public: rows are shuffled by place, and the first round(fraction·n) are train. Both
//     parts have public n. Neither of these two is right where n is hidden after all: see WithoutN.
//   - Where n is private: every unit goes by its own hash, of seed and key, or without a key of the seed, the row's
//     contents when n became private, and how many equal rows stand before it. A unit that comes or goes moves no other.
//     The step says which columns these contents were of: with others the same seed gives other parts.
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
		by.ByHash, by.Columns = true, f.who.columns
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
