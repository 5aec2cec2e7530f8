package sums

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/roundedsum"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// points stand for a posterior: a prime number of them, so that every stride through them is a permutation.
const points = 499

// posterior is the posterior given the noisy sums, as points. Sums of records have a flat prior on what is possible: of
// n records where n is public, of any number where it is not.
func (d *sampler) posterior(ctx context.Context, noisy []int64) ([][]float64, error) {
	l := d.shape.Lattice()
	top := float64(d.n) * float64(d.Steps)
	switch {
	case d.Kind == moments && !d.latent():
		return d.values(noisy), nil
	case d.Kind == moments:
		return d.spread(ctx, noisy)
	case d.Kind == oneSum || d.Kind == sumSquares:
		if one := d.shape.OneParameter(); one != nil {
			return d.parameter(noisy[0], roundedsum.OneSum{Record: one.Record, Low: one.Low, High: one.High,
				LogPrior: one.LogPrior})
		}
		return d.averages(func(point, _ int) float64 {
			return l.Value(0, d.between(0, noisy[0], 0, top, share(point, 1))/float64(d.n))
		}, 1), nil
	case d.Kind == halves:
		if one := d.shape.OneParameter(); one != nil {
			return d.privateRows(noisy, roundedsum.PairSum{Record: one.Record, Low: one.Low, High: one.High,
				LogPrior: one.LogPrior})
		}
	case d.Kind == countedSquares || d.Kind == columnsSquares && d.law.law == cubeLaw:
		return d.cubed(noisy[:d.powers()]), nil
	case (d.Kind == columns || d.Kind == columnsSquares) && d.law.law != cubeLaw:
		return d.averages(func(point, i int) float64 {
			return l.Value(i, d.between(i, noisy[i], 0, top, share(point, i+1))/float64(d.n))
		}, d.Width), nil
	case d.Kind == columns || d.Kind == columnsCount:
		return d.cubed(noisy), nil
	}
	if d.Unit > 0 {
		return d.ofUnits(noisy), nil
	}
	if d.Kind == triple || d.Kind == groupTriple { // j/J = (j² + j(J − j))/J²
		return d.averages(func(point, g int) float64 {
			var b [3]float64
			for i := range b {
				b[i] = d.between(3*g+i, noisy[3*g+i], 0, math.Inf(1), share(point, 3*g+i+1))
			}
			return l.Value(0, part(b[2]+b[1]/2, b[0]+b[1]+b[2])*float64(d.Steps))
		}, max(d.Width, 1)), nil
	}
	// pairs: the sum of k and the sum of K − k
	return d.averages(func(point, g int) float64 {
		a := d.between(2*g, noisy[2*g], 0, math.Inf(1), share(point, 2*g+1))
		b := d.between(2*g+1, noisy[2*g+1], 0, math.Inf(1), share(point, 2*g+2))
		return l.Value(0, part(a, a+b)*float64(d.Steps))
	}, max(d.Width, 1)), nil
}

// part is a/b, and one half of nothing.
func part(a, b float64) float64 {
	if b > 0 {
		return a / b
	}
	return .5
}

// golden is the golden ratio's share of the points: places that follow each other by it fill a square evenly.
const golden = 308

// powers are those of 7, a primitive root: 1, 7, 49, … modulo the number of points.
var powers = func() (p [points - 1]int) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 7 % points
	}
	return p
}()

// share is the place of a point among all, in another order for every i ≥ 1: 2g + 1 and 2g + 2 fill the square.
func share(point, i int) float64 {
	stride := powers[(i-1)/2%(points-1)]
	if i%2 == 0 {
		stride = stride * golden % points
	}
	return (float64(point*stride%points) + .5) / points
}

func (d *sampler) averages(value func(point, i int) float64, n int) [][]float64 {
	out := make([][]float64, points)
	for k := range out {
		out[k] = make([]float64, n)
		for i := range out[k] {
			v := value(k, i)
			if math.IsNaN(v) { // no records: nothing is known
				c := min(i, len(d.shape.Lattice().Low)-1)
				v = d.shape.Lattice().Value(c, share(k, i+1)*float64(d.Steps))
			}
			out[k][i] = v
		}
	}
	return out
}

