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

// makeSteps makes the walk over all cliques, parents first, and those that start at a clique which holds a family or a
// group and go as far as the moves of a node, its descendants, or the group have to know the record: P(record) =
// ∏_C g_C/∏_S g_S whatever the root.
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
	walk := func(within, known []int) []int32 {
		home := l.forest.Holding(within)
		walk, seen, queue := []int32{l.makeStep(tables[home], known)}, make([]bool, len(cliques)), []int{home}
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
		return walk
	}
	for v := range l.p.Levels {
		g := l.group([]int{v})
		family := l.p.family(v)
		l.at = append(l.at, l.prune(walk(family, nil), l.scope(g)))
		l.blockMoves = append(l.blockMoves, l.blockMove(v, walk(family, family)))
	}
	for i := range l.groups {
		g := &l.groups[i]
		g.walk = l.prune(walk(g.vars, nil), l.scope(*g))
	}
	l.widest = slices.Max(l.p.Levels)
	for _, s := range l.steps {
		l.widest = max(l.widest, len(s.offsets))
	}
}

// prune keeps the steps of a walk that lead to the needed variables.
func (l *Layout) prune(walk []int32, needed []int) (out []int32) {
	need := make([]bool, len(l.p.Levels))
	for _, v := range needed {
		need[v] = true
	}
	for _, w := range slices.Backward(walk) {
		s := &l.steps[w]
		if slices.ContainsFunc(s.fresh, func(v int) bool { return need[v] }) {
			out = append(out, w)
			for _, v := range l.tabs[s.clique].vars {
				need[v] = true
			}
		}
	}
	slices.Reverse(out)
	return out
}
