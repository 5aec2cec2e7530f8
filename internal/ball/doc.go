// Package ball draws exactly from a Gaussian restricted to a Euclidean ball,
//
//	density ∝ exp(−½w′Pw + h′w) on ‖w‖ ≤ B,  P the precision, h = Pμ,
//
// the posterior of Bayesian linear regression under a prior truncated to a ball (theory/networks.md §5.3). Rejection,
// not a Markov chain: the law of a draw is the stated one and no convergence error enters a privacy claim.
//
// Work is bounded: a draw takes few proposals of one of two kinds, from a Gaussian or from a cap, and gives up after a
// stated number.
//
// Place: for the posterior sampler of mechanism/linear.
package ball