// between is the u-quantile of the sum s in [low, high] given s + Z: its weight at s is P(Z = noisy − s).
func (d *sampler) between(i int, noisy int64, low, high, u float64) float64 {
	tail := d.logTail(i)
	y := float64(noisy)
	inverse := func(float64) float64 { return math.NaN() }
	switch form := noise.FormOf(d.law.one(i)); {
	case form.Rate > 0:
		inverse = tailInverse(form.Rate)
	case form.Sigma2 > wideSigma2:
		inverse = normalInverse(math.Sqrt(form.Sigma2))
	}
	if y < (low+high)/2 { // from the other end, where tails keep their digits
		return -fromAbove(tail, inverse, -y, -high, -low, 1-u)
	}
	return fromAbove(tail, inverse, y, low, high, u)
}

// tailInverse is the real z with log P(Z ≥ z) = t of geometric noise, between integers by the same formula.
func tailInverse(rate float64) func(t float64) float64 {
	one := math.Log1p(math.Exp(-rate))
	return func(t float64) float64 {
		if t <= -rate-one {
			return -(t + one) / rate
		}
		return 1 + (math.Log(-math.Expm1(t))+one)/rate
	}
}

// normalInverse is the z with log P(Z ≥ z) = t of wide Gaussian noise, as logTail says it.
func normalInverse(sd float64) func(t float64) float64 {
	return func(t float64) float64 {
		if t < -math.Ln2 {
			return .5 - sd*logQuantile(t)
		}
		return .5 + sd*logQuantile(math.Log(-math.Expm1(t)))
	}
}

// logQuantile is the x with ln Φ(x) = t, t below 0. ln Φ is concave and at most −x²/2 for x < 0, so that Newton's
// method rises to x from −√(−2t).
func logQuantile(t float64) float64 {
	x := -math.Sqrt(-2 * t)
	for range 40 {
		at := roundedsum.LogNormalBelow(x)
		step := (t - at) * math.Exp(at+x*x/2) * math.Sqrt(2*math.Pi)
		if x += step; !(step > 1e-15*math.Abs(x)) {
			break
		}
	}
	return x
}

// fromAbove is between for a noisy value in the upper half. P(low ≤ S ≤ s) ∝ P(Z ≥ y − s) − P(Z > y − low).
func fromAbove(tail, inverse func(z float64) float64, y, low, high, u float64) float64 {
	reach := math.Min(high, y+1e18)
	above, whole := tail(y-low+1), 0.0
	whole = minus(tail(y-reach), above)
	lo, hi := math.Max(low, y-2e18), reach
	want := math.Log(u) + whole
	if z := inverse(math.Max(want, above) + math.Log1p(math.Exp(-math.Abs(want-above)))); !math.IsNaN(z) {
		return math.Min(math.Max(y-z, low), high)
	}
	for range 60 {
		mid := lo + (hi-lo)/2
		if minus(tail(y-mid), above) < want {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo <= .5 || hi-lo < 1e-12*math.Abs(hi) {
			break
		}
	}
	return math.Min(math.Max((lo+hi)/2, low), high)
}

// minus is log(e^a − e^b) for a ≥ b.
func minus(a, b float64) float64 {
	if b >= a {
		return math.Inf(-1)
	}
	return a + math.Log(-math.Expm1(b-a))
}

// wideSigma2 is from where on Gaussian noise is taken as normal.
const wideSigma2 = 16

// logTail is log P(Z ≥ z) of the noise of sum i, between integers by the next ones; wide Gaussian noise is taken as
// normal, which it is to within e^{−2π²σ²}.
func (d *sampler) logTail(i int) func(z float64) float64 {
	one := d.law.one(i)
	if sigma2 := noise.FormOf(one).Sigma2; sigma2 > wideSigma2 {
		sd := math.Sqrt(sigma2)
		return func(z float64) float64 { return roundedsum.LogNormalBelow((.5 - z) / sd) }
	}
	return func(z float64) float64 {
		z = math.Max(math.Min(z, 9e18), -9e18)
		return one.LogTail(int64(math.Ceil(z)))
	}
}

// parameter is the posterior of the one parameter of a law given its noisy sum.
func (d *sampler) parameter(noisy int64, o roundedsum.OneSum) ([][]float64, error) {
	o.N, o.Steps, o.Sum = d.n, int(d.Steps), noisy
	form := noise.FormOf(d.law.one(0))
	if form == (noise.Form{}) {
		return nil, errNoPosterior(d.law.law)
	}
	o.Noise.Rate, o.Noise.Sigma2 = form.Rate, form.Sigma2
	curve, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "a sum that some value of the parameter gives a probability")
	}
	return d.averages(func(point, _ int) float64 { return curve.Quantile(share(point, 1)) }, 1), nil
}

