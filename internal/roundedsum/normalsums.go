package roundedsum

import "math"

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
