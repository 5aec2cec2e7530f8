package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// scaledPair has k times the divergences of a pair.
type scaledPair struct {
	loss.DirichletPair
	k float64
}

func (p scaledPair) RDP(order float64) float64     { return p.k * p.DirichletPair.RDP(order) }
func (p scaledPair) Delta(epsilon float64) float64 { return p.k * p.DirichletPair.Delta(epsilon) }

// crossRow is one record that moves from a cell of one row to a cell of another: out and in are the parameters of the
// two cells without the record, restOut and restIn the totals of the other cells of their rows. The two rows are
// independent, each loss depends on one Beta variable.
type crossRow struct{ out, restOut, in, restIn float64 }

func (c crossRow) renyi(q *quadrature, r, order float64) float64 {
	return q.removed(r, c.out, c.restOut, order) + q.added(r, c.in, c.restIn, order)
}

// delta is the hockey-stick divergence of the pair of rows: an integral over the row that is left, of the probabilities
// of a half line in the other.
func (c crossRow) delta(q *quadrature, r, epsilon float64) float64 {
	// losses: X = r·ln y + cx with y ~ Beta(out+r, restOut); Y = −r·ln z + cy with z ~ Beta(in, restIn), and Beta(in+r,
	// restIn) under Q
	cx := q.logBeta(c.out, c.restOut) - q.logBeta(c.out+r, c.restOut)
	cy := q.logBeta(c.in+r, c.restIn) - q.logBeta(c.in, c.restIn)
	a, norm := c.out+r, q.logBeta(c.out+r, c.restOut)
	p := func(t float64) float64 { return -a*softplus(-t) - c.restOut*softplus(t) - norm }
	inner := func(t float64) float64 {
		x := -r*softplus(-t) + cx
		// Y > ε − x ⇔ ln z < (cy + x − ε)/r
		lz := (cy + x - epsilon) / r
		if lz >= 0 {
			return -math.Expm1(epsilon - x)
		}
		z, w := math.Exp(lz), -math.Expm1(lz)
		with, _ := num.BetaTails(c.in, c.restIn, z, w)
		without, _ := num.BetaTails(c.in+r, c.restIn, z, w)
		return with - math.Exp(epsilon-x)*without
	}
	mode, width := math.Log(a/c.restOut), math.Sqrt((a+c.restOut)/(a*c.restOut))
	lo, hi := mode, mode
	for top := p(mode) - 30; p(lo) > top; lo -= width {
	}
	for top := p(mode) - 30; p(hi) > top; hi += width {
	}
	cuts := []float64{lo, hi}
	if ly := (epsilon - cx - cy) / r; ly < 0 { // where Y > ε − x holds surely from: ln y = (ε − cx − cy)/r
		if at := ly - math.Log(-math.Expm1(ly)); at > lo && at < hi {
			cuts = []float64{lo, at, hi}
		}
	}
	sum := 0.0
	for i := range len(cuts) - 1 {
		panels := 1 + int((cuts[i+1]-cuts[i])/math.Min(3, 2*width))
		sum += num.Integrate24(func(t float64) float64 { return math.Exp(p(t)) * inner(t) }, cuts[i], cuts[i+1], panels)
	}
	return sum
}

