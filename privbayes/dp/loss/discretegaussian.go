package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// DiscreteGaussianPair is the dominating pair of discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}, on Cells counts
// that one unit changes by Shift each.
//
// For Shift = 1 the loss is L = (m + 2S)/(2σ²), S the sum of m = Cells independent discrete Gaussians, and the profile
// is summed exactly over the law of S. For Shift > 1 other patterns of change with the same ℓ₂ norm exist, and the
// profile follows from ρ = m·Shift²/(2σ²), which covers them all (Canonne, Kamath, Steinke 2020, Proposition 5).
type DiscreteGaussianPair struct {
	Sigma2 float64 // σ² > 0
	Cells  int     // m ≥ 1
	Shift  int     // ≥ 1
}

// String describes the pair.
func (p DiscreteGaussianPair) String() string {
	return fmt.Sprintf("discrete Gaussian, σ² = %.6g, %d counts shifted by %d", p.Sigma2, p.Cells, p.Shift)
}

// PureEpsilon is +Inf: the loss is unbounded.
func (p DiscreteGaussianPair) PureEpsilon() float64 { return math.Inf(1) }

// ZCDP is Cells·Shift²/(2σ²).
func (p DiscreteGaussianPair) ZCDP() float64 {
	return num.Inflate(float64(p.Cells) * float64(p.Shift) * float64(p.Shift) / (2 * p.Sigma2))
}

// RDP is λ·ZCDP.
func (p DiscreteGaussianPair) RDP(order float64) float64 { return num.Inflate(order * p.ZCDP()) }

// Limits of the exact profile: below smallSigma2 the law of S is convolved; above, it is a discrete Gaussian of
// variance mσ² up to a factor that smallSigma2 keeps below 1 + 1e-9; beyond largeTau the sum would be long and ρ is
// used.
const (
	smallSigma2 = 2.75
	largeTau    = 2e5
	tailWidth   = 14 // standard deviations kept beyond the least loss that counts; the rest is added to the profile

	// underflow is more than all terms together that are too small for a float64.
	underflow = 1e-312
)

