package roundedsum

import (
	"math"
	"math/cmplx"
)

// PairSum is a parameter θ > 0 given the noisy sums of k and of K − k over a number of records that nobody knows: where
// neighbours differ by a record, n is as private as the records are. A priori n is any number from 0 on, all alike.
// Both noises are two-sided geometric, of one rate. It is for one goroutine.
type PairSum struct {
	First, Second int64 // noisy Σk and Σ(K − k)
	Steps         int   // K
	Rate          float64
	Record        func(theta float64, p []float64)
	Low, High     float64
	LogPrior      func(theta float64) float64

	law OneSum // of the records, on the lattice that is used
}

// Posterior is that of θ, on a grid: see OneSum.Posterior.
func (o *PairSum) Posterior() (*Curve, error) {
	return posterior(o.Low, o.High, o.LogPrior, o.rough, o.LogLikelihood)
}

// rows is the number of records that the two sums say there are.
func (o *PairSum) rows() float64 { return (float64(o.First) + float64(o.Second)) / float64(o.Steps) }

// coarse is how many steps are taken as one: a power of two that divides K. A record between two coarse points is split
// between them so that its mean stays; n records gain a variance of n·f²/6 at most, a thousandth of the noise's.
func (o *PairSum) coarse() int {
	eps := o.Rate * float64(o.Steps)
	most := .077 / (o.Rate * math.Sqrt(math.Max(o.rows()+4/eps, 1)))
	f := 1
	for 2*f <= int(most) && o.Steps%(2*f) == 0 && o.Steps/(2*f) >= 8 {
		f *= 2
	}
	return f
}

// at is the law of a record's coarse place at θ.
func (o *PairSum) at(theta float64, f int) record {
	steps := o.Steps / f
	if o.law.Steps != steps || o.law.Record == nil {
		o.law = OneSum{Steps: steps, N: max(int(o.rows()), 1)}
		fine := make([]float64, o.Steps+1)
		o.law.Record = func(theta float64, p []float64) {
			if f == 1 {
				o.Record(theta, p)
				return
			}
			clear(p)
			o.Record(theta, fine)
			for k, v := range fine {
				share := float64(k%f) / float64(f)
				if p[k/f] += v * (1 - share); share > 0 {
					p[k/f+1] += v * share
				}
			}
		}
	}
	return o.law.at(theta)
}

// LogLikelihood is log Σ_n P(A, B | n, θ), A = S + Z and B = nK − S + Z′. For one n it is the sum over s of P(S = s)
// times
//
//	w_n(s) ∝ e^{−g|A − s| − g|nK − B − s|},
//
// flat between A and nK − B and falling at the rate 2g beyond. By Parseval's identity it is (1/N) Σ_j φ(t_j)^n
// W_n(t_j), where W_n is a geometric sequence in n on either side of n = (A + B)/K: the sum over all n is closed. N is
// such that what folds over is below e^{−21}. Far out, where no digits are left, it is rough.
func (o *PairSum) LogLikelihood(theta float64) float64 {
	f := o.coarse()
	r := o.at(theta, f)
	w := o.wings(f)
	most := w.rows + 21/w.eps
	wide := OneSum{N: int(math.Min(math.Max(most, 1), 1e15))}
	size := 2
	for want := 2*(21/w.g+math.Min(wide.spread(r), most*w.k)) + 2; float64(size) < want && size < 1<<40; {
		size *= 2
	}
	step := 2 * math.Pi / float64(size)
	count := size / 2
	if last := o.last(r, w); last < math.Pi {
		count = min(count, int(last/step))
	}
	offset := float64(r.offset)
	phi := func(j int) complex128 { // about offset
		return transformAt(r.p, step*float64(j), 0)
	}
	if points := float64(size); size < 1<<22 && float64(count)*float64(len(r.p)) > 5*points*math.Log2(points) {
		c := o.law.transform(r.p, size)
		phi = func(j int) complex128 { return cmplx.Conj(c[j]) }
	}
	sum := w.middle()
	for j := 1; j <= count; j++ {
		share := 2.0
		if 2*j == size {
			share = 1
		}
		t := step * float64(j)
		sum += share * w.at(t, phi(j), offset)
	}
	rough := o.rough(theta) - math.Log(float64(o.Steps))
	if sum /= float64(size); !(math.Log(sum)+2*math.Log(math.Tanh(o.Rate/2)) > math.Log(o.Rate/2/float64(o.Steps))-20) {
		return rough + w.shift
	}
	return math.Log(sum) + 2*math.Log(math.Tanh(o.Rate/2)) + w.shift
}

