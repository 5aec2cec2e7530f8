// Package mcmc tells whether Markov chains have converged: rank-normalised split R-hat, and the effective sample sizes
// of the bulk and of the tails.
//
// Draws of a quantity come as one list per chain. Each chain is split into halves, so that a drift within a chain shows
// like a difference between two. All draws together are replaced by their normal scores z = Φ⁻¹((rank − 3/8)/(N +
// 1/4)), average ranks for ties, which exist whatever moments the quantity has. With m half-chains of length h,
//
//	R̂ = √(((h − 1)/h·W + B/h)/W),  B/h the variance of the half-chains' means, W the mean of their variances,
//
// of z and of the scores of |x − median|, which see a difference of scales; the larger counts. The effective sample
// size is N/τ, τ = 1 + 2Σρ_t up to where Geyer's initial monotone sequence ends, of z (bulk) and of the indicators of
// lying below the 5 % and the 95 % quantile (tail: the smaller). Source: Vehtari, Gelman, Simpson, Carpenter and
// Bürkner, "Rank-normalization, folding, and localization: an improved R̂ for assessing convergence of MCMC", Bayesian
// Analysis 16(2), 2021.
//
// Place: numerics for noiseaware.
package mcmc