// Delta is the privacy profile. The law of S has positive terms only; ε is taken down and the sum up, so that rounding
// and truncation cannot make the profile too small.
func (p DiscreteGaussianPair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or 1 once stop, which may be nil, says so.
//
// Losses above ε begin at some S = s₀, and the sum goes tailWidth standard deviations τ = √(mσ²) beyond it. S is
// sub-Gaussian (Canonne, Kamath, Steinke 2020), so that what is left out is at most e^{−s²/(2τ²)}, s ≥ s₀ + 14τ: at any
// ε a share of the profile that is far below its rounding, and not a constant under which no δ could come.
func (p DiscreteGaussianPair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	tau := math.Sqrt(float64(p.Cells) * p.Sigma2)
	if p.Shift != 1 || tau > largeTau {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	eps := epsilon - num.Slack*(1+epsilon)
	m := float64(p.Cells)
	from := math.Floor(p.Sigma2*eps-m/2) + 1
	center := math.Max(from, 0) / m
	width := int(math.Ceil(tailWidth*tau)) + p.Cells
	if from > 1<<52 {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	first, last := int(from), p.Cells*int(math.Round(center))+width
	var law func(int) float64
	var factor, tail float64
	if p.Sigma2 < smallSigma2 {
		if law, tail = convolvedGaussian(p.Sigma2, p.Cells, width, center, stop); law == nil {
			return 1
		}
		factor = 1
	} else {
		law, factor = summedGaussian(p.Sigma2, p.Cells)
	}
	sum := 0.0
	for s := max(first, -last); s <= last; s++ {
		if s&0xffff == 0 && stop != nil && stop() {
			return 1
		}
		if gap := eps - (m+2*float64(s))/(2*p.Sigma2); gap < 0 {
			sum += law(s) * -math.Expm1(gap)
		}
	}
	end := float64(last) / tau
	tail += 2*math.Exp(-end*end/2) + underflow
	return math.Min(1, sum*factor*(1+1e-9)+tail)
}

// summedGaussian is the law of the sum of m discrete Gaussians of variance parameter σ², up to the returned factor.
//
// Adding one to the sum of k gives Σ_j e^{−j²/(2kσ²)} e^{−(s−j)²/(2σ²)} = e^{−s²/(2(k+1)σ²)} Σ_j e^{−(j−c)²/(2τ²)} with
// τ² = kσ²/(k+1) ≥ σ²/2, and by Poisson summation the inner sum is √(2πτ²)(1 ± η), η = 2Σ_{l≥1} e^{−2π²τ²l²} ≤
// 2x/(1−x), x = e^{−π²σ²}. After m−1 steps and normalisation each probability is off by at most ((1+η)/(1−η))^{m−1}.
func summedGaussian(sigma2 float64, m int) (law func(int) float64, factor float64) {
	x := math.Exp(-math.Pi * math.Pi * sigma2)
	eta := 2 * x / (1 - x)
	factor = math.Pow((1+eta)/(1-eta), float64(m-1))
	tau2 := float64(m) * sigma2
	norm := math.Sqrt(2 * math.Pi * tau2) // the normaliser is this times at least 1
	return func(s int) float64 { return math.Exp(-float64(s)*float64(s)/(2*tau2)) / norm }, factor
}

// convolvedGaussian is the law of the sum S of m discrete Gaussians of small variance parameter, for s ≥ m·c, by
// repeated doubling, and more than what it leaves out; nil once stop says so.
//
// What is convolved is the law tilted to the center c, ∝ e^{−(z−c)²/(2σ²)}, which has its mass where s is, however
// improbable that is:
//
//	P(S = s) = P_c(S = s)·(M_c/M_0)^m·e^{−(2sc − mc²)/(2σ²)},   M_c = Σ_z e^{−(z−c)²/(2σ²)}.
//
// It is kept on m·round(c) ± width. As E_c e^{t(Z−c)} ≤ e^{t²σ²/2}·M_0/M_c, the m − 1 partial sums leave that, which is
// 14τ on either side of their centers, with probabilities of at most 2e^{−98}·(M_0/M_c)^m, and the last two factors
// give the share of what is left out.
func convolvedGaussian(sigma2 float64, m, width int, c float64,
	stop func() bool) (law func(int) float64, tail float64) {
	one := make([]float64, 2*width+1)
	base, total, zero := math.Round(c), 0.0, 0.0
	for i := range one {
		k := float64(i - width)
		z := base + k - c
		one[i] = math.Exp(-z * z / (2 * sigma2))
		total += one[i]
		zero += math.Exp(-k * k / (2 * sigma2))
	}
	for i := range one {
		one[i] /= total
	}
	var acc []float64
	for power, k := one, m; k > 0; k >>= 1 {
		if stop != nil && stop() {
			return nil, 1
		}
		if k&1 == 1 {
			if acc == nil {
				acc = power
			} else {
				acc = convolve(acc, power, width, stop)
			}
		}
		if k > 1 {
			power = convolve(power, power, width, stop)
		}
	}
	if stop != nil && stop() {
		return nil, 1
	}
	cells := float64(m)
	untilt := func(s float64) float64 { return -c * (2*s - cells*c) / (2 * sigma2) }
	scale := cells * math.Log(total/zero)
	tail = 2*cells*math.Exp(untilt(cells*c)-tailWidth*tailWidth/2) +
		1e-298*float64(len(one))*math.Exp(untilt(cells*c)+scale) // of what convolve passes over
	return func(s int) float64 {
		return acc[s-m*int(base)+width] * math.Exp(untilt(float64(s))+scale)
	}, tail
}

// convolve is the convolution of two laws on [−width, width], kept there; cut short once stop says so.
func convolve(a, b []float64, width int, stop func() bool) []float64 {
	out := make([]float64, 2*width+1)
	rows := 1 + (1<<20)/len(out) // between two looks at stop
	for i, p := range a {
		if p < 1e-300 {
			continue
		}
		if stop != nil && i%rows == 0 && stop() {
			return out
		}
		for j := max(0, width-i); j < len(b) && i+j-width < len(out); j++ {
			out[i+j-width] += p * b[j]
		}
	}
	return out
}

// zcdpDelta is the δ of ρ-zCDP at ε: the minimum over λ > 1 of exp((λ−1)(λρ−ε)) (1−1/λ)^λ / (λ−1), by golden section.
// Any order gives a valid δ (Canonne, Kamath, Steinke 2020, Proposition 12).
func zcdpDelta(rho, epsilon float64) float64 {
	_, least := num.Minimum(-10, 40, func(t float64) float64 {
		a := math.Exp(t) // λ − 1
		return a*((1+a)*rho-epsilon) + (1+a)*math.Log(a/(1+a)) - t
	})
	return math.Min(1, math.Exp(least)*(1+1e-9)+underflow)
}
