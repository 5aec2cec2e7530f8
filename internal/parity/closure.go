package parity

import (
	"math"
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

// step eliminates variable v; rest are its neighbours at that moment, increasing: the variables of the message it
// leaves.
type step struct {
	v    int
	rest []int
}

// minFill is an elimination order of the variables 0, …, n−1 on the graph in which the variables of a scope are joined:
// next comes the variable that adds the fewest edges between its neighbours, then the one with the smallest table, then
// the smallest number (Kjærulff, "Triangulation of graphs", 1990). A variable with at most one neighbour adds none and
// goes first, so that a hub of thousands of leaves is counted only when they are gone.
func minFill(watch Watch, domains []int, scopes [][]int) []step {
	n, words := len(domains), (len(domains)+63)/64
	graph := make([][]uint64, n)
	for v := range graph {
		watch.at(words)
		graph[v] = make([]uint64, words)
	}
	join := func(a, b int) { graph[a][b/64] |= 1 << (b % 64) }
	for _, s := range scopes {
		for i, a := range s {
			for _, b := range s[i+1:] {
				join(a, b)
				join(b, a)
			}
		}
	}
	g := &fillGraph{domains: domains, graph: graph, watch: watch, degree: make([]int, n), fill: make([]int, n),
		weight: make([]float64, n)}
	for v := range n {
		g.refresh(v)
	}
	steps := make([]step, 0, n)
	for range n {
		watch.at(n)
		v := g.best()
		rest := g.neighbours(v)
		steps = append(steps, step{v, rest})
		g.degree[v] = -1
		watch.at(words * (1 + len(rest)))
		for _, a := range rest {
			for w, x := range graph[v] {
				graph[a][w] |= x
			}
			graph[a][v/64] &^= 1 << (v % 64)
			graph[a][a/64] &^= 1 << (a % 64)
		}
		// A count changes for the neighbours and, where edges came, for the neighbours of both ends.
		stale := make([]uint64, words)
		watch.at(words * (1 + len(rest)))
		for _, a := range rest {
			stale[a/64] |= 1 << (a % 64)
			if len(rest) > 1 {
				for w, x := range graph[a] {
					stale[w] |= x
				}
			}
		}
		for _, a := range members(stale) {
			watch.at(words)
			g.refresh(a)
		}
	}
	return steps
}

const unknown = -1

type fillGraph struct {
	watch   Watch
	domains []int
	graph   [][]uint64
	degree  []int     // −1 when eliminated
	fill    []int     // edges that the elimination adds, or unknown
	weight  []float64 // log of the size of the table
}

func (g *fillGraph) refresh(v int) {
	g.degree[v] = 0
	for _, x := range g.graph[v] {
		g.degree[v] += bits.OnesCount64(x)
	}
	g.fill[v] = unknown
	if g.degree[v] < 2 {
		g.fill[v] = 0
	}
}

func (g *fillGraph) best() int {
	leaf := -1
	for v, d := range g.degree {
		if d == 0 || d == 1 && leaf < 0 {
			leaf = v
			if d == 0 {
				return v
			}
		}
	}
	if leaf >= 0 {
		return leaf
	}
	best := -1
	for v, d := range g.degree {
		if d < 0 {
			continue
		}
		if g.fill[v] == unknown {
			g.count(v)
		}
		if best < 0 || g.fill[v] < g.fill[best] || g.fill[v] == g.fill[best] && g.weight[v] < g.weight[best] {
			best = v
		}
	}
	return best
}

// count finds the edges missing between the neighbours of v, and the size of their table.
func (g *fillGraph) count(v int) {
	near := g.neighbours(v)
	missing := 0
	g.watch.at((1 + len(near)) * len(g.graph[v]))
	g.weight[v] = math.Log(float64(g.domains[v]))
	for _, a := range near {
		g.weight[v] += math.Log(float64(g.domains[a]))
		missing-- // a itself is near v and not near a
		for w, x := range g.graph[v] {
			missing += bits.OnesCount64(x &^ g.graph[a][w])
		}
	}
	g.fill[v] = missing / 2
}

func (g *fillGraph) neighbours(v int) []int { return members(g.graph[v]) }

func members(set []uint64) []int {
	var out []int
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			out = append(out, w*64+bits.TrailingZeros64(x))
		}
	}
	return slices.Clip(out)
}

