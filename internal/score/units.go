package score

import "math"

// UnitTotals are k·Σx and k·Σ(1 − x) of the rows of units of up to k rows, from the units' moments: see [OfUnits].
func UnitTotals(b [5]float64) (ones, zeros float64) {
	return b[0] + (b[2]+b[3])/2, b[1] + (b[2]+b[4])/2
}

// OfUnits is the test from Σa², Σc², Σ2ac, Σ2ae and Σ2ce of units of up to k rows with values in [0, 1], a = Σx and
// c = Σ(1 − x) over a unit's rows, e = k − a − c, each with noise of a given standard deviation. Units are the sample:
// V is Σ(Σ(x − μ))² over them, at most k·nμ(1 − μ) of n rows. Source: theory/intervals.md §1.
func OfUnits(b [5]float64, sd float64, normal bool, k int) Mean {
	most := float64(k)
	ones, zeros := UnitTotals(b)
	ones, zeros = math.Max(ones, 0), math.Max(zeros, 0) // beyond, no data give them
	total := ones + zeros                               // k·n
	return Mean{
		sum: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return (nu*ones - mu*zeros) / most, sd / most * math.Sqrt(1.25*(nu*nu+mu*mu)+(.5-mu)*(.5-mu))
		},
		square: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return nu*nu*b[0] - mu*nu*b[2] + mu*mu*b[1], sd * math.Sqrt(nu*nu*nu*nu+mu*mu*nu*nu+mu*mu*mu*mu)
		},
		most: total + margin*sd, size: math.Max(total/most/most, 1), normal: normal,
	}
}
