package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// expMech is the exponential mechanism with rate(x) in exp(−rate·H).
type expMech struct {
	alpha []float64
	n     int
	rate  func(x []int64) float64
}

func (m expMech) Outputs() int { return int(hellingersample.Count(int64(m.n), len(m.alpha))) }

func (m expMech) LogLaw(x []int, out []float64) {
	y := wide(x)
	if err := hellingersample.Exponents(m.alpha, y, m.rate(y), out); err != nil {
		for i := range out {
			out[i] = math.NaN()
		}
		return
	}
	for i := range out {
		out[i] = -out[i]
	}
	z := num.LogSumExp(out)
	for i := range out {
		out[i] -= z
	}
}

func wide(x []int) []int64 {
	y := make([]int64, len(x))
	for i, v := range x {
		y[i] = int64(v)
	}
	return y
}

// space is a hellinger.Space of constants of this package, which are in its domain.
func space(n int, alpha ...float64) *hellinger.Space {
	s, err := hellinger.New(alpha, int64(n))
	if err != nil {
		panic(err)
	}
	return s
}

// global, local and localPlus are the modes at rate κ.
func global(s *hellinger.Space, kappa float64) func([]int64) float64 {
	v, _, _ := s.Global()
	return func([]int64) float64 { return kappa / v }
}

func local(s *hellinger.Space, kappa float64) func([]int64) float64 {
	return func(x []int64) float64 { v, _, _ := s.Local(x); return kappa / v }
}

func localPlus(s *hellinger.Space, kappa float64) func([]int64) float64 {
	return func(x []int64) float64 { v, _, _ := s.LocalPlus(x); return kappa / v }
}

func smooth(s *hellinger.Space, kappa, beta float64) func([]int64) float64 {
	return func(x []int64) float64 { return kappa / s.Smooth(x, beta).Value }
}

func reciprocal(s *hellinger.Space, kappa, gamma float64) func([]int64) float64 {
	return func(x []int64) float64 { return kappa / s.Reciprocal(x, gamma).Value }
}

// audit enumerates a mode.
func audit(ctx context.Context, f *Finding, s *hellinger.Space, rate func([]int64) float64,
	o finite.Options) (*finite.Result, error) {
	ctx = cert.WithWorkLimit(ctx, 1_000_000_000)
	res, err := finite.AuditWith(ctx, expMech{s.Alpha(), int(s.N()), rate},
		finite.Space{Cells: s.Cells(), N: int(s.N())}, o)
	if err == nil {
		f.Cases += res.Work
	}
	return res, err
}

// pure is the exact pure ε of a mode.
func pure(ctx context.Context, f *Finding, s *hellinger.Space, rate func([]int64) float64) (float64, error) {
	res, err := audit(ctx, f, s, rate, finite.Options{})
	if err != nil {
		return 0, err
	}
	return res.Epsilon, nil
}

// notesBeta is the notes' β = ln(1 + ε/(2 ln(2N/δ))).
func notesBeta(epsilon, delta, n float64) float64 {
	return math.Log1p(epsilon / (2 * math.Log(2*n/delta)))
}

// eachHistogram visits the data sets of a space.
func eachHistogram(s *hellinger.Space, visit func(x []int64)) {
	for x := range finite.Histograms(s.Cells(), int(s.N())) {
		visit(wide(x))
	}
}

