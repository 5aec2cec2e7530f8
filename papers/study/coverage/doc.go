// Package coverage measures how often credible intervals hold the truth.
//
// Probabilities are drawn from the model's prior, data from the model, noise by the mechanism: then a 95 % credible
// interval of the right posterior holds the truth in exactly 95 % of all cases. [Run] counts, against ε, for the naive
// interval, which takes the released estimates for the counts, and for the noise-aware one (package noiseaware).
// [Committed] is the outcome of the full run.
//
// Place: at the top, notebook 10_noise_aware and docs/noise_aware.md show its results.
package coverage