// last is the frequency from which on no n adds anything: |φ|^n stays below e^{−41} for n = (A + B)/K, and fewer
// records weigh e^{−εn} at most, of which what is left out beyond t is e^{−εn}·g/(πt) of the whole.
func (o *PairSum) last(r record, w wings) float64 {
	if !(w.before >= 1) {
		return math.Pi
	}
	few := math.Exp(-w.eps*w.before) * w.g / (math.Pi * 1e-5)
	law := OneSum{N: int(math.Min(w.before, 1e15)), plans: o.law.plans}
	last := law.lastFrequency(r, false)
	o.law.plans = law.plans
	return math.Max(last, few)
}

// rough takes n for (A + B)/K: A(1 − m) − Bm, m the mean's place in [0, 1], is then normal noise of the records beside
// noise of both sums, which is taken for one two-sided exponential.
func (o *PairSum) rough(theta float64) float64 {
	r := o.at(theta, o.coarse())
	f := float64(o.Steps) / float64(o.law.Steps)
	m := r.mean / float64(o.law.Steps)
	x := float64(o.First)*(1-m) - float64(o.Second)*m
	one := OneSum{Noise: Noise{Rate: o.Rate / math.Hypot(m, 1-m)}}
	return math.Log(one.Noise.Rate/2) + one.folding(x, math.Max(o.rows(), .1)*r.variance*f*f)
}

// wings are the numbers of w_n on a lattice of K steps: its two sides, before and after n = (A + B)/K.
type wings struct {
	k, g, eps float64
	a, b      float64
	rows      float64 // (A + B)/K
	before    float64 // the greatest n at most rows, −1 if there is none
	shift     float64 // log of what is taken out
}

func (o *PairSum) wings(f int) wings {
	w := wings{k: float64(o.Steps / f), g: o.Rate * float64(f), a: float64(o.First) / float64(f),
		b: float64(o.Second) / float64(f), rows: o.rows()}
	w.eps = w.g * w.k
	w.before = math.Max(math.Floor(w.rows), -1)
	w.shift = math.Min(0, w.g*(w.a+w.b))
	return w
}

// places are the lattice points about the flat part of w_n less what grows with n, and their heights: the last at or
// below its lower end, the first at or above its upper end.
func (w wings) places(before bool) (low, high, lowHeight, highHeight float64) {
	l, h := w.a, -w.b
	if before {
		l, h = -w.b, w.a
	}
	low, high = math.Floor(l), math.Ceil(h)
	return low, high, math.Exp(-2 * w.g * (l - low)), math.Exp(-2 * w.g * (high - h))
}

// heights are the exponents at the last n before and the first after, the shift taken out.
func (w wings) heights() (before, after float64) {
	return math.Exp(-w.g*(w.a+w.b) + w.eps*w.before), math.Exp(w.g*(w.a+w.b) - w.eps*(w.before+1) - w.shift)
}

// middle is Σ_n W_n(0).
func (w wings) middle() float64 {
	q, rho := math.Exp(-w.eps), -math.Expm1(-2*w.g)
	one := -math.Expm1(-w.eps)
	before, after := w.heights()
	sum := 0.0
	if w.before >= 0 { // n = before − m, m = 0, …, before
		low, high, x, y := w.places(true)
		c0, c1 := (x+y)/rho+high-low-w.k*w.before-1, w.k
		m := w.before + 1
		tail := math.Exp(-w.eps * m)
		sum += before * (c0/one + c1*q/(one*one) - tail*((c0+c1*m)/one+c1*q/(one*one)))
	}
	low, high, x, y := w.places(false)
	c0, c1 := (x+y)/rho+high-low+w.k*(w.before+1)-1, w.k
	return sum + after*(c0/one+c1*q/(one*one))
}

