package score

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Area is what was released of one of many areas: T(θ), linear in the noisy sums, with the standard deviation of its
// noise, for a rate or a mean θ in [0, 1]; and the number of records, noisy with the standard deviation NoiseSize, or
// known where that is 0. Beside the noise T is normal with variance n·Within·θ(1 − θ): Within is 1 of a rate. Where the
// sums are of rounded values, θ is up to Room from theirs.
type Area struct {
	T               func(theta float64) (value, sd float64)
	Size, NoiseSize float64
	Within, Room    float64
	Normal          bool
}

// Rate is the area of noisy counts of one kind of records and of the rest, each with its noise.
func Rate(count, rest, own, other float64, normal bool) Area {
	return Area{Size: count + rest, NoiseSize: math.Hypot(own, other), Within: 1, Normal: normal,
		T: func(theta float64) (float64, float64) {
			return (1-theta)*count - theta*rest, math.Hypot((1-theta)*own, theta*other)
		}}
}

// density is that of X + Z at t, X normal with standard deviation s.
func (z Noise) density(t, s float64) float64 {
	if z.Normal {
		v := s*s + z.SD*z.SD
		return math.Exp(-t*t/(2*v)) / math.Sqrt(2*math.Pi*v)
	}
	s = math.Max(s, 1e-9)
	b := z.SD / math.Sqrt2
	x, r := t/s, s/b
	side := func(x float64) float64 { return math.Exp(math.Min(r*r/2-x*r+logNormalTail(r-x), 50)) }
	return (side(x) + side(-x)) / (2 * b)
}

// likelihood is that of the area on a grid, up to a constant: a mean over k quantiles of its number of records under a
// flat prior. Against the exact sum over records it is off by .008 to .03 in total variation, and by .1 where less than
// three standard deviations of the noise are left of the records.
func (a Area) likelihood(grid []float64, k int) []float64 {
	sizes := []float64{a.Size}
	if a.NoiseSize > 0 {
		sizes = make([]float64, k)
		none := math.Erfc(a.Size/a.NoiseSize/math.Sqrt2) / 2 // P(n ≤ 0) before the cut
		for j := range sizes {
			p := math.Min(math.Max(none+(float64(j)+.5)/float64(k)*(1-none), 1e-12), 1-1e-12)
			sizes[j] = math.Max(a.Size+a.NoiseSize*math.Sqrt2*math.Erfinv(2*p-1), 0)
		}
	}
	out := make([]float64, len(grid))
	for i, theta := range grid {
		t, sd := a.T(theta)
		z := Noise{sd, a.Normal}
		for _, n := range sizes {
			out[i] += z.density(t, math.Sqrt(n*a.Within*theta*(1-theta))) / float64(len(sizes))
		}
	}
	return out
}

// grid are values of θ in the middle of [lower, upper] with the widths of their cells.
type grid struct {
	at, width    []float64
	log, log1p   []float64 // of θ and of −θ
	lower, upper float64
}

// withLogs finds the logarithms, once for all distributions.
func (g *grid) withLogs() {
	for _, x := range g.at {
		g.log, g.log1p = append(g.log, math.Log(x)), append(g.log1p, math.Log1p(-x))
	}
}

// commonPoints of the grid of all areas are there whatever the areas are.
const commonPoints = 61

// grid is that of an area whose likelihood is narrower than half a cell of the common grid: 40 midpoints within ten
// standard deviations of where T is 0. Nil of others.
func (a Area) grid() *grid {
	first, _ := a.T(0)
	last, _ := a.T(1)
	slope := math.Max(first-last, 1e-9)
	at := math.Min(math.Max(first/slope, 0), 1)
	_, sd := a.T(at)
	sd = math.Sqrt(sd*sd+a.Within*(math.Max(a.Size, 0)*at*(1-at)+4)) / slope
	if sd > math.Pi/(2*commonPoints)*math.Sqrt(math.Max(at*(1-at), 1./(commonPoints*commonPoints))) {
		return nil
	}
	const points = 40
	g := &grid{lower: math.Max(at-10*sd, 0), upper: math.Min(at+10*sd, 1)}
	for i := range points {
		g.at = append(g.at, g.lower+(float64(i)+.5)/points*(g.upper-g.lower))
		g.width = append(g.width, (g.upper-g.lower)/points)
	}
	g.withLogs()
	return g
}

// newGrid has midpoints of sin², and quantiles of a Beta distribution where one is given: a narrow one needs them.
func newGrid(points int, mode *hyper) grid {
	g := grid{upper: 1}
	for j := range points {
		s := math.Sin(math.Pi / 2 * (float64(j) + .5) / float64(points))
		g.at = append(g.at, s*s)
	}
	if mode != nil {
		a, b := mode.beta()
		for j := range 47 {
			g.at = append(g.at, num.InvRegIncBeta(a, b, (float64(j)+.5)/47))
		}
		g.at = slices.DeleteFunc(g.at, func(x float64) bool { return !(x > 1e-9 && x < 1-1e-9) })
		slices.Sort(g.at)
		g.at = slices.Compact(g.at)
	}
	for i := range g.at {
		g.width = append(g.width, g.edge(i+1)-g.edge(i))
	}
	g.withLogs()
	return g
}

