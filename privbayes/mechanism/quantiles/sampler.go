package quantiles

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler releases the lattice points of the quantiles.
type sampler struct {
	*problem
	params
}

// Draw draws every quantile, or all at once.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	counts, adj := data.Whole(), d.target.Adjacency
	if d.m.joint {
		places, err := d.drawJoint(ctx, counts, d.Cells, d.Rate, d.jointSensitivity(adj), src)
		return mechanism.Output{Raw: [][]int64{places}}, err
	}
	places := make([]int64, len(d.a))
	for i := range places {
		if ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		var err error
		if places[i], err = d.drawOne(i, counts, d.Rate, d.sensitivity(i, adj), src); err != nil {
			return mechanism.Output{}, err
		}
	}
	return mechanism.Output{Raw: [][]int64{places}}, nil
}

// fits refuses points that are not those of the ranks: *dp.ParameterError.
func (d *sampler) fits(drawn mechanism.Output) error {
	raw := drawn.Raw
	if len(raw) != 1 || len(raw[0]) != len(d.a) {
		return domain.Refuse("quantiles", "raw", fmt.Sprintf("%d lists", len(raw)),
			fmt.Sprintf("one list of %d points", len(d.a)))
	}
	for _, v := range raw[0] {
		if v < 0 || v >= d.points {
			return domain.Refuse("quantiles", "raw", v, fmt.Sprintf("points 0 to %d", d.points-1))
		}
	}
	return nil
}

// Estimate is the values of the points, in increasing order: those of quantiles drawn on their own may cross, and
// sorting them costs nothing. With intervals a quantile is the middle one of its own draw and its ends.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	if err := d.fits(drawn); err != nil {
		return model.Estimate{}, err
	}
	points := drawn.Raw[0]
	if d.m.intervals {
		points = nil
		for _, own := range d.threes(drawn.Raw[0]) {
			points = append(points, own[1])
		}
	}
	return d.shape.Ranks().At(points), nil
}

// countSampler releases the noisy counts of a tree, the leaves first.
type countSampler struct {
	*counted
	tree
	law noise.Distribution
}

// Draw adds noise to every count.
func (d *countSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	out := d.sums(data.Whole())
	for _, level := range out {
		if ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		for i := range level {
			level[i] += d.law.Draw(src)
		}
	}
	return mechanism.Output{Raw: out}, nil
}

// fits refuses counts that are not those of the tree: *dp.ParameterError.
func (d *countSampler) fits(drawn mechanism.Output) error {
	sizes := d.sizes()
	if len(drawn.Raw) != len(sizes) {
		return domain.Refuse("quantiles", "raw", fmt.Sprintf("%d levels", len(drawn.Raw)),
			fmt.Sprint(len(sizes)))
	}
	for l, size := range sizes {
		if len(drawn.Raw[l]) != size {
			return domain.Refuse("quantiles", "raw", fmt.Sprintf("%d counts", len(drawn.Raw[l])), fmt.Sprint(size))
		}
	}
	return nil
}

// Estimate makes the counts consistent and reads the quantiles off.
func (d *countSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	if err := d.fits(drawn); err != nil {
		return model.Estimate{}, err
	}
	total := float64(d.n)
	leaves := d.consistent(drawn.Raw, total, d.known)
	return d.shape.Ranks().At(d.quantiles(leaves, d.ranks, total, d.known)), nil
}

