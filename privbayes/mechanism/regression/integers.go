package regression

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// moment is one released second moment Σ u_i·u_j of coordinates i ≤ j of a row u = [x y], every one in [−1, 1]. Its
// noise has the variance σ²·halves/(2·over): σ² for y², D·σ² for a product with y, D²·σ² for a square and half of that
// for another product, D the greatest squared norm of x. On rows divided by √D this is σ² everywhere, but σ²/2 above
// the diagonal of XᵀX, whose entries count twice in its Frobenius norm. A distinct product of a formula has D²·σ² over
// the number of its ordered places.
type moment struct {
	i, j   int
	halves int64
	ofY    int   // how many of its two coordinates are y
	over   int64 // 1 but for products of a formula
	at     int   // its place among the exact moments
	bits   int   // coordinates are multiples of 2^−bits
}

// moments are what is released of the second moments, each once. Left out is what is public or said by another one:
// products of two levels of one factor, which are 0; squares of indicators, which are their products with the
// intercept; the intercept's own, which is n, where n is public; and y² of classes −1 and 1, which is n, too.
func (q proposition) moments(d *leastsquares.Design) (out []moment) {
	intercept, replaced := q.Intercept, q.Replaced
	dim, square := d.Dim(), int64(d.Square())
	of := factorOf(d, intercept)
	add := func(i, j int, halves int64, ofY int) {
		out = append(out, moment{i, j, halves, ofY, 1, packed(i, j, dim+1), leastsquares.LatticeBits})
	}
	for i := range dim {
		for j := i; j < dim; j++ {
			switch {
			case i == j && intercept && (i == 0 && replaced || of[i] > 0):
			case i == j:
				add(i, j, 2*square*square, 0)
			case of[i] == 0 || of[i] != of[j]:
				add(i, j, square*square, 0)
			}
		}
		add(i, dim, 2*square, 1)
	}
	if !q.Classes {
		add(dim, dim, 2, 2)
	}
	return out
}

// factorOf numbers the factors, from 1 on, that coordinates are indicators of; 0 for the others.
func factorOf(d *leastsquares.Design, intercept bool) []int {
	of, first := make([]int, d.Dim()), 0
	if intercept {
		first = 1
	}
	for k, r := range d.Factors() {
		for j := range r.Len {
			of[first+r.First+j] = k + 1
		}
	}
	return of
}

// proposition is what the sensitivity of the moments depends on: numeric features, and the levels of the factors.
type proposition struct {
	Numbers   int   `json:"numbers"`
	Levels    []int `json:"levels,omitempty"` // of every factor, the reference included
	Intercept bool  `json:"intercept"`
	Replaced  bool  `json:"replaced"`
	Classes   bool  `json:"classes,omitempty"` // y is −1 or 1, and y² is not released
}

// proposition is that of a problem's columns.
func (s *setting) proposition() proposition {
	if s.of != nil {
		return *s.of
	}
	d := s.shape.Linear().Design
	q := proposition{Numbers: d.Dim(), Intercept: s.shape.Linear().Intercept, Replaced: s.replaced,
		Classes: s.shape.Classifies()}
	if q.Intercept {
		q.Numbers--
	}
	for _, r := range d.Factors() {
		q.Numbers -= r.Len
		q.Levels = append(q.Levels, r.Len+1)
	}
	return q
}

// square is D.
func (q proposition) square() int {
	d := q.Numbers + len(q.Levels)
	if q.Intercept {
		d++
	}
	return d
}

// manyFactors have the general bound: the search over how two records agree would take long.
const manyFactors = 24

