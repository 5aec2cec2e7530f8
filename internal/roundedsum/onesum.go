// Package roundedsum gives posteriors of a distribution's parameters given the noisy sum of rounded records.
//
// A record takes the place k in {0, …, K} with probability p_k(θ), the end cells taking what lies beyond the bounds; S
// is the sum of n of them and Z the noise, whose distribution is public. The likelihood of what was released, s = S +
// Z, is an inverse Fourier sum
//
//	L(θ) = (1/N) Σ_j φ_θ(t_j)^n φ_Z(t_j) e^{−i t_j s},  t_j = 2πj/N,
//
// whose work does not grow with n: [OneSum]. For two sums, of c and c², it is the bivariate normal distribution of the
// sums, with the exact moments of clipped and rounded records, folded with the exact distribution of the noise:
// [TwoSums].
//
// Source: theory/numbers.md §2.
package roundedsum

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Noise is the law of the noise on a sum: two-sided geometric, P(z) ∝ e^{−Rate|z|}, or, where Sigma2 > 0, discrete
// Gaussian, P(z) ∝ e^{−z²/(2·Sigma2)}.
type Noise struct{ Rate, Sigma2 float64 }

// transform is φ_Z(t), |t| ≤ π. The geometric one is free of cancellation in this form. The Gaussian one is a sum over
// the images of t, five of which are exact to rounding.
func (z Noise) transform(t float64) float64 {
	if z.Sigma2 > 0 {
		num, den := 0.0, 0.0
		for m := -2.0; m <= 2; m++ {
			u := t - 2*math.Pi*m
			num += math.Exp(-z.Sigma2 * u * u / 2)
			den += math.Exp(-2 * math.Pi * math.Pi * z.Sigma2 * m * m)
		}
		return num / den
	}
	a, s := -math.Expm1(-z.Rate), math.Sin(t/2)
	return a * a / (a*a + 4*math.Exp(-z.Rate)*s*s)
}

// Variance is E Z², of the Gaussian to within e^{−2π²σ²}.
func (z Noise) Variance() float64 {
	if z.Sigma2 > 0 {
		return z.Sigma2
	}
	s := math.Sinh(z.Rate / 2)
	return 1 / (2 * s * s)
}

// reach is what the noise exceeds with probability below e^{−45}, beside what a sum's own law has.
func (z Noise) reach() float64 {
	if z.Sigma2 > 0 {
		return math.Sqrt(90 * z.Sigma2)
	}
	return 45 / z.Rate
}

// OneSum is a parameter θ > 0 given the noisy sum of n records. It is for one goroutine.
type OneSum struct {
	N      int
	Steps  int // K
	Sum    int64
	Noise  Noise
	Record func(theta float64, p []float64) // fills the K + 1 probabilities of a record's places

	Low, High float64                     // the range of θ
	LogPrior  func(theta float64) float64 // log-density, up to a constant

	plans map[int]*fourier.FFT // kept between values of θ
}

// record is the law of a record at one θ with its moments: p[k] is the probability of offset + k.
type record struct {
	p              []float64
	offset         int
	mean, variance float64
}

// negligible is the probability of the ends of a record's law that are left out.
const negligible = 1e-20

func (o *OneSum) at(theta float64) record {
	all := make([]float64, o.Steps+1)
	o.Record(theta, all)
	first, last := 0, o.Steps
	for cut := all[first]; cut < negligible && first < last; cut += all[first] {
		first++
	}
	for cut := all[last]; cut < negligible && last > first; cut += all[last] {
		last--
	}
	r := record{p: all[first : last+1], offset: first}
	for k, p := range r.p {
		r.mean += float64(first+k) * p
	}
	for k, p := range r.p {
		d := float64(first+k) - r.mean
		r.variance += d * d * p
	}
	return r
}

// smallest is the relative size below which an inverse Fourier sum has lost its digits, compared with the greatest
// value that a law of this variance has; the tilted form takes over there.
const smallest = 1e-9

