package regression

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// designParams are the public bounds of the columns.
type designParams struct {
	Features  [][2]float64 `json:"features"`
	Response  [2]float64   `json:"response"`
	Intercept bool         `json:"intercept"`
	Factors   [][2]int     `json:"factors,omitempty"` // the first indicator of each among the features, and how many
}

func (s *setting) designCheck(ctx context.Context) (cert.Check, error) {
	l := s.shape.Linear()
	q := designParams{Response: [2]float64{l.Y.Lo, l.Y.Hi}, Intercept: l.Intercept}
	for _, r := range l.X {
		q.Features = append(q.Features, [2]float64{r.Lo, r.Hi})
	}
	for _, f := range l.Runs {
		q.Factors = append(q.Factors, [2]int{f.First, f.Len})
	}
	return designChecker.Check(ctx, cert.Check{
		Statement: "no row leaves the unit ball: ‖x̃‖ ≤ 1 with the intercept inside, |ỹ| ≤ 1",
		Formula:   "x̃ = clip((x − mid)/half, ±1)/√D, intercept 1/√D", Source: "regression.Design; " +
			"theory/networks.md §5.2",
		Bound: 1, Scope: "rows at and beyond every public bound, and missing ones",
	}, q)
}

var designChecker = cert.Define("linear/design", func(_ context.Context, q designParams) (cert.Outcome, error) {
	var x []leastsquares.Range
	for _, r := range q.Features {
		x = append(x, leastsquares.Range{Lo: r[0], Hi: r[1]})
	}
	if len(x) > 4096 {
		return cert.Outcome{}, domain.Refuse("linear", "features", len(x), "at most 4096")
	}
	y := leastsquares.Range{Lo: q.Response[0], Hi: q.Response[1]}
	d, err := leastsquares.NewDesign(x, y, q.Intercept)
	if err != nil {
		return cert.Outcome{}, err
	}
	var factors []leastsquares.Run
	for _, f := range q.Factors {
		factors = append(factors, leastsquares.Run{First: f[0], Len: f[1]})
	}
	if d, err = d.WithFactors(factors...); err != nil {
		return cert.Outcome{}, err
	}
	return largestRow(d, x, y, factors...)
})

// scaler is a design, or a mutant of one.
type scaler interface {
	Dim() int
	Row(x []float64, y float64, out []float64) (clipped int, err error)
}

// largestRow is max(‖x̃‖, |ỹ|) over rows with every coordinate at, or far beyond, one of its bounds: coordinates are
// scaled one by one, so that each takes its extreme values in a handful of rows. Of a factor one indicator is 1, in
// turns.
func largestRow(d scaler, x []leastsquares.Range, y leastsquares.Range, factors ...leastsquares.Run) (cert.Outcome,
	error) {
	out := cert.Outcome{Method: cert.ClosedForm}
	at := func(r leastsquares.Range, k int) float64 {
		return []float64{r.Lo, r.Hi, r.Lo - 1e6*(r.Hi-r.Lo), r.Hi + 1e6*(r.Hi-r.Lo), math.Inf(1), math.NaN()}[k]
	}
	row, scaled := make([]float64, len(x)), make([]float64, d.Dim()+1)
	for k := range 6 {
		for j, r := range x {
			row[j] = at(r, k)
		}
		for _, f := range factors {
			for j := range f.Len {
				row[f.First+j] = 0
			}
			row[f.First+k%f.Len] = 1
		}
		if _, err := d.Row(row, at(y, k), scaled); err != nil {
			return out, err
		}
		out.Value = math.Max(out.Value, math.Max(exactNorm(scaled[:d.Dim()]), math.Abs(scaled[d.Dim()])))
	}
	return out, nil
}

// exactNorm is ‖v‖ to one unit in the last place, whatever its length: a sum that carries its rounding errors along. A
// plain sum takes rows of norm 1 above 1, in 100 coordinates for one. That unit is inside the margins of both
// mechanisms' losses.
func exactNorm(v []float64) float64 {
	sum, rest := 0.0, 0.0
	for _, x := range v {
		square := x * x
		rest += math.FMA(x, x, -square)
		next := sum + square
		part := next - sum
		rest += (sum - (next - part)) + (square - part)
		sum = next
	}
	return math.Sqrt(sum + rest)
}

