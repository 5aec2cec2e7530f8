package parity

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
)

// HelmertSensitivity is the L1 sensitivity of the φ_γ, any numbers of states, to the replacement of one record:
//
//	S = max_{x,y} Σ_{γ∈N} |u_γ(x) − u_γ(y)|,
//
// rounded up: the true maximum is at most the answer, which is above it by a relative 1e-11 or less when no family owns
// more than some thousand coefficients. With two states everywhere S = 2·odd(N), exactly. A single variable of r states
// has 3.346, 4.540, 5.640, 8.580 for r = 3, 4, 5, 8. x and y are records, one state per variable, that attain it.
//
// It is found by max-sum elimination over pairs of records, r_v² states a variable. When that would take more than
// limit table entries (0 means DefaultLimit), or 64·limit operations, the answer is an upper bound, with exact = false
// and no pair: the sum over the maximal families of the least of
//
//	max_{x,y} Σ_{γ owned} |u_γ(x) − u_γ(y)|  (where the limit allows it for one family),
//	Σ_{γ owned} (max u_γ − min u_γ),
//	√(2 R_f · owned), by Cauchy–Schwarz from Σ_γ (u_γ(x) − u_γ(y))² = 2R_f for x ≠ y.
//
// Errors: *ValueError for a negative limit.
func (s *Spectrum) HelmertSensitivity(limit int64) (sens float64, exact bool, x, y []int, err error) {
	defer end(&err)
	if limit, err = sane(limit); err != nil {
		return 0, false, nil, nil, err
	}
	if s.binary {
		odd, exact, z, err := s.OddSensitivity(limit)
		if z != nil {
			x = make([]int, len(z))
		}
		return 2 * float64(odd), exact, x, z, err
	}
	p, fits := s.plan(true, limit)
	slack := s.rounding()
	if !fits {
		steps := 0.0
		for _, i := range s.maximal {
			if all, pairs := s.pairSteps(&s.fams[i], limit); pairs {
				steps += all
			}
		}
		s.watch.spend("the bounds of all families", steps)
		for _, i := range s.maximal {
			sens += s.helmertBound(&s.fams[i], limit)
		}
		return num.Up(sens + slack), false, nil, nil, nil
	}
	s.watch.allocate("the elimination over pairs of records", nil, 8*p.entries)
	factors := make([]factor[float64], len(s.maximal))
	for j, i := range s.maximal {
		factors[j] = factor[float64]{p.scopes[j], s.pairFactor(&s.fams[i])}
	}
	sens, pairs := maxSum(s.watch, p.domains, factors, p.steps)
	x, y = make([]int, len(pairs)), make([]int, len(pairs))
	for v, pair := range pairs {
		if p.domains[v] > 1 {
			x[v], y[v] = pair/s.arities[v], pair%s.arities[v]
		}
	}
	return num.Up(sens + slack), true, x, y, nil
}

// rounding bounds the rounding error of a sensitivity. A product of s basis values is off by 4s units, a sum of
// non-negative terms by one unit of itself per addition, and Σ_{γ owned} |u_γ(x)| ≤ √(owned·R_f).
func (s *Spectrum) rounding() float64 {
	sum := 0.0
	for _, i := range s.maximal {
		f := &s.fams[i]
		owned := float64(s.noisy(f))
		steps := 4*float64(len(f.vars)) + owned + float64(len(s.maximal)+len(s.arities)) + 16
		sum += steps * 2 * math.Sqrt(owned*float64(f.cells))
	}
	return sum * 0x1p-52
}

