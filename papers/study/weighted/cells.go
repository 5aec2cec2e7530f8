package weighted

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/survey"
)

// cellPopulation is cells of public shares, how they respond, and the values in them: shares of ones, or the mean
// logarithm of values with a standard deviation of .7.
type cellPopulation struct {
	name             string
	share, responses []float64
	ones, logs       []float64
}

// draw makes n rows of the cells that respond, with weights of variation ½ that know nothing of it.
func (p cellPopulation) draw(r *rand.Rand, n int) []row {
	var reach []float64
	sum := 0.
	for g, s := range p.share {
		sum += s * p.responses[g]
		reach = append(reach, sum)
	}
	w := lognormal(.5, 3)
	out := make([]row, n)
	for i := range out {
		u, g := r.Float64()*sum, 0
		for u >= reach[g] {
			g++
		}
		out[i] = row{w: weightOf(w(r.NormFloat64())), cell: int64(g)}
		switch {
		case p.logs != nil:
			out[i].k = valueOf(math.Exp(p.logs[g] + .7*r.NormFloat64()))
		case r.Float64() < p.ones[g]:
			out[i].k = grid
		}
	}
	return out
}

func (p cellPopulation) truth() (mu float64) {
	if p.logs == nil {
		return dot(p.share, p.ones)
	}
	const n = 20000
	for g, c := range p.logs {
		for i := range n {
			mu += p.share[g] * float64(valueOf(math.Exp(c+.7*normalAt(i, n)))) / grid / n
		}
	}
	return mu
}

// calibrated is the interval after calibration to the cells.
func (p cellPopulation) calibrated(n, runs int, rates []float64) design {
	d := design{kind: "calibrated share", name: p.name, n: n, runs: runs, rates: rates, truth: p.truth(),
		rows: func(r *rand.Rand) []row { return p.draw(r, n) }}
	d.interval = func(d dealer, src rand.Source, rows []row) ends {
		cells := d.share(src, rows, len(p.share))
		for g, s := range p.share {
			cells[g].Size = s
		}
		return endsOf(survey.CalibratedShare(cells, d.noise, alpha, level).Interval)
	}
	if p.logs != nil {
		d.kind = "calibrated mean"
		d.interval = func(d dealer, src rand.Source, rows []row) ends {
			cells := d.six(src, rows, len(p.share))
			for g, s := range p.share {
				cells[g].Size = s
			}
			return endsOf(survey.CalibratedMean(cells, d.noise, alpha, level).Interval)
		}
	}
	return d
}

// even are n numbers from low to high.
func even(n int, low, high float64) (out []float64) {
	for i := range n {
		out = append(out, low+(high-low)*float64(i)/float64(n-1))
	}
	return out
}

// calibrated are shares and means of cells that respond alike, in the ratio of 1.6 to .6, and much less than others.
func calibrated() (out []design) {
	few, rare, ten := []float64{.1, .2, .3, .4}, []float64{.02, .08, .3, .6}, even(10, .1, .1)
	for _, p := range []cellPopulation{
		{name: "4 cells", share: few, ones: []float64{.6, .35, .2, .05}},
		{name: "4 cells, one of .02", share: rare, ones: []float64{.6, .35, .2, .05}},
		{name: "4 cells, one of .02, rare", share: rare, ones: []float64{.05, .03, .01, .005}},
		{name: "10 cells", share: ten, ones: even(10, .9, .1)},
		{name: "4 cells", share: few, logs: []float64{-1.6, -2.2, -2.8, -3.4}},
		{name: "4 cells, one of .02", share: rare, logs: []float64{-1, -2, -3, -3.2}},
		{name: "10 cells", share: ten, logs: even(10, -3.5, -.8)}} {
		runs := 1000
		if p.logs != nil {
			runs = 400
		}
		for _, n := range []int{300, 1000, 5000} {
			p.responses = even(len(p.share), 1, 1)
			out = append(out, p.calibrated(n, runs, three))
			unequal := p
			unequal.name, unequal.responses = p.name+", unequal response", even(len(p.share), 1.6, .6)
			out = append(out, unequal.calibrated(n, runs, three))
		}
	}
	six, response := []float64{.4, .25, .15, .1, .06, .04}, []float64{2, 1, .5, 1, .3, 1.5}
	share := cellPopulation{name: "6 cells, response 2 to .3", share: six, responses: response, ones: even(6, .1, .6)}
	mean := cellPopulation{name: share.name, share: six, responses: response, logs: even(6, -3.5, -1)}
	little := cellPopulation{name: "a cell of .3 answers a fifth", share: []float64{.7, .3}, responses: []float64{1, .2},
		ones: []float64{.1, .5}}
	littleMean := cellPopulation{name: "a cell of .2 answers a quarter", share: []float64{.8, .2},
		responses: []float64{1, .25}, logs: []float64{-3, -1}}
	return append(out, share.calibrated(5000, 1000, []float64{1, 3}), share.calibrated(30000, 400, []float64{1}),
		little.calibrated(20000, 400, []float64{1}), mean.calibrated(30000, 400, []float64{1}),
		littleMean.calibrated(3000, 600, []float64{1}))
}

