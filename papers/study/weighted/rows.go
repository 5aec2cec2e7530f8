package weighted

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/survey"
)

// A row has the weight ω/steps of the largest, the value k/grid, and lies in a cell, a cluster or a bin.
type row struct{ w, k, cell int64 }

const (
	steps = 100
	grid  = 256
)

// weightOf rounds a weight in units of the largest.
func weightOf(t float64) int64 { return int64(math.Min(math.Max(math.Round(t*steps), 1), steps)) }

// valueOf rounds a value.
func valueOf(x float64) int64 { return int64(math.Round(math.Min(math.Max(x, 0), 1) * grid)) }

// dealer adds integer noise to sums of tokens: at most most of them a unit.
type dealer struct {
	most  int64
	rate  float64 // ε′
	noise survey.Noise
	draw  func(src rand.Source) int64
	half  func(src rand.Source) int64 // of t(1 − t)
}

// newDealer is that of pure ε′, a multiple of a tenth: geometric noise of rate ε′/T, T a power of two.
func newDealer(rate float64) (d dealer, err error) {
	d.most = int64(min(math.Exp2(math.Floor(math.Log2(0x1p30*rate))), 0x1p28))
	geometric, err := sample.NewTwoSidedGeometric(tenths(rate), uint64(10*d.most))
	d.rate, d.noise, d.draw, d.half = rate, survey.Laplace(rate), geometric.Draw, geometric.Draw
	return d, err
}

// newNormalDealer is that of zero-concentrated ρ under add-remove: σ² = T²/(2ρ), and that over 11.
func newNormalDealer(rho float64) (d dealer, err error) {
	d.most = 1 << 16
	den := uint64(math.Round(200 * rho))
	one, err := sample.NewDiscreteGaussian(uint64(100*d.most*d.most), den)
	if err != nil {
		return d, err
	}
	other, err := sample.NewDiscreteGaussian(uint64(100*d.most*d.most), 11*den)
	d.noise, d.draw, d.half = survey.Gaussian(1/math.Sqrt(2*rho)), one.Draw, other.Draw
	return d, err
}

// tenths of a rate.
func tenths(rate float64) uint64 { return uint64(math.Round(10 * rate)) }

// scaled draws geometric noise of rate ε′ over a whole number.
func (d dealer) scaled(src rand.Source, by uint64) int64 {
	return sample.TwoSidedGeometric{Num: tenths(d.rate), Den: 10 * by}.Draw(src)
}

// noisy is a released box.
func (d dealer) noisy(src rand.Source, sum int64) float64 {
	return float64(sum+d.draw(src)) / float64(d.most)
}

// boxes releases a box of t and one of t(1 − t).
func (d dealer) boxes(src rand.Source, weight, rest int64) survey.Boxes {
	return survey.Boxes{Weight: d.noisy(src, weight), Rest: float64(rest+d.half(src)) / float64(d.most)}
}

// share releases the boxes of the records at the greatest value, and of the others, of every cell.
func (d dealer) share(src rand.Source, rows []row, cells int) (out []survey.ShareCell) {
	sums := make([][4]int64, cells)
	for _, r := range rows {
		s, at := &sums[r.cell], 2
		if r.k == grid {
			at = 0
		}
		s[at] += d.most * r.w / steps
		s[at+1] += d.most * (r.w * (steps - r.w)) / (steps * steps)
	}
	for _, s := range sums {
		out = append(out, survey.ShareCell{Size: 1, Own: d.boxes(src, s[0], s[1]), Others: d.boxes(src, s[2], s[3])})
	}
	return out
}

// six releases the boxes of the mean of every cell.
func (d dealer) six(src rand.Source, rows []row, cells int) (out []survey.MeanCell) {
	sums := make([][6]int64, cells)
	for _, r := range rows {
		s := &sums[r.cell]
		for j, b := range [3]int64{(grid - r.k) * (grid - r.k), 2 * r.k * (grid - r.k), r.k * r.k} {
			s[j] += d.most * r.w * b / (steps * grid * grid)
			s[j+3] += d.most * (r.w * (steps - r.w)) * b / (steps * steps * grid * grid)
		}
	}
	for _, s := range sums {
		c := survey.MeanCell{Size: 1}
		for j := range 3 {
			b := d.boxes(src, s[j], s[j+3])
			c.Boxes.Weight[j], c.Boxes.Rest[j] = b.Weight, b.Rest
		}
		out = append(out, c)
	}
	return out
}

// total releases the boxes of z = t·x.
func (d dealer) total(src rand.Source, rows []row) survey.Boxes {
	var z, rest int64
	for _, r := range rows {
		a := d.most * r.w * r.k / (steps * grid)
		hi, lo := bits.Mul64(uint64(a), uint64(d.most-a))
		q, _ := bits.Div64(hi, lo, uint64(d.most))
		z, rest = z+a, rest+int64(q)
	}
	return d.boxes(src, z, rest)
}

