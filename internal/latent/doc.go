// Package latent samples the count tables of a network's records given noisy counts of them.
//
// n records x are independent draws of a Bayesian network whose CPT rows have Dirichlet priors; noisy numbers of tables
// over sets of columns are known, or of linear statistics of the records. With the junction forest of the families and
// the measured sets, cliques C and separators S, the state g are the tables of the cliques, consistent on separators,
// and all others are margins of these:
//
//	π(g) ∝ ∏_S∏_s g_S(s)!/∏_C∏_c g_C(c)! · ∏_v∏_pa Γ(A_v)/Γ(A_v + g_pa)·∏_l Γ(α_l + g_{v,pa,l})/Γ(α_l) · ∏ P(y | g),
//
// the first factor the number of data sets with the tables g (the empty separator of a root is n!), the second the
// probability of each, A_v the sum of α over the levels of v, the third the law of the noise. The posterior of the CPTs
// is the mixture of Dirichlet laws with counts g. Where n is latent its prior is flat.
//
// [NewLayout] makes what chains share, [Layout.NewChain] a [Chain]; its moves are slices along lines of tables and
// jumps of records from one level to another ([Kernel]). They cost what the noise is wide and not what n is large.
// Source: docs/noise_aware.md.
//
// Place: numerics for noiseaware; it knows nothing of privacy.
package latent
