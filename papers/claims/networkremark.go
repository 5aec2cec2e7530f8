package claims

import (
	"math"
	"math/bits"
)

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
