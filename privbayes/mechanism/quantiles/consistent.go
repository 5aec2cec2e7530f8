package quantiles

import "math"

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