// scatter is the law of the residual variance given noisy integer moments and weights w. With t = y'y + e₀, s = Xᵀy + e
// and S = XᵀX + E the noisy residual sum of squares is
//
//	t − 2w·s + wᵀSw = ‖y − Xw‖² + z,   z = e₀ − 2w·e + wᵀEw,
//
// and r = s − Sw = Xᵀη + e − Ew is known, so that z is taken as normal given r: with mean C·V⁻¹r and variance Var z −
// C·V⁻¹·Cᵀ, C the covariance of z and r, V that of r (noisyPosterior). ‖y − Xw‖² is σ²χ² of n degrees, and at most n
// for responses in [−1, 1]; the prior of σ² is flat.
type scatter struct {
	noisyPosterior
	variance mat.Cholesky // of V, at the posterior mean
}

// scatter prepares at the residual sd that solve found.
func (p noisyPosterior) scatter(sd float64) (*scatter, error) {
	v := mat.NewSymDense(len(p.xy), nil)
	v.ScaleSym(sd*sd, p.xx)
	for i := range p.xy {
		v.SetSym(i, i, v.At(i, i)+p.noise*p.noise)
	}
	p.errorOfProduct(v, p.at)
	s := &scatter{noisyPosterior: p}
	if !s.variance.Factorize(v) {
		return nil, noPosterior()
	}
	return s, nil
}

// draw is a residual sd given weights.
func (s *scatter) draw(src rand.Source, w []float64) float64 {
	d, tau := len(w), s.noise*s.noise
	r, c, variance := make([]float64, d), make([]float64, d), tau // of e₀
	for i, a := range w {
		variance += 4 * a * a * tau
		c[i] = -2 * tau * a
		r[i] = s.xy[i]
		for j, b := range w {
			r[i] -= s.raw.At(i, j) * b
		}
	}
	for _, e := range s.parts { // E's moment is multiplied by q in wᵀEw, by a and b in −E·w
		a, b, q := w[e.j], w[e.i], 2*w[e.i]*w[e.j]
		switch {
		case e.i == e.j:
			q /= 2
		case e.indicator:
			b += w[e.j]
			q += w[e.j] * w[e.j]
		}
		t := tau * e.variance
		variance += q * q * t
		c[e.i] -= q * a * t
		if e.i != e.j {
			c[e.j] -= q * b * t
		}
	}
	var solved mat.VecDense
	noise := 0.0
	if s.variance.SolveVecTo(&solved, mat.NewVecDense(d, c)) == nil {
		noise = mat.Dot(&solved, mat.NewVecDense(d, r))
		variance -= mat.Dot(&solved, mat.NewVecDense(d, c))
	}
	n := math.Max(s.n, 1)
	rss := residualSum(s.raw, s.xy, s.yy, w) - noise
	rss = truncatedNormal(src, rss, math.Sqrt(math.Max(variance, 0)), 0, n)
	// n degrees of freedom: σ² is rss over a gamma number of shape n/2, halved
	return residualSD(rss*n/2/math.Exp(sample.LogGamma(src, n/2)), n, s.radius)
}

// truncatedNormal draws from N(mean, sd²) on [lo, hi]: by inversion of the normal law within 8 sd and, beyond, of its
// exponential tail.
func truncatedNormal(src rand.Source, mean, sd, lo, hi float64) float64 {
	if !(sd > 0) {
		return math.Min(math.Max(mean, lo), hi)
	}
	a, b, flip := (lo-mean)/sd, (hi-mean)/sd, false
	if a+b < 0 { // the side with the smaller tail keeps its digits
		a, b, flip = -b, -a, true
	}
	u := sample.Float64(src)
	var z float64
	if a > 8 {
		z = math.Min(a-math.Log1p(-u*-math.Expm1(-a*(b-a)))/a, b)
	} else {
		upper, lower := math.Erfc(a/math.Sqrt2)/2, math.Erfc(b/math.Sqrt2)/2
		z = math.Min(math.Max(math.Sqrt2*math.Erfcinv(2*(upper-u*(upper-lower))), a), b)
	}
	if flip {
		z = -z
	}
	return mean + sd*z
}