// theoremTables has k times the divergences of one histogram.
func theoremTables(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		if t.settled(k) {
			break
		}
		r, a := p[0], p[1]
		pair := scaledPair{loss.DirichletPair{Rate: r, Shape: a}, k}
		seen := map[crossRow]bool{}
		for _, wide := range []int{2, 3} {
			for n := 1; n <= 6-wide; n++ { // 2×2 tables to n = 4, 2×3 tables to n = 3
				histograms(2*wide, n, func(x []int) {
					row := [2]float64{}
					for i, v := range x {
						row[i/wide] += float64(v)
					}
					moves(x, func(i, j int) {
						out, in := a+r*float64(x[i]-1), a+r*float64(x[j])
						if i/wide == j/wide { // within a row, Theorem A
							for _, o := range ordersVisited {
								if bound := pair.RDP(o); !math.IsInf(bound, 1) {
									t.bound(bound, q.moved(r, out, in, o), float64(n), "RDP of %v, cell %d to %d", x,
										i, j)
								}
							}
							return
						}
						rest := a * float64(wide-1)
						c := crossRow{out, rest + r*(row[i/wide]-float64(x[i])), in,
							rest + r*(row[j/wide]-float64(x[j]))}
						if t.f.Cases++; seen[c] {
							return
						}
						seen[c] = true
						for _, o := range ordersVisited {
							if bound := pair.RDP(o); !math.IsInf(bound, 1) {
								t.bound(bound, c.renyi(q, r, o), float64(n), "RDP of %v, cell %d to %d", x, i, j)
							}
						}
						for _, e := range epsilonsVisited[:2] {
							t.bound(pair.Delta(e), c.delta(q, r, e), float64(n), "δ(%v) of %v, cell %d to %d", e, x, i,
								j)
						}
					})
				})
			}
		}
		// the gamma draws themselves have the same cost: two independent ones change
		for _, o := range ordersVisited {
			if bound := pair.RDP(o); !math.IsInf(bound, 1) {
				t.printed(near(q.gammaRenyi(a+r, a, o)+q.gammaRenyi(a, a+r, o), bound, 1e-7), 0, "gamma draws, order "+
					"%v", o)
			}
		}
	}
	// two rows of a hockey-stick integral in two dimensions reduce to one when the rows become wide: then both losses
	// are gamma losses
	far := crossRow{1, 1e4, 1, 1e4}
	t.f.number("δ(0.5) across two rows of 1e4, r = α = 1, ÷ Theorem B's",
		far.delta(q, 1, .5)/q.movedDelta(1, 1, 1, .5), 1, 1e-3)
	rowsOfTheirOwn(t, q)
	t.attained(1e-8)
	return nil
}

// rowsOfTheirOwn visits rows with their own r_j and α_j.
func rowsOfTheirOwn(t *trial, q *quadrature) {
	g := rand.New(rand.NewPCG(5, 3))
	for range 150 {
		r := [2]float64{math.Exp(-2 + 3*g.Float64()), math.Exp(-2 + 3*g.Float64())}
		a := [2]float64{r[0] * (2 + 5*g.Float64()), r[1] * (2 + 5*g.Float64())}
		const order = 2.5
		add, remove := 0.0, 0.0
		for j := range r {
			add = math.Max(add, q.gammaRenyi(a[j], a[j]+r[j], order))
			remove = math.Max(remove, q.gammaRenyi(a[j]+r[j], a[j], order))
		}
		i, j := g.IntN(2), g.IntN(2)
		from, to := a[i]+r[i]*float64(g.IntN(3)), a[j]+r[j]*float64(g.IntN(3))
		truth := q.moved(r[i], from, to, order)
		if i != j {
			truth = q.removed(r[i], from, a[i]+r[i]*float64(g.IntN(9)), order) +
				q.added(r[j], to, a[j]+r[j]*float64(g.IntN(9)), order)
		}
		t.bound(add+remove, truth, 9, "rows (%v, %v)", r, a)
	}
}

// labelChange is the Rényi cost of one table of C columns when a record leaves a class of n other records for one of m:
// the record's cells are empty, which is the worst.
func labelChange(q *quadrature, r, a, columns, n, m, order float64) float64 {
	return q.removed(r, a, (columns-1)*a+r*n, order) + q.added(r, a, (columns-1)*a+r*m, order)
}

