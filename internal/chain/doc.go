// Package chain draws several ranks at once, exactly: positions e_1 ≤ … ≤ e_m among candidates that are ordered by how
// many records lie below them, with
//
//	P(e_1, …, e_m) ∝ exp(−x·Σ_i |b·(F(e_{i+1}) − F(e_i)) − τ_i|),  F(e_0) = 0, F(e_{m+1}) = n,
//
// F(e) the records below candidate e, τ_i ≥ 0 and b ≥ 1 integers, x > 0 rational. It is the law of the joint
// exponential mechanism for quantiles (theory/numbers.md §4), with the data in F alone.
//
// The sums over all sequences take O(m) additions and multiplications a candidate: a weight e^{−x|b(F′−F)−τ|} is a
// product of a function of F and one of F′ on either side of the place where the sign turns, and that place only moves
// up. No difference is ever formed, so every sum of positive numbers that are cut off is a lower bound with a known
// relative error. A draw compares uniform bits with such sums; where the bits fall so near a boundary that the error
// leaves it open, more bits are added to the same number and the sums are formed again with twice the digits. What
// is drawn is therefore the stated law, and no rounding enters it.
//
// Place: numerics for mechanism/quantiles; it knows nothing of privacy.
package chain
