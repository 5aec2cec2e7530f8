// Package lipschitz answers one question: how much can one record change the law of a posterior sample?
//
// A Family is a likelihood with a prior on a public parameter set and public bounds on one record. It states the oscillation of its
// log-likelihood ratio between neighbouring data sets,
//
//	osc = sup_{x~y} [ sup_θ ln p_θ(x)/p_θ(y) − inf_θ ln p_θ(x)/p_θ(y) ],
//
// the pure ε of one posterior sample, and the constant that the paper gives, with where that is wrong. Where the log-ratio of two
// posteriors is monotone in the natural parameter, a family is also Profiled: exact δ(ε) and Rényi curve. What a family does not
// offer follows from its oscillation alone (BoundedRange).
//
//	f, err := lipschitz.NewTrimmedBeta(100, 1, 1, 0.05, 0.95)
//	f.Epsilon()                 // pure ε of one sample, exact
//	lipschitz.Profile(f, 0.5)   // δ at ε = 0.5
//	lipschitz.Check(ctx, f, dp.Seeded(1)) // is it true? a search for a pair of data sets above the certificate
//
// All guarantees are between data sets that differ in one record (n is public) unless a family says otherwise, hold for real
// arithmetic, and are inflated by a relative 1e-9 against rounding. Logarithms are natural.
//
// Paper: Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein, "Differential Privacy for Bayesian Inference through Posterior
// Sampling", JMLR 18(11), 2017. Corrections: theory/sampling.md.
//
// Place: above dp; mechanisms that release draws take their loss from it, and it can be used alone.
package lipschitz