// theoremPrior has k times the cost of one Dirichlet over all cells.
func theoremPrior(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		r, a := p[0], p[1]
		for classes := 2; classes <= 3; classes++ {
			const wide = 2
			for n := 1; n <= 6-classes; n++ {
				histograms(classes*wide, n, func(x []int) {
					row := make([]float64, classes)
					for i, v := range x {
						row[i/wide] += float64(v)
					}
					moves(x, func(i, j int) {
						ri, rj := i/wide, j/wide
						out, in := a+r*float64(x[i]-1), a+r*float64(x[j])
						for _, o := range ordersVisited {
							one := q.moved(r, out, in, o) // one Dirichlet over all cells
							if math.IsInf(one, 1) || ri == rj {
								continue
							}
							prior := q.moved(r, wide*a+r*(row[ri]-1), wide*a+r*row[rj], o)
							rows := crossRow{out, a + r*(row[ri]-float64(x[i])), in,
								a + r*(row[rj]-float64(x[j]))}.renyi(q, r, o)
							t.printed(near(prior+rows, k*one, 1e-7), float64(n), "%v, cell %d to %d: %v + %v, not "+
								"%v", x,
								i, j, prior, rows, one)
							if bound := (loss.DirichletPair{Rate: r, Shape: a}).RDP(o); !math.IsInf(bound, 1) {
								t.bound(bound, prior+rows, float64(n), "%v, cell %d to %d", x, i, j)
							}
						}
					})
				})
			}
		}
	}
	const r, a, order = 2.44, 40, 5
	alone := q.moved(r, a, a, order)
	for _, c := range []struct{ tables, columns, ratio float64 }{{1, 2, 1.500}, {1, 10, 1.900}, {3, 10, 1.233},
		{10, 10, .9996}, {13, 10, .977}} {
		worst := 0.0
		for n := range 4 {
			for m := range 4 {
				prior := q.moved(r, a+r*float64(n), a+r*float64(m), order)
				worst = math.Max(worst, prior+c.tables*labelChange(q, r, a, c.columns, float64(n), float64(m), order))
			}
		}
		t.f.number(fmt.Sprintf("independent prior, K = %v, C = %v: cost of a label change ÷ the tables'", c.tables,
			c.columns), worst/(c.tables*alone), c.ratio, 6e-4)
	}
	t.attained(1e-7)
	return nil
}

// budgetSplit asks for k·ε.
func budgetSplit(t *trial, k float64) error {
	q := newQuadrature()
	const order = 5
	for _, eps := range []float64{.01, .1, 1, 10} {
		for _, tables := range []float64{1, 2, 5, 13} {
			r, a, err := algorithm1(order, eps/(tables+1))
			if err != nil {
				return err
			}
			table := q.moved(r, a, a, order)
			t.bound(k*eps, tables*table, tables, "K = %v, ε = %v, the attributes change", tables, eps)
			for _, columns := range []float64{2, 10} {
				for n := range 3 {
					for m := range 3 {
						prior := q.moved(r, a+r*float64(n), a+r*float64(m), order)
						truth := prior + tables*labelChange(q, r, a, columns, float64(n), float64(m), order)
						t.bound(k*eps, truth, tables, "K = %v, C = %v, ε = %v, the class changes", tables, columns, eps)
					}
				}
			}
			// a network of K families, ε/K each, and the prior of Theorem D with ε/K per table
			r, a, err = algorithm1(order, eps/tables)
			if err != nil {
				return err
			}
			t.bound(k*eps, tables*q.moved(r, a, a, order), tables, "K = %v families, ε = %v", tables, eps)
		}
	}
	// parallel composition proves nothing: publishing the row totals costs nothing when a record moves within its row,
	// and everything when it changes its row
	histograms(4, 1, func(x []int) {
		moves(x, func(i, j int) {
			var before, after [2]int
			before[i/2], after[j/2] = 1, 1
			t.f.require((before == after) == (i/2 == j/2), "row totals of %v, cell %d to %d", x, i, j)
		})
	})
	t.margin(1.059*k, 2.712*k, 1e-3)
	return nil
}