// pairFactor is Σ_{γ owned} |u_γ(x) − u_γ(y)| for all pairs of cells of a family, variable v having the state x_v·r_v +
// y_v.
func (s *Spectrum) pairFactor(f *family) []float64 {
	t := make([]float64, f.cells*f.cells)
	atX, atY := make([]int, f.cells), make([]int, f.cells) // the offset of a pair is the sum of one of each
	digits := newOdometer(f.arities)
	up := make([]int, len(f.arities))
	stride := 1
	for k := len(up) - 1; k >= 0; k-- {
		up[k] = stride
		stride *= f.arities[k] * f.arities[k]
	}
	for c := range f.cells {
		atY[c] = digits.at(up)
		for k, d := range digits.digits {
			atX[c] += d * up[k] * f.arities[k]
		}
		digits.next()
	}
	const block = 32 // functions at a time, to pass over the pairs less often
	rows := make([]float64, f.cells*block)
	filled := 0
	flush := func() {
		for a := range f.cells {
			s.watch.at(a * (1 + filled))
			u := rows[a*block:][:filled]
			for b := range a {
				w := rows[b*block:][:filled]
				sum := 0.0
				for j, x := range u {
					sum += math.Abs(x - w[j])
				}
				t[atX[a]+atY[b]] += sum
			}
		}
		filled = 0
	}
	s.eachFunction(f, func(u []float64) {
		for c, v := range u {
			rows[c*block+filled] = v
		}
		if filled++; filled == block {
			flush()
		}
	})
	flush()
	for a := range f.cells {
		s.watch.at(a)
		for b := range a {
			t[atX[b]+atY[a]] = t[atX[a]+atY[b]]
		}
	}
	return t
}

// eachFunction calls back with the values of u_γ on the cells of the family, for every γ that the family owns but the
// constant. The slice is reused.
func (s *Spectrum) eachFunction(f *family, do func(u []float64)) {
	rows, norms := make([][]float64, len(f.arities)), make([][]float64, len(f.arities))
	for k, r := range f.arities {
		rows[k], norms[k] = make([]float64, r), scales(r)
	}
	u := make([]float64, f.cells)
	index := make([]int, len(f.arities))
	for at := f.first; at < f.last; at++ {
		if at == 0 {
			continue
		}
		s.watch.at(f.cells)
		f.index(int(s.cell[at]), index)
		u[0] = 1
		filled := 1
		for k := len(index) - 1; k >= 0; k-- { // the tensor product, fastest variable first
			row := rows[k]
			helmertRow(row, index[k], norms[k])
			for x := f.arities[k] - 1; x >= 0; x-- {
				for j := range filled {
					u[x*filled+j] = row[x] * u[j]
				}
			}
			filled *= f.arities[k]
		}
		do(u)
	}
}

// pairSteps is the work of pairFactor, and whether the limit allows it.
func (s *Spectrum) pairSteps(f *family, limit int64) (steps float64, ok bool) {
	owned, cells := float64(s.noisy(f)), float64(f.cells)
	steps = cells * cells * owned / 2
	return steps, cells*cells <= float64(limit) && steps <= workPerEntry*float64(limit)
}

// helmertBound bounds what one record changes among the coefficients that a family owns.
func (s *Spectrum) helmertBound(f *family, limit int64) float64 {
	owned, cells := float64(s.noisy(f)), float64(f.cells)
	best := math.Sqrt(2 * cells * owned)
	_, pairs := s.pairSteps(f, limit)
	switch {
	case pairs:
		s.watch.allocate("the pairs of cells", slices.Clone(f.vars), 8*cells*cells)
		top := 0.0
		for _, v := range s.pairFactor(f) {
			top = max(top, v)
		}
		best = min(best, top)
	case cells*owned <= workPerEntry*float64(limit):
		ranges := 0.0
		s.eachRange(f, func(lo, hi float64) { ranges += hi - lo })
		best = min(best, ranges)
	}
	return best
}

// index is the mixed-radix number c of the family, by variable.
func (f *family) index(c int, out []int) {
	for k := len(out) - 1; k >= 0; k-- {
		out[k] = c % f.arities[k]
		c /= f.arities[k]
	}
}

