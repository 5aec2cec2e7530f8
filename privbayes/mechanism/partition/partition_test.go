package partition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// golden are values of the prototype, computed with rational numbers.
type golden struct {
	Keep []struct {
		Q      string
		K      int64
		Delta0 float64
		Keep   map[string]float64
	} `json:"partition_keep"`
	Profile []struct {
		Q          string
		K          int64
		Moved      int
		ExpEpsilon json.RawMessage `json:"exp_epsilon"`
		Delta      float64
	} `json:"partition_profile"`
	Cuts []struct {
		Epsilon, Delta float64
		Moved          int
		K              int64
		Gaussian       float64 `json:"gaussian_half"`
	} `json:"partition_cuts"`
}

func goldenValues(t *testing.T) (g golden) {
	t.Helper()
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/golden.json"))(t), &g))
	return g
}

func fraction(t *testing.T, text string) float64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	f, _ := r.Float64()
	return f
}

func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b)+1e-15 }

// The formulas agree with exact values: P(Z = cut), probabilities to keep, and profiles.
func TestGolden(t *testing.T) {
	g := goldenValues(t)
	for _, k := range g.Keep {
		rate := -math.Log(fraction(t, k.Q))
		if got := math.Exp(tailOf(rate, float64(k.K), float64(k.K))); !near(got, k.Delta0, 1e-10) {
			t.Errorf("q %s, cut %d: δ₀ %v, want %v", k.Q, k.K, got, k.Delta0)
		}
		for units, want := range k.Keep {
			var n int64
			must.Get(fmt.Sscan(units, &n))(t)
			tail := 1. // P(Z ≥ cut + 1 − n)
			switch z := k.K + 1 - n; {
			case z >= 1:
				tail = math.Exp(tailOf(rate, float64(z), float64(k.K)))
			case z > -k.K:
				tail = 1 - math.Exp(tailOf(rate, float64(1-z), float64(k.K)))
			}
			if !near(tail, want, 1e-10) {
				t.Errorf("q %s, cut %d, %s units: kept with %v, want %v", k.Q, k.K, units, tail, want)
			}
		}
	}
	for _, p := range g.Profile {
		var e float64
		if text := string(p.ExpEpsilon); text[0] == '"' {
			e = fraction(t, text[1:len(text)-1])
		} else {
			must.Do(t, json.Unmarshal(p.ExpEpsilon, &e))
		}
		rate := -math.Log(fraction(t, p.Q))
		alone := math.Exp(tailOf(rate, float64(p.K), float64(p.K)))
		if got := geometricDelta(rate, alone, p.Moved, math.Log(e)); !near(got, p.Delta, 1e-8) {
			t.Errorf("%+v: δ %v", p, got)
		}
	}
}

// The least cuts are those of the prototype, up to one count where the rates that are tried differ; of the two
// distributions the one with the lower cut is taken.
func TestCuts(t *testing.T) {
	for _, c := range goldenValues(t).Cuts {
		if testing.Short() && c.Moved > 5 {
			continue
		}
		change := Change{c.Moved, c.Moved}
		level := dp.ApproxDP(c.Epsilon, c.Delta).Parameters
		a, met := calibrateGeometric(c.Epsilon, c.Delta, change)
		if !met || a.Cut > c.K || a.Cut < c.K-1 {
			t.Errorf("%+v: geometric %+v", c, a)
		}
		b, met := calibrateGaussian(c.Epsilon, c.Delta, change)
		if !met || math.Abs(float64(b.Cut)+.5-c.Gaussian) > 1.5 {
			t.Errorf("%+v: Gaussian %+v", c, b)
		}
		best := must.Get(Calibrate(level, change))(t)
		if want := min(a.Cut, b.Cut); best.Cut != want && (c.Moved > 1 || best.Cut != a.Cut) {
			t.Errorf("%+v: %+v, want the cut %d", c, best, want)
		}
		if cheaper := best; cheaper.Cut > 1 {
			cheaper.Cut--
			if cheaper.Delta(c.Epsilon, change) <= c.Delta {
				t.Errorf("%+v: the cut %d would do", c, cheaper.Cut)
			}
		}
	}
}

