package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// draws makes a sampler of a function that draws once.
type draws func(x []int) string

func (d draws) Draw(ctx context.Context, x []int, k int) ([]string, error) {
	out := make([]string, k)
	for i := range out {
		out[i] = d(x)
	}
	return out, ctx.Err()
}

// fromLaw draws from a law with a fixed seed, and names outputs by number.
func fromLaw(m finite.Mechanism, seed uint64) draws {
	src := dp.Seeded(seed)
	return func(x []int) string {
		law := make([]float64, m.Outputs())
		m.LogLaw(x, law)
		u := uniform(src)
		for o, l := range law {
			if u -= math.Exp(l); u < 0 {
				return strconv.Itoa(o)
			}
		}
		return strconv.Itoa(len(law) - 1)
	}
}

func uniform(src *dp.Stream) float64 { return (float64(src.Uint64()>>11) + 0.5) * 0x1p-53 }

func sampled(d audit.Sampler, n int, claim dp.Parameters) audit.Sampled {
	return audit.Sampled{Name: "test", Sampler: d, Space: finite.Space{Cells: 2, N: n}, Claim: claim, Draws: 10_000}
}

func draw(t testing.TB, s audit.Sampled) *audit.Evidence {
	t.Helper()
	return must.Get(audit.Sample(t.Context(), s))(t)
}

