//go:build !browser && !verifier

package weighted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// merged is how the levels of a merged cell are joined.
const merged = " + "

// cellsOf are the cells that sizes are of, in the order of their first levels, with the places of their levels.
func cellsOf(c frame.Column, sizes map[string]int64, population int64) (names []string, levels [][]int, err error) {
	labels, of := c.Labels(), "sizes of "+safetext.Quote(c.Name)
	seen, sum := make([]string, len(labels)), int64(0)
	at := map[string][]int{}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		parts := []string{name}
		if !slices.Contains(labels, name) {
			parts = strings.Split(name, merged)
		}
		for _, part := range parts {
			i := slices.Index(labels, part)
			if i < 0 {
				return nil, nil, domain.Refuse("calibrate", of, safetext.Quote(part), "levels of the column: "+
					safetext.List(labels, 20)+`; of merged levels "a + b"`)
			}
			if seen[i] != "" {
				return nil, nil, domain.Refuse("calibrate", of, safetext.Quote(part), "every level once")
			}
			seen[i], at[name] = name, append(at[name], i)
		}
		if sizes[name] < 1 || sizes[name] > 1e15-sum {
			return nil, nil, domain.Refuse("calibrate", of, fmt.Sprintf("%s: %d", safetext.Quote(name), sizes[name]),
				"the people of the population in the cell, at least 1 and 10^15 in all; merge an empty cell with another")
		}
		sum += sizes[name]
	}
	for i, name := range seen {
		if name == "" {
			return nil, nil, domain.Refuse("calibrate", of, "none of "+safetext.Quote(labels[i]),
				`the size of every level; one that is not in the population merged with another, as "a + b"`)
		}
		if at[name] != nil {
			names, levels = append(names, name), append(levels, at[name])
			delete(at, name)
		}
	}
	if population > 0 && sum != population {
		return nil, nil, domain.Refuse("calibrate", of, fmt.Sprintf("%d in all", sum),
			fmt.Sprintf("%d, the population of the schema", population))
	}
	return names, levels, nil
}

// crossed are the cells of a table or of groups by one of its columns, and the categories of its others.
type crossed struct {
	boxes      []float64
	column     frame.Column
	mean       bool
	categories []string // of the others together; of means none
	after      int      // cells of the columns behind it
}

// crossedBy takes a release apart by a column, for what it is asked.
func (d *sampler) crossedBy(drawn mechanism.Output, what, column string) (x crossed, err error) {
	if x.boxes, err = d.boxes(drawn); err != nil {
		return x, err
	}
	columns := d.shape.Columns()
	groups := columns[:len(columns)-1]
	if x.mean = d.tokens.Boxes == model.BoxesMean; x.mean {
		groups = groups[1:]
	}
	at := slices.IndexFunc(groups, func(c frame.Column) bool { return c.Name == column })
	switch {
	case d.withheld(d.params) != nil:
		return x, domain.Refuse(what, "intervals", "none: "+d.withheld(d.params).Error(), "a release that has them")
	case d.tokens.Boxes == model.BoxesTotal || d.shape.WeightedRanks() != nil || !x.mean && len(groups) < 2:
		return x, domain.Refuse(what, "model", d.shape.Model().String(), "GroupMeans, or Table of two columns or more")
	case at < 0:
		return x, domain.Refuse(what, "column", safetext.Quote(column), "one that the release groups by")
	}
	x.column, x.after = groups[at], 1
	if x.mean {
		return x, nil
	}
	x.categories = []string{""}
	for i, c := range groups {
		if i > at {
			x.after *= c.Levels()
		}
		if i == at {
			continue
		}
		var next []string
		for _, before := range x.categories {
			for _, label := range c.Labels() {
				next = append(next, strings.TrimPrefix(before+", "+label, ", "))
			}
		}
		x.categories = next
	}
	return x, nil
}

// of is the place of a cell and a category among all.
func (x *crossed) of(cell, category int) int {
	return (category/x.after*x.column.Levels()+cell)*x.after + category%x.after
}

// pair are the boxes of a category, or of all others, in some cells.
func (d *sampler) pair(x *crossed, cells []int, own int) (z survey.ShareCell) {
	for _, i := range cells {
		for k := range x.categories {
			boxes := &z.Others
			if k == own {
				boxes = &z.Own
			}
			boxes.Weight += x.boxes[d.shape.Lattice().Box(x.of(i, k), 0)]
			boxes.Rest += x.boxes[d.shape.Lattice().Box(x.of(i, k), 1)]
		}
	}
	return z
}