// LogLikelihood is log P(S + Z = s | θ). Inside, it is the Fourier sum, with an absolute error of some 2e-11 of the
// greatest L; beyond the ends of the sum's range, under geometric noise, it is exact and closed; in far tails between
// it is a saddle point's, right in the exponent.
func (o *OneSum) LogLikelihood(theta float64) float64 {
	r := o.at(theta)
	top := int64(o.N) * int64(o.Steps)
	if o.Noise.Sigma2 == 0 && (o.Sum <= 0 || o.Sum >= top || o.N == 0) {
		return o.beyond(r)
	}
	spread := math.Sqrt(float64(o.N)*r.variance + o.Noise.Variance())
	if math.Abs(float64(o.Sum)-float64(o.N)*r.mean) < o.width(r) {
		if l := o.inside(r); l > smallest/spread {
			return math.Log(l)
		}
	}
	return o.tail(r)
}

// beyond is the exact likelihood of a sum at or beyond the ends: |s − S| is s − S, or S − s, for every S.
func (o *OneSum) beyond(r record) float64 {
	g := o.Noise.Rate
	if o.Sum <= 0 {
		g = -g
	}
	return o.logMiddle() - g*float64(o.Sum) + float64(o.N)*r.logMean(g)
}

// logMiddle is log P(Z = 0) of geometric noise.
func (o *OneSum) logMiddle() float64 { return math.Log(math.Tanh(o.Noise.Rate / 2)) }

// logMean is log Σ p_k e^{gk}.
func (r record) logMean(g float64) float64 {
	shift := math.Max(g*float64(r.offset), g*float64(r.offset+len(r.p)-1))
	sum := 0.0
	for k, v := range r.p {
		sum += v * math.Exp(g*float64(r.offset+k)-shift)
	}
	return shift + math.Log(sum)
}

// inside takes the ring under geometric noise, and else the shorter of two ways, by the turns and the butterflies that
// they take.
func (o *OneSum) inside(r record) float64 {
	if o.Noise.Sigma2 == 0 {
		return o.ringed(r)
	}
	step, last := o.frequencies(r)
	points := float64(o.ring(r))
	if points < 1<<22 && last/step*float64(len(r.p)) > 5*points*math.Log2(points) {
		return o.folded(r)
	}
	return o.inverted(r, step, last)
}

// inverted is the Fourier sum. N is twice what S + Z leaves with probability 3e^{−45} (Bernstein's inequality for S),
// so that what lies outside adds less than 4e^{−45}. Frequencies end where |φ^n φ_Z| stays below 1e-18: |φ|² is known
// on 4 (K+1) points, between which it is above the greater end by less than δ²/4·Var k.
func (o *OneSum) inverted(r record, step, last float64) float64 {
	n, centre := float64(o.N), math.Round(r.mean)
	rest := float64(o.Sum) - n*centre
	sum := .5
	for j := 1; ; j++ {
		t := step * float64(j)
		if t > last {
			break
		}
		phi := transformAt(r.p, t, centre-float64(r.offset))
		size := n*math.Log(cmplx.Abs(phi)) + math.Log(o.Noise.transform(t))
		if size < -50 {
			continue
		}
		if t > math.Pi*(1-1e-9) { // t = π stands for itself alone
			size -= math.Ln2
		}
		sum += math.Exp(size) * math.Cos(n*cmplx.Phase(phi)-t*rest)
	}
	return sum * step / math.Pi
}

// frequencies are 2π/N and the frequency from which on terms are left out. N is a power of two: turns by t_j are exact.
func (o *OneSum) frequencies(r record) (step, last float64) {
	return 2 * math.Pi / math.Exp2(math.Ceil(math.Log2(2*o.width(r)+2))), o.lastFrequency(r, true)
}

// width is H: |S + Z − n·E k| is above it with probability at most 3e^{−45}, by Bernstein's inequality and the noise's
// tail.
func (o *OneSum) width(r record) float64 {
	return o.spread(r) + o.Noise.reach()
}

// spread is the same for S alone.
func (o *OneSum) spread(r record) float64 {
	b := 15 * float64(len(r.p)-1)
	return b + math.Sqrt(b*b+90*float64(o.N)*r.variance)
}

// transform is the discrete Fourier transform of a law on so many points.
func (o *OneSum) transform(p []float64, size int) []complex128 {
	padded := make([]float64, size)
	copy(padded, p)
	if o.plans == nil {
		o.plans = map[int]*fourier.FFT{}
	}
	if o.plans[size] == nil {
		o.plans[size] = fourier.NewFFT(size)
	}
	return o.plans[size].Coefficients(nil, padded)
}