// privateRows is the posterior of the one parameter of a law where the number of records is private, too.
func (d *sampler) privateRows(noisy []int64, o roundedsum.PairSum) ([][]float64, error) {
	o.First, o.Second, o.Steps = noisy[0], noisy[1], int(d.Steps)
	if o.Rate = noise.FormOf(d.law.one(0)).Rate; o.Rate == 0 {
		return nil, errNoPosterior(d.law.law)
	}
	curve, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "sums that some value of the parameter gives a probability")
	}
	return d.averages(func(point, _ int) float64 { return curve.Quantile(share(point, 1)) }, 1), nil
}

// errNoPosterior refuses noise whose law the posterior of a parameter does not take.
func errNoPosterior(law string) error {
	return domain.Refuse("sums", "law", law, "geometric or Gaussian noise, for the posterior of a parameter")
}

// values are the mean and the standard deviation of the rows from noisy (Σc, Σc²), with u = c/M in [−1, 1]: the mean ū,
// and the square root of v = Σu²/n − ū² + s₁²/n², since ū² is too large by the variance of its noise, cut to what is
// possible of values with a mean within 2.12 standard deviations of the noisy one (theory/intervals.md §2).
func (d *sampler) values(noisy []int64) [][]float64 {
	m, unit := d.half()
	half, n := float64(m), float64(d.n)
	noise := math.Sqrt(d.law.variance(0)) / half / n
	raw := float64(noisy[0]) / half / n
	mean := math.Min(math.Max(raw, -1), 1)
	near := math.Max(math.Abs(mean)-noiseReach*noise, 0)
	v := float64(noisy[1])/half/half/n - raw*raw + noise*noise
	v = math.Min(math.Max(v, 0), 1-near*near) * n / math.Max(n-1, 1)
	l := d.shape.Lattice()
	scale := half / float64(unit) // steps
	return [][]float64{{l.Value(0, (mean+1)*scale), l.Step(0) * scale * math.Sqrt(v)}}
}

// noiseReach standard deviations are passed by Laplace noise once in twenty.
const noiseReach = 2.12

// latent reports whether the model is the normal before values are moved to the bounds.
func (d *sampler) latent() bool {
	m, ok := d.shape.Model().(model.MeanSDModel)
	return ok && m.IsLatent()
}

// Filed are the points of the latent normal, which files of MeanSD have held from the first.
func (d *sampler) Filed(ctx context.Context, drawn mechanism.Output) (e model.Estimate, ok bool) {
	if d.Kind != moments || d.latent() {
		return e, false
	}
	values, err := d.spread(ctx, drawn.Raw[0])
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: values}}, err == nil
}

// Warned says how much of a distribution of values lies outside the bounds that they are moved to.
func (d *sampler) Warned(drawn mechanism.Output) warning.List {
	of, instead := d.shape.Distribution(), "Mean"
	if d.latent() {
		instead = "MeanSD"
	}
	if of == "" {
		return nil
	}
	e, err := d.Estimate(context.Background(), drawn)
	if err != nil {
		return nil
	}
	if out := d.shape.OutsideBounds(e.Draws); out > warning.MostOutside {
		return warning.List{warning.Outside(d.shape.Columns()[0].Name, out, of, instead)}
	}
	return nil
}

// spread are points of the posterior of a latent normal's mean and standard deviation given noisy (Σc, Σc²).
func (d *sampler) spread(_ context.Context, noisy []int64) ([][]float64, error) {
	m, unit := d.half()
	o := roundedsum.TwoSums{N: d.n, Half: float64(m), Unit: float64(unit), First: float64(noisy[0]),
		Second: float64(noisy[1]), Variances: [2]float64{d.law.variance(0), d.law.variance(1)}}
	if d.law.law == parabolaLaw {
		scale, half := d.law.exponent([]int64{2 * m, 0}), float64(m)
		// the mass is Γ(3) times the hull's area, 4·5/3·M·M², over the scale's square
		o.Exponent, o.Mass = parabolaExponent(half, scale), 8*parabolaArea*half*half*half/(scale*scale)
	}
	surface, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "sums that some mean and standard deviation give a probability")
	}
	l := d.shape.Lattice()
	return d.points(func(point int) []float64 {
		mu, sigma := surface.At(share(point, 1), share(point, 2), share(point, 3))
		return []float64{l.Value(0, (mu+float64(m))/float64(unit)), sigma * l.Step(0) / float64(unit)}
	}), nil
}

