package weighted

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/internal/survey"
)

// level of all intervals, and alpha: the least weight over the largest.
const (
	level = .95
	alpha = 1. / steps
)

// ends are those of an interval.
type ends [2]float64

func endsOf(i survey.Interval) ends { return ends{i.Lower, i.Upper} }

// design is one way to sample: what it estimates, how often it is run at how many rates, and one run, whose rows are
// drawn once for all rates. Without privacy there is an interval, or none.
type design struct {
	kind, name string
	n          int
	truth      float64
	runs       int
	rates      []float64
	normal     bool // the rates are ρ
	rows       func(r *rand.Rand) []row
	plain      func(rows []row) (lower, upper float64)
	interval   func(d dealer, src rand.Source, rows []row) ends
}

// both are the rates of ε = .2, 1, 3 where records come or go, and where they are replaced.
var both, three = []float64{.1, .2, .5, 1, 1.5, 3}, []float64{.2, 1, 3}

// designs are all.
func designs() (out []design) {
	for _, part := range [][]design{basic(), totals(), domains(), strataShares(), strataMeans(), calibrated(),
		clustered(), quantiles(), normals(), hard()} {
		out = append(out, part...)
	}
	return out
}

func shareOf(d dealer, src rand.Source, rows []row) ends {
	z := d.share(src, rows, 1)[0]
	return endsOf(survey.Share(z.Own, z.Others, 2, d.noise, alpha, level))
}

func sixOf(d dealer, src rand.Source, rows []row) ends {
	return endsOf(survey.MeanSix(d.six(src, rows, 1)[0].Boxes, d.noise, alpha, level))
}

// design is that of a population's share or mean.
func (l population) design(kind string, n, runs int, rates []float64) design {
	d := design{kind: kind, name: l.name, n: n, runs: runs, rates: rates, plain: plain, interval: sixOf,
		rows: func(r *rand.Rand) []row { return l.rows(r, n) }}
	if d.truth, _ = l.mean(); l.binary {
		d.interval = shareOf
	}
	return d
}

// basic are shares and means of independent rows.
func basic() (out []design) {
	for _, n := range []int{300, 1000, 5000} {
		for _, l := range sharePopulations() {
			out = append(out, l.design("share", n, 4000, both))
		}
		for _, l := range meanPopulations() {
			out = append(out, l.design("mean", n, 2000, both))
		}
	}
	for _, l := range meanPopulations()[2:4] {
		five := l.design("mean, five boxes", 1000, 1000, three)
		five.rows = func(r *rand.Rand) []row {
			rows := l.rows(r, five.n)
			for i := range rows {
				rows[i].cell = int64(i)
			}
			return rows
		}
		five.interval = func(d dealer, src rand.Source, rows []row) ends {
			return endsOf(survey.MeanFive(d.five(src, rows, len(rows), 1), d.noise, level))
		}
		out = append(out, five)
	}
	return out
}

// totals are of samples of a Poisson number of rows.
func totals() (out []design) {
	for _, cv := range []float64{0, 1} {
		w := lognormal(cv, 1+3*cv)
		for _, l := range []population{
			{"rare", w, binary(func(float64) float64 { return .03 }), true},
			{"skewed", w, func(_, e float64) float64 { return math.Exp(e - 3) }, false},
			{"uniform", w, func(_, u float64) float64 { return u }, true}} {
			_, one := l.mean()
			for _, n := range []int{300, 1000, 5000} {
				out = append(out, design{kind: "total", name: fmt.Sprintf("%s, CV %v", l.name, cv), n: n, truth: one * float64(n),
					runs: 1500, rates: three,
					rows: func(r *rand.Rand) []row { return l.rows(r, poisson(r, n)) },
					interval: func(d dealer, src rand.Source, rows []row) ends {
						return endsOf(survey.Total(d.total(src, rows), d.noise, level))
					}})
			}
		}
	}
	return out
}

// poisson draws a number of mean n, as arrivals within n.
func poisson(r *rand.Rand, n int) (k int) {
	for at := r.ExpFloat64(); at < float64(n); at += r.ExpFloat64() {
		k++
	}
	return k
}

// domains are groups of few rows, or none.
func domains() (out []design) {
	w := lognormal(1, 4)
	yes := population{"binary .2", w, binary(func(float64) float64 { return .2 }), true}
	skewed := population{"skewed", w, func(_, e float64) float64 { return math.Exp(e - 3) }, false}
	for _, n := range []int{0, 5, 20, 80, 300} {
		share, mean := yes.design("domain share", n, 1500, three), skewed.design("domain mean", n, 1500, three)
		share.plain, mean.plain = nil, nil
		out = append(out, share, mean)
	}
	return out
}

