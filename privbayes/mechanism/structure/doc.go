// Package structure learns which columns depend on one another and releases a Bayesian network of them: the structure
// is an output, chosen from noisy answers and charged for.
//
// # What is measured
//
// All one-way tables get noise first. Then come rounds: in each, a pair of columns is chosen by how far its table is
// from what the released numbers say of it, and the chosen table gets noise. With N_C the table of a candidate C and
// M_C a public table of whole numbers, the score is
//
//	L_C = ‖N_C − M_C‖₁ − c_C,
//
// c_C whole, the part of the distance that sampling and the noise of a table would make ([learner.correction]), rounded
// by itself: rounding the sum would double what a record moves. Replacing a record moves every L_C by −2, 0 or 2 where
// the totals of N and M agree, adding one moves it by −1 or 1, whatever M is; so does a stop of constant score. The
// choice has P(C) ∝ e^{xL_C} ([sample.Selection]), drawn by exact coins, or is permute-and-flip at the same rate under
// pure ε; it is ε-bounded-range, ε = 4x under replace-one and 2x under add-remove, k times that for units of k rows.
//
// # What a release spends
//
// Rates and the number of rounds are fixed: only which table is measured adapts, and every table changes by the same
// amounts. A round in which nothing is chosen measures the table of a column again, which changes by no more. So the
// whole release is a composition declared beforehand ([loss.Declared]): pure ε, ρ, Rényi curves and the products of
// dominating pairs are all valid, and the target is met by the least of them.
//
// # What is made of it
//
// Whatever was measured is fitted by the distribution of maximum entropy (package maxent): post-processing. Where a fit
// ends depends on the machine, so that a file has the potentials of the end, and they are checked: see ending.go.
//
// Source: theory/structure.md, of which docs/structure.md says what a user needs.
//
// Place: above mechanism; package catalog lists it.
package structure