// exact is the distribution of what is released of one category of n units, in rational numbers.
func exact(n int64, q *big.Rat, cut int64, release func(n, z int64) (int64, bool)) map[int64]*big.Rat {
	out, sum := map[int64]*big.Rat{}, new(big.Rat)
	for z := -cut; z <= cut; z++ {
		p := big.NewRat(1, 1)
		for range max(z, -z) {
			p.Mul(p, q)
		}
		sum.Add(sum, p)
		y, shown := release(n, z)
		if !shown {
			y = hidden
		}
		if out[y] == nil {
			out[y] = new(big.Rat)
		}
		out[y].Add(out[y], p)
	}
	for _, p := range out {
		p.Quo(p, sum)
	}
	return out
}

// hockey is δ at e^ε = e between products of dists.
func hockey(p, q []map[int64]*big.Rat, e *big.Rat) *big.Rat {
	sum := new(big.Rat)
	var visit func(i int, a, b *big.Rat)
	visit = func(i int, a, b *big.Rat) {
		if i == len(p) {
			if d := new(big.Rat).Sub(a, new(big.Rat).Mul(e, b)); d.Sign() > 0 {
				sum.Add(sum, d)
			}
			return
		}
		for y, x := range p[i] {
			other := q[i][y]
			if other == nil {
				other = new(big.Rat)
			}
			visit(i+1, new(big.Rat).Mul(a, x), new(big.Rat).Mul(b, other))
		}
	}
	visit(0, big.NewRat(1, 1), big.NewRat(1, 1))
	return sum
}

// worst is the largest δ over all data sets of two categories and all ways in which both counts move by one, or in
// which one does.
func worst(q *big.Rat, cut int64, e *big.Rat, both bool, release func(n, z int64) (int64, bool)) float64 {
	top := 2*cut + 2
	dists := make([]map[int64]*big.Rat, top+2)
	for n := range dists {
		dists[n] = exact(int64(n), q, cut, release)
	}
	var most float64
	try := func(p, q []map[int64]*big.Rat) {
		d, _ := hockey(p, q, e).Float64()
		most = math.Max(most, d)
	}
	for a := range top {
		if !both {
			try(dists[a:a+1], dists[a+1:a+2])
			try(dists[a+1:a+2], dists[a:a+1])
			continue
		}
		for b := range top {
			try([]map[int64]*big.Rat{dists[a], dists[b]}, []map[int64]*big.Rat{dists[a+1], dists[b+1]})
			try([]map[int64]*big.Rat{dists[a+1], dists[b+1]}, []map[int64]*big.Rat{dists[a], dists[b]})
			try([]map[int64]*big.Rat{dists[a+1], dists[b]}, []map[int64]*big.Rat{dists[a], dists[b+1]})
		}
	}
	return most
}

// Over all data sets of two categories δ is the formula's, and attained; broken releases exceed what is charged.
func TestTwoCategoriesByEnumeration(t *testing.T) {
	release := Rule{Noise: Geometric}.at
	q := big.NewRat(1, 3)
	for _, cut := range []int64{1, 2} {
		for _, e := range []int64{2, 3, 5} {
			rate := math.Log(3)
			alone := math.Exp(tailOf(rate, float64(cut), float64(cut)))
			for moved, both := range map[int]bool{1: false, 2: true} {
				got := worst(q, cut, big.NewRat(e, 1), both, release(cut))
				want := geometricDelta(rate, alone, moved, math.Log(float64(e)))
				if !near(got, want, 1e-8) {
					t.Errorf("cut %d, e^ε %d, %d moved: δ %v, formula %v", cut, e, moved, got, want)
				}
			}
		}
	}
	const cut = 4
	charged := math.Exp(tailOf(math.Log(3), cut, cut))
	three := big.NewRat(3, 1)
	for name, m := range map[string]struct {
		release func(n, z int64) (int64, bool)
		both    bool
		delta   float64
	}{
		"none":                 {release(cut), false, 0.00621118012422},
		"the cut one lower":    {release(cut - 1), false, 0.0248447204969},
		"an exact count":       {func(n, z int64) (int64, bool) { _, ok := release(cut)(n, z); return n, ok }, false, 1},
		"two moved, one paid":  {release(cut), true, 0.382739863432},
		"a unit counted twice": {func(n, z int64) (int64, bool) { return release(cut)(2*n, z) }, false, 0.509316770186},
	} {
		if m.both && testing.Short() {
			continue
		}
		got := worst(q, cut, three, m.both, m.release)
		if !near(got, m.delta, 1e-9) || (got <= charged*(1+1e-9)) != (name == "none") {
			t.Errorf("%s: δ %v, want %v; charged %v", name, got, m.delta, charged)
		}
	}
}

