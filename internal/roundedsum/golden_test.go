package roundedsum

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func exponentialRecord(hi float64, K int) func(float64, []float64) {
	return func(theta float64, p []float64) {
		h := hi / float64(K)
		below := 0.0
		for k := range p {
			upper := 1.0
			if k < K {
				upper = -math.Expm1(-theta * (float64(k) + .5) * h)
			}
			p[k] = upper - below
			below = upper
		}
	}
}

func poissonRecord(K int) func(float64, []float64) {
	return func(theta float64, p []float64) {
		rest, term := 1.0, math.Exp(-theta)
		for k := range K {
			p[k] = term
			rest -= term
			term *= theta / float64(k+1)
		}
		p[K] = rest
	}
}

// moved is a parameter that is not positive, moved by 4.
const moved = 4

func normalRecord(lo, hi float64, K int) func(float64, []float64) {
	return func(theta float64, p []float64) {
		h, below := (hi-lo)/float64(K), 0.0
		for k := range p {
			upper := 1.0
			if k < K {
				upper = math.Erfc(-(lo+(float64(k)+.5)*h-(theta-moved))/math.Sqrt2) / 2
			}
			p[k] = upper - below
			below = upper
		}
	}
}

// The goldens are convolutions to 25 digits: evidence, mean and standard deviation.
func TestGoldenPosteriors(t *testing.T) {
	logUniform := func(theta float64) float64 { return -math.Log(theta * math.Log(30)) }
	flat := func(width float64) func(float64) float64 {
		return func(float64) float64 { return -math.Log(width) }
	}
	exponential := func(n, k int, hi, eps float64, s int64) OneSum {
		return OneSum{N: n, Steps: k, Sum: s, Noise: Noise{Rate: eps / float64(k)}, Record: exponentialRecord(hi, k),
			Low: .1, High: 3, LogPrior: logUniform}
	}
	poisson := func(eps float64, s int64) OneSum {
		return OneSum{N: 4, Steps: 5, Sum: s, Noise: Noise{Rate: eps / 5}, Record: poissonRecord(5), Low: .2, High: 8,
			LogPrior: flat(7.8)}
	}
	for name, c := range map[string]struct {
		o                  OneSum
		evidence, mean, sd float64
	}{
		"exponential": {exponential(3, 8, 4, 1, 6), 0.0332485695122206, 1.028140271548605, 0.7629315805779356},
		"negative":    {exponential(3, 8, 4, .5, -5), 0.013261707629053618, 1.0892074896250756, 0.8206172422243753},
		"above":       {exponential(6, 5, 10, 1, 37), 0.0006758393715248801, 0.2547123494135883, 0.34433305608171116},
		"ε = 5":       {exponential(6, 6, 6, 5, 11), 0.030447894739665672, 0.5491014227168032, 0.27144708090985104},
		"Poisson":     {poisson(1, 9), 0.03493550087028353, 3.26564196274443, 1.8584996609479572},
		"Poisson low": {poisson(.3, -4), 0.011638626318403563, 3.3280987460527878, 2.2486761502786496},
		"normal": {OneSum{N: 4, Steps: 8, Sum: 21, Noise: Noise{Rate: 1.0 / 8}, Record: normalRecord(-2, 2, 8),
			Low: moved - 3, High: moved + 3, LogPrior: flat(6)}, 0.022442784928387183, moved + 0.5968074220927411,
			1.2979301799893248},
		"Bernoulli": {OneSum{N: 5, Steps: 1, Sum: 6, Noise: Noise{Rate: .5},
			Record: func(theta float64, p []float64) { p[0], p[1] = 1-theta, theta }, Low: 1e-12, High: 1,
			LogPrior: flat(1)}, 0.05979067095150718, 0.6818400137729624, 0.24824963518517124},
	} {
		p := must.Get(c.o.Posterior())(t)
		if off(math.Exp(p.LogEvidence()), c.evidence) > 5e-5 || off(p.Mean(), c.mean) > 5e-5 || off(p.SD(), c.sd) > 5e-5 {
			t.Errorf("%s: %.8g, %.8g, %.8g for %.8g, %.8g, %.8g", name, math.Exp(p.LogEvidence()), p.Mean(), p.SD(),
				c.evidence, c.mean, c.sd)
		}
		below := 0.0
		for k := range 1000 {
			below += p.Quantile((float64(k)+.5)/1000) / 1000
		}
		if off(below, c.mean) > 2e-3 {
			t.Errorf("%s: quantiles average to %v for %v", name, below, c.mean)
		}
	}
	// the mutant that takes the bounds for ones 8 times as wide must differ
	mutant := exponential(6, 5, 10, 1, 37)
	mutant.Record = func(theta float64, p []float64) {
		wide := make([]float64, 41)
		exponentialRecord(80, 40)(theta, wide)
		copy(p, wide[:6])
	}
	mutant.Steps, mutant.Record = 40, exponentialRecord(80, 40)
	if p, err := mutant.Posterior(); err != nil || off(p.Mean(), 0.16441051134537119) > 1e-4 {
		t.Errorf("without censoring: %v, %v", p.Mean(), err)
	}
}

