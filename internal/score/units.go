package score

import "math"

// Units are the moments of units of up to K rows with values in [0, 1]: with a = Σx and c = Σ(1 − x) over a unit's rows
// and e = K − a − c, the sums over units of a², c², 2ac and, times 1/Cross, ae and ce: Cross is ½ where these are of
// 2ae and 2ce, and 1 where they are of ae and ce.
type Units struct {
	Moments [5]float64
	Cross   float64
	K       int
}

// Totals are K·Σx and K·Σ(1 − x) of the rows.
func (u Units) Totals() (ones, zeros float64) {
	b := u.Moments
	return b[0] + b[2]/2 + u.Cross*b[3], b[1] + b[2]/2 + u.Cross*b[4]
}

// Mean is the test from moments each with noise of a given standard deviation. Units are the sample: V is Σ(Σ(x − μ))²
// over them, at most K·nμ(1 − μ) of n rows. Source: theory/intervals.md §1.
func (u Units) Mean(sd float64, normal bool) Mean {
	b, most, own := u.Moments, float64(u.K), 1+u.Cross*u.Cross
	ones, zeros := u.Totals()
	ones, zeros = math.Max(ones, 0), math.Max(zeros, 0) // beyond, no data give them
	total := ones + zeros                               // k·n
	return Mean{
		sum: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return (nu*ones - mu*zeros) / most, sd / most * math.Sqrt(own*(nu*nu+mu*mu)+(.5-mu)*(.5-mu))
		},
		square: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return nu*nu*b[0] - mu*nu*b[2] + mu*mu*b[1], sd * math.Sqrt(nu*nu*nu*nu+mu*mu*nu*nu+mu*mu*mu*mu)
		},
		most: total + margin*sd, size: math.Max(total/most/most, 1), normal: normal,
	}
}