// sensitivity is the L2 sensitivity of the moments to one record, each divided by the standard deviation of its noise
// at σ = 1.
//
// It is that of momentsSensitivity for rows of the unit ball, less what is not released, and never above 3/√2. With an
// intercept it is exact: given the other record and y, the squared change is convex in every numeric
// coordinate x_j of a record, its second derivative being at least 12x_j² − 4z_j² + 4/D ≥ 0 for |z_j| ≤ 1/√D, so that
// numbers are at their bounds, where only their number p and t = Σ ±1, the products with the other record's, count. Of
// the factors, q differ between two levels beyond the reference, m agree on such a level, and e or f are at the
// reference in one record alone; with r = 1+p+q+m+e, s = 1+p+q+m+f and c = 1+m+t, all over D, the squared change is
//
//	r² + s² − 2c² − (2q+e+f)/D² + max over y, y′ of ry² + sy′² − 2cyy′ + (y²−y′²)²,
//
// where max(|y|, |y′|) = 1, since all terms grow with the scale of y and y′; of classes y, y′ = ±1 and the maximum is r
// + s + 2c. A record alone has the most with every factor beyond its reference.
func (q proposition) sensitivity() float64 {
	d, f, p := float64(q.square()), len(q.Levels), q.Numbers
	switch {
	case !q.Replaced && q.Classes:
		return math.Sqrt(2-float64(f)/(d*d)) * (1 + 1e-15)
	case !q.Replaced && !q.Intercept:
		return math.Sqrt(3) * (1 + 1e-15)
	case !q.Replaced:
		return math.Sqrt(3-float64(f)/(d*d)) * (1 + 1e-15)
	case !q.Intercept || f > manyFactors:
		return 3 / math.Sqrt2 * (1 + 1e-15)
	}
	several, best := 0, 0.0 // factors that can differ beyond the reference
	for _, levels := range q.Levels {
		if levels > 2 {
			several++
		}
	}
	for differ := range several + 1 {
		for agree := range f - differ + 1 {
			for one := range f - differ - agree + 1 {
				for other := range min(one, f-differ-agree-one) + 1 {
					r := float64(1+p+differ+agree+one) / d
					s := float64(1+p+differ+agree+other) / d
					less := float64(2*differ+one+other) / (d * d)
					for t := -p; t <= p; t += 2 {
						c := math.Abs(float64(1+agree+t)) / d
						change := r*r + s*s - 2*c*c - less
						if q.Classes {
							best = math.Max(best, change+r+s+2*c)
							continue
						}
						if change+r+s+2*c+1 > best { // what the responses add is less than this
							best = math.Max(best, change+math.Max(responses(r, s, c), responses(s, r, c)))
						}
					}
				}
			}
		}
	}
	return math.Min(math.Sqrt(best), 3/math.Sqrt2) * (1 + 1e-12)
}