// quadrature integrates Beta and Gamma densities numerically. It knows no gamma function: what it finds is independent
// of the closed forms of package dp.
//
// In t = logit y the Beta(a, b) integrand y^a (1−y)^b is log-concave and analytic for |Im t| < π, so that the
// trapezoidal rule converges exponentially in 1/step, for the normaliser and for every Rényi moment, which is a
// normaliser of shifted parameters.
type quadrature struct {
	betas   map[[2]float64]float64
	profile map[[5]float64]float64
}

func newQuadrature() *quadrature {
	return &quadrature{map[[2]float64]float64{}, map[[5]float64]float64{}}
}

func softplus(t float64) float64 { return math.Max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }

// dropped is how far below its maximum, in e-folds, an integrand is followed.
const dropped = 42

// trapezoid is ln ∫ e^{g} for a concave g with its maximum near mode and curvature −kappa there.
func trapezoid(g func(t float64) float64, mode, kappa float64) float64 {
	h := math.Min(.2, .6/math.Sqrt(kappa)) // the transform of the integrand falls like e^{−π²/h} at least
	top, sum := g(mode), 1.0
	for _, step := range []float64{h, -h} {
		for t := mode + step; ; t += step {
			v := g(t) - top
			if v < -dropped {
				break
			}
			sum += math.Exp(v)
		}
	}
	return top + math.Log(sum*h)
}

// logBeta is ln ∫ y^{a−1} (1−y)^{b−1} dy; +Inf where the integral diverges.
func (q *quadrature) logBeta(a, b float64) float64 {
	if !(a > 0 && b > 0) {
		return math.Inf(1)
	}
	key := [2]float64{a, b}
	if v, ok := q.betas[key]; ok {
		return v
	}
	v := trapezoid(func(t float64) float64 { return -a*softplus(-t) - b*softplus(t) }, math.Log(a/b), a*b/(a+b))
	q.betas[key] = v
	return v
}

// renyi is the Rényi divergence of order λ of Beta(a1, b1) from Beta(a2, b2).
func (q *quadrature) renyi(a1, b1, a2, b2, order float64) float64 {
	l := order - 1
	moment := q.logBeta(a1+l*(a1-a2), b1+l*(b1-b2))
	if math.IsInf(moment, 1) {
		return moment
	}
	return (moment + l*q.logBeta(a2, b2) - order*q.logBeta(a1, b1)) / l
}

// hockey is ∫ (p − e^ε q)₊ for p = Beta(a1, b1) and q = Beta(a2, b2), a1 ≥ a2 and b1 ≤ b2, so that the loss grows with
// t = logit y: Gauss–Legendre panels from the point where it is ε.
func (q *quadrature) hockey(a1, b1, a2, b2, epsilon float64) float64 {
	key := [5]float64{a1, b1, a2, b2, epsilon}
	if v, ok := q.profile[key]; ok {
		return v
	}
	np, nq := q.logBeta(a1, b1), q.logBeta(a2, b2)
	p := func(t float64) float64 { return -a1*softplus(-t) - b1*softplus(t) - np }
	loss := func(t float64) float64 { return (a2-a1)*softplus(-t) + (b2-b1)*softplus(t) + nq - np }
	mode, width := math.Log(a1/b1), math.Sqrt((a1+b1)/(a1*b1))
	from := mode
	for top := p(mode); p(from) > top-dropped; from -= width {
	}
	if loss(from) < epsilon {
		to := mode
		for loss(to) < epsilon && to-mode < 1e5 {
			to += 1 + (to - mode)
		}
		if loss(to) < epsilon { // the loss is bounded below ε
			return 0
		}
		for from < to {
			mid := from + (to-from)/2
			if mid == from || mid == to {
				break
			}
			if loss(mid) < epsilon {
				from = mid
			} else {
				to = mid
			}
		}
	}
	sum, panel, peak := 0.0, math.Min(3, 2*width), p(math.Max(from, mode))
	for t := from; t < mode || p(t) > peak-dropped; t += panel {
		sum += num.Integrate24(func(t float64) float64 { return -math.Expm1(epsilon-loss(t)) * math.Exp(p(t)) }, t,
			t+panel, 1)
	}
	q.profile[key] = sum
	return sum
}