// at is Released with a cut.
func (r Rule) at(cut int64) func(n, z int64) (int64, bool) {
	r.Cut = cut
	return r.Released
}

// The Gaussian bound covers two categories by enumeration, where a unit is added, removed or replaced, its own
// categories among them; without the share of hidden categories it does not.
func TestGaussianByEnumeration(t *testing.T) {
	rule := Rule{Gaussian, 4, 1, 4}
	dist := func(n int64) map[int64]float64 {
		out := map[int64]float64{}
		for z := int64(-25); z <= 25; z++ {
			y, shown := rule.Released(n, z)
			if !shown {
				y = hidden
			}
			out[y] += math.Exp(rule.logTail(z)) - math.Exp(rule.logTail(z+1))
		}
		return out
	}
	dists := make([]map[int64]float64, 14)
	for n := range dists {
		dists[n] = dist(int64(n))
	}
	delta := func(a, b, c, d int, e float64) (sum float64) {
		for x, p := range dists[a] {
			for y, r := range dists[b] {
				sum += math.Max(0, p*r-e*dists[c][x]*dists[d][y])
			}
		}
		return sum
	}
	for _, e := range []float64{1.5, 3} {
		var added, replaced float64
		for a := range len(dists) - 1 {
			for b := range len(dists) - 1 {
				added = max(added, delta(a, b, a+1, b+1, e), delta(a+1, b+1, a, b, e))
				replaced = max(replaced, delta(a+1, b, a, b+1, e))
			}
		}
		eps := math.Log(e)
		for name, of := range map[string]struct {
			got    float64
			change Change
		}{"add-remove": {added, Change{2, 2}}, "replace-one": {replaced, Change{1, 2}}} {
			if bound := rule.Delta(eps, of.change); of.got > bound || of.got < bound/10 {
				t.Errorf("%s, e^ε %v: δ %v, bound %v", name, e, of.got, bound)
			}
		}
	}
}

// Draws fit their distribution: chi-square at a false-alarm rate of 1e-9.
func TestDraws(t *testing.T) {
	src := rand.NewPCG(1, 2)
	for _, r := range []Rule{{Geometric, 1, 2, 3}, {Gaussian, 3, 1, 5}} {
		const draws = 60_000
		seen := map[int64]float64{}
		for range draws {
			z := r.Draw(src)
			if r.Noise == Geometric && (z > 3 || z < -3) {
				t.Fatal(z)
			}
			seen[max(-3, min(3, z))]++
		}
		chi := 0.
		for z := int64(-3); z <= 3; z++ {
			p := math.Exp(r.logTail(z)) - math.Exp(r.logTail(z+1))
			switch z {
			case -3:
				p = 1 - math.Exp(r.logTail(-2))
			case 3:
				p = math.Exp(r.logTail(3))
			}
			chi += math.Pow(seen[z]-p*draws, 2) / (p * draws)
		}
		if chi > 55 { // of 6 degrees of freedom
			t.Errorf("%+v: chi-square %v", r, chi)
		}
	}
}

// Given that a count is released, its interval covers with the level, and not much more where noise is wide.
func TestIntervals(t *testing.T) {
	for _, r := range []Rule{{Geometric, 1, 2, 20}, {Gaussian, 30, 1, 20}} {
		for n := int64(1); n < 60; n++ {
			covered := 0.
			for y := r.Cut + 1; y <= n+200; y++ {
				if low, high := r.Interval(y, .9); low <= n && n <= high {
					p := math.Exp(r.logTail(y-n)) - math.Exp(r.logTail(y+1-n))
					covered += p / r.Kept(n)
				}
			}
			if covered < .9-1e-9 || covered > 1+1e-9 {
				t.Errorf("%+v, n %d: covered with %v", r, n, covered)
			}
		}
	}
}

