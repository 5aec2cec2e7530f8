package noises

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Skellam is the difference of two Poisson numbers of mean μ (Agarwal, Kairouz, Liu 2021), of variance 2μ.
type Skellam struct {
	mu  noise.Rational
	log []float64 // ln P(Z = z), z = 0, 1, …
	up  []float64 // ln P(Z ≥ z)
}

// SkellamFamily is Skellam noise of μ from 4 to 4096.
var SkellamFamily noise.Family = &noise.OneParameter{
	Named: "example.com/noises/skellam", Search: noise.Search{Low: 4, High: 4096, Bits: 20, Variance: true},
	Of: newSkellam, PairAt: func(mu float64, cells, rows int) loss.Pair { return skellamPair{2 * mu, cells, rows} },
}

// newSkellam tabulates I_z(2μ) by ratios r_z = P(z)/P(z − 1) = 1/(z/μ + r_{z+1}), from far out inward.
func newSkellam(mu noise.Rational) (noise.Distribution, error) {
	m := mu.Float()
	if m < 4 || m > 4096 {
		return nil, &dp.ParameterError{Of: "noises", Parameter: "mu", Value: m, Want: "4 to 4096"}
	}
	far := int(30*math.Sqrt(2*m)) + 60
	ratio := make([]float64, far+2)
	for z := far; z >= 1; z-- {
		ratio[z] = 1 / (float64(z)/m + ratio[z+1])
	}
	s := Skellam{mu: mu, log: make([]float64, far+1), up: make([]float64, far+2)}
	sum := 1.0
	for z := 1; z <= far; z++ {
		s.log[z] = s.log[z-1] + math.Log(ratio[z])
		sum += 2 * math.Exp(s.log[z])
	}
	s.up[far+1] = math.Inf(-1)
	for z := far; z >= 0; z-- {
		s.log[z] -= math.Log(sum)
		s.up[z] = s.log[z] + math.Log1p(math.Exp(s.up[z+1]-s.log[z]))
	}
	return s, nil
}

// MarshalJSON writes μ.
func (s Skellam) MarshalJSON() ([]byte, error) { return json.Marshal(s.mu) }

func (s Skellam) Unit() int64                    { return 1 }
func (s Skellam) Variance() float64              { return 2 * s.mu.Float() }
func (s Skellam) Pair(cells, rows int) loss.Pair { return skellamPair{s.Variance(), cells, rows} }
func (s Skellam) String() string                 { return fmt.Sprintf("Skellam, μ = %s = %.6g", s.mu, s.mu.Float()) }

func (s Skellam) StandardFormula(cells, rows int, _ dp.Parameters) (dp.Parameters, string) {
	return dp.Parameters{Notion: dp.Concentrated, Rho: s.Pair(cells, rows).ZCDP()}, "Agarwal, Kairouz, Liu 2021"
}

// LogProb falls at least as fast as μ/z beyond the table.
func (s Skellam) LogProb(z int64) float64 { return s.beyond(s.log, max(z, -z)) }

func (s Skellam) LogTail(z int64) float64 {
	if z < 1 {
		return math.Log1p(-math.Exp(s.LogTail(1 - z)))
	}
	return s.beyond(s.up[:len(s.log)], z)
}

func (s Skellam) beyond(table []float64, z int64) float64 {
	last := int64(len(table) - 1)
	if z <= last {
		return table[z]
	}
	return table[last] - float64(z-last)*math.Log(float64(last)/s.mu.Float())
}

// Draw is the difference of two exact Poisson numbers.
func (s Skellam) Draw(src rand.Source) int64 { return s.poisson(src) - s.poisson(src) }

// poisson adds as many Poisson(1) numbers as μ has whole units, and one whose points are kept with the probability of
// the rest.
func (s Skellam) poisson(src rand.Source) (sum int64) {
	for range s.mu.Num / s.mu.Den {
		sum += poissonOne(src)
	}
	for range poissonOne(src) {
		if noise.Uniform(src, s.mu.Den) < s.mu.Num%s.mu.Den {
			sum++
		}
	}
	return sum
}

// poissonOne is Poisson(1), by rejection: k with probability 2^{−k−1} is kept with probability 2^k/(2·k!), which is at
// most 1 and has the product of both ∝ 1/k!.
func poissonOne(src rand.Source) int64 {
	for {
		k := uint64(0)
		for noise.Uniform(src, 2) == 1 {
			k++
		}
		keep := noise.Uniform(src, 2) == 0 || k > 0 // ½ at k = 0; 2^k/(2·k!) is ∏_{j=2..k} 2/j beyond
		for j := uint64(2); j <= k && keep; j++ {
			keep = noise.Uniform(src, j) < 2
		}
		if keep {
			return int64(k)
		}
	}
}

// skellamPair is the curve of Agarwal, Kairouz and Liu, for whole orders: αΔ₂²/(2V) + min(((2α−1)Δ₂² + 6Δ₁)/(4V²),
// 3Δ₁/(2V)).
type skellamPair struct {
	variance    float64
	cells, rows int
}

func (p skellamPair) String() string {
	return fmt.Sprintf("Skellam noise of variance %.6g, %d counts shifted by %d", p.variance, p.cells, p.rows)
}

func (p skellamPair) PureEpsilon() float64 { return math.Inf(1) }

func (p skellamPair) RDP(order float64) float64 {
	a, v := max(2, math.Ceil(order)), p.variance
	l1 := float64(p.cells * p.rows)
	l2 := l1 * float64(p.rows)
	return (a*l2/(2*v) + min(((2*a-1)*l2+6*l1)/(4*v*v), 3*l1/(2*v))) * (1 + 1e-12)
}

// ZCDP is the greatest RDP(k)/(k − 1) over whole k ≥ 2: it falls in k.
func (p skellamPair) ZCDP() float64 { return p.RDP(2) }

// Delta follows from the curve (Canonne, Kamath, Steinke 2020, Proposition 12).
func (p skellamPair) Delta(epsilon float64) float64 {
	best := 1.0
	for a := 2.0; a <= 512; a++ {
		log := (a-1)*(p.RDP(a)-epsilon) + a*math.Log1p(-1/a) - math.Log(a-1)
		best = min(best, math.Exp(log))
	}
	return min(1, best*(1+1e-12))
}
