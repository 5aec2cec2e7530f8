package noise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// plain hides what a distribution says of itself beside its probabilities.
type plain struct{ noise.Probabilities }

func distributions(t *testing.T) map[string]noise.Distribution {
	t.Helper()
	out := map[string]noise.Distribution{}
	for name, text := range map[string]noise.Named{
		"geometric":        {Family: "geometric", Params: json.RawMessage(`{"num":1,"den":4}`)},
		"narrow geometric": {Family: "geometric", Params: json.RawMessage(`{"num":5,"den":2}`)},
		"Gaussian":         {Family: "discrete-gaussian", Params: json.RawMessage(`{"num":30,"den":1}`)},
		"Laplace":          {Family: "laplace", Params: json.RawMessage(`{"num":1,"den":2}`)},
	} {
		d := must.Get(text.Distribution())(t)
		again, err := noise.NamedAs(text.Family, d)
		if err != nil || string(again.Params) != string(text.Params) {
			t.Errorf("%s: %s after %s (%v)", name, again.Params, text.Params, err)
		}
		out[name] = d
	}
	return out
}

// A distribution without a closed form is read as well as one with it: the sums over its probabilities are the closed
// forms. With half the variance they are not.
func TestPlainDistributionsAreRead(t *testing.T) {
	for name, d := range distributions(t) {
		p := plain{d}
		if f := noise.FormOf(p); f != (noise.Form{}) || noise.FormOf(d) == f {
			t.Fatalf("%s: %+v, %+v", name, f, noise.FormOf(d))
		}
		unit := float64(d.Unit())
		if got, want := noise.MeanAbsolute(p), noise.MeanAbsolute(d); math.Abs(got/want-1) > 2e-3 {
			t.Errorf("%s: E|Z| = %v, %v", name, got, want)
		}
		if got, want := noise.SD(p), noise.SD(d); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: sd %v, %v", name, got, want)
		}
		for _, y := range []float64{-7, 0, 3, 18, 40, 55} {
			for _, tau := range []float64{0, .1, -.1} {
				if got, want := noise.Mean(p, y, 40, tau), noise.Mean(d, y, 40, tau); math.Abs(got-want) > 1e-6*40 {
					t.Errorf("%s: E[f | %v], τ = %v: %v, %v", name, y, tau, got, want)
				}
			}
		}
		y := int64(5 * unit)
		a, b, remembered := noise.LogRatio(p, y), noise.LogRatio(d, y), noise.Remembered(p)
		for f := range int64(30) {
			if math.Abs(a(f)-b(f)) > 1e-10*math.Max(1, math.Abs(b(f))) {
				t.Errorf("%s: log-ratio at %d: %v, %v", name, f, a(f), b(f))
			}
			if z := -f * d.Unit(); remembered(z) != d.LogProb(z) {
				t.Errorf("%s: remembered log P(%d) = %v, %v", name, z, remembered(z), d.LogProb(z))
			}
		}
		// what lies beyond has next to no weight
		far, power := noise.Beyond(p, 0, 4), 4.
		if share := power*math.Log(1+far) + d.LogTail(int64(far*unit)) - d.LogProb(0); share > math.Log(1e-25) {
			t.Errorf("%s: followed up to %v, beyond which there is e^%v", name, far, share)
		}
		if z := noise.Quantile(d, -20); d.LogTail(z) > -20 || z > 1 && d.LogTail(z-1) <= -20 {
			t.Errorf("%s: quantile %d", name, z)
		}
	}
	g := distributions(t)
	wide, narrow := g["geometric"], g["narrow geometric"]
	if math.Abs(noise.Mean(plain{wide}, -7, 40, 0)-noise.Mean(narrow, -7, 40, 0)) < .1 {
		t.Error("another distribution passes")
	}
}

// The closed forms are those of the probabilities.
func TestForms(t *testing.T) {
	g := must.Get(noise.NewGeometric(noise.Rational{Num: 1, Den: 2}))(t)
	n := must.Get(noise.NewGaussian(noise.Rational{Num: 7, Den: 2}))(t)
	if g.Form().Rate != .5 || n.Form().Sigma2 != 3.5 || g.MeanAbsolute() != 1/math.Sinh(.5) {
		t.Error(g.Form(), n.Form(), g.MeanAbsolute())
	}
	if p, vector := n.Pair(2, 3).(loss.LatticePair); !vector || p.Least != 3.5 || math.Abs(p.ZCDP()-18/7.) > 1e-9 {
		t.Error(n.Pair(2, 3))
	}
	if d := n.LogProb(0) - n.LogProb(3); math.Abs(d-9/(2*3.5)) > 1e-12 {
		t.Error(d)
	}
	if math.Abs(n.MeanAbsolute()/math.Sqrt(2*3.5/math.Pi)-1) > .03 {
		t.Error(n.MeanAbsolute())
	}
}

