package claims

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/study/networks"
	"github.com/privbayes/privbayes-go/papers/study/regression"
)

// figure1s are the committed outcomes: uniform parameters, and the hard case.
func figure1s() (uniform, hard networks.Figure1Result, err error) {
	all, err := networks.Figure1Committed()
	if err != nil {
		return uniform, hard, err
	}
	if len(all) != 2 || all[0].Case != "uniform" || all[1].Case != "hard" {
		return uniform, hard, fmt.Errorf("figure1.json holds %d cases", len(all))
	}
	return all[0], all[1], nil
}

const hardCase = "probabilities 0.35 and 0.65"

func figure1Cost(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	for _, c := range uniform.Curves[:3] {
		for _, p := range c.Points {
			line := uniform.NonPrivate
			if swapped {
				line = .9 * line
			}
			t.printed(p.Mean <= line+4*p.Error, p.X, "%s at ε = %v: %.3f > %.3f", c.Name, p.X, p.Mean, line)
			if c.Name != networks.PrintedSampler && p.X <= 10 {
				t.f.require(p.Mean < .971*uniform.NonPrivate, "%s at ε = %v: %v", c.Name, p.X, p.Mean)
			}
		}
	}
	for _, c := range hard.Curves[:3] {
		for _, p := range c.Points {
			t.outside(p.Mean <= hard.NonPrivate+4*p.Error, math.Abs(p.X-3), "%s: %s at ε = %v: %.3f > %.3f", hardCase,
				c.Name, p.X, p.Mean, hard.NonPrivate)
		}
	}
	return nil
}

// naiveScales takes variances in closed form, of unnormalised coefficients with noise of scale 2|N|/ε.
func naiveScales(t *trial, swapped bool) error {
	for d := 1; d <= 8; d++ {
		g := naiveGraph(d)
		size := float64(len(g.closure()))
		want := 2*float64(d) + 2
		if swapped {
			want++
		}
		t.printed(len(g) == d+1 && size == want, float64(d), "d = %d: |N| = %v", d, size)
		for _, eps := range []float64{.1, 1, 10} {
			one, two := 2*float64(len(g))/eps, 2*size/eps
			feature, class := two/math.Sqrt(4), two/math.Sqrt(2)
			t.printed(near(feature, one, 1e-12) && near(class, math.Sqrt2*one, 1e-12), float64(d), "d = %d, ε = %v", d,
				eps)
		}
	}
	return nil
}

// gain is the difference of two curves in their combined standard errors.
func gain(a, b networks.Figure1Point) float64 {
	return (a.Mean - b.Mean) / math.Hypot(a.Error, b.Error)
}

func figure1Fourier(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	lower := networks.PrintedFourier
	if swapped {
		lower = networks.PrintedSampler
	}
	for _, x := range []float64{.1, .3, 1, 1.4, 2, 3, 10, 30, 100} {
		a, _ := uniform.At(networks.PrintedLaplace, x)
		b, ok := uniform.At(lower, x)
		if ok {
			t.printed(gain(b, a) <= 4, x, "ε = %v: %.3f > %.3f", x, b.Mean, a.Mean)
			t.f.require(x < 3 || swapped || math.Abs(gain(b, a)) < 4, "ε = %v: %v and %v", x, a.Mean, b.Mean)
		}
		a, _ = hard.At(networks.PrintedLaplace, x)
		if b, ok = hard.At(lower, x); ok {
			t.outside(gain(b, a) <= 4, x, "%s, ε = %v: %.3f > %.3f", hardCase, x, b.Mean, a.Mean)
		}
	}
	one, _ := uniform.At(networks.PrintedLaplace, 1)
	other, _ := uniform.At(networks.PrintedFourier, 1)
	t.f.number("loss of accuracy at ε = 1", one.Mean-other.Mean, .05, .006)
	t.f.number("increment at ε = 1, records", 4*uniform.T*34*34, 585, 3)
	return nil
}

