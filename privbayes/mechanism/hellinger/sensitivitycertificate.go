package hellinger

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// hellingerParams is the public input of the checks of a sensitivity.
type hellingerParams struct {
	Prior   []float64 `json:"prior"`
	N       int64     `json:"n"`
	Outputs bool      `json:"outputs,omitempty"` // visit all outputs r too, not only r = x
}

// The checkers of a sensitivity. Those that enumerate subtract the rounding of their own sums, so that what they derive
// is not above the exact value.
var (
	// globalChecker finds the largest |H(x, r) − H(y, r)| by visiting neighbours.
	globalChecker = defineEnumeration("hellinger/global", enumerateGlobal)
	// globalIntervalChecker is the closed form in interval arithmetic.
	globalIntervalChecker = defineInterval("hellinger/global-interval", (*hellinger.Space).GlobalUpper)
	// lipschitzChecker finds the largest |1/LS⁺(x) − 1/LS⁺(y)| by visiting neighbours.
	lipschitzChecker = defineEnumeration("hellinger/lipschitz-plus", enumerateLipschitz)
	// lipschitzIntervalChecker is γ⁺ in interval arithmetic.
	lipschitzIntervalChecker = defineInterval("hellinger/lipschitz-plus-interval", (*hellinger.Space).GammaPlusUpper)
)

// What [Sensitivity.Certificate] enumerates at most, so that a plan takes a fraction of a second.
const (
	certifiedPairs = 10_000  // pairs of neighbours
	certifiedTerms = 600_000 // pairs × outputs × cells
)

const hellingerSource = "theory/hellinger.md §2"

// Certificate certifies Global().Upper and LipschitzPlus(): each closed form in interval arithmetic, and, unless the
// smallest case is too large, by visiting all neighbours, with n as it is or the largest that can be visited. Errors:
// the context's.
func (h *Sensitivity) Certificate(ctx context.Context) (*cert.Certificate, error) {
	alpha, n := h.space.Alpha(), h.space.N()
	c := &cert.Certificate{Title: fmt.Sprintf("sensitivity of the Hellinger score, %d cells, n = %d", len(alpha), n)}
	add := func(checker cert.Checker[hellingerParams], k cert.Check, bound float64, p hellingerParams) error {
		k.Source, k.Bound = hellingerSource, cert.Number(bound)
		k, err := checker.Check(ctx, k, p)
		if err == nil {
			c.Checks = append(c.Checks, k)
		}
		return err
	}
	all := hellingerParams{Prior: alpha, N: n}
	scope := fmt.Sprintf("this prior, n = %d", n)
	global := atPrior
	if len(alpha) == 2 { // the one edge that depends on n
		global = cert.Citation{}
	}
	if err := add(globalIntervalChecker, cert.Check{
		Statement: "the global sensitivity is at most", Formula: globalFormula(len(alpha)), Scope: scope,
		Citation: global,
	}, h.space.GlobalUpper(), all); err != nil {
		return nil, err
	}
	if err := add(lipschitzIntervalChecker, cert.Check{
		Statement: "γ⁺ is at most", Formula: "T(α_min + 1) − T(α_min)", Scope: "this prior, every n ≥ 1",
	}, h.space.GammaPlusUpper(), all); err != nil {
		return nil, err
	}
	limit := cert.WorkLimit(ctx)
	visited := int64(0)
	for _, outputs := range []bool{true, false} {
		at := largest(all, outputs, limit)
		if at.N <= visited { // also when nothing fits
			continue
		}
		visited = at.N
		s, err := hellinger.New(alpha, at.N)
		if err != nil {
			return nil, err
		}
		k := cert.Check{Statement: "no neighbours are further apart than", Formula: "max H(x, y)",
			Scope: reduced(at.N, n)}
		if outputs {
			k.Statement, k.Formula = "no score changes by more than", "max |H(x, r) − H(y, r)|"
		}
		if err := add(globalChecker, k, s.GlobalUpper(), at); err != nil {
			return nil, err
		}
	}
	if visited > 0 {
		return c, add(lipschitzChecker, cert.Check{
			Statement: "1/LS⁺ changes by no more than γ⁺", Formula: "max |1/LS⁺(x) − 1/LS⁺(y)|",
			Scope: reduced(visited, n),
		}, h.space.GammaPlusUpper(), hellingerParams{Prior: alpha, N: visited})
	}
	return c, nil
}

func globalFormula(d int) string {
	if d == 2 {
		return "edge(α_min, α_max + n − 1)"
	}
	return "edge(α_(1), α_(2))"
}

func reduced(visited, n int64) string {
	if visited == n {
		return fmt.Sprintf("all neighbours with n = %d", n)
	}
	return fmt.Sprintf("all neighbours with n = %d in place of %d; the closed form is proved for every n", visited, n)
}

// largest is p with the largest n' ≤ n that can be visited; n' = 0 when none can.
func largest(p hellingerParams, outputs bool, limit int64) hellingerParams {
	most := math.Min(float64(limit), certifiedPairs)
	if outputs {
		most = math.Min(float64(limit), certifiedTerms/float64(len(p.Prior)))
	}
	out := hellingerParams{Prior: p.Prior, Outputs: outputs}
	fits := func(n int) bool {
		out.N = int64(n)
		c, err := out.cases()
		return err == nil && c <= most
	}
	out.N = int64(sort.Search(int(p.N), func(i int) bool { return !fits(i + 1) }))
	return out
}

// cases is the number of pairs of neighbours, times outputs if those are visited. A pair is {z + e_i, z + e_j} with n −
// 1 records in z.
func (p hellingerParams) cases() (float64, error) {
	s, err := hellinger.New(p.Prior, max(p.N-1, 0))
	if err != nil || p.N == 0 {
		return 0, err
	}
	d := float64(len(p.Prior))
	c := s.Size() * d * (d - 1) / 2
	if p.Outputs {
		if s, err = hellinger.New(p.Prior, p.N); err != nil {
			return 0, err
		}
		c *= s.Size()
	}
	return c, nil
}

func defineInterval(kind string, f func(*hellinger.Space) float64) cert.Checker[hellingerParams] {
	return cert.Define(kind, func(_ context.Context, p hellingerParams) (cert.Outcome, error) {
		s, err := p.space(kind)
		if err != nil {
			return cert.Outcome{}, err
		}
		return cert.Outcome{Value: f(s), Method: cert.Interval}, nil
	})
}

func defineEnumeration(
	kind string, f func(context.Context, *hellinger.Space, hellingerParams) (float64, error),
) cert.Checker[hellingerParams] {
	return cert.Define(kind, func(ctx context.Context, p hellingerParams) (cert.Outcome, error) {
		s, err := p.space(kind)
		if err != nil {
			return cert.Outcome{}, err
		}
		cases, err := p.cases()
		switch {
		case err != nil:
			return cert.Outcome{}, err
		case cases > float64(cert.WorkLimit(ctx)):
			return cert.Outcome{}, cert.ErrWorkLimit
		}
		v, err := f(ctx, s, p)
		return cert.Outcome{Value: v, Method: cert.Enumeration, Work: int64(cases)}, err
	})
}

// space is the score's space; parameters may come from a file.
func (p hellingerParams) space(kind string) (*hellinger.Space, error) {
	s, err := hellinger.New(p.Prior, p.N)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return s, nil
}
