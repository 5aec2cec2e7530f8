package score

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Association tests whether two columns are independent, from their table with noise on every cell. The statistics are
// linear in the noisy cells, or a quadratic form of such: nothing is divided by a noisy number, and what the noise adds
// to their variance is known. Source: theory/structure.md §11.
type Association struct {
	Cells    []float64 // noisy, the second column running fastest
	Rows     []float64 // P(level) of the first column, each above 0, sum 1
	Columns  []float64 // of the second
	N        float64   // records in the table
	Variance float64   // of the noise of a cell, equal and independent
	Alike    float64   // how many times the variance of independent rows: 1, or the rows of a unit
	Kurtosis float64   // excess kurtosis of the noise of a cell: 0 of the normal law, about 3 of geometric noise
}

// Trend is U = Σ c_g (s_x − s̄)·y_gx of two rows, c = (−π, 1 − π), π the share of the second row and s̄ = Σ p_x·s_x the
// mean score: about nπ(1 − π) times the difference of the second row's mean score from the first's. Under independence
// its mean is 0 but for terms of second order, and its variance the sum of two parts,
//
//	sampling = nπ(1 − π)·Σ p_x(s_x − s̄)²,   noise = σ²·(π² + (1 − π)²)·Σ (s_x − s̄)².
func (a Association) Trend(scores []float64) (u, sampling, noise float64) {
	mean, width, pi := 0.0, len(a.Columns), a.Rows[1]
	for x, s := range scores {
		mean += a.Columns[x] * s
	}
	for x, s := range scores {
		d := s - mean
		u += d * ((1-pi)*a.Cells[width+x] - pi*a.Cells[x])
		sampling += a.Columns[x] * d * d
		noise += d * d
	}
	return u, sampling * a.Alike * a.N * pi * (1 - pi), noise * a.Variance * (pi*pi + (1-pi)*(1-pi))
}

// ChiSquare is Q ~ χ² on (k − 1)(l − 1) degrees of freedom under independence. Let r_x be the k − 1 first entries of
// column x less its total times the rows' shares π. Their covariance is D_x = n·p_x·A + σ²·B, A and B those of one
// record's row and of the noise; between columns they have the covariance −n·p_x·p_y·A of a sum, which the direction p
// takes out:
//
//	Q = Σ r_x'D_x⁻¹r_x − b'M⁻¹b,   b = Σ p_x·D_x⁻¹r_x,   M = Σ p_x²·D_x⁻¹.
//
// Its variance is 2·df for normal noise. That of excess kurtosis κ adds κσ⁴·Σ a², a the coefficient in Q of the square
// of a cell's noise, so that the tail of a multiple of χ² with that mean and variance is taken: p. ok is false where a
// matrix is singular: a column or a row without any record or noise.
func (a Association) ChiSquare() (q float64, df int, p float64, ok bool) {
	k, width := len(a.Rows)-1, len(a.Columns)
	sampling, noise := a.covariances()
	b, m, inverses := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil), make([]mat.SymDense, width)
	for x, p := range a.Columns {
		r, total := mat.NewVecDense(k, nil), 0.0
		for g := range a.Rows {
			total += a.Cells[g*width+x]
		}
		for g := range k {
			r.SetVec(g, a.Cells[g*width+x]-a.Rows[g]*total)
		}
		var d, squares mat.SymDense
		inverse := &inverses[x]
		d.ScaleSym(p*a.N*a.Alike, sampling)
		d.AddSym(&d, noise)
		var c mat.Cholesky
		if !c.Factorize(&d) || c.InverseTo(inverse) != nil {
			return 0, 0, 0, false
		}
		var v mat.VecDense
		v.MulVec(inverse, r)
		q += mat.Dot(r, &v)
		b.AddScaledVec(b, p, &v)
		squares.ScaleSym(p*p, inverse)
		m.AddSym(m, &squares)
	}
	var c mat.Cholesky
	var v mat.VecDense
	if !c.Factorize(m) || c.SolveVecTo(&v, b) != nil {
		return 0, 0, 0, false
	}
	q, df = q-mat.Dot(b, &v), k*(width-1)
	variance := 2 * float64(df)
	for x := 0; x < width && a.Kurtosis != 0; x++ {
		for g := range a.Rows {
			d := a.ofNoise(g, a.Columns[x], &inverses[x], &c)
			variance += a.Kurtosis * a.Variance * a.Variance * d * d
		}
	}
	scale := variance / (2 * float64(df))
	return q, df, distuv.ChiSquared{K: float64(df) / scale}.Survival(math.Max(q, 0) / scale), true
}

