// Package mcmc tells whether Markov chains have converged: rank-normalised split R-hat, and the effective sample sizes
// of the bulk and of the tails.
//
// Draws of a quantity come as one list per chain. Each chain is split into halves, so that a drift within a chain shows
// like a difference between two. All draws together are replaced by their normal scores z = Φ⁻¹((rank − 3/8)/(N +
// 1/4)), average ranks for ties, which exist whatever moments the quantity has. With m half-chains of length h,
//
//	R̂ = √(((h − 1)/h·W + B/h)/W),  B/h the variance of the half-chains' means, W the mean of their variances,
//
// of z and of the scores of |x − median|, which see a difference of scales; the larger counts. The effective sample
// size is N/τ, τ = 1 + 2Σρ_t up to where Geyer's initial monotone sequence ends, of z (bulk) and of the indicators of
// lying below the 5 % and the 95 % quantile (tail: the smaller). Source: Vehtari, Gelman, Simpson, Carpenter and
// Bürkner, "Rank-normalization, folding, and localization: an improved R̂ for assessing convergence of MCMC", Bayesian
// Analysis 16(2), 2021.
package mcmc

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Contract says how well chains must know a quantity before it is used.
type Contract struct {
	Sweeps int     // kept of each chain at first, after as many of burn-in
	RHat   float64 // what R-hat must be below
	ESS    float64 // the least effective sample size, of bulk and tails
	Naive  int     // independent draws of what is shown beside
}

type contractKey struct{}

// With is a context in which chains are held to another contract than their package's own: for studies of many
// replicates, where what matters is their number. No user's context has one.
func (c Contract) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, contractKey{}, c)
}

// ContractOf is the contract of a context, or the given one.
func ContractOf(ctx context.Context, otherwise Contract) Contract {
	if c, ok := ctx.Value(contractKey{}).(Contract); ok {
		return c
	}
	return otherwise
}

// Diagnosis is what the draws of a quantity say about their chains.
type Diagnosis struct {
	RHat       float64 // +Inf where chains are constant and differ, or a draw is no number
	Bulk, Tail float64 // effective sample sizes; 0 where RHat is +Inf
}

// leastDraws is the length of a chain below which nothing can be said.
const leastDraws = 4

// Diagnose takes the draws of one quantity, a list for each chain, of equal lengths; longer ones are cut at their
// beginning. Draws that are all equal have R-hat 1 and as many effective draws as there are. Fewer than two chains or
// four draws a chain, and draws that are not numbers, say nothing: R-hat is +Inf.
func Diagnose(chains [][]float64) Diagnosis { return diagnose(chains, true) }

// RHat is that of Diagnose, without the effective sample sizes.
func RHat(chains [][]float64) float64 { return diagnose(chains, false).RHat }

func diagnose(chains [][]float64, sizes bool) (out Diagnosis) {
	none := Diagnosis{RHat: math.Inf(1)}
	if len(chains) < 2 {
		return none
	}
	h := math.MaxInt
	for _, c := range chains {
		h = min(h, len(c)/2)
	}
	if h < leastDraws/2 {
		return none
	}
	d := draws{m: 2 * len(chains), h: h}
	for _, c := range chains {
		c = c[len(c)-2*h:]
		if slices.ContainsFunc(c, math.IsNaN) {
			return none
		}
		d.x = append(d.x, c...)
	}
	d.order = make([]int32, len(d.x))
	z := draws{x: make([]float64, len(d.x)), m: d.m, h: h}
	d.sort()
	if d.at(0) == d.at(len(d.x)-1) {
		n := float64(len(d.x))
		return Diagnosis{1, n, n}
	}
	median := (d.at((len(d.x)-1)/2) + d.at(len(d.x)/2)) / 2
	d.scores(z.x)
	out.RHat = z.rhat()
	if sizes {
		out.Bulk = z.ess()
		out.Tail = d.tail(&z)
	}
	if !math.IsInf(median, 0) && !math.IsNaN(median) {
		d.fold(median)
		d.scores(z.x)
		out.RHat = max(out.RHat, z.rhat())
	}
	if math.IsInf(out.RHat, 1) {
		return none
	}
	return out
}