// exactPure is the exact pure ε of a mode, and the range of its log-ratios, with every row of distances computed once:
// tables are visited in an order in which neighbours are near, and a row is kept until its neighbours have been seen.
func exactPure(f *Finding, s *hellinger.Space, rate func([]int64) float64) (epsilon, width float64) {
	type law struct {
		logs []float64
		z    float64
	}
	key := func(x []int64) string {
		out := make([]byte, 0, 4*len(x))
		for _, v := range x {
			out = append(out, byte(v), byte(v>>8))
		}
		return string(out)
	}
	kept, order := map[string]*law{}, []string(nil)
	count := int(hellingersample.Count(s.N(), s.Cells()))
	window := 1 // tables with the same or the next first count
	for i := 0; i < s.Cells()-2; i++ {
		window *= int(s.N()) + 2
	}
	window *= 2
	eachHistogram(s, func(x []int64) {
		l := &law{logs: make([]float64, count)}
		if err := hellingersample.Exponents(s.Alpha(), x, rate(x), l.logs); err != nil {
			f.require(false, "x = %v: %v", x, err)
			return
		}
		for _, v := range l.logs {
			l.z += math.Exp(-v)
		}
		l.z = math.Log(l.z)
		for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
			y := append([]int64(nil), x...)
			y[i]--
			y[j]++
			other := kept[key(y)]
			if other == nil {
				continue // not yet visited: the pair is compared from the other side
			}
			least, most := math.Inf(1), math.Inf(-1)
			for r, v := range l.logs {
				e := other.logs[r] - v
				least, most = math.Min(least, e), math.Max(most, e)
			}
			f.Cases += int64(count)
			shift := other.z - l.z
			epsilon = math.Max(epsilon, math.Max(math.Abs(most+shift), math.Abs(least+shift)))
			width = math.Max(width, most-least)
		}
		kept[key(x)] = l
		if order = append(order, key(x)); len(order) > window {
			delete(kept, order[0])
			order = order[1:]
		}
	})
	return epsilon, width
}

// eachPair visits the ordered pairs of neighbours of a space.
func eachPair(s *hellinger.Space, visit func(x, y []int64)) {
	eachHistogram(s, func(x []int64) {
		for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
			y := append([]int64(nil), x...)
			y[i]--
			y[j]++
			visit(x, y)
		}
	})
}

// lawAt is rate·H(x, r) of every candidate r, and ln of the normaliser.
func lawAt(s *hellinger.Space, x []int64, rate float64) (exponents []float64, z float64) {
	exponents = make([]float64, hellingersample.Count(s.N(), s.Cells()))
	if err := hellingersample.Exponents(s.Alpha(), x, rate, exponents); err != nil {
		return nil, math.NaN()
	}
	for _, v := range exponents {
		z += math.Exp(-v)
	}
	return exponents, math.Log(z)
}

// commas is a list in words.
func commas[T any](list []T) string {
	out := ""
	for i, v := range list {
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprint(v)
	}
	return out
}

// orbitSpace is the space of n records over d cells with the prior (a1, big, …, big).
func orbitSpace(d, n int, a1, big float64) *hellinger.Space {
	alpha := make([]float64, d)
	for i := range alpha {
		alpha[i] = big
	}
	alpha[0] = a1
	return space(n, alpha...)
}

// orbit is a set of candidates that permutations of the last d − 2 cells turn into each other, with its distances from
// x and y.
type orbit struct{ count, hx, hy float64 }

// orbitsOf lists the orbits of the candidates seen from x = n·e₁ and y = (n−1)·e₁ + e₂.
func orbitsOf(d, n int, a1, big float64) []orbit {
	var out []orbit
	phi := func(a float64, u, v int) float64 { return num.LogBC(a+float64(u), a+float64(v)) }
	for r1 := 0; r1 <= n; r1++ {
		for r2 := 0; r1+r2 <= n; r2++ {
			partitions(n-r1-r2, d-2, func(parts []int) {
				rest := 0.0
				for _, p := range parts {
					rest += phi(big, 0, p)
				}
				h := func(x1, x2 int) float64 { return hellinger.FromLogBC(phi(a1, x1, r1) + phi(big, x2, r2) + rest) }
				out = append(out, orbit{arrangements(parts, d-2), h(n, 0), h(n-1, 1)})
			})
		}
	}
	return out
}

// partitions visits the ways to write total as a sum of at most most positive parts, in falling order.
func partitions(total, most int, visit func(parts []int)) {
	var parts []int
	var fill func(left, cap int)
	fill = func(left, cap int) {
		if left == 0 {
			visit(parts)
			return
		}
		if len(parts) == most {
			return
		}
		for p := min(left, cap); p >= 1; p-- {
			parts = append(parts, p)
			fill(left-p, p)
			parts = parts[:len(parts)-1]
		}
	}
	fill(total, total)
}

// arrangements is the number of ways to place the parts in cells.
func arrangements(parts []int, cells int) float64 {
	ways, left := 1.0, cells
	for i := 0; i < len(parts); {
		j := i
		for j < len(parts) && parts[j] == parts[i] {
			j++
		}
		for k := range j - i {
			ways *= float64(left-k) / float64(k+1)
		}
		left -= j - i
		i = j
	}
	return ways
}