func figure1Sampler(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	curve := networks.PrintedSampler
	if swapped {
		curve = networks.FairSampler
	}
	for _, r := range []networks.Figure1Result{uniform, hard} {
		for _, x := range []float64{.1, .3, 1, 1.4, 2, 3, 10, 30, 100} {
			draw, drawn := r.At(networks.PrintedSampler, x)
			t.f.require(drawn == (x > 2*math.Ln2), "%s: the sampler at ε = %v", r.Case, x)
			if swapped {
				draw, drawn = r.At(curve, x)
			}
			for _, name := range []string{networks.PrintedLaplace, networks.PrintedFourier} {
				noise, _ := r.At(name, x)
				switch {
				case !drawn:
				case x < 2: // poor: no better than noise
					t.printed(gain(draw, noise) < 4 && draw.Mean < .8*r.NonPrivate, x, "%s, ε = %v: %v", r.Case, x,
						draw.Mean)
				case x <= 3:
					t.printed(gain(draw, noise) > 10, x, "%s, ε = %v: %v against %v", r.Case, x, draw.Mean, noise.Mean)
				default:
					t.printed(gain(draw, noise) > -4, x, "%s, ε = %v: %v against %v", r.Case, x, draw.Mean, noise.Mean)
				}
				fair, _ := r.At(networks.FairSampler, x)
				t.f.require(gain(fair, noise) < 4, "%s, ε = %v: a fair draw is ahead", r.Case, x)
			}
		}
		p, _ := r.At(networks.PrintedSampler, 2)
		t.f.number("ε of fifty draws at nominal 2, "+r.Case, p.Epsilon, 823.8, .1)
	}
	return nil
}

// drawsUtility takes a posterior of which a draw is good with probability p: the mean of N is binomial.
func drawsUtility(t *trial, factor float64) error {
	for _, n := range []int{10, 50, 200} {
		for _, p := range []float64{.1, .5, .8} {
			for _, delta := range []float64{.1, .01} {
				bound := factor * math.Sqrt(math.Log(2/delta)/(2*float64(n)))
				type outcome struct{ distance, mass float64 }
				var all []outcome
				for k := range n + 1 {
					log := num.LogGamma(float64(n+1)) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1)) +
						float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
					all = append(all, outcome{math.Abs(float64(k)/float64(n) - p), math.Exp(log)})
				}
				slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(b.distance, a.distance) })
				quantile, beyond := 0.0, 0.0 // the least distance that is passed with probability at most δ
				for _, o := range all {
					if beyond += o.mass; beyond > delta {
						quantile = o.distance
						break
					}
				}
				t.bound(bound, quantile, float64(n), "N = %d, p = %v, δ = %v", n, p, delta)
			}
		}
	}
	return nil
}

// figure2s are the committed curves over b: the paper's draw, one at ε = 1, and the line without privacy.
func figure2s() (map[string][][]regression.Point, error) {
	out := map[string][][]regression.Point{}
	for name, read := range map[string]func() (*regression.Results, error){"cps1988": regression.Committed,
		"acs_gov2018": regression.CommittedSalaries} {
		r, err := read()
		if err != nil {
			return nil, err
		}
		for _, c := range r.ByPrior.Curves {
			out[name] = append(out[name], c.Points)
		}
		if len(out[name]) != 3 {
			return nil, fmt.Errorf("%s: %d curves", name, len(out[name]))
		}
	}
	return out, nil
}

func figure2Prior(t *trial, swapped bool) error {
	all, err := figure2s()
	if err != nil {
		return err
	}
	for name, curves := range all {
		for _, k := range []int{0, 2} {
			if swapped {
				k = 1 // calibrated to ε = 1 a wide ball is worse than a small one
			}
			for i := 1; i < len(curves[k]); i++ {
				p, q := curves[k][i-1], curves[k][i]
				t.printed(q.MSE >= p.MSE*(1-1e-4)-2*math.Hypot(p.SE, q.SE), q.X, "%s, b = %v: %v after %v", name, q.X, q.MSE,
					p.MSE)
				t.f.require(swapped || q.X > 10 || q.MSE < 1.01*p.MSE, "%s, b = %v: %v after %v", name, q.X, q.MSE,
					p.MSE)
			}
		}
	}
	return nil
}

