package frame

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hierarchy is a public superset as a tree. Codes that begin alike are one node at every level of Within, and codes are
// the last level. A node of one code alone is that code, and has no children. Without levels all nodes are codes.
type Hierarchy struct {
	of      *Within
	lengths []int // leading signs of the nodes of each level; the last is that of the longest code
	nodes   [][]node
}

// node is one of a list of codes, in the order of the signs that they begin with.
type node struct {
	begins   string
	code     string // "" for a node of several
	first, n uint64 // its children
}

// Hierarchy is the tree of a superset as OpenColumn returns it.
func (w *Within) Hierarchy() *Hierarchy {
	h := &Hierarchy{of: w, lengths: append(slices.Clone(w.Levels), w.longest())}
	if len(w.Codes) == 0 {
		return h
	}
	codes := w.Codes
	for _, length := range h.lengths {
		var nodes []node
		var deeper []string
		for len(codes) > 0 {
			begins := beginning(codes[0], length)
			n := 1
			for n < len(codes) && beginning(codes[n], length) == begins {
				n++
			}
			next := node{begins: begins}
			if n == 1 {
				next.code = codes[0]
			} else {
				deeper = append(deeper, codes[:n]...)
			}
			nodes, codes = append(nodes, next), codes[n:]
		}
		h.nodes, codes = append(h.nodes, nodes), deeper
	}
	for level, nodes := range h.nodes[:len(h.nodes)-1] {
		at := 0
		for i := range nodes {
			for nodes[i].first = uint64(at); nodes[i].code == "" && at < len(h.nodes[level+1]) &&
				strings.HasPrefix(h.nodes[level+1][at].begins, nodes[i].begins); at++ {
				nodes[i].n++
			}
		}
	}
	return h
}

// longest is how many characters the longest code has.
func (w *Within) longest() int {
	if len(w.Codes) == 0 {
		return w.Length
	}
	most := 0
	for _, c := range w.Codes {
		most = max(most, utf8.RuneCountInString(c))
	}
	return most
}

// texts are those of a level of a pattern.
func (h *Hierarchy) texts(level int) *Within {
	if level == len(h.lengths)-1 {
		return h.of
	}
	return &Within{Length: h.lengths[level], Alphabet: h.of.Alphabet}
}

// Depth is how many levels there are.
func (h *Hierarchy) Depth() int { return len(h.lengths) }

// Length is how many leading signs the nodes of a level have.
func (h *Hierarchy) Length(level int) int { return h.lengths[level] }

// Nodes is how many nodes a level has.
func (h *Hierarchy) Nodes(level int) uint64 {
	if h.nodes != nil {
		return uint64(len(h.nodes[level]))
	}
	return h.texts(level).Size()
}

// Children are n nodes of the next level, from first on; n is 0 for a code.
func (h *Hierarchy) Children(level int, place uint64) (first, n uint64) {
	switch {
	case h.nodes != nil:
		return h.nodes[level][place].first, h.nodes[level][place].n
	case level == len(h.lengths)-1:
		return 0, 0
	}
	n = 1
	for range h.lengths[level+1] - h.lengths[level] {
		n *= uint64(len(h.of.signs()))
	}
	return place * n, n
}

// Name is a code, or what the codes of a node begin with and a star.
func (h *Hierarchy) Name(level int, place uint64) string {
	switch {
	case h.nodes == nil && level == len(h.lengths)-1:
		return h.of.At(place)
	case h.nodes == nil:
		return coarse(h.texts(level).At(place))
	case h.nodes[level][place].code != "":
		return h.nodes[level][place].code
	}
	return coarse(h.nodes[level][place].begins)
}

// place is the node of a level that a code begins like.
func (h *Hierarchy) place(level int, begins string) (place uint64, in bool) {
	if h.nodes == nil {
		return h.texts(level).Place(begins)
	}
	i, in := slices.BinarySearchFunc(h.nodes[level], begins, func(n node, b string) int {
		return strings.Compare(n.begins, b)
	})
	return uint64(i), in
}

// Find is the level and the place of a name.
func (h *Hierarchy) Find(name string) (level int, place uint64, in bool) {
	for level, length := range h.lengths {
		begins := name
		if level < len(h.lengths)-1 {
			begins = beginning(strings.TrimSuffix(name, star), length)
		}
		place, in = h.place(level, begins)
		if in && h.Name(level, place) == name {
			return level, place, true
		}
	}
	return 0, 0, false
}

// Held are the nodes of a level that units hold, in their order, and how many units do.
func (h *Hierarchy) Held(level int, counts *OpenCounts) (places []uint64, units []int64) {
	if level < len(h.lengths)-1 {
		counts = &counts.Levels[level]
	}
	type one struct {
		place uint64
		units int64
	}
	var all []one
	for i, text := range counts.Categories {
		if place, in := h.place(level, text); in {
			all = append(all, one{place, counts.Units[i]})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.place, b.place) })
	for _, o := range all {
		places, units = append(places, o.place), append(units, o.units)
	}
	return places, units
}

// levels are the units of every level above the codes. A unit counts once in a node, whatever of it it holds.
func (o *opened) levels(codes *OpenCounts) {
	w := o.column.Within
	if w == nil {
		return
	}
	for _, length := range w.Levels {
		above := map[string]int64{}
		if o.key == "" {
			for i, text := range codes.Categories {
				above[beginning(text, length)] += codes.Units[i]
			}
		}
		for _, have := range o.held {
			var seen []string
			for _, h := range have {
				begins := beginning(o.texts[h.category], length)
				if !slices.Contains(seen, begins) {
					seen = append(seen, begins)
					above[begins]++
				}
			}
		}
		var at OpenCounts
		for begins := range above {
			at.Categories = append(at.Categories, begins)
		}
		slices.Sort(at.Categories)
		for _, begins := range at.Categories {
			at.Units = append(at.Units, above[begins])
		}
		codes.Levels = append(codes.Levels, at)
	}
}