// hadamard is the unnormalised Walsh–Hadamard transform in place: x[g] becomes Σ_c x[c] (−1)^{⟨g,c⟩}, the bits of c
// being the digits of a binary table. len(x) is a power of two. 2^s·s additions; its own inverse up to 2^s.
func hadamard[T int32 | int64 | float64](x []T) {
	for h := 1; h < len(x); h *= 2 {
		for lo := 0; lo < len(x); lo += 2 * h {
			a, b := x[lo:lo+h], x[lo+h:lo+2*h]
			for i, u := range a {
				v := b[i]
				a[i], b[i] = u+v, u-v
			}
		}
	}
}

// helmertScale is √(r/(j(j+1))), the norming of the Helmert function
//
//	u_j(x) = scale·1 for x < j, −scale·j for x = j, 0 for x > j,  1 ≤ j < r.
func helmertScale(r, j int) float64 { return math.Sqrt(float64(r) / (float64(j) * float64(j+1))) }

// Helmert is the basis of a variable with r states, row j the function u_j: u_0 = 1, Σ_x u_j(x) u_k(x) = r·1[j = k].
// For r = 2 it is (1, 1), (1, −1). It is empty for r < 1.
func Helmert(r int) [][]float64 {
	u := make([][]float64, max(r, 0))
	norms := scales(r)
	for j := range u {
		u[j] = make([]float64, r)
		helmertRow(u[j], j, norms)
	}
	return u
}

// helmertRow is the function u_j on the states of a variable with the given scales.
func helmertRow(row []float64, j int, scale []float64) {
	if j == 0 {
		for x := range row {
			row[x] = 1
		}
		return
	}
	for x := range j {
		row[x] = scale[j]
	}
	row[j] = -scale[j] * float64(j)
	clear(row[j+1:])
}

// forward is the tensor transform in place: t[γ] becomes Σ_c t[c] u_γ(c). One pass over the table per variable, in
// which partial sums serve all the functions of a fibre.
func (s *Spectrum) forward(f *family, t []float64) {
	if s.binary {
		hadamard(t)
		return
	}
	stride := 1
	for k := len(f.arities) - 1; k >= 0; k-- {
		r := f.arities[k]
		scale := scales(r)
		for lo := 0; lo < len(t); lo += r * stride {
			for at := lo; at < lo+stride; at++ {
				sum := t[at]
				for j := 1; j < r; j++ {
					p := &t[at+j*stride]
					x := *p
					*p = scale[j] * (sum - float64(j)*x)
					sum += x
				}
				t[at] = sum
			}
		}
		stride *= r
	}
}

// backward undoes forward: t[c] becomes (1/Π r_v) Σ_γ t[γ] u_γ(c).
func backward(arities []int, t []float64) {
	stride := 1
	for k := len(arities) - 1; k >= 0; k-- {
		r := arities[k]
		scale, norm := scales(r), float64(r)
		for lo := 0; lo < len(t); lo += r * stride {
			for at := lo; at < lo+stride; at++ {
				sum := t[at] // φ_0 + Σ_{k>j} u_k(j) φ_k
				for j := r - 1; j > 0; j-- {
					p := &t[at+j*stride]
					x := *p * scale[j]
					*p = (sum - float64(j)*x) / norm
					sum += x
				}
				t[at] = sum / norm
			}
		}
		stride *= r
	}
}

func scales(r int) []float64 {
	out := make([]float64, max(r, 0))
	for j := 1; j < r; j++ {
		out[j] = helmertScale(r, j)
	}
	return out
}
