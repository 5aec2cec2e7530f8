package roundedsum

import (
	"math"
	"math/cmplx"
)

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