// responses is the maximum over b in [0, 1] of P(b) = r + sb² + 2cb + (1 − b²)², c ≥ 0: at 1 or, where P is concave,
// where P′ falls through 0.
func responses(r, s, c float64) float64 {
	value := func(b float64) float64 { return r + s*b*b + 2*c*b + (1-b*b)*(1-b*b) }
	slope := func(b float64) float64 { return 2*s*b + 2*c - 4*b + 4*b*b*b }
	lo, hi := 0.0, math.Sqrt(math.Max(2-s, 0)/6) // P″ = 2s − 4 + 12b² < 0 below
	if slope(hi) >= 0 {
		return value(1) // rises to there, and then, convex, on
	}
	for range 60 {
		if mid := (lo + hi) / 2; slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Max(value(1), value(lo)+math.Max(slope(lo), 0)*(hi-lo))
}

// rowsOf is the sensitivity to a unit of that many rows, from above.
func (q proposition) rowsOf(rows int) float64 { return float64(rows) * q.sensitivity() * (1 + 1e-15) }

// noisesOf are the laws of the noise on the integers of the moments, in units of 4^−bits, at variance σ².
func noisesOf(list []moment, sigma2 noise.Rational) ([]sample.WideGaussian, error) {
	out, of := make([]sample.WideGaussian, len(list)), map[[2]int64]sample.WideGaussian{}
	for k, m := range list {
		law, ok := of[[2]int64{m.halves, m.over}]
		if !ok {
			n := new(big.Int).Mul(new(big.Int).SetUint64(sigma2.Num), big.NewInt(m.halves))
			den := new(big.Int).Mul(new(big.Int).SetUint64(sigma2.Den), big.NewInt(m.over))
			var err error
			if law, err = sample.NewWideGaussian(n.Lsh(n, uint(4*m.bits-1)), den); err != nil {
				return nil, domain.Refuse("linear", "variance of the noise", sigma2.String(),
					"one that the integer sampler takes")
			}
			of[[2]int64{m.halves, m.over}] = law
		}
		out[k] = law
	}
	return out, nil
}

// deviation is the standard deviation of the noise on a moment, in products, at σ.
func (m moment) deviation(sigma float64) float64 {
	return sigma * math.Sqrt(float64(m.halves)/2/float64(m.over))
}

// stepOf is the exponent of the power of two that a noisy moment is rounded to before it is written down: a thousandth
// of its noise or less, which is post-processing and spares digits that say nothing.
func stepOf(deviation float64) int {
	_, exp := math.Frexp(deviation / 1024)
	return min(max(exp-1, -leastsquares.LatticeBits), 40)
}

// drawMoments adds noise to the integers, times their weights 1, 2 or 4 where they have any, and rounds to steps.
func drawMoments(list []moment, weights []int64, noise []*big.Int, deviations []float64, exact []num.Int128,
) []float64 {
	out := make([]float64, len(list))
	for k, m := range list {
		v, weight := exact[m.at], uint(0)
		if weights != nil {
			weight = uint(bits.TrailingZeros64(uint64(weights[k])))
		}
		y := new(big.Int).Lsh(big.NewInt(v.Hi), 64)
		y.Add(y, new(big.Int).SetUint64(v.Lo)).Lsh(y, weight).Add(y, noise[k])
		shift := weight + uint(2*m.bits+stepOf(deviations[k]))
		y.Add(y, new(big.Int).Lsh(big.NewInt(1), shift-1)).Rsh(y, shift)
		out[k], _ = new(big.Float).SetInt(y).Float64()
	}
	return out
}

// packed is the place of i ≤ j in an upper triangle by rows.
func packed(i, j, width int) int { return i*width - i*(i-1)/2 + j - i }

// scaled is a released number as a moment of scaled rows.
func (m moment) scaled(steps, deviation float64, square int) float64 {
	return m.onRows(math.Ldexp(steps, stepOf(deviation)), square)
}

// onRows takes products of [−1, 1] to those of rows of which x is divided by √D.
func (m moment) onRows(v float64, square int) float64 {
	switch m.ofY {
	case 0:
		return v / float64(square)
	case 1:
		return v / math.Sqrt(float64(square))
	}
	return v
}

// latticePair is the dominating pair of independent discrete Gaussian noises Z_c of variances σ_c², on lattices so fine
// that the continuous law is near. With μ² = ΣΔ_c²/σ_c² their Rényi divergences are at most those of N(0, 1) against
// N(μ, 1) (Canonne, Kamath, Steinke 2020, Proposition 5). The profile exceeds that of the Gaussians by at most (1 +
// e^ε)·distance, distance the sum of the total variations between Z_c and a normal number rounded to integers: rounding
// commutes with the change of the data, a whole number, and is post-processing.
type latticePair struct {
	gaussian loss.GaussianPair
	distance float64
}

// latticeDistance is Σ 1/(7σ_c²). For one Z, rounding gives
//
//	R(z) = ∫_{−½}^{½} φ(z + t) dt ≤ φ(z)·cosh(z/(2σ²)),  φ(z) ≤ Z(z)·(1 + 3e^{−2π²σ²}),
//
// and E cosh(Z/(2σ²)) ≤ e^{1/(8σ²)}, so that Σ(R − Z)₊ ≤ (1 + 3e^{−2π²σ²})e^{1/(8σ²)} − 1 < 1/(7σ²) for σ ≥ 2.
func latticeDistance(list []moment, sigma2 float64) (sum float64) {
	for _, m := range list {
		own := math.Ldexp(sigma2*float64(m.halves)/2/float64(m.over), 4*m.bits)
		if own < 4 {
			return 1
		}
		sum += 1 / (7 * own)
	}
	return sum
}

// String describes the pair.
func (p latticePair) String() string { return p.gaussian.String() + ", on a lattice" }

// PureEpsilon is +Inf.
func (p latticePair) PureEpsilon() float64 { return math.Inf(1) }

// Delta is the Gaussian profile and the distance or, where e^ε makes much of that, what follows from ρ = μ²/2.
func (p latticePair) Delta(epsilon float64) float64 {
	near := num.Inflate(p.gaussian.Delta(epsilon) + (1+math.Exp(epsilon))*p.distance)
	if near < 1 && p.distance*math.Exp(epsilon) < 1e-6*near {
		return near
	}
	return math.Min(near, p.Lattice().Delta(epsilon))
}

// Lattice is the pair in lists; the least variance is at least 1/(7·distance).
func (p latticePair) Lattice() loss.LatticePair {
	mu := p.gaussian.Mu
	return loss.LatticePair{DiscreteGaussianPair: loss.DiscreteGaussianPair{Sigma2: 4 / (mu * mu) * (1 - 1e-15), Cells: 1,
		Shift: 2}, Least: 1 / (7 * p.distance), ByRho: true}
}

// RDP is λμ²/2.
func (p latticePair) RDP(order float64) float64 { return p.gaussian.RDP(order) }

// ZCDP is μ²/2.
func (p latticePair) ZCDP() float64 { return p.gaussian.ZCDP() }

// calibrateWhole is the least σ² that meets the target.
func (p *perturbing) calibrateWhole(ctx context.Context) (shipped, error) {
	search := noise.Search{Low: 0x1p-20, High: 1 << 52, Start: p.delta * p.delta, Bits: 40, Variance: true,
		Pair: func(sigma2 float64) loss.Pair {
			return latticePair{loss.GaussianPair{Mu: p.delta / math.Sqrt(sigma2) * (1 + 8e-16)},
				latticeDistance(p.whole, sigma2)}
		}}
	sigma2, met, err := search.Least(ctx, p.target.Parameters)
	z := shipped{Whole: &sigma2}
	if p.formula != nil {
		z = shipped{Products: &sigma2}
	}
	if err == nil && !met {
		err = p.unmet(ctx, z)
	}
	return z, err
}

func (q proposition) valid() error {
	if q.Numbers < 0 || q.Numbers > 4096 || len(q.Levels) > 4096 || q.square() < 1 {
		return domain.Refuse("linear", "numbers", q.Numbers, "0 to 4096 numeric features and factors, and one coordinate")
	}
	all := q.Numbers
	for _, levels := range q.Levels {
		if all += levels - 1; levels < 2 || levels > 4096 || all > 4096 {
			return domain.Refuse("linear", "levels", levels, "factors of at least 2 levels, up to 4096 coordinates")
		}
	}
	return nil
}

// design has the columns of q on [−1, 1]: numbers first.
func (q proposition) design() (*leastsquares.Design, error) {
	one := leastsquares.Range{Lo: -1, Hi: 1}
	x, runs := make([]leastsquares.Range, q.Numbers), []leastsquares.Run(nil)
	for _, levels := range q.Levels {
		runs = append(runs, leastsquares.Run{First: len(x), Len: levels - 1})
		x = append(x, make([]leastsquares.Range, levels-1)...)
	}
	for j := range x {
		x[j] = one
	}
	d, err := leastsquares.NewDesign(x, one, q.Intercept)
	if err != nil {
		return nil, err
	}
	return d.WithFactors(runs...)
}

// small are the first columns of q, few enough for an enumeration of all pairs of records.
func (q proposition) small() proposition {
	q.Numbers = min(q.Numbers, 2)
	var levels []int
	for _, l := range q.Levels[:min(len(q.Levels), 2)] {
		levels = append(levels, min(l, 3))
	}
	q.Levels = levels
	return q
}

// few refuses columns beyond small.
func (q proposition) few() error {
	if q.square() > 5 || len(q.Levels) > 2 || q.Numbers > 2 {
		return domain.Refuse("linear", "of", q.square(), "two numeric features and two factors at most")
	}
	for _, l := range q.Levels {
		if l > 3 {
			return domain.Refuse("linear", "levels", l, "at most 3")
		}
	}
	return nil
}

// recordsParams are the public inputs of the enumeration of all pairs of records of few columns.
type recordsParams struct {
	Of  proposition `json:"of"`
	Law string      `json:"law,omitempty"` // "" for Gaussian noise
}

var recordsChecker = cert.Define("linear-statistics/records",
	func(ctx context.Context, q recordsParams) (cert.Outcome, error) {
		if err := q.Of.valid(); err != nil {
			return cert.Outcome{}, err
		}
		if q.Law != "" && (q.Law != cubeLaw && q.Law != geometricLaw || !q.Of.Classes) {
			return cert.Outcome{}, domain.Refuse("linear", "law", q.Law, "a noise distribution for these columns")
		}
		if err := q.Of.few(); err != nil {
			return cert.Outcome{}, err
		}
		d, err := q.Of.design()
		if err != nil {
			return cert.Outcome{}, err
		}
		return q.Of.largestChange(ctx, d, q.Law)
	})

// places are those of a number, and of the response, in the enumeration.
var places = []float64{-1, -.5, 0, .5, 1}

// largestChange is the greatest change of the integer moments by one record of the design's columns, over all records
// with numbers at the places: for Gaussian noise in the Euclidean norm, each moment over the standard deviation of its
// noise at σ = 1; for the others in the norm of their law.
func (q proposition) largestChange(ctx context.Context, d *leastsquares.Design, law string) (cert.Outcome, error) {
	list := q.moments(d)
	unit := make([]float64, len(list))
	for k, m := range list {
		unit[k] = 1 / m.deviation(1)
	}
	size := norm
	if law != "" {
		for k, w := range q.weighed(list, d, law) {
			unit[k] = float64(w) / 2
		}
		size = func(v []float64) float64 { return floats.Norm(v, 1) }
		if law == cubeLaw {
			size = func(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }
		}
	}
	return largestOf(ctx, d, list, unit, size, q)
}

// largestOf is the greatest size of a change of moments in their units.
func largestOf(ctx context.Context, d *leastsquares.Design, list []moment, unit []float64, size func([]float64) float64,
	of proposition) (cert.Outcome, error) {
	indicators := map[int]int{} // the length of the run that starts here
	for _, r := range d.Factors() {
		indicators[r.First] = r.Len
	}
	features := d.Dim()
	if of.Intercept {
		features--
	}
	var records [][]float64
	var err error
	row := make([]float64, features)
	var visit func(j int)
	visit = func(j int) {
		if j == features {
			responses := places
			if of.Classes {
				responses = []float64{-1, 1}
			}
			for _, y := range responses {
				s, e := leastsquares.NewSums(d)
				if e == nil {
					e = s.AddRow(row, y, 1)
				}
				if e != nil {
					err = e
					return
				}
				v := make([]float64, len(list))
				for k, m := range list {
					v[k] = s.Numbers()[m.at].Float(-2*leastsquares.LatticeBits) * unit[k]
				}
				records = append(records, v)
			}
			return
		}
		if n := indicators[j]; n > 0 {
			for level := range n + 1 {
				clear(row[j : j+n])
				if level > 0 {
					row[j+level-1] = 1
				}
				visit(j + n)
			}
			return
		}
		for _, u := range places {
			row[j] = u
			visit(j + 1)
		}
	}
	if visit(0); err != nil {
		return cert.Outcome{}, err
	}
	return farthest(ctx, records, of.Replaced, size)
}

// wholeChecks are the certificate of noise on integer moments.
func (p *perturbing) wholeChecks(ctx context.Context, inside cert.Check, z shipped) ([]cert.Check, error) {
	of := p.proposition()
	small := of.small()
	scope := fmt.Sprintf("all pairs of records with numbers in {−1, −½, 0, ½, 1}: D = %d, factors of %d levels",
		small.square(),
		small.Levels)
	records := cert.Check{
		Statement: "one record moves the integer moments by at most this, in standard deviations of the noise at σ = 1, by " +
			"enumeration",
		Formula: "√(r² + s² − 2c² − (2q+e+f)/D² + max over y of ry² + sy′² − 2cyy′ + (y²−y′²)²)",
		Source:  "regression.Sums on pairs of records; proof at proposition.sensitivity",
		Bound:   number(small.sensitivity()), Scope: scope,
	}
	if of.Classes {
		records.Formula = "√(r² + s² − 2c² − (2q+e+f)/D² + r + s + 2c)"
	}
	formula, source := fmt.Sprintf("%s, Δ₂ = %.6g, D = %d", p.pair(z), p.delta, of.square()),
		"latticePair; Canonne, Kamath, Steinke 2020, Proposition 5; Balle, Wang 2018"
	law, rate := z.pure()
	if law != "" {
		records.Statement = "one record moves the weighted integer moments by at most this, in the norm of the noise, by " +
			"enumeration"
		records.Formula, records.Source = lawWords[law].change, "regression.Sums on pairs of records; proof at "+
			"proposition.absolute"
		records.Bound = number(small.reach(law, 1))
		formula, source = fmt.Sprintf("%.9g × %.9g", rate.Float(), of.reach(law, p.rows)), lawWords[law].source
	}
	records, err := recordsChecker.Check(ctx, records, recordsParams{small, law})
	if err != nil {
		return nil, err
	}
	checks := []cert.Check{inside, records}
	if law != "" {
		tiny, err := p.releasesCheck(ctx, law)
		if err != nil {
			return nil, err
		}
		checks = append(checks, tiny)
	}
	loss, err := noiseChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(p.target.Parameters), Formula: formula, Source: source,
		Bound: loss.Allowed(p.target.Parameters), Scope: "all data of all sizes; " + p.change(),
	}, noiseParams{Dim: p.dim, Rows: p.rows, Replaced: p.replaced, Of: &of, Noise: z, Want: p.target.Parameters})
	return append(checks, loss), err
}