// The least noise meets its level and hardly spends less; one step less noise does not meet it.
func TestTheSearchIsTight(t *testing.T) {
	for _, want := range []dp.Parameters{dp.PureDP(1).Parameters, dp.ApproxDP(.7, 1e-6).Parameters, dp.ZCDP(.2).Parameters,
		dp.RenyiDP(4, .5).Parameters} {
		for _, f := range []noise.OneParameter{noise.GeometricFamily, noise.GaussianFamily.OneParameter,
			noise.LaplaceFamily} {
			for _, change := range [][2]int{{1, 1}, {2, 1}, {3, 2}} {
				d, met, err := f.Least(t.Context(), change[0], change[1], want)
				if err != nil || d == nil {
					t.Fatal(f.Name(), err)
				}
				if f.Search.Variance && want.Notion == dp.Pure {
					if met || !math.IsInf(d.Pair(1, 1).PureEpsilon(), 1) {
						t.Errorf("%s has %s", f.Name(), want)
					}
					continue
				}
				pair := d.Pair(change[0], change[1])
				if !met || !loss.Meets(pair, want) {
					t.Errorf("%s, %v at %s: not met by %s", f.Name(), change, want, d)
				}
				r := d.(interface{ Parameter() noise.Rational }).Parameter()
				less := r.Float() * (1 + 4e-6)
				if f.Search.Variance {
					less = r.Float() * (1 - 4e-6)
				}
				if loss.Meets(f.PairAt(less, change[0], change[1]), want) {
					t.Errorf("%s, %v at %s: less noise than %s is enough", f.Name(), change, want, d)
				}
			}
		}
	}
	// what no noise of a family meets is said, with the widest
	tiny := dp.PureDP(1e-12).Parameters
	if d, met, err := noise.GeometricFamily.Least(t.Context(), 1, 1, tiny); met || err != nil || d == nil {
		t.Error(d, met, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := noise.GaussianFamily.Least(ended, 1, 1, dp.ZCDP(1).Parameters); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Units of several rows have less Gaussian noise by the counts that they change than by ρ, and one step less is not
// enough. Its JSON says so, and noise of older files, whose JSON is σ² alone, keeps to ρ.
func TestCountsOfUnitsHaveLessNoise(t *testing.T) {
	want := dp.ApproxDP(1, 1e-6).Parameters
	for _, change := range [][2]int{{1, 2}, {2, 3}, {6, 5}, {40, 1000}} {
		cells, rows := change[0], change[1]
		d, met, err := noise.GaussianFamily.Least(t.Context(), cells, rows, want)
		byRho, _, also := noise.GaussianFamily.OneParameter.Least(t.Context(), cells, rows, want)
		if err != nil || also != nil || !met || !loss.Meets(d.Pair(cells, rows), want) {
			t.Fatalf("%v: %v, %v, %v does not meet %v", change, err, also, d, want)
		}
		g, old := d.(noise.Gaussian), byRho.(noise.Gaussian)
		if less := 1 - noise.SD(g)/noise.SD(old); !g.Vector || old.Vector || less < .045 || less > .08 {
			t.Errorf("%v: %v has %.3f less noise than %v", change, g, less, old)
		}
		less := must.Get(noise.NewGaussian(noise.Dyadic(g.Sigma2()*(1-4e-6), 40, false)))(t)
		less.Vector = true
		asByRho := g
		asByRho.Vector = false
		for _, bad := range []noise.Gaussian{less, asByRho} {
			if loss.Meets(bad.Pair(cells, rows), want) {
				t.Errorf("%v: %+v is enough", change, bad)
			}
		}
		for _, z := range []noise.Gaussian{g, old} {
			text := must.Get(json.Marshal(z))(t)
			if again, err := noise.GaussianFamily.Parse(text); err != nil || again != noise.Distribution(z) ||
				strings.Contains(string(text), "vector") != z.Vector {
				t.Errorf("%s is read as %v, %v", text, again, err)
			}
		}
	}
	for _, c := range []struct {
		rows int
		want dp.Parameters
	}{{1, want}, {3, dp.ZCDP(.1).Parameters}, {3, dp.RenyiDP(4, .5).Parameters}} {
		d, _, err := noise.GaussianFamily.Least(t.Context(), 2, c.rows, c.want)
		if err != nil || d.(noise.Gaussian).Vector {
			t.Errorf("%+v: %v, %v", c, d, err)
		}
	}
	for _, bad := range []string{`{"num":1,"den":1,"vector":1}`, `{"num":0,"den":1,"vector":true}`, `{"vector":true}`,
		`[]`} {
		if d, err := noise.GaussianFamily.Parse([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, d)
		}
	}
}

// Families of other people need not have a pure ε in proportion to their rate, nor a least variance: the search ends,
// and is tight.
func TestTheSearchOfOtherFamiliesEnds(t *testing.T) {
	for name, c := range map[string]struct {
		search noise.Search
		want   dp.Parameters
		least  float64
	}{
		"ε = x²": {noise.Search{Low: 1e-6, High: 64, Bits: 32,
			Pair: func(x float64) loss.Pair { return loss.PurePair{Epsilon: x * x} }}, dp.PureDP(2).Parameters, math.Sqrt2},
		"ε = √x": {noise.Search{Low: 1e-6, High: 64, Bits: 32,
			Pair: func(x float64) loss.Pair { return loss.PurePair{Epsilon: math.Sqrt(x)} }}, dp.PureDP(2).Parameters, 4},
		"no least variance": {noise.Search{High: 1 << 40, Bits: 32, Variance: true,
			Pair: func(x float64) loss.Pair { return loss.GaussianPair{Mu: 1 / math.Sqrt(x)} }}, dp.ZCDP(1. / 16).Parameters, 8},
	} {
		evaluations, pair := 0, c.search.Pair
		c.search.Pair = func(x float64) loss.Pair { evaluations++; return pair(x) }
		r, met, err := c.search.Least(t.Context(), c.want)
		if err != nil || !met || math.Abs(r.Float()/c.least-1) > 1e-8 || evaluations > 200 {
			t.Errorf("%s: %v after %d evaluations, want %v (%v, %v)", name, r.Float(), evaluations, c.least, met, err)
		}
	}
}

// Files with another family, or with parameters outside a family's range, are refused.
func TestForeignDistributionsAreRefused(t *testing.T) {
	for _, n := range []noise.Named{{Family: "geometric"},
		{Family: "uniform", Params: json.RawMessage(`{"num":1,"den":1}`)},
		{Family: "geometric", Params: json.RawMessage(`{"num":0,"den":1}`)},
		{Family: "geometric", Params: json.RawMessage(`{"num":1,"den":3}`)},
		{Family: "geometric", Params: json.RawMessage(`{"num":1,"den":1,"more":1}`)},
		{Family: "laplace", Params: json.RawMessage(`{"num":1,"den":1099511627776}`)}} {
		var refused *dp.ParameterError
		if d, err := n.Distribution(); !errors.As(err, &refused) {
			t.Errorf("%s %s: %v, %v", n.Family, n.Params, d, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a name is taken twice")
		}
	}()
	noise.Register(noise.GeometricFamily)
}

// The public samplers are exact: frequencies are the probabilities, within 6.5 standard errors, and those of another
// exponent are not.
func TestSamplers(t *testing.T) {
	const draws = 200_000
	src, hits, ones := dp.Seeded(3), 0., 0.
	for range draws {
		if noise.BernoulliExp(src, 1, 2) {
			hits++
		}
		if noise.Uniform(src, 3) == 1 {
			ones++
		}
	}
	off := func(count, p float64) float64 { return math.Abs(count-draws*p) / math.Sqrt(draws*p*(1-p)) }
	if off(hits, math.Exp(-.5)) > 6.5 || off(ones, 1./3) > 6.5 || off(hits, math.Exp(-.52)) < 6.5 {
		t.Error(hits, ones)
	}
}

// The least geometric noise for ε = 1 on two counts that change by one each has γ = 1/2.
func Example() {
	level := dp.PureDP(1).Parameters
	d, met, err := noise.GeometricFamily.Least(context.Background(), 2, 1, level)
	if err != nil || !met {
		fmt.Println(met, err)
		return
	}
	fmt.Println(d)
	fmt.Println(d.Pair(2, 1))
	fmt.Printf("%.4g\n", noise.SD(d))
	// Output:
	// two-sided geometric, rate γ = 1/2 = 0.5
	// randomised response at ε = 0.5, 2-fold
	// 2.799
}