// moved is the Rényi divergence when a record leaves a cell of parameter a+r for one of b: the loss depends on w =
// y_i/(y_i + y_j) alone, which is Beta(a+r, b) with the record and Beta(a, b+r) without.
func (q *quadrature) moved(r, a, b, order float64) float64 { return q.renyi(a+r, b, a, b+r, order) }

// movedDelta is its hockey-stick divergence.
func (q *quadrature) movedDelta(r, a, b, epsilon float64) float64 {
	return q.hockey(a+r, b, a, b+r, epsilon)
}

// added is the Rényi divergence when a record comes into a cell of parameter a, the other cells of its vector having
// total rest.
func (q *quadrature) added(r, a, rest, order float64) float64 {
	return q.renyi(a, rest, a+r, rest, order)
}

// removed is that of the record's leaving again.
func (q *quadrature) removed(r, a, rest, order float64) float64 {
	return q.renyi(a+r, rest, a, rest, order)
}

// logGamma is ln ∫ g^{a−1} e^{−g} dg.
func (q *quadrature) logGamma(a float64) float64 {
	if !(a > 0) {
		return math.Inf(1)
	}
	return trapezoid(func(s float64) float64 { return a*s - math.Exp(s) }, math.Log(a), a)
}

// gammaRenyi is the Rényi divergence of Gamma(a) from Gamma(b).
func (q *quadrature) gammaRenyi(a, b, order float64) float64 {
	l := order - 1
	return (q.logGamma(a+l*(a-b)) + l*q.logGamma(b) - order*q.logGamma(a)) / l
}

// simplexRenyi is the Rényi divergence of Dirichlet(u) from Dirichlet(v) in three cells, by the trapezoidal rule over
// the whole simplex in y ∝ (e^s, e^t, 1), without any reduction.
func simplexRenyi(u, v [3]float64, order float64) float64 {
	norm := func(w [3]float64) float64 {
		total := w[0] + w[1] + w[2]
		g := func(s, t float64) float64 {
			m := math.Max(0, math.Max(s, t))
			return w[0]*s + w[1]*t - total*(m+math.Log(math.Exp(s-m)+math.Exp(t-m)+math.Exp(-m)))
		}
		h := math.Min(.4, .6/math.Sqrt(math.Max(w[0], w[1])))
		s0, t0 := math.Log(w[0]/w[2]), math.Log(w[1]/w[2])
		top, sum := g(s0, t0), 0.0
		reach := int(32/(h*math.Min(w[0], math.Min(w[1], w[2])))) + 1
		for i := -reach; i <= reach; i++ {
			for j := -reach; j <= reach; j++ {
				sum += math.Exp(g(s0+float64(i)*h, t0+float64(j)*h) - top)
			}
		}
		return top + math.Log(sum*h*h)
	}
	var w [3]float64
	for i := range w {
		w[i] = order*u[i] - (order-1)*v[i]
		if !(w[i] > 0) {
			return math.Inf(1)
		}
	}
	return (norm(w) + (order-1)*norm(v) - order*norm(u)) / (order - 1)
}

// The golden histograms of the study of single histograms: that of Figure 2, one of 1283 records, and a Zipf law on ten
// cells.
var (
	histogramFigure2 = []float64{11, 8, 65, 25, 38, 0}
	histogramX0      = []float64{119, 74, 618, 272, 13, 187}
	histogramZipf    = []float64{6828, 3414, 2276, 1707, 1366, 1138, 975, 854, 759, 683}
)

// proportions are the total of a histogram and its shares.
func proportions(x []float64) (n float64, p []float64) {
	for _, v := range x {
		n += v
	}
	p = make([]float64, len(x))
	for i, v := range x {
		p[i] = v / n
	}
	return n, p
}
