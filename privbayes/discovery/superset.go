package discovery

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// levels is the release within the public superset of the column.
func (p *Plan) levels() partition.Levels {
	w := p.column.Within
	l := partition.Levels{Rule: p.rule, Beta: w.AnyFalse()}
	for level := range p.tree.Depth() {
		l.Nodes = append(l.Nodes, p.tree.Nodes(level))
	}
	for _, s := range w.Shares {
		l.Shares = append(l.Shares, uint64(s))
	}
	return l
}

// deep reports whether the superset has several levels.
func (p *Plan) deep() bool { return p.tree != nil && p.tree.Depth() > 1 }

// first is the rule of the first level.
func (p *Plan) first() partition.Rule {
	if !p.deep() {
		return p.rule
	}
	s, _ := p.levels().At(0, p.tree.Nodes(0))
	return s.Rule
}

// drawWithin releases the nodes above the cuts, in the order of their names. All nodes of the first level get noise.
func (p *Plan) drawWithin(out *Found, of *frame.OpenCounts, src rand.Source) {
	held := make([][]partition.Cell, p.tree.Depth())
	for level := range held {
		places, units := p.tree.Held(level, of)
		for i, place := range places {
			held[level] = append(held[level], partition.Cell{Place: place, Count: units[i]})
		}
	}
	shown, cuts := p.levels().Draw(src, p.tree, held)
	var all []Count
	for level, cells := range shown {
		for _, c := range cells {
			all = append(all, Count{Category: p.tree.Name(level, c.Place), Value: c.Count})
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Compare(a.Category, b.Category) })
	for _, c := range all {
		out.categories, out.counts = append(out.categories, c.Category), append(out.counts, c.Value)
	}
	if p.deep() {
		out.cuts = cuts
	}
}

// lists reports whether a release may list a category.
func (p *Plan) lists(category string) bool {
	if p.tree != nil {
		_, _, in := p.tree.Find(category)
		return in
	}
	text, ok := p.column.Listed([]byte(category))
	return ok && text == category
}

// ruleOf is the rule by which a category is listed, with the cuts of a release.
func (p *Plan) ruleOf(category string, cuts []int64) partition.Rule {
	if !p.deep() {
		return p.rule
	}
	level, _, _ := p.tree.Find(category)
	s, _ := p.levels().At(level, 1)
	if level < len(cuts) {
		s.Rule.Cut = cuts[level]
	}
	return s.Rule
}

// shown are the nodes of a list at every level.
func (p *Plan) shown(categories []string, counts []int64) [][]partition.Cell {
	out := make([][]partition.Cell, p.tree.Depth())
	for i, c := range categories {
		level, place, _ := p.tree.Find(c)
		out[level] = append(out[level], partition.Cell{Place: place, Count: counts[i]})
	}
	for _, cells := range out {
		slices.SortFunc(cells, func(a, b partition.Cell) int { return cmp.Compare(a.Place, b.Place) })
	}
	return out
}

// follows refuses levels of which one does not follow from the one before.
func (p *Plan) follows(f *Found) error {
	switch {
	case p.deep():
		return p.levels().Check(p.tree, p.shown(f.categories, f.counts), f.cuts)
	case len(f.cuts) > 0:
		return domain.Refuse("discovery", "cuts", len(f.cuts), "none but of levels")
	}
	return nil
}

// parts are the categories of a list that a value can have: not the nodes whose children are all listed.
func (p *Plan) parts(categories []string) (out []string) {
	if !p.deep() {
		return categories
	}
	shown := p.shown(categories, make([]int64, len(categories)))
	for _, c := range categories {
		level, place, _ := p.tree.Find(c)
		if first, n := p.tree.Children(level, place); n > 0 {
			at := func(place uint64) int {
				return sortedBefore(shown[level+1], place)
			}
			if uint64(at(first+n)-at(first)) == n {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// sortedBefore is how many cells lie before a place.
func sortedBefore(cells []partition.Cell, place uint64) int {
	i, _ := slices.BinarySearchFunc(cells, place, func(c partition.Cell, p uint64) int { return cmp.Compare(c.Place, p) })
	return i
}

// levelsTable shows what is counted at each level.
func (p *Plan) levelsTable() *table.Table {
	l := p.levels()
	t := table.New("Plan: "+p.of(), "leading characters", "nodes", "share of ε", "sd of the noise",
		"listed above, at most")
	of := make([]partition.Superset, len(l.Nodes))
	all := 0.
	for level, n := range l.Nodes {
		of[level], _ = l.At(level, n)
		all += float64(of[level].Rule.Num) // rates have one denominator
	}
	for level, s := range of {
		t.Add(p.tree.Length(level), s.Codes, float64(s.Rule.Num)/all, s.Rule.SD(), s.Rule.Cut)
	}
	return t.Note("Nodes of a later level get noise where the one they are in is listed. The fewer these are, the lower " +
		"is the cut. Codes that are not listed stand under the longest beginning that is.")
}

// joined are numbers in a row.
func joined(numbers []int64) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return strings.Join(texts, ", ")
}

// aboutSuperset says what is listed that nobody holds.
func (p *Plan) aboutSuperset(t *table.Table) {
	switch {
	case p.deep():
		t.Note(fmt.Sprintf("Any node that nobody holds is listed with a probability of at most %.3g.", p.levels().False()))
	case p.tree != nil:
		t.Note(fmt.Sprintf("All %d codes of the public superset get noise. Any that nobody holds is listed with a "+
			"probability of at most %.3g.", p.tree.Nodes(0), p.levels().False()))
	}
}