// at is the real part of Σ_n φ^n W_n(t), t > 0, by φ about the offset of the record's law.
func (w wings) at(t float64, phi complex128, offset float64) float64 {
	size, turn := cmplx.Abs(phi), cmplx.Phase(phi)
	n := w.before + 1
	power, few := math.Pow(size, n), math.Exp(-w.eps*n)
	unit := func(angle float64) complex128 { s, c := math.Sincos(angle); return complex(c, s) }
	// a sum with the places of k, and one with those of k − K
	here, there := turn+t*offset, turn+t*(offset-w.k)
	x, y := complex(size, 0)*unit(here), complex(size, 0)*unit(there)
	xn, yn := complex(power, 0)*unit(n*here), complex(power, 0)*unit(n*there)
	q := complex(math.Exp(-w.eps), 0)
	half := math.Sin(t / 2)
	rho := math.Exp(-2 * w.g)
	fall := complex(-math.Expm1(-2*w.g)+2*rho*half*half, -rho*math.Sin(t)) // 1 − ρe^{it}
	flat := complex(2*half*half, math.Sin(t))                              // 1 − e^{−it}
	// of the side below, and of that above
	sides := func(low, high float64) (u, v complex128) {
		return complex(low, 0)/fall + unit(-t)/flat, complex(high, 0)/cmplx.Conj(fall) - 1/flat
	}
	before, after := w.heights()
	sum := complex(0, 0)
	if w.before >= 0 {
		low, high, a, b := w.places(true)
		u, v := sides(a, b)
		run := func(x, xn complex128) complex128 { // Σ_{m=0}^{n−1} x^{n−1−m} e^{−εm}
			if d := x - q; cmplx.Abs(d) > 1e-9 {
				return (xn - complex(few, 0)) / d
			}
			return complex(n*math.Exp(-w.eps*(n-1)), 0)
		}
		sum += complex(before, 0) * (u*unit(-t*low)*run(y, yn) + v*unit(-t*high)*run(x, xn))
	}
	low, high, a, b := w.places(false)
	u, v := sides(a, b)
	sum += complex(after, 0) * (u*unit(-t*low)*xn/(1-x*q) + v*unit(-t*high)*yn/(1-y*q))
	return real(sum)
}

// ringed is the likelihood under geometric noise, by Parseval's identity on a ring of N points that the law of S alone
// fits on, whatever the reach of the noise: with W the N integers about the mean of S,
//
//	Σ_{s∈W} P(S = s) P(Z = s̃ − s) = (1/N) Σ_j φ(t_j)^n G(t_j),  G(t) = Σ_{s∈W} P(Z = s̃ − s) e^{−its},
//
// G in closed form. The law of S folds over onto itself with probability 3e^{−45} at most, and frequencies end where
// |φ|^n stays below 1e-18.
func (o *OneSum) ringed(r record) float64 {
	size := o.ring(r)
	step, last := 2*math.Pi/float64(size), o.lastFrequency(r, false)
	n, count := float64(o.N), min(int(last/step), size/2)
	phi := func(j int) complex128 { // about the origin
		return transformAt(r.p, step*float64(j), math.Round(r.mean)-float64(r.offset))
	}
	origin := math.Round(r.mean)
	if points := float64(size); size < 1<<22 && float64(count)*float64(len(r.p)) > 5*points*math.Log2(points) {
		c := o.transform(r.p, size)
		phi = func(j int) complex128 { return cmplx.Conj(c[j]) }
		origin = float64(r.offset)
	}
	// the window, less n·origin
	from := n * (float64(r.offset) - origin)
	if most := o.N*(len(r.p)-1) + 1; most > size {
		first := int(math.Round(n*(r.mean-float64(r.offset)))) - size/2
		from += float64(min(max(first, 0), most-size))
	}
	w := slope{from, from + float64(size-1), float64(o.Sum) - n*origin, o.Noise.Rate}
	sum := real(w.transform(0))
	for j := 1; j <= count; j++ {
		p := phi(j)
		log := n * math.Log(cmplx.Abs(p))
		if log < -50 {
			continue
		}
		if 2*j < size { // t = π stands for itself alone
			log += math.Ln2
		}
		sin, cos := math.Sincos(n * cmplx.Phase(p))
		g := w.transform(step * float64(j))
		sum += math.Exp(log) * (cos*real(g) - sin*imag(g))
	}
	return sum / float64(size) * math.Tanh(o.Noise.Rate/2)
}

// slope is a two-sided exponential e^{−g|at − u|} on the integers u of [low, high], a multiple of 2π/(high − low + 1)
// as its frequency.
type slope struct{ low, high, at, g float64 }