// eachRange calls back with the least and the greatest value of u_γ for every γ of eachFunction, to the last bit: a
// product over variables is extreme where each factor is, and rounding keeps the order.
func (s *Spectrum) eachRange(f *family, do func(lo, hi float64)) {
	norms := make([][]float64, len(f.arities))
	for k, r := range f.arities {
		norms[k] = scales(r)
	}
	index := make([]int, len(f.arities))
	for at := f.first; at < f.last; at++ {
		if at == 0 {
			continue
		}
		s.watch.at(4 * len(index))
		f.index(int(s.cell[at]), index)
		lo, hi := 1.0, 1.0
		for k := len(index) - 1; k >= 0; k-- {
			if j := index[k]; j > 0 {
				top := norms[k][j]
				low := -top * float64(j)
				lo, hi = min(low*lo, low*hi, top*lo, top*hi), max(low*lo, low*hi, top*lo, top*hi)
			}
		}
		do(lo, hi)
	}
}

// DefaultLimit is the number of table entries that a sensitivity may use when its limit is 0.
const DefaultLimit = 100_000_000

// OddSensitivity is
//
//	odd(N) = max_z #{g ∈ N: ⟨g,z⟩ odd},
//
// the number of parity counts #{records with ⟨g,x⟩ odd} that one record can change by one when it is replaced: z is the
// symmetric difference of the two records. The L1 sensitivity of the φ_g is 2·odd(N), of the paper's 2|N| (|N|−1)/2 <
// odd(N) ≤ |N|−1; φ_0 = n never changes. The witness z has one entry per variable, 0 or 1, and odd(N) = OddCount(z).
//
// It is found exactly by max-sum variable elimination in a min-fill order on the graph of the families, in integers;
// the factor of a family at z is (what it owns − Σ_{owned g} (−1)^{⟨g,z⟩})/2, one Walsh–Hadamard transform. When the
// factors and messages together would have more than limit entries (0 means DefaultLimit), the answer is the upper
// bound
//
//	Σ_f max_z #{g owned by f: ⟨g,z⟩ odd} ≤ min(|N| − 1, Σ_{maximal f} 2^{|f|−1}),
//
// with exact = false and no witness: a maximum of a sum is at most the sum of the maxima, and a parity g ≠ 0 is odd on
// half a cube.
//
// Errors: *ArityError when a variable of a family has not two states; *ValueError for a negative limit.
func (s *Spectrum) OddSensitivity(limit int64) (odd int64, exact bool, witness []int, err error) {
	defer end(&err)
	if err := s.needBinary(); err != nil {
		return 0, false, nil, err
	}
	if limit, err = sane(limit); err != nil {
		return 0, false, nil, err
	}
	p, fits := s.plan(false, limit)
	if !fits {
		for _, i := range s.maximal {
			odd += s.oddBound(&s.fams[i], limit)
		}
		return odd, false, nil, nil
	}
	s.watch.allocate("the elimination over records", nil, 4*p.entries)
	factors := make([]factor[int32], len(s.maximal))
	for j, i := range s.maximal {
		factors[j] = factor[int32]{p.scopes[j], s.oddFactor(&s.fams[i])}
	}
	best, z := maxSum(s.watch, p.domains, factors, p.steps)
	return int64(best), true, z, nil
}

// OddOrder is the order in which OddSensitivity eliminates the variables. Errors: *ArityError when a variable of a
// family has not two states; *SizeError where the elimination passes [DefaultLimit].
func (s *Spectrum) OddOrder() (order []int, err error) {
	defer end(&err)
	if err := s.needBinary(); err != nil {
		return nil, err
	}
	p, fits := s.plan(false, DefaultLimit)
	if !fits {
		return nil, &SizeError{"entries of the elimination", nil, max(p.entries, DefaultLimit), DefaultLimit}
	}
	for _, st := range p.steps {
		order = append(order, st.v)
	}
	return order, nil
}

