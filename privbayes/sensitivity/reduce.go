package sensitivity

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// reducedTo is a structure of the same form, made by dropping levels and then features, with at most limit pairs of
// records, 81 or more. What two records change depends only on which of their values differ, so levels beyond the
// second add no new way, except of a column that is alone in a table of a network: with two levels and public n one
// count of it is measured, with three both are; those keep three. A feature leaves a network's tables, as if they were
// summed over it, and never takes one along that holds other columns: a structure without tables would be that of
// another model. The features whose loss hides the fewest changes go first, the last of equals.
func (s structure) reducedTo(limit float64) structure {
	r := s
	r.Features = slices.Clone(s.Features)
	r.Families = slices.Clone(s.Families)
	for i, f := range r.Families {
		r.Families[i] = slices.Clone(f)
	}
	most := max(3, int(math.Sqrt(limit))) // no structure within the limit has more levels
	r.Target = min(r.Target, most)
	for i, f := range r.Features {
		r.Features[i] = min(f, most)
	}
	keep := r.keptLevels()
	for r.records()*r.records() > limit {
		widest, at := 0, -1
		if r.Target > keep[0] {
			widest, at = r.Target, 0
		}
		for i, f := range r.Features {
			if f > keep[i+1] && f > widest {
				widest, at = f, i+1
			}
		}
		switch {
		case at == 0:
			r.Target--
		case at > 0:
			r.Features[at-1]--
		case len(r.Features) > 1:
			r = r.without(r.leastChange())
			keep = r.keptLevels()
		default:
			return r
		}
	}
	return r
}

// keptLevels is how many levels of each variable show every way in which a record can change a table.
func (s structure) keptLevels() []int {
	keep := make([]int, 1+len(s.Features))
	for v := range keep {
		keep[v] = 2
	}
	for _, f := range s.Families {
		if len(f) == 1 && s.PublicN {
			keep[f[0]] = 3
		}
	}
	return keep
}

// leastChange is the feature without which a record still changes the most: the last one, where tables do not tell them
// apart.
func (s structure) leastChange() int {
	with, lost := make([]int, 1+len(s.Features)), make([]int, 1+len(s.Features))
	for _, f := range s.Families {
		n := s.changes(f)
		for i, v := range f {
			with[v] += n
			switch {
			case len(f) == 1:
				lost[v] += n
			case len(f) == 2:
				lost[v] += n - s.changes(f[1-i:2-i])
			}
		}
	}
	least := len(s.Features)
	for v := len(s.Features); v >= 1; v-- {
		a, b := lost[v], lost[least]
		if s.Adjacency == dp.ReplaceValue && with[v] != with[least] {
			a, b = with[v], with[least] // one value changes: what counts is the feature in the most tables
		}
		if a < b {
			least = v
		}
	}
	return least
}

// without leaves out a feature, and the tables of a network that held nothing else.
func (s structure) without(feature int) structure {
	s.Features = slices.Delete(s.Features, feature-1, feature)
	var kept [][]int
	for _, f := range s.Families {
		f = slices.DeleteFunc(f, func(v int) bool { return v == feature })
		for i, v := range f {
			if v > feature {
				f[i]--
			}
		}
		if len(f) > 0 {
			kept = append(kept, f)
		}
	}
	s.Families = kept
	return s
}
