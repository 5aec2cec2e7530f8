package parity

import "fmt"

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
	if err := s.record("z", z); err != nil {
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
func (s *Spectrum) record(name string, x []int) error {
	if len(x) != len(s.arities) {
		return &ShapeError{"entries of " + name, len(x), len(s.arities)}
	}
	for v, state := range x {
		if state < 0 || state >= s.arities[v] {
			return &ValueError{fmt.Sprintf("entry %d of %s", v, name), float64(state), fmt.Sprintf("a state from 0 "+
				"to %d", s.arities[v]-1)}
		}
	}
	return nil
}
