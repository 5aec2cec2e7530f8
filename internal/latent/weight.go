package latent

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// gammaPower is the factor Γ(shift + c)^power of a count c.
type gammaPower struct {
	shift float64
	power int
}

// weight is the logarithm of a product of gamma functions of one count c,
//
//	w(c) = Σ_j e_j·[ln Γ(a_j + c) − ln Γ(a_j)],
//
// kept for small counts and expanded in powers of 1/c for the others:
//
//	ln Γ(c + a) = (c + a − ½)·ln c − c + ½·ln 2π + Σ_k (−1)^{k+1}·B_{k+1}(a)/(k(k+1)·c^k)   (DLMF 5.11.8).
type weight struct {
	small   []float64
	powers  []gammaPower
	series  [terms]float64 // of 1/c^k, k = 1 …
	slope   float64        // Σ e_j: of c·ln c − c
	log     float64        // Σ e_j(a_j − ½): of ln c
	always  float64
	general bool // a shift too large for the expansion
}

const (
	// smallCounts are kept: from there on the expansion is right to 1e-9 for shifts up to largeShift.
	smallCounts = 1 << 13
	largeShift  = smallCounts / 32
	terms       = 8
)

// bernoulli are B_0 … B_9.
var bernoulli = [terms + 2]float64{1, -0.5, 1. / 6, 0, -1. / 30, 0, 1. / 42, 0, -1. / 30, 0}

// newWeight is nil for the constant 0. Counts reach top; a negative top is no bound.
func newWeight(powers []gammaPower, top int64) *weight {
	w := &weight{}
	for _, p := range powers { // equal shifts are one factor
		found := false
		for i := range w.powers {
			if w.powers[i].shift == p.shift {
				w.powers[i].power += p.power
				found = true
			}
		}
		if !found {
			w.powers = append(w.powers, p)
		}
	}
	kept := w.powers[:0]
	for _, p := range w.powers {
		if p.power != 0 {
			kept = append(kept, p)
		}
	}
	if w.powers = kept; len(kept) == 0 {
		return nil
	}
	for _, p := range w.powers {
		e := float64(p.power)
		w.slope += e
		w.log += e * (p.shift - 0.5)
		w.always += e * (0.5*math.Log(2*math.Pi) - num.LogGamma(p.shift))
		w.general = w.general || p.shift > largeShift
		for k := 1; k <= terms; k++ {
			w.series[k-1] += e * sign(k+1) * bernoulliAt(k+1, p.shift) / float64(k*(k+1))
		}
	}
	size := int64(smallCounts)
	if top >= 0 {
		size = min(size, top+1)
	}
	w.small = make([]float64, size)
	for c := range w.small[1:] {
		sum := 0.0
		for _, p := range w.powers {
			sum += float64(p.power) * math.Log(p.shift+float64(c))
		}
		w.small[c+1] = w.small[c] + sum
	}
	return w
}

func sign(k int) float64 {
	if k%2 == 0 {
		return 1
	}
	return -1
}

// bernoulliAt is the Bernoulli polynomial B_k(a) = Σ_j C(k,j)·B_j·a^{k−j}.
func bernoulliAt(k int, a float64) float64 {
	sum, choose := 0.0, 1.0
	for j := 0; j <= k; j++ {
		sum += choose * bernoulli[j] * math.Pow(a, float64(k-j))
		choose = choose * float64(k-j) / float64(j+1)
	}
	return sum
}

// at is w(c), c ≥ 0.
func (w *weight) at(c int64) float64 {
	if c < int64(len(w.small)) {
		return w.small[c]
	}
	return w.large(float64(c))
}

func (w *weight) large(c float64) float64 {
	if w.general {
		sum := 0.0
		for _, p := range w.powers {
			sum += float64(p.power) * num.LogGammaDiff(p.shift, c)
		}
		return sum
	}
	x, s := 1/c, 0.0
	for k := terms - 1; k >= 0; k-- {
		s = (s + w.series[k]) * x
	}
	l := math.Log(c)
	return w.slope*c*(l-1) + w.log*l + w.always + s
}

// logs keeps ln c of small counts.
var logs = func() (out [1 << 10]float64) {
	for c := range out {
		out[c] = math.Log(float64(c))
	}
	return out
}()

// logOf is ln c, −∞ at 0.
func logOf(c int64) float64 {
	if uint64(c) < uint64(len(logs)) {
		return logs[c]
	}
	return math.Log(float64(c))
}