// Calibrated is [mechanism.Plan.Calibrated]. A category of a table is told from the sum of the d − 1 others, whose
// noise counts for both: exact for two categories, and wide for more.
func (d *sampler) Calibrated(drawn mechanism.Output, column string, sizes map[string]int64, level float64) (
	[]mechanism.Calibrated, error) {
	x, err := d.crossedBy(drawn, "calibrate", column)
	if err != nil {
		return nil, err
	}
	names, levels, err := cellsOf(x.column, sizes, d.shape.Population())
	if err != nil {
		return nil, err
	}
	if x.mean {
		return d.calibratedMean(x.boxes, column, names, levels, sizes, level)
	}
	return d.calibratedShares(&x, names, levels, sizes, level)
}

func (d *sampler) calibratedMean(b []float64, column string, names []string, levels [][]int, sizes map[string]int64,
	level float64) ([]mechanism.Calibrated, error) {
	cells := make([]survey.MeanCell, len(names))
	for g, name := range names {
		z := &cells[g]
		z.Size, z.Parts = float64(sizes[name]), len(levels[g])
		for _, i := range levels[g] {
			for j := range 3 {
				z.Boxes.Weight[j] += b[6*i+j]
				z.Boxes.Rest[j] += b[6*i+3+j]
			}
		}
	}
	c := survey.CalibratedMean(cells, d.noise(), d.alpha(), level)
	if err := thin(c, column, names); err != nil {
		return nil, err
	}
	l := d.shape.Lattice()
	low, unit := l.Low[0], l.High[0]-l.Low[0]
	return []mechanism.Calibrated{{Of: "mean", Estimate: low + unit*c.Estimate,
		Range: mechanism.Range{Lower: low + unit*c.Lower, Upper: low + unit*c.Upper}}}, nil
}

func (d *sampler) calibratedShares(x *crossed, names []string, levels [][]int, sizes map[string]int64, level float64) (
	out []mechanism.Calibrated, err error) {
	for own, label := range x.categories {
		cells := make([]survey.ShareCell, len(names))
		for g, name := range names {
			cells[g] = d.pair(x, levels[g], own)
			cells[g].Size, cells[g].Parts = float64(sizes[name]), len(levels[g])*max(len(x.categories)-1, 1)
		}
		c := survey.CalibratedShare(cells, d.noise(), d.alpha(), level)
		if err := thin(c, x.column.Name, names); err != nil {
			return nil, err
		}
		out = append(out, mechanism.Calibrated{Of: label, Estimate: c.Estimate,
			Range: mechanism.Range{Lower: c.Lower, Upper: c.Upper}})
	}
	return out, nil
}

// Totals is [mechanism.Plan.Totals]. A row that is replaced may leave one category for another, so that the noise of a
// category is the table's: of ε/2 under replace-one, where the total of one column has that of ε.
func (d *sampler) Totals(drawn mechanism.Output, level float64) (out []mechanism.Calibrated, err error) {
	b, err := d.boxes(drawn)
	switch {
	case err != nil:
		return nil, err
	case d.withheld(d.params) != nil:
		return nil, domain.Refuse("totals", "intervals", "none: "+d.withheld(d.params).Error(), "a release that has them")
	case d.tokens.Boxes != model.BoxesShare || d.shape.WeightedRanks() != nil:
		return nil, domain.Refuse("totals", "model", d.shape.Model().String(), "Table; of a column's values Total")
	}
	l, unit := d.shape.Lattice(), d.shape.Weighted().Max
	for g, name := range d.shape.Parameters() {
		i := survey.Total(survey.Boxes{Weight: b[l.Box(g, 0)], Rest: b[l.Box(g, 1)]}, d.noise(), level)
		out = append(out, mechanism.Calibrated{Of: name, Estimate: unit * i.Estimate,
			Range: mechanism.Range{Lower: unit * i.Lower, Upper: unit * i.Upper}})
	}
	return out, nil
}

// thin is the error of cells that are too small for an interval.
func thin(c survey.Calibrated, column string, names []string) error {
	if len(c.Thin) == 0 && c.Shown {
		return nil
	}
	list := slices.Clone(names) // all, where none of them is thin by itself
	if len(c.Thin) > 0 {
		list = nil
	}
	for _, g := range c.Thin {
		list = append(list, names[g])
	}
	return domain.Refuse("calibrate", "cells of "+safetext.Quote(column), "hardly more than noise: "+
		safetext.List(list, 20), `cells with more weight than noise: merge each of these with another, as "a + b", with `+
		"the sum of their sizes. That costs no privacy")
}
