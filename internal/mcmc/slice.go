package mcmc

import "math"

// Slice draws from the density on (lo, hi), which holds 0, by shrinkage from a level below that at 0; 0 where nothing
// else is found. uniform is in (0, 1). Source: Neal, "Slice sampling", Annals of Statistics 31(3), 2003.
func Slice(uniform func() float64, lo, hi, level float64, density func(float64) float64) float64 {
	for range 100 {
		x := lo + uniform()*(hi-lo)
		if density(x) > level {
			return x
		}
		if x < 0 {
			lo = x
		} else {
			hi = x
		}
	}
	return 0
}

// Circle makes an elliptical slice: angle draws from the points of the ellipse whose density is above the level, from
// a density at angle 0; it returns false where none is found. Source: Murray, Adams and MacKay, "Elliptical slice
// sampling", AISTATS 2010.
func Circle(uniform func() float64, tries int, level float64, density func(cos, sin float64) float64) bool {
	angle := 2 * math.Pi * uniform()
	lo, hi := angle-2*math.Pi, angle
	for range tries {
		sin, cos := math.Sincos(angle)
		if density(cos, sin) > level {
			return true
		}
		if angle < 0 {
			lo = angle
		} else {
			hi = angle
		}
		angle = lo + uniform()*(hi-lo)
	}
	return false
}
