package model

import (
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
)

// UnitMoments are a², c², 2ac, 2ae and 2ce.
func UnitMoments(a, c, e int64) [5]int64 {
	return [5]int64{a * a, c * c, 2 * a * c, 2 * a * e, 2 * c * e}
}

// CountsUnits reports whether the moments of units are summed for a shape: of one column's mean, under a schema with a
// unit key.
func (s *Shape) CountsUnits() bool {
	l := s.lattice
	return l != nil && l.Form == oneSum && l.Coarse > 0 && s.OneParameter() == nil && s.Schema().UnitKey != ""
}

// unitSums sums UnitMoments of every unit, a its places on the coarse lattice together, c what they lack to the last, e
// the rows that it lacks to k. A unit that has more than k rows counts as several: what one adds is bounded whatever
// the table is.
func (s *Shape) unitSums(units []int32, values []float64) []int64 {
	if units == nil {
		return nil
	}
	type unit struct{ rows, a int64 }
	l := s.lattice
	_, k := s.Unit()
	whole := int64(k) * l.Coarse
	sums, open := make([]num.Int128, 5), []unit{}
	add := func(u unit) {
		for i, v := range UnitMoments(u.a, u.rows*l.Coarse-u.a, whole-u.rows*l.Coarse) {
			sums[i] = sums[i].Add(v)
		}
	}
	for r, i := range units {
		for int(i) >= len(open) {
			open = append(open, unit{})
		}
		u := &open[i]
		u.rows, u.a = u.rows+1, u.a+l.Coarser(l.At(0, values[r]))
		if u.rows == int64(k) {
			add(*u)
			*u = unit{}
		}
	}
	for _, u := range open {
		add(u)
	}
	return wholes(sums)
}

// HasUnits reports whether the moments of units were summed.
func (s *Statistics) HasUnits() bool { return s.units != nil }

// OpenUnits reads the sums of UnitMoments over the units; the key keeps it inside this module, and without it, or
// without the rows of units in memory, there are none.
func (s *Statistics) OpenUnits(key access.Key) []int64 {
	if !key.Opens() {
		return nil
	}
	return s.units
}
