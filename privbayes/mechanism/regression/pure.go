package regression

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
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

// lawWords say how records are measured, and why the loss is rate times reach.
var lawWords = map[string]struct{ title, change, source string }{
	cubeLaw: {"Cube noise on second moments", "max over k of w_k·|Δ_k|, w_k = C/c_k",
		"the K-norm mechanism of a cube; Hardt, Talwar 2010"},
	geometricLaw: {"Geometric noise on second moments",
		"Σ w_k·|Δ_k| ≤ 2s(c−s) + ac + a(a−1)/2 + bc + b(b−1)/2 + 2·max(s, c−s) + a + b + p/2",
		"two-sided geometric noise; Ghosh, Roughgarden, Sundararajan 2012"},
}

// tinyParams are the public inputs of the enumeration of whole releases of a number and a class.
type tinyParams struct {
	Law      string `json:"law"`
	Replaced bool   `json:"replaced"`
	Records  int    `json:"records"`
	Box      int64  `json:"box"` // released numbers are enumerated in {−Box, …, Box}
}

var tinyChecker = cert.Define("linear-statistics/releases", func(ctx context.Context, q tinyParams) (cert.Outcome,
	error) {
	if q.Law != cubeLaw && q.Law != geometricLaw {
		return cert.Outcome{}, domain.Refuse("linear", "law", q.Law, "a noise distribution for classes")
	}
	if q.Records < 1 || q.Records > 2 || q.Box < 1 || q.Box > 4 {
		return cert.Outcome{}, domain.Refuse("linear", "records, box", fmt.Sprint(q.Records, q.Box),
			"1 or 2 records, a box of 1 to 4")
	}
	of := proposition{Numbers: 1, Intercept: true, Classes: true, Replaced: q.Replaced}
	d, err := of.design()
	if err != nil {
		return cert.Outcome{}, err
	}
	list := of.moments(d)
	return q.largestLoss(ctx, list, of.weighed(list, d, q.Law))
})

func (p *perturbing) releasesCheck(ctx context.Context, law string) (cert.Check, error) {
	q := tinyParams{Law: law, Replaced: p.replaced, Records: 2, Box: 4}
	if !p.replaced {
		q.Box = 2 // one more moment
	}
	of := proposition{Numbers: 1, Intercept: true, Classes: true, Replaced: p.replaced}
	return tinyChecker.Check(ctx, cert.Check{
		Statement: "log-ratio of the probabilities of a release, over the rate, by enumeration",
		Formula:   "max over neighbours D, D′ and releases o of ‖o − WM(D′)‖ − ‖o − WM(D)‖", Source: lawWords[law].source,
		Bound: number(of.reach(law, 1)),
		Scope: fmt.Sprintf("%d records of one number in {−1, 0, 1} and a class; releases within ±%d", q.Records, q.Box),
	}, q)
}

// largestLoss enumerates all neighbouring data sets of records (u, y), u in {−1, 0, 1}, y = ±1, and all releases in a
// box. Neighbours share all records but one, and a shift of both by these is one of the release: those of up to the
// given number of records are listed all the same, for the law is enumerated and not argued about.
func (q tinyParams) largestLoss(ctx context.Context, list []moment, weights []int64) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	var records [][]float64 // weighted moments, in lattice steps
	for _, u := range []float64{-1, 0, 1} {
		for _, y := range []float64{-1, 1} {
			row, v := []float64{1, u, y}, make([]float64, len(list))
			for k, m := range list {
				v[k] = row[m.i] * row[m.j] * float64(weights[k])
			}
			records = append(records, v)
		}
	}
	rest := [][]float64{make([]float64, len(list))}
	if q.Records == 2 {
		rest = append(rest, records...)
	}
	gauge := func(o []int64, at []float64) float64 { // in products: half a doubled weight
		sum, top := 0.0, 0.0
		for k, v := range o {
			z := math.Abs(float64(v)-at[k]) / 2
			sum, top = sum+z, math.Max(top, z)
		}
		if q.Law == cubeLaw {
			return top
		}
		return sum
	}
	neighbours := func(visit func(a, b []float64)) {
		for _, r := range rest {
			for i, x := range records {
				a := floats.AddTo(make([]float64, len(x)), r, x)
				if !q.Replaced {
					visit(a, r)
					visit(r, a)
					continue
				}
				for _, z := range records[:i] {
					b := floats.AddTo(make([]float64, len(z)), r, z)
					visit(a, b)
					visit(b, a)
				}
			}
		}
	}
	o := make([]int64, len(list))
	for k := range o {
		o[k] = -q.Box
	}
	for {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		neighbours(func(a, b []float64) {
			out.Value = math.Max(out.Value, gauge(o, b)-gauge(o, a))
			out.Work++
		})
		k := 0
		for ; k < len(o) && o[k] == q.Box; k++ {
			o[k] = -q.Box
		}
		if k == len(o) {
			return out, nil
		}
		o[k]++
	}
}
