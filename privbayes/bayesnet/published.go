package bayesnet

// published builds a network whose tables stand in this file; they satisfy what NewNet checks.
func published(nodes []Node, tables [][]float64) *Net {
	dag, err := NewDAG(nodes)
	if err != nil {
		panic(err)
	}
	net, err := NewNet(dag, tables)
	if err != nil {
		panic(err)
	}
	return net
}

// Asia is the chest-clinic network of Lauritzen and Spiegelhalter, "Local computations with probabilities on graphical
// structures and their application to expert systems" (1988), with the probabilities of their Table 2: a visit to Asia
// raises the risk of tuberculosis, smoking that of lung cancer and bronchitis; either of the first two shows on the
// X-ray and, like bronchitis, causes dyspnoea. All nodes have the states yes, no.
func Asia() *Net {
	yesNo := []string{"yes", "no"}
	node := func(name string, parents ...string) Node { return Node{name, yesNo, parents} }
	return published([]Node{
		node("asia"), node("tub", "asia"), node("smoke"), node("lung", "smoke"), node("bronc", "smoke"),
		node("either", "lung", "tub"), node("xray", "either"), node("dysp", "bronc", "either"),
	}, [][]float64{
		{0.01, 0.99},
		{0.05, 0.95, 0.01, 0.99},
		{0.5, 0.5},
		{0.1, 0.9, 0.01, 0.99},
		{0.6, 0.4, 0.3, 0.7},
		{1, 0, 1, 0, 1, 0, 0, 1},
		{0.98, 0.02, 0.05, 0.95},
		{0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.1, 0.9},
	})
}

// Sachs is the structure of the protein-signalling network of Sachs, Perez, Pe'er, Lauffenburger and Nolan, "Causal
// protein-signaling networks derived from multiparameter single-cell data" (2005): 11 phosphoproteins and phospholipids
// in three levels, LOW, AVG and HIGH, and the 17 arrows of the consensus network in the orientation customary for the
// discretised data. It has no tables.
func Sachs() *DAG {
	levels := []string{"LOW", "AVG", "HIGH"}
	node := func(name string, parents ...string) Node { return Node{name, levels, parents} }
	dag, err := NewDAG([]Node{
		node("Akt", "Erk", "PKA"), node("Erk", "Mek", "PKA"), node("Jnk", "PKA", "PKC"),
		node("Mek", "PKA", "PKC", "Raf"),
		node("P38", "PKA", "PKC"), node("PIP2", "PIP3", "Plcg"), node("PIP3", "Plcg"), node("PKA", "PKC"), node("PKC"),
		node("Plcg"), node("Raf", "PKA", "PKC"),
	})
	if err != nil {
		panic(err)
	}
	return dag
}