func figure2Cost(t *trial, swapped bool) error {
	all, err := figure2s()
	if err != nil {
		return err
	}
	curve := 0
	if swapped {
		curve = 1
	}
	for name, curves := range all {
		for i, p := range curves[curve] {
			ratio := p.MSE / curves[2][i].MSE
			if p.X <= 10 {
				t.printed(ratio <= 1.05, p.X, "%s, b = %v: %.2f times", name, p.X, ratio)
				t.f.require(swapped || ratio <= 1.016 && p.Epsilon > 17, "%s, b = %v: %v", name, p.X, ratio)
				continue
			}
			t.outside(ratio <= 1.05, p.X+ratio, "%s, b = %v: %.2f times the error without privacy, at ε = %.3g", name,
				p.X, ratio, p.Epsilon)
		}
	}
	t.f.number("cps1988 at ε = 1, b = 10", all["cps1988"][1][2].MSE/all["cps1988"][2][2].MSE, 1.31, .01)
	t.f.number("acs_gov2018 at ε = 1, b = 10", all["acs_gov2018"][1][2].MSE/all["acs_gov2018"][2][2].MSE, 1.14, .01)
	return nil
}

// figure2Privacy takes the level of the appendix at its largest over the ball, where ‖w‖₁ = √d·B; swapped, it takes the
// exact ε of a draw in its place.
func figure2Privacy(t *trial, swapped bool) error {
	radii := []float64{.1, .25, 1, 3, 10, 30}
	for _, d := range []float64{2, 5, 14} {
		for i, small := range radii {
			for _, large := range radii[i+1:] {
				a, b := regressionPrinted(1, d, small), regressionPrinted(1, d, large)
				exactA, err := exactOsc(small)
				if err != nil {
					return err
				}
				exactB, err := exactOsc(large)
				if err != nil {
					return err
				}
				t.f.require(exactB > exactA && (large > 1 || near(exactB/exactA, large/small, 1e-9)),
					"B = %v and %v: ε = %v and %v", small, large, exactA, exactB)
				if swapped {
					a, b = exactA, exactB
				}
				off := b / a / (large / small)
				if small >= 1 {
					t.printed(b > a && off > .8 && off < 1.2, large+d, "d = %v, B = %v and %v: %.3g and %.3g", d, large,
						small, b, a)
					continue
				}
				t.outside(off > .8, 10*math.Abs(large-1)+d-small, "d = %v, B = %v and %v: the level falls %.3g times, "+
					"not %.3g", d, large, small, b/a, large/small)
			}
		}
	}
	t.f.number("level at B = 10 ÷ level at 1, d = 2", regressionPrinted(1, 2, 10)/regressionPrinted(1, 2, 1), 8.46, .005)
	t.f.number("level at B = 10 ÷ level at 1, d = 14", regressionPrinted(1, 14, 10)/regressionPrinted(1, 14, 1), 9.60,
		.005)
	ten, err := exactOsc(10)
	if err != nil {
		return err
	}
	one, err := exactOsc(1)
	if err != nil {
		return err
	}
	t.f.number("exact ε at B = 10 ÷ exact ε at 1", ten/one, 30.25, 1e-9)
	return nil
}

// exactOsc is osc(B) for two coordinates and more.
func exactOsc(radius float64) (float64, error) { return leastsquares.Osc(radius, 2) }

// regressionPrinted is the printed 2L(w) at its largest over the ball of that radius, where ‖w‖₁ ≤ √d·‖w‖₂, for σ² = 1.
func regressionPrinted(n, d, radius float64) float64 { return n * (1 + (2*math.Sqrt(d)+d)*radius) }

// regressionLevel compares the printed level, at the supremum of L(w) over the unit ball, with the exact one.
func regressionLevel(t *trial, factor float64) error {
	osc, err := leastsquares.Osc(1, 2)
	if err != nil {
		return err
	}
	for _, n := range []float64{1, 10, 1000} {
		for _, d := range []float64{1, 2, 14} {
			t.bound(factor*regressionPrinted(n, d, 1)*2*math.Sqrt2, osc, n*d, "n = %v, d = %v", n, d)
		}
	}
	t.f.number("osc(1)", osc, 4, 1e-9)
	return nil
}

