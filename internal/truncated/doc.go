// Package truncated draws from, and integrates, Beta, Gamma and Dirichlet laws restricted to a box: the posteriors
// behind pure differential privacy by posterior sampling (theory/networks.md §3, theory/sampling.md §9–13 and 22).
//
// Beta and Gamma laws are handled in the variable in which their log-density is concave for every parameter,
//
//	t = ln(x/(1−x)):  a·t − (a+b)·ln(1+e^t)  (Beta),      s = ln x:  shape·s − rate·e^s  (Gamma),
//
// as the displacement δ from the peak inside the box. Nothing is ever compared with the untruncated law, so that a box
// of untruncated mass e^−1000 costs and loses no more than any other. Log-masses are integrals over panels between
// which the log-density falls by a bounded amount; samplers hold the distribution function as one polynomial a panel
// and invert it.
//
// Everything here is exact in law for real arithmetic ("ideal"): samplers leave out panels beyond a fall of 64 nats
// (integrals 42), which by concavity removes a share of the mass below e^−63, and the polynomials are good to about
// 1e-14 of a panel.
//
// Place: for mechanism/posteriorsample, package lipschitz and the models of rates.
package truncated
