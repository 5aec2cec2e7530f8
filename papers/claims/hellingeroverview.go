package claims

func init() {
	overviews[NoteA] = overview{
		about: "The first of two working notes: the exponential mechanism over the posteriors of all data sets, scored by " +
			"Hellinger distance, with global, local and smooth sensitivity. Every privacy level in its captions is true in " +
			"its own setting.",
		reproduced: []sentence{
			{"The global mode is ε-DP, also with the sensitivity printed for DL(7,4,5)",
				[]string{"hellinger/04", "hellinger/05a"}},
			{"The local sensitivity is the greatest distance to a neighbour's posterior, as Figure 1 shows",
				[]string{"hellinger/03", "hellinger/03a"}},
			{"The local mode may lose more than ε: at DL(7,4,5), n = 100, ε = 0.8 it loses 0.8438; the printed proof looks " +
				"elsewhere", []string{"hellinger/13"}},
			{"The smooth mode is (0.8, 0.8)-DP as the captions of Figures 3 and 4 say", []string{"hellinger/17b"}},
			{"The ℓ₁ bound of the Laplace mechanism and the accuracy property hold, with room to spare",
				[]string{"hellinger/18", "hellinger/21"}},
		},
		mended: []sentence{
			{"Slips: the exponents of the Dirichlet density, the global sensitivity of DL(7,4,5), n for n + 1 in β, \"=\" " +
				"for \"≤\" in §3.1", []string{"hellinger/02", "hellinger/05", "hellinger/06", "hellinger/18a"}},
			{"The sliding and the dilation lemma hold for weights, not for probabilities, and the tail needs the number of " +
				"candidates for n + 1", []string{"hellinger/14", "hellinger/14a", "hellinger/15", "hellinger/15a"}},
			{"No data set has the two sensitivities printed in the captions", []string{"hellinger/07"}},
		},
		beside: []sentence{
			{"The note does not write out the step from the two properties to privacy. What follows from them is 3ε/2, since " +
				"the normalisers of neighbours differ too", []string{"hellinger/16"}},
			{"Nor does it state (ε, δ) in general. For Beta posteriors no violation was found; for every prior with five " +
				"sides it is not so with n + 1 in β, and (3ε/2, δ/2) is proved with the number of candidates",
				[]string{"hellinger/17a", "hellinger/17", "library/hellinger-3"}},
		},
	}
	overviews[NoteB] = overview{
		about: "The second note: three statements on the local sensitivity under the prior beta(1,1), the proof that the " +
			"local mode is not private, and the two lemmas again, with one for Laplace noise.",
		reproduced: []sentence{
			{"The distance and the two factors of the ε-DP proof", []string{"hellinger/01", "hellinger/04a"}},
			{"Statement I from the middle on; its induction has a gap, concavity closes it", []string{"hellinger/08"}},
			{"The local sensitivity grows from the middle to the ends for beta(1,1); for other priors the middle moves to " +
				"where the posterior mean is ½", []string{"hellinger/12"}},
		},
		mended: []sentence{
			{"Slips of indices: Statement I below the middle, Statement II at the two ends; Statement III is strict from " +
				"n = 4 on", []string{"hellinger/09", "hellinger/10", "hellinger/11"}},
			{"The chain of §1.2.2 shows less than 1 where it concludes more than 2, and with two cells no case meets its " +
				"assumptions; its conclusion is true for another reason", []string{"hellinger/13a", "hellinger/13b"}},
			{"Lemma 3.1 holds for every δ up to ε = 2.7, not beyond; Lemmas 3.2 and 3.3 as in note A",
				[]string{"hellinger/19", "hellinger/14b", "hellinger/15b"}},
		},
	}
	overviews[Library] = overview{
		about: "What this library adds to the notes: a theorem without δ for every scale that varies with the data, closed " +
			"forms of the sensitivities, and a fair comparison of accuracy.",
		reproduced: []sentence{
			{"Theorem 1 and the constants behind it, Theorem S, Theorem C", []string{"library/hellinger-1",
				"library/hellinger-2", "library/hellinger-3", "library/hellinger-4", "library/hellinger-5"}},
			{"In the settings of the notes' figures noise that keeps the total is more accurate than their modes",
				[]string{"library/hellinger-6"}},
		},
	}
}
