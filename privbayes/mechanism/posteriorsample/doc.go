// Package posteriorsample releases draws from a posterior that is trimmed to a public box, tempered, or both: a list of
// N parameter vectors, accounted exactly.
//
// # What is released, and its law
//
//	θ_1, …, θ_N ~ ξ(θ)·p_θ(x)^η on the box, independent given the data:
//
// every probability at least w, or a rate within [c1, c2].
//
// # The dominating bounds, and why they hold
//
// In a one-parameter exponential family with natural parameter t(θ) in [a, b] and statistic S, neighbours are S and S +
// d, d ≤ Δ, and
//
//	ln ξ(θ|S+d)/ξ(θ|S) = d·t − (Λ(S + d) − Λ(S)),  Λ the log evidence, convex,
//
// affine in t: its extremes are at a and b, and as Λ′ = E t rises with S, the worst data sets are the ends S_0, S_1 of
// the statistic's range:
//
//	ε_1 = max(bΔ − [Λ(S_0+Δ) − Λ(S_0)], [Λ(S_1+Δ) − Λ(S_1)] − aΔ),  between osc/2 and osc = (b − a)Δ.
//
// The set where the ratio exceeds e^ε is a tail, so δ(ε) is one integral for a pair of data sets, and D_λ a second
// difference of Λ; package internal/logratio finds the worst pair, or bounds it. The power η scales t. A conditional on
// more levels has its ratio bounded by the box alone: range 2ηℓ, ℓ = ln((1 − (r−1)w)/w). A record moves every
// conditional of a network once, so ranges and Rényi bounds of the nodes add.
//
// N draws cost N·ε_1 exactly (one θ may come N times) and N·D_λ; δ(ε) follows from the best order λ, from the range
// N·osc, or from the family's own profile when N = 1.
//
// # Calibration
//
// One of η, w and N is free: the largest power, the least trim, or the most draws at which the bounds meet the target.
//
// AsPublished(ε) is the papers' own trim at their own ε, labelled with what it spends: for networks and naive Bayes ω =
// e^{−ε/2} (Zhang, Rubinstein, Dimitrakakis, AAAI 2016, Appendix C.2), whose true ε for one draw is up to 2Σ
// ln((1−(r−1)ω)/ω), as many times as there are draws.
//
// Source: Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling" (JMLR 18(11), 2017), Algorithm 1, corrected in theory/sampling.md and theory/networks.md §3.
//
// Place: the façade makes the mechanism; release knows it, for files.
package posteriorsample