// No δ is 0, and δ₀ of small rates is rounded up: in q^cut(1−q)/(1 + q − 2q^{cut+1}) all but 9 digits cancel there.
func TestDeltaIsRoundedUp(t *testing.T) {
	for _, noise := range []Noise{Geometric, Gaussian} {
		r := Rule{Noise: noise, Num: 1, Den: 1, Cut: maxCut}
		if d := r.Delta(1, Change{1, 1}); !(d > 0) {
			t.Error(noise, d)
		}
	}
	for _, cut := range []int64{1, 3, 100, 30_000} {
		r := Rule{Geometric, 1, 1 << 31, cut}
		x := new(big.Float).SetPrec(300)
		x.SetMantExp(big.NewFloat(-1).SetPrec(300), -31) // e^x by its series
		q, term := big.NewFloat(1).SetPrec(300), big.NewFloat(1).SetPrec(300)
		for i := 1; i < 12; i++ {
			term.Quo(term.Mul(term, x), big.NewFloat(float64(i)))
			q.Add(q, term)
		}
		power := big.NewFloat(1).SetPrec(300)
		for range cut {
			power.Mul(power, q)
		}
		one := big.NewFloat(1).SetPrec(300)
		up := new(big.Float).Mul(power, new(big.Float).Sub(one, q))
		last := new(big.Float).Mul(power, q)
		down := new(big.Float).Sub(new(big.Float).Add(one, q), last.Add(last, last))
		want, _ := up.Quo(up, down).Float64()
		if got := r.shownAlone(); got < want || got > want*(1+1e-8) {
			t.Errorf("cut %d: %v, want %v or a little more", cut, got, want)
		}
	}
}

// Certificates hold at the level and are derived again; with a lower cut they fail, and no parameters panic.
func TestCertificates(t *testing.T) {
	ctx := context.Background()
	for _, k := range []int{1, 5} {
		level := dp.ApproxDP(1, 1e-6).Parameters
		c := must.Get(ChangeOf(k, dp.ReplaceOne))(t)
		rule := must.Get(Calibrate(level, c))(t)
		good := must.Get(Certify(ctx, rule, c, level))(t)
		if !good.OK() || !good.Verify(ctx).OK() {
			t.Error(good)
		}
		theorem := map[Noise]string{
			Geometric: "Partition.units_private", Gaussian: "Categories.gaussian_units"}[rule.Noise]
		if k := good.Checks[1]; k.Theorem == nil || k.Theorem.Name != theorem {
			t.Errorf("%s noise cites another theorem than %s: %v", rule.Noise, theorem, good)
		}
		rule.Cut--
		if bad := must.Get(Certify(ctx, rule, c, level))(t); bad.OK() {
			t.Error(bad)
		}
	}
	for _, params := range []string{
		`{"noise":"x"}`, `{"noise":"truncated geometric","num":0,"den":1,"cut":3,"most":1,"moved":1,"epsilon":1}`,
		`{"noise":"truncated geometric","num":1,"den":1,"cut":0,"most":1,"moved":1,"epsilon":1}`,
		`{"noise":"truncated geometric","num":1,"den":1,"cut":30,"most":1,"moved":3,"epsilon":1}`,
		`{"noise":"truncated geometric","num":1,"den":1,"cut":30,"most":1,"moved":1,"epsilon":0}`,
		`{"noise":"discrete Gaussian","num":1,"den":0,"cut":3,"most":1,"moved":1,"epsilon":1}`,
	} {
		for _, kind := range []string{"partition/delta", "partition/one"} {
			if _, err := cert.Run(ctx, kind, json.RawMessage(params)); err == nil {
				t.Errorf("%s accepts %s", kind, params)
			}
		}
	}
	for _, k := range []int{0, MostCategories + 1} {
		var e *dp.ParameterError
		if _, err := ChangeOf(k, dp.AddRemove); !errors.As(err, &e) {
			t.Error(k, err)
		}
	}
}
