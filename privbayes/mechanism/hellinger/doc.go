// Package hellinger releases conjugate posteriors with the exponential mechanism scored by Hellinger distance.
//
// # What is released, and its law
//
// The candidates for the posterior Dirichlet(α + x) of n records are the posteriors Dirichlet(α + r) of every other
// data set of n records:
//
//	P(r) ∝ exp(−κ·H(x, r)/S(x)),  H² = 1 − BC,  BC = ∫ √(pq),
//
// S a sensitivity of H and κ the rate.
//
// # Why it is private
//
// By the triangle inequality |H(x, r) − H(y, r)| ≤ H(x, y) for all r, attained at r = x, so that LS(x) = max_y H(x, y)
// is the local sensitivity, with the closed form of [Sensitivity]. Let f(x) = 1/S(x) be γ-Lipschitz between neighbours,
// S ≥ LS. The exponents of x and y differ by κ times
//
//	f(x)H(x, r) − f(y)H(y, r) = f(x)·[H(x, r) − H(y, r)] + [f(x) − f(y)]·H(y, r),
//
// whose first term lies in [−1, 1], while the second has one sign for all r and is at most γ, as H ≤ 1. So it ranges
// over an interval of length 2 + γ; the normalisers cancel from a range, and a log-ratio of two laws has both signs. A
// finer bound of the same two terms gives Theorem 1,
//
//	ε = κ·ρ,  ρ = min(2 + γ, 1 + √(1 + 2γ²)),
//
// pure and for every n. γ = 0 is the global sensitivity with ε = 2κ; the reciprocal sensitivity max_y 1/(1/LS(y) +
// γ·dist(x, y)) has any γ that is wished for. With the smooth sensitivity a δ is needed (Theorem C).
//
// # Calibration
//
// κ = ε/ρ where the candidates are too many to visit. Else κ is searched: what ships is certified by the largest
// log-ratio over every data set, neighbour and candidate, with the weights that are drawn from, between 0.999 and 1 of
// the target. Source: theory/hellinger.md.
//
// Place: the façade makes the mechanism; release knows it, for files.
package hellinger