// orbitDelta is the greater hockey-stick divergence at ε of the smooth mode at the pair (x, y), κ = ε/2.
func orbitDelta(f *Finding, d, n int, a1, big, epsilon, beta float64) float64 {
	s := orbitSpace(d, n, a1, big)
	x, y := make([]int64, d), make([]int64, d)
	x[0], y[0], y[1] = int64(n), int64(n-1), 1
	ax, ay := epsilon/2/s.Smooth(x, beta).Value, epsilon/2/s.Smooth(y, beta).Value
	zx, zy := 0.0, 0.0
	list := orbitsOf(d, n, a1, big)
	for _, o := range list {
		zx += o.count * math.Exp(-ax*o.hx)
		zy += o.count * math.Exp(-ay*o.hy)
	}
	xy, yx := 0.0, 0.0
	for _, o := range list {
		p, q := math.Exp(-ax*o.hx)/zx, math.Exp(-ay*o.hy)/zy
		xy += o.count * math.Max(0, p-math.Exp(epsilon)*q)
		yx += o.count * math.Max(0, q-math.Exp(epsilon)*p)
	}
	f.Cases += int64(len(list))
	return math.Max(xy, yx)
}

// gammaTail is P[Gamma(m) ≥ t] = e^{−t} Σ_{k<m} t^k/k!.
func gammaTail(m int, t float64) float64 {
	sum, term := 0.0, 1.0
	for k := range m {
		if k > 0 {
			term *= t / float64(k)
		}
		sum += term
	}
	return sum * math.Exp(-t)
}

// laplaceTail puts factor in front of the threshold.
func laplaceTail(_ context.Context, f *Finding, factor float64) error {
	least, most := math.Inf(1), 0.0
	for m := 2; m <= 10; m++ {
		for _, gamma := range []float64{.5, .1, .05, .01, 1e-3} {
			t := factor * float64(m) * math.Log(float64(m)/gamma)
			f.trial().bound(gamma, gammaTail(m, t), float64(m)-gamma, "m = %d, γ = %v: %.4f", m, gamma, gammaTail(m, t))
			lo, hi := 0.0, 100*t
			for range 200 {
				if mid := (lo + hi) / 2; gammaTail(m, mid) > gamma {
					lo = mid
				} else {
					hi = mid
				}
			}
			least, most = math.Min(least, t/hi), math.Max(most, t/hi)
		}
	}
	f.require(least > 1.4 && most < 4.1, "the bound is %v to %v times the quantile", least, most)
	return nil
}

// laplaceMaximum tests the equality; only the inequality where atMost.
func laplaceMaximum(_ context.Context, f *Finding, atMost bool) error {
	for m := 2; m <= 10; m++ {
		for _, gamma := range []float64{.5, .1, .05, .01, 1e-3} {
			t := math.Log(float64(m) / gamma) // of a unit exponential
			exact := -math.Expm1(float64(m) * math.Log1p(-math.Exp(-t)))
			f.trial().printed(near(exact, gamma, 1e-9) || atMost && exact <= gamma, float64(m)-gamma, "m = %d, γ = %v: "+
				"%.4f", m, gamma, exact)
			f.trial().repaired(exact < gamma && near(exact, 1-math.Pow(1-gamma/float64(m), float64(m)), 1e-9),
				"m = %d, γ = %v", m, gamma)
		}
	}
	return nil
}

// dilationExcess is sup_S P[z ∈ S] − e^{ε/2}·P[z ∈ e^λ S] for z ~ Lap(1), λ > 0: attained by S = {|z| ≥ w₀}.
func dilationExcess(lambda, epsilon float64) float64 {
	w0 := (epsilon/2 + lambda) / math.Expm1(lambda)
	return math.Exp(-w0) * -math.Expm1(-lambda)
}