// ring is a number of points on which the law of S folds over onto itself with probability 3e^{−45} at most.
func (o *OneSum) ring(r record) int {
	want := math.Min(float64(o.N)*float64(len(r.p)-1)+1, 2*o.spread(r)+2)
	size := 2
	for float64(size) < math.Max(want, float64(len(r.p))) {
		size *= 2
	}
	return size
}

// transformAt is Σ p_k e^{it(k−c)}, by rotations that are set right every 256 steps: four of them side by side, none of
// which waits for another.
func transformAt(p []float64, t, c float64) complex128 {
	turnS, turnC := math.Sincos(t)
	farS, farC := math.Sincos(4 * t)
	re, im := 0.0, 0.0
	for first := 0; first < len(p); first += 256 {
		part := p[first:min(first+256, len(p))]
		s0, c0 := math.Sincos(t * (float64(first) - c))
		s1, c1 := s0*turnC+c0*turnS, c0*turnC-s0*turnS
		s2, c2 := s1*turnC+c1*turnS, c1*turnC-s1*turnS
		s3, c3 := s2*turnC+c2*turnS, c2*turnC-s2*turnS
		for ; len(part) >= 4; part = part[4:] {
			v0, v1, v2, v3 := part[0], part[1], part[2], part[3]
			re += v0*c0 + v1*c1 + (v2*c2 + v3*c3)
			im += v0*s0 + v1*s1 + (v2*s2 + v3*s3)
			s0, c0 = s0*farC+c0*farS, c0*farC-s0*farS
			s1, c1 = s1*farC+c1*farS, c1*farC-s1*farS
			s2, c2 = s2*farC+c2*farS, c2*farC-s2*farS
			s3, c3 = s3*farC+c3*farS, c3*farC-s3*farS
		}
		for _, v := range part {
			re, im = re+v*c0, im+v*s0
			s0, c0 = s0*turnC+c0*turnS, c0*turnC-s0*turnS
		}
	}
	return complex(re, im)
}

// lastFrequency is where the transforms stay negligible from, at most π. Where all of it is below π/width it is found
// more closely: with X and X′ two records, |φ|² = E cos(t(X − X′)) ≤ 1 − (2/π²)t²·E(X − X′)² = 1 − 4t²·Var/π² there, so
// that |φ|^n is below 1e-18 from t² = 41.5·π²/(2n·Var) on. With noise its transform counts, too.
func (o *OneSum) lastFrequency(r record, noise bool) float64 {
	points := 8
	for points < 4*len(r.p) {
		points *= 2
	}
	c := o.transform(r.p, points)
	delta := 2 * math.Pi / float64(points)
	slack := delta * delta / 4 * r.variance
	last, most, size := math.Pi, 0.0, math.Inf(-1)
	for j := len(c) - 1; j >= 1; j-- {
		a := real(c[j])*real(c[j]) + imag(c[j])*imag(c[j]) + slack
		if a > most {
			most = math.Min(1, a)
			size = float64(o.N) / 2 * math.Log(most)
		}
		if size > -41.5 && (!noise || size+math.Log(o.Noise.transform(delta*float64(j))) > -41.5) {
			break
		}
		last = delta * float64(j)
	}
	if width := float64(len(r.p) - 1); last <= math.Pi/width {
		last = math.Min(last, math.Pi*math.Sqrt(41.5/(2*float64(o.N)*r.variance)))
	}
	return last
}

// folded is the sum of P(S = s′)P(Z = s − s′) over the law of S: n convolutions at once, by the powers of its transform
// on a ring about its mean.
func (o *OneSum) folded(r record) float64 {
	size := o.ring(r)
	c := o.transform(r.p, size)
	for j, v := range c {
		power := complex(1, 0)
		for n := o.N; n > 0; n >>= 1 {
			if n&1 == 1 {
				power *= v
			}
			v *= v
		}
		c[j] = power
	}
	law := o.plans[size].Sequence(nil, c)
	// the values of S less n·offset that stand on the ring
	first := 0
	if most := o.N*(len(r.p)-1) + 1; most > size {
		first = int(math.Round(float64(o.N)*(r.mean-float64(r.offset)))) - size/2
		first = min(max(first, 0), most-size)
	}
	log, lowest := o.logNoise(), int64(first)+int64(o.N)*int64(r.offset)
	sum := 0.0
	for i := range size {
		sum += law[(first+i)%size] * math.Exp(log(math.Abs(float64(lowest+int64(i)-o.Sum))))
	}
	return sum / float64(size)
}