// tail is the smaller effective sample size of the two indicators of tails; z is overwritten.
func (d *draws) tail(z *draws) float64 {
	n := float64(len(d.x) - 1)
	lower, upper := d.at(int(0.05*n)), d.at(int(math.Ceil(0.95*n)))
	for i, x := range d.x {
		z.x[i] = indicator(x <= lower)
	}
	out := z.ess()
	for i, x := range d.x {
		z.x[i] = indicator(x < upper)
	}
	return min(out, z.ess())
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// draws are m half-chains of length h, one after the other, and the order of their values.
type draws struct {
	x     []float64
	m, h  int
	order []int32
}

func (d *draws) sort() {
	for i := range d.order {
		d.order[i] = int32(i)
	}
	slices.SortFunc(d.order, func(a, b int32) int {
		switch {
		case d.x[a] < d.x[b]:
			return -1
		case d.x[a] > d.x[b]:
			return 1
		}
		return 0
	})
}

// fold puts |x − median| in the place of each draw. Both sides of the median are in order already, and are merged.
func (d *draws) fold(median float64) {
	above, _ := slices.BinarySearchFunc(d.order, median, func(i int32, m float64) int { return cmp.Compare(d.x[i], m) })
	below := above - 1
	for i, x := range d.x {
		d.x[i] = math.Abs(x - median)
	}
	order := make([]int32, 0, len(d.order))
	for below >= 0 || above < len(d.order) {
		if above == len(d.order) || below >= 0 && d.at(below) < d.at(above) {
			order = append(order, d.order[below])
			below--
		} else {
			order = append(order, d.order[above])
			above++
		}
	}
	d.order = order
}

// at is the i-th smallest draw.
func (d *draws) at(i int) float64 { return d.x[d.order[i]] }

// scores are the normal scores of the average ranks.
func (d *draws) scores(z []float64) {
	n := float64(len(d.x))
	for i := 0; i < len(d.order); {
		j := i
		for j < len(d.order) && d.at(j) == d.at(i) {
			j++
		}
		rank := float64(i+1+j) / 2
		score := math.Sqrt2 * math.Erfinv(2*(rank-0.375)/(n+0.25)-1)
		for ; i < j; i++ {
			z[d.order[i]] = score
		}
	}
}

// chain is half-chain k.
func (d *draws) chain(k int) []float64 { return d.x[k*d.h : (k+1)*d.h] }

// moments are the means of the half-chains, W, and the pooled variance (h−1)/h·W + B/h. Means are taken from the first
// draw, so that those of equal draws are not off by rounding: then W would not be 0, and what it says of lags nothing.
func (d *draws) moments() (means []float64, within, pooled float64) {
	means = make([]float64, d.m)
	all, h := 0.0, float64(d.h)
	for k := range means {
		for _, v := range d.chain(k) {
			means[k] += (v - d.x[0]) / h
		}
		means[k] += d.x[0]
		s := 0.0
		for _, v := range d.chain(k) {
			s += (v - means[k]) * (v - means[k])
		}
		within += s / (h - 1) / float64(d.m)
		all += (means[k] - d.x[0]) / float64(d.m)
	}
	all += d.x[0]
	between := 0.0
	for _, mu := range means {
		between += (mu - all) * (mu - all) / float64(d.m-1)
	}
	if within < 1e-28*between { // rounding of constant chains
		within = 0
	}
	return means, within, (h-1)/h*within + between
}

// rhat is 1 for draws that are all equal, and +Inf for constant half-chains that differ.
func (d *draws) rhat() float64 {
	_, within, pooled := d.moments()
	switch {
	case pooled == 0:
		return 1
	case within == 0:
		return math.Inf(1)
	}
	return math.Sqrt(pooled / within)
}

// directLags is how many lags are summed directly; chains that need more are transformed.
const directLags = 64

// ess is N/τ, τ = −1 + 2Σ_k min over j ≤ k of (ρ_{2j} + ρ_{2j+1}), as long as these pairs are positive, with
//
//	ρ_t = 1 − (W − A_t)/pooled,  A_t the mean over half-chains of Σ_i (x_i − x̄)(x_{i+t} − x̄)/(h − 1).
//
// τ is taken as at least 1/log₁₀ N. Draws that are all equal count in full; constant half-chains that differ count for
// nothing.
func (d *draws) ess() float64 {
	n := float64(len(d.x))
	means, within, pooled := d.moments()
	switch {
	case pooled == 0:
		return n
	case within == 0:
		return 0
	}
	centred := make([]float64, len(d.x))
	for k := range means {
		for i, v := range d.chain(k) {
			centred[k*d.h+i] = v - means[k]
		}
	}
	c := &draws{x: centred, m: d.m, h: d.h}
	var later []float64 // autocovariances by transform, when they are needed
	rho := func(lag int) float64 {
		a := 0.0
		if lag < directLags {
			a = c.autocovariance(lag)
		} else {
			if later == nil {
				later = c.autocovariances()
			}
			a = later[lag]
		}
		return 1 - (within-a)/pooled
	}
	tau, least := -1.0, math.Inf(1)
	for k := 0; 2*k+1 < d.h; k++ {
		pair := rho(2*k) + rho(2*k+1)
		if pair <= 0 {
			break
		}
		least = min(least, pair)
		tau += 2 * least
	}
	return n / max(tau, 1/math.Log10(n))
}

// autocovariance is A_t of centred half-chains.
func (d *draws) autocovariance(lag int) float64 {
	sum := 0.0
	for k := range d.m {
		c := d.chain(k)
		for i, v := range c[lag:] {
			sum += v * c[i]
		}
	}
	return sum / float64(d.h-1) / float64(d.m)
}

// autocovariances are A_t for all lags, by the transform of chains padded with as many zeros.
func (d *draws) autocovariances() []float64 {
	size := 1
	for size < 2*d.h {
		size *= 2
	}
	fft := fourier.NewFFT(size)
	padded := make([]float64, size)
	var f []complex128
	power := make([]complex128, size/2+1)
	for k := range d.m {
		clear(padded)
		copy(padded, d.chain(k))
		f = fft.Coefficients(f, padded)
		for i, v := range f {
			a := cmplx.Abs(v)
			power[i] += complex(a*a, 0)
		}
	}
	padded = fft.Sequence(padded, power)
	out := padded[:d.h]
	for t := range out {
		out[t] /= float64(size) * float64(d.h-1) * float64(d.m)
	}
	return out
}

// Slice draws from the density on (lo, hi), which holds 0, by shrinkage from a level below that at 0; 0 where nothing
// else is found. uniform is in (0, 1). Source: Neal, "Slice sampling", Annals of Statistics 31(3), 2003.
func Slice(uniform func() float64, lo, hi, level float64, density func(float64) float64) float64 {
	for range 100 {
		x := lo + uniform()*(hi-lo)
		if density(x) > level {
			return x
		}
		if x < 0 {
			lo = x
		} else {
			hi = x
		}
	}
	return 0
}

// Circle makes an elliptical slice: angle draws from the points of the ellipse whose density is above the level, from
// a density at angle 0; it returns false where none is found. Source: Murray, Adams and MacKay, "Elliptical slice
// sampling", AISTATS 2010.
func Circle(uniform func() float64, tries int, level float64, density func(cos, sin float64) float64) bool {
	angle := 2 * math.Pi * uniform()
	lo, hi := angle-2*math.Pi, angle
	for range tries {
		sin, cos := math.Sincos(angle)
		if density(cos, sin) > level {
			return true
		}
		if angle < 0 {
			lo = angle
		} else {
			hi = angle
		}
		angle = lo + uniform()*(hi-lo)
	}
	return false
}
