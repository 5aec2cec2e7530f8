// Package leastsquares holds the numbers behind private Bayesian linear regression (theory/networks.md §5): what one
// record moves in the log-ratio of two posteriors, a search that tries to exceed it, the scaling of a design into the
// unit ball by public bounds, and its second moments.
//
// The model: records (x, y) with ‖x‖₂ ≤ 1 and |y| ≤ 1, loss (y − w·x)²/(2σ²), weights ‖w‖₂ ≤ B, any prior.
package leastsquares

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Range is a public bound, Lo < Hi, in the units of the column.
type Range struct{ Lo, Hi float64 }

// Design maps rows into the unit ball by public bounds, an intercept included in the budget ‖x̃‖ ≤ 1. With D
// = the number of features, and one more for an intercept,
//
//	x̃_j = clip((x_j − mid_j)/half_j, ±1)/√D,   intercept coordinate 1/√D,   ỹ = clip((y − mid)/half, ±1),
//
// 1/√D rounded down, so that ‖x̃‖ ≤ 1 holds for the numbers stored. A factor with public levels takes a coordinate for
// every level but the first, of which at most one is 1 and the others are 0: it counts once in D, whatever its levels
// (WithFactors). Clipping is what makes the bound true whatever the
// data; a missing value (NaN) becomes the middle of its range. Immutable. Values come from NewDesign.
type Design struct {
	mid, half   []float64
	yMid, yHalf float64
	intercept   bool
	unit        float64 // 1/√D, rounded down
	runs        []Run   // of factors
}

// Run is the place of a factor's indicators among the features: Len of them from First on.
type Run struct{ First, Len int }

// NewDesign checks at least one coordinate and finite Lo < Hi everywhere. Errors: *domain.Error.
func NewDesign(x []Range, y Range, intercept bool) (*Design, error) {
	d := &Design{intercept: intercept}
	if d.Dim() == 0 && len(x) == 0 {
		return nil, domain.Refuse("leastsquares", "number of features", 0, "at least one feature, or an intercept")
	}
	centre := func(name string, r Range) (mid, half float64, err error) {
		mid, half = r.Lo/2+r.Hi/2, r.Hi/2-r.Lo/2
		if !(r.Lo < r.Hi) || !(half > 0) || math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) {
			return 0, 0, domain.Refuse("leastsquares", "upper bound of "+name, r.Hi, fmt.Sprintf("a finite number "+
				"above the finite lower bound %g", r.Lo))
		}
		return mid, half, nil
	}
	for j, r := range x {
		mid, half, err := centre(fmt.Sprintf("feature %d", j), r)
		if err != nil {
			return nil, err
		}
		d.mid, d.half = append(d.mid, mid), append(d.half, half)
	}
	var err error
	if d.yMid, d.yHalf, err = centre("the response", y); err != nil {
		return nil, err
	}
	d.fit()
	return d, nil
}

// fit scales rows into the ball.
func (d *Design) fit() { d.unit = num.Down(num.Down(1 / math.Sqrt(float64(d.Square())))) }

// WithFactors is the design of which runs of features, declared with the range [−1, 1], are the indicators of factors.
// Errors: *domain.Error for runs that are not apart, in order and among the features.
func (d *Design) WithFactors(runs ...Run) (*Design, error) {
	next, c := 0, *d
	for _, r := range runs {
		if r.First < next || r.Len < 1 || r.Len > len(d.mid)-r.First {
			return nil, domain.Refuse("leastsquares", "factor", fmt.Sprint(r), "runs of features, apart and in order")
		}
		for j := r.First; j < r.First+r.Len; j++ {
			if d.mid[j] != 0 || d.half[j] != 1 {
				return nil, domain.Refuse("leastsquares", "range of an indicator", d.half[j], "[−1, 1]")
			}
		}
		next = r.First + r.Len
	}
	c.runs = append([]Run(nil), runs...)
	c.fit()
	return &c, nil
}

// Square is D, the greatest squared norm of an unscaled row: one for the intercept, for every number and for every
// factor.
func (d *Design) Square() int {
	square := d.Dim()
	for _, r := range d.runs {
		square -= r.Len - 1
	}
	return square
}

// Factors are the runs of features that are indicators.
func (d *Design) Factors() []Run { return append([]Run(nil), d.runs...) }

// Dim is the number of coordinates: the features, one more with an intercept.
func (d *Design) Dim() int {
	if d.intercept {
		return len(d.mid) + 1
	}
	return len(d.mid)
}