// OddCount is #{g ∈ N: ⟨g,z⟩ odd} for a record difference z, entries 0 or 1: what OddSensitivity maximises. Errors:
// *ArityError, *ShapeError, *ValueError.
func (s *Spectrum) OddCount(z []int) (int64, error) {
	if err := s.needBinary(); err != nil {
		return 0, err
	}
	if err := s.record(z); err != nil {
		return 0, err
	}
	count := int64(0)
	for _, i := range s.maximal {
		f := &s.fams[i]
		for _, c := range s.cell[f.first:f.last] {
			parity := 0
			for k := len(f.vars) - 1; k >= 0; k-- {
				parity ^= int(c) & z[f.vars[k]]
				c >>= 1
			}
			count += int64(parity & 1)
		}
	}
	return count, nil
}

// oddFactor is #{g owned: ⟨g,z⟩ odd} for every z of the family. The constant is never odd and drops out of the
// difference.
func (s *Spectrum) oddFactor(f *family) []int32 {
	s.watch.at(f.cells * (2 + len(f.vars)))
	t := make([]int32, f.cells)
	owned := int32(0)
	for c, at := range f.pos {
		if int(at) >= f.first && int(at) < f.last {
			t[c] = 1
			owned++
		}
	}
	hadamard(t)
	for z, w := range t {
		t[z] = (owned - w) / 2
	}
	return t
}

// oddBound bounds what one record changes among the coefficients of a family.
func (s *Spectrum) oddBound(f *family, limit int64) int64 {
	if int64(f.cells) > limit {
		return int64(min(s.noisy(f), f.cells/2))
	}
	top := int32(0)
	for _, v := range s.oddFactor(f) {
		top = max(top, v)
	}
	return int64(top)
}

// noisy is the number of coefficients that a family owns, without the constant.
func (s *Spectrum) noisy(f *family) int {
	n := f.last - f.first
	if f.first == 0 && n > 0 {
		n--
	}
	return n
}

// eliminationPlan is what maxSum needs but the factors.
type eliminationPlan struct {
	domains []int
	scopes  [][]int // of the maximal families, in order
	steps   []step
	entries float64 // of all tables
}

// plan orders the elimination over records, or over pairs of records (r_v² states a variable), and reports whether its
// tables stay within the limit and its work within what goes with that.
func (s *Spectrum) plan(pairs bool, limit int64) (p eliminationPlan, fits bool) {
	p.domains = make([]int, len(s.arities))
	for v := range p.domains {
		p.domains[v] = 1
	}
	entries, work := 0.0, 0.0
	for _, i := range s.maximal {
		f := &s.fams[i]
		p.scopes = append(p.scopes, f.vars)
		cells := 1.0
		for k, v := range f.vars {
			d := f.arities[k]
			if pairs {
				d *= d
			}
			p.domains[v] = d
			cells *= float64(d)
		}
		entries += cells
		if pairs {
			work += cells * float64(s.noisy(f)) / 2
		}
	}
	if entries > float64(limit) || work > workPerEntry*float64(limit) {
		return p, false
	}
	p.steps = minFill(s.watch, p.domains, p.scopes)
	messages, scanned := messageCells(p.domains, p.steps)
	p.entries = entries + messages
	return p, entries+messages <= float64(limit) && work+scanned <= workPerEntry*float64(limit)
}

// workPerEntry is how many elementary operations go with an allowed table entry: about ten seconds for DefaultLimit.
const workPerEntry = 64

func sane(limit int64) (int64, error) {
	if limit < 0 {
		return 0, &ValueError{"the limit", float64(limit), "a number of table entries, or 0 for the default"}
	}
	if limit == 0 {
		limit = DefaultLimit
	}
	return limit, nil
}

// record refuses what is not one state for every variable.
func (s *Spectrum) record(x []int) error {
	if len(x) != len(s.arities) {
		return &ShapeError{"entries of a record", len(x), len(s.arities)}
	}
	for v, state := range x {
		if state < 0 || state >= s.arities[v] {
			return &ValueError{fmt.Sprintf("entry %d of a record", v), float64(state), fmt.Sprintf("a state from 0 "+
				"to %d", s.arities[v]-1)}
		}
	}
	return nil
}

