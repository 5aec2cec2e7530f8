// Package noiseaware gives the exact posterior of a model's probabilities given the noisy counts of a release.
//
// A release of counts is fitted as if its estimated counts were the data: the naive posterior, whose intervals leave
// the noise out and so are too narrow where the noise is large. Here the true counts f are latent. With the noisy
// numbers y, whose noise law is public, and the model's own prior,
//
//	p(θ | y) = Σ_f P(f | y)·Dirichlet(θ; α + f),  P(f | y) ∝ P(f)·P(y | f),
//
// P(f) the prior predictive law of the counts (Dirichlet-multinomial) and P(y | f) the law of the noise as drawn. Every
// marginal is a mixture of Beta laws ([Mixture]), found by exact convolution and not by simulation. When θ follows the
// prior and the data the model, its credible intervals have exactly their level: over θ, data and noise together.
//
//	p, err := noiseaware.Of(r) // r a *release.Release
//	fmt.Println(p.Table())     // naive and noise-aware intervals side by side
//
// [Posterior.Summary] and [Posterior.CSV] give the numbers, [Posterior.Predict] the class of new records,
// [Parameter.Law] the law of one probability. In a chain the façade's Privatize(…).NoiseAware() does the same and
// draws. It reads a release only, so it costs no privacy budget. Theory: docs/noise_aware.md.
//
// Place: above release, whose noisy counts it reads; the façade calls it.
package noiseaware
