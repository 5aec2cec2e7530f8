package synthetic

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A normal toy in which everything is known. The private table's mean has sampling variance s = 1/n, the release adds
// noise of variance τ², and under a flat prior the quantity given the release has variance V = s + τ². Each set's
// estimate has mean Q* ~ N(·, V) and sampling variance u = 1/rows. So q̄ is off by a normal error of variance V + (V +
// u)/m, and b is independent of it, (V + u)·χ²(m−1)/(m−1).
type toy struct {
	m, n, rows int
	noise      float64 // τ² as a multiple of s
}

// typeOne is the probability that the interval at level 0.95 misses the truth: the average over b of a normal tail,
// where every b goes through the production path as m estimates with mean 0 and variance b.
func (x toy) typeOne(t *testing.T, of func(moments) law) float64 {
	t.Helper()
	s, u := 1/float64(x.n), 1/float64(x.rows)
	v := s * (1 + x.noise)
	sd := math.Sqrt(v + (v+u)/float64(x.m))
	chi := distuv.ChiSquared{K: float64(x.m - 1)}
	const points = 800
	miss := 0.0
	for i := range points {
		b := (v + u) * chi.Quantile((float64(i)+.5)/points) / float64(x.m-1)
		c := must.Get(combine("", of, 2, Design{float64(x.n), x.rows}, spread(x.m, b, u)))(t)
		lo, hi, err := c.Interval(.95)
		if err != nil || math.Abs(lo+hi) > 1e-9*(hi-lo) {
			t.Fatal(lo, hi, err)
		}
		miss += math.Erfc(hi/sd/math.Sqrt2) / points
	}
	return miss
}

// spread is m estimates of mean 0 and variance b.
func spread(m int, b, u float64) []Estimate {
	out := make([]Estimate, m)
	for i := range out {
		out[i].Variance = u
	}
	a := math.Sqrt(b * float64(m-1) / 2)
	out[0].Value, out[1].Value = a, -a
	return out
}

// Rule T_f has the right Type I error at every ratio of noise to sampling; the older ones do not.
func TestTypeOneErrorIsExact(t *testing.T) {
	for _, c := range []struct {
		toy
		low, high float64
	}{
		{toy{20, 1000, 5000, 0}, .047, .051}, {toy{20, 1000, 5000, 1}, .0485, .0505},
		{toy{20, 1000, 5000, 20}, .0495, .0501}, {toy{50, 1000, 5000, 1}, .0495, .0505},
		// few sets, small sets: cautious
		{toy{20, 1000, 1000, 0}, .0085, .009}, {toy{20, 1000, 1000, .12}, .0113, .0119},
		{toy{20, 1000, 1000, .5}, .0208, .0215}, {toy{20, 1000, 1000, 1}, .0312, .0319},
		{toy{20, 1000, 1000, 5}, .0479, .0485}, {toy{5, 1000, 5000, 1}, .014, .05},
	} {
		if got := c.typeOne(t, fullySynthetic); !(got > c.low && got < c.high) {
			t.Errorf("T_f, %+v: Type I error %.5f, want %g to %g", c.toy, got, c.low, c.high)
		}
	}
	noisy := toy{20, 1000, 5000, 2}
	for name, c := range map[Rule]struct{ low, high float64 }{
		PartiallySynthetic: {.5, .8}, SingleSource: {.1, .4}, Imputation: {.02, .0445},
	} {
		of, _ := ruleOf(name)
		if got := noisy.typeOne(t, of); !(got > c.low && got < c.high) {
			t.Errorf("%s: Type I error %.4f, want %g to %g", name, got, c.low, c.high)
		}
	}
	one := noisy
	one.m = 2
	if got := one.typeOne(t, singleSource); got < .2 { // as one set would be
		t.Errorf("two sets by T_s: %.3f", got)
	}
}