// five releases the boxes of units: the rows of a cell are one unit, whose weight is cut at most times the largest.
func (d dealer) five(src rand.Source, rows []row, units int, most int64) (out survey.Five) {
	type unit struct{ a, c int64 }
	list, full := make([]unit, units), most*steps*grid
	for _, r := range rows {
		list[r.cell].a += r.w * r.k
		list[r.cell].c += r.w * (grid - r.k)
	}
	var sums [5]int64
	for _, u := range list {
		if all := u.a + u.c; all > full {
			u.a, u.c = u.a*full/all, u.c*full/all
		}
		e := full - u.a - u.c
		for j, p := range [5]int64{u.a * u.a, u.c * u.c, 2 * u.a * u.c, 2 * u.a * e, 2 * u.c * e} {
			hi, lo := bits.Mul64(uint64(d.most), uint64(p))
			q, _ := bits.Div64(hi, lo, uint64(full*full))
			sums[j] += int64(q)
		}
	}
	for j, s := range sums {
		out[j] = d.noisy(src, s)
	}
	return out
}

// pairs releases Σtx and Σt(1 − x) of every cell.
func (d dealer) pairs(src rand.Source, rows []row, cells int) (out []survey.Cluster) {
	sums := make([][2]int64, cells)
	for _, r := range rows {
		sums[r.cell][0] += d.most * r.w * r.k / (steps * grid)
		sums[r.cell][1] += d.most * r.w * (grid - r.k) / (steps * grid)
	}
	for _, s := range sums {
		out = append(out, survey.Cluster{Ones: d.noisy(src, s[0]), Zeros: d.noisy(src, s[1])})
	}
	return out
}

// plain is the ratio Σtx/Σt with its linearised interval, as if nothing were private.
func plain(rows []row) (lower, upper float64) {
	var b, bx, b2, b2x, b2xx float64
	for _, r := range rows {
		t, x := float64(r.w)/steps, float64(r.k)/grid
		b, bx, b2, b2x, b2xx = b+t, bx+t*x, b2+t*t, b2x+t*t*x, b2xx+t*t*x*x
	}
	n, m := float64(len(rows)), bx/b
	half := 1.96 * (1 + 1.2/n) * math.Sqrt(math.Max(b2xx-2*m*b2x+m*m*b2, 0)*n/(n-1)) / b
	return m - half, m + half
}

// population is a distribution of weights and values: both are functions of two normal numbers.
type population struct {
	name   string
	weight func(z float64) float64    // in units of the largest
	value  func(z, e float64) float64 // of e a uniform number where binary
	binary bool
}

// lognormal weights of mean 1 with a coefficient of variation, cut at a multiple of the mean.
func lognormal(cv, cut float64) func(z float64) float64 {
	s := math.Sqrt(math.Log1p(cv * cv))
	return func(z float64) float64 { return math.Exp(s*z-s*s/2) / cut }
}

func binary(p func(z float64) float64) func(z, u float64) float64 {
	return func(z, u float64) float64 {
		if u < p(z) {
			return 1
		}
		return 0
	}
}

// weights are the five kinds of weights, with the correlation of the value with the logarithm of the weight.
var weights = []struct {
	name         string
	cv, cut, rho float64
}{{"equal", 0, 1, 0}, {"CV ½", .5, 3, 0}, {"CV 1", 1, 4, 0}, {"CV 1, y rises", 1, 4, .7}, {"CV 1, y falls", 1, 4, -.7}}

// sharePopulations have a rare value, and meanPopulations skewed values.
func sharePopulations() (out []population) {
	for _, w := range weights {
		p := func(z float64) float64 { return 1 / (1 + math.Exp(3.6-1.2*w.rho*z)) }
		out = append(out, population{w.name, lognormal(w.cv, w.cut), binary(p), true})
	}
	return out
}

func meanPopulations() (out []population) {
	for _, w := range weights {
		out = append(out, population{name: w.name, weight: lognormal(w.cv, w.cut), value: func(z, e float64) float64 {
			return math.Exp(w.rho*z + math.Sqrt(1-w.rho*w.rho)*e - 3)
		}})
	}
	return out
}

// of makes a row of two numbers.
func (l population) of(z, e float64) row {
	return row{w: weightOf(l.weight(z)), k: valueOf(l.value(z, e))}
}

// draw makes a row.
func (l population) draw(r *rand.Rand) row {
	if l.binary {
		return l.of(r.NormFloat64(), r.Float64())
	}
	return l.of(r.NormFloat64(), r.NormFloat64())
}

// rows draws n.
func (l population) rows(r *rand.Rand, n int) []row {
	out := make([]row, n)
	for i := range out {
		out[i] = l.draw(r)
	}
	return out
}

// normalAt is the normal quantile at (i + ½)/n.
func normalAt(i, n int) float64 { return math.Sqrt2 * math.Erfinv(2*(float64(i)+.5)/float64(n)-1) }

// mean is E[tx]/E[t], and of the total E[tx], over a grid of quantiles.
func (l population) mean() (ratio, total float64) {
	const n, m = 2000, 2000
	second := make([]float64, m)
	for j := range second {
		if second[j] = normalAt(j, m); l.binary {
			second[j] = (float64(j) + .5) / m
		}
	}
	var tx, t float64
	for i := range n {
		z := normalAt(i, n)
		for _, e := range second {
			r := l.of(z, e)
			tx, t = tx+float64(r.w*r.k)/(steps*grid), t+float64(r.w)/steps
		}
	}
	return tx / t, tx / (n * m)
}