// ofNoise is the coefficient in Q of the square of the noise of a cell of row g, in a column of share p: that of D_x⁻¹
// less that of what the direction p takes out.
func (a Association) ofNoise(g int, p float64, inverse *mat.SymDense, m *mat.Cholesky) float64 {
	k := len(a.Rows) - 1
	r, v, out := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
	for h := range k {
		r.SetVec(h, -a.Rows[h])
		if h == g {
			r.SetVec(h, 1-a.Rows[h])
		}
	}
	v.MulVec(inverse, r)
	if m.SolveVecTo(out, v) != nil {
		return 0
	}
	return mat.Dot(r, v) - p*p*mat.Dot(v, out)
}

// covariances are A = diag(π) − ππ' of one record's row, and B = σ²·(I − π1')(I − π1')' of the noise of a column,
// without the last row.
func (a Association) covariances() (sampling, noise *mat.SymDense) {
	k, squares := len(a.Rows)-1, float64(len(a.Rows))
	sampling, noise = mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	for g := range k {
		for h := g; h < k; h++ {
			s, z := -a.Rows[g]*a.Rows[h], -a.Rows[g]-a.Rows[h]+squares*a.Rows[g]*a.Rows[h]
			if g == h {
				s, z = s+a.Rows[g], z+1
			}
			sampling.SetSym(g, h, s)
			noise.SetSym(g, h, a.Variance*z)
		}
	}
	return sampling, noise
}

// AnyNoise adjusts the p of a two-sided normal test of one of m pairs that was chosen by a rule that read the rows,
// where the share w of sampling in the statistic's variance may depend on the choice, too. Its sampling part is at most
// X, the largest of m independent normals, so that with z the statistic of p the test rejects with a probability of at
// most
//
//	P(X ≥ z) + ∫₀^z [Φ(−√(z² − x²)) + Φ(−z)]·f_X(x) dx,
//
// since max_w Φ((√w·x − z)/√(1 − w)) is Φ(−√(z² − x²)) at √w = x/z, and the other tail is largest at w = 0.
func AnyNoise(p float64, m int) float64 {
	if p <= 0 || p >= 1 {
		return math.Min(math.Max(p, 0), 1)
	}
	n, pairs := distuv.UnitNormal, float64(m)
	z := -n.Quantile(p / 2)
	out := -math.Expm1(pairs * math.Log1p(-p))
	density := func(x float64) float64 {
		return pairs * math.Pow(math.Erf(x/math.Sqrt2), pairs-1) * 2 * n.Prob(x)
	}
	out += quad.Fixed(func(angle float64) float64 { // x = z·sin(angle): no root at the end
		sin, cos := math.Sincos(angle)
		return (n.CDF(-z*cos) + p/2) * density(z*sin) * z * cos
	}, 0, math.Pi/2, 400, nil, 0)
	return math.Min(out, 1)
}

// Midranks are the scores of a rank test: the middle of each level's ranks, as a share of all.
func Midranks(shares []float64) []float64 {
	out, below := make([]float64, len(shares)), 0.0
	for x, p := range shares {
		out[x], below = below+p/2, below+p
	}
	return out
}

// AboveMedian are the scores of a median test: 1 above the level that holds the median, and within it the share of its
// records that lie above the median, were they spread evenly.
func AboveMedian(shares []float64) []float64 {
	out, below := make([]float64, len(shares)), 0.0
	for x, p := range shares {
		out[x] = 1
		if p > 0 {
			out[x] = math.Min(1, math.Max(0, (below+p-.5)/p))
		}
		below += p
	}
	return out
}
