package linear

import (
	"context"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// The laws of noise on the integer moments of classes for pure ε, with g the rate of the file, in products of [−1, 1]:
//
//	cube       P(z) ∝ e^{−g·max_k |w_k z_k|}, w_k = C/c_k, c_k how far a record moves moment k, C the farthest; g = ε/C
//	geometric  P(z) ∝ e^{−g·Σ_k w_k |z_k|},   w_k = ½ for squares of numbers, else 1; g = ε/L
//
// with L at least Σ_k w_k times the change of moment k, over all pairs of records: see proposition.absolute. Noise of
// the cube grows with the number of moments, geometric noise with what one record moves: the former is less for
// numbers, the latter for factors. A plan takes the one whose moments have the smaller mean variance.
const (
	cubeLaw      = "cube"
	geometricLaw = "geometric"
)

// weighed are the weights w_k, doubled: whole numbers.
func (q proposition) weighed(list []moment, d *leastsquares.Design, law string) []int64 {
	of, out := factorOf(d, true), make([]int64, len(list))
	for k, m := range list {
		square := m.i == m.j && m.i > 0
		switch signed := m.j == d.Dim() || of[m.j] == 0 && m.j > 0 || of[m.i] == 0 && m.i > 0; {
		case law == geometricLaw && square:
			out[k] = 1
		case law == cubeLaw && q.Replaced && (square || !signed): // a product in [0, 1] moves by 1, any other by 2
			out[k] = 4
		default:
			out[k] = 2
		}
	}
	return out
}

// cubeReach is C: two records differ by at most 2 in a product of [−1, 1], a record alone is at most 1.
func (q proposition) cubeReach() float64 {
	if q.Replaced {
		return 2
	}
	return 1
}

// absolute is L. The products of different coordinates, and those with y = ±1, are affine in every numeric coordinate,
// so that their change is largest with numbers at their bounds. Of the factors, a differ such that x has an indicator
// that z has not, b the other way round; b_s numbers differ in sign, and c coordinates are in common. Then
//
//	2·b_s(c − b_s) + a·c + a(a−1)/2 + b·c + b(b−1)/2 + 2·max(b_s, c − b_s) + a + b,
//
// and squares, each of which moves by at most 1, add half of their number. A record alone has everything at its most.
func (q proposition) absolute() float64 {
	f, p := len(q.Levels), q.Numbers
	if !q.Replaced {
		active := 1 + p + f
		return float64(active*(active-1)/2+1+active) + float64(p)/2
	}
	several := 0
	for _, levels := range q.Levels {
		if levels > 2 {
			several++
		}
	}
	value := func(a, b, c int) float64 {
		best := 0
		for signs := range p + 1 {
			best = max(best, 2*signs*(c-signs)+2*max(signs, c-signs))
		}
		return float64(best + a*c + a*(a-1)/2 + b*c + b*(b-1)/2 + a + b)
	}
	best := 0.0
	if f > manyFactors { // from above: everything differs, and everything is in common
		best = value(f, f, 1+p+f)
	} else {
		for differ := range several + 1 {
			for one := range f - differ + 1 {
				for other := range f - differ - one + 1 {
					best = math.Max(best, value(differ+one, differ+other, 1+p+f-differ-one-other))
				}
			}
		}
	}
	return best + float64(p)/2
}

// reach is what a unit of that many rows changes in the norm of a law.
func (q proposition) reach(law string, rows int) float64 {
	if law == cubeLaw {
		return float64(rows) * q.cubeReach()
	}
	return float64(rows) * q.absolute()
}

// deviations are the standard deviations of the noise on the moments, in products, at rate g, on so fine a lattice that
// it does not show.
func deviations(law string, weights []int64, g float64) []float64 {
	out, n := make([]float64, len(weights)), float64(len(weights))
	for k, w := range weights {
		if out[k] = math.Sqrt2; law == cubeLaw {
			out[k] = math.Sqrt((n + 1) * (n + 2) / 3)
		}
		out[k] /= g * float64(w) / 2
	}
	return out
}

// pureNoise draws the noise on the integers of the moments times their doubled weights.
type pureNoise struct {
	cube      *sample.WideCube
	geometric *sample.WideGeometric
}

// newPureNoise has the rate g per product, in units of 2^−44 of a product: half of that in doubled weights.
func newPureNoise(law string, dim int, g noise.Rational) (pureNoise, error) {
	num := new(big.Int).SetUint64(g.Num)
	den := new(big.Int).SetUint64(g.Den)
	den.Lsh(den, 2*leastsquares.LatticeBits+1)
	if law == cubeLaw {
		c, err := sample.NewWideCube(dim, num, den)
		return pureNoise{cube: &c}, err
	}
	l, err := sample.NewWideGeometric(num, den)
	return pureNoise{geometric: &l}, err
}

func (z pureNoise) draw(dim int, src *dp.Stream) []*big.Int {
	if z.cube != nil {
		return z.cube.Draw(src)
	}
	out := make([]*big.Int, dim)
	for k := range out {
		out[k] = z.geometric.Draw(src)
	}
	return out
}

// rateBits of a rate lose at most 1e-9 of the budget.
const rateBits = 30

// calibratePure takes the law whose moments have the smaller mean variance.
func (p *perturbing) calibratePure(ctx context.Context, within func(loss.Pair) bool) (best shipped, err error) {
	q, least := p.proposition(), math.Inf(1)
	for _, law := range []string{cubeLaw, geometricLaw} {
		g := noise.Dyadic(float64(p.target.Epsilon)/q.reach(law, p.rows), rateBits, false)
		if g.Num == 0 {
			continue
		}
		z := shipped{Cube: &g}
		if law == geometricLaw {
			z = shipped{Geometric: &g}
		}
		for tries := 0; !within(p.pair(z)) && g.Num > 1 && tries < 64; tries++ { // the reach was rounded up
			g.Num--
		}
		if !within(p.pair(z)) {
			continue
		}
		variance := 0.0
		for _, sd := range p.deviations(z) {
			variance += sd * sd
		}
		if variance < least {
			least, best = variance, z
		}
	}
	if math.IsInf(least, 1) {
		return best, p.unmet(ctx, shipped{Geometric: &noise.Rational{Num: 1, Den: 1 << rateBits}})
	}
	return best, ctx.Err()
}