// Claims that hold exactly are not refuted (false alarm 1e-9, fixed seeds), in every notion; a mutant with half the
// noise is, and what is shown of it stays below the exact value.
func TestSampleTellsHalfTheNoise(t *testing.T) {
	const n, eps = 3, 1.0
	approximate := dp.Parameters{Notion: dp.Approximate, Epsilon: 0.5, Delta: 0}
	exact := func(m finite.Mechanism, adj dp.Adjacency) *finite.Result {
		r, err := finite.Audit(t.Context(), m, finite.Space{Cells: 2, N: n, Adjacency: adj}, []float64{0.5}, []float64{4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		right, half := geometric{n, eps}, geometric{n, 2 * eps}
		is, was := exact(right, adj), exact(half, adj)
		approximate.Delta = is.Delta[0]
		for _, c := range []struct {
			claim dp.Parameters
			spent float64 // by the mutant
		}{
			{pure(eps), was.Epsilon},
			{approximate, was.Delta[0]},
			{dp.RenyiDP(4, is.RDP[0]).Parameters, was.RDP[0]},
			{dp.ZCDP(eps * math.Tanh(eps/2)).Parameters, 2 * eps * math.Tanh(eps)},
			{dp.TCDP(eps*math.Tanh(eps/2), 8).Parameters, 2 * eps * math.Tanh(eps)},
		} {
			s := sampled(fromLaw(right, 1), n, c.claim)
			s.Space.Adjacency = adj
			e := draw(t, s)
			if e.Refuted() || !strings.Contains(e.String(), "no proof") {
				t.Errorf("%s, %s: refuted:\n%v", c.claim, adj, e)
			}
			if s.Sampler = fromLaw(half, 2); true {
				e = draw(t, s)
			}
			if !e.Refuted() || e.Tests[0].Spent > c.spent*(1+1e-9) || e.Tests[0].Spent < c.spent/2 {
				t.Errorf("%s, %s: half the noise spends %v:\n%v", c.claim, adj, c.spent, e)
			}
		}
	}
}

// Real numbers are counted in bins: Laplace noise at its scale, and at half of it.
func TestSampleOfRealNumbers(t *testing.T) {
	laplace := func(scale float64, seed uint64) draws {
		src := dp.Seeded(seed)
		return func(x []int) string {
			u := uniform(src) - 0.5
			z := -scale * math.Copysign(math.Log1p(-2*math.Abs(u)), u)
			return strconv.FormatFloat(float64(x[0])+z, 'g', -1, 64)
		}
	}
	if e := draw(t, sampled(laplace(1, 1), 2, pure(1))); e.Refuted() || e.Tests[0].Spent < 0.7 {
		t.Errorf("%v", e)
	}
	e := draw(t, sampled(laplace(0.5, 2), 2, pure(1)))
	if !e.Refuted() || !strings.Contains(e.Tests[0].Event, "output ") {
		t.Errorf("%v", e)
	}
	// a heavy value among many others, and what is no number
	src := dp.Seeded(3)
	mixed := draws(func(x []int) string {
		switch u := uniform(src); {
		case u < 0.5:
			return "0"
		case u < 0.6 && x[0] == 0:
			return "NaN" // tells that nobody is there
		default:
			return fmt.Sprint(u)
		}
	})
	if e := draw(t, sampled(mixed, 1, pure(1))); !e.Refuted() || !strings.Contains(e.Tests[0].Event, `"NaN"`) {
		t.Errorf("%v", e)
	}
}

// The evidence counts its draws, says its false alarm, and shows texts of the program in quotes.
func TestEvidenceIsShown(t *testing.T) {
	e := draw(t, sampled(draws(func(x []int) string {
		if x[0] > 0 {
			return "ε = 1\u202e, sampling: exact"
		}
		return "b"
	}), 2, pure(1)))
	text := table.Text(e)
	for _, want := range []string{"Audit of test by draws: ε = 1? the claim is FALSE", `"ε = 1\u202e, sampling: exact"`,
		"90000 draws", "at most 1e-9", "[1 1], [0 2]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if e.Total != 90_000 || len(e.Tests) != 3 {
		t.Errorf("%+v", e)
	}
}

func TestSampledThatCannotBeAudited(t *testing.T) {
	good := sampled(fromLaw(geometric{2, 1}, 1), 2, pure(1))
	broken := errors.New("no noise left")
	for i, c := range []func(s *audit.Sampled){
		func(s *audit.Sampled) { s.Sampler = nil },
		func(s *audit.Sampled) { s.Draws = 99 },
		func(s *audit.Sampled) { s.Draws = -1 },
		func(s *audit.Sampled) { s.FalseAlarm = 0.5 },
		func(s *audit.Sampled) { s.FalseAlarm = math.NaN() },
		func(s *audit.Sampled) { s.Claim = dp.NotPrivate("no idea") },
		func(s *audit.Sampled) { s.Claim = pure(-1) },
		func(s *audit.Sampled) { s.Space.N = 0 },
		func(s *audit.Sampled) { s.Space.Cells = 0 },
		func(s *audit.Sampled) { s.Space.Adjacency = dp.ReplaceValue },
		func(s *audit.Sampled) { s.Sampler = few{} },
	} {
		s := good
		c(&s)
		var pe *dp.ParameterError
		if _, err := audit.Sample(t.Context(), s); !errors.As(err, &pe) {
			t.Errorf("case %d: %v", i, err)
		}
	}
	s := good
	s.Sampler = failing{broken}
	if _, err := audit.Sample(t.Context(), s); !errors.Is(err, broken) {
		t.Error(err)
	}
	var limit *cert.LimitError
	s = good
	s.Space.N = 10_000
	if _, err := audit.Sample(t.Context(), s); !errors.As(err, &limit) {
		t.Error(err)
	}
	if _, err := audit.Sample(cert.WithWorkLimit(t.Context(), 50_000), good); !errors.As(err, &limit) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Sample(ctx, good); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type few struct{}

func (few) Draw(context.Context, []int, int) ([]string, error) { return []string{"0"}, nil }

type failing struct{ err error }

func (f failing) Draw(context.Context, []int, int) ([]string, error) { return nil, f.err }

// A law that is the program's own is not denied; one that is off by a tenth of its scale is, and so is a draw that is
// no output.
func TestAgree(t *testing.T) {
	const n = 3
	s := sampled(fromLaw(geometric{n, 1}, 5), n, pure(1))
	a, err := audit.Agree(t.Context(), geometric{n, 1}, s)
	if err != nil || !a.Agrees() || !strings.Contains(a.String(), "they agree") {
		t.Errorf("%v, %v", a, err)
	}
	a, err = audit.Agree(t.Context(), geometric{n, 1.2}, s)
	if err != nil || a.Agrees() || !strings.Contains(a.String(), "NOT") {
		t.Errorf("%v, %v", a, err)
	}
	// an output that the law calls impossible came
	never := audit.FromFunc(2, func([]int) []float64 { return []float64{1, 0} })
	coin := audit.FromFunc(2, func([]int) []float64 { return []float64{0.99, 0.01} })
	if a, err = audit.Agree(t.Context(), never, sampled(fromLaw(coin, 6), n, pure(1))); err != nil || a.Agrees() ||
		a.Tail != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	var bad *audit.LawError
	for _, out := range []string{"2", "-1", "x", "0.5"} {
		s.Sampler = draws(func([]int) string { return out })
		if _, err := audit.Agree(t.Context(), coin, s); !errors.As(err, &bad) {
			t.Errorf("%q: %v", out, err)
		}
	}
	wrong := audit.FromFunc(2, func([]int) []float64 { return []float64{0.5, 0.4} })
	if _, err := audit.Agree(t.Context(), wrong, s); !errors.As(err, &bad) {
		t.Error(err)
	}
	var pe *dp.ParameterError
	if _, err := audit.Agree(t.Context(), nil, s); !errors.As(err, &pe) {
		t.Error(err)
	}
}
