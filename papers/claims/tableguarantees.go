package claims

// guarantee is one row of the true version of Table 1 of the network paper.
type guarantee struct {
	mechanism, level, how string
	claims                []string
}

// guarantees follow theory/networks.md §8.
var guarantees = []guarantee{
	{"Algorithm 1, noise on counts", "ε", "ℓ₁ sensitivity 2K for K nodes, whatever the arities; 2M for the M maximal " +
		"families only", []string{"network/01"}},
	{"Algorithm 2, noise on coefficients", "ε", "scale 2·odd(N)/ε suffices, the paper's 2|N|/ε is up to twice that",
		[]string{"network/05"}},
	{"Algorithm 2, drawn again until non-negative", "up to 2ε", "conditioning on an event changes both normalisers",
		[]string{"network/09"}},
	{"posterior sampler, every conditional in [w, 1 − (r−1)w]", "2N Σ ln((1−(r−1)w)/w)", "not 2 ln(1/w); exact at " +
		"finite n for naive Bayes", []string{"network/16", "network/18"}},
	{"posterior sampler, joint probabilities ≥ w", "2N ln(1/w)", "empty below ε = 2(d+1) ln 2", []string{"network/17"}},
	{"untrimmed posterior", "no pure ε", "the log-likelihood ratio is unbounded", []string{"sampling/23a"}},
	{"Algorithm 3, score = posterior density", "none", "replace by the log-likelihood score", []string{"network/19"}},
	{"Algorithm 3, score = posterior probability on a grid", "ε, sensitivity tanh(Lr/2)", "of no use: no point gains " +
		"more than e^(ε/2Δ) over the base measure", []string{"network/20"}},
	{"Algorithm 3, score = log-likelihood", "ε", "any base measure, any n; a tempered posterior",
		[]string{"network/22"}},
	{"linear regression sampler", "N·osc(B)/σ²", "osc = 4B for B ≤ 1, (1+B)² for B ≥ 1 and d ≥ 2",
		[]string{"network/26"}},
}
