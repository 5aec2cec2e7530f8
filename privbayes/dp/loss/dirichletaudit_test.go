package loss_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// outputLaw is what a release draws from, for one data set.
type outputLaw interface {
	renyi(other outputLaw, order float64) float64    // of the law from the other
	hockey(other outputLaw, epsilon float64) float64 // a lower bound is enough to refute a claim
}

// release is a mechanism under audit: its law at a histogram, and the level that it claims. A claim of +Inf claims
// nothing.
type release struct {
	law   func(x []int) outputLaw
	rdp   func(order float64) float64
	delta func(epsilon float64) float64
}

// audit is the search that accepts what keeps its claim and rejects what does not: all histograms of 1 to n records
// over the cells, all neighbours under replace-one, orders and ε. It returns the largest exact divergence ÷ claim, and
// where.
func audit(r release, cells, n int) (worst float64, where string) {
	note := func(exact func(q outputLaw, at float64) float64, q outputLaw, at, claim float64, format string,
		args ...any) {
		if !math.IsInf(claim, 1) {
			if v := exact(q, at); v > 1e-12 && v > worst*claim || math.IsNaN(v) {
				worst, where = v/claim, fmt.Sprintf(format, args...)
			}
		}
	}
	for code := range int(math.Pow(float64(n+1), float64(cells))) {
		x, total := make([]int, cells), 0
		for i := range x {
			x[i] = code % (n + 1)
			code /= n + 1
			total += x[i]
		}
		for move := range cells * cells {
			i, j := move/cells, move%cells
			if i == j || x[i] == 0 || total > n {
				continue
			}
			y := append([]int(nil), x...)
			y[i]--
			y[j]++
			p, q := r.law(x), r.law(y)
			for _, order := range []float64{1.5, 2, 5} {
				note(p.renyi, q, order, r.rdp(order), "order %v, %v to %v", order, x, y)
			}
			for _, eps := range []float64{0, .5, 1.5} {
				note(p.hockey, q, eps, r.delta(eps), "ε = %v, %v to %v", eps, x, y)
			}
		}
	}
	return worst, where
}

// rounding is how far an exact divergence found by quadrature may lie above a claim that it attains.
const rounding = 1e-7

func accepts(t *testing.T, name string, r release, cells, n int) {
	t.Helper()
	if worst, where := audit(r, cells, n); !(worst > 0 && worst <= 1+rounding) {
		t.Errorf("%s: %v times its claim at %s", name, worst, where)
	}
}

func rejects(t *testing.T, name string, r release, cells, n int) {
	t.Helper()
	if worst, where := audit(r, cells, n); !(worst > 1.001) {
		t.Errorf("%s passes: %v times its claim at most, at %s", name, worst, where)
	}
}

// logBetaBySum is ln ∫ y^{a−1}(1−y)^{b−1} dy by the trapezoidal rule in logit y; no gamma function enters.
func logBetaBySum(a, b float64) float64 {
	if v, known := betaSums[[2]float64{a, b}]; known {
		return v
	}
	g := func(t float64) float64 {
		return -(a+b)*math.Log1p(math.Exp(-math.Abs(t))) - a*math.Max(-t, 0) - b*math.Max(t, 0)
	}
	mode, h := math.Log(a/b), math.Min(.2, .6*math.Sqrt((a+b)/(a*b)))
	top, sum := g(mode), 1.0
	for _, step := range []float64{h, -h} {
		for t := mode + step; g(t) > top-42; t += step {
			sum += math.Exp(g(t) - top)
		}
	}
	betaSums[[2]float64{a, b}] = top + math.Log(sum*h)
	return top + math.Log(sum*h)
}

var betaSums = map[[2]float64]float64{}

// dirichletLaw is a Dirichlet law, by its parameters.
type dirichletLaw []float64

func (u dirichletLaw) logNorm() (sum float64) { // by stick-breaking
	rest := u[len(u)-1]
	for i := len(u) - 2; i >= 0; i-- {
		sum += logBetaBySum(u[i], rest)
		rest += u[i]
	}
	return sum
}

