package ball

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
)

func source(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x5eed) }

func sampler(t testing.TB, p *mat.SymDense, h []float64, radius float64) *Sampler {
	t.Helper()
	return must.Get(New(p, h, radius))(t)
}

func sym(d int, v ...float64) *mat.SymDense { return mat.NewSymDense(d, v) }

// moments are the sample mean of f and its standard error.
func moments(t testing.TB, s *Sampler, seed uint64, n int, f func(w []float64) float64) (mean, se, proposals float64) {
	t.Helper()
	src, out := source(seed), make([]float64, s.Dim())
	var sum, square float64
	for range n {
		k := must.Get(s.Draw(src, out))(t)
		norm := 0.0
		for _, x := range out {
			norm += x * x
		}
		if math.Sqrt(norm) > s.radius {
			t.Fatalf("draw %v outside the ball of radius %g", out, s.radius)
		}
		v := f(out)
		sum += v
		square += v * v
		proposals += float64(k)
	}
	m := float64(n)
	mean = sum / m
	return mean, math.Sqrt((square/m - mean*mean) / m), proposals / m
}

// The two laws of the reference values: tilt, moments, acceptance. Golden values of theory/networks.md §5.3.
func TestGolden(t *testing.T) {
	const n = 60000
	one := sampler(t, sym(1, 2), []float64{6}, 1)
	two := sampler(t, sym(2, 3, 1, 1, 2), []float64{4, -1}, 1)
	if math.Abs(one.Tilt()-4.520797289396148) > 1e-12 || math.Abs(two.Tilt()-3.0678933340902814) > 1e-12 {
		t.Errorf("tilts %.16g, %.16g", one.Tilt(), two.Tilt())
	}
	for _, c := range []struct {
		name       string
		s          *Sampler
		f          func(w []float64) float64
		want, rate float64
	}{
		{"d=1 mean", one, func(w []float64) float64 { return w[0] }, 0.7909258892164801, 0.22583191515263795},
		{"d=1 second", one, func(w []float64) float64 { return w[0] * w[0] }, 0.6636764106582463, 0.22583191515263795},
		{"d=2 mean 0", two, func(w []float64) float64 { return w[0] }, 0.5697338939593768, 0.2942509299951981},
		{"d=2 mean 1", two, func(w []float64) float64 { return w[1] }, -0.22512264640804103, 0.2942509299951981},
		{"d=2 norm", two, func(w []float64) float64 { return w[0]*w[0] + w[1]*w[1] }, 0.5975615201725976,
			0.2942509299951981},
	} {
		mean, se, proposals := moments(t, c.s, 11, n, c.f)
		if math.Abs(mean-c.want) > 6.5*se {
			t.Errorf("%s: %g ± %g, want %g", c.name, mean, se, c.want)
		}
		// proposals are geometric at the acceptance rate
		if sd := math.Sqrt(1-c.rate) / c.rate / math.Sqrt(n); math.Abs(proposals-1/c.rate) > 6.5*sd {
			t.Errorf("%s: %g ± %g proposals a draw, want %g", c.name, proposals, sd, 1/c.rate)
		}
	}
	// A mutant that forgets the tilt in the acceptance, keeping every proposal inside, and one with its sign turned:
	// both proposals run on the same code with λ changed between proposal and acceptance.
	for _, factor := range []float64{0, -1} {
		mutant := *one
		mutant.lambda *= factor
		mean, se, _ := moments(t, &mutant, 11, n, func(w []float64) float64 { return w[0] })
		if math.Abs(mean-0.7909258892164801) <= 6.5*se {
			t.Errorf("tilt × %g in the acceptance passes: %g ± %g", factor, mean, se)
		}
	}
}

// A Markov chain of a few steps sold as a draw is told apart by the same comparison.
func TestShortChainIsRejected(t *testing.T) {
	const n, want = 60000, 0.7909258892164801
	r := rand.New(source(4))
	var sum, square float64
	for range n {
		w := 0.0
		for range 12 {
			if next := w + .5*r.NormFloat64(); math.Abs(next) <= 1 &&
				math.Log(r.Float64()) <= 6*(next-w)-next*next+w*w {
				w = next
			}
		}
		sum += w
		square += w * w
	}
	mean := sum / n
	if se := math.Sqrt((square/n - mean*mean) / n); math.Abs(mean-want) <= 6.5*se {
		t.Errorf("twelve Metropolis steps pass: %g ± %g, want %g", mean, se, want)
	}
}

// Other laws in one dimension against quadrature: untilted, steep, flat (P = 0), and convex (P < 0).
func TestOneDimension(t *testing.T) {
	for i, c := range []struct{ p, h, b float64 }{{50, 3, 1}, {400, 900, 1}, {0, 2, 1.5}, {-3, .5, 1}, {0, 0, 2},
		{5e-324, 0, 1}, {1e-9, 30, .1}} {
		s := sampler(t, sym(1, c.p), []float64{c.h}, c.b)
		top := math.Max(c.h*c.b-c.p*c.b*c.b/2, 0)
		if m := c.h / c.p; c.p > 0 && math.Abs(m) < c.b {
			top = c.h * c.h / c.p / 2
		}
		at := func(k float64) float64 {
			return num.Integrate24(func(w float64) float64 { return math.Pow(w, k) * math.Exp(c.h*w-c.p*w*w/2-top) },
				-c.b, c.b, 200)
		}
		for _, k := range []float64{1, 2} {
			mean, se, proposals := moments(t, s, uint64(i), 20000,
				func(w []float64) float64 { return math.Pow(w[0], k) })
			if want := at(k) / at(0); math.Abs(mean-want) > 6.5*se {
				t.Errorf("%+v, moment %g: %g ± %g, want %g", c, k, mean, se, want)
			}
			if expected := s.ExpectedProposals(); proposals > 3*expected || expected > 3*proposals {
				t.Errorf("%+v: %g proposals a draw, expected %g", c, proposals, expected)
			}
		}
	}
}