// Wrong rules are rejected through the same path: at some design their Type I error is not that of T_f.
func TestWrongRulesAreRejected(t *testing.T) {
	mutants := map[string]func(moments) law{
		"within added": func(x moments) law {
			l := fullySynthetic(x)
			l.variance = (1+1/x.m)*x.b + x.within
			return l
		},
		"1/m forgotten": func(x moments) law {
			l := fullySynthetic(x)
			if !l.fallback {
				l.variance = math.Max(x.b-x.within, 1e-9*x.b)
			}
			return l
		},
		"within forgotten": func(x moments) law {
			l := fullySynthetic(x)
			l.variance += x.within
			return l
		},
		"normal quantiles": func(x moments) law {
			l := fullySynthetic(x)
			l.df = math.Inf(1)
			return l
		},
		"degrees of freedom of imputation": func(x moments) law {
			l := fullySynthetic(x)
			r := 1 + x.within/((1+1/x.m)*x.b)
			l.df = (x.m - 1) * r * r
			return l
		},
		"all degrees of freedom": func(x moments) law {
			l := fullySynthetic(x)
			l.df = x.m - 1
			return l
		},
		"fall-back without the ratio": func(x moments) law {
			l := fullySynthetic(x)
			if l.fallback {
				l.variance = x.within
			}
			return l
		},
	}
	designs := []toy{{20, 1000, 5000, 1}, {20, 1000, 1000, 0}, {5, 1000, 500, 0}, {3, 1000, 5000, 0}}
	for name, of := range mutants {
		rejected := false
		for _, d := range designs {
			if math.Abs(d.typeOne(t, of)-d.typeOne(t, fullySynthetic)) > 2e-3 {
				rejected = true
			}
		}
		if !rejected {
			t.Errorf("%s passes", name)
		}
	}
}

func TestGolden(t *testing.T) {
	// By hand: m = 3, q = 1, 2, 4 gives q̄ = 7/3, b = 7/3; u = 0.1, 0.2, 0.3 gives ū = 0.2.
	sets := []Estimate{{1, .1}, {2, .2}, {4, .3}}
	d := Design{100, 500}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) && got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	c, err := Combine(d, sets...)
	if err != nil {
		t.Fatal(err)
	}
	near("q̄", c.Value, 7./3)
	near("T_f", c.Variance, 4./3*7/3-.2)
	near("ν", c.Freedom, 2*math.Pow(1-.2/(28./9), 2))
	for r, want := range map[Rule][2]float64{
		PartiallySynthetic: {.2 + 7./9, 2 * math.Pow(1+.6*3/7, 2)},
		SingleSource:       {.2 * (5 + 1./3), math.Inf(1)},
		Imputation:         {.2 + 28./9, 2 * math.Pow(1+.2/(28./9), 2)},
	} {
		c := must.Get(CombineBy(r, d, sets...))(t)
		near(string(r), c.Variance, want[0])
		near(string(r)+" ν", c.Freedom, want[1])
	}
	// Equal estimates: the fall-back, (rows/n)·ū = 1, normal.
	c, err = Combine(d, Estimate{2, .2}, Estimate{2, .2})
	if err != nil || !c.Fallback {
		t.Fatal(c, err)
	}
	near("fall-back", c.Variance, 1)
	lo, hi, _ := c.Interval(.95)
	near("lower", lo, 2-1.959963984540054)
	near("upper", hi, 2+1.959963984540054)
	near("p", c.P(2-1.959963984540054), .05)
	near("p at the value", c.P(2), 1)
}

// Quantiles of t, of tables; and few degrees of freedom give infinity, not a hang.
func TestStudentQuantiles(t *testing.T) {
	for _, c := range [][3]float64{{1, .025, 12.706204736174698}, {2, .025, 4.302652729749464},
		{19, .025, 2.093024054408263}, {4, .05, 2.1318467863}, {1e6, .025, 1.959966}, {1e9, .025, 1.959963984540054},
		{math.Inf(1), .005, 2.5758293035489}} {
		if got := quantile(c[0], c[1]); math.Abs(got-c[2]) > 2e-4*c[2] || c[0] < 20 && math.Abs(got-c[2]) > 1e-9*c[2] {
			t.Errorf("t(%g) at %g: %.10g, want %.10g", c[0], c[1], got, c[2])
		}
	}
	for _, df := range []float64{1.1e-2, 1e-2, 1e-3, 1e-6, 1e-300, 0} {
		if q := quantile(df, .025); !(q > 1e100) {
			t.Errorf("t(%g): %g", df, q)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		df := math.Exp(rapid.Float64Range(-1, 18).Draw(t, "ln df"))
		p := rapid.Float64Range(1e-6, .49).Draw(t, "p")
		if q := quantile(df, p); math.Abs(tail(df, q)-p) > 1e-6*p {
			t.Fatalf("t(%g): tail at %g is %g, not %g", df, q, tail(df, q), p)
		}
	})
}

