package gram

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/mcmc"
)

// chain is one Markov chain: the state (f, w, log σ, θ), and what is kept of it between moves.
type chain struct {
	p   *Problem
	src *rand.Rand

	f, w     []float64
	logSigma float64
	theta    int // its place on the grid

	s, inv []float64 // S and its inverse, d × d
	v, k   []float64 // V and its inverse, (d+1) × (d+1)
	r, kr  []float64 // (s̃, t̃) less its mean, and K times it

	around float64 // σ of the reference law of w, frozen after warm-up
	sweeps int

	curved *curved // of a step
	misses misses  // of what was kept since the last doubling

	entries []entryMove
	spec    [2]*spectrum // of S, of V
	m       []float64    // a spectrum's matrix
	kq      []float64
	p1, p2  []float64 // of a line
	f2, w2  []float64
	l, a, b []float64 // (d+1)² places each
	c       []float64
	windows []float64 // of the shift and of the spread, two a number
}

// entryMove is what does not change about the move of one entry.
type entryMove struct {
	index   []int
	b       []float64
	bt      []float64 // with the place of yᵀy, where n moves with the entry
	of      []int     // bounds of it, and bounds that it is
	by      []int
	touches []int
	window  float64
}

func newChain(p *Problem, src *rand.Rand, f, w []float64, sigma float64) *chain {
	d := p.Dim
	e := d + 1
	c := &chain{p: p, src: src, f: f, w: w, logSigma: math.Log(sigma), theta: gridSize * 2 / 3, around: sigma,
		s: make([]float64, d*d), inv: make([]float64, d*d),
		v: make([]float64, e*e), k: make([]float64, e*e), r: make([]float64, e),
		kr: make([]float64, e), kq: make([]float64, e), f2: make([]float64, len(f)), w2: make([]float64, d),
		l: make([]float64, e*e), a: make([]float64, e*e), b: make([]float64, e*e), c: make([]float64, 3*e)}
	most := 1
	for k := range p.Entries {
		index, b := p.indices(k)
		move := entryMove{index: index, b: b, touches: p.touches(k), window: 6 * math.Sqrt(p.Entries[k].Variance)}
		for i, bound := range p.Bounds {
			if bound.Of == k {
				move.of = append(move.of, i)
			} else if bound.By == k {
				move.by = append(move.by, i)
			}
		}
		if k == p.Count && p.Curve == nil {
			r := len(index) + 1
			move.bt = make([]float64, r*r)
			for i := range index {
				copy(move.bt[i*r:], b[i*len(index):(i+1)*len(index)])
			}
		}
		most = max(most, len(index)+1)
		c.entries = append(c.entries, move)
	}
	c.spec = [2]*spectrum{newSpectrum(most), newSpectrum(most)}
	c.m, c.p1, c.p2 = make([]float64, most*most), make([]float64, most), make([]float64, most)
	z := p.corner(f)
	for i := range p.Numbers {
		first, second := &p.Entries[p.Numbers[i].First], &p.Entries[p.Numbers[i].Second]
		mean := first.Noisy / z
		c.windows = append(c.windows, math.Min(1, 10*math.Sqrt(first.Variance)/z),
			math.Min(1.5, 20*math.Sqrt(second.Variance)/(z*math.Max(second.Noisy/z-mean*mean, .01))))
	}
	p.fill(f, c.s)
	if p.Curve != nil {
		c.curved = newCurved(p)
		c.refer(p.Curve.Mode, p.Curve.Spread, wider)
	}
	return c
}

// sweep makes every move once. Warm-up adapts the reference law of the weights.
func (c *chain) sweep(warmUp bool) {
	c.renew()
	for k := range c.entries {
		c.moveEntry(k)
	}
	c.p.fill(c.f, c.s)
	for i := range c.p.Numbers {
		if n := &c.p.Numbers[i]; len(n.Shift) > 0 {
			c.moveMean(n, c.windows[2*i])
		}
	}
	c.moveTheta()
	c.moveSpreads()
	c.moveWeights(2)
	c.moveGram(2)
	if c.curved == nil {
		c.moveSigma()
	}
	if c.sweeps++; warmUp {
		sigma := math.Exp(c.logSigma)
		if c.sweeps <= 4 {
			c.around = sigma
		} else {
			c.around += (sigma - c.around) / (1 + float64(c.sweeps)/2)
		}
	}
}

// variance sets v to V(S, w, σ²) and r to the residual.
func (c *chain) variance(s, w []float64, sigma2, n float64, v, r []float64) {
	p := c.p
	d, e := p.Dim, p.Dim+1
	sw := c.c[:d]
	times(s, w, sw, d)
	square := dot(w, sw)
	for i := range d {
		for j := range d {
			v[i*e+j] = sigma2 * s[i*d+j]
		}
		v[i*e+i] += p.NoiseXY
		v[i*e+d] = 2 * sigma2 * sw[i]
		v[d*e+i] = v[i*e+d]
		r[i] = p.XY[i] - sw[i]
	}
	v[d*e+d] = 4*sigma2*square + p.NoiseY + 2*n*sigma2*sigma2
	r[d] = p.YY - square - n*sigma2
}

