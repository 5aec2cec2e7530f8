// Package gridmap releases a maximum a posteriori estimate by the exponential mechanism over a public grid of
// parameters.
//
// # What is released, and its law
//
// For every conditional distribution with counts k and prior Dirichlet(α), a point θ of the grid {θ : θ_i = s_i/S, Σs_i
// = S, s_i ≥ floor}:
//
//	P(θ) ∝ e^{κ·u(θ)},  u(θ) = Σ_i (k_i + α_i − 1) ln θ_i,
//
// the log posterior, whose maximum is the estimate.
//
// # The dominating pair, and why it dominates
//
// A replaced record takes ln θ_i from one score and adds ln θ_j to one: over the grid, where every probability is
// between l and h, each term varies by at most L = ln h/l, so that the difference of two neighbours' scores has a range
// of at most 2L in one conditional or shared by the two rows that it touches. The normalisers cancel from a range,
// hence
//
//	ln P(θ)/P′(θ) lies in an interval of length w = 2κL that contains 0,
//
// and every such pair of laws is dominated by a two-point pair (logratio.BoundedRange):
//
//	ε = w,  δ(ε) = (e^{w/2} − e^{ε/2})²/(e^w − 1),  D_λ ≤ λw²/8.
//
// A network composes its conditionals. The paper's score, the posterior probability itself, moves by at most tanh(L/2)
// in either direction.
//
// # Calibration
//
// κ is the largest at which the composed pair meets the target. A single distribution with few enough data sets is
// calibrated by enumeration: every data set, neighbour and candidate, with the weights that are drawn from.
//
// Source: Zhang, Rubinstein and Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016),
// Algorithm 3, corrected in theory/networks.md §4: the score is the log posterior, on probabilities bounded away from
// 0. The paper's own score, the posterior probability, is there for comparison; with a density in its place the claim
// is false.
//
// Place: the façade makes the mechanism; release knows it, for files.
package gridmap