func regressionGradients(t *trial, printed float64) error {
	f := func(x, y, w float64) float64 { return -(y - w*x) * (y - w*x) / 2 }
	const h = 1e-5
	for i := -2; i <= 2; i++ {
		for j := -2; j <= 2; j++ {
			for k := -2; k <= 2; k++ {
				x, y, w := float64(i)/2, float64(j)/2, float64(k)/2
				dx, dy := (f(x+h, y, w)-f(x-h, y, w))/(2*h), (f(x, y+h, w)-f(x, y-h, w))/(2*h)
				px, py := (x*w*w-y*w)/2, (y-w*x)/2
				if printed == 0 {
					px, py = (y-w*x)*w, -(y - w*x)
				}
				same := math.Abs(px-dx) < 1e-6 && math.Abs(py-dy) < 1e-6
				size := math.Abs(x)*100 + math.Abs(math.Abs(y)-1)*10 + math.Abs(math.Abs(w)-1)
				t.printed(same, size, "d = 1, x = %v, y = %v, w = %v, σ = 1: (%.2g, %.2g), not (%.2g, %.2g)", x, y, w,
					px, py, dx, dy)
				t.repaired(math.Abs((y-w*x)*w-dx) < 1e-6 && math.Abs(-(y-w*x)-dy) < 1e-6, "x = %v, y = %v, w = %v", x,
					y, w)
			}
		}
	}
	return nil
}

func regressionLipschitz(t *trial, factor float64) error {
	f := func(x, y, w float64) float64 { return -(y - w*x) * (y - w*x) / 2 }
	best := map[float64]float64{} // the greatest slope found for each bound of w
	for _, w := range []float64{.5, 1, 2} {
		printed := factor * (1 + 3*w) / 2
		for i := -10; i <= 10; i++ {
			for j := -10; j <= 10; j++ {
				for _, step := range [][2]float64{{.1, 0}, {0, -.1}, {.1, -.1}} {
					x, y := float64(i)/10, float64(j)/10
					u, v := x+step[0], y+step[1]
					if math.Abs(u) > 1+1e-9 || math.Abs(v) > 1+1e-9 {
						continue
					}
					rho := math.Hypot(step[0], step[1])
					gap := math.Abs(f(x, y, w) - f(u, v, w))
					t.printed(gap <= printed*rho, w*100-gap, "n = d = 1, w = %v, (%.1f, %.1f) to (%.1f, %.1f): %.3f "+
						"> %.3f", w, x, y, u, v, gap, printed*rho)
					t.repaired(gap <= (1+w)*math.Sqrt(1+w*w)*rho*(1+1e-12), "w = %v: %v", w, gap/rho)
					best[w] = math.Max(best[w], gap/rho)
				}
			}
		}
	}
	// tight: the slope at x = −1, y = 1 along (w, −1)
	for _, b := range []float64{.5, 1, 3, 10} {
		const h = 1e-6
		n := math.Hypot(b, 1)
		slope := (f(-1, 1, b) - f(-1+h*b/n, 1-h/n, b)) / h
		t.repaired(near(math.Abs(slope), (1+b)*math.Sqrt(1+b*b), 1e-4), "B = %v: slope %v", b, slope)
	}
	t.f.number("correct L at B = 10", 11*math.Sqrt(101), 110.5486, 1e-4)
	return nil
}

// lemmaGaussian is the lemma's: XᵀX + ridge·I, and the mean.
func lemmaGaussian(rows []float64, n, d int, ridge float64) (*mat.SymDense, *mat.VecDense, error) {
	a := mat.NewSymDense(d, nil)
	rhs := mat.NewVecDense(d, nil)
	for i := range n {
		for j := range d {
			rhs.SetVec(j, rhs.AtVec(j)+rows[3*i+j]*rows[3*i+2])
			for k := j; k < d; k++ {
				a.SetSym(j, k, a.At(j, k)+rows[3*i+j]*rows[3*i+k])
			}
		}
	}
	for j := range d {
		a.SetSym(j, j, a.At(j, j)+ridge)
	}
	var mean mat.VecDense
	return a, &mean, mean.SolveVec(a, rhs)
}