func off(have, want float64) float64 { return math.Abs(have/want - 1) }

// lawOf is the law of n records' sum, by adding up positive terms.
func lawOf(p []float64, n int) []float64 {
	law := []float64{1}
	for range n {
		next := make([]float64, len(law)+len(p)-1)
		for i, a := range law {
			for k, b := range p {
				next[i+k] += a * b
			}
		}
		law = next
	}
	return law
}

// whole is the law of a record on all places.
func whole(r record, k int) []float64 {
	p := make([]float64, k+1)
	copy(p[r.offset:], r.p)
	return p
}

func convolved(law []float64, z func(int64) float64, s int64) float64 {
	sum := 0.0
	for v, a := range law {
		sum += a * z(s-int64(v))
	}
	return sum
}

// Every path of the likelihood against positive terms: folded, inverted, beyond, tails; both noises.
func TestLikelihoodAgainstConvolution(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		theta float64
		noise Noise
	}{
		{3, 8, 1, Noise{Rate: .125}}, {40, 12, .4, Noise{Rate: 1.0 / 12}}, {300, 20, .7, Noise{Rate: .02}},
		{500, 16, .05, Noise{Rate: .2}}, {300, 20, .7, Noise{Sigma2: 900}}, {20, 6, 1.2, Noise{Sigma2: .3}},
		{300, 48, .9, Noise{Rate: 1.0 / 48}},
	} {
		o := OneSum{N: c.n, Steps: c.k, Noise: c.noise, Record: exponentialRecord(5, c.k)}
		r := o.at(c.theta)
		z := func(v int64) float64 {
			return math.Exp(o.logMiddle() - c.noise.Rate*math.Abs(float64(v)))
		}
		if c.noise.Sigma2 > 0 {
			total := 0.0
			for v := -2000.0; v <= 2000; v++ {
				total += math.Exp(-v * v / (2 * c.noise.Sigma2))
			}
			z = func(v int64) float64 { return math.Exp(-float64(v*v)/(2*c.noise.Sigma2)) / total }
		}
		spread, law := math.Sqrt(float64(c.n)*r.variance+c.noise.Variance()), lawOf(whole(r, c.k), c.n)
		for _, away := range []float64{-3, -1, 0, .5, 2, 4} {
			o.Sum = int64(math.Round(float64(c.n)*r.mean + away*spread))
			want := convolved(law, z, o.Sum)
			if got := math.Exp(o.LogLikelihood(c.theta)); math.Abs(got-want) > 1e-10/spread+1e-9*want {
				t.Errorf("%+v at %d: %v for %v", c, o.Sum, got, want)
			}
			if away == .5 && c.n*c.k < 4000 { // the ways agree
				step, last := o.frequencies(r)
				a, b := o.folded(r), o.inverted(r, step, last)
				if math.Abs(a-b) > 1e-11*math.Max(a, b) {
					t.Errorf("%+v: folded %v, inverted %v", c, a, b)
				}
				if d := o.inside(r); math.Abs(a-d) > 1e-11*math.Max(a, d) {
					t.Errorf("%+v: folded %v, on the ring %v", c, a, d)
				}
			}
		}
		if c.noise.Sigma2 > 0 {
			continue
		}
		// far out, where the Fourier sum has no digits: within 0.2 in the log, and exact beyond the ends
		for _, s := range []int64{-4000, 0, int64(c.n*c.k) + 4000} {
			o.Sum = s
			want := 0.0 // log by the largest term: the noise is geometric, so that it factors
			g := c.noise.Rate
			if s <= 0 {
				want = o.logMiddle() + g*float64(s) + float64(c.n)*r.logMean(-g)
			} else {
				want = o.logMiddle() - g*float64(s) + float64(c.n)*r.logMean(g)
			}
			if got := o.LogLikelihood(c.theta); math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("%+v at %d: %v for %v", c, s, got, want)
			}
		}
		o.Sum = int64(float64(c.n)*r.mean + 30*spread)
		if o.Sum < int64(c.n*c.k) {
			want := math.Log(convolved(law, z, o.Sum))
			if got := o.LogLikelihood(c.theta); math.Abs(got-want) > .2 {
				t.Errorf("%+v far out: %v for %v", c, got, want)
			}
		}
	}
}

