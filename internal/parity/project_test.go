package parity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

func TestProjectGolden(t *testing.T) {
	for _, tc := range []struct {
		arities     []int
		noisy, want [][]float64
		total       float64
	}{
		{
			[]int{2, 2, 2},
			[][]float64{{3.5, -1.25, 2, 4}, {1, 6.5, -.75, 2.25}},
			[][]float64{{4.34375, -1.21875, 2.84375, 4.03125}, {0.84375, 6.34375, -0.09375, 2.90625}},
			10,
		},
		{
			[]int{2, 3, 2},
			[][]float64{{3, -1, 2, 0, 4, 5}, {1, 6, 2, 0, 3, 3}},
			[][]float64{
				{3.666666666666666, -1.5833333333333333, 1.4166666666666667, 0.666666666666667, 3.4166666666666665,
					4.416666666666667},
				{-0.3333333333333331, 4.666666666666667, 1.9166666666666667, -0.083333333333333, 2.9166666666666665,
					2.9166666666666665},
			},
			12,
		},
	} {
		s := must.Get(NewSpectrum(tc.arities, [][]int{{0, 1}, {1, 2}}))(t)
		got := must.Get(s.Project(tc.noisy, nil, tc.total))(t)
		for i := range got {
			for c, v := range got[i] {
				if !near(v, tc.want[i][c], 1e-14) {
					t.Errorf("table %d: %v, want %v", i, got[i], tc.want[i])
				}
			}
		}
	}
}

// marginals is the matrix that takes a joint table to all family tables, one under the other, scaled by 1/σ_f.
func marginals(n network, fams [][]int, variances []float64) *mat.Dense {
	joint := 1
	for _, r := range n.arities {
		joint *= r
	}
	var rows [][]float64
	for i, f := range fams {
		var own []int
		cells := 1
		for _, v := range f {
			own = append(own, n.arities[v])
			cells *= n.arities[v]
		}
		first := len(rows)
		for range cells {
			rows = append(rows, make([]float64, joint))
		}
		digits := newOdometer(n.arities)
		for x := range joint {
			c := 0
			for k, v := range f {
				c = c*own[k] + digits.digits[v]
			}
			rows[first+c][x] = 1 / math.Sqrt(variances[i])
			digits.next()
		}
	}
	a := mat.NewDense(len(rows), joint, nil)
	for i, r := range rows {
		a.SetRow(i, r)
	}
	return a
}

// leastSquares solves min ‖A p − y‖ over joint tables p (any sign) of the given total, by a dense pseudo-inverse: no
// harmonic analysis. It answers the family tables, and the variance of each of their cells for unit noise in y.
func leastSquares(n network, fams [][]int, variances []float64, noisy [][]float64,
	total float64) (fitted, cellVariance []float64) {
	a := marginals(n, fams, variances)
	plain := marginals(n, fams, slices.Repeat([]float64{1}, len(fams)))
	rows, joint := a.Dims()
	// p = total/joint + Q d, Q the projection on sum zero
	q := mat.NewDense(joint, joint, nil)
	for i := range joint {
		for j := range joint {
			q.Set(i, j, -1/float64(joint))
		}
		q.Set(i, i, 1-1/float64(joint))
	}
	uniform := mat.NewVecDense(joint, slices.Repeat([]float64{total / float64(joint)}, joint))
	y := mat.NewVecDense(rows, nil)
	at := 0
	for i, t := range noisy {
		for _, v := range t {
			y.SetVec(at, v/math.Sqrt(variances[i]))
			at++
		}
	}
	var base mat.VecDense
	base.MulVec(a, uniform)
	y.SubVec(y, &base)
	var aq, pinv, gain mat.Dense
	aq.Mul(a, q)
	var svd mat.SVD
	svd.Factorize(&aq, mat.SVDThin)
	values := svd.Values(nil)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for j, s := range values {
		inv := 0.0
		if s > 1e-9*values[0] && s > 1e-12 {
			inv = 1 / s
		}
		for i := range joint {
			v.Set(i, j, v.At(i, j)*inv)
		}
	}
	pinv.Mul(&v, u.T())
	gain.Mul(plain, &pinv)
	var fit, plainBase mat.VecDense
	fit.MulVec(&gain, y)
	plainBase.MulVec(plain, uniform)
	fit.AddVec(&fit, &plainBase)
	for i := range rows {
		row := gain.RawRowView(i)
		sum := 0.0
		for _, g := range row {
			sum += g * g
		}
		cellVariance = append(cellVariance, sum)
		fitted = append(fitted, fit.AtVec(i))
	}
	return fitted, cellVariance
}