// logNoise is log P(Z = z).
func (o *OneSum) logNoise() func(z float64) float64 {
	if v := o.Noise.Sigma2; v > 0 {
		scale, reach := 0.0, math.Ceil(40*math.Sqrt(v))+2
		for z := -math.Min(reach, 1e4); z <= math.Min(reach, 1e4); z++ {
			scale += math.Exp(-z * z / (2 * v))
		}
		if reach > 1e4 {
			scale = math.Sqrt(2 * math.Pi * v) // to within e^{−2π²σ²}
		}
		return func(z float64) float64 { return -z*z/(2*v) - math.Log(scale) }
	}
	middle := o.logMiddle()
	return func(z float64) float64 { return middle - o.Noise.Rate*z }
}

// tail is the likelihood far out, by its saddle point: with κ(t) = n·log M(t) + log M_Z(t), M and M_Z the moment
// generating functions of a record and of the noise, and κ′(t) = s,
//
//	P(S + Z = s) ≈ e^{κ(t) − ts}/√(2πκ″(t)).
//
// It has the right exponent whether the sum or the noise goes far; where the noise alone does, as t nears ±g, the
// factor in front is too large by e/√(2π) = 1.08.
func (o *OneSum) tail(r record) float64 {
	n, s, g := float64(o.N), float64(o.Sum), o.Noise.Rate
	at := func(t float64) (k, first, second float64) {
		m := r.logMean(t)
		mean, square := 0.0, 0.0
		for i, p := range r.p {
			x := float64(r.offset + i)
			w := p * math.Exp(t*x-m)
			mean, square = mean+w*x, square+w*x*x
		}
		k, first, second = n*m, n*mean, n*math.Max(square-mean*mean, 0)
		if v := o.Noise.Sigma2; v > 0 {
			return k + v*t*t/2, first + v*t, second + v
		}
		// M_Z = (1−q)²/((1−qe^t)(1−qe^{−t}))
		u, v := -math.Expm1(t-g), -math.Expm1(-t-g)
		a, b := math.Exp(t-g)/u, math.Exp(-t-g)/v
		return k + 2*math.Log(-math.Expm1(-g)) - math.Log(u) - math.Log(v), first + a - b, second + a*(1+a) + b*(1+b)
	}
	lo, hi := -g, g
	if o.Noise.Sigma2 > 0 {
		reach := (math.Abs(s) + n*float64(o.Steps) + 1) / o.Noise.Sigma2
		lo, hi = -reach, reach
	}
	for range 80 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if _, first, _ := at(mid); first < s {
			lo = mid
		} else {
			hi = mid
		}
	}
	t := lo + (hi-lo)/2
	k, _, second := at(t)
	return k - t*s - math.Log(2*math.Pi*second)/2
}

// LogNormalBelow is log Φ(x).
func LogNormalBelow(x float64) float64 {
	if x > -30 {
		return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
	}
	return -x*x/2 - math.Log(-x) - math.Log(2*math.Pi)/2 + math.Log1p(-1/(x*x))
}

// rough is the likelihood by the normal law of S, for finding the mode.
func (o *OneSum) rough(theta float64) float64 {
	r := o.at(theta)
	n := float64(o.N)
	return o.folding(float64(o.Sum)-n*r.mean, n*r.variance)
}

// folding is the log-density at x of a normal law of variance v folded with the noise, taken for continuous.
func (o *OneSum) folding(x, v float64) float64 {
	v = math.Max(v, 1e-12)
	if o.Noise.Sigma2 > 0 {
		v += o.Noise.Sigma2
		return -x*x/(2*v) - math.Log(v)/2
	}
	g, sd := o.Noise.Rate, math.Sqrt(v)
	a := g*g*v/2 - g*x + LogNormalBelow(x/sd-g*sd)
	b := g*g*v/2 + g*x + LogNormalBelow(-x/sd-g*sd)
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
