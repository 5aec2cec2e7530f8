package sensitivity

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// structure is the public input of the enumeration check: levels of class and features, adjacency, and whether n is
// public.
type structure struct {
	// Families of a network: the numbers of each table's variables, 0 the target, then the features. Nil for other
	// models.
	Families  [][]int      `json:"families,omitempty"`
	Target    int          `json:"target"`
	Features  []int        `json:"features,omitempty"`
	Adjacency dp.Adjacency `json:"adjacency"`
	PublicN   bool         `json:"public_n"`
}

// structureOf reads the structure of a shape.
func structureOf(sh *model.Shape, adj dp.Adjacency) structure {
	_, public := sh.N()
	s := structure{Target: sh.Classes(), Adjacency: adj, PublicN: public}
	for _, c := range sh.Columns()[1:] {
		s.Features = append(s.Features, c.Levels())
	}
	if sh.Graph() == nil {
		return s
	}
	number := map[string]int{}
	for i, c := range sh.Columns() {
		number[c.Name] = i
	}
	for _, t := range sh.Tables() {
		var f []int
		for _, c := range t.Columns {
			f = append(f, number[c])
		}
		s.Families = append(s.Families, f)
	}
	return s
}

// changed is the number of counts that one row changes by the closed form, for the structure as it is.
func (s structure) changed() int {
	if s.Families == nil {
		k := max(len(s.Features), 1)
		switch {
		case s.Adjacency == dp.AddRemove:
			return k
		case s.Adjacency == dp.ReplaceValue:
			return 2
		}
		return 2 * k
	}
	if s.Adjacency == dp.AddRemove {
		return len(s.Families)
	}
	all, most := 0, 0
	with := make([]int, 1+len(s.Features))
	for _, f := range s.Families {
		n := s.changes(f)
		all += n
		for _, v := range f {
			with[v] += n
		}
	}
	if s.Adjacency != dp.ReplaceValue {
		return all
	}
	for _, n := range with[min(1, len(with)-1):] {
		most = max(most, n)
	}
	return most
}

// changes is how many counts of one family's table a moved record changes.
func (s structure) changes(family []int) int {
	if len(family) == 1 && s.PublicN && s.levels(family[0]) == 2 {
		return 1
	}
	return 2
}

func (s structure) levels(variable int) int {
	if variable == 0 {
		return s.Target
	}
	return s.Features[variable-1]
}

// records is the number of different rows the structure allows.
func (s structure) records() float64 {
	r := float64(s.Target)
	for _, f := range s.Features {
		r *= float64(f)
	}
	return r
}

// enumeration finds the greatest number of counts one replaced, added or removed row changes, by visiting every pair of
// rows of a structure.
var enumeration = cert.Define("sensitivity/counts", func(ctx context.Context, s structure) (cert.Outcome, error) {
	if s.Target < 2 {
		return cert.Outcome{}, fmt.Errorf("sensitivity/counts: %d levels of the target; want at least 2", s.Target)
	}
	for _, f := range s.Features {
		if f < 1 {
			return cert.Outcome{}, fmt.Errorf("sensitivity/counts: a feature with %d levels; want at least 1", f)
		}
	}
	return enumerate(ctx, s)
})

// enumerate codes rows in mixed radix and counts changed cells of every pair.
func enumerate(ctx context.Context, s structure) (cert.Outcome, error) {
	r := s.records()
	if s.Adjacency == dp.AddRemove {
		// a row enters one cell of every table, whatever it is
		return cert.Outcome{Value: float64(s.changed()), Method: cert.Enumeration, Work: int64(math.Min(r, 1e18))}, nil
	}
	if r*r > float64(cert.WorkLimit(ctx)) {
		return cert.Outcome{}, cert.ErrWorkLimit
	}
	n := int(r)
	rows := make([][]int, n)
	for i := range rows {
		row, rest := make([]int, 1+len(s.Features)), i
		row[0], rest = rest%s.Target, rest/s.Target
		for k, f := range s.Features {
			row[k+1], rest = rest%f, rest/f
		}
		rows[i] = row
	}
	for _, f := range s.Families {
		for _, v := range f {
			if v < 0 || v > len(s.Features) {
				return cert.Outcome{}, fmt.Errorf("sensitivity/counts: variable %d in a family; want 0 … %d", v,
					len(s.Features))
			}
		}
	}
	single := len(s.Features) == 0 && s.Target == 2 && s.PublicN
	worst := 0
	for i, a := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		for _, b := range rows {
			if s.Adjacency == dp.ReplaceValue && !oneFeature(a, b) {
				continue
			}
			if s.Families != nil {
				worst = max(worst, s.changedFamilies(a, b))
			} else {
				worst = max(worst, changed(a, b, single))
			}
		}
	}
	return cert.Outcome{Value: float64(worst), Method: cert.Enumeration, Work: int64(n) * int64(n)}, nil
}

// changedFamilies counts the measured cells of a network's tables whose count differs when row a is replaced by row b.
func (s structure) changedFamilies(a, b []int) int {
	c := 0
	for _, f := range s.Families {
		for _, v := range f {
			if a[v] != b[v] {
				c += s.changes(f)
				break
			}
		}
	}
	return c
}

// changed counts the measured cells whose count differs when row a is replaced by row b.
func changed(a, b []int, single bool) int {
	if len(a) == 1 {
		switch {
		case a[0] == b[0]:
			return 0
		case single:
			return 1
		default:
			return 2
		}
	}
	c := 0
	for k := 1; k < len(a); k++ {
		if a[0] != b[0] || a[k] != b[k] {
			c += 2
		}
	}
	return c
}

// oneFeature reports whether b differs from a in one value, which is a feature where there are features.
func oneFeature(a, b []int) bool {
	if len(a) == 1 {
		return a[0] != b[0]
	}
	diff := 0
	for k := 1; k < len(a); k++ {
		if a[k] != b[k] {
			diff++
		}
	}
	return a[0] == b[0] && diff == 1
}
