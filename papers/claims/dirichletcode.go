package claims

import (
	"fmt"
	"math"
)

// tables22 visits the 2×2 tables N_jc of up to n records in which both classes occur, in order of their size.
func tables22(n int, visit func(size int, x [2][2]float64)) {
	for size := 2; size <= n; size++ {
		histograms(4, size, func(v []int) {
			x := [2][2]float64{{float64(v[0]), float64(v[1])}, {float64(v[2]), float64(v[3])}}
			if v[0]+v[1] > 0 && v[2]+v[3] > 0 {
				visit(size, x)
			}
		})
	}
}

// orientation compares, at an α of k·1e-9, what the two readings draw around, as α → 0, with the maximum-likelihood
// estimates of eq. (7).
func orientation(t *trial, k float64) error {
	q := newQuadrature()
	tables22(6, func(size int, x [2][2]float64) {
		for j := range x {
			for c := range x[j] {
				theta := x[j][c] / (x[j][0] + x[j][1])
				over := x[0][c] + x[1][c] // the Dirichlet over the classes
				if over > 0 {
					t.printed(near(x[j][c]/over, theta, 1e-12), float64(size), "table [%v %v | %v %v], θ_%d%d = "+
						"%.3g, drawn around %.3f",
						x[0][0], x[0][1], x[1][0], x[1][1], j+1, c+1, theta, x[j][c]/over)
				}
			}
		}
		for j := range x { // over the attribute values, by the mean of the draw at a small α
			r, a := 1., 1e-9*k
			sum := r*(x[j][0]+x[j][1]) + 2*a
			for c := range x[j] {
				t.repaired(math.Abs((r*x[j][c]+a)/sum-x[j][c]/(x[j][0]+x[j][1])) < 1e-8, "row %d of %v", j, x)
			}
		}
	})
	// the worst Rényi cost of a moved record, vectors along rows and along columns
	const r, a, order = 1, 2, 1.5
	for n := 1; n <= 4; n++ {
		worst := [2]float64{}
		histograms(4, n, func(x []int) {
			moves(x, func(i, j int) {
				for way, group := range []func(cell int) int{func(c int) int { return c / 2 },
					func(c int) int { return c % 2 }} {
					partner := func(c int) int { // the other cell of its vector
						if way == 0 {
							return c ^ 1
						}
						return c ^ 2
					}
					out, in := a+r*float64(x[i]-1), a+r*float64(x[j])
					cost := q.moved(r, out, in, order)
					if group(i) != group(j) {
						cost = crossRow{out, a + r*float64(x[partner(i)]), in, a + r*float64(x[partner(j)])}.renyi(q,
							r, order)
					}
					worst[way] = math.Max(worst[way], cost)
				}
			})
		})
		t.repaired(near(worst[0], worst[1], 1e-12), "n = %d: rows cost %v, columns %v", n, worst[0], worst[1])
	}
	return nil
}

// doubleCounting compares both products with the frequency of the class among records with the attribute value, for one
// feature, where naive Bayes is exact; the corrected vectors are normalised by the k-th power of the class counts.
func doubleCounting(t *trial, k float64) error {
	flips := 0
	tables22(7, func(size int, x [2][2]float64) {
		prior := [2]float64{x[0][0] + x[0][1], x[1][0] + x[1][1]}
		for c := range 2 {
			column := x[0][c] + x[1][c]
			if column == 0 {
				continue
			}
			truth := x[0][c] / column
			product := func(theta func(j int) float64) float64 {
				p0, p1 := prior[0]*theta(0), prior[1]*theta(1)
				return p0 / (p0 + p1)
			}
			classes := product(func(j int) float64 { return x[j][c] / column })
			values := product(func(j int) float64 { return x[j][c] / math.Pow(prior[j], k) })
			t.printed(near(classes, truth, 1e-12), float64(size), "table [%v %v | %v %v], x = %d: P(y = 1) = %.3f, "+
				"not %.3f",
				x[0][0], x[0][1], x[1][0], x[1][1], c+1, classes, truth)
			t.repaired(near(values, truth, 1e-12), "table %v, x = %d: %v, not %v", x, c+1, values, truth)
			if (classes > .5 && truth < .5) || (classes < .5 && truth > .5) {
				flips++
			}
		}
	})
	t.f.require(flips > 0, "the decision never changes")
	t.f.number("decisions that change, 2×2 tables of up to 7 records", float64(flips), 4, 0)
	return nil
}

