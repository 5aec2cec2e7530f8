package gram

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// goldenCase is a case of a program of its own at 40 digits.
type goldenCase struct {
	Name  string
	Given struct {
		S              [][]float64
		W              []float64
		Sigma2, N, Tau float64
		Xy             []float64 `json:"s"`
		Yy             float64   `json:"t"`
		Places         [][2]int
		Delta, Theta   float64
	}
	Want json.RawMessage
}

func goldens(t *testing.T, name string) (out []goldenCase) {
	b, err := os.ReadFile("testdata/golden.json")
	var all []goldenCase
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Name == name {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatal("no case of", name)
	}
	return out
}

func (g goldenCase) want(t *testing.T, into any) {
	if err := json.Unmarshal(g.Want, into); err != nil {
		t.Fatal(err)
	}
}

func flat(m [][]float64) (out []float64) {
	for _, row := range m {
		out = append(out, row...)
	}
	return out
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

func TestGoldenLikelihood(t *testing.T) {
	for _, g := range goldens(t, "log_likelihood") {
		d := len(g.Given.Xy)
		square := g.Given.Tau * g.Given.Tau
		p := &Problem{Dim: d, Count: -1, N: g.Given.N, XY: g.Given.Xy, YY: g.Given.Yy, NoiseXY: square, NoiseY: square}
		c := newChain(p, nil, nil, make([]float64, d), .5)
		var want float64
		g.want(t, &want)
		near(t, "log likelihood", c.logLikelihood(flat(g.Given.S), g.Given.W, g.Given.Sigma2, g.Given.N), want, 1e-12)
	}
}

func TestGoldenIntervals(t *testing.T) {
	for _, g := range goldens(t, "psd_interval") {
		d := len(g.Given.S)
		p := &Problem{Dim: d, Entries: []Entry{{Places: g.Given.Places}}}
		index, b := p.indices(0)
		l, inv, work := make([]float64, d*d), make([]float64, d*d), make([]float64, d*d)
		floored(flat(g.Given.S), l, d)
		inverse(l, inv, work, d)
		var m []float64
		for _, i := range index {
			for _, j := range index {
				m = append(m, inv[i*d+j])
			}
		}
		s := newSpectrum(len(index))
		s.of(m, b, len(index))
		lo, hi := s.interval()
		var want struct {
			Lo, Hi *float64
			Ratio  float64 `json:"det_ratio_at_quarter"`
		}
		g.want(t, &want)
		near(t, "lower end", lo, *want.Lo, 2e-9)
		if want.Hi != nil {
			near(t, "upper end", hi, *want.Hi, 2e-9)
		} else if !math.IsInf(hi, 1) {
			t.Error(hi)
		}
		ratio := 1.
		for _, v := range s.lambda {
			ratio *= 1 + v/4
		}
		near(t, "ratio of determinants", ratio, want.Ratio, 1e-12)
	}
}

func TestGoldenMoves(t *testing.T) {
	for _, g := range goldens(t, "mean_shift") {
		columns := columnsOf("1 u v uv")
		var want struct {
			S [][]float64
			W []float64
		}
		g.want(t, &want)
		n, s, w := shiftOf(columns, 'u'), flat(g.Given.S), g.Given.W
		a, b := make([]float64, 16), make([]float64, 16)
		shifted(n, g.Given.Delta, s, a, b, 4, false)
		transpose(s, 4)
		shifted(n, g.Given.Delta, s, a, b, 4, false)
		shifted(n, -g.Given.Delta, w, a, b, 1, true)
		for i, v := range flat(want.S) {
			near(t, "S after a shift", s[i], v, 1e-12)
		}
		for i, v := range want.W {
			near(t, "w after a shift", w[i], v, 1e-12)
		}
	}
	for _, g := range goldens(t, "spread_move") {
		p := Layout(columnsOf("1 u v"), 1, 50)
		for range 3 {
			p.XY, p.Precision = append(p.XY, 0), append(p.Precision, 1)
		}
		f := make([]float64, len(p.Entries))
		p.take(flat(g.Given.S), f)
		c := newChain(p, nil, f, g.Given.W, .5)
		var want struct {
			S [][]float64
			W []float64
			J float64 `json:"log_jacobian"`
		}
		g.want(t, &want)
		s := make([]float64, 9)
		near(t, "log Jacobian", c.spread(p.Numbers[:1], g.Given.Delta, s), want.J, 1e-12)
		for i, v := range flat(want.S) {
			near(t, "S after a spread", s[i], v, 1e-12)
		}
		for i, v := range want.W {
			near(t, "w after a spread", c.w2[i], v, 1e-12)
		}
	}
}

func TestGoldenPrior(t *testing.T) {
	for _, g := range goldens(t, "spread_prior") {
		var want float64
		g.want(t, &want)
		near(t, "norm of a spread", spreadNorm(g.Given.Theta), want, 1e-12)
	}
	for _, g := range goldens(t, "log_prior_S") {
		p := Layout(columnsOf("1 u v"), 1, 0)
		f := make([]float64, len(p.Entries))
		p.take(flat(g.Given.S), f)
		var want float64
		g.want(t, &want)
		// a value that is not on the grid
		thetas[gridSize-1], spreadNorms[gridSize-1] = g.Given.Theta, spreadNorm(g.Given.Theta)
		got := p.logGram(f, gridSize-1)
		thetas[gridSize-1], spreadNorms[gridSize-1] = 1, spreadNorm(1)
		near(t, "log prior of S", got, want, 1e-12)
	}
}

// designs are columns with products at several places, factors, powers, Legendre polynomials, no intercept.
var designs = []string{"1 x", "1 x z", "1 x z xz", "1 F1", "1 x a1 a2", "1 x a1 a2 xa1 xa2", "1 x xx",
	"1 x P2x P3x P4x", "1 x P2x F1 xF1 P2xF1", "x z", "1 a1 a2 b1 b2 a1b1 a1b2 a2b1 a2b2", "1 x z xz F1 xF1 zF1 xzF1"}

// target is the log density of a state, term by term.
func (c *chain) target() float64 {
	p := c.p
	return p.logNoise(c.f) + p.logPrior(c.w) + p.logGram(c.f, c.theta) +
		c.logLikelihood(c.s, c.w, math.Exp(2*c.logSigma), p.rows(c.f))
}

// Along the line of every entry the density is that of the whole target; the ends are where S is no longer positive
// definite or leaves the box; and a step leaves the inverses as if they were computed anew.
func TestLinesAreTheTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := columnsOf(rapid.SampledFrom(designs).Draw(t, "columns"))
		tau, private := rapid.Float64Range(.5, 20).Draw(t, "tau"), columns[0].one() && rapid.Bool().Draw(t, "private")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		truth := make([]float64, len(columns))
		for j := range truth {
			truth[j] = r.NormFloat64()
		}
		p := ofRows(r, columns, 4, 200, tau, truth, .2, -.9, .9, private)
		f, w, sigma := p.start(r, 1)
		c := newChain(p, r, f, w, sigma)
		for range 3 {
			c.sweep(true)
		}
		c.renew()
		for k := range p.Entries {
			l := c.line(k)
			if !(l.lo <= 0 && l.hi >= 0) {
				t.Fatalf("entry %d: 0 outside (%v, %v)", k, l.lo, l.hi)
			}
			old, here, base := c.f[k], c.target(), l.density(0)
			reach := math.Min(l.hi-l.lo, 10*l.move.window)
			for _, q := range []float64{.1, .5, .9} {
				delta := math.Max(l.lo, -reach/2) + q*(math.Min(l.hi, reach/2)-math.Max(l.lo, -reach/2))
				own := l.density(delta) - base
				c.f[k] = old + delta
				p.fill(c.f, c.s)
				if !p.boxed(c.f) {
					t.Fatalf("entry %d at %v of (%v, %v) leaves the box", k, delta, l.lo, l.hi)
				}
				if whole := c.target() - here; !(math.Abs(own-whole) <= 1e-5*math.Max(1, math.Abs(whole))) {
					t.Fatalf("entry %d at %v of (%v, %v): %v, want %v", k, delta, l.lo, l.hi, own, whole)
				}
				c.f[k] = old
				p.fill(c.f, c.s)
			}
			for _, end := range []float64{l.lo, l.hi} { // a little beyond
				if math.IsInf(end, 0) || math.Abs(end) < 1e-6 {
					continue
				}
				c.f[k] = old + end*(1+1e-6)
				p.fill(c.f, c.s)
				if _, ok := factor(c.s, c.l, p.Dim); ok && p.boxed(c.f) && math.Abs(end)*1e-6 > 1e-8*p.Cap {
					t.Fatalf("entry %d: the line goes on beyond %v", k, end)
				}
				c.f[k] = old
				p.fill(c.f, c.s)
			}
			if l = c.line(k); l.hi-l.lo < 1e-6 {
				continue
			}
			c.follow(k, l, math.Max(l.lo, -l.move.window)/3)
			inv, v, kr := clone(c.inv), clone(c.k), clone(c.kr)
			c.renew()
			for _, pair := range [][2][]float64{{inv, c.inv}, {v, c.k}, {kr, c.kr}} {
				size := 0.
				for _, x := range pair[1] {
					size = math.Max(size, math.Abs(x))
				}
				for i := range pair[1] {
					if !(math.Abs(pair[0][i]-pair[1][i]) <= 1e-5*size) {
						t.Fatalf("entry %d: %v, want %v", k, pair[0][i], pair[1][i])
					}
				}
			}
		}
	})
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }
