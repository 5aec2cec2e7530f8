// Package families is the catalogue of the likelihoods of the paper on posterior sampling, and answers one question of
// each: how much can one record change the law of a posterior sample?
//
// A Family is a likelihood with a prior on a public parameter set and public bounds on one record. It states the
// oscillation of its log-likelihood ratio between neighbouring data sets,
//
//	osc = sup_{x~y} [ sup_θ ln p_θ(x)/p_θ(y) − inf_θ ln p_θ(x)/p_θ(y) ],
//
// the pure ε of one posterior sample, and the constant that the paper gives, with where that is wrong. Where the
// log-ratio of two posteriors is monotone in the natural parameter, a family is also Profiled: exact δ(ε) and Rényi
// curve. What a family does not offer follows from its oscillation alone
// ([github.com/privbayes/privbayes-go/internal/logratio.BoundedRange]).
//
//	f, err := families.NewTrimmedBeta(100, 1, 1, 0.05, 0.95)
//	f.Epsilon()                 // pure ε of one sample, exact
//	families.Profile(f, 0.5)   // δ at ε = 0.5
//	families.Check(ctx, f, dp.Seeded(1)) // is it true? a search for a pair of data sets above the certificate
//
// All guarantees are between data sets that differ in one record (n is public) unless a family says otherwise, hold for
// real arithmetic, and are inflated by a relative 1e-9 against rounding. Logarithms are natural.
//
// Paper: Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling", JMLR 18(11), 2017. Corrections: theory/sampling.md.
//
// What the mechanisms need of it, bits, rates and bounded ranges, is in
// [github.com/privbayes/privbayes-go/internal/logratio]; here are its other families, the paper's constants beside the
// true ones, the calculus of its assumptions, and the search that tests a claim.
package families
