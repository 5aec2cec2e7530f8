package mcmc

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

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
