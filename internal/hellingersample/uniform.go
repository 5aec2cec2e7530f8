package hellingersample

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// MaxUniformRate is the largest rate [Uniform] takes: up to e^12 ≈ 160 000 proposals.
const MaxUniformRate = 12

// uniform draws by rejection from the uniform law.
type uniform struct{ problem }

// Uniform proposes a uniform candidate and keeps it with probability exp(−A·H), A·H rounded to the grid 2^−40.
// Proposals is the bound e^A. Errors: *[ParameterError]; *[InfeasibleError] for A > [MaxUniformRate].
func Uniform(alpha []float64, x []int64, a float64) (Sampler, error) {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return nil, err
	}
	return newUniform(p)
}

func newUniform(p problem) (Sampler, error) {
	if p.bound > MaxUniformRate {
		use := "the mixture"
		if p.dim() == 2 {
			use = "shells"
		}
		return nil, &InfeasibleError{"uniform", "the rate", p.bound, MaxUniformRate, use}
	}
	return &uniform{p}, nil
}

func (u *uniform) Draw(src rand.Source) ([]int64, error) {
	for {
		r := composition(src, u.n, u.dim())
		if sample.BernoulliExp(src, quantise(u.exponent(u.logBCOf(r))), grid) {
			return r, nil
		}
	}
}

// Slack is the error of A·H and of the grid.
func (u *uniform) Slack() float64 { return u.exponentError() + gridError }

func (u *uniform) Name() string { return UniformName }

// UniformName is the name of the sampler that rejects from the uniform law, which takes no tables.
const UniformName = "rejection from the uniform law"

func (u *uniform) Proposals() float64 { return math.Exp(u.a) }