// Row writes x̃ (the intercept first, if any) and ỹ to out, of length Dim+1, and tells how many of the numbers were
// clipped or missing, which is private. Errors: *domain.Error for wrong lengths.
func (d *Design) Row(x []float64, y float64, out []float64) (clipped int, err error) {
	if len(x) != len(d.mid) {
		return 0, domain.Refuse("leastsquares", "length of x", float64(len(x)),
			fmt.Sprintf("%d, the number of features", len(d.mid)))
	}
	if len(out) != d.Dim()+1 {
		return 0, domain.Refuse("leastsquares", "length of out", float64(len(out)),
			fmt.Sprintf("%d, the dimension + 1", d.Dim()+1))
	}
	if d.intercept {
		out[0] = d.unit
		out = out[1:]
	}
	for j, v := range x {
		t, bad := clip((v - d.mid[j]) / d.half[j])
		out[j] = t * d.unit
		clipped += bad
	}
	t, bad := clip((y - d.yMid) / d.yHalf)
	out[len(x)] = t
	return clipped + bad, nil
}

// clip is t in [−1, 1], and 1 if it was not: bounds themselves may land a rounding outside and do not count.
func clip(t float64) (float64, int) {
	const rounding = 1e-12
	switch {
	case t > 1:
		if t > 1+rounding {
			return 1, 1
		}
		return 1, 0
	case t < -1:
		if t < -1-rounding {
			return -1, 1
		}
		return -1, 0
	case math.IsNaN(t):
		return 0, 1
	}
	return t, 0
}

// Coefficients turn weights on (x̃, ỹ), of length Dim, into those of y = intercept + Σ slope_j x_j in the units of the
// data:
//
//	slope_j = half_y·w_j/(half_j√D),   intercept = mid_y + half_y·w_0/√D − Σ slope_j mid_j
//
// (no w_0 without an intercept: the fitted plane then passes through the middle of all ranges). Errors: *domain.Error.
func (d *Design) Coefficients(w []float64) (intercept float64, slopes []float64, err error) {
	if len(w) != d.Dim() {
		return 0, nil, domain.Refuse("leastsquares", "length of the weights", float64(len(w)),
			fmt.Sprintf("%d, the dimension", d.Dim()))
	}
	intercept = d.yMid
	if d.intercept {
		intercept += d.yHalf * d.unit * w[0]
		w = w[1:]
	}
	slopes = make([]float64, len(w))
	for j, v := range w {
		slopes[j] = d.yHalf * d.unit * v / d.half[j]
		intercept -= slopes[j] * d.mid[j]
	}
	return intercept, slopes, nil
}

// Predict is ỹ = w·x̃ in the units of the response, for one scaled row of length Dim.
func (d *Design) Predict(w, scaledRow []float64) float64 {
	return d.yMid + d.yHalf*dot(w, scaledRow[:d.Dim()])
}

// checkPositive refuses all but positive finite numbers.
func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return domain.Refuse("leastsquares", name, v, "a positive finite number")
	}
	return nil
}

func checkDim(d int) error {
	if d < 1 {
		return domain.Refuse("leastsquares", "dimension", float64(d), "at least 1")
	}
	return nil
}

// Repair raises the eigenvalues of a symmetric matrix below floor ≥ 0 to floor: the nearest matrix, in Frobenius norm,
// with no eigenvalue below it. It tells how many were raised. Applied to noisy moments it is post-processing, provided
// that floor is public; it biases the directions it raises. Errors: *domain.Error.
func Repair(a *mat.SymDense, floor float64) (repaired *mat.SymDense, raised int, err error) {
	if !(floor >= 0) || math.IsInf(floor, 1) {
		return nil, 0, domain.Refuse("leastsquares", "eigenvalue floor", floor, "0 ≤ floor < ∞")
	}
	if a == nil {
		return nil, 0, domain.Refuse("leastsquares", "dimension", 0, "at least 1")
	}
	d := a.SymmetricDim()
	for i := range d {
		for j := i; j < d; j++ {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, domain.Refuse("leastsquares", "matrix entry", v, "a finite number")
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, 0, domain.Refuse("leastsquares", "matrix", math.NaN(), "eigenvalues that converge")
	}
	repaired = mat.NewSymDense(d, nil)
	repaired.CopySym(a)
	var q mat.Dense
	eigen.VectorsTo(&q)
	for k, v := range eigen.Values(nil) {
		if v < floor { // add what is missing along the eigenvector: untouched directions keep their digits
			repaired.SymRankOne(repaired, floor-v, q.ColView(k))
			raised++
		}
	}
	return repaired, raised, nil
}
