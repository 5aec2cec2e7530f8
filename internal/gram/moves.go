package gram

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// moveMean shifts a number: x → e^{δN}x, S → e^{δN}S e^{δNᵀ}, w → e^{−δNᵀ}w, so that wᵀx stands; Jacobian 1.
func (c *chain) moveMean(number *Number, window float64) {
	p, d := c.p, c.p.Dim
	sigma2 := math.Exp(2 * c.logSigma)
	density := func(delta float64) float64 {
		s := c.v[:d*d]
		copy(s, c.s)
		shifted(number.Shift, delta, s, c.a[:d*d], c.b[:d*d], d, false)
		transpose(s, d)
		shifted(number.Shift, delta, s, c.a[:d*d], c.b[:d*d], d, false)
		copy(c.w2, c.w)
		shifted(number.Shift, -delta, c.w2, c.a[:d], c.b[:d], 1, true)
		p.take(s, c.f2)
		if delta != 0 && !p.boxed(c.f2) {
			return math.Inf(-1)
		}
		return p.logPrior(c.w2) + p.logGram(c.f2, c.theta) + p.logNoise(c.f2) +
			c.logLikelihood(s, c.w2, sigma2, p.rows(c.f2))
	}
	lo := -c.uniform() * window
	if c.slice(lo, lo+window, density(0)+math.Log(c.uniform()), density) != 0 {
		c.accept()
	}
}

// accept takes the proposed entries and weights.
func (c *chain) accept() {
	copy(c.f, c.f2)
	copy(c.w, c.w2)
	c.p.fill(c.f, c.s)
}

func transpose(m []float64, d int) {
	for i := range d {
		for j := range i {
			m[i*d+j], m[j*d+i] = m[j*d+i], m[i*d+j]
		}
	}
}

// moveTheta draws θ from its grid.
func (c *chain) moveTheta() {
	if len(c.p.Numbers) == 0 {
		return
	}
	var logs [gridSize]float64
	most := math.Inf(-1)
	for g := range logs {
		for i := range c.p.Numbers {
			logs[g] += c.p.logSpread(c.f, &c.p.Numbers[i], g)
		}
		most = math.Max(most, logs[g])
	}
	total := 0.
	for g := range logs {
		logs[g] = math.Exp(logs[g] - most)
		total += logs[g]
	}
	u := c.uniform() * total
	for g, v := range logs {
		if u -= v; u < 0 {
			c.theta = g
			return
		}
	}
}

// spread proposes x_j → m_j + e^δ(x_j − m_j) for the given numbers, with wᵀx standing, and gives its log Jacobian.
func (c *chain) spread(numbers []Number, delta float64, s []float64) (logJacobian float64) {
	p, d := c.p, c.p.Dim
	up, down, z := math.Exp(delta), math.Exp(-delta), p.corner(c.f)
	copy(s, c.s)
	copy(c.w2, c.w)
	moved := c.c[:d]
	clear(moved)
	for i := range numbers {
		if !numbers[i].Alone {
			continue
		}
		j := numbers[i].Column
		mean := c.s[j] / z
		for a := range d { // row j, then column j
			s[j*d+a] = up*s[j*d+a] + (1-up)*mean*s[a]
		}
		for a := range d {
			s[a*d+j] = up*s[a*d+j] + (1-up)*mean*s[a*d]
		}
		c.w2[0] += c.w[j] * (1 - down) * mean
		c.w2[j] = c.w[j] * down
		logJacobian -= delta
		moved[j] = delta
	}
	p.take(s, c.f2)
	for k := range p.Entries {
		if at := p.Entries[k].Places[0]; at[0] > 0 && at[1] > 0 {
			logJacobian += moved[at[0]] + moved[at[1]]
		}
	}
	return logJacobian
}

