package model

import (
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// UnitMoments are a², c², 2ac, 2ae and 2ce.
func UnitMoments(a, c, e int64) [5]int64 {
	return [5]int64{a * a, c * c, 2 * a * c, 2 * a * e, 2 * c * e}
}

// GroupUnitMoments are a², c², 2ac, ae and ce: of groups, where e is shared by two of them.
func GroupUnitMoments(a, c, e int64) [5]int64 {
	return [5]int64{a * a, c * c, 2 * a * c, a * e, c * e}
}

// CountsUnits reports whether the moments of units are summed for a shape, under a schema with a unit key: of the mean
// of one column, of its means by group, and of one table whose cells are what the model estimates.
func (s *Shape) CountsUnits() bool {
	switch m := s.model.(type) {
	case MeansModel, GroupMeansModel:
		return s.schema.UnitKey != "" && s.lattice.Coarse > 0 && s.lattice.Form != PerColumn
	case CategoricalModel, ContingencyTableModel:
		return s.schema.UnitKey != ""
	case HistogramModel:
		return s.schema.UnitKey != "" && !m.Cumulative()
	}
	return false
}

// eachUnit visits the rows of every unit, k at most. A unit that has more counts as several: what one adds is bounded
// whatever the table is.
func (s *Shape) eachUnit(units []int32, visit func(rows []int)) {
	_, k := s.Unit()
	var open [][]int
	for r, u := range units {
		for int(u) >= len(open) {
			open = append(open, nil)
		}
		if open[u] = append(open[u], r); len(open[u]) == k {
			visit(open[u])
			open[u] = open[u][:0]
		}
	}
	for _, rows := range open {
		visit(rows)
	}
}

// unitSums are the moments of units from their rows: of a table those of cellMoments, else of means.
func (s *Shape) unitSums(units []int32, codes []frame.Codes, values [][]float64) []int64 {
	if s.Tabulated() {
		return s.cellMoments(units, codes)
	}
	l := s.lattice
	_, k := s.Unit()
	groups, moments := max(l.Groups, 1), UnitMoments
	if l.Form == PerGroup {
		moments = GroupUnitMoments
	}
	group := func(row int) int { // rows without a value are in none
		switch {
		case l.Omits && values[0][row] != values[0][row]:
			return -1
		case len(s.columns) > 1:
			return int(codes[1].At(row))
		}
		return 0
	}
	sums := make([]num.Int128, 5*groups)
	s.eachUnit(units, func(rows []int) {
		slices.SortFunc(rows, func(a, b int) int { return group(a) - group(b) })
		for len(rows) > 0 {
			g, n, a := group(rows[0]), 0, int64(0)
			for ; n < len(rows) && group(rows[n]) == g; n++ {
				if g >= 0 {
					a += l.Coarser(l.At(0, values[0][rows[n]]))
				}
			}
			rows = rows[n:]
			if g < 0 {
				continue
			}
			for i, v := range moments(a, int64(n)*l.Coarse-a, int64(k-n)*l.Coarse) {
				sums[5*g+i] = sums[5*g+i].Add(v)
			}
		}
	})
	return wholes(sums)
}

// cellMoments are, over the units, D = Σ_cells t² of the rows t that a unit has in a cell of the table, and E − D, E
// the square of all its rows.
func (s *Shape) cellMoments(units []int32, codes []frame.Codes) []int64 {
	cell := func(row int) (at int) {
		for i, c := range codes {
			at = at*s.columns[i].Levels() + int(c.At(row))
		}
		return at
	}
	same, apart, cells := int64(0), int64(0), []int(nil)
	s.eachUnit(units, func(rows []int) {
		cells = cells[:0]
		for _, r := range rows {
			cells = append(cells, cell(r))
		}
		slices.Sort(cells)
		square, run := int64(0), int64(0)
		for i, c := range cells { // t² = 1 + 3 + … + (2t − 1)
			if run++; i > 0 && c != cells[i-1] {
				run = 1
			}
			square += 2*run - 1
		}
		same += square
		apart += int64(len(cells)*len(cells)) - square
	})
	return []int64{same, apart}
}

// HasUnits reports whether the rows were known by their units.
func (s *Statistics) HasUnits() bool { return s.units != nil }

// OpenUnits sums the moments of units: of a mean UnitMoments of a, its places on the coarse lattice together, c, what
// they lack to the last, and e, the rows that it lacks to k; of means by group GroupUnitMoments of its rows in every
// group; of a table D and E − D (cellMoments). The key keeps it inside this module, and without it, or without the rows
// of units in memory, there are none.
func (s *Statistics) OpenUnits(key access.Key) []int64 {
	if !key.Opens() || s.units == nil {
		return nil
	}
	return s.units()
}