// The golden of tilted tails: the density of the sum of four exponential values of rate 2 and Laplace noise of scale
// 1/3 at 2.7, on a lattice of a thousandth, whose rounding errs by its square.
func TestGoldenTiltedTails(t *testing.T) {
	const h = 1e-3
	o := OneSum{N: 4, Steps: 12_000, Sum: 2700, Noise: Noise{Rate: 3 * h}, Record: exponentialRecord(12_000*h, 12_000)}
	if got := math.Exp(o.LogLikelihood(2)) / h; off(got, 0.24148953414450713) > 1e-5 {
		t.Errorf("%v for 0.24148953414450713", got)
	}
}

// Without records the sum is the noise.
func TestNoRecords(t *testing.T) {
	o := OneSum{N: 0, Steps: 1, Sum: 3, Noise: Noise{Rate: .5}, Record: func(_ float64, p []float64) { p[0], p[1] = 1, 0 }}
	if want := math.Log(math.Tanh(.25)) - 1.5; math.Abs(o.LogLikelihood(1)-want) > 1e-12 {
		t.Errorf("no records: %v for %v", o.LogLikelihood(1), want)
	}
}

// A posterior takes less than 50 ms at any n.
func BenchmarkPosterior(b *testing.B) {
	for _, n := range []int{5, 50, 500, 5000, 1_000_000} {
		for _, eps := range []float64{.1, 1, 5} {
			b.Run(fmt.Sprintf("n=%d,ε=%v", n, eps), func(b *testing.B) {
				const k = 256
				r := make([]float64, k+1)
				exponentialRecord(10, k)(.5, r)
				mean := 0.0
				for i, p := range r {
					mean += float64(i) * p
				}
				for range b.N {
					o := OneSum{N: n, Steps: k, Sum: int64(mean * float64(n)), Noise: Noise{Rate: eps / k},
						Record: exponentialRecord(10, k), Low: .1, High: 3,
						LogPrior: func(theta float64) float64 { return -theta }}
					must.Get(o.Posterior())(b)
				}
			})
		}
	}
}

// The mode is found wherever it is: a sum at its expectation puts the posterior there, whatever n and θ.
func TestModeIsLocated(t *testing.T) {
	const k = 128
	for _, n := range []int{5, 50, 4000, 1_000_000} {
		for _, theta := range []float64{.3, .31, .5, 1, 2.5, 4.9} {
			record := exponentialRecord(20, k)
			p := make([]float64, k+1)
			record(theta, p)
			mean := 0.0
			for i, v := range p {
				mean += float64(i) * v
			}
			o := OneSum{N: n, Steps: k, Sum: int64(mean * float64(n)), Noise: Noise{Rate: 2.0 / k}, Record: record,
				Low: .3, High: 5, LogPrior: func(float64) float64 { return 0 }}
			c, err := o.Posterior()
			if err != nil || !(c.SD() > 0) {
				t.Fatalf("n = %d, θ = %v: %v, sd %v", n, theta, err, c.SD())
			}
			if n > 5 && math.Abs(c.Mean()-theta) > 3*c.SD() {
				t.Errorf("n = %d, θ = %v: %v ± %v", n, theta, c.Mean(), c.SD())
			}
			if n >= 4000 && (c.SD() > .06*theta || c.SD() < .0005*theta) {
				t.Errorf("n = %d, θ = %v: sd %v", n, theta, c.SD())
			}
		}
	}
}
