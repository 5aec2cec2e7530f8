package hellingersample

import "context"

// chooseUniformBelow is the bound on the rate up to which [Choose] takes [Uniform]: at most e^6 ≈ 400 proposals.
const chooseUniformBelow = 6

// Choose prepares the sampler that suits d, n and bound, a public upper bound of the rate a: shells for two cells,
// enumeration up to [MaxCandidates] candidates, rejection from the uniform law for bounds up to 6, else the mixture.
// The choice, the Slack and every refusal depend on α, n, d and bound alone. Two cells are always feasible.
//
// Errors: *[ParameterError], also for a > bound; *[InfeasibleError]; the context's.
func Choose(ctx context.Context, alpha []float64, x []int64, a, bound float64,
	progress func(done float64)) (Sampler, error) {
	p, err := newProblem(alpha, x, a, bound)
	if err != nil {
		return nil, err
	}
	switch {
	case p.dim() == 2:
		return newShells(p)
	case p.enumerable() == nil:
		return newEnumerated(p)
	case bound <= chooseUniformBelow:
		return newUniform(p)
	}
	return newMixture(ctx, p, progress)
}
