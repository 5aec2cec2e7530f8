package claims

func init() {
	overviews[NetworkPaper] = overview{
		about: "Four mechanisms for Bayesian inference on networks, with bounds that name the graph, and two " +
			"experiments. The mechanisms that add noise are private as claimed, Algorithm 1 tightly so; the levels " +
			"claimed for posterior draws and for the most probable parameters hold only where networks or parameters " +
			"are simpler than the paper's own.",
		reproduced: []sentence{
			{"Algorithm 1's sensitivity 2|I| and its privacy, exactly tight, and the bound on its largest noise",
				[]string{"network/01", "network/01a", "network/02"}},
			{"Algorithm 2's privacy, the Fourier representation, the consistency of its tables, the bound of Theorem 3",
				[]string{"network/04", "network/04a", "network/05", "network/08"}},
			{"Remark 1's comparison of scales, under its proviso, for which a short proof is given",
				[]string{"network/06", "network/06a"}},
			{"Lemmas 2 and 3 and Theorem 4 under their conditions, with the constants κ and ω",
				[]string{"network/11", "network/12", "network/14", "network/15"}},
			{"Figure 1: what privacy costs, and a sampler that overtakes the noise mechanisms past a threshold",
				[]string{"network/32", "network/35"}},
			{"Figure 2: more concentrated priors mean larger errors, little is lost up to b = 10, and the printed level " +
				"is near to proportional to the norm's bound",
				[]string{"network/36", "network/37", "network/38"}},
		},
		mended: []sentence{
			{"Theorem 1: the bound of the mean was met for α, β ≥ 2, which leaves out the uniform prior; the tail lacks " +
				"the squares of McDiarmid's inequality, and the refined mean is false",
				[]string{"network/10", "network/10a", "network/10b"}},
			{"In its proof Lemma A.3 and the mean of a clamped count are false; Lemma A.4 is true for another reason",
				[]string{"network/29", "network/03", "network/30"}},
			{"Remark 1's second half: a denser graph never has the smaller scale", []string{"network/06b"}},
			{"Lemma 2 asks for conditionals that do not depend on parents; a ρ that sees the family configuration makes it " +
				"and Theorem 4 general", []string{"network/11", "network/14"}},
			{"The sampler of Appendix C.2 trims conditionals where its level needs joint probabilities, and draws many " +
				"times at the price of one; in Figure 1 it stands far left of what it spends",
				[]string{"network/16", "network/17", "network/18"}},
			{"Algorithm 3 is private for a probability as its score, not for a density, under either assumption",
				[]string{"network/19", "network/19a", "network/20", "network/20a"}},
			{"The order of M in Theorem 4.2 lacks a term that grows with c", []string{"network/15a"}},
			{"Corollary 3 holds from t = ½ on, Lemma 4 with the factor 1/2Δ", []string{"network/07", "network/21"}},
			{"Appendix D's gradients and constant: the latter can be too small for one record and is far too large for many",
				[]string{"network/23", "network/24", "network/24a"}},
		},
		beside: []sentence{
			{"The log-likelihood is a score with which Algorithm 3 is private, for every base measure",
				[]string{"network/22"}},
			{"The tight level of a regression's draw depends on neither n nor d", []string{"network/26"}},
		},
	}
}