func (d *sampler) points(at func(point int) []float64) [][]float64 {
	out := make([][]float64, points)
	for k := range out {
		out[k] = at(k)
	}
	return out
}

// parabolaExponent is sample.ParabolaNorm of real numbers, times the exponent that the farthest change of a record has.
func parabolaExponent(m, scale float64) func(d, e float64) float64 {
	return func(d, e float64) float64 {
		d, e = math.Abs(d)/m, math.Abs(e)/(m*m)
		if e >= d {
			return scale * e
		}
		return scale * d * d / (2*d - e)
	}
}

// Sweeps of the Gibbs sampler before the first point and between points.
const (
	warmSweeps  = 60
	pointSweeps = 6
)

// cubed are points of the posterior of several sums under noise e^{−g·max|z_i|}: given the others, whose noise is at
// most m, the noise of one sum is flat on [−m, m] and falls at the rate g beyond. They are made from a fixed seed, so
// that a file's reader gets the same.
func (d *sampler) cubed(noisy []int64) [][]float64 {
	src := dp.Seeded(1)
	variance := d.law.variance(0)
	dim := float64(len(noisy))
	g := math.Sqrt((dim + 1) * (dim + 2) / 3 / variance) // of fine lattices, and nearly of all
	l, top := d.shape.Lattice(), float64(d.n)*float64(d.Steps)
	count := d.Kind == columnsCount || d.Kind == countedSquares
	cols := len(l.Low)
	s := make([]float64, len(noisy)) // the sums: |s_i| ≤ s_last with a count, else in [0, nK]
	for i, v := range noisy {
		s[i] = math.Min(math.Max(float64(v), 0), top)
		if count {
			s[i] = math.Min(math.Max(float64(v), -float64(max(noisy[cols], 1))), float64(max(noisy[cols], 1)))
		}
	}
	sweep := func() {
		for i := range s {
			m := 0.0
			for j := range s {
				if j != i {
					m = math.Max(m, math.Abs(float64(noisy[j])-s[j]))
				}
			}
			low, high := 0.0, top
			switch {
			case count && i < cols:
				low, high = -s[cols], s[cols]
			case count:
				high = math.Inf(1)
				for _, v := range s[:cols] {
					low = math.Max(low, math.Abs(v))
				}
			}
			y := float64(noisy[i])
			s[i] = y - flatTopped(src, g, m, y-high, y-low)
		}
	}
	for range warmSweeps {
		sweep()
	}
	out := make([][]float64, points)
	for k := range out {
		for range pointSweeps {
			sweep()
		}
		out[k] = make([]float64, cols)
		for i := range cols {
			if count {
				out[k][i] = l.Value(i, (part(s[i], s[cols])/2+.5)*float64(d.Steps))
				if s[cols] <= 0 {
					out[k][i] = l.Value(i, .5*float64(d.Steps))
				}
			} else {
				out[k][i] = l.Value(i, part(s[i], float64(d.n))*float64(d.Steps)/float64(d.Steps))
			}
		}
	}
	return out
}

// flatTopped draws from the density e^{−g·max(|z|, m)} on [a, b], −∞ ≤ a < b.
func flatTopped(src rand.Source, g, m, a, b float64) float64 {
	// masses left of −m, inside, and right of m, relative to the height at m
	piece := func(near, far float64) float64 { // of ∫ e^{−g(x−m)} from near to far, m ≤ near
		if far <= near {
			return 0
		}
		return (math.Exp(-g*(near-m)) - math.Exp(-g*(far-m))) / g
	}
	left := [2]float64{math.Max(m, -b), -a}
	right := [2]float64{math.Max(m, a), b}
	inside := [2]float64{math.Max(-m, a), math.Min(m, b)}
	masses := [3]float64{piece(left[0], left[1]), math.Max(inside[1]-inside[0], 0), piece(right[0], right[1])}
	total := masses[0] + masses[1] + masses[2]
	if !(total > 0) { // the whole interval is far out: its nearest end
		return math.Min(math.Max(0, a), b)
	}
	u := sample.Float64(src) * total
	tail := func(near, far float64) float64 {
		v := sample.Float64(src)
		return near - math.Log1p(-v*-math.Expm1(-g*(far-near)))/g
	}
	switch {
	case u < masses[0]:
		return -tail(left[0], left[1])
	case u < masses[0]+masses[1]:
		return inside[0] + sample.Float64(src)*(inside[1]-inside[0])
	}
	return tail(right[0], right[1])
}
