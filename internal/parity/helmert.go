package parity

import (
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

// Distance is Σ_{γ∈N} |u_γ(x) − u_γ(y)|, what replacing record x by y changes in the φ_γ: what HelmertSensitivity
// maximises, and with two states everywhere 2·OddCount(x xor y). Errors: *ShapeError, *ValueError for what is not a
// record.
func (s *Spectrum) Distance(x, y []int) (distance float64, err error) {
	defer end(&err)
	if err := s.record("x", x); err != nil {
		return 0, err
	}
	if err := s.record("y", y); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, i := range s.maximal {
		f := &s.fams[i]
		cx, cy := 0, 0
		for k, v := range f.vars {
			cx, cy = cx*f.arities[k]+x[v], cy*f.arities[k]+y[v]
		}
		s.eachFunction(f, func(u []float64) { sum += math.Abs(u[cx] - u[cy]) })
	}
	return sum, nil
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
