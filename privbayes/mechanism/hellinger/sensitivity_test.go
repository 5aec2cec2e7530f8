package hellinger_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // which files are read with
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func newSensitivity(t testing.TB, n int64, alpha ...float64) *hellinger.Sensitivity {
	t.Helper()
	return must.Get(hellinger.NewSensitivity(alpha, n))(t)
}

// between is the Hellinger distance of the posteriors of x and y, by the posterior package.
func between(t testing.TB, alpha []float64, x, y []int64) float64 {
	t.Helper()
	law := func(x []int64) *posterior.Dirichlet {
		a := append([]float64(nil), alpha...)
		for i, k := range x {
			a[i] += float64(k)
		}
		return must.Get(posterior.NewDirichlet(a))(t)
	}
	return posterior.Hellinger(law(x), law(y))
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

func neighbours(x, y []int64) bool {
	var up, down int64
	for i := range x {
		up += max(y[i]-x[i], 0)
		down += max(x[i]-y[i], 0)
	}
	return len(x) == len(y) && up == 1 && down == 1
}

func TestSensitivityGlobal(t *testing.T) {
	for _, c := range []struct {
		alpha []float64
		n     int64
		want  float64
	}{
		{[]float64{1, 1}, 1, 0.463251375176}, {[]float64{1, 1}, 2, 0.408606716899},
		{[]float64{1, 1}, 500, 0.337630868774},
		{[]float64{7, 4}, 300, 0.176309896205}, {[]float64{7, 4}, 500, 0.175865644447},
		{[]float64{1, 1, 1}, 9, 0.463251375176}, {[]float64{7, 4, 5}, 100, 0.233629480709},
		{[]float64{7, 4, 5}, 1e15, 0.233629480709},
		{[]float64{3, 7, 7}, 100, 0.239992747797}, {[]float64{1, 1}, 1e15, 0.337302645331},
	} {
		g := newSensitivity(t, c.n, c.alpha...).Global()
		if !near(g.Value, c.want, 3e-12) || !(g.Upper > g.Value*(1-1e-15)) || !near(g.Upper, g.Value, 1e-13) {
			t.Errorf("%v, n = %d: %.15g, at most %.15g; want %.12g", c.alpha, c.n, g.Value, g.Upper, c.want)
		}
		if !neighbours(g.X, g.Y) || c.n < 1e6 && !near(between(t, c.alpha, g.X, g.Y), g.Value, 1e-12) {
			t.Errorf("%v, n = %d: %v and %v are %v apart, want %v", c.alpha, c.n, g.X, g.Y,
				between(t, c.alpha, g.X, g.Y), g.Value)
		}
	}
}

func TestSensitivityCertificate(t *testing.T) {
	for _, c := range []struct {
		n      int64
		alpha  []float64
		checks int
	}{
		{0, []float64{1, 2}, 2},
		{20, []float64{7, 4}, 4},
		{6, []float64{0.1, 2, 300}, 4},
		{100, []float64{7, 4, 5}, 5},
		{1e15, []float64{7, 4}, 5},
		{50, make100(), 4},
		{3, []float64{1e9, 1e12}, 4},
	} {
		h := newSensitivity(t, c.n, c.alpha...)
		began := time.Now()
		k := must.Get(h.Certificate(t.Context()))(t)
		if !k.OK() || len(k.All()) != c.checks {
			t.Errorf("n = %d, %d cells: %d checks, want %d\n%s", c.n, len(c.alpha), len(k.All()), c.checks, k)
		}
		if v := k.Verify(t.Context()); !v.OK() {
			t.Errorf("n = %d, %d cells:\n%s", c.n, len(c.alpha), v)
		}
		for _, check := range k.All() { // the enumerations come close to what they bound
			sharp := check.Kind == "hellinger/global"
			if sharp && !near(float64(check.Value), float64(check.Bound), 1e-6) {
				t.Errorf("n = %d: %s: %v is far from %v", c.n, check.Statement, check.Value, check.Bound)
			}
		}
		t.Logf("n = %d, %d cells: %v", c.n, len(c.alpha), time.Since(began))
	}
}

func make100() []float64 {
	a := make([]float64, 100)
	for i := range a {
		a[i] = 1
	}
	return a
}

// A sensitivity that is too small by 1e-6 of itself fails its certificate.
func TestSensitivityCertificateHasPower(t *testing.T) {
	k := must.Get(newSensitivity(t, 8, 7, 4, 5).Certificate(t.Context()))(t)
	for i := range k.Checks {
		if k.Checks[i].Kind == "hellinger/lipschitz-plus" { // γ⁺ holds for every n and is approached in the limit
			continue
		}
		old := k.Checks[i].Bound
		k.Checks[i].Bound = cert.Number(float64(old) * (1 - 1e-6))
		if k.OK() || k.Verify(t.Context()).OK() {
			t.Errorf("%s: a bound that is too small passes", k.Checks[i].Kind)
		}
		k.Checks[i].Bound = old
	}
}

func TestSensitivityCheckersRefuse(t *testing.T) {
	kinds := []string{
		"hellinger/global", "hellinger/global-interval", "hellinger/lipschitz-plus",
		"hellinger/lipschitz-plus-interval",
	}
	for _, kind := range kinds {
		for _, bad := range []string{`{`, `{"prior":[1],"n":3}`, `{"prior":[1,-1],"n":3}`, `{"prior":[1,1],"n":-3}`} {
			if _, err := cert.Run(t.Context(), kind, []byte(bad)); err == nil {
				t.Errorf("%s: %s passed", kind, bad)
			}
		}
	}
	big := []byte(`{"prior":[1,1,1],"n":1000000}`)
	if _, err := cert.Run(t.Context(), "hellinger/global", big); !errors.Is(err, cert.ErrWorkLimit) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newSensitivity(t, 5, 1, 2).Certificate(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	k, err := newSensitivity(t, 50, 7, 4, 5).Certificate(cert.WithWorkLimit(t.Context(), 0))
	if err != nil || !k.OK() || len(k.All()) != 2 {
		t.Error(k, err)
	}
}

func TestSensitivityErrors(t *testing.T) {
	var pe *domain.Error
	if _, err := hellinger.NewSensitivity([]float64{1, math.NaN()}, 5); !errors.As(err, &pe) ||
		pe.Parameter != "alpha[1]" {
		t.Error(err)
	}
	h := newSensitivity(t, 5, 1, 2)
	for _, x := range [][]int64{{5}, {6, -1}, {2, 2}, {4, 2}} {
		var ce *hellinger.CountsError
		if _, err := h.At(x); !errors.As(err, &ce) {
			t.Errorf("%v: %v", x, err)
		}
	}
	d := must.Get(h.At([]int64{2, 3}))(t)
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := d.Smooth(bad); !errors.As(err, &pe) || pe.Parameter != "beta" {
			t.Error(err)
		}
		if _, err := d.Reciprocal(bad); !errors.As(err, &pe) || pe.Parameter != "gamma" {
			t.Error(err)
		}
	}
}

// Whatever the diagnostic says is attained by neighbours at the stated distance.
func TestSensitivityDiagnosticIsAttained(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		alpha := rapid.SliceOfN(rapid.Float64Range(0.01, 50), 2, 6).Draw(r, "alpha")
		x := rapid.SliceOfN(rapid.Int64Range(0, 30), len(alpha), len(alpha)).Draw(r, "x")
		var n int64
		for i := range x {
			if rapid.IntRange(0, 2).Draw(r, "empty") == 0 {
				x[i] = 0
			}
			n += x[i]
		}
		d := must.Get(newSensitivity(t, n, alpha...).At(x))(r)
		s, _ := d.Smooth(0.05)
		c, _ := d.Reciprocal(0.1)
		if n == 0 {
			if s.Value != 0 || c.Value != 0 || d.Local.Value != 0 || d.Local.X != nil {
				r.Errorf("n = 0: %+v", d)
			}
			return
		}
		for name, a := range map[string]hellinger.Attained{"LS": d.Local, "LS⁺": d.LocalPlus, "S_β": s, "S_γ": c} {
			var away int64
			for i := range x {
				away += max(x[i]-a.X[i], 0)
			}
			h := between(t, alpha, a.X, a.Y)
			switch name {
			case "S_β":
				h *= math.Exp(-0.05 * float64(away))
			case "S_γ":
				h = 1 / (1/h + 0.1*float64(away))
			}
			if away != a.Distance || !neighbours(a.X, a.Y) || !near(h, a.Value, 1e-11) {
				r.Errorf("prior %v, x = %v: %s = %+v, but the pair gives %v at distance %d", alpha, x, name, a, h, away)
			}
		}
		g := d.Global.Upper * (1 + 1e-14)
		if !(d.Local.Value <= d.LocalPlus.Value && d.LocalPlus.Value <= g && s.Value <= g && c.Value <= g &&
			d.Local.Value <= s.Value && d.Local.Value <= c.Value) {
			r.Errorf("out of order: %+v, %v, %v", d, s, c)
		}
	})
}

