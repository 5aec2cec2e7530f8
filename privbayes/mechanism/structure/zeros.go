package structure

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Structural zeros are public, and change only what is public: the tables M, which candidates are legal, and the fit. A
// score moves by what it moves by, whatever M is.

// forbidden is how many cells of a table of columns are structural zeros over just these.
func (s *learner) forbidden(columns []int) (n int) {
	for _, z := range s.zeros {
		if len(z.Columns) == len(columns) && inside(z.Columns, columns) {
			n += z.Cells()
		}
	}
	return n
}

// inside reports whether all of some columns are among others.
func inside(some, others []int) bool {
	return !slices.ContainsFunc(some, func(v int) bool { return !slices.Contains(others, v) })
}

// zeroTables are the structural zeros with what the noisy tables have there.
func (s *learner) zeroTables(columns []frame.Column) (out []model.ZeroTable) {
	for _, z := range s.zeros {
		t := model.ZeroTable{Cells: z.Cells()}
		for _, v := range z.Columns {
			t.Columns = append(t.Columns, columns[v].Name)
		}
		weights := 0.0
		for _, d := range s.done {
			if !inside(z.Columns, d.columns) {
				continue
			}
			sum, cells := s.noisyZeros(z, d)
			w := 1 / (float64(cells) * math.Max(d.variance, leastVariance))
			t.Noisy, weights = t.Noisy+w*sum, weights+w
		}
		if t.Measured = weights > 0; t.Measured {
			t.Noisy, t.SD = t.Noisy/weights, 1/math.Sqrt(weights)
		}
		out = append(out, t)
	}
	return out
}

// noisyZeros adds up the cells of a measured table that are structural zeros.
func (s *learner) noisyZeros(z model.Zeros, t table) (sum float64, cells int) {
	codes := make([]int, len(s.levels))
	for c, v := range t.noisy {
		rest, at := c, 0
		for i := len(t.columns) - 1; i >= 0; i-- {
			codes[t.columns[i]] = rest % s.levels[t.columns[i]]
			rest /= s.levels[t.columns[i]]
		}
		for _, i := range z.Columns {
			at = at*s.levels[i] + codes[i]
		}
		if z.Forbidden[at] {
			sum, cells = sum+v, cells+1
		}
	}
	return sum, cells
}

// contradicted is how many standard deviations of noise a count of declared zeros may have. Gaussian noise alone
// exceeds it with a probability of 1e-9, geometric noise in a single cell with one of 1e-4.
const contradicted = 6

// Warned says where noisy tables have records that are declared impossible. It reads the released numbers.
func (d *sampler) Warned(drawn mechanism.Output) (out warning.List) {
	if len(d.zeros) == 0 {
		return nil
	}
	s, err := newLearner(d.problem, d.laws, drawn.Raw)
	if err != nil || len(drawn.Rounds) != d.rounds() {
		return nil
	}
	for k, r := range drawn.Rounds {
		given, list := s.next(k)
		c := candidate{columns: given}
		if list != nil {
			c = candidate{columns: r.Chosen, stop: r.Stop || len(r.Chosen) == 0}
		}
		if slices.ContainsFunc(c.columns, func(v int) bool { return v < 0 || v >= len(d.levels) }) {
			return nil // numbers that no estimate accepts
		}
		if err := s.take(k, c, r.Counts); err != nil {
			return nil
		}
	}
	for _, z := range s.zeroTables(d.shape.Columns()) {
		if z.Measured && z.Noisy > contradicted*z.SD {
			out = append(out, warning.ZerosContradicted(z.Columns, z.Cells, z.Noisy, z.SD))
		}
	}
	return out
}