// clustered are public clusters that hold many units, with correlation between them, and clusters that are units.
func clustered() (out []design) {
	w := lognormal(.5, 3)
	for _, icc := range []float64{0, .1} {
		for _, c := range [][2]int{{10, 100}, {30, 40}, {100, 20}, {100, 100}} {
			out = append(out, design{kind: "clusters", name: fmt.Sprintf("%d a cluster, correlation %v", c[1], icc), n: c[0],
				truth: .3, runs: 2000, rates: []float64{.5, 1, 3},
				rows: func(r *rand.Rand) (rows []row) {
					for p := range c[0] {
						common := math.Sqrt(icc) * r.NormFloat64()
						for range c[1] {
							z := row{w: weightOf(w(r.NormFloat64())), cell: int64(p)}
							if common+math.Sqrt(1-icc)*r.NormFloat64() > .5244005127 {
								z.k = grid
							}
							rows = append(rows, z)
						}
					}
					return rows
				},
				interval: func(d dealer, src rand.Source, rows []row) ends {
					return endsOf(survey.Clusters(d.pairs(src, rows, c[0]), d.noise, level))
				}})
		}
	}
	const most = 7 // the cap of a cluster's weight, in largest weights: about twice the mean
	for _, n := range []int{60, 300, 1500} {
		d := design{kind: "clusters as units", name: "5–15 a cluster, correlation .2", n: n, truth: .3, runs: 500,
			rates: []float64{.2, .5, 1, 3}}
		d.rows = func(r *rand.Rand) (rows []row) {
			for u := range n {
				common := math.Sqrt(.2) * r.NormFloat64()
				for range 5 + r.IntN(11) {
					z := row{w: weightOf(w(r.NormFloat64())), cell: int64(u)}
					if common+math.Sqrt(.8)*r.NormFloat64() > .5244005127 {
						z.k = grid
					}
					rows = append(rows, z)
				}
			}
			return rows
		}
		d.interval = func(d dealer, src rand.Source, rows []row) ends {
			return endsOf(survey.MeanFive(d.five(src, rows, n, most), d.noise, level))
		}
		out = append(out, d)
	}
	return out
}

// quantiles are of 32 bins of a normal number that may rise with the weight: an interval holds the quantile where it
// holds its bin.
func quantiles() (out []design) {
	const bins = 32
	binOf := func(v float64) int64 { return int64(min(max(math.Ceil((v+2.4)/.16), 0), bins-1)) }
	w := lognormal(1, 4)
	for _, rho := range []float64{0, .7} {
		var below [bins]float64
		all := 0.
		const grain = 2000
		for i := range grain {
			z := normalAt(i, grain)
			t := float64(weightOf(w(z)))
			for j := range grain {
				below[binOf(rho*z+math.Sqrt(1-rho*rho)*normalAt(j, grain))] += t
			}
			all += t * grain
		}
		for _, n := range []int{0, 30, 1000, 5000} {
			for _, p := range []float64{.5, .9} {
				at, sum := 0, below[0]
				for sum < p*all {
					at++
					sum += below[at]
				}
				d := design{kind: "quantile", name: fmt.Sprintf("p = %v, correlation %v", p, rho), n: n, runs: 1000, rates: three,
					truth: float64(at) + .5}
				d.rows = func(r *rand.Rand) []row {
					out := make([]row, n)
					for i := range out {
						z := r.NormFloat64()
						out[i] = row{w: weightOf(w(z)), k: grid, cell: binOf(rho*z + math.Sqrt(1-rho*rho)*r.NormFloat64())}
					}
					return out
				}
				d.interval = func(d dealer, src rand.Source, rows []row) ends {
					var boxes []survey.Boxes
					for _, c := range d.share(src, rows, bins) {
						boxes = append(boxes, c.Own)
					}
					b := survey.Quantile(boxes, p, d.noise, nil, level)
					return ends{float64(b.Lower), float64(b.Upper)}
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// normals are shares and means under zero-concentrated privacy.
func normals() (out []design) {
	for _, i := range []int{2, 3} {
		for kind, l := range []population{sharePopulations()[i], meanPopulations()[i]} {
			d := l.design([]string{"share, zCDP", "mean, zCDP"}[kind], 1000, 1000, []float64{.02, .5, 4.5})
			d.normal = true
			out = append(out, d)
		}
	}
	return out
}

// hard are those where a few rows carry weight and value: nothing that was released can know, and the interval without
// privacy does no better.
func hard() (out []design) {
	two := func(name string, part, light, high, low float64, n int, rate float64) {
		w := func(z float64) float64 { // the heavy ones are the part of the greatest z
			if math.Erfc(z/math.Sqrt2)/2 < part {
				return 1
			}
			return light
		}
		l := population{name, w, binary(func(z float64) float64 {
			if w(z) == 1 {
				return high
			}
			return low
		}), true}
		out = append(out, l.design("hard share", n, 2000, []float64{rate}))
	}
	two("4 % of rows weigh 17 times", .04, 1./17, .4, .02, 150, 3)
	two("4 % of rows weigh 17 times", .04, 1./17, .4, .02, 1000, 3)
	two("1 % of rows weigh 50 times", .01, 1./50, .95, .02, 100, 10)
	two("1 % of rows weigh 50 times", .01, 1./50, .95, .02, 1000, 10)
	p := cellPopulation{name: "a cell of .2 with 2 or 3 answers", share: []float64{.8, .2}, responses: []float64{1, .02},
		ones: []float64{.1, .5}}
	six := cellPopulation{name: "6 cells, response 2 to .3", share: []float64{.4, .25, .15, .1, .06, .04},
		responses: []float64{2, 1, .5, 1, .3, 1.5}, ones: even(6, .1, .6)}
	a, b := p.calibrated(500, 1000, []float64{3}), six.calibrated(600, 1000, []float64{1})
	a.kind, b.kind = "hard calibrated share", "hard calibrated share"
	return append(out, a, b)
}
