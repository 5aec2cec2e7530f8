package claims

func init() {
	register(
		Claim{
			ID: "hellinger/22", Document: NoteA, Place: "§2, equation 1 and the sensitivities",
			Items: []string{"eq. 1", "§2 (sensitivities)"},
			Statement: "The utility is u(x, r) = −H(BI(x), r); R is the set of the posteriors of all data sets of n " +
				"records; global, local and smooth sensitivity Δ_g, Δ_l(x) and S_β(x).",
			Verdict: NotAClaim,
			Reason: "Definitions. This library computes all of them in closed form (library/hellinger-2), with the " +
				"same H, without a factor 1/√2.",
			Source: "theory/hellinger.md §2",
		},
		Claim{
			ID: "hellinger/23", Document: NoteA, Place: "§3.2 to §3.4", Items: []string{"§3.2", "§3.3", "§3.4"},
			Statement: "The accuracy of the exponential mechanism with global, local and smooth sensitivity.",
			Verdict:   NotAClaim,
			Reason:    "Headings without text. A bound for all three is hellinger/21.",
			Source:    "theory/hellinger.md §7",
		},
		Claim{
			ID: "hellinger/20", Document: NoteA, Place: "Figure 2", Items: []string{"Figure 2", "§4.2 (figures)"},
			Statement: "The accuracy of four algorithms in Hellinger distance: prior beta(7,4), n = 500 and 300, ε = 0.5.",
			Verdict:   NotAClaim,
			Reason: "The text says that the figure shows the accuracy under the same configuration and draws no " +
				"conclusion; the data are not printed.",
			Remark: "Notebook 01 computes the four algorithms exactly at balanced data, and there noise on the counts " +
				"is the more accurate (library/hellinger-6).",
			Source: "theory/hellinger.md §11",
		},
		Claim{
			ID: "hellinger/20a", Document: NoteA, Place: "Figure 3, the plotted accuracy", Items: []string{"Figure 3"},
			Statement: "The same for the prior DL(7,4,5), n = 100 and 120, ε = δ = 0.8.",
			Verdict:   NotAClaim,
			Reason: "As hellinger/20. What its captions say is judged: hellinger/05, 05a, 06, 07, 13 and " +
				"17b.",
			Remark: "Notebook 01 computes it exactly at balanced data.",
			Source: "theory/hellinger.md §11",
		},
		Claim{
			ID: "hellinger/20b", Document: NoteA, Place: "Figure 4, the plotted accuracy",
			Items:     []string{"Figure 4", "§4.3 (figures)"},
			Statement: "The same for n = 150, in Hellinger distance and in the ℓ₁ norm.",
			Verdict:   NotAClaim,
			Reason: "As hellinger/20. Its caption repeats two numbers of n = 120 (hellinger/06, " +
				"07).",
			Remark: "At balanced data the expected ℓ₁ error is 83.5 (global), 42.3 (local and smooth), 7.5 (Laplace) " +
				"and 4.7 (noise that keeps the total).",
			Source: "theory/hellinger.md §11",
		},
		Claim{
			ID: "hellinger/24", Document: NoteB, Place: "§1, equation 1 and the sensitivities", Items: []string{"eq. 1"},
			Statement: "The utility, the candidates and the sensitivities, as in note A.",
			Verdict:   NotAClaim,
			Reason:    "Definitions, see hellinger/22.",
			Source:    "theory/hellinger.md §2",
		},
		Claim{
			ID: "hellinger/25", Document: NoteB, Place: "§1.3 and §1.4", Items: []string{"§1.3", "§1.4"},
			Statement: "The exponential mechanism of varying and of smooth sensitivity: set-up and security analysis.",
			Verdict:   NotAClaim,
			Reason: "Headings without text. What can stand there is library/hellinger-1 for a scale that varies with " +
				"the data, and hellinger/17, 17a and library/hellinger-3 for the smooth sensitivity.",
			Source: "theory/hellinger.md §3, §6",
		},
		Claim{
			ID: "hellinger/27", Document: NoteB, Place: "§4", Items: []string{"§4"},
			Statement: "\"We got some results from these mechanisms.\"",
			Verdict:   NotAClaim,
			Reason:    "No result is printed; those of note A are rows 03a, 05 to 07, 17b and 20 to 20b.",
			Source:    "theory/hellinger.md §11",
		},
	)
}
