package hellingersample

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// largest is the largest posterior parameter that α and n allow.
func (p *problem) largest() float64 {
	most := 0.0
	for _, v := range p.alpha {
		most = math.Max(most, v)
	}
	return most + float64(p.n)
}

// publicTerms bounds M for every x: φ(c, c+1) = L(c) of num.LogGammaHalfRatio grows with c.
func (p *problem) publicTerms() float64 {
	return math.Ceil((p.bound+negligible)/(-2*num.LogGammaHalfRatio(p.largest()))) + 1
}

// width estimates the numbers in the windows at N: −φ(c, c+t) ≥ t²/(8(c+t)), so that the cells' half widths are at most
// √(8Bc/N) + 8B/N, and Cauchy's inequality adds them up.
func (p *problem) width(n float64) float64 {
	total := float64(p.n)
	for _, v := range p.alpha {
		total += v
	}
	d, b := float64(p.dim()), p.bound+negligible
	most := d * (float64(p.n) + 1)
	return math.Min(most, d+2*(math.Sqrt(8*b*d*total/n)+8*b*d/n))
}

// mixable checks the limits by public numbers.
func (p *problem) mixable() error {
	refuse := func(what string, value, limit float64) error {
		return &InfeasibleError{"mixture", what, value, limit, "the K-norm mechanism, or a smaller rate, n or number " +
			"of cells"}
	}
	if m := p.publicTerms(); m > MaxMixtureTerms {
		return refuse("the number of terms", m, MaxMixtureTerms)
	}
	if w := p.width(1); w > MaxMixtureTable {
		return refuse("the number of table entries", w, MaxMixtureTable)
	}
	d := float64(p.dim())
	if span := p.bound + d*(math.Log1p(float64(p.n))+2) + tiltPerCell*d + 2*tiltRoom; span > maxMixtureSpan {
		return refuse("the span of log-weights", span, maxMixtureSpan)
	}
	work := 0.0
	for n, end := 1.0, p.publicTerms(); n < end; n += math.Max(1, math.Min(math.Floor(n/d), maxBlock)) {
		if work += 4 * p.width(n); work > MaxMixtureSetUp {
			return refuse("the number of exponentials in the set-up", math.Inf(1), MaxMixtureSetUp)
		}
	}
	return nil
}