// logLikelihood is log N((s̃, t̃); …) but for −½(d+1)·log 2π.
func (c *chain) logLikelihood(s, w []float64, sigma2, n float64) float64 {
	if c.curved != nil {
		return c.curved.logLikelihood(c.p, s, w)
	}
	e := c.p.Dim + 1
	r := c.c[e : 2*e]
	c.variance(s, w, sigma2, n, c.a, r)
	logDet, ok := factor(c.a, c.l, e)
	if !ok {
		return math.Inf(-1)
	}
	half(c.l, r, e)
	return -(logDet + dot(r, r)) / 2
}

// renew computes the inverses anew.
func (c *chain) renew() {
	d, e := c.p.Dim, c.p.Dim+1
	floored(c.s, c.l, d)
	inverse(c.l, c.inv, c.a, d)
	if c.curved != nil {
		c.curved.renew(c)
		return
	}
	c.variance(c.s, c.w, math.Exp(2*c.logSigma), c.p.rows(c.f), c.v, c.r)
	floored(c.v, c.l, e)
	inverse(c.l, c.k, c.a, e)
	times(c.k, c.r, c.kr, e)
}

// uniform is in (0, 1).
func (c *chain) uniform() float64 { return (float64(c.src.Uint64()>>11) + .5) * 0x1p-53 }

// slice is mcmc.Slice by the chain's chance.
func (c *chain) slice(lo, hi, level float64, density func(float64) float64) float64 {
	return mcmc.Slice(c.uniform, lo, hi, level, density)
}

// line is the law of one entry given all else: the interval of δ on which S stays positive definite and in the box, cut
// to a window, and the log density of f_k + δ but for a constant.
type line struct {
	lo, hi         float64
	move           *entryMove
	b              []float64 // of V
	rows           int       // of it
	slope, curve   float64   // qᵀKR, qᵀKq; Kq stands in kq
	along, against []float64 // p and ρ
	density        func(delta float64) float64
}

// ends are those of the interval of δ that keeps S positive definite, by its spectrum, and in the box.
func (c *chain) ends(k int) (lo, hi float64) {
	p, move, old := c.p, &c.entries[k], c.f[k]
	lo, hi = c.spec[0].interval()
	if p.Entries[k].Even {
		lo = math.Max(lo, -old)
	}
	for _, i := range move.of {
		most := p.Cap
		if by := p.Bounds[i].By; by >= 0 {
			most = c.f[by]
		}
		lo, hi = math.Max(lo, -most-old), math.Min(hi, most-old)
	}
	for _, i := range move.by {
		lo = math.Max(lo, math.Abs(c.f[p.Bounds[i].Of])-old)
	}
	return lo, hi
}

// line of entry k. It leaves the spectra of the change of S and of V, x·GBGᵀ with x = σ²δ, in spec.
func (c *chain) line(k int) (out line) {
	p, move := c.p, &c.entries[k]
	d, e, r := p.Dim, p.Dim+1, len(move.index)
	for i, a := range move.index {
		for j, b := range move.index {
			c.m[i*r+j] = c.inv[a*d+b]
		}
	}
	c.spec[0].of(c.m, move.b, r)
	lo, hi := c.ends(k)
	out = line{lo: math.Min(lo, 0), hi: math.Max(hi, 0), move: move, b: move.b, rows: r}

	// the residual moves by −δq
	sigma2, w := math.Exp(2*c.logSigma), c.w
	if c.curved != nil {
		w, out.rows = c.curved.mean, 0 // V stands
	}
	q := c.c[:r+1] // on the index, and on yᵀy
	q[r] = 0
	for i := range move.index {
		q[i] = 0
		for j, b := range move.index {
			q[i] += move.b[i*r+j] * w[b]
		}
		q[r] += q[i] * w[move.index[i]]
	}
	if move.bt != nil {
		q[r] += p.D * sigma2
		out.rows, out.b = r+1, move.bt
		out.b[len(out.b)-1] = 2 * p.D * sigma2
	}
	for i := range e {
		sum := q[r] * c.k[i*e+d]
		for j, a := range move.index {
			sum += q[j] * c.k[i*e+a]
		}
		c.kq[i] = sum
	}
	out.slope, out.curve = q[r]*c.kr[d], q[r]*c.kq[d]
	for j, a := range move.index {
		out.slope += q[j] * c.kr[a]
		out.curve += q[j] * c.kq[a]
	}
	rows, all := out.rows, c.spec[1]
	for i := range rows {
		for j := range rows {
			c.m[i*rows+j] = c.through(move, c.k, i, j)
		}
	}
	all.of(c.m, out.b, rows)
	out.along, out.against = c.p1[:rows], c.p2[:rows]
	for i := range rows {
		out.along[i], out.against[i] = 0, 0
		for j := range rows {
			out.along[i] += all.vector[i*rows+j] * c.onto(move, c.kr, j)
			out.against[i] += all.vector[i*rows+j] * c.onto(move, c.kq, j)
		}
	}
	out.density = func(delta float64) float64 { return c.along(k, &out, sigma2, delta) }
	return out
}

