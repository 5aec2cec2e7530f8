package quantiles

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Intervals are those of quantiles by noisy counts (Woodruff 1952): from the first to the last point v of the lattice
// with C(<v) − p·n ≤ q and C(≤v) − p·n ≥ −q, C the consistent counts of records and q the quantile of the noise of C
// and of the sampling of the rows. The noise of several counts is taken as Laplace, or normal, of their variance. The
// ends are moved out by half a step, by which values were rounded. Source: theory/intervals.md §4.
func (d *countSampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) (
	list []mechanism.Interval, how string, ok bool) {
	if d.fits(drawn) != nil {
		return nil, "", false
	}
	const words = "the quantiles whose ranks the noisy counts do not reject"
	leaves := d.consistent(drawn.Raw, float64(d.n), d.known)
	upTo, n := make([]float64, len(leaves)+1), 0.0
	for i, c := range leaves {
		n += c
		upTo[i+1] = n
	}
	if n = math.Max(n, 0); d.known {
		n = float64(d.n)
	}
	variances := d.upwards()
	for _, a := range d.a {
		p := float64(a) / float64(d.b)
		tails := make([]score.Noise, len(leaves)+1) // of the noise of upTo − p·n
		for i := range tails {
			v := d.law.Variance() * d.varianceUpTo(i, p, variances)
			tails[i] = score.Noise{SD: math.Sqrt(v), Normal: noise.FormOf(d.law).Sigma2 > 0}
		}
		if ctx.Err() != nil {
			return nil, "", false
		}
		of := func(spread, room float64) *mechanism.Range {
			first, last := -1, -1
			for i := range leaves {
				above := tails[i].Tail(upTo[i]-p*n-room, spread)
				below := tails[i+1].Tail(p*n-upTo[i+1]-room, spread)
				if math.Min(above, below) >= (1-level)/2 {
					if last = i; first < 0 {
						first = i
					}
				}
			}
			if first < 0 {
				first, last = 0, len(leaves)-1 // nothing is known
			}
			return readAs(d.shape, int64(first)*d.Width, min(int64(last+1)*d.Width, d.Points)-1)
		}
		list = append(list, mechanism.Interval{Population: of(math.Sqrt(n*float64(d.rows)*p*(1-p)), 0), Rows: of(0, .5)})
	}
	return list, words, true
}

// readAs are the values that are rounded to the points from one to another.
func readAs(sh *model.Shape, first, last int64) *mechanism.Range {
	l, half := sh.Lattice(), .5 // of a step
	if sh.Columns()[0].Kind == frame.KindInteger && l.Step(0) == 1 {
		half = 0
	}
	return &mechanism.Range{Lower: math.Max(l.Value(0, float64(first)-half), l.Low[0]),
		Upper: math.Min(l.Value(0, float64(last)+half), l.High[0])}
}

// upwards are the variances of the nodes' counts given their own subtrees, of noise of variance 1.
func (t tree) upwards() [][]float64 {
	sizes := t.sizes()
	v := make([][]float64, len(sizes))
	for l, size := range sizes {
		v[l] = make([]float64, size)
		for i := range v[l] {
			w := math.Inf(1)
			if l > 0 {
				first, end := t.children(i, sizes[l-1])
				w, _ = total2(v[l-1][first:end], v[l-1][first:end])
			}
			v[l][i] = 1 / (1 + 1/w)
		}
	}
	return v
}

// varianceUpTo is the variance of the consistent counts of the first leaves, less p of all where the total is not
// known, of noise of variance 1. A sum Σ a_i x_i over the children of a node is Σ (a_i − A)z_i + A·x, A = Σ a_i v_i/Σ
// v_i, x the node's count and z_i its children's given their own subtrees: of these two parts the first is independent
// of x.
func (d *countSampler) varianceUpTo(leaves int, p float64, v [][]float64) (sum float64) {
	part, at := 0.0, leaves // the sum is of the nodes before one, and of a part of its count
	for l := range v {
		first, end := 0, len(v[l])
		top := l == len(v)-1
		if !top {
			node := min(at, len(v[l])-1) / int(d.Branching)
			first, end = d.children(node, len(v[l]))
		}
		weighed, all := 0.0, 0.0
		for i := first; i < end; i++ {
			a := 0.0
			switch {
			case i < at:
				a = 1
			case i == at:
				a = part
			}
			if top && !d.known {
				a -= p
			}
			sum += a * a * v[l][i]
			weighed, all = weighed+a*v[l][i], all+v[l][i]
		}
		if top && !d.known {
			return sum
		}
		sum -= weighed * weighed / all
		part, at = weighed/all, first/int(d.Branching)
	}
	return sum
}

// Predicted is of the widest of the quantiles, in ranks: how far the noise and the sampling of the rows move the count
// of records below a quantile, and half a leaf, at whose ends intervals end, of values that are spread evenly.
func (d *countSampler) Predicted(ctx context.Context, rows int, level float64, _ *mechanism.Guess) (
	p mechanism.Predicted, ok bool) {
	n, variances := float64(rows), d.upwards()
	leaf := .5 / float64(d.leaves())
	for _, a := range d.a {
		share := float64(a) / float64(d.b)
		at := int(math.Round(share * float64(d.leaves())))
		v := d.law.Variance() * d.varianceUpTo(at, share, variances)
		z := score.Noise{SD: math.Sqrt(v), Normal: noise.FormOf(d.law).Sigma2 > 0}
		reach := func(spread, room float64) *mechanism.Range {
			far, _, err := num.RootBracket(func(t float64) float64 { return z.Tail(t, spread) - (1-level)/2 }, 0,
				60*(z.SD+spread), 1e-9*(z.SD+spread))
			if err != nil || ctx.Err() != nil {
				return nil
			}
			away := math.Min((far+room)/n+leaf, 1)
			return &mechanism.Range{Lower: -away, Upper: away}
		}
		i := mechanism.Interval{Rows: reach(0, .5), Population: reach(math.Sqrt(n*float64(d.rows)*share*(1-share)), 0)}
		p = p.Or(i.Away(0, mechanism.InRanks, "values spread evenly over the range").Sampled(level, share*(1-share), n,
			float64(d.rows)))
	}
	return p, !math.IsNaN(p.Rows)
}

// Predicted is what the ranks of the ends say.
func (d *sampler) Predicted(_ context.Context, _ int, level float64, _ *mechanism.Guess) (p mechanism.Predicted,
	ok bool) {
	if !d.m.intervals || level > intervalLevel+1e-12 {
		return p, false
	}
	for i, own := range d.places {
		share := float64(d.a[own[1]]) / float64(d.b)
		low, high := d.endsOf(i)
		ends := mechanism.Range{Lower: low, Upper: high}
		p = p.Or(mechanism.Interval{Rows: &ends, Population: &ends}.Away(share, mechanism.InRanks, "no guess"))
	}
	return p, true
}
