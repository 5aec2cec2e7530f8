package latent

import "slices"

// step picks the variables of a clique that a record does not have yet, with the clique's counts as weights, given
// those that it has.
type step struct {
	clique  int32
	offsets []int32   // of every combination of the new variables in the clique's table
	fresh   []int     // the new variables
	codes   [][]int32 // their levels by combination
}

// makeStep is the step that picks all variables of a clique but the known ones.
func (l *Layout) makeStep(t int, known []int) int32 {
	tb := l.tabs[t]
	s := step{clique: int32(t), offsets: []int32{0}, codes: [][]int32{nil}}
	for i, v := range tb.vars {
		if slices.Contains(known, v) {
			continue
		}
		s.fresh = append(s.fresh, v)
		var offsets []int32
		var codes [][]int32
		for j, o := range s.offsets {
			for x := range l.p.Levels[v] {
				offsets = append(offsets, o+int32(x*tb.stride[i]))
				codes = append(codes, append(slices.Clone(s.codes[j]), int32(x)))
			}
		}
		s.offsets, s.codes = offsets, codes
	}
	l.steps = append(l.steps, s)
	return int32(len(l.steps) - 1)
}

// makeSteps makes the walk over all cliques, parents first, and for every node the one that starts at a clique which
// holds its family: P(record) = ∏_C g_C/∏_S g_S whatever the root.
func (l *Layout) makeSteps() {
	cliques := l.forest.Cliques
	tables, downwards, upwards := make([]int, len(cliques)), make([]int32, len(cliques)), make([]int32, len(cliques))
	for t, tb := range l.tabs {
		for c := range cliques {
			if slices.Equal(tb.vars, cliques[c].Vars) {
				tables[c] = t
			}
		}
	}
	children := make([][]int, len(cliques))
	for c, cl := range cliques {
		downwards[c] = l.makeStep(tables[c], cl.Separator)
		l.down = append(l.down, downwards[c])
		if cl.Parent >= 0 {
			children[cl.Parent] = append(children[cl.Parent], c)
			upwards[c] = l.makeStep(tables[cl.Parent], cl.Separator)
		}
	}
	for v := range l.p.Levels {
		family := l.p.family(v)
		home := l.forest.Holding(family)
		walk, seen, queue := []int32{l.makeStep(tables[home], family)}, make([]bool, len(cliques)), []int{home}
		seen[home] = true
		for i := 0; i < len(queue); i++ {
			c := queue[i]
			visit := func(d int, by int32) {
				if !seen[d] {
					seen[d] = true
					walk, queue = append(walk, by), append(queue, d)
				}
			}
			if p := cliques[c].Parent; p >= 0 {
				visit(p, upwards[c])
			}
			for _, d := range children[c] {
				visit(d, downwards[d])
			}
		}
		for c := range cliques { // the other trees
			if !seen[c] {
				walk = append(walk, downwards[c])
			}
		}
		l.from = append(l.from, walk)
	}
}
