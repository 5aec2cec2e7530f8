package hellinger

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
)

// Relative errors of what is enumerated: [hellinger.Space.Distance] from tables or not, and LS⁺.
const (
	distanceError = 1e-14
	edgeError     = 4e-15
)

// pairsOf visits every pair of neighbours {z + e_i, z + e_j}, i < j, once. x and y are reused.
func pairsOf(ctx context.Context, s *hellinger.Space, visit func(x, y []int64, i, j int)) error {
	if s.N() == 0 {
		return nil
	}
	d, seen := s.Cells(), 0
	x, y := make([]int64, d), make([]int64, d)
	for z := range hellinger.Compositions(s.N()-1, d) {
		copy(x, z)
		copy(y, z)
		for i := range d {
			x[i]++
			for j := i + 1; j < d; j++ {
				if seen++; seen%1024 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				y[j]++
				visit(x, y, i, j)
				y[j]--
			}
			x[i]--
		}
	}
	return ctx.Err()
}

// enumerateGlobal is the largest H(x, y) over neighbours, or the largest |H(x, r) − H(y, r)| over neighbours and all r,
// less rounding.
func enumerateGlobal(ctx context.Context, s *hellinger.Space, p hellingerParams) (float64, error) {
	worst := 0.0
	if !p.Outputs {
		err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
			worst = math.Max(worst, s.Distance(x, y)*(1-distanceError))
		})
		return worst, err
	}
	tx, ty := newTables(s), newTables(s)
	err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
		tx.at(x)
		ty.at(y)
		for r := range hellinger.Compositions(s.N(), s.Cells()) {
			a, b := tx.distance(r), ty.distance(r)
			worst = math.Max(worst, math.Abs(a-b)-distanceError*(a+b))
		}
	})
	return worst, err
}

// enumerateLipschitz is the largest |1/LS⁺(x) − 1/LS⁺(y)| over neighbours, less rounding.
func enumerateLipschitz(ctx context.Context, s *hellinger.Space, _ hellingerParams) (float64, error) {
	worst := 0.0
	err := pairsOf(ctx, s, func(x, y []int64, _, _ int) {
		p, _, _ := s.LocalPlus(x)
		q, _, _ := s.LocalPlus(y)
		a, b := 1/p, 1/q
		worst = math.Max(worst, math.Abs(a-b)-edgeError*(a+b))
	})
	return worst, err
}

// tables holds, for each cell, the table of its share of ln BC at the current count.
type tables struct {
	s     *hellinger.Space
	count []int64
	rows  [][]float64
}

func newTables(s *hellinger.Space) *tables {
	t := &tables{s: s, count: make([]int64, s.Cells()), rows: make([][]float64, s.Cells())}
	for i := range t.count {
		t.count[i] = -1
	}
	return t
}

// at moves to x, renewing the tables of the counts that changed.
func (t *tables) at(x []int64) {
	for i, k := range x {
		if t.count[i] != k {
			t.count[i], t.rows[i] = k, t.s.Phi(i, k)
		}
	}
}

func (t *tables) distance(r []int64) float64 {
	log := 0.0
	for i, k := range r {
		log += t.rows[i][k]
	}
	return hellinger.FromLogBC(log)
}
