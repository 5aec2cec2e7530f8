package parity

import (
	"math/bits"
	"slices"
)

// findMaximal finds the families that no other contains, and for every other one that contains it.
func (s *Spectrum) findMaximal() {
	with := s.with
	for i := range s.fams {
		f := &s.fams[i]
		f.inside = i
		candidates := with[len(s.arities)] // all families, for the empty one
		for _, v := range f.vars {
			if len(with[v]) < len(candidates) {
				candidates = with[v]
			}
		}
		for _, j := range candidates {
			s.watch.at(1 + len(f.vars))
			g := &s.fams[j]
			if j != i && subset(f.vars, g.vars) && (len(g.vars) > len(f.vars) || j < i) {
				f.inside = j
				break
			}
		}
		if f.inside == i {
			s.maximal = append(s.maximal, i)
		}
	}
	for i := range s.fams {
		f := &s.fams[i]
		for s.fams[f.inside].inside != f.inside { // up to a maximal one
			f.inside = s.fams[f.inside].inside
		}
	}
}

// familiesOf lists, for every variable, the families it is in; the last entry lists all.
func (s *Spectrum) familiesOf() [][]int {
	with := make([][]int, len(s.arities)+1)
	for i := range s.fams {
		for _, v := range s.fams[i].vars {
			with[v] = append(with[v], i)
		}
		with[len(s.arities)] = append(with[len(s.arities)], i)
	}
	return with
}

// holdingOf is familiesOf for the families as given.
func (s *Spectrum) holdingOf() [][]int {
	with := make([][]int, len(s.arities)+1)
	for i, f := range s.given {
		for _, v := range f {
			with[v] = append(with[v], i)
		}
		with[len(s.arities)] = append(with[len(s.arities)], i)
	}
	return with
}

// candidates are the families among which those that contain a set of known variables are, in order.
func (s *Spectrum) candidates(set []int) []int {
	best := s.holding[len(s.arities)]
	for _, v := range set {
		if v < 0 || v >= len(s.arities) {
			return nil
		}
		if with := s.holding[v]; len(with) < len(best) {
			best = with
		}
	}
	return best
}

// number gives every coefficient its number, family after maximal family, and every family the numbers of its
// transform.
func (s *Spectrum) number() error {
	with := s.with
	shared := make([]uint32, len(s.fams)) // variables of the current family that an earlier maximal one has, by bit
	for _, i := range s.maximal {
		f := &s.fams[i]
		var earlier []int
		for k, v := range f.vars {
			s.watch.at(1 + len(with[v]))
			for _, j := range with[v] {
				if j < i && s.fams[j].inside == j {
					if shared[j] == 0 {
						earlier = append(earlier, j)
					}
					shared[j] |= 1 << k
				}
			}
		}
		slices.Sort(earlier)
		owner := s.owners(f, i, earlier, shared)
		for _, j := range earlier {
			shared[j] = 0
		}
		if err := s.numberOwned(f, i, owner); err != nil {
			return err
		}
	}
	for i := range s.fams {
		if f := &s.fams[i]; f.inside != i {
			f.pos = s.lookUp(f.vars, f.arities, f.cells, &s.fams[f.inside])
		}
	}
	return nil
}

// owners finds, for every subset of the variables of family i, the first maximal family that contains it: i itself
// unless it lies in what an earlier family shares with i. A shared set inside one already seen brings nothing new, so
// that many families over the same parents cost no more than two.
func (s *Spectrum) owners(f *family, i int, earlier []int, shared []uint32) []int32 {
	owner := make([]int32, 1<<len(f.vars))
	s.watch.at(len(owner))
	for m := range owner {
		owner[m] = int32(i)
	}
	if first := s.maximal[0]; first != i {
		owner[0] = int32(first)
	}
	var seen []uint32
	for _, j := range earlier {
		all := shared[j]
		s.watch.at(1 + len(seen))
		if slices.ContainsFunc(seen, func(m uint32) bool { return all&^m == 0 }) {
			continue
		}
		seen = append(seen, all)
		s.watch.at(1 << bits.OnesCount32(all))
		for m := all; m != 0; m = (m - 1) & all {
			if owner[m] == int32(i) {
				owner[m] = int32(j)
			}
		}
	}
	return owner
}

// numberOwned numbers the coefficients that family i owns and looks the others up at their owners.
func (s *Spectrum) numberOwned(f *family, i int, owner []int32) error {
	fresh := 0
	s.watch.at(len(owner) * len(f.vars))
	for m, o := range owner {
		if o == int32(i) {
			n := 1
			for k, r := range f.arities {
				if m>>k&1 == 1 {
					n *= r - 1
				}
			}
			fresh += n
		}
	}
	if n := len(s.cell) + fresh; n > MaxCells {
		return &SizeError{"coefficients", s.given[i], float64(n), MaxCells}
	}
	f.pos = make([]int32, f.cells)
	f.first = len(s.cell)
	s.cell = slices.Grow(s.cell, fresh)
	stride := map[int32][]int{}
	digits := newOdometer(f.arities)
	for c := range f.pos {
		s.watch.at(2)
		o := owner[digits.mask]
		if o == int32(i) {
			f.pos[c] = int32(len(s.cell))
			s.cell = append(s.cell, int32(c))
		} else {
			at, known := stride[o]
			if !known {
				at = stridesIn(f.vars, &s.fams[o])
				stride[o] = at
			}
			f.pos[c] = s.fams[o].pos[digits.at(at)]
		}
		digits.next()
	}
	f.last = len(s.cell)
	return nil
}

// lookUp is pos for a table over vars, all of which are in the family from.
func (s *Spectrum) lookUp(vars, arities []int, cells int, from *family) []int32 {
	pos := make([]int32, cells)
	at := stridesIn(vars, from)
	digits := newOdometer(arities)
	for c := range pos {
		s.watch.at(2)
		pos[c] = from.pos[digits.at(at)]
		digits.next()
	}
	return pos
}

// stridesIn are the strides of the variables in the table of f, 0 for a variable it does not have.
func stridesIn(vars []int, f *family) []int {
	at := make([]int, len(vars))
	stride := 1
	for k := len(f.vars) - 1; k >= 0; k-- {
		if i, ok := slices.BinarySearch(vars, f.vars[k]); ok {
			at[i] = stride
		}
		stride *= f.arities[k]
	}
	return at
}

// odometer runs through the mixed-radix numbers, the last digit fastest.
type odometer struct {
	arities, digits []int
	mask            uint32 // which digits are not 0
}

func newOdometer(arities []int) *odometer {
	return &odometer{arities: arities, digits: make([]int, len(arities))}
}

// next moves on and answers the place of the digit that grew; all to the right of it became 0. After the last number it
// starts again at 0 and answers −1.
func (o *odometer) next() int {
	for k := len(o.digits) - 1; k >= 0; k-- {
		if o.digits[k]++; o.digits[k] < o.arities[k] {
			o.mask |= 1 << k
			return k
		}
		o.digits[k] = 0
		o.mask &^= 1 << k
	}
	return -1
}

// at is the offset of the digits under the strides.
func (o *odometer) at(strides []int) int {
	sum := 0
	for k, d := range o.digits {
		if d != 0 {
			sum += d * strides[k]
		}
	}
	return sum
}