// regressionLaw is the posterior of n rows with ‖x‖ ≤ 1 in d dimensions, noise variance sigma2, prior precision b.
func regressionLaw(d, n int, sigma2, b, scale float64) (*mat.SymDense, []float64) {
	r := rand.New(rand.NewPCG(1, uint64(d)))
	p, h := mat.NewSymDense(d, nil), make([]float64, d)
	x, w := make([]float64, d), make([]float64, d)
	for i := range w {
		w[i] = scale * r.NormFloat64() / math.Sqrt(float64(d))
	}
	for range n {
		y := 0.3 * r.NormFloat64()
		for i := range x {
			x[i] = (2*r.Float64() - 1) / math.Sqrt(float64(d))
			y += w[i] * x[i]
		}
		y = math.Max(-1, math.Min(1, y))
		for i := range x {
			h[i] += x[i] * y / sigma2
			for j := i; j < d; j++ {
				p.SetSym(i, j, p.At(i, j)+x[i]*x[j]/sigma2)
			}
		}
	}
	for i := range d {
		p.SetSym(i, i, p.At(i, i)+b)
	}
	return p, h
}

// Turning the law turns its draws: the tilt is the same and the means are rotated, in 30 dimensions.
func TestRotation(t *testing.T) {
	const d, n = 30, 4000
	p, h := regressionLaw(d, 2000, .05, 1, 3)
	u := mat.NewVecDense(d, nil) // Householder reflection along u
	r := rand.New(rand.NewPCG(5, 5))
	for i := range d {
		u.SetVec(i, r.NormFloat64())
	}
	u.ScaleVec(1/mat.Norm(u, 2), u)
	turn := mat.NewDense(d, d, nil)
	for i := range d {
		turn.Set(i, i, 1)
	}
	turn.RankOne(turn, -2, u, u)
	var left, both mat.Dense
	left.Mul(turn, p)
	both.Mul(&left, turn.T())
	turned := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			turned.SetSym(i, j, both.At(i, j))
		}
	}
	var g mat.VecDense
	g.MulVec(turn, mat.NewVecDense(d, h))
	a, b := sampler(t, p, h, 1), sampler(t, turned, g.RawVector().Data, 1)
	if a.Tilt() == 0 || math.Abs(a.Tilt()-b.Tilt()) > 1e-9*a.Tilt() {
		t.Errorf("tilts %g and %g", a.Tilt(), b.Tilt())
	}
	for i := range 4 {
		want, se1, _ := moments(t, a, 1, n, func(w []float64) float64 { return w[i] })
		got, se2, _ := moments(t, b, 2, n, func(w []float64) float64 {
			s := 0.0
			for j, v := range w {
				s += turn.At(i, j) * v // the reflection is its own inverse
			}
			return s
		})
		if math.Abs(got-want) > 6.5*math.Hypot(se1, se2) {
			t.Errorf("coordinate %d: %g and %g ± %g", i, want, got, math.Hypot(se1, se2))
		}
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for i, c := range []struct {
		p      *mat.SymDense
		h      []float64
		radius float64
	}{
		{nil, nil, 1}, {sym(1, 1), []float64{1, 2}, 1}, {sym(1, 1), []float64{1}, 0}, {sym(1, 1), []float64{1}, inf},
		{sym(1, 1), []float64{1}, nan},
		{sym(1, nan), []float64{1}, 1}, {sym(1, 1), []float64{inf}, 1},
		{mat.NewSymDense(MaxDim+1, nil), make([]float64, MaxDim+1), 1},
	} {
		var e *domain.Error
		if _, err := New(c.p, c.h, c.radius); !errors.As(err, &e) || e.Want == "" {
			t.Errorf("case %d: %v", i, err)
		}
	}
	var e *domain.Error
	if _, err := sampler(t, sym(1, 1), []float64{1}, 1).Draw(source(1), nil); !errors.As(err, &e) {
		t.Errorf("wrong length: %v", err)
	}
}

func benchmarkDraw(b *testing.B, d, n int, sigma2, scale float64) {
	p, h := regressionLaw(d, n, sigma2, .01, scale)
	s := sampler(b, p, h, 1)
	src, out := source(1), make([]float64, d)
	total, draws := 0, 0
	for b.Loop() {
		k := must.Get(s.Draw(src, out))(b)
		total += k
		draws++
	}
	b.ReportMetric(float64(total)/float64(draws), "proposals/draw")
	b.ReportMetric(s.ExpectedProposals(), "expected/draw")
}

func BenchmarkDraw50Tempered(b *testing.B) { benchmarkDraw(b, 50, 10000, 4, 1) }   // σ² = 4: ε = 1, B = 1
func BenchmarkDraw50Sharp(b *testing.B)    { benchmarkDraw(b, 50, 10000, .01, 3) } // mean at 3B
func BenchmarkDraw100(b *testing.B)        { benchmarkDraw(b, 100, 10000, 4, 1) }

func BenchmarkNew50(b *testing.B) {
	p, h := regressionLaw(50, 1000, 4, .01, 1)
	for b.Loop() {
		sampler(b, p, h, 1)
	}
}