// along is the log density of f_k + δ on a line, but for a constant.
func (c *chain) along(k int, l *line, sigma2, delta float64) float64 {
	p, old := c.p, c.f[k]
	at := old + delta - p.Entries[k].Noisy
	g := delta*l.slope - delta*delta*l.curve/2 - at*at/(2*p.Entries[k].Variance)
	for i := range l.rows {
		x := sigma2 * delta * c.spec[1].lambda[i]
		if 1+x <= 0 {
			return math.Inf(-1)
		}
		u := l.along[i] - delta*l.against[i]
		g += (u*u*x/(1+x) - math.Log1p(x)) / 2
	}
	c.f[k] = old + delta
	if k == p.Count {
		g += p.logGram(c.f, c.theta)
	} else {
		for _, i := range l.move.touches {
			g += p.logSpread(c.f, &p.Numbers[i], c.theta)
		}
	}
	c.f[k] = old
	return g
}

// moveEntry moves one entry by a slice on its line.
func (c *chain) moveEntry(k int) {
	l := c.line(k)
	lo, hi := l.lo, l.hi
	if l.move.window < hi-lo {
		at := c.uniform() * l.move.window
		lo, hi = math.Max(lo, -at), math.Min(hi, l.move.window-at)
	}
	if delta := c.slice(lo, hi, l.density(0)+math.Log(c.uniform()), l.density); delta != 0 {
		c.follow(k, l, delta)
	}
}

// follow moves along a line, and S⁻¹, V⁻¹ and KR with it: A⁻¹ less Σ δλ/(1 + δλ)·yyᵀ, y = A⁻¹ times the vector of λ.
func (c *chain) follow(k int, l line, delta float64) {
	p, own, all := c.p, c.spec[0], c.spec[1]
	d, e, r, rows := p.Dim, p.Dim+1, len(l.move.index), l.rows
	c.f[k] += delta
	p.put(c.s, k, c.f[k])
	for i := range r {
		y := c.b[i*e : i*e+d] // all of them before any is subtracted
		for a := range y {
			y[a] = 0
			for j, b := range l.move.index {
				y[a] += own.vector[i*r+j] * c.inv[a*d+b]
			}
		}
	}
	for i := range r {
		downdate(c.inv, c.b[i*e:i*e+d], delta*own.lambda[i]/(1+delta*own.lambda[i]), d)
	}
	for i := range rows {
		y := c.b[i*e : (i+1)*e]
		for a := range y {
			y[a] = 0
			for j := range rows {
				y[a] += all.vector[i*rows+j] * c.column(l.move, c.k, a, j)
			}
		}
	}
	for a := range e {
		c.kr[a] -= delta * c.kq[a]
	}
	for i := range rows {
		x := math.Exp(2*c.logSigma) * delta * all.lambda[i]
		y, weight := c.b[i*e:(i+1)*e], x/(1+x)
		downdate(c.k, y, weight, e)
		u := weight * (l.along[i] - delta*l.against[i])
		for a := range e {
			c.kr[a] -= u * y[a]
		}
	}
}

// column is entry a of K·g_j, g_j the j-th column of G on the index or, after those, the place of yᵀy.
func (c *chain) column(move *entryMove, k []float64, a, j int) float64 {
	e := c.p.Dim + 1
	if j == len(move.index) {
		return k[a*e+e-1]
	}
	i := move.index[j]
	return k[a*e+i] + 2*c.w[i]*k[a*e+e-1]
}

// onto is g_jᵀx.
func (c *chain) onto(move *entryMove, x []float64, j int) float64 {
	d := c.p.Dim
	if j == len(move.index) {
		return x[d]
	}
	i := move.index[j]
	return x[i] + 2*c.w[i]*x[d]
}

// through is g_iᵀKg_j.
func (c *chain) through(move *entryMove, k []float64, i, j int) float64 {
	d := c.p.Dim
	if i == len(move.index) {
		return c.column(move, k, d, j)
	}
	a := move.index[i]
	return c.column(move, k, a, j) + 2*c.w[a]*c.column(move, k, d, j)
}