// transform is Σ e^{−g|at − u| − itu}.
func (w slope) transform(t float64) complex128 {
	// Σ_{m=0}^{M−1} e^{−(g ± it)m} from where the exponential is highest, both ways
	run := func(height, from, sign, terms float64) complex128 {
		if terms <= 0 {
			return 0
		}
		q, half := math.Exp(-w.g), math.Sin(t/2)
		below := complex(-math.Expm1(-w.g)+2*q*half*half, sign*q*math.Sin(t)) // 1 − e^{−g − i·sign·t}
		end := complex(1, 0)
		if w.g*terms < 50 {
			s, c := math.Sincos(sign * t * terms)
			e := math.Exp(-w.g * terms)
			end = complex(1-e*c, e*s)
		}
		s, c := math.Sincos(t * from)
		return complex(height*c, -height*s) * end / below
	}
	switch {
	case w.at <= w.low:
		return run(math.Exp(-w.g*(w.low-w.at)), w.low, 1, w.high-w.low+1)
	case w.at >= w.high:
		return run(math.Exp(-w.g*(w.at-w.high)), w.high, -1, w.high-w.low+1)
	}
	return run(1, w.at, 1, w.high-w.at+1) + run(math.Exp(-w.g), w.at-1, -1, w.at-w.low)
}

// sums are the mean and covariance of (c, c²) of one record: a normal value that was moved to [−M, M] and rounded.
type sums struct{ m1, m2, v11, v12, v22 float64 }

// exactCells is the number of cells up to which moments are added up cell by cell; above, rounding is Sheppard's u²/12.
const exactCells = 64

// normalSums are the moments at mean μ and standard deviation σ, in units of c, with points u apart.
func normalSums(mu, sigma, half, unit float64) (s sums) {
	if 2*half/unit <= exactCells {
		return cellSums(mu, sigma, half, unit)
	}
	a, b := (-half-mu)/sigma, (half-mu)/sigma
	low, high := math.Erfc(-a/math.Sqrt2)/2, math.Erfc(b/math.Sqrt2)/2
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	fa, fb := density(a), density(b)
	i0 := 1 - low - high
	i1 := fa - fb
	i2 := i0 + a*fa - b*fb
	i3 := 2*i1 + a*a*fa - b*b*fb
	i4 := 3*i2 + a*a*a*fa - b*b*b*fb
	at := func(x, p float64, power int) float64 { // x^power·p, 0 where p is
		if p == 0 {
			return 0
		}
		return math.Pow(x, float64(power)) * p
	}
	e1 := at(a, low, 1) + i1 + at(b, high, 1)
	e2 := at(a, low, 2) + i2 + at(b, high, 2)
	e3 := at(a, low, 3) + i3 + at(b, high, 3)
	e4 := at(a, low, 4) + i4 + at(b, high, 4)
	v, c, w := e2-e1*e1, e3-e1*e2, e4-e2*e2
	s.m1, s.m2 = mu+sigma*e1, mu*mu+2*mu*sigma*e1+sigma*sigma*e2
	s.v11 = sigma * sigma * v
	s.v12 = sigma * sigma * (2*mu*v + sigma*c)
	s.v22 = sigma * sigma * (4*mu*mu*v + 4*mu*sigma*c + sigma*sigma*w)
	round := unit * unit / 12 * i0
	s.v11 += round
	s.v12 += 2 * s.m1 * round
	s.v22 += 4 * s.m2 * round
	s.m2 += round
	return s.floored()
}

// cellSums adds up the cells.
func cellSums(mu, sigma, half, unit float64) (s sums) {
	var e [5]float64
	below := 0.0
	for c := -half; c < half+unit/2; c += unit {
		upper := 1.0
		if c+unit/2 < half {
			upper = math.Erfc(-(c+unit/2-mu)/(sigma*math.Sqrt2)) / 2
		}
		p := math.Max(upper-below, 0)
		below = upper
		for j, v := 1, c*p; j < 5; j, v = j+1, v*c {
			e[j] += v
		}
	}
	s = sums{e[1], e[2], e[2] - e[1]*e[1], e[3] - e[1]*e[2], e[4] - e[2]*e[2]}
	return s.floored()
}

// floored keeps the covariance positive definite where all records take one place.
func (s sums) floored() sums {
	s.v11, s.v22 = math.Max(s.v11, 1e-9), math.Max(s.v22, 1e-9)
	if most := .999999 * math.Sqrt(s.v11*s.v22); math.Abs(s.v12) > most {
		s.v12 = math.Copysign(most, s.v12)
	}
	return s
}
