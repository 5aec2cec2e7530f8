package roundedsum

import "math"

// TwoSums is a normal law's mean and standard deviation given the noisy sums of c and c², c a record's place about the
// middle of the lattice: |c| ≤ Half, points Unit apart. All are in units of c. The prior is uniform in μ on [−Half,
// Half] and in log σ on [Half/250, 2·Half].
//
// The two sums are taken for normal, with the exact moments of clipped and rounded records: for n ≥ 50 the posterior is
// then within a total variation of some 0.003 of the exact one (theory/numbers.md §2). The noise is not taken for
// normal, unless it is.
type TwoSums struct {
	N          int
	Half, Unit float64
	First      float64 // noisy Σc
	Second     float64 // noisy Σc²

	// One of two: Gaussian noise by its variances, or noise with the density e^{−Exponent}/Mass, with its variances
	Variances [2]float64
	Exponent  func(d, e float64) float64 // nil for Gaussian noise
	Mass      float64
}

// LogLikelihood is up to a constant.
func (o *TwoSums) LogLikelihood(mu, sigma float64) float64 {
	s, n := normalSums(mu, sigma, o.Half, o.Unit), float64(o.N)
	d, e := o.First-n*s.m1, o.Second-n*s.m2
	a, b, c := n*s.v11, n*s.v12, n*s.v22
	if o.Exponent == nil {
		return logNormal2(d, e, a+o.Variances[0], b, c+o.Variances[1])
	}
	// S = n·m + L·u with L the Cholesky factor of nV, u standard normal
	l11 := math.Sqrt(a)
	l21 := b / l11
	l22 := math.Sqrt(math.Max(c-l21*l21, 1e-12))
	// how many e-folds of the noise one unit of u is worth, along both axes
	folds := [2]float64{o.Exponent(l11, l21), o.Exponent(0, l22)}
	if math.Max(folds[0], folds[1]) > foldsOfNormal {
		if math.Min(folds[0], folds[1]) > foldsOfNormal/2 {
			// noise far narrower than the sums: its variance is all that shows
			return logNormal2(d, e, a+o.Variances[0], b, c+o.Variances[1])
		}
	}
	var nodes [2]int
	var steps [2]float64
	for i, f := range folds {
		steps[i] = math.Min(.6, 1.2/math.Max(f, 2))
		nodes[i] = int(math.Ceil(reachOfNormal / steps[i]))
	}
	total, most := 0.0, math.Inf(-1)
	for i := -nodes[0]; i <= nodes[0]; i++ {
		u := float64(i) * steps[0]
		x, y := d-l11*u, e-l21*u
		for j := -nodes[1]; j <= nodes[1]; j++ {
			v := float64(j) * steps[1]
			w := -(u*u+v*v)/2 - o.Exponent(x, y-l22*v)
			if w > most {
				total, most = total*math.Exp(most-w), w
			}
			if w > most-40 {
				total += math.Exp(w - most)
			}
		}
	}
	return most + math.Log(total*steps[0]*steps[1]/o.Mass)
}

// Where the sums' own spread is worth more e-folds of the noise than this, the noise is narrow; and how far the sums
// are followed, in standard deviations.
const (
	foldsOfNormal = 8
	reachOfNormal = 6
)

// logNormal2 is the log-density of a bivariate normal law at (x, y), up to a constant.
func logNormal2(x, y, a, b, c float64) float64 {
	det := a*c - b*b
	return -(c*x*x-2*b*x*y+a*y*y)/(2*det) - math.Log(det)/2
}
