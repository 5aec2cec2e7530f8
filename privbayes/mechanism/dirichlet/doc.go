// Package dirichlet is the Dirichlet mechanism: one draw from Dirichlet(r·counts + α), or the gamma draws behind it,
// for every count table of a model, calibrated exactly.
//
// # What is released, and its law
//
//	g_c ~ Gamma(r·x_c + α, 1) independent,  y = g/Σg ~ Dirichlet(r·x + α),
//
// r how much one record weighs, α/r the made-up records of every cell.
//
// # The dominating pair, and why it dominates
//
// A record that moves from cell i to cell j changes two of the gamma draws. Take g_1 ~ Gamma(α + r), g_2 ~ Gamma(α) for
// the one data set, Gamma(α) and Gamma(α + r) for its neighbour. Their sum has one law in both cases and is independent
// of w = g_1/(g_1 + g_2), so that w gives both back, by a draw of the sum. Adding independent gamma draws for the other
// records of the two cells, and those of all other cells, gives the release: a post-processing of w, the same for both.
// Hence
//
//	P = Beta(α + r, α),  Q = Beta(α, α + r),  L = ln P/Q = r·logit(w)
//
// dominates for every data set of every size, and three cells attain it: two empty ones between which the record moves.
// All rows of a contingency table cost one pair (Theorem C), and row sums of gamma draws are gamma draws, so that class
// probabilities come at no cost (Theorem D). Then
//
//	D_λ(P‖Q) = [ln B(α + λr, α + (1−λ)r) − ln B(α + r, α)]/(λ−1),  finite for λ < 1 + α/r,
//
// B the beta function; there is no pure ε and no zCDP, as L is unbounded and its tails are exponential.
//
// # Calibration
//
// r comes first, by a rule that is public ([Calibration]: a number, the paper's, or the least expected risk over a
// public prior); α is then the smallest at which the pair, composed over the tables, meets the target.
//
// Source: Ponnoprat, "Dirichlet Mechanism for Differentially Private KL Divergence Minimization" (TMLR 2023), corrected
// and made exact in theory/dirichlet.md.
//
// Place: the façade makes its mechanisms; release knows it, for files.
package dirichlet
