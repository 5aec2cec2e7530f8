package finite_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// random is a mechanism with arbitrary laws, some outputs impossible, the same for the same x.
type random struct {
	outputs int
	seed    uint64
	holes   bool
}

func (m random) Outputs() int { return m.outputs }

func (m random) LogLaw(x []int, out []float64) {
	h := m.seed
	for _, v := range x {
		h = h*1_000_003 + uint64(v) + 1
	}
	rng, sum := rand.New(rand.NewPCG(h, 7)), 0.0
	for o := range out {
		out[o] = rng.ExpFloat64()
		if m.holes && o > 0 && rng.IntN(40) == 0 {
			out[o] = 0
		}
		sum += out[o]
	}
	for o := range out {
		out[o] = math.Log(out[o] / sum)
	}
}

// naive visits all ordered pairs by their definition and evaluates every supremum by its formula.
func naive(m finite.Mechanism, s finite.Space, o finite.Options) *finite.Result {
	var all [][]int
	for x := range s.Inputs() {
		all = append(all, slices.Clone(x))
	}
	r := &finite.Result{Delta: make([]float64, len(o.Epsilons)), RDP: make([]float64, len(o.Orders)),
		EpsilonAt: make([]float64, len(o.Deltas))}
	p, q := make([]float64, m.Outputs()), make([]float64, m.Outputs())
	for _, x := range all {
		for _, y := range all {
			less, more := 0, 0
			for i := range x {
				less, more = less+max(0, x[i]-y[i]), more+max(0, y[i]-x[i])
			}
			if s.Adjacency == dp.AddRemove && less+more != 1 || s.Adjacency == dp.ReplaceOne &&
				(less != 1 || more != 1) {
				continue
			}
			r.Pairs++
			m.LogLaw(x, p)
			m.LogLaw(y, q)
			hi, lo := math.Inf(-1), math.Inf(1)
			for i := range p {
				if l := p[i] - q[i]; !math.IsNaN(l) {
					hi, lo = math.Max(hi, l), math.Min(lo, l)
				}
			}
			r.Epsilon, r.Range = math.Max(r.Epsilon, hi), math.Max(r.Range, hi-lo)
			stick := func(e float64) (d float64) {
				for i := range p {
					d += math.Max(0, math.Exp(p[i])-math.Exp(e+q[i]))
				}
				return d
			}
			for i, e := range o.Epsilons {
				r.Delta[i] = math.Max(r.Delta[i], stick(e))
			}
			for i, d := range o.Deltas {
				a, b := 0.0, 60.0
				for range 200 {
					if c := (a + b) / 2; stick(c) > d {
						a = c
					} else {
						b = c
					}
				}
				if b == 60 {
					b = math.Inf(1)
				}
				r.EpsilonAt[i] = math.Max(r.EpsilonAt[i], b)
			}
			for i, l := range o.Orders {
				sum := 0.0
				for k := range p {
					if !math.IsInf(p[k], -1) {
						sum += math.Exp(l*p[k] + (1-l)*q[k])
					}
				}
				r.RDP[i] = math.Max(r.RDP[i], math.Log(sum)/(l-1))
			}
		}
	}
	return r
}

func TestAuditAgreesWithTheDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := finite.Space{Cells: rapid.IntRange(1, 4).Draw(t, "cells"), N: rapid.IntRange(0, 5).Draw(t, "n")}
		if rapid.Bool().Draw(t, "add-remove") {
			s.Adjacency = dp.AddRemove
		}
		m := random{rapid.IntRange(1, 9).Draw(t, "outputs"), rapid.Uint64().Draw(t, "seed"),
			rapid.Bool().Draw(t, "holes")}
		o := finite.Options{
			Epsilons: []float64{0, 0.7}, Orders: []float64{1.5, 3},
			Deltas: []float64{rapid.Float64Range(1e-4, 0.9).Draw(t, "delta"), 0.3},
		}
		want := naive(m, s, o)
		var first *finite.Result
		for _, workers := range []int{1, 2, 3, 7} {
			o.Workers = workers
			got := must.Get(finite.AuditWith(t.Context(), m, s, o))(t)
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(first, got) {
				t.Fatalf("%d workers: %+v\none: %+v", workers, got, first)
			}
		}
		if first.Pairs != want.Pairs || float64(first.Pairs) != s.Pairs() ||
			first.Work != first.Pairs*int64(m.outputs) {
			t.Fatalf("%d pairs, want %d, announced %v", first.Pairs, want.Pairs, s.Pairs())
		}
		values := func(r *finite.Result) []float64 {
			return append(append(append([]float64{r.Epsilon, r.Range}, r.Delta...), r.EpsilonAt...), r.RDP...)
		}
		for i, w := range values(want) {
			if g := values(first)[i]; g != w && !(math.Abs(g-w) <= 1e-9*(1+math.Abs(w))) {
				t.Fatalf("value %d: %v, want %v\n%+v", i, g, w, first)
			}
		}
	})
}

// laws gives any log-law.
type laws struct {
	outputs int
	f       func(x []int, o int) float64
}

func (l laws) Outputs() int { return l.outputs }
func (l laws) LogLaw(x []int, out []float64) {
	for o := range out {
		out[o] = l.f(x, o)
	}
}

func TestNaNIsNotPrivacy(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		m := laws{2, func(x []int, o int) float64 {
			if x[0] == 2 && o == 1 {
				return bad
			}
			return -math.Ln2
		}}
		for workers := range 4 {
			_, err := finite.AuditWith(t.Context(), m, finite.Space{Cells: 2, N: 5}, finite.Options{Workers: workers})
			var le *finite.LawError
			if !errors.As(err, &le) || fmt.Sprint(le.X, le.Output) != "[2 3] 1" {
				t.Errorf("%v", err)
			}
		}
	}
}

// Σ p^λ q^{1−λ} = e^{λ(λ−1)/2} for normal laws at distance 1 and variance 1: at λ = 64 beyond float64.
func TestRenyiOfNormalLawsDoesNotOverflow(t *testing.T) {
	norm := 0.5 * math.Log(2*math.Pi)
	m := laws{401, func(x []int, o int) float64 { z := float64(o - 200 - x[0]); return -z*z/2 - norm }}
	o := finite.Options{Orders: []float64{2, 30, 64, 100}, Deltas: []float64{0, 1e-300}}
	res := must.Get(finite.AuditWith(t.Context(), m, finite.Space{Cells: 2, N: 1}, o))(t)
	for i, l := range o.Orders {
		if math.Abs(res.RDP[i]-l/2) > 1e-6*l {
			t.Errorf("D_%v = %v, want %v", l, res.RDP[i], l/2)
		}
	}
	if res.EpsilonAt[0] != res.Epsilon || math.Abs(res.Epsilon-200.5) > 1e-9 {
		t.Errorf("ε = %v and at δ = 0 %v; want 200.5", res.Epsilon, res.EpsilonAt[0])
	}
}

func TestOptionsOutsideTheirDomain(t *testing.T) {
	for _, o := range []finite.Options{
		{Epsilons: []float64{-1}}, {Epsilons: []float64{math.NaN()}}, {Orders: []float64{1}},
		{Orders: []float64{math.Inf(1)}},
		{Deltas: []float64{1}}, {Deltas: []float64{math.NaN()}},
	} {
		var se *dp.ParameterError
		if _, err := finite.AuditWith(t.Context(), random{2, 1, false}, finite.Space{Cells: 2, N: 1},
			o); !errors.As(err, &se) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for range finite.Histograms(0, 3) {
		t.Error("no cells")
	}
	for range finite.Histograms(2, -1) {
		t.Error("n < 0")
	}
}