func (u dirichletLaw) renyi(other outputLaw, order float64) float64 {
	v, w := other.(dirichletLaw), make(dirichletLaw, len(u))
	for i := range u {
		if w[i] = order*u[i] - (order-1)*v[i]; !(w[i] > 0) {
			return math.Inf(1)
		}
	}
	return (w.logNorm() + (order-1)*v.logNorm() - order*u.logNorm()) / (order - 1)
}

// hockey integrates over w = y_i/(y_i + y_j), on which the loss depends when parameters i and j change by −s and s.
func (u dirichletLaw) hockey(other outputLaw, epsilon float64) float64 {
	v := other.(dirichletLaw)
	var a, b, s float64
	for i := range u {
		if d := u[i] - v[i]; d > 0 {
			a, s = v[i], d
		} else if d < 0 {
			b = u[i]
		}
	}
	np, nq := logBetaBySum(a+s, b), logBetaBySum(a, b+s)
	density := func(t float64) float64 {
		l := math.Log1p(math.Exp(-math.Abs(t)))
		return math.Exp(-(a+s)*(l+math.Max(-t, 0)) - b*(l+math.Max(t, 0)) - np)
	}
	from, width := (epsilon+np-nq)/s, math.Sqrt((a+s+b)/((a+s)*b)) // the loss is s·t + nq − np
	sum := 0.0
	for t := from; t-from < 60*width+60/b; t += math.Min(1, width) {
		sum += num.Integrate24(func(t float64) float64 { return -math.Expm1(epsilon-s*t-nq+np) * density(t) }, t,
			t+math.Min(1, width), 1)
	}
	return sum
}

// histogramRelease draws Dir(rate·x + shape).
func histogramRelease(rate, shape float64, claim loss.Pair) release {
	return release{law: func(x []int) outputLaw {
		u := make(dirichletLaw, len(x))
		for i, v := range x {
			u[i] = rate*float64(v) + shape
		}
		return u
	}, rdp: claim.RDP, delta: claim.Delta}
}

// atOrder claims (λ, ε)-RDP only.
func (r release) atOrder(order, epsilon float64) release {
	r.rdp = func(o float64) float64 {
		if o == order {
			return epsilon
		}
		return math.Inf(1)
	}
	r.delta = func(float64) float64 { return math.Inf(1) }
	return r
}

// algorithm1Rate solves ½λr²Δ₂²ψ′(1 + 3(λ−1)r) = ε.
func algorithm1Rate(t *testing.T, order, epsilon, delta2 float64) float64 {
	t.Helper()
	_, hi := must.Get2(num.RootBracket(func(l float64) float64 {
		r := math.Exp(l)
		return math.Log(.5 * order * r * r * delta2 * num.Trigamma(1+3*(order-1)*r) / epsilon)
	}, -15, 15, 1e-13))(t)
	return math.Exp(hi)
}

func TestAuditOfAlgorithm1(t *testing.T) {
	none := loss.DirichletPair{Rate: 1, Shape: 1}
	for _, order := range []float64{2, 5} {
		for _, eps := range []float64{.01, .1, 1} {
			name := fmt.Sprintf("λ = %v, ε = %v: ", order, eps)
			r := algorithm1Rate(t, order, eps, 2)
			accepts(t, name+"Algorithm 1", histogramRelease(r, 1+4*(order-1)*r, none).atOrder(order, eps), 3, 4)
			rejects(t, name+"α = 1 + (λ−1)r", histogramRelease(r, 1+(order-1)*r, none).atOrder(order, eps), 3, 4)
			one := algorithm1Rate(t, order, eps, 1)
			rejects(t, name+"Δ₂² = 1", histogramRelease(one, 1+4*(order-1)*one, none).atOrder(order, eps), 3, 4)
			for _, k := range []float64{3, 13} { // the class counts of K features at ε/(K+1)
				r := algorithm1Rate(t, order, eps/(k+1), 2)
				accepts(t, name+"class counts", histogramRelease(r, 1+4*(order-1)*r, none).atOrder(order, eps/(k+1)),
					2, 4)
				rejects(t, name+"class counts times K",
					histogramRelease(k*r, 1+4*(order-1)*r, none).atOrder(order, eps/(k+1)), 2, 4)
			}
		}
	}
}

