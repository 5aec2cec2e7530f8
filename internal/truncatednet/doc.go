// Package truncatednet is the privacy of posterior samples of a discrete Bayesian network whose conditional probabilities are
// kept in a box: every θ_{i|parents} in [w, 1−(r_i−1)w], r_i the number of states of node i (theory/networks.md §3).
// Adjacency: one record replaced, n public.
//
// A replaced record touches every family once. Either it stays in its parent configuration and changes the value, or it
// leaves one configuration and enters another; both ways the log-likelihood ratio ranges over at most 2ℓ, ℓ =
// ln((1−(r−1)w)/w). Hence
//
//	ε ≤ 2N·Σ_i ℓ_i  for N draws,
//
// tight as n → ∞; for a naive Bayes network ε is known exactly at every n. The N draws are independent given the data
// and their log-ratio is largest when all repeat the worst point: N draws cost exactly N times one.
//
// Place: for mechanism/posteriorsample, and the claims about it.
package truncatednet
