package leastsquares

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Worst is a pair of records and a pair of weights, with the value reached there:
//
//	½[(y′−w·x′)² − (y−w·x)²] − ½[(y′−w*·x′)² − (y−w*·x)²].
//
// Divided by σ² it is a lower bound of the record-level ε of one draw, reached in the limit by data that pile up at w
// and w*.
type Worst struct {
	Value    float64
	X, X2    []float64 // x and x′, ‖·‖ ≤ 1
	Y, Y2    float64   // y and y′, in [−1, 1]
	W, WStar []float64 // ‖·‖ ≤ B
	Tried    int       // points evaluated
}

// Search maximises that value over all records and weights by projected gradient ascent from random starts: it tries to
// exceed Osc and reports how near it came. It is evidence, not a bound. It works until done or until ctx is cancelled,
// when it returns the best point so far and ctx's error. Errors also: *domain.Error.
func Search(ctx context.Context, radius float64, d, starts int, seed uint64) (Worst, error) {
	if err := checkPositive("radius", radius); err != nil {
		return Worst{}, err
	}
	if err := checkDim(d); err != nil {
		return Worst{}, err
	}
	if starts < 1 {
		return Worst{}, domain.Refuse("leastsquares", "starts", float64(starts), "at least 1")
	}
	best := Worst{Value: math.Inf(-1)}
	rng := rand.New(rand.NewPCG(seed, 0x5ea4c4))
	now, next, grad := newPoint(d), newPoint(d), newPoint(d)
	for range starts {
		for i := range now.all {
			now.all[i] = rng.NormFloat64()
		}
		now.project()
		value := now.value(radius)
		step := 1.0
		for range 40000 {
			if err := ctx.Err(); err != nil {
				return best, err
			}
			now.gradient(radius, grad)
			copy(next.all, now.all)
			for i, g := range grad.all {
				next.all[i] += step * g
			}
			next.project()
			best.Tried++
			if v := next.value(radius); v > value {
				gain := v - value
				now, next, value = next, now, v
				if step *= 1.2; gain < 1e-15*v && step > 1e-6 {
					break
				}
			} else if step /= 2; step < 1e-12 {
				break
			}
		}
		if value > best.Value {
			best.Value = value
			best.X, best.X2, best.Y, best.Y2 = scaled(now.x, 1), scaled(now.x2, 1), now.y[0], now.y2[0]
			best.W, best.WStar = scaled(now.w, radius), scaled(now.wStar, radius)
		}
	}
	return best, nil
}

// point is one candidate; all blocks are views of one vector, weights in units of the radius, so that every block's
// ball is the unit ball.
type point struct {
	all                    []float64
	x, x2, w, wStar, y, y2 []float64
}

func newPoint(d int) *point {
	v := make([]float64, 4*d+2)
	return &point{v, v[:d], v[d : 2*d], v[2*d : 3*d], v[3*d : 4*d], v[4*d : 4*d+1], v[4*d+1:]}
}

func (p *point) project() {
	for _, b := range [][]float64{p.x, p.x2, p.w, p.wStar, p.y, p.y2} {
		if norm := math.Sqrt(dot(b, b)); norm > 1 {
			for i := range b {
				b[i] /= norm
			}
		}
	}
}

// residuals are y′−w·x′, y−w·x, y′−w*·x′, y−w*·x.
func (p *point) residuals(radius float64) (r1, r2, r3, r4 float64) {
	return p.y2[0] - radius*dot(p.w, p.x2), p.y[0] - radius*dot(p.w, p.x), p.y2[0] - radius*dot(p.wStar, p.x2),
		p.y[0] - radius*dot(p.wStar, p.x)
}

func (p *point) value(radius float64) float64 {
	r1, r2, r3, r4 := p.residuals(radius)
	return (r1*r1 - r2*r2 - r3*r3 + r4*r4) / 2
}

