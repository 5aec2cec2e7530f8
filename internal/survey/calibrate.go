package survey

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/score"
)

// ShareCell is a cell of the population of public size with the boxes of a category in it and those of the others. A
// cell that was merged from several of the table is their sums, and Parts how many they were; 0 is one.
type ShareCell struct {
	Size        float64
	Own, Others Boxes
	Parts       int
}

// MeanCell is a cell of the population of public size with the boxes of a mean in it; Parts as of [ShareCell].
type MeanCell struct {
	Size  float64
	Boxes Six
	Parts int
}

// Calibrated is an interval for the whole population from cells of known size. Thin are the cells whose noisy weight is
// at most four standard deviations of a box's noise: unless there are none, the interval is not one to print, and no
// estimate is shown. Merging them with others and asking again costs no privacy.
type Calibrated struct {
	Interval
	Thin []int
}

// cell is what calibration makes of one: T = Σ factor·((1 − m)·ones − m·zeros), m = p + offset.
type cell struct {
	share, ones, zeros, sd float64
	factor, offset, weight float64 // weight is the one that the variance is of
}

type cells struct {
	list        []cell
	weight, sd  float64 // Σt, and the noise of a box of all cells together
	ones, zeros float64 // T(0) and −T(1), at least 0
	thin        []int
}

// newCells weighs cells to their public sizes. Where no cell is thin T is Σt·(Σ share·ones/(ones + zeros) − p),
// whatever the offsets are; these are the cells' own values, moved to that of all, and shape the variance. boxes is how
// many boxes make the weight of a cell.
func newCells(list []cell, sizes []float64, parts []int, sd, boxes float64) (c cells) {
	const least = 4
	c.list = list
	all, sum, ones, k := total(sizes), 0.0, 0.0, 0.0
	for g := range list {
		z := &list[g]
		one := math.Max(float64(parts[g]), 1)
		z.share, z.sd = sizes[g]/all, sd*math.Sqrt(one)
		sum, ones, k = sum+z.ones+z.zeros, ones+z.ones, k+one
	}
	c.sd = sd * math.Sqrt(k)
	c.weight = math.Max(sum, c.sd*math.Sqrt(boxes))
	mean, shift := clip(ones/c.weight, 0, 1), 0.0
	for g := range list {
		z := &list[g]
		if z.ones+z.zeros <= least*z.sd {
			c.thin = append(c.thin, g)
		}
		den := math.Max(z.ones+z.zeros, least*z.sd)
		z.factor = z.share * c.weight / den
		z.offset = clip((z.ones+least*z.sd*mean)/(den+least*z.sd), 0, 1)
		z.weight = math.Min(den, 3*z.share*c.weight)
		shift += z.share * z.offset
	}
	at := func(p float64) (t float64) {
		for _, z := range list {
			m := p + z.offset
			t += z.factor * ((1-m)*z.ones - m*z.zeros)
		}
		return t
	}
	for g := range list {
		list[g].offset -= shift
	}
	c.ones, c.zeros = math.Max(at(0), 0), math.Max(-at(1), 0)
	return c
}

// each gives every cell with its value m and q, which is m inside (0, 1) and so that Σ share·q is at most p.
func (c cells) each(p float64, f func(z cell, m, q float64)) {
	inside := func(m float64) float64 { return clip(m, 1e-4, 1-1e-4) }
	sum := 0.0
	for _, z := range c.list {
		sum += z.share * inside(p+z.offset)
	}
	for _, z := range c.list {
		f(z, p+z.offset, inside(p+z.offset)*math.Min(1, p/math.Max(sum, 1e-12)))
	}
}

// calibrated finishes an interval.
func (c cells) calibrated(i Interval, sd float64) Calibrated {
	i = i.estimated(c.ones, c.zeros, c.weight, sd)
	if len(c.thin) > 0 {
		i.Estimate, i.Shown = math.NaN(), false
	}
	return Calibrated{i, c.thin}
}

// CalibratedShare is the interval of a category's share in a population of cells of public sizes, at a level in (0, 1),
// from noisy tables with design weights; no weight is below alpha times the largest. Response may differ between cells.
func CalibratedShare(list []ShareCell, n Noise, alpha, level float64) Calibrated {
	each, sizes, parts := make([]cell, len(list)), make([]float64, len(list)), make([]int, len(list))
	var own, others Boxes
	for g, z := range list {
		v := limit(z.Own.Weight, z.Own.Rest, z.Others.Weight, z.Others.Rest)
		own, others = Boxes{own.Weight + v[0], own.Rest + v[1]}, Boxes{others.Weight + v[2], others.Rest + v[3]}
		each[g].ones, each[g].zeros = v[0], v[2]
		sizes[g], parts[g] = z.Size, z.Parts
	}
	if !(total(sizes) > 0) {
		return Calibrated{Interval: whole()}
	}
	c := newCells(each, sizes, parts, n.box(), 1)
	a := alikeOf(own, others, 2, c.sd, floor(alpha))
	i := n.interval(level, func(p float64) test {
		out, noise := test{t: (1-p)*c.ones - p*c.zeros, skew: clip(skewOfShare(p, a.size()), -mostSkew, mostSkew)}, 0.0
		c.each(p, func(z cell, m, q float64) {
			f := z.factor * z.factor
			out.v += f * a.variance(q, z.weight)
			noise += f * z.sd * z.sd * ((1-m)*(1-m) + m*m)
		})
		out.sd = math.Sqrt(noise)
		return out
	})
	return c.calibrated(i, math.Sqrt2*c.sd)
}

// CalibratedMean is the interval of the mean of a population of cells of public sizes, as [CalibratedShare].
func CalibratedMean(list []MeanCell, n Noise, alpha, level float64) Calibrated {
	each, sizes, parts := make([]cell, len(list)), make([]float64, len(list)), make([]int, len(list))
	squares, sum := make([][3]float64, len(list)), 0.0
	for g, z := range list {
		each[g].ones, each[g].zeros, squares[g] = z.Boxes.bounded().sums()
		sizes[g], parts[g] = z.Size, z.Parts
		sum += total(squares[g][:])
	}
	if !(total(sizes) > 0) {
		return Calibrated{Interval: whole()}
	}
	c := newCells(each, sizes, parts, n.box(), 3)
	weight := 0.0
	for _, z := range c.list {
		weight += z.factor * z.factor * z.weight
	}
	w := score.Weighted{Normal: n.normal, Squares: clip(sum, floor(alpha)*c.weight, c.weight) * weight / c.weight}
	w.Size = math.Max(c.weight*c.weight/w.Squares, 1)
	w.Sum = func(mu float64) (t, sd float64) {
		c.each(mu, func(z cell, m, _ float64) { sd += math.Pow(z.factor*z.sd*partition(m), 2) })
		return (1-mu)*c.ones - mu*c.zeros, math.Sqrt(sd)
	}
	w.Square = func(mu float64) (v, sd float64) {
		for g, z := range c.list {
			m, f := mu+z.offset, z.factor*z.factor
			v += f * spread(squares[g], m)
			sd += math.Pow(f*z.sd*quartic(m), 2)
		}
		return v, math.Hypot(1, n.ratio) * math.Sqrt(sd)
	}
	w.Most = func(mu float64) (most float64) {
		c.each(mu, func(z cell, _, q float64) { most += z.factor * z.factor * z.weight * q * (1 - q) })
		return most + math.Sqrt(3)*n.box()*mu*(1-mu)
	}
	var i Interval
	i.Lower, i.Upper = score.Ends((1-level)/2, w.Tail)
	return c.calibrated(i, math.Sqrt(3)*c.sd)
}
