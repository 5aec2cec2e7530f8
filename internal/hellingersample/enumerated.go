package hellingersample

import (
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Limits of enumeration: candidates, and cells (the walk visits every prefix).
const (
	MaxCandidates = 5_000_000
	MaxWalkCells  = 4096
)

// Exponents fills out, of length Count(n, d), with A·H(x, r) for the candidates in the order of [Unrank]. The sampler
// [Enumerated] draws from these very numbers. Errors: *[ParameterError], *[InfeasibleError].
func Exponents(alpha []float64, x []int64, a float64, out []float64) error {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return err
	}
	if err := p.enumerable(); err != nil {
		return err
	}
	if m := Count(p.n, p.dim()); uint64(len(out)) != m {
		return domain.Refuse("hellingersample", "length of out", len(out), "the number of candidates")
	}
	p.exponents(out)
	return nil
}

func (p *problem) enumerable() error {
	if m := Count(p.n, p.dim()); m > MaxCandidates {
		return &InfeasibleError{"enumerated", "the number of candidates", float64(m), MaxCandidates,
			"shells for two cells, else the mixture"}
	}
	if p.dim() > MaxWalkCells {
		return &InfeasibleError{"enumerated", "the number of cells", float64(p.dim()), MaxWalkCells, "the mixture"}
	}
	return nil
}

// exponents walks the candidates with tables for this x only.
func (p *problem) exponents(out []float64) {
	phi := make([][]float64, p.dim())
	for i := range phi {
		phi[i] = make([]float64, p.n+1)
		for v := range phi[i] {
			phi[i][v] = logBC(p.alpha[i], p.x[i], int64(v))
		}
	}
	p.walk(phi, out)
}

// enumerated draws by the table of all candidates.
type enumerated struct {
	problem
	weights *sample.Weights
}

// Enumerated tabulates all candidates, at most [MaxCandidates]. It draws from exp(−A·H) as [Exponents] rounds it.
// Proposals counts the one draw from the table. Errors: *[ParameterError], *[InfeasibleError].
func Enumerated(alpha []float64, x []int64, a float64) (Sampler, error) {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return nil, err
	}
	return newEnumerated(p)
}

func newEnumerated(p problem) (Sampler, error) {
	if err := p.enumerable(); err != nil {
		return nil, err
	}
	out := make([]float64, Count(p.n, p.dim()))
	p.exponents(out)
	w, err := sample.NewWeights(out)
	if err != nil {
		return nil, err
	}
	return &enumerated{p, w}, nil
}

func (e *enumerated) Draw(src rand.Source) ([]int64, error) {
	return Unrank(e.weights.Draw(src), e.n, e.dim()), nil
}

// Slack is the error of A·H plus that of the dyadic weight.
func (e *enumerated) Slack() float64 { return e.exponentError() + sample.RelativeError(e.bound) }

func (e *enumerated) Name() string { return "enumeration of all candidates" }

func (e *enumerated) Proposals() float64 { return 1 }