// The pair of add-remove is a claim of sensitivity 1.
func TestAuditOfThePairs(t *testing.T) {
	for _, p := range [][2]float64{{1, 1}, {.3, 3}, {2, 12}} {
		right := loss.DirichletPair{Rate: p[0], Shape: p[1]}
		accepts(t, "Theorem A", histogramRelease(p[0], p[1], right), 3, 4)
		if worst, _ := audit(histogramRelease(p[0], p[1], right), 3, 2); worst < 1-1e-6 {
			t.Errorf("r = %v, α = %v: not attained, %v", p[0], p[1], worst)
		}
		rejects(t, "add-remove sold as replace-one",
			histogramRelease(p[0], p[1], loss.GammaPair{Rate: p[0], Shape: p[1]}), 3, 4)
	}
}

// No neighbours exceed the pair, whatever the parameters; the corner attains it.
func TestNoHistogramExceedsThePair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Float64Range(.05, 4).Draw(t, "r")
		shape := r * rapid.Float64Range(.3, 30).Draw(t, "α/r")
		order := 1 + shape/r*rapid.Float64Range(.01, .95).Draw(t, "(λ−1)r/α")
		eps := rapid.Float64Range(0, 3).Draw(t, "ε")
		x := rapid.SliceOfN(rapid.IntRange(0, 9), 2, 6).Draw(t, "x")
		i := rapid.IntRange(0, len(x)-1).Draw(t, "i")
		j := (i + rapid.IntRange(1, len(x)-1).Draw(t, "j − i")) % len(x)
		pair := loss.DirichletPair{Rate: r, Shape: shape}
		x[i]++
		law := histogramRelease(r, shape, pair).law
		y := append([]int(nil), x...)
		y[i]--
		y[j]++
		corner := y[i] == 0 && x[j] == 0
		for name, v := range map[string][2]float64{
			"RDP": {law(x).renyi(law(y), order), pair.RDP(order)},
			"δ":   {law(x).hockey(law(y), eps), pair.Delta(eps)},
		} {
			if exact, bound := v[0], v[1]; !(exact <= bound*(1+rounding)+1e-13) ||
				(corner && exact < bound*(1-1e-6)-1e-13) {
				t.Fatalf("%s of %v to %v: exact %v, pair %v", name, x, y, exact, bound)
			}
		}
	})
}

// seededTables are the two margins of a 2×2 histogram of records, as gamma draws or as noisy counts from seeded
// streams.
type seededTables struct {
	rows, columns [2]int
	draw          func(s *dp.Stream, count int) float64
	shift         uint64
}

// renyi claims nothing: the hockey-stick divergence refutes more.
func (s seededTables) renyi(outputLaw, float64) float64 { return 0 }

// hockey is that of two events: the tables differ by exactly what they do under this law, or they do not. One seed
// makes that certain.
func (s seededTables) hockey(other outputLaw, epsilon float64) float64 {
	share := func(l seededTables) (p float64) {
		for k := range uint64(32) {
			if l.difference(k) == s.difference(0) {
				p += 1. / 32
			}
		}
		return p
	}
	if share(s) < 1 { // independent continuous draws repeat a difference with probability 0
		return 0
	}
	return 1 - math.Exp(epsilon)*share(other.(seededTables))
}

func (s seededTables) difference(k uint64) (out [2]float64) {
	u, v := dp.Seeded(k), dp.Seeded(k+s.shift)
	for i := range out {
		out[i] = s.draw(u, s.rows[i]) - s.draw(v, s.columns[i])
	}
	return out
}

