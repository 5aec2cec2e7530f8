package hellinger

import "math"

// objective is what the sensitivities of Theorem S maximise: it increases in the edge h and does not increase in the
// distance.
type objective interface {
	value(h, dist float64) float64
	// weight is what partner needs to know of a count.
	weight(count float64) float64
	// partner is the j > i in the row with the largest value at h² = v_i + g_i·v_j and distance x_i + x_j − 1, if that
	// exceeds best; else −1. It is the inner loop.
	partner(r *row, i int, best float64) int
}

// row holds, for the cells that are not empty, 1 − g(α), g(α), count and weight.
type row struct{ v, g, x, w []float64 }

// smooth is h·e^{−β·dist}.
type smooth float64

func (b smooth) value(h, dist float64) float64 { return h * math.Exp(-float64(b)*dist) }

func (b smooth) weight(count float64) float64 { return math.Exp(-2 * float64(b) * count) }

// partner compares h²·e^{−2β·x_j} with (best·e^{β(x_i−1)})².
func (b smooth) partner(r *row, i int, best float64) int {
	least := best * math.Exp(float64(b)*(r.x[i]-1))
	least *= least
	vi, gi, at := r.v[i], r.g[i], -1
	v, w := r.v[i+1:], r.w[i+1:]
	w = w[:len(v)]
	for k, vk := range v {
		if t := (vi + gi*vk) * w[k]; t > least {
			least, at = t, i+1+k
		}
	}
	return at
}

// reciprocal is 1/(1/h + γ·dist).
type reciprocal float64

func (c reciprocal) value(h, dist float64) float64 {
	if dist == 0 {
		return h
	}
	return 1 / (1/h + float64(c)*dist)
}

func (c reciprocal) weight(count float64) float64 { return float64(c) * count }

// partner looks for 1/h < 1/best − γ(x_i + x_j − 1) =: R, that is, R > 0 and h²R² > 1.
func (c reciprocal) partner(r *row, i int, best float64) int {
	most := 1/best - float64(c)*(r.x[i]-1)
	vi, gi, at := r.v[i], r.g[i], -1
	v, w := r.v[i+1:], r.w[i+1:]
	w = w[:len(v)]
	for k, vk := range v {
		left, h2 := most-w[k], vi+gi*vk
		if left > 0 && h2*left*left > 1 {
			most, at = 1/math.Sqrt(h2)+w[k], i+1+k
		}
	}
	return at
}