// edge is the lower end of cell i.
func (g grid) edge(i int) float64 {
	switch i {
	case 0:
		return g.lower
	case len(g.at):
		return g.upper
	}
	return (g.at[i-1] + g.at[i]) / 2
}

// hyper is a distribution of areas, Beta(μφ, (1 − μ)φ), by logit μ and logit ρ, ρ = 1/(1 + φ).
type hyper struct{ mu, rho float64 }

func (h hyper) beta() (a, b float64) {
	mu, nu := num.Logistic(h.mu)
	phi := math.Exp(-h.rho)
	return mu * phi, nu * phi
}

// prior is the density of the distribution on a grid, normalised to 1, and its norm, a logarithm.
func (h hyper) prior(g grid) (out []float64, norm float64) {
	a, b := h.beta()
	most := math.Inf(-1)
	for i, x := range g.log {
		most = math.Max(most, (a-1)*x+(b-1)*g.log1p[i])
	}
	out = h.part(g, most)
	sum := floats.Sum(out)
	floats.Scale(1/sum, out)
	return out, most + math.Log(sum)
}

// part is the density on a grid of a part of [0, 1], by the norm on the whole.
func (h hyper) part(g grid, norm float64) []float64 {
	a, b := h.beta()
	out := make([]float64, len(g.at))
	for i, x := range g.log {
		out[i] = math.Exp((a-1)*x+(b-1)*g.log1p[i]-norm) * g.width[i]
	}
	return out
}

// view is the likelihood of an area: on the grid of all, or, where it is narrower than that can show, on its own.
type view struct {
	likelihood []float64
	own        *grid
}

// priors are the densities of the distribution on the grids of all areas.
func (h hyper) priors(g grid, areas []view) [][]float64 {
	common, norm := h.prior(g)
	out := make([][]float64, len(areas))
	for k, v := range areas {
		if out[k] = common; v.own != nil {
			out[k] = h.part(*v.own, norm)
		}
	}
	return out
}

// logWeight is the log of the evidence of all areas with the prior of μ and ρ, both uniform, in their logits.
func (h hyper) logWeight(g grid, areas []view) (sum float64, evidence []float64) {
	for _, x := range []float64{h.mu, h.rho} {
		p, q := num.Logistic(x)
		sum += math.Log(p * q)
	}
	evidence = make([]float64, len(areas))
	for k, prior := range h.priors(g, areas) {
		evidence[k] = math.Max(floats.Dot(areas[k].likelihood, prior), 1e-300)
		sum += math.Log(evidence[k])
	}
	return sum, evidence
}

// mix is the posterior of every area on its grid, mixed over distributions by their weights.
func mix(g grid, areas []view, points []hyper) (post [][]float64, weights []float64) {
	weights, evidence, most := make([]float64, len(points)), make([][]float64, len(points)), math.Inf(-1)
	for k, h := range points {
		weights[k], evidence[k] = h.logWeight(g, areas)
		most = math.Max(most, weights[k])
	}
	total := 0.0
	for k := range weights {
		weights[k] = math.Exp(weights[k] - most)
		total += weights[k]
	}
	post = make([][]float64, len(areas))
	for k, v := range areas {
		post[k] = make([]float64, len(v.likelihood))
	}
	for k, h := range points {
		if weights[k] /= total; weights[k] < 1e-6 {
			continue
		}
		for a, prior := range h.priors(g, areas) {
			f := weights[k] / evidence[k][a]
			for i, v := range areas[a].likelihood {
				post[a][i] += f * v * prior[i]
			}
		}
	}
	return post, weights
}

// Pooled is the posterior of an area: its mean and an equal-tailed interval.
type Pooled struct{ Mean, Lower, Upper float64 }