func TestAuditOfSeeds(t *testing.T) {
	one := must.Get(loss.Declare(loss.Repeat{Pair: loss.DirichletPair{Rate: 1, Shape: 8}, Times: 2}))(t)
	for name, draw := range map[string]func(s *dp.Stream, count int) float64{
		"gamma draws": func(s *dp.Stream, c int) float64 { return sample.LogGamma(s, 8+float64(c)) },
		"noise": func(s *dp.Stream, c int) float64 { // on a grid, so that counts add exactly
			return float64(c) + math.Round(5000*sample.Normal(s))/1024
		},
	} {
		subject := func(shift uint64) release { // of the second table's seed
			return release{law: func(x []int) outputLaw {
				return seededTables{rows: [2]int{x[0] + x[1], x[2] + x[3]}, columns: [2]int{x[0] + x[2], x[1] + x[3]},
					draw: draw, shift: shift}
			}, rdp: one.RDP, delta: one.Delta}
		}
		if worst, where := audit(subject(1000), 4, 2); worst != 0 {
			t.Errorf("%s, own seeds: %v at %s", name, worst, where)
		}
		rejects(t, name+", one seed for every table", subject(0), 4, 2)
		// the divergence is infinite: an event that is certain under one data set is impossible under its neighbour
		x, y := subject(0).law([]int{1, 0, 0, 0}), subject(0).law([]int{0, 1, 0, 0})
		if got := x.hockey(y, 700); got != 1 {
			t.Errorf("%s, one seed: δ(700) = %v, want 1", name, got)
		}
	}
}

// clippedNoise is a count with N(0, σ²) noise, cut from below: an atom at the cut and the density above it. Without
// noise it is a point.
type clippedNoise struct{ count, sigma, cut float64 }

func (c clippedNoise) atom() float64 { return math.Erfc((c.count-c.cut)/c.sigma/math.Sqrt2) / 2 }

// integral is the sum of f(p, q) over the atom and the density, in two parts about a kink.
func (c clippedNoise) integral(other outputLaw, kink float64, f func(p, q float64) float64) float64 {
	o := other.(clippedNoise)
	if c.sigma == 0 { // two points, which differ
		return f(1, 0)
	}
	density := func(x, mean float64) float64 {
		z := (x - mean) / c.sigma
		return math.Exp(-z*z/2) / (c.sigma * math.Sqrt(2*math.Pi))
	}
	at := func(x float64) float64 { return f(density(x, c.count), density(x, o.count)) }
	lo, hi := math.Max(c.cut, math.Min(c.count, o.count)-14*c.sigma), math.Max(c.count, o.count)+14*c.sigma
	kink = math.Max(lo, math.Min(hi, kink))
	return f(c.atom(), o.atom()) + num.Integrate24(at, lo, kink, 30) + num.Integrate24(at, kink, hi, 30)
}

func (c clippedNoise) renyi(other outputLaw, order float64) float64 {
	return math.Log(c.integral(other, c.count, func(p, q float64) float64 {
		return p * math.Pow(p/math.Max(q, 1e-300), order-1)
	})) / (order - 1)
}

func (c clippedNoise) hockey(other outputLaw, epsilon float64) float64 {
	o := other.(clippedNoise)
	kink := (c.count+o.count)/2 + c.sigma*c.sigma*epsilon/(c.count-o.count) // p = e^ε q
	return c.integral(other, kink, func(p, q float64) float64 { return math.Max(0, p-math.Exp(epsilon)*q) })
}

// Cutting noisy counts at 1e-6 is post-processing: it neither adds to the privacy of the noise nor replaces any of it.
func TestAuditOfClipping(t *testing.T) {
	subject := func(sigma, cut float64, claim loss.Pair) release {
		return release{law: func(x []int) outputLaw {
			return clippedNoise{count: float64(x[0]), sigma: sigma,
				cut: cut}
		}, rdp: claim.RDP, delta: claim.Delta}
	}
	for _, sigma := range []float64{.7, 2} {
		claim := loss.GaussianPair{Mu: 1 / sigma}
		accepts(t, "noise", subject(sigma, math.Inf(-1), claim), 2, 8)
		accepts(t, "noise, cut", subject(sigma, 1e-6, claim), 2, 8)
		rejects(t, "half the noise, cut", subject(sigma/2, 1e-6, claim), 2, 8)
		rejects(t, "no noise, cut, at ε = 50", subject(0, 1e-6, loss.PurePair{Epsilon: 50}), 2, 8)
	}
}