// Rules do not depend on the order of the sets, and move and scale with the estimates.
func TestRulesMoveWithTheEstimates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 12).Draw(t, "m")
		sets := make([]Estimate, m)
		for i := range sets {
			sets[i] = Estimate{float64(rapid.IntRange(-300, 300).Draw(t, "q")) / 100, rapid.Float64Range(.01, 2).Draw(t, "u")}
		}
		d := Design{rapid.Float64Range(1, 1e4).Draw(t, "n"), rapid.IntRange(1, 100000).Draw(t, "rows")}
		shift, scale := rapid.Float64Range(-5, 5).Draw(t, "shift"), rapid.Float64Range(.1, 10).Draw(t, "scale")
		for _, r := range Rules() {
			a := must.Get(CombineBy(r, d, sets...))(t)
			moved := make([]Estimate, m)
			for i, s := range sets {
				moved[m-1-i] = Estimate{shift + scale*s.Value, scale * scale * s.Variance}
			}
			b := must.Get(CombineBy(r, d, moved...))(t)
			if math.Abs(a.Freedom-b.Freedom) > 1e-4*a.Freedom+1e-9 && a.Freedom < 1e12 && a.Fallback == b.Fallback ||
				math.Abs(a.SE()*scale-b.SE()) > 1e-5*(b.SE()+math.Sqrt(b.Within)) && a.Fallback == b.Fallback ||
				math.Abs(shift+scale*a.Value-b.Value) > 1e-9 {
				t.Fatalf("%s: %+v and %+v", r, a, b)
			}
		}
	})
}

func TestWhatCombineRefuses(t *testing.T) {
	good := Estimate{1, 1}
	d := Design{100, 500}
	for name, c := range map[string]struct {
		r    Rule
		d    Design
		sets []Estimate
		set  int // of *EstimateError; −1: *dp.ParameterError
	}{
		"no set":            {FullySynthetic, d, nil, 0},
		"one set":           {FullySynthetic, d, []Estimate{good}, 0},
		"none by T_s":       {SingleSource, d, nil, 0},
		"NaN":               {FullySynthetic, d, []Estimate{good, {math.NaN(), 1}}, 2},
		"an empty cell":     {FullySynthetic, d, []Estimate{{math.Inf(-1), math.Inf(1)}, good}, 1},
		"infinite variance": {FullySynthetic, d, []Estimate{good, good, {1, math.Inf(1)}}, 3},
		"negative variance": {Imputation, d, []Estimate{good, {1, -1e-9}}, 2},
		"no variance":       {FullySynthetic, d, []Estimate{{1, 0}, {1, 0}}, 0},
		"no variance, T_p":  {PartiallySynthetic, d, []Estimate{{1, 0}, {1, 0}}, 0},
		"overflow":          {FullySynthetic, d, []Estimate{{1e300, 0}, {-1e300, 0}}, 0},
		"no records":        {FullySynthetic, Design{0, 500}, []Estimate{good, good}, -1},
		"NaN records":       {FullySynthetic, Design{math.NaN(), 500}, []Estimate{good, good}, -1},
		"no rows":           {FullySynthetic, Design{100, 0}, []Estimate{good, good}, -1},
		"unknown rule":      {"T_x", d, []Estimate{good, good}, -1},
	} {
		got, err := CombineBy(c.r, c.d, c.sets...)
		var e *EstimateError
		var p *dp.ParameterError
		if got != nil || c.set < 0 && !errors.As(err, &p) || c.set >= 0 && (!errors.As(err, &e) || e.Set != c.set) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if c, err := CombineBy(SingleSource, d, good); err != nil || c.Variance != 6 {
		t.Error(c, err)
	}
	c := must.Get(Combine(d, good, Estimate{2, 1}))(t)
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if _, _, err := c.Interval(level); err == nil {
			t.Error(level)
		}
	}
}

// The naive interval is that of one set's own standard error, says that it misleads, and takes no second set.
func TestNaiveIsOfOneSet(t *testing.T) {
	d, one := Design{100, 500}, Estimate{1.5, .04}
	c := must.Get(CombineBy(Naive, d, one))(t)
	lo, hi, err := c.Interval(.95)
	if err != nil || c.SE() != .2 || math.Abs(lo-(1.5-.2*1.959963984540054)) > 1e-12 || math.Abs(hi+lo-3) > 1e-12 {
		t.Error(c.SE(), lo, hi, err)
	}
	if text := c.String(); !strings.Contains(text, "Misleading") || !strings.Contains(text, "unknown") ||
		strings.Contains(text, "Valid for") {
		t.Error(text)
	}
	var e *EstimateError
	if _, err := CombineBy(Naive, d, one, one); !errors.As(err, &e) {
		t.Error(err)
	}
	if slices.Contains(Rules(), Naive) {
		t.Error("a rule for several sets")
	}
}