// consistent are the leaves' counts by least squares: of all counts for which every node is the sum of its children,
// and the whole tree sums up to total where that is known, those nearest to the noisy ones. One pass up weighs a node's
// count with the sum of its children's, one pass down shares out what is left over (Hay, Rastogi, Miklau, Suciu 2010,
// here for trees whose last nodes have fewer children).
func (t tree) consistent(noisy [][]int64, total float64, known bool) []float64 {
	levels := len(noisy)
	z, v := make([][]float64, levels), make([][]float64, levels)
	for l, counts := range noisy {
		z[l], v[l] = make([]float64, len(counts)), make([]float64, len(counts))
		for i, y := range counts {
			z[l][i], v[l][i] = float64(y), 1
			if l > 0 {
				first, end := t.children(i, len(noisy[l-1]))
				sum, w := total2(z[l-1][first:end], v[l-1][first:end])
				z[l][i], v[l][i] = (float64(y)*w+sum)/(w+1), w/(w+1)
			}
		}
	}
	if known {
		shareOut(z[levels-1], v[levels-1], total)
	}
	for l := levels - 1; l > 0; l-- {
		for i, h := range z[l] {
			first, end := t.children(i, len(z[l-1]))
			shareOut(z[l-1][first:end], v[l-1][first:end], h)
		}
	}
	return z[0]
}

func total2(z, v []float64) (sum, variance float64) {
	for i := range z {
		sum, variance = sum+z[i], variance+v[i]
	}
	return sum, variance
}

// shareOut adds to numbers, in proportion to their variances, what they lack to a total.
func shareOut(z, v []float64, total float64) {
	sum, w := total2(z, v)
	for i := range z {
		z[i] += v[i] / w * (total - sum)
	}
}

