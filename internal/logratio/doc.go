// Package logratio bounds how far apart the posteriors of neighbouring data sets are, by the range of their log-ratio
// alone ([BoundedRange]) or, where that is monotone in one natural parameter ([Posteriors] of bits, of a rate, of
// finitely many points), exactly: the greatest log-ratio, hockey-stick and Rényi divergences over all pairs of data
// sets that differ in one record.
//
// With natural parameter η in [a, b], S the sum of the records' statistic and Λ the log evidence, two posteriors have
//
//	ln f_{S+d}(θ)/f_S(θ) = d·η(θ) − (Λ(S + d) − Λ(S)),
//
// affine in η: extremes are at the ends of the support, a hockey-stick divergence is a tail, and a Rényi divergence a
// second difference of Λ. The worst S is found by bounds on cells of S (envelope.go, search.go, hockeysearch.go); the
// integrals are Gauss–Legendre panels (kernel.go). All bounds are inflated by a relative 1e-9 against rounding.
//
// Source: theory/sampling.md §22.
package logratio
