package claims

// The documents.
const (
	// NoteA and NoteB are the two notes on the exponential mechanism over posteriors. They have one title; the claims
	// call them note A and note B.
	NoteA = "Notes of DP - Bayesian Inference, note A"
	NoteB = "Notes of DP - Bayesian Inference, note B"
	// Library is the document of the theorems that this library adds.
	Library = "This library: the exponential mechanism over posteriors"
	// NetworkPaper is Zhang, Rubinstein and Dimitrakakis, "On the differential privacy of Bayesian inference" (AAAI
	// 2016).
	NetworkPaper = "Zhang, Rubinstein, Dimitrakakis (AAAI 2016)"
	// DirichletPaper is the paper on the Dirichlet mechanism, by its title.
	DirichletPaper = "Dirichlet Mechanism for Differentially Private KL Divergence Minimization"
	// SamplingPaper is Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Differential privacy for Bayesian
	// inference through posterior sampling".
	SamplingPaper = "Dimitrakakis, Nelson, Zhang, Mitrokotsa, Rubinstein (JMLR 2017)"
)

// document says where the rows and the items of a document stand, and which notebook shows its rows unless they say
// otherwise.
type document struct{ name, file, notebook string }

// documents stand in the order of their claims.
var documents = []document{
	{NoteA, "notea", "02_proofs"}, {NoteB, "noteb", "02_proofs"}, {Library, "library", "02_proofs"},
	{NetworkPaper, "network", "03_networks"}, {DirichletPaper, "dirichlet", "04_dirichlet"},
	{SamplingPaper, "sampling", "05_posterior_sampling"},
}

// Documents lists the documents in the order of their claims.
func Documents() []string {
	var out []string
	for _, d := range documents {
		out = append(out, d.name)
	}
	return out
}