// parts are strata whose public shares of the population are unequal.
func parts(h int) (shares []float64) {
	r, sum := rand.New(rand.NewPCG(3, 5)), 0.
	for range h {
		shares = append(shares, math.Exp(.8*r.NormFloat64()))
		sum += shares[len(shares)-1]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// strata have the same size each; first are their values' means or shares, from low to high.
func strata(h, size int, low, high float64) (list []survey.Stratum, share, first []float64) {
	share = parts(h)
	most := 0.
	for _, p := range share {
		most = max(most, p)
	}
	for i, p := range share {
		list = append(list, survey.Stratum{Size: float64(size), Weight: p / most})
		first = append(first, low+(high-low)*float64(i)/float64(h-1))
	}
	return list, share, first
}

// strataShares are from strata of public sizes; a few are from the strata's own intervals.
func strataShares() (out []design) {
	for _, c := range [][2]int{{4, 50}, {4, 100}, {4, 500}, {12, 25}, {12, 100}, {12, 500}, {50, 20}, {50, 100}} {
		for _, ps := range [][2]float64{{.05, .35}, {.005, .05}, {.1, .9}} {
			list, share, p := strata(c[0], c[1], ps[0], ps[1])
			d := design{kind: "strata share", name: fmt.Sprintf("%d strata, p %v–%v", c[0], ps[0], ps[1]), n: c[1],
				truth: dot(share, p), runs: 1500, rates: three}
			d.rows = func(r *rand.Rand) (rows []row) {
				for h := range list {
					z := row{w: 1, cell: int64(h)}
					for range c[1] {
						if r.Float64() < p[h] {
							z.k++
						}
					}
					rows = append(rows, z)
				}
				return rows
			}
			noisy := func(d dealer, src rand.Source, rows []row) (y []float64) {
				for _, z := range rows {
					y = append(y, float64(z.k+d.scaled(src, 1)))
				}
				return y
			}
			d.interval = func(d dealer, src rand.Source, rows []row) ends {
				return endsOf(survey.StrataShare(noisy(d, src, rows), list, d.noise, level))
			}
			out = append(out, d)
			if c == [2]int{50, 20} && ps[1] == .05 {
				d.kind, d.runs = "square and add", 400
				d.interval = func(d dealer, src rand.Source, rows []row) ends {
					return squareAndAdd(noisy(d, src, rows), float64(c[1]), share, math.Sqrt2/d.rate)
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// strataMeans are of skewed values.
func strataMeans() (out []design) {
	for _, c := range [][2]int{{4, 50}, {4, 500}, {12, 25}, {12, 100}, {12, 500}, {50, 100}} {
		list, share, m := strata(c[0], c[1], .03, .2)
		value := func(h int, e float64) int64 { return valueOf(math.Exp(.8*e + math.Log(m[h]) - .32)) }
		d := design{kind: "strata mean", name: fmt.Sprintf("%d strata", c[0]), n: c[1], runs: 500, rates: three}
		for h := range list {
			const n = 20000
			for i := range n {
				d.truth += share[h] * float64(value(h, normalAt(i, n))) / grid / n
			}
		}
		d.rows = func(r *rand.Rand) (rows []row) {
			for h := range list {
				for range c[1] {
					rows = append(rows, row{k: value(h, r.NormFloat64()), cell: int64(h)})
				}
			}
			return rows
		}
		d.interval = func(d dealer, src rand.Source, rows []row) ends {
			u, uu := make([]int64, len(list)), make([]int64, len(list))
			for _, z := range rows {
				at := 2*z.k - grid
				u[z.cell], uu[z.cell] = u[z.cell]+at, uu[z.cell]+at*at
			}
			first, second := make([]float64, len(list)), make([]float64, len(list))
			for h := range list {
				first[h] = float64(u[h]+d.scaled(src, 2*grid)) / grid
				second[h] = float64(uu[h]+d.scaled(src, 4*grid*grid)) / (grid * grid)
			}
			return endsOf(survey.StrataMean(first, second, list, d.noise, level))
		}
		out = append(out, d)
	}
	return out
}

// dot is Σ a·b.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// squareAndAdd combines the strata's own intervals, which is wrong where few are far from 0 (Zou, Donner 2008).
func squareAndAdd(y []float64, n float64, share []float64, sd float64) (e ends) {
	var m, below, above float64
	for h, p := range share {
		s := score.Share{Count: min(max(y[h], 0), n), Size: n, Own: sd, Fixed: true}
		s.Rest = n - s.Count
		lo, hi := s.Interval(level)
		at := min(max(s.Count/n, lo), hi)
		m, below, above = m+p*at, math.Hypot(below, p*(at-lo)), math.Hypot(above, p*(hi-at))
	}
	return ends{max(m-below, 0), min(m+above, 1)}
}
