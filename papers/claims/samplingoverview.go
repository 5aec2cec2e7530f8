package claims

func init() {
	overviews[SamplingPaper] = overview{
		about: "The authors release draws from a Bayesian posterior, and prove " +
			"that they are private where the likelihood is smooth in the data. Its main result, and what makes the " +
			"method work, is as printed. Of what is mended, about half are constants and sentences of the examples; the " +
			"other half is in the main text, mostly about what is done with the draws.",
		reproduced: []sentence{
			{"A posterior under Assumption 1 is 2L-private, N draws are 2NL-private, and both are attained", []string{
				"sampling/12", "sampling/32"}},
			{"Robustness in divergence holds under both assumptions, with room to spare", []string{"sampling/09",
				"sampling/10", "sampling/13"}},
			{"Any number of questions can be answered from one sample", []string{"sampling/35"}},
			{"Composition, products, the necessary condition for each pair, Norkin's theorem, Le Cam's method, Lemmas 14 " +
				"and 15 and Claims 2 to 4 hold", []string{"sampling/03", "sampling/05", "sampling/06", "sampling/44",
				"sampling/45", "sampling/50"}},
			{"The stochastic Lipschitz constants L0 and c of Lemmas 19 to 22, and the Lipschitz constants of Lemmas 23 " +
				"and 24, are right", []string{"sampling/18", "sampling/19a", "sampling/20", "sampling/24a", "sampling/26",
				"sampling/28"}},
			{"There are necessary conditions, and sufficient ones, as section 1 announces", []string{"sampling/60"}},
			{"Prior and temperature together do better than either alone, as section 6.2 expects", []string{"sampling/54"}},
		},
		mended: []sentence{
			{"Corollary 9 speaks of an event without a parameter; the tail of the prior belongs into a δ", []string{
				"sampling/14"}},
			{"Lemma 11 needs a logarithm of the number of responses, and Corollary 16 with it", []string{"sampling/36",
				"sampling/41a"}},
			{"Theorem 13 states a necessary number of draws as a sufficient one", []string{"sampling/38"}},
			{"Theorem 17 (b) is true on average over the data, not for each data set", []string{"sampling/43"}},
			{"The constant C of Lemmas 20 and 22 is too small", []string{"sampling/19", "sampling/24"}},
			{"For a record of a network, all nodes count, not the children of the busiest one", []string{"sampling/29",
				"sampling/31"}},
		},
	}
}