// moveSpreads moves the spread of each number that stands alone by a slice, then all of them together with θ by one
// step of its grid.
func (c *chain) moveSpreads() {
	p, d, any := c.p, c.p.Dim, false
	sigma2, n, s := math.Exp(2*c.logSigma), p.rows(c.f), c.v[:d*d]
	target := func(numbers []Number, delta float64, theta int) float64 {
		j := c.spread(numbers, delta, s)
		if delta != 0 && !p.boxed(c.f2) {
			return math.Inf(-1)
		}
		return j + p.logPrior(c.w2) + p.logGram(c.f2, theta) + p.logNoise(c.f2) + c.logLikelihood(s, c.w2, sigma2, n)
	}
	for i := range p.Numbers {
		if !p.Numbers[i].Alone {
			continue
		}
		any = true
		density := func(delta float64) float64 { return target(p.Numbers[i:i+1], delta, c.theta) }
		window := c.windows[2*i+1]
		lo := -c.uniform() * window
		if c.slice(lo, lo+window, density(0)+math.Log(c.uniform()), density) != 0 {
			c.accept()
		}
	}
	if !any {
		return
	}
	at, next := c.theta, c.theta+1
	if c.uniform() < .5 {
		next = at - 1
	}
	if next < 0 || next >= gridSize {
		return
	}
	level := target(p.Numbers, 0, c.theta) + math.Log(c.uniform())
	if target(p.Numbers, math.Log(thetas[next]/thetas[at]), next) > level {
		c.accept()
		c.theta = next
	}
}

// residual is σ² that holds κ = wᵀSw + nσ², and 1 in a step; ok is false where it is not in (0, 1].
func (c *chain) residual(kappa, square, n float64) (sigma2 float64, ok bool) {
	if c.curved != nil {
		return 1, true
	}
	sigma2 = (kappa - square) / n
	return sigma2, sigma2 > leastSigma*leastSigma && sigma2 <= 1
}

// leastSigma bounds σ from below, far under what a lattice of rows can tell.
const leastSigma = 6e-6

// moveWeights moves w and σ with κ = wᵀSw + nσ² held, by elliptical slices about N(m, Σ), Σ⁻¹ = SV_s⁻¹S + Λ, V_s =
// σ_ref²S + τ²I. The density has the factor 1/σ.
func (c *chain) moveWeights(turns int) {
	p, d, n := c.p, c.p.Dim, c.p.rows(c.f)
	mean, precision, l := c.reference()
	start, turn, at := c.r[:d], c.kq[:d], c.c[2*(d+1):2*(d+1)+d]
	for range turns {
		sigma2 := math.Exp(2 * c.logSigma)
		times(c.s, c.w, at, d)
		kappa := dot(c.w, at) + n*sigma2
		for i := range d {
			turn[i], start[i] = sample.Normal(c.src), c.w[i]-mean[i]
		}
		otherHalf(l, turn, d)
		// log target/N(w; m, Σ) times 1/σ
		target := func(z []float64, sigma2 float64) float64 {
			for i := range d {
				c.w2[i] = mean[i] + z[i]
			}
			times(precision, z, at, d)
			reference := dot(z, at) / 2
			return c.logLikelihood(c.s, c.w2, sigma2, n) + p.logPrior(c.w2) + reference - math.Log(sigma2)/2
		}
		level := target(start, sigma2) + math.Log(c.uniform())
		z := c.b[:d]
		found := mcmc.Circle(c.uniform, 60, level, func(cos, sin float64) float64 {
			for i := range d {
				z[i] = start[i]*cos + turn[i]*sin
				c.w2[i] = mean[i] + z[i]
			}
			times(c.s, c.w2, at, d)
			ok := false
			if sigma2, ok = c.residual(kappa, dot(c.w2, at), n); !ok {
				return math.Inf(-1)
			}
			return target(z, sigma2)
		})
		if found {
			copy(c.w, c.w2)
			c.logSigma = math.Log(sigma2) / 2
		}
	}
}