// referenceCode has fixed bins at k times the counts; what the published code spends is recorded beside it.
func referenceCode(t *trial, k float64) error {
	q := newQuadrature()
	const order = 5
	for _, eps := range []float64{.001, .01, .1, 1, 10} {
		r, a, err := algorithm1(order, eps)
		if err != nil {
			return err
		}
		t.repaired(q.moved(k*r, a, a, order) <= eps, "fixed bins at ε = %v", eps)
		for _, zeros := range []float64{2, 3, 10} {
			// of 10·zeros numbers the 10 % quantile is 0; with one zero fewer it is 1, and one bin holds them all
			n := 10 * zeros
			actual := vectorRenyi([]float64{a, a + r*n}, []float64{a + r*zeros, a + r*(n-zeros)}, order)
			back := vectorRenyi([]float64{a + r*zeros, a + r*(n-zeros)}, []float64{a, a + r*n}, order)
			actual = math.Max(actual, back)
			t.printed(actual <= eps, zeros+eps, "%v numbers, %v of them 0 and the others 1, ε = %v: one 0 becomes "+
				"1, both "+
				"change their bin, exact RDP %.3g", n, zeros, eps, actual)
		}
		published(t, q, order, eps, r)
	}
	// dropping the empty cells shows which are empty: (1, 0) and (0, 1) have different supports
	histograms(2, 1, func(x []int) {
		moves(x, func(i, j int) { t.f.require(i != j, "the support of %v", x) })
	})
	return nil
}

// published records what the public code of the experiments spends at (order, ε), r being that of Algorithm 1.
func published(t *trial, q *quadrature, order, eps, r float64) {
	scaled := map[[2]float64]float64{ // exact RDP of class counts times K at a total of ε
		{13, .001}: .0116614850203, {20, .001}: .0184261206242, {64, .001}: .0617290455908, {13, .01}: .1152083737509,
		{20, .01}: .1902296245120,
	}
	small := map[float64]float64{.001: .00112680489077, .01: .01432933449742, .1: .2348691742244, 1: 3.329262528645,
		10: 36.43293830961}
	a := 1 + (order-1)*r
	t.f.number(fmt.Sprintf("α = 1 + (λ−1)r, ε = %v", eps), q.moved(r, a, a, order), small[eps], 1e-9*small[eps])
	for _, tables := range []float64{13, 20, 64} {
		r, a, err := algorithm1(order, eps/(tables+1))
		actual := q.moved(tables*r, a, a, order) // one record moves K counts
		t.f.require(err == nil && actual > eps, "class counts times %v, ε = %v: %.3g", tables, eps, actual)
		if want, finite := scaled[[2]float64{tables, eps}]; finite {
			t.f.number(fmt.Sprintf("class counts times %v, ε = %v", tables, eps), actual, want, 1e-8*want)
		} else {
			t.f.require(math.IsInf(actual, 1), "class counts times %v, ε = %v: %v is finite", tables, eps, actual)
		}
		t.f.require(q.moved(r, a, a, order) <= eps/(tables+1), "unscaled counts, K = %v, ε = %v", tables, eps)
	}
	for _, nodes := range []float64{7, 10, 14} { // the networks' families, at ε/3 each
		r, a, err := algorithm1(order, eps/3)
		t.f.require(err == nil && nodes*q.moved(r, a, a, order) > eps, "%v families at ε/3, ε = %v", nodes, eps)
	}
}
