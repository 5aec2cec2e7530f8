package claims

import (
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// exactTail is P[KL(p‖q) > η] for q ~ Dir(βp + α), by inversion of its moment generating function M:
//
//	P = 1/(2πi) ∫ M(z) e^{−zη}/z dz
//
// along the hyperbola z(v) = c + w(0.6(cosh v − 1) + i sinh v). It crosses the real axis at the least value of
// M(t)e^{−tη}/t, t > 0, and bends around the only singularities of M, which are real and beyond. The integrand falls
// doubly exponentially in v, and the trapezoidal rule converges exponentially.
func exactTail(p []float64, beta, alpha, eta float64) float64 {
	end := math.Inf(1)
	for _, v := range p {
		if v > 0 {
			end = math.Min(end, (beta*v+alpha)/v)
		}
	}
	exponent := func(t float64) float64 { return logMGF(p, beta, alpha, t) - t*eta - math.Log(t) }
	lo, hi := 0.0, end
	for range 90 { // it is convex
		a, b := lo+(hi-lo)*.382, lo+(hi-lo)*.618
		if exponent(a) < exponent(b) {
			hi = b
		} else {
			lo = a
		}
	}
	c := (lo + hi) / 2
	h := math.Min(c, end-c) / 100
	top := exponent(c)
	width := h / math.Sqrt(exponent(c+h)-2*top+exponent(c-h))
	const step = 1. / 32
	sum := .5
	for v := step; v < 12; v += step {
		x, y := math.Cosh(v), math.Sinh(v)
		z := complex(c+width*.6*(x-1), width*y)
		f := cmplx.Exp(complexLogMGF(p, beta, alpha, z)-z*complex(eta, 0)-cmplx.Log(z)-complex(top, 0)) *
			complex(.6*y, x)
		sum += imag(f)
		if cmplx.Abs(f) < 1e-17 {
			break
		}
	}
	return math.Exp(top) * sum * step * width / math.Pi
}

// complexLogMGF is logMGF at complex z off the real axis.
func complexLogMGF(p []float64, beta, alpha float64, z complex128) complex128 {
	n := beta + float64(len(p))*alpha
	sum := complexLogGamma(complex(n, 0)) - complexLogGamma(complex(n, 0)-z)
	for _, v := range p {
		if v > 0 {
			u := complex(beta*v+alpha, 0)
			sum += z*complex(v*math.Log(v), 0) + complexLogGamma(u-z*complex(v, 0)) - complexLogGamma(u)
		}
	}
	return sum
}

// complexLogGamma is lnΓ(z) off the negative axis, up to a multiple of 2πi: Stirling's series where |z| is large, and
// the recurrence to there.
func complexLogGamma(z complex128) (sum complex128) {
	for cmplx.Abs(z) < 24 {
		sum -= cmplx.Log(z)
		z++
	}
	u := 1 / (z * z)
	series := (1./12 - u*(1./360-u*(1./1260-u*(1./1680-u/1188)))) / z
	return sum + (z-.5)*cmplx.Log(z) - z + complex(.5*math.Log(2*math.Pi), 0) + series
}

// threeTail is P[KL > η] for three cells without a transform: given q_1, the others' share is a Beta variable of its
// own, whose tail is pairTail.
func threeTail(p [3]float64, beta, alpha, eta float64) (tail float64, err error) {
	rest := 1 - p[0]
	a, b := beta*p[0]+alpha, beta*rest+2*alpha
	norm := lgamma(a+b) - lgamma(a) - lgamma(b)
	at := func(logit float64) float64 { // in the logit of q_1 the density is log-concave
		density := math.Exp(norm - a*softplus(-logit) - b*softplus(logit))
		left := eta - p[0]*(math.Log(p[0])+softplus(-logit)) - rest*(math.Log(rest)+softplus(logit))
		if left <= 0 {
			return density
		}
		v, failed := pairTail(p[1]/rest, beta*rest, alpha, left/rest)
		if failed != nil {
			err = failed
		}
		return density * v
	}
	mode, wide := math.Log(p[0]/rest), 14*math.Sqrt(1/a+1/b)
	kl := func(logit float64) float64 {
		return p[0]*(math.Log(p[0])+softplus(-logit)) + rest*(math.Log(rest)+softplus(logit)) - eta
	}
	ends := []float64{mode - wide, mode + wide} // and the kinks between, where the tail given q_1 is 1
	for i, end := range ends {
		if x, _, e := num.RootBracket(kl, math.Min(mode, end), math.Max(mode, end), 0); e == nil {
			ends = append(ends, x)
		} else {
			ends = append(ends, ends[i])
		}
	}
	// left end, left kink, right kink, right end
	return num.Integrate24(at, ends[0], ends[2], 8) + num.Integrate24(at, ends[2], ends[3], 40) +
		num.Integrate24(at, ends[3], ends[1], 8), err
}

// tailRow is a row of the table of §3.1; NaN where it says n/a.
type tailRow struct{ eta, paper, lambert, star, simple, chernoff, exact float64 }

var unknown = math.NaN()

// tailTable holds the rows of §3.1, by p, β and α.
var tailTable = []struct {
	p           []float64
	beta, alpha float64
	rows        []tailRow
}{
	{histogramFigure2, 73.5, 3, []tailRow{
		{.230006, unknown, .997804, .682384, 1, .000975138, 5.95246e-05},
		{.32858, unknown, .806913, .0462469, 1, 1.90528e-06, 7.60464e-08},
		{.438107, unknown, .43355, .000437924, .0266815, 1.0325e-09, 2.96897e-11},
		{.657161, .367794, .0417465, 2.95323e-09, 8.51214e-06, 1.20221e-16, 2.19234e-18},
		{.876214, .227661, .0011088, 3.40953e-15, 2.7157e-09, 7.46725e-24, unknown},
	}},
	{uniform(10), 500, 2, []tailRow{
		{.0411817, unknown, .99952, .853154, 1, 5.35158e-05, 2.4683e-06},
		{.0588311, unknown, .95329, .0762782, .42963, 2.8411e-08, 8.70969e-10},
		{.0784414, unknown, .826617, .000699495, .00319105, 4.00148e-12, 8.93101e-14},
		{.117662, .68697, .470333, 2.54266e-09, 1.7604e-07, 3.69201e-20, unknown},
		{.156883, .528291, .18619, 1.04817e-15, 9.71057e-12, 2.00223e-28, unknown},
	}},
	{[]float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 500, 2, []tailRow{
		{.0411817, unknown, .99952, .853154, 1, .795899, .225622},
		{.0588311, unknown, .95329, .0762782, .42963, .0597968, .00717139},
		{.0784414, unknown, .826617, .000699495, .00319105, .000477195, 3.39352e-05},
		{.117662, .68697, .470333, 2.54266e-09, 1.7604e-07, 1.42999e-09, 5.54576e-11},
		{.156883, .528291, .18619, 1.04817e-15, 9.71057e-12, 5.15418e-16, 1.3702e-17},
	}},
	{[]float64{.22, .78}, 200, 1, []tailRow{
		{.0104478, unknown, .999988, .90843, 1, .413143, .0403281},
		{.0149255, unknown, .998765, .629929, .899195, .200599, .0142593},
		{.0199007, .995182, .995074, .35634, .546743, .0851369, .00465801},
		{.029851, .989323, .980489, .0883771, .202138, .0140879, .000528777},
		{.0398013, .981324, .95674, .0183693, .0747328, .0021981, 6.28439e-05},
	}},
	{[]float64{.22, .78}, 2000, 40, []tailRow{
		{.0411817, unknown, .99808, 5.68029e-07, 1, 2.2827e-31, unknown},
		{.0588311, unknown, .825847, 1.74246e-16, .0340704, 4.23954e-46, unknown},
		{.0784414, unknown, .466892, 5.7674e-29, 1.03689e-10, 1.10044e-62, unknown},
		{.117662, .222716, .0489354, 6.51595e-57, 9.60378e-28, 2.97424e-96, unknown},
		{.156883, .0778918, .00120179, 6.26968e-87, 8.89157e-45, 3.88054e-130, unknown},
	}},
}

// lambertTail is the bound inside the proof of Theorem 2, eq. (16), before W is estimated; v = W − 1 solves v + ln(1 +
// v) = η − ln(1 + dα/β).
func lambertTail(d, beta, alpha, eta float64) float64 {
	above := eta - math.Log1p(d*alpha/beta)
	if above <= 0 {
		return 1
	}
	v := above / 2
	for range 8 { // concave: Newton's method rises to it
		v -= (v + math.Log1p(v) - above) * (1 + v) / (2 + v)
	}
	return math.Exp(-beta * v * v / (1 + v))
}

// tailsExactly draws from k times β where the exact tails are asked for. The tails are those of two Beta variables, of
// a corner and of three cells integrated over the first, and the whole table of §3.1 is computed.
func tailsExactly(t *trial, k float64) error {
	ordered := func(p []float64, beta, alpha, eta, truth float64) {
		v := exactTail(p, k*beta, alpha, eta)
		t.printed(near(v, truth, 1e-9), float64(len(p)), "p = %v, β = %v, α = %v, η = %v: %v, not %v", p, beta, alpha,
			eta, v, truth)
	}
	for _, c := range [][2]float64{{200, 1}, {2000, 40}, {10, .05}, {1, .5}} {
		beta, alpha := c[0], c[1]
		for _, eta := range []float64{.003, .01, .1, 1} {
			for _, p := range []float64{.5, .22, .9} {
				truth, err := pairTail(p, beta, alpha, eta)
				if err != nil {
					return err
				}
				if truth > 1e-250 && truth < .5 {
					ordered([]float64{p, 1 - p}, beta, alpha, eta, truth)
				}
			}
			for _, d := range []int{2, 3, 10, 100} {
				corner := make([]float64, d)
				corner[d-1] = 1
				if truth := oneHotTail(float64(d), beta, alpha, eta); truth > 1e-250 && truth < .5 {
					ordered(corner, beta, alpha, eta, truth)
				}
			}
		}
	}
	for _, c := range []struct {
		p                [3]float64
		beta, alpha, eta float64
	}{{[3]float64{.2, .3, .5}, 50, 2, .05}, {[3]float64{.1, .1, .8}, 200, 1, .02}, {[3]float64{1. / 3, 1. / 3,
		1. / 3}, 20, .6, .3}} {
		truth, err := threeTail(c.p, c.beta, c.alpha, c.eta)
		if err != nil {
			return err
		}
		v := exactTail(c.p[:], k*c.beta, c.alpha, c.eta)
		t.printed(near(v, truth, 1e-6), 3, "three cells %+v: %v, not %v", c, v, truth)
	}
	for _, c := range []struct{ d, beta, alpha, bound float64 }{{1000, 100, .01, .092}, {2000, 200, .05, .0085},
		{50, 10, .01, .788}} { // Theorem 2 as printed, below α = ½
		bound, applies := paperTail(c.d, c.beta, c.alpha, 1)
		t.f.require(applies, "Theorem 2 as printed is silent at d = %v", c.d)
		t.f.number("bound below α = 1/2", bound, c.bound, 6e-3*c.bound)
		p := uniform(int(c.d))
		t.f.number("tail there, at least", 1-chernoff(p, k*c.beta, c.alpha, 1, -1), 1, .01)
	}
	tableOfTails(t, k)
	return nil
}

// tableOfTails computes the table of §3.1.
func tableOfTails(t *trial, k float64) {
	for _, c := range tailTable {
		_, p := proportions(c.p)
		d := float64(len(p))
		for _, row := range c.rows {
			value := func(name string, v, stated float64) {
				if !math.IsNaN(stated) {
					t.f.number(name, v, stated, 6e-6*stated)
				}
			}
			paper, applies := paperTail(d, c.beta, c.alpha, row.eta)
			t.f.require(applies == !math.IsNaN(row.paper), "Theorem 2 at β = %v, η = %v", c.beta, row.eta)
			value("Theorem 2", paper, row.paper)
			value("exact W", lambertTail(d, c.beta, c.alpha, row.eta), row.lambert)
			value("Theorem 2*", starTail(d, c.beta, c.alpha, row.eta), row.star)
			value("second form", math.Exp(math.Min(0, d*c.alpha*math.Ln2-c.beta*row.eta/2)), row.simple)
			value("Chernoff", chernoff(p, c.beta, c.alpha, row.eta, 1), row.chernoff)
			exact := exactTail(p, k*c.beta, c.alpha, row.eta)
			value("exact", exact, row.exact)
			t.printed(exact <= row.chernoff && row.chernoff <= row.star*1.00001 && row.star <= row.lambert, d,
				"out of order at β = %v, η = %v", c.beta, row.eta)
		}
	}
}

// frontier is the least α at which a draw of rate r is (5, ε)-RDP exactly.
func frontier(r, epsilon float64) (float64, error) {
	lo, hi, err := num.RootBracket(func(gap float64) float64 {
		return math.Log((loss.DirichletPair{Rate: r, Shape: r * (4 + math.Exp(gap))}).RDP(5) / epsilon)
	}, -30, 40, 1e-13)
	return r * (4 + math.Exp((lo+hi)/2)), err
}

// bestRate is the rate whose value, which has one minimum, is least on the frontier of (5, ε)-RDP.
func bestRate(epsilon float64, value func(r, alpha float64) float64) (r, least float64, err error) {
	at := func(x float64) float64 {
		alpha, failed := frontier(math.Exp(x), epsilon)
		if failed != nil {
			err = failed
		}
		return value(math.Exp(x), alpha)
	}
	lo, hi := math.Log(.2*math.Sqrt(epsilon)), math.Log(30*math.Sqrt(epsilon))
	for range 60 {
		a, b := lo+(hi-lo)*.382, lo+(hi-lo)*.618
		if at(a) < at(b) {
			hi = b
		} else {
			lo = a
		}
	}
	x := (lo + hi) / 2
	return math.Exp(x), at(x), err
}

// rateRow is a row of the table of §2.3: the best r and α, their E KL, that of Algorithm 1, and the gain.
type rateRow struct{ epsilon, rate, shape, least, algorithm1, gain float64 }

// rateTable holds the rows of §2.3 by histogram.
var rateTable = []struct {
	x    []float64
	rows []rateRow
}{
	{histogramFigure2, []rateRow{
		{.01, .082920169, 3.8792785, .270492143, .3041546482, 1.124},
		{.1, .21471125, 2.729733, .1248449832, .1472531492, 1.179},
		{1, .75810307, 3.6968772, .04886153996, .1086267783, 2.223},
		{10, 5.9513763, 23.855671, .03035520668, .1039085939, 3.423},
	}},
	{histogramX0, []rateRow{
		{.01, .077538747, 3.4468802, .0376757896, .04527691822, 1.202},
		{.1, .29597903, 4.7814791, .01008292535, .01193312557, 1.183},
		{1, 1.2508927, 8.3923729, .002479167793, .005477231384, 2.209},
		{10, 6.6230343, 27.130567, .0007176960259, .004726271034, 6.585},
	}},
	{[]float64{4620, 16380}, []rateRow{
		{.01, .28969063, 42.320333, .0001227421891, .000498746479, 4.063},
		{.1, 1.3338219, 88.85455, 2.668243654e-05, 8.627813549e-05, 3.234},
		{1, 6.182002, 189.17854, 5.755782297e-06, 1.027999745e-05, 1.786},
		{10, 28.817546, 408.19214, 1.238356332e-06, 1.518538054e-06, 1.226},
	}},
	{histogramZipf, []rateRow{
		{.01, .19134448, 18.712963, .001738081404, .004686877242, 2.697},
		{.1, .86394073, 37.453848, .0003874236377, .0008265908877, 2.134},
		{1, 3.9727347, 78.111208, 8.452080152e-05, .000111065935, 1.314},
		{10, 18.510597, 169.50321, 1.839115882e-05, 2.849059122e-05, 1.549},
	}},
}

// bestRates gives Algorithm 1 k times its ε. It computes the table of §2.3.
func bestRates(t *trial, k float64) error {
	for _, c := range rateTable {
		n, p := proportions(c.x)
		for _, row := range c.rows {
			r, least, err := bestRate(row.epsilon, func(r, alpha float64) float64 {
				return klrisk.ExpectedKL(p, n, r, alpha)
			})
			if err != nil {
				return err
			}
			shape, err := frontier(row.rate, row.epsilon)
			if err != nil {
				return err
			}
			one, a, err := algorithm1(5, k*row.epsilon)
			if err != nil {
				return err
			}
			loose := klrisk.ExpectedKL(p, n, one, a)
			t.bound(loose, least, float64(len(p)), "ε = %v, %v", row.epsilon, c.x)
			t.f.number("r", r, row.rate, 1e-4*r) // E KL is flat there
			t.f.number("α at the r of the table", shape, row.shape, 2e-7*shape)
			t.f.number("E KL", least, row.least, 1e-8*least)
			t.f.number("E KL of Algorithm 1", loose, row.algorithm1, 1e-9*loose)
			t.f.number("gain", loose/least, row.gain, 6e-4)
		}
	}
	return bestRecords(t, k)
}

// bestRecords computes the last column of the table of §3.2.
func bestRecords(t *trial, k float64) error {
	const gamma = .05
	for _, c := range []struct{ d, eps, eta, best float64 }{{2, .1, .01, 4388.4}, {6, .1, .1, 1119.5},
		{6, 1, .01, 4152.4}, {6, 1, .1, 400.9}, {20, 1, .1, 1137.9}, {20, 10, .01, 8492.4}} {
		needed := func(r, alpha float64) float64 {
			return leastRecords(r, gamma, func(beta float64) float64 { return starTail(c.d, beta, alpha, c.eta) })
		}
		_, best, err := bestRate(c.eps, func(r, alpha float64) float64 {
			if alpha < .5 {
				return math.Inf(1) // Theorem 2* does not hold there
			}
			return needed(r, alpha)
		})
		if err != nil {
			return err
		}
		one, a, err := algorithm1(5, k*c.eps)
		if err != nil {
			return err
		}
		t.f.number("records by Theorem 2* at the best r", best, c.best, .06)
		t.printed(best <= needed(one, a), c.d, "Algorithm 1 needs fewer records at d = %v, ε = %v", c.d, c.eps)
	}
	return nil
}
