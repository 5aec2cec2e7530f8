package discovery

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// superset is the release within a public superset; nil where the column states none.
func (p *Plan) superset() *partition.Superset {
	w := p.column.Within
	if w == nil {
		return nil
	}
	return &partition.Superset{Rule: p.rule, Codes: w.Size(), Beta: w.AnyFalse()}
}

// drawWithin releases the codes above the cut, in the order of their texts. All codes of the superset get noise.
func (p *Plan) drawWithin(of *frame.OpenCounts, src rand.Source) (categories []string, counts []int64) {
	w := p.column.Within
	held := make([]partition.Cell, 0, len(of.Units))
	for i, n := range of.Units {
		if place, in := w.Place(of.Categories[i]); in {
			held = append(held, partition.Cell{Place: place, Count: n})
		}
	}
	slices.SortFunc(held, func(a, b partition.Cell) int { return cmp.Compare(a.Place, b.Place) })
	type listed struct {
		text  string
		count int64
	}
	var all []listed
	for _, c := range p.superset().Draw(src, held) {
		all = append(all, listed{w.At(c.Place), c.Count})
	}
	slices.SortFunc(all, func(a, b listed) int { return cmp.Compare(a.text, b.text) })
	for _, l := range all {
		categories, counts = append(categories, l.text), append(counts, l.count)
	}
	return categories, counts
}

// aboutSuperset says what is listed that nobody holds.
func (p *Plan) aboutSuperset(t *table.Table) {
	if s := p.superset(); s != nil {
		t.Note(fmt.Sprintf("All %d codes of the public superset get noise. Any that nobody holds is listed with a "+
			"probability of at most %.3g.", s.Codes, s.False()))
	}
}