// laplaceDilation puts factor in front of β.
func laplaceDilation(_ context.Context, f *Finding, factor float64) error {
	for _, c := range []struct{ over, delta, fails float64 }{
		{2, .999, 2.7266}, {3, .999, 4.8335},
		{2, .9, 2.9364}, {2, .5, 3.8549}, {2, .1, 5.3635}, {2, 1e-2, 6.6280}, {2, 1e-5, 8.6729}, {2, 1e-10, 10.4444},
		{3, .9, 4.9646}, {3, .5, 5.6202}, {3, .1, 6.8826}, {3, 1e-2, 8.0398}, {3, 1e-5, 10.0061}, {3, 1e-10, 11.7566},
	} {
		ok := func(eps float64) bool {
			f.Cases++
			return dilationExcess(factor*eps/(2*math.Log(c.over/c.delta)), eps) <= c.delta/2
		}
		lo, hi := .01, 50.0
		for range 100 {
			if mid := (lo + hi) / 2; ok(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		f.number(fmt.Sprintf("ln(%v/δ) fails from ε, δ = %v", c.over, c.delta), hi, c.fails, 6e-5)
		f.trial().printed(ok(1.01*hi), hi, "δ = %v: ln(%v/δ) fails from ε = %.4f", c.delta, c.over, hi)
		f.trial().repaired(ok(2.7), "δ = %v, ln(%v/δ): fails at ε = 2.7", c.delta, c.over)
	}
	f.number("true excess ÷ allowed, ε = 1, δ = 1e-5", dilationExcess(1/(2*math.Log(2e5)), 1)/5e-6, .02, .005)
	return nil
}

// randomSpaces visits spaces with priors over six decades, reproducibly.
func randomSpaces(count int, visit func(s *hellinger.Space, r *rand.Rand) error) error {
	r := rand.New(rand.NewPCG(1, 2))
	for range count {
		d := 2 + r.IntN(3)
		alpha := make([]float64, d)
		for i := range alpha {
			alpha[i] = math.Pow(10, -2.5+5.5*r.Float64())
		}
		n := 1 + r.IntN([]int{0, 0, 25, 8, 5}[d])
		if err := visit(space(n, alpha...), r); err != nil {
			return err
		}
	}
	return nil
}

// theorem1 puts factor in front of the bound.
func theorem1(ctx context.Context, f *Finding, factor float64) error {
	closest := 0.0
	err := randomSpaces(150, func(s *hellinger.Space, r *rand.Rand) error {
		gamma, kappa := math.Pow(10, -1.5+2*r.Float64()), math.Pow(10, -1+2*r.Float64())
		for _, c := range []struct {
			rate  func([]int64) float64
			gamma float64
		}{{reciprocal(s, kappa, gamma), gamma}, {localPlus(s, kappa), s.GammaPlus()}, {global(s, kappa), 0}} {
			res, err := audit(ctx, f, s, c.rate, finite.Options{})
			if err != nil {
				return err
			}
			closest = math.Max(closest, res.Range/(kappa*hellinger.Rho(c.gamma, 1)))
			rho := factor * hellinger.Rho(c.gamma, 1)
			f.trial().printed(res.Range <= kappa*rho*(1+1e-9)+1e-11 && res.Epsilon <= res.Range*(1+1e-12),
				float64(s.N()), "prior %v, n = %d, γ = %v: range %v of %v", s.Alpha(), s.N(), c.gamma, res.Range,
				kappa*rho)
		}
		return nil
	})
	f.require(closest > .9, "the range never comes close to κρ: %v", closest)
	return err
}

// theoremS compares with the maxima over all candidates for factor·β and factor·γ.
func theoremS(_ context.Context, f *Finding, factor float64) error {
	spaces := 60
	if factor != 1 {
		spaces = 10
	}
	return randomSpaces(spaces, func(s *hellinger.Space, r *rand.Rand) error {
		beta, gamma := math.Pow(10, -2+2*r.Float64()), math.Pow(10, -2+3*r.Float64())
		eachHistogram(s, func(x []int64) {
			a, b := s.Smooth(x, beta).Value, s.SmoothBrute(x, factor*beta)
			c, d := s.Reciprocal(x, gamma).Value, s.ReciprocalBrute(x, factor*gamma)
			f.trial().printed(math.Abs(a-b) <= 1e-13*b && math.Abs(c-d) <= 1e-13*d, float64(s.N()),
				"prior %v, x = %v: %v %v, %v %v", s.Alpha(), x, a, b, c, d)
		})
		return nil
	})
}

// theoremC claims factor·ε.
func theoremC(ctx context.Context, f *Finding, factor float64) error {
	return randomSpaces(100, func(s *hellinger.Space, r *rand.Rand) error {
		eps, delta := math.Pow(10, -.5+1.5*r.Float64()), math.Pow(10, -8*r.Float64()-.05)
		kappa := eps / 3
		beta := math.Log1p(kappa / (s.LogSize() - math.Log(delta)))
		levels := make([]float64, 21) // of ε: what the same δ costs
		for i := range levels {
			levels[i] = eps * float64(i) / 20
		}
		res, err := audit(ctx, f, s, smooth(s, kappa, beta), finite.Options{Epsilons: levels})
		if err != nil {
			return err
		}
		f.trial().printed(res.Delta[20] <= delta, float64(s.N()), "prior %v, n = %d, ε = %v: δ = %v of %v", s.Alpha(),
			s.N(), eps, res.Delta[20], delta)
		for i, d := range res.Delta {
			if d <= delta {
				f.trial().bound(factor*eps, levels[i], float64(s.N()), "prior %v, n = %d", s.Alpha(), s.N())
				break
			}
		}
		return nil
	})
}

// slopes are L′(t) and −L″(t) of L = ln g: sums of the positive terms h(t) = 1/(2t(t+1)(2t+1)) of the recurrence and of
// −h′, up to t ≥ 30, and the derivatives of the expansion from there, whose first term left out is below 1e-13 of the
// sum.
func slopes(t float64) (first, second float64) {
	for ; t < 30; t++ {
		h := 1 / (2 * t * (t + 1) * (2*t + 1))
		first += h
		second += h * (1/t + 1/(t+1) + 2/(2*t+1))
	}
	u := 1 / (t * t)
	first += u * (1./8 - u*(3./192-u*(5./640-u*(119./14336-u*(279./18432)))))
	second += u / t * (2./8 - u*(12./192-u*(30./640-u*(952./14336-u*(2790./18432)))))
	return first, second
}

// lemmaB certifies the inequality on geometric cells [a, b]: g increases, L′ and −L″ fall, so that on a cell the left
// side is at least (1 − g(b))·(−L″(b)) and the right side at most (1 + g(b)/2)·L′(a)². Below and above, the ratio of
// the sides tends to 2, needing less than 1.5.
//
// The coefficient of g is share, ½ in the lemma.
func lemmaB(_ context.Context, f *Finding, share float64) error {
	const lo, hi, cells = 1e-3, 1e4, 6000
	step := math.Pow(hi/lo, 1./cells)
	least := math.Inf(1)
	for i := range cells {
		a := lo * math.Pow(step, float64(i))
		b := a * step * (1 + 1e-12)
		la, _ := slopes(a)
		_, lb2 := slopes(b)
		g := math.Exp(num.LogGammaHalfRatio(b))
		gap := -math.Expm1(num.LogGammaHalfRatio(b)) // 1 − g without cancellation
		slack := gap*lb2/(la*la) - (1 + share*g)
		least = math.Min(least, slack)
		f.trial().printed(slack > 0, a, "cell [%v, %v]: slack %v", a, b, slack)
	}
	f.require(least > .25, "least slack %v", least)
	for _, t := range []float64{1e-6, 1e7} {
		l1, l2 := slopes(t)
		f.number("−(1−g)L″/L′² at an end", -math.Expm1(num.LogGammaHalfRatio(t))*l2/(l1*l1), 2, .01)
	}
	return nil
}

// gammaPlus puts factor in front of γ⁺.
func gammaPlus(_ context.Context, f *Finding, factor float64) error {
	err := randomSpaces(150, func(s *hellinger.Space, _ *rand.Rand) error {
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				a, _, _ := s.LocalPlus(x)
				b, _, _ := s.LocalPlus(y)
				f.trial().printed(math.Abs(1/a-1/b) <= factor*s.GammaPlus()*(1+1e-9), float64(s.N()), "prior %v, %v to %v: "+
					"%v", s.Alpha(), x, y, math.Abs(1/a-1/b))
			}
		})
		return nil
	})
	for _, c := range [][2]float64{{.1, 1.68622}, {.5, 1.34068}, {1, 1.11730}, {7, .51396}, {30, .25580}} {
		f.number("γ⁺", space(1, c[0], c[0]).GammaPlus(), c[1], 6e-6)
	}
	s := space(20, 100, 100, 10000)
	a, _, _ := s.Local([]int64{0, 0, 20})
	b, _, _ := s.Local([]int64{1, 0, 19})
	f.number("jump of 1/LS, prior (100, 100, 10000)", math.Abs(1/a-1/b), 8.14, .02)
	return err
}