// reference is the normal law N(m, Σ) that the slices of w are about: m, Σ⁻¹ and the factor of that.
func (c *chain) reference() (mean, precision, l []float64) {
	if c.curved != nil {
		return c.curved.about, c.curved.precision, c.curved.factor
	}
	p, d := c.p, c.p.Dim
	v, l := c.v[:d*d], c.k[:d*d]
	for i, s := range c.s {
		v[i] = c.around * c.around * s
	}
	for i := range d {
		v[i*d+i] += p.NoiseXY
	}
	floored(v, l, d)
	precision, mean = v, c.kr[:d]
	system := c.inv
	copy(mean, p.XY)
	solve(l, mean, d)
	copy(system, c.s) // row i of V_s⁻¹S, by the symmetry of S, solved row by row
	for i := range d {
		half(l, system[i*d:(i+1)*d], d)
	}
	for i := range d {
		for j := 0; j <= i; j++ {
			precision[i*d+j] = dot(system[i*d:(i+1)*d], system[j*d:(j+1)*d])
			precision[j*d+i] = precision[i*d+j]
		}
		precision[i*d+i] += p.Precision[i]
	}
	times(c.s, mean, c.w2, d)
	copy(mean, c.w2)
	floored(precision, l, d)
	solve(l, mean, d)
	return mean, precision, l
}

// moveGram moves all of S with c = Sw and κ held, by elliptical slices about N(f̃, T). The density has the factor
// |S|⁻¹/(nσ), in a step |S|⁻¹.
func (c *chain) moveGram(turns int) {
	p, d := c.p, c.p.Dim
	s, l, held := c.v[:d*d], c.k[:d*d], c.kr[:d]
	for range turns {
		sigma2, n := math.Exp(2*c.logSigma), p.rows(c.f)
		times(c.s, c.w, held, d)
		kappa := dot(c.w, held) + n*sigma2
		logDet, ok := factor(c.s, l, d)
		if !ok {
			return
		}
		target := func(s, f, w []float64, sigma2, n, logDet float64) float64 {
			log := c.logLikelihood(s, w, sigma2, n) + p.logPrior(w) + p.logGram(f, c.theta) - logDet
			if c.curved == nil {
				log -= math.Log(sigma2)/2 + math.Log(n)
			}
			return log
		}
		level := target(c.s, c.f, c.w, sigma2, n, logDet) + math.Log(c.uniform())
		turn := make([]float64, len(c.f))
		for k := range turn {
			turn[k] = math.Sqrt(p.Entries[k].Variance) * sample.Normal(c.src)
		}
		found := mcmc.Circle(c.uniform, 14, level, func(cos, sin float64) float64 {
			for k := range c.f2 {
				at := p.Entries[k].Noisy
				c.f2[k] = at + (c.f[k]-at)*cos + turn[k]*sin
			}
			n := p.rows(c.f2)
			if !(n > 0) || !p.boxed(c.f2) {
				return math.Inf(-1)
			}
			p.fill(c.f2, s)
			logDet, ok := factor(s, l, d)
			if !ok {
				return math.Inf(-1)
			}
			copy(c.w2, held)
			solve(l, c.w2, d)
			if sigma2, ok = c.residual(kappa, dot(held, c.w2), n); !ok {
				return math.Inf(-1)
			}
			return target(s, c.f2, c.w2, sigma2, n, logDet)
		})
		if found {
			c.accept()
			c.logSigma = math.Log(sigma2) / 2
		}
	}
}

// moveSigma moves log σ by a slice; flat in σ, the density has the factor σ.
func (c *chain) moveSigma() {
	n := c.p.rows(c.f)
	density := func(delta float64) float64 {
		at := c.logSigma + delta
		if at > 0 || at < math.Log(leastSigma) {
			return math.Inf(-1)
		}
		return c.logLikelihood(c.s, c.w, math.Exp(2*at), n) + at
	}
	level := density(0) + math.Log(c.uniform())
	lo := -c.uniform()
	hi := lo + 1
	for density(lo) > level {
		lo--
	}
	for density(hi) > level {
		hi++
	}
	c.logSigma += c.slice(lo, hi, level, density)
}
