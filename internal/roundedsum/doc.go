// Package roundedsum gives posteriors of a law's parameters given the noisy sum of rounded records.
//
// A record takes the place k in {0, …, K} with probability p_k(θ), the end cells taking what lies beyond the bounds; S
// is the sum of n of them and Z the noise, whose law is public. The likelihood of what was released, s = S + Z, is an
// inverse Fourier sum
//
//	L(θ) = (1/N) Σ_j φ_θ(t_j)^n φ_Z(t_j) e^{−i t_j s},  t_j = 2πj/N,
//
// whose work does not grow with n: [OneSum]. For two sums, of c and c², it is the bivariate normal law of the sums,
// with the exact moments of clipped and rounded records, folded with the exact law of the noise: [TwoSums].
//
// Source: theory/numbers.md §2 with its corrections 6 and 7.
//
// Place: mechanism/sums makes its estimates with it.
package roundedsum