func regressionConjugacy(t *trial, shift float64) error {
	r := rand.New(rand.NewPCG(6, 125))
	for range 200 {
		const d, sigma2, b = 2, .7, .4
		n := 1 + r.IntN(4)
		m, err := leastsquares.NewMoments(d)
		if err != nil {
			return err
		}
		var rows []float64
		for range n * (d + 1) {
			rows = append(rows, r.Float64()-.5)
		}
		if err := m.AddRows(rows); err != nil {
			return err
		}
		p, h, err := m.Gaussian(sigma2, b)
		if err != nil {
			return err
		}
		logPost := func(w []float64) float64 {
			v := -b * (w[0]*w[0] + w[1]*w[1]) / 2
			for i := range n {
				e := rows[3*i+2] - w[0]*rows[3*i] - w[1]*rows[3*i+1]
				v -= e * e / (2 * sigma2)
			}
			return v
		}
		a, mean, err := lemmaGaussian(rows, n, d, sigma2*b)
		if err != nil {
			return err
		}
		quad := func(w []float64) float64 {
			v := 0.0
			for j := range d {
				for k := range d {
					v -= (w[j] - mean.AtVec(j) - shift) * a.At(j, k) * (w[k] - mean.AtVec(k) - shift) / (2 * sigma2)
				}
			}
			return v
		}
		origin := []float64{0, 0}
		for range 5 {
			w := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
			want := logPost(w) - logPost(origin)
			t.printed(math.Abs(quad(w)-quad(origin)-want) < 1e-10, float64(n), "n = %d: %v, not %v", n,
				quad(w)-quad(origin), want)
			v := h[0]*w[0] + h[1]*w[1]
			for j := range d {
				for k := range d {
					v -= w[j] * p.At(j, k) * w[k] / 2
				}
			}
			t.printed(math.Abs(v-want) < 1e-10, float64(n), "the library's precision: %v, not %v", v, want)
		}
	}
	return nil
}

// regressionOsc searches records (x, y), (x′, y′) and weights w, w* in the plane by angles, with the angles that make
// one product ±min(B, 1) among them.
func regressionOsc(t *trial, factor float64) error {
	const steps = 24
	for _, radius := range []float64{.25, 1, 1.5, 3, 10} {
		angles := []float64{}
		for i := range steps {
			angles = append(angles, 2*math.Pi*float64(i)/steps)
		}
		special := math.Acos(math.Max(-1, -math.Min(radius, 1)/radius))
		angles = append(angles, special, -special, math.Pi-special, special-math.Pi)
		most := 0.0
		loss := func(y, p float64) float64 { return (y - p) * (y - p) / 2 }
		for _, b := range angles { // x along 0, x′ along b
			for _, w := range angles {
				for _, v := range angles {
					pw, pv := radius*math.Cos(w), radius*math.Cos(v)
					qw, qv := radius*math.Cos(w-b), radius*math.Cos(v-b)
					for _, y := range []float64{-1, 1} {
						for _, z := range []float64{-1, 1} {
							g := loss(z, qw) - loss(y, pw) - loss(z, qv) + loss(y, pv)
							most = math.Max(most, g)
						}
					}
				}
			}
			t.f.Cases++
		}
		osc, err := leastsquares.Osc(radius, 2)
		if err != nil {
			return err
		}
		t.bound(factor*osc, most, radius, "B = %v", radius)
		closed := 4 * radius
		if radius > 1 {
			closed = (1 + radius) * (1 + radius)
		}
		t.printed(near(osc, closed, 1e-8) && near(most, closed, 1e-9), radius, "B = %v: searched %v, formula %v",
			radius, most, closed)
	}
	for _, c := range [][2]float64{{1, 4}, {2, 8}, {5, 20}, {10, 61.11895003848754}} {
		osc, err := leastsquares.Osc(c[0], 1)
		if err != nil {
			return err
		}
		t.f.number("osc, d = 1", osc, c[1], 1e-6*c[1])
	}
	t.f.number("exact ε, d = B = σ = 1, prior N(0, 1), one record", oneRowEpsilon(), 2, 1e-6)
	t.attained(1e-8)
	return nil
}

// oneRowEpsilon is the exact ε of the posterior of one record on [−1, 1]: over x in tenths and y = ±1.
func oneRowEpsilon() float64 {
	most := 0.0
	type law struct{ a, b, z float64 } // ln density = −a w²/2 + b w − z
	var laws []law
	for i := -10; i <= 10; i++ {
		for _, y := range []float64{-1, 1} {
			x := float64(i) / 10
			l := law{a: 1 + x*x, b: x * y}
			l.z = math.Log(num.Integrate24(func(w float64) float64 { return math.Exp(-l.a*w*w/2 + l.b*w) }, -1, 1, 2))
			laws = append(laws, l)
		}
	}
	for _, p := range laws {
		for _, q := range laws {
			for k := range 41 {
				w := float64(k)/20 - 1
				most = math.Max(most, -(p.a-q.a)*w*w/2+(p.b-q.b)*w-p.z+q.z)
			}
		}
	}
	return most
}
