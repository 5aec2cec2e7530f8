package audit_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func run(t testing.TB, s audit.Subject, opts ...audit.Option) *audit.Verdict {
	t.Helper()
	return must.Get(audit.Run(context.Background(), s, opts...))(t)
}

func TestTruncatedGeometricNoiseHasExactlyItsEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		eps := rapid.Float64Range(0.01, 5).Draw(t, "epsilon")
		v, err := audit.Run(context.Background(), subject(geometric{n, eps}, n, pure(eps)))
		if err != nil || !v.Holds() {
			t.Fatalf("%v\n%v", err, v)
		}
		if math.Abs(v.Exact.Epsilon-eps) > 1e-12*(1+eps) {
			t.Fatalf("ε = %v, want %v", v.Exact.Epsilon, eps)
		}
		// mutants: half the scale of the noise, and noise that is only slightly too small
		for _, factor := range []float64{2, 1 + 1e-9} {
			v, err = audit.Run(context.Background(), subject(geometric{n, factor * eps}, n, pure(eps)))
			if err != nil || factor*eps > eps+1e-11*(1+eps) && v.Holds() {
				t.Fatalf("rate × %v passes: %v\n%v", factor, err, v)
			}
		}
	})
}

// Randomised response has closed forms for every notion: each claim holds at its exact parameters, and at nothing less.
func TestEveryNotionIsDecidedAtItsExactParameters(t *testing.T) {
	const eps = 1.3
	p := 1 / (1 + math.Exp(-eps))
	m := audit.FromFunc(2, func(x []int) []float64 {
		if x[0]%2 == 0 {
			return []float64{p, 1 - p}
		}
		return []float64{1 - p, p}
	})
	at := 0.7
	delta := p - math.Exp(at)*(1-p)
	order := 3.0
	rdp := math.Log(math.Pow(p, order)*math.Pow(1-p, 1-order)+math.Pow(1-p, order)*math.Pow(p, 1-order)) / (order - 1)
	rho := eps * math.Tanh(eps/2) // D_λ/λ is greatest as λ → 1
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, c := range []struct {
			exact, less dp.Parameters
		}{
			{pure(eps), pure(eps * (1 - 1e-9))},
			{dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(at), Delta: delta},
				dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(at), Delta: delta * (1 - 1e-9)}},
			{dp.Parameters{Notion: dp.Renyi, Epsilon: cert.Number(rdp), Order: order},
				dp.Parameters{Notion: dp.Renyi, Epsilon: cert.Number(rdp * (1 - 1e-9)), Order: order}},
			{dp.Parameters{Notion: dp.Concentrated, Rho: rho}, dp.Parameters{Notion: dp.Concentrated, Rho: rho * 0.98}},
		} {
			s := subject(m, 5, c.exact)
			s.Space.Adjacency = adj
			if v := run(t, s); !v.Holds() {
				t.Errorf("%s refuted:\n%v", c.exact, v)
			}
			s.Claim = c.less
			v := run(t, s)
			if v.Holds() {
				t.Errorf("%s passes:\n%v", c.less, v)
			}
			for _, f := range v.Findings {
				if f.Claimed && (f.At.X == nil || f.At.Y == nil) {
					t.Errorf("no worst neighbours for %+v", f)
				}
			}
		}
	}
}

func TestDiscreteGaussianIsConcentrated(t *testing.T) {
	for _, rho := range []float64{0.02, 0.5, 2} {
		g := gaussian{n: 3, reach: int(math.Ceil(math.Sqrt(690 / rho))), rho: rho}
		if v := run(t, subject(g, 3, dp.Parameters{Notion: dp.Concentrated, Rho: rho})); !v.Holds() ||
			!strings.Contains(v.String(), "evidence on the orders") {
			t.Errorf("refuted:\n%v", v)
		}
		half := gaussian{g.n, g.reach, 2 * rho} // mutant: half the variance
		if v := run(t, subject(half, 3, dp.Parameters{Notion: dp.Concentrated, Rho: rho})); v.Holds() {
			t.Errorf("mutant passes:\n%v", v)
		}
	}
}

