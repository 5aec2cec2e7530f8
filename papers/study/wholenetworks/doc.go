// Package wholenetworks measures the posterior of whole networks given noisy counts: how often its intervals hold the
// truth, and how often tests on synthetic sets find what is not there.
//
// Probabilities are drawn from the model's prior, records from the network, noise by the mechanism. Then a 95 %
// credible interval of the right posterior holds the truth in 95 % of all cases, for every entry of every table and for
// every question ([Cover]). For synthetic sets the truth is a null effect, and the share of sets of sets that reject it
// at 5 % is counted ([TypeOne]). [Committed] are the points that were run; each says how many replicates it has.
//
// Place: at the top; notebook 14_whole_networks and docs/noise_aware.md show its results.
package wholenetworks
