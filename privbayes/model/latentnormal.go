package model

import "math"

// latentNormal is the kind of MeanSD(column).Latent().
const latentNormal = "latent-normal"

// cutMoments are the mean and the standard deviation of a normal variable moved to [lo, hi].
func cutMoments(mu, sigma, lo, hi float64) (mean, sd float64) {
	a, b := (lo-mu)/sigma, (hi-mu)/sigma
	below, above := normalBelow(a), normalBelow(-b)
	inside := 1 - below - above
	pa, pb := density(a), density(b)
	mean = lo*below + hi*above + mu*inside + sigma*(pa-pb)
	second := lo*lo*below + hi*hi*above + (mu*mu+sigma*sigma)*inside + sigma*((mu+lo)*pa-(mu+hi)*pb)
	return mean, math.Sqrt(math.Max(second-mean*mean, 0))
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// latentOf is the normal within the prior's range that is nearest to a mean and a standard deviation once it is moved
// to [lo, hi]: by a grid that closes in on the nearest.
func latentOf(mean, sd, lo, hi float64) (mu, sigma float64) {
	r := hi - lo
	mu, sigma = math.Min(math.Max(mean, lo), hi), math.Min(math.Max(sd, r/500), r)
	far := func(m, s float64) float64 {
		x, y := cutMoments(m, s, lo, hi)
		return (x-mean)*(x-mean) + (y-sd)*(y-sd)
	}
	best := far(mu, sigma)
	for width, factor := r/2, 4.0; width > 1e-9*r; width, factor = width*.6, math.Pow(factor, .6) {
		m0, s0 := mu, sigma
		for i := -3; i <= 3; i++ {
			for j := -3; j <= 3; j++ {
				m := math.Min(math.Max(m0+width*float64(i)/3, lo), hi)
				s := math.Min(math.Max(s0*math.Pow(factor, float64(j)/3), r/500), r)
				if d := far(m, s); d < best {
					best, mu, sigma = d, m, s
				}
			}
		}
	}
	return mu, sigma
}
