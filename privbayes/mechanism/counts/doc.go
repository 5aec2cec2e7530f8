// Package counts releases count tables with integer noise on every measured count: two-sided geometric, discrete
// Gaussian and Laplace noise, and sum-zero geometric noise (K-norm), which keeps the total of every table. They are the
// plain baselines of every comparison; K-norm is the recommended release of a single posterior.
//
// # What is released, and its law
//
//	y = f + Z,  f the measured counts,  P(Z = z) ∝ e^{−γΣ|z_i|}      (geometric)
//	                                    P(Z = z) ∝ e^{−Σz_i²/(2σ²)}   (discrete Gaussian)
//	                                    P(Z = z) ∝ e^{−γΣ|z_i|} on Σz_i = 0, a table at a time  (K-norm)
//
// Laplace noise is geometric noise on a lattice of 1/65536 of a record.
//
// # The dominating pair, and why it dominates
//
// One unit changes m counts by at most k each (package sensitivity). For geometric noise and one count that moves by 1,
// P(y)/P′(y) is e^γ or e^{−γ}, the first with probability
//
//	P(+γ) = Σ_{z≤0} tanh(γ/2)e^{−γ|z|} = 1/(1 + e^{−γ}),
//
// randomised response at γ. Counts are independent, so the m-fold product of randomised responses is attained, not only
// a bound:
//
//	ε = mγ,  δ(ε) = Σ_j C(m,j) p^j (1−p)^{m−j} (1 − e^{ε−γ(2j−m)})₊,  p = 1/(1 + e^{−γ}),
//	D_λ = m·ln(cosh((2λ−1)γ/2)/cosh(γ/2))/(λ−1),  ρ = mγ·tanh(γ/2).
//
// For discrete Gaussian noise the loss of a shift by the integer vector v, ‖v‖² = m, is (m + 2⟨v, Z⟩)/(2σ²): D_λ ≤
// λm/(2σ²), with equality for whole λ, and δ is a sum over the law of ⟨v, Z⟩. For K-norm a moved record changes ½Σ|z_i|
// by at most one, and the normaliser does not depend on the data: a table's loss lies in [−2γ, 2γ], dominated by
// randomised response at 2γ.
//
// # Calibration
//
// γ (σ²) is the largest (smallest) number of the sampler's own grid at which the pair meets the target, found by
// bisection on the pair and rounded toward privacy; the certificate evaluates the pair at what ships. Pure ε is γ =
// ε/m, or ε/(2T) for K-norm of T tables.
//
// Place: the façade makes its mechanisms; release and eval know it, for files and for the baseline.
package counts