// Pool estimates areas together: their rates or means are taken to follow one Beta distribution, of which nothing is
// known, so that each is drawn towards the others as far as its own numbers are uncertain. It is found by integration
// on grids, without chains: the mode of the distribution, a grid of 7 × 9 about it, and every area's posterior mixed
// over it. Intervals hold over the areas, not of each: one that is unlike the others is drawn in. Five areas are the
// least. Source: theory/intervals.md §6. The context ends it.
func Pool(ctx context.Context, areas []Area, level float64) ([]Pooled, error) {
	g, views, sizes := grid{}, make([]view, len(areas)), make([]int, len(areas))
	for k, a := range areas {
		if sizes[k] = 7; a.NoiseSize < .05*a.Size {
			sizes[k] = 3
		}
		if own := a.grid(); own != nil {
			views[k] = view{a.likelihood(own.at, sizes[k]), own}
		}
	}
	on := func(next grid) error { // likelihoods take the time: those at points that stay are kept
		var fresh []float64
		from := make([]int, len(next.at)) // a place among the old points, and then the fresh ones
		for i, x := range next.at {
			var old bool
			if from[i], old = slices.BinarySearch(g.at, x); !old {
				from[i] = len(g.at) + len(fresh)
				fresh = append(fresh, x)
			}
		}
		for k, a := range areas {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if views[k].own != nil {
				continue
			}
			all := slices.Concat(views[k].likelihood, a.likelihood(fresh, sizes[k]))
			views[k].likelihood = make([]float64, len(from))
			for i, j := range from {
				views[k].likelihood[i] = all[j]
			}
		}
		g = next
		return nil
	}
	if err := on(newGrid(commonPoints, nil)); err != nil {
		return nil, err
	}
	best, most := hyper{}, math.Inf(-1)
	try := func(mu, rho float64) {
		h := hyper{mu, rho}
		if w, _ := h.logWeight(g, views); w > most {
			best, most = h, w
		}
	}
	const reachMu, reachRho = 4.5, 4.75
	stepMu, stepRho := reachMu/9, 2*reachRho/13
	for i := range 19 {
		for j := range 14 {
			try(-reachMu+stepMu*float64(i), -7+stepRho*float64(j))
		}
	}
	for zoom := range 4 {
		if zoom == 1 { // the grid follows the mode
			if err := on(newGrid(commonPoints, &best)); err != nil {
				return nil, err
			}
		}
		at := best
		most = math.Inf(-1)
		for i := -2.0; i <= 2; i++ {
			for j := -2.0; j <= 2; j++ {
				try(at.mu+stepMu*i, at.rho+stepRho*j)
			}
		}
		stepMu, stepRho = stepMu/1.8, stepRho/1.8
	}
	width := func(dMu, dRho float64) float64 { // of the weight's curvature
		h, drop := .2, 1.0
		for range 30 {
			up, _ := hyper{best.mu + h*dMu, best.rho + h*dRho}.logWeight(g, views)
			down, _ := hyper{best.mu - h*dMu, best.rho - h*dRho}.logWeight(g, views)
			if drop = most - math.Max(up, down); drop < .5 && h <= 3 {
				h *= 1.5
			} else if drop > 3 {
				h /= 1.6
			} else {
				break
			}
		}
		return h / math.Sqrt(2*math.Max(drop, .3))
	}
	var points []hyper
	wMu, wRho := width(1, 0), math.Min(width(0, 1), 1.5)
	for i := -3.0; i <= 3; i++ {
		for j := -4.0; j <= 4; j++ {
			points = append(points, hyper{best.mu + wMu*i, best.rho + wRho*3.5/4*j})
		}
	}
	post, _ := mix(g, views, points)
	out := make([]Pooled, len(areas))
	for k, p := range post {
		of := &g
		if views[k].own != nil {
			of = views[k].own
		}
		out[k] = of.pooled(p, level)
		out[k].Lower = math.Max(out[k].Lower-areas[k].Room, 0)
		out[k].Upper = math.Min(out[k].Upper+areas[k].Room, 1)
	}
	return out, ctx.Err()
}

// Group is the area of noisy Bernstein sums, each with noise of the given standard deviation; within is [Within] of all
// groups.
func Group(b [3]float64, sd, within float64, normal bool) Area {
	m := OfBernstein(b, sd, normal, 1)
	return Area{T: m.sum, Size: b[0] + b[1] + b[2], NoiseSize: sd * math.Sqrt(3), Within: within, Normal: normal}
}

// Within is the variance of values within groups of noisy Bernstein sums, over that of values of 0 and 1 with the same
// means.
func Within(groups [][3]float64) float64 {
	found, most := 0.0, 0.0
	for _, b := range groups {
		if n := b[0] + b[1] + b[2]; n > 0 {
			mu := math.Min(math.Max((b[2]+b[1]/2)/n, 0), 1)
			v, _ := OfBernstein(b, 0, false, 1).square(mu)
			found, most = found+v, most+n*mu*(1-mu)
		}
	}
	if !(most > 0) {
		return 1
	}
	return math.Min(math.Max(found/most, 1e-3), 1)
}

// pooled is the mean of a posterior on the grid, and its quantiles, even within cells.
func (g grid) pooled(post []float64, level float64) (out Pooled) {
	sum := 0.0
	for i, p := range post {
		sum += p
		out.Mean += p * g.at[i]
	}
	out.Mean /= sum
	at := func(q float64) float64 {
		below := 0.0
		for i, p := range post {
			if p /= sum; below+p >= q {
				return g.edge(i) + g.width[i]*(q-below)/p
			}
			below += p
		}
		return g.upper
	}
	out.Lower, out.Upper = at((1-level)/2), at((1+level)/2)
	return out
}