func (p *point) gradient(radius float64, g *point) {
	r1, r2, r3, r4 := p.residuals(radius)
	for i := range p.x {
		g.w[i] = radius * (r2*p.x[i] - r1*p.x2[i])
		g.wStar[i] = radius * (r3*p.x2[i] - r4*p.x[i])
		g.x[i] = radius * (r2*p.w[i] - r4*p.wStar[i])
		g.x2[i] = radius * (r3*p.wStar[i] - r1*p.w[i])
	}
	g.y[0], g.y2[0] = r4-r2, r1-r3
}

func scaled(v []float64, s float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = s * x
	}
	return out
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// Osc is osc(B): σ² times the record-level ε (one record replaced) of one draw from the posterior on ‖w‖ ≤ B, the
// supremum over all data sets, sizes and priors,
//
//	osc(B) = 4B        B ≤ 1,
//	         (1+B)²    B ≥ 1, d ≥ 2,
//	         max{4B, ½[(1+B)² − (1−c)² + (B+c)/(B−c)]}   B ≥ 1, d = 1, c the smaller root of (c−1)(B−c)² = B in [1, B−1],
//
// the second term only if that root exists (for B > 1e6 the line above it is used). d counts the coordinates of x, an
// intercept included; a design with an intercept fixed at a constant has less room, and osc is an upper bound for it.
// The answer is rounded up. Errors: *ParameterError.
//
// Proof. The log-ratio of two posteriors whose data differ in z, z′ is g(w) − ln E[e^g], g the difference of the two
// losses; it lies in the oscillation of g, and a prior and data that pile up at the worst points attain that. With p =
// w·x, q = w*·x,
//
//	2·osc = max_{w,w*} A(w, w*) + A(w*, w),   A(w, w*) = max_{x,y} (y−p)² − (y−q)² = max_x 2|p−q| + p² − q².
//
// d ≥ 2: p and q range over [−B, B] and the two maxima attain max 2|p−q| + p² − q² together (x along w, then along w*,
// with w, w* at the angle that makes q = −min(B, 1) there): (1+B)² − (1−min(B, 1))² each. d = 1: x ∈ [0, 1] and, the
// squares being even, w = a and w* = −c, a ≥ c ≥ 0. A(a, −c) = 2(a+c) + a² − c²; A(−c, a) = 2(a+c)x − (a²−c²)x² at x =
// min(1, 1/(a−c)). The sum rises in a, so that a = B; for B−c ≤ 1 it is 4B + 4c ≤ 8B, for B−c ≥ 1 it is (1+B)² − (1−c)²
// + (B+c)/(B−c), with slope 2(1−c) + 2B/(B−c)² in c: a maximum at the first root or at the end c = B−1. Source:
// theory/networks.md §5.2; the case d = 1 here.
func Osc(radius float64, d int) (float64, error) {
	if err := checkPositive("radius", radius); err != nil {
		return 0, err
	}
	if err := checkDim(d); err != nil {
		return 0, err
	}
	b := radius
	switch {
	case b <= 1:
		return 4 * b, nil // exact in binary
	case d >= 2:
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	case b > 1e6: // the interior maximum approaches (1+B)²/2 + O(B); the bound of d ≥ 2 is valid here too
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	}
	slope := func(c float64) float64 { return (1-c)*(b-c)*(b-c) + b } // times 2/(B−c)²
	top := (b + 2) / 3                                                // where (c−1)(B−c)² is largest
	if top <= 1 || top >= b-1 || slope(top) > 0 {
		return 4 * b, nil
	}
	lo, hi, err := num.RootBracket(slope, 1, top, 0)
	if err != nil { // the signs were checked; never reached
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	}
	c := (lo + hi) / 2
	inner := ((1+b)*(1+b) - (1-c)*(1-c) + (b+c)/(b-c)) / 2 * (1 + 1e-14) // flat at c: its rounding does not matter
	return math.Max(4*b, inner), nil
}