// Project is generalised least squares, and MarginVariance its variance, whatever the variances of the families.
func TestProjectIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 4, rapid.SampledFrom([]int{2, 3}).Draw(t, "states"))
		fams := n.families()
		if rapid.Bool().Draw(t, "maximal only") {
			var keep [][]int
			for _, i := range spectrum(t, n.arities, fams).Maximal() {
				keep = append(keep, fams[i])
			}
			fams = keep
		}
		s := spectrum(t, n.arities, fams)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		equal := rapid.Bool().Draw(t, "equal variances")
		variances, unit := make([]float64, len(fams)), []float64(nil)
		noisy := make([][]float64, len(fams))
		for i, cells := range s.Cells() {
			variances[i] = 1
			if !equal {
				variances[i] = math.Exp(rng.NormFloat64())
			}
			for range cells {
				noisy[i] = append(noisy[i], 10*rng.NormFloat64())
			}
		}
		if !equal {
			unit = variances
		}
		got := must.Get(s.Project(noisy, unit, 17))(t)
		want, wantVariance := leastSquares(n, fams, variances, noisy, 17)
		at := 0
		for i := range got {
			variance := must.Get(s.MarginVariance(fams[i], unit))(t)
			for _, v := range got[i] {
				if !near(v, want[at], 1e-10) || !near(variance, wantVariance[at], 1e-10) {
					t.Fatalf("family %v: %v with variance %v; want %v, %v", fams[i], v, variance, want[at],
						wantVariance[at])
				}
				at++
			}
		}
		again := must.Get(s.Project(got, unit, 17))(t)
		for i := range again {
			for c, v := range again[i] {
				if !near(v, got[i][c], 1e-12*100) {
					t.Fatal("not idempotent", again[i], got[i])
				}
			}
		}
	})
}

// Projected tables sum to the total and agree on margins; the map is linear; tables of records stay.
func TestProjectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := randomNet(t, 6, rapid.SampledFrom([]int{2, 4}).Draw(t, "states"))
		fams := n.families()
		s := spectrum(t, n.arities, fams)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		a, b, sum := make([][]float64, len(fams)), make([][]float64, len(fams)), make([][]float64, len(fams))
		for i, cells := range s.Cells() {
			for range cells {
				x, y := 10*rng.NormFloat64(), 10*rng.NormFloat64()
				a[i], b[i], sum[i] = append(a[i], x), append(b[i], y), append(sum[i], 2*x-3*y)
			}
		}
		pa, err := s.Project(a, nil, 100)
		pb, err2 := s.Project(b, nil, 7)
		ps, err3 := s.Project(sum, nil, 2*100-3*7)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		for i, f := range fams {
			if total := marginOf(n.arities, f, nil, pa[i])[0]; !near(total, 100, 1e-12) {
				t.Fatalf("total %v", total)
			}
			for c := range ps[i] {
				if !near(ps[i][c], 2*pa[i][c]-3*pb[i][c], 1e-11) {
					t.Fatal("not linear")
				}
			}
			for j, g := range fams {
				var common []int
				for _, v := range f {
					if slices.Contains(g, v) {
						common = append(common, v)
					}
				}
				x, y := marginOf(n.arities, f, common, pa[i]), marginOf(n.arities, g, common, pa[j])
				for c := range x {
					if !near(x[c], y[c], 1e-12) {
						t.Fatalf("%v and %v on %v: %v, %v", f, g, common, x, y)
					}
				}
			}
		}
		counts := toReal(tablesOf(n, randomRows(rng, n, 25)))
		kept := must.Get(s.Project(counts, nil, 25))(t)
		for i := range kept {
			for c, v := range kept[i] {
				if !near(v, counts[i][c], 1e-12*25) {
					t.Fatal("tables of records moved")
				}
			}
		}
	})
}
