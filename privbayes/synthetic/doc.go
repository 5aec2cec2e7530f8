// Package synthetic analyses data sets that were drawn from a posterior, and writes them for others to analyse.
//
// One synthetic set, analysed as if it were the table that it stands for, gives intervals that are too narrow: they
// know the sampling of its records, and neither that of the private ones nor the noise of the release. m sets, each
// drawn from a network of its own that is itself a draw from the posterior given the noisy counts, hold what is
// missing: estimates from them differ by it. [Combine] adds up,
//
//	T_f = (1 + 1/m)·b − ū,  t with (m − 1)·(1 − ū/((1 + 1/m)·b))² degrees of freedom,
//
// b the variance of the m estimates and ū the mean of their squared standard errors (Raghunathan, Reiter and Rubin,
// "Multiple imputation for statistical disclosure limitation", 2003). Older rules are there to compare with.
//
//	sets, err := posterior.SyntheticSets(0, 0)  // posterior a *noiseaware.NetworkPosterior; 20 sets of 5n records
//	answer, err := sets.Analyse(oddsRatio)      // func(*frame.Frame) (synthetic.Estimate, error)
//	err = sets.Write(ctx, "clinic_sets")        // CSV, with the rule for those who work in Python or R
//
// What the network does not express is not in the sets: columns that it holds independent are independent in each.
// No rule can see that. Derivation, Type I errors: docs/noise_aware.md.
//
// Place: above model, whose records it draws; noiseaware makes the sets.
package synthetic