func TestSensitivityDiagnosticIsMarkedPrivate(t *testing.T) {
	d := must.Get(newSensitivity(t, 100, 7, 4, 5).At([]int64{100, 0, 0}))(t)
	for _, s := range []string{d.String(), table.HTML(d)} {
		if !strings.Contains(s, "(private: do not publish)") || !strings.Contains(s, "0.2336") ||
			!strings.Contains(s, "0.1784") {
			t.Error(s)
		}
	}
	huge, err := newSensitivity(t, 3, 1e300, 1e301).At([]int64{0, 3}) // all distances are equal in float64
	if err != nil || !neighbours(huge.LocalPlus.X, huge.LocalPlus.Y) || huge.LocalPlus.Y[0] < 0 ||
		huge.LocalPlus.Y[1] < 0 {
		t.Errorf("%+v, %v", huge, err)
	}
}

func ExampleNewSensitivity() {
	h, _ := hellinger.NewSensitivity([]float64{7, 4, 5}, 100)
	g := h.Global()
	fmt.Printf("%.12f between %v and %v\n", g.Value, g.X, g.Y)
	// Output: 0.233629480709 between [99 1 0] and [99 0 1]
}

func ExampleSensitivity_Global() {
	for _, n := range []int64{1, 2, 500} {
		h, _ := hellinger.NewSensitivity([]float64{1, 1}, n)
		fmt.Printf("n = %d: %.6f\n", n, h.Global().Value)
	}
	// Output:
	// n = 1: 0.463251
	// n = 2: 0.408607
	// n = 500: 0.337631
}