// factor is a table over variables of finite domains, mixed radix in the order of vars, the last fastest.
type factor[T int32 | float64] struct {
	vars  []int
	table []T
}

// messageCells is the number of entries of all messages of an elimination, and of the largest product it scans;
// infinity is no problem, it is a float.
func messageCells(domains []int, steps []step) (messages, scanned float64) {
	for _, s := range steps {
		cells := 1.0
		for _, v := range s.rest {
			cells *= float64(domains[v])
		}
		messages += cells
		scanned += cells * float64(domains[s.v])
	}
	return messages, scanned
}

// maxSum is max_z Σ factors(z) and a z that attains it, by variable elimination: every step replaces the factors that
// have its variable by their maximum over it (Dechter, "Bucket elimination", 1999). The messages are kept, and z is
// read off backwards.
func maxSum[T int32 | float64](watch Watch, domains []int, factors []factor[T], steps []step) (T, []int) {
	place := make([]int, len(domains))
	for i, s := range steps {
		place[s.v] = i
	}
	buckets := make([][]factor[T], len(steps))
	var best T
	put := func(f factor[T]) {
		if len(f.vars) == 0 {
			best += f.table[0]
			return
		}
		first := len(steps)
		for _, v := range f.vars {
			first = min(first, place[v])
		}
		buckets[first] = append(buckets[first], f)
	}
	for _, f := range factors {
		put(f)
	}
	for i, s := range steps {
		if len(buckets[i]) > 0 {
			put(factor[T]{s.rest, maxOut(watch, domains, buckets[i], s)})
		}
	}
	z := make([]int, len(domains))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		watch.at(domains[s.v] * (1 + len(buckets[i])))
		var top T
		for x := range domains[s.v] {
			var sum T
			for _, f := range buckets[i] {
				at := 0
				for _, v := range f.vars {
					at *= domains[v]
					if v == s.v {
						at += x
					} else {
						at += z[v]
					}
				}
				sum += f.table[at]
			}
			if x == 0 || sum > top {
				top, z[s.v] = sum, x
			}
		}
	}
	return best, z
}

// maxOut is the message of a step: for every state of rest the maximum over s.v of the sum of the bucket.
func maxOut[T int32 | float64](watch Watch, domains []int, bucket []factor[T], s step) []T {
	arities := make([]int, len(s.rest))
	cells := 1
	for k, v := range s.rest {
		arities[k] = domains[v]
		cells *= arities[k]
	}
	type cursor struct {
		table    []T
		at, own  int   // offset, and stride of s.v
		up, back []int // per variable of rest: its stride, and what all to the right of it are ahead of 0
	}
	cursors := make([]cursor, len(bucket))
	for i, f := range bucket {
		c := cursor{table: f.table, up: make([]int, len(s.rest)), back: make([]int, len(s.rest))}
		stride := 1
		for k := len(f.vars) - 1; k >= 0; k-- {
			if v := f.vars[k]; v == s.v {
				c.own = stride
			} else {
				for j, w := range s.rest {
					if v == w {
						c.up[j] = stride
					}
				}
			}
			stride *= domains[f.vars[k]]
		}
		ahead := 0
		for j := len(s.rest) - 1; j >= 0; j-- {
			c.back[j] = ahead
			ahead += c.up[j] * (arities[j] - 1)
		}
		cursors[i] = c
	}
	out := make([]T, cells)
	digits := newOdometer(arities)
	work := 2 + domains[s.v]*len(cursors)
	for i := range out {
		watch.at(work)
		for x := range domains[s.v] {
			var sum T
			for j := range cursors {
				c := &cursors[j]
				sum += c.table[c.at+x*c.own]
			}
			if x == 0 || sum > out[i] {
				out[i] = sum
			}
		}
		if k := digits.next(); k >= 0 {
			for j := range cursors {
				c := &cursors[j]
				c.at += c.up[k] - c.back[k]
			}
		}
	}
	return out
}
