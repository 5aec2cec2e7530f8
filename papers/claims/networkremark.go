package claims

import (
	"math"
	"math/bits"
)

func init() {
	register(
		constant(Claim{
			ID: "network/06", Document: NetworkPaper, Place: "Remark 1, the comparison", Items: []string{"Remark 1"},
			Verdict: Outside,
			Assumes: "no node has more than |I|/2 parents; the scales are those of the noise on the normalised " +
				"Fourier coefficients and on the counts",
			Statement: "Algorithm 2's scale 2|N|/(ε 2^(|I|/2)) compares favourably with Algorithm 1's 2|I|/ε",
			True: "|N| ≤ |I| 2^⌊|I|/2⌋ under the proviso, so that the ratio of scales is at most 1, and 1 for X → Y " +
				"only among the graphs of up to six nodes",
			Counterexample: "5 nodes, 4 arrows, one node with 4 parents: 1.13 times Algorithm 1's scale",
			Remark: "The scales stand in different bases. On the counts that both release, a cell of a family of s " +
				"nodes has |N|/(|I| 2^(s/2)) times Algorithm 1's standard deviation: 1 for the features of naive " +
				"Bayes, 1.41 for its class. The sentence can also be read of the worst case, in which the text before it " +
				"bounds |N| by |I| 2^(1 + max indegree): with an in-degree of half the graph that bound is twice " +
				"Algorithm 1's scale, while the scale itself, which is tested here, stays below it.",
			Source: "theory/networks.md §2.3",
		}, 1, .99, remark1),
		constant(Claim{
			ID: "network/06a", Document: NetworkPaper, Place: "Remark 1, the bound", Items: []string{"Remark 1"},
			Verdict:   Holds,
			Assumes:   "any network",
			Statement: "|N| ≤ |I| 2^(1 + max indegree)",
			True:      "attained by one node; 1 + Σ(2^(1+|π_i|) − 1) is never more",
			Source:    "theory/networks.md §2.3",
		}, 1, .99, closureBound),
		constant(Claim{
			ID: "network/06b", Document: NetworkPaper, Place: "Remark 1, density", Items: []string{"Remark 1"},
			Verdict:   Corrected,
			Assumes:   "as in the comparison before it",
			Statement: "the denser the graph, the greater the reduction in scale",
			True: "a further arrow never lowers |N|; what overlap saves is at given in-degrees: |N| ≥ 1 + Σ 2^|π_i|, " +
				"with equality exactly where the parents of every node are joined by arrows",
			Counterexample: "2 nodes, without and with an arrow: 0.75 and 1 times Algorithm 1's scale",
			Remark: "The half between the dashes is right: families that overlap share coefficients. But an arrow " +
				"always adds more of them than it lets families share, while Algorithm 1's scale stays.",
			Source: "theory/networks.md §2.3",
		}, 1, -1, remark1Density),
	)
}

// everyDAG visits all graphs of k nodes whose arrows go from lower to higher numbers.
func everyDAG(k int, visit func(g dag)) {
	g := make(dag, k)
	var fill func(i int)
	fill = func(i int) {
		if i == k {
			visit(g)
			return
		}
		for set := range 1 << i {
			g[i] = g[i][:0]
			for p := range i {
				if set>>p&1 == 1 {
					g[i] = append(g[i], p)
				}
			}
			fill(i + 1)
		}
	}
	fill(0)
}

// inside has, for every set of up to six nodes, the sets inside of it as the bits of a word.
var inside = func() (out [64]uint64) {
	for set := range out {
		for sub := range 64 {
			if sub&^set == 0 {
				out[set] |= 1 << sub
			}
		}
	}
	return out
}()

// size is |N|, for up to six nodes.
func (g dag) size() float64 {
	all := uint64(1)
	for i, ps := range g {
		set := 1 << i
		for _, p := range ps {
			set |= 1 << p
		}
		all |= inside[set]
	}
	return float64(bits.OnesCount64(all))
}

func (g dag) indegree() (most, arrows int) {
	for _, ps := range g {
		most, arrows = max(most, len(ps)), arrows+len(ps)
	}
	return most, arrows
}

// scaleRatio is Algorithm 2's scale over Algorithm 1's.
func (g dag) scaleRatio() float64 { return g.size() / float64(len(g)) / math.Exp2(float64(len(g))/2) }

func remark1(t *trial, factor float64) error {
	met := 0
	for k := 2; k <= 6; k++ {
		everyDAG(k, func(g dag) {
			most, arrows := g.indegree()
			ratio, size := g.scaleRatio(), float64(1000*k+10*arrows)
			if 2*most > k {
				t.outside(ratio <= 1+1e-12, size, "%d nodes, %d arrows, one node with %d parents: %.3g times "+
					"Algorithm 1's scale", k, arrows, most, ratio)
				return
			}
			met++
			t.bound(factor, ratio, size, "%d nodes, %d arrows", k, arrows)
			t.f.require(g.size() <= float64(k)*math.Exp2(float64(k/2)), "%v: |N| = %v", g, g.size())
			t.f.require(ratio < 1 || k == 2 && arrows == 1, "%v: ratio %v", g, ratio)
		})
	}
	t.f.number("graphs that meet the proviso", float64(met), 25640, 0)
	t.attained(1e-9)
	for d := 1; d <= 12; d++ { // naive Bayes: a cell of a feature's family of two nodes, and of the class alone
		g := naiveGraph(d)
		ratio := float64(len(g.closure())) / float64(len(g))
		t.f.require(near(ratio/math.Exp2(2./2), 1, 1e-12) && near(ratio/math.Exp2(1./2), math.Sqrt2, 1e-12),
			"naive Bayes with %d features: |N|/|I| = %v", d, ratio)
	}
	return nil
}

func closureBound(t *trial, factor float64) error {
	for k := 1; k <= 6; k++ {
		everyDAG(k, func(g dag) {
			most, arrows := g.indegree()
			t.bound(factor*float64(k)*math.Exp2(float64(1+most)), g.size(), float64(k), "%d nodes, %d arrows", k, arrows)
			sharp := 1.0
			for _, ps := range g {
				sharp += math.Exp2(float64(1+len(ps))) - 1
			}
			t.f.require(g.size() <= sharp, "%v: |N| = %v > %v", g, g.size(), sharp)
		})
	}
	t.attained(1e-9)
	return nil
}

// remark1Density adds every arrow that a graph lacks; direction −1 turns the statement round.
func remark1Density(t *trial, direction float64) error {
	for k := 2; k <= 5; k++ {
		everyDAG(k, func(g dag) {
			before, _ := g.scaleRatio(), 0
			_, arrows := g.indegree()
			least, moral := 1.0, true
			families := g.families()
			for i, ps := range g {
				least += math.Exp2(float64(len(ps)))
				for _, p := range ps {
					for _, q := range ps {
						if p < q {
							moral = moral && families[q]>>p&1 == 1
						}
					}
				}
				for p := range i {
					if families[i]>>p&1 == 1 {
						continue
					}
					with := append(dag(nil), g...)
					with[i] = append(append([]int(nil), ps...), p)
					after := with.scaleRatio()
					t.printed(direction*after < direction*before || direction < 0 && after == before,
						float64(100*k+arrows), "%d nodes, without and with an arrow: %.3g and %.3g times Algorithm 1's "+
							"scale", k, before, after)
					t.repaired(after >= before, "%v: an arrow lowers the scale", g)
				}
			}
			t.repaired(g.size() >= least && (g.size() == least) == moral, "%v: |N| = %v, 1 + Σ 2^|π| = %v", g, g.size(),
				least)
		})
	}
	return nil
}