func ExampleSensitivity_LipschitzPlus() {
	h, _ := hellinger.NewSensitivity([]float64{7, 4, 5}, 100)
	fmt.Printf("%.5f\n", h.LipschitzPlus())
	// Output: 0.66101
}

func ExampleSensitivity_Certificate() {
	h, _ := hellinger.NewSensitivity([]float64{7, 4, 5}, 10)
	c, _ := h.Certificate(context.Background())
	for _, k := range c.All() {
		fmt.Printf("%s: %s %.4f (%s)\n", k.Kind, k.Statement, k.Bound, k.Method)
	}
	fmt.Println(c.OK(), c.Verify(context.Background()).OK())
	// Output:
	// hellinger/global-interval: the global sensitivity is at most 0.2336 (interval)
	// hellinger/lipschitz-plus-interval: γ⁺ is at most 0.6610 (interval)
	// hellinger/global: no score changes by more than 0.2336 (enumeration)
	// hellinger/lipschitz-plus: 1/LS⁺ changes by no more than γ⁺ 0.6610 (enumeration)
	// true true
}

func ExampleSensitivity_At() {
	h, _ := hellinger.NewSensitivity([]float64{1, 1, 1}, 7)
	d, _ := h.At([]int64{0, 0, 7})
	fmt.Printf("LS = %.4f, LS⁺ = %.4f, Δ = %.4f\n", d.Local.Value, d.LocalPlus.Value, d.Global.Value)
	// Output: LS = 0.3598, LS⁺ = 0.4633, Δ = 0.4633
}

func ExampleDiagnostic_Smooth() {
	h, _ := hellinger.NewSensitivity([]float64{7, 4, 5}, 100)
	d, _ := h.At([]int64{34, 33, 33})
	s, _ := d.Smooth(0.01)
	fmt.Printf("%.6f, from %v to %v, %d records away\n", s.Value, s.X, s.Y, s.Distance)
	// Output: 0.133644, from [66 1 33] to [66 0 34], 32 records away
}

func ExampleDiagnostic_Reciprocal() {
	h, _ := hellinger.NewSensitivity([]float64{7, 4, 5}, 100)
	d, _ := h.At([]int64{34, 33, 33})
	s, _ := d.Reciprocal(0.25)
	fmt.Printf("%.6f, %d records away\n", s.Value, s.Distance)
	// Output: 0.082089, 0 records away
}

func BenchmarkSensitivityCertificate(b *testing.B) {
	h := newSensitivity(b, 100, 7, 4, 5)
	for b.Loop() {
		must.Get(h.Certificate(context.Background()))(b)
	}
}