func TestOptionsAddFindings(t *testing.T) {
	calls := 0
	v := run(t, subject(geometric{4, 1}, 4, pure(1)),
		audit.Epsilons(0.5), audit.Deltas(0, 0.01), audit.Orders(2), audit.Workers(1),
		audit.Progress(func(done, total int64) {
			calls++
			if done < 0 || done > total {
				t.Errorf("progress %d of %d", done, total)
			}
		}))
	if calls == 0 {
		t.Error("no progress")
	}
	want := []string{"pure ε", "range of the loss", "ε at δ = 0", "ε at δ = 0.01", "δ at ε = 1", "δ at ε = 0.5",
		"Rényi divergence of order 2"}
	if len(v.Findings) != len(want) {
		t.Fatalf("%+v", v.Findings)
	}
	for i, f := range v.Findings {
		if f.Quantity != want[i] || f.Claimed != (i == 0) || !f.Holds {
			t.Errorf("finding %d: %+v, want %s", i, f, want[i])
		}
	}
	if got := v.Findings[2].Value; math.Abs(got-1) > 1e-12 {
		t.Errorf("ε at δ = 0 is %v", got)
	}
	if v.Findings[4].Value > 1e-12 {
		t.Errorf("δ at ε is %v", v.Findings[4].Value)
	}
	if !strings.Contains(table.HTML(v), "<table>") || !strings.Contains(v.String(), "the claim holds") {
		t.Error(v)
	}
	// a law that is off by 1e-7 needs a tolerance
	off := subject(geometric{4, 1 + 1e-7}, 4, pure(1))
	if run(t, off).Holds() || !run(t, off, audit.Tolerance(1e-6)).Holds() {
		t.Error("tolerance is not used")
	}
}

// A lying mechanism: an output that one neighbour cannot give.
func TestImpossibleOutputsRefute(t *testing.T) {
	m := audit.FromFunc(2, func(x []int) []float64 {
		if x[0] == 0 {
			return []float64{1, 0}
		}
		return []float64{0.5, 0.5}
	})
	v := run(t, subject(m, 2, pure(50)))
	if v.Holds() || !math.IsInf(v.Exact.Epsilon, 1) {
		t.Error(v)
	}
	if v = run(t, subject(m, 2, dp.Parameters{Notion: dp.Approximate, Epsilon: 1, Delta: 0.6})); !v.Holds() {
		t.Error(v)
	}
}

func TestSubjectsThatCannotBeAudited(t *testing.T) {
	good := subject(geometric{2, 1}, 2, pure(1))
	change := func(f func(*audit.Subject)) audit.Subject { s := good; f(&s); return s }
	for i, c := range []struct {
		s  audit.Subject
		o  audit.Option
		of string // where it is refused
	}{
		{change(func(s *audit.Subject) { s.Mechanism = nil }), nil, "audit: " + good.Name},
		{change(func(s *audit.Subject) { s.Claim = dp.NotPrivate("no idea") }), nil, "audit: " + good.Name},
		{change(func(s *audit.Subject) { s.Claim = dp.Parameters{} }), nil, "dp"},
		{change(func(s *audit.Subject) { s.Claim = pure(-1) }), nil, "dp"},
		{change(func(s *audit.Subject) { s.Space.N = 0 }), nil, "audit: " + good.Name},
		{change(func(s *audit.Subject) { s.Space.Cells = 1 }), nil, "audit: " + good.Name},
		{change(func(s *audit.Subject) { s.Space.Cells = 0 }), nil, "finite"},
		{change(func(s *audit.Subject) { s.Space.Adjacency = dp.ReplaceValue }), nil, "finite"},
		{change(func(s *audit.Subject) { s.Mechanism = audit.FromFunc(0, nil) }), nil, "finite"},
		{good, audit.Tolerance(0.1), "audit: " + good.Name},
		{good, audit.Epsilons(math.NaN()), "audit: " + good.Name},
		{good, audit.Orders(1), "audit: " + good.Name},
		{good, audit.Deltas(1), "finite"},
	} {
		if c.o == nil {
			c.o = audit.Workers(1)
		}
		var e *dp.ParameterError
		if _, err := audit.Run(t.Context(), c.s, c.o); !errors.As(err, &e) || e.Of != c.of {
			t.Errorf("case %d: %v, want a refusal by %s", i, err, c.of)
		}
	}
	if _, err := audit.Run(cert.WithWorkLimit(t.Context(), 3), good); !errors.Is(err, cert.ErrWorkLimit) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Run(ctx, good); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A finding is judged at its bound, up to the tolerance of the run.
func TestToleranceIsOfTheRun(t *testing.T) {
	const n, eps = 3, 1.0
	s := subject(geometric{n, eps * (1 + 1e-6)}, n, pure(eps))
	v := run(t, s)
	if v.Tolerance != audit.DefaultTolerance || v.Holds() || v.Outputs != n+1 || v.Findings[0].Bound != eps {
		t.Errorf("%+v", v)
	}
	if v := run(t, s, audit.Tolerance(1e-5)); v.Tolerance != 1e-5 || !v.Holds() {
		t.Errorf("%+v", v)
	}
}
