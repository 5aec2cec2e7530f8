// Package parity is the harmonic analysis of overlapping contingency tables: the coefficients that a set of family
// tables determines, their exact sensitivity to one record, the tables back from coefficients, and the least-squares
// projection of noisy tables on the consistent ones. It knows nothing of privacy, of networks or of data frames.
//
// A family is a strictly increasing list of variables; its table is mixed radix in that order, the last variable
// fastest. Every variable v with r_v states has an orthogonal basis of its functions,
//
//	u_0 = 1,  Σ_x u_j(x) u_k(x) = r_v·1[j = k],  Σ_j u_j(x) u_j(y) = r_v·1[x = y]   (Helmert; r_v = 2: u_1(x) = (−1)^x),
//
// a multi-index γ has the support {v: γ_v ≠ 0} and the function u_γ(x) = Π_v u_{γ_v}(x_v), and the data have the
// coefficients
//
//	φ_γ = Σ_records u_γ(x),  φ_0 = n,  and  C_S(c) = (1/Π_{v∈S} r_v) Σ_{supp γ ⊆ S} φ_γ u_γ(c)  for the table of S.
//
// The tables of the families are a linear image of the φ_γ with γ ∈ N, the multi-indices whose support lies inside a
// family: N is the downward closure of the families. With two states everywhere γ is a set g and φ_g = Σ_records
// (−1)^{⟨g,x⟩} an integer.
//
// Source: Zhang, Rubinstein and Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016), section
// 3.2, after Barak et al., "Privacy, Accuracy, and Consistency Too" (PODS 2007); unnormalised here, and with exact
// sensitivities.
//
// Place: for mechanism/counts: the Fourier release and the consistent one.
package parity