// monotone makes the increasing numbers nearest to x, by pooling neighbours that decrease, within [0, top].
func monotone(x []float64, top float64) {
	type block struct {
		sum, n float64
	}
	var blocks []block
	for _, v := range x {
		b := block{v, 1}
		for k := len(blocks); k > 0 && blocks[k-1].sum*b.n >= b.sum*blocks[k-1].n; k-- {
			b.sum, b.n = b.sum+blocks[k-1].sum, b.n+blocks[k-1].n
			blocks = blocks[:k-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range int(b.n) {
			x[i] = math.Min(math.Max(b.sum/b.n, 0), top)
			i++
		}
	}
}

// quantiles are the points at which the counts of records reach a·total/b: the counts up to every leaf are made to
// increase, and within a leaf of several points records are taken to be spread evenly.
func (t tree) quantiles(leaves []float64, r ranks, total float64, known bool) []int64 {
	upTo, sum := make([]float64, len(leaves)), 0.0
	for i, c := range leaves {
		sum += c
		upTo[i] = sum
	}
	if !known {
		monotone(upTo, math.Inf(1))
		total = upTo[len(upTo)-1]
	} else {
		monotone(upTo[:len(upTo)-1], total)
		upTo[len(upTo)-1] = total
	}
	out := make([]int64, len(r.a))
	if !(total > 0) { // no records: as if they were spread evenly
		for i, a := range r.a {
			out[i] = a * (t.Points - 1) / r.b
		}
		return out
	}
	leaf := 0
	for i, a := range r.a {
		want := float64(a) / float64(r.b) * total
		for leaf < len(upTo)-1 && upTo[leaf] < want {
			leaf++
		}
		below := 0.0
		if leaf > 0 {
			below = upTo[leaf-1]
		}
		first := int64(leaf) * t.Width
		points := min(t.Width, t.Points-first)
		share := 1.0
		if upTo[leaf] > below {
			share = (want - below) / (upTo[leaf] - below)
		}
		out[i] = first + min(max(int64(math.Ceil(share*float64(points)))-1, 0), points-1)
	}
	return out
}

// aroundDenominator makes ranks multiples of 1/1000.
const aroundDenominator = 1000

// Around are two ranks low < p < high, multiples of 1/1000, whose quantiles are an interval: drawn by [EM] as
// Quantiles(column, low, high) at ε-DP in all, the p-quantile of the n rows, rounded to the lattice, lies from the one
// to the other with probability at least 1 − missed, whatever the data.
//
// Each draw has ε/2. With L points its rank is off by t = 4·ln(2L/missed)/ε records or more with probability at most
// missed/2 (theory/numbers.md §4), and low ≤ p − (t + 1)/n, high ≥ p + (t + 1)/n. It is about
// the rows that are there; that they are a sample of others is not in it.
//
// Errors: *dp.ParameterError for p or missed outside (0, 1), for an ε that is not positive and finite, for a private n,
// and where n·ε is so small that the ranks would leave (0, 1).
func Around(sh *model.Shape, p, epsilon, missed float64) (low, high float64, err error) {
	n, public := sh.N()
	switch {
	case sh.Ranks() == nil:
		return 0, 0, domain.Refuse("quantiles", "model", sh.Model().String(), "Quantiles(column, p)")
	case !public || sh.Lattice().Omits:
		return 0, 0, domain.Refuse("quantiles", "n", "private", "a public number of rows with a value")
	case !(p > 0 && p < 1):
		return 0, 0, domain.Refuse("quantiles", "p", p, "0 < p < 1")
	case !(missed > 0 && missed < 1):
		return 0, 0, domain.Refuse("quantiles", "missed", missed, "a probability in (0, 1)")
	case !(epsilon > 0) || math.IsInf(epsilon, 1):
		return 0, 0, domain.Refuse("quantiles", "ε", epsilon, "a finite number > 0")
	}
	_, rows := sh.Unit()
	points := float64(sh.Lattice().Steps + 1)
	t := 4*math.Log(2*points/missed)/epsilon*float64(rows) + 1
	low = math.Floor((p-t/float64(n))*aroundDenominator) / aroundDenominator
	high = math.Ceil((p+t/float64(n))*aroundDenominator) / aroundDenominator
	if !(low > 0 && high < 1) {
		return 0, 0, domain.Refuse("quantiles", "n·ε", fmt.Sprintf("%.3g", float64(n)*epsilon),
			fmt.Sprintf("more than %.3g for p = %v", t*epsilon/math.Min(p, 1-p), p))
	}
	return low, high, nil
}

// far is how many nats below the best point every point is taken to lie at most: min(D(v), least + far/x) changes by no
// more than D does, and keeps the rounding of exponents small.
const far = 700

// weights is the law of one quantile: e^{−min(x·(D(v) − least), far)}, x = rate/s.
func (r ranks) weights(i int, counts []int64, rate float64, s int64) (*sample.Weights, error) {
	costs := make([]int64, len(counts))
	least := r.costs(i, counts, costs)
	exponents := make([]float64, len(costs))
	x := rate / float64(s)
	for v, d := range costs {
		exponents[v] = math.Min(far, x*float64(d-least))
	}
	return sample.NewWeights(exponents)
}

// rounding bounds what floating point adds to a log-ratio of two laws of one quantile: an exponent has three roundings
// of at most far·2^−53 each, a weight [sample.RelativeError]; a log-probability has one of each in the weight and one
// in the normaliser, and a ratio has two.
func rounding() float64 { return 4 * (3*far*0x1p-53 + sample.RelativeError(far)) }

// joint is the law of all quantiles given the places of the records.
func (r ranks) joint(below []int64, n int64, rate float64, s int64) (*jointDistribution, error) {
	gaps := r.gaps()
	for i := range gaps {
		gaps[i] *= n
	}
	return newJointDistribution(exponent(rate, s), r.b, below, n, gaps)
}

// drawOne draws one quantile's point.
func (r ranks) drawOne(i int, counts []int64, rate float64, s int64, src rand.Source) (int64, error) {
	w, err := r.weights(i, counts, rate, s)
	if err != nil {
		return 0, err
	}
	return int64(w.Draw(src)), nil
}

// drawJoint places the records and draws all quantiles' points.
func (r ranks) drawJoint(ctx context.Context, counts []int64, cells int, rate float64, s int64,
	src rand.Source) ([]int64, error) {
	below, n := placed(ctx, counts, cells, func(k uint64) uint64 { return sample.Uniform(src, k) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	law, err := r.joint(below, n, rate, s)
	if err != nil {
		return nil, err
	}
	out := make([]int64, 0, len(r.a))
	for _, e := range law.draw(src) {
		out = append(out, int64(e/(cells+1)))
	}
	return out, nil
}
