package bayesnet

import "slices"

// Family is the parents of node i in order and then i: the variables of its table, the last running fastest.
func (d *DAG) Family(i int) []int { return append(slices.Clone(d.parents[i]), i) }

// FamilyCells is the number of cells of the table of node i, r_i·Π r_parent; math.MaxInt where that is larger.
func (d *DAG) FamilyCells(i int) int { return d.cells[i] }

// MaximalFamilies are the families that are not contained in another family, as sets: node numbers ascending within a
// family, families in the order of the nodes they belong to. containing[i] lists, ascending, the places in families of
// those that contain the family of node i; it is never empty.
//
// If the family of i lies in the family of j ≠ i then i is in it, so that j is a child of i: only children are looked
// at. No two families are equal as sets, since i and j would be parents of each other.
func (d *DAG) MaximalFamilies() (families [][]int, containing [][]int) {
	k := d.Len()
	place := make([]int, k) // of the family of a node, -1 if it is not maximal
	for i := range k {
		place[i] = -1
		if !slices.ContainsFunc(d.children[i], func(j int) bool { return d.familyWithin(i, j) }) {
			place[i] = len(families)
			f := d.Family(i)
			slices.Sort(f)
			families = append(families, f)
		}
	}
	containing = make([][]int, k)
	for i := range k {
		if place[i] >= 0 {
			containing[i] = []int{place[i]}
			continue
		}
		for _, j := range d.children[i] {
			if place[j] >= 0 && d.familyWithin(i, j) {
				containing[i] = append(containing[i], place[j])
			}
		}
	}
	return families, containing
}

// familyWithin tells whether the family of i lies in that of j, a child of i.
func (d *DAG) familyWithin(i, j int) bool {
	for _, p := range d.parents[i] {
		if !slices.Contains(d.parents[j], p) {
			return false
		}
	}
	return true
}

// MoralGraph is the undirected graph that joins the members of every family: for each node its neighbours, ascending.
func (d *DAG) MoralGraph() [][]int {
	g := make([][]int, d.Len())
	for i := range g {
		f := d.Family(i)
		for _, a := range f {
			for _, b := range f {
				if a != b {
					g[a] = append(g[a], b)
				}
			}
		}
	}
	for i := range g {
		slices.Sort(g[i])
		g[i] = slices.Compact(g[i])
	}
	return g
}

// MarkovBlanket is the parents of node i, its children and their other parents, ascending: given these, i does not
// depend on the rest. They are the neighbours of i in the moral graph.
func (d *DAG) MarkovBlanket(i int) []int {
	b := slices.Concat(d.parents[i], d.children[i])
	for _, c := range d.children[i] {
		for _, p := range d.parents[c] {
			if p != i {
				b = append(b, p)
			}
		}
	}
	slices.Sort(b)
	return slices.Compact(b)
}

// ancestral marks the given nodes and all their ancestors.
func (d *DAG) ancestral(of []int) []bool {
	in := make([]bool, d.Len())
	stack := slices.Clone(of)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !in[i] {
			in[i] = true
			stack = append(stack, d.parents[i]...)
		}
	}
	return in
}
