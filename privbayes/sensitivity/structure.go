package sensitivity

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// structure is the public input of the enumeration check: levels of class and features, adjacency, and whether n is
// public.
type structure struct {
	// Families of a network or a contingency table: the numbers of each table's variables, 0 the target, then the
	// features. Nil for other models.
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
	if sh.Graph() == nil && !sh.Joint() {
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
	for _, f := range s.Families {
		for _, v := range f {
			if v < 0 || v > len(s.Features) {
				return cert.Outcome{}, fmt.Errorf("sensitivity/counts: variable %d in a family; want 0 … %d", v,
					len(s.Features))
			}
		}
	}
	p := s.pack()
	rows, worst := p.rows(int(r)), 0
	for i, a := range rows {
		if i%256 == 0 && ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		worst = max(worst, p.most(a, rows[i:])) // what a pair changes, it changes both ways
	}
	return cert.Outcome{Value: float64(worst), Method: cert.Enumeration, Work: int64(len(rows)) * int64(len(rows))}, nil
}

// packed is a structure whose rows are words: every variable is a field of as many bits as its codes need. There are at
// most twice as many bits as the binary logarithm of the number of rows, hence fewer than 64.
type packed struct {
	structure
	low, high uint64   // the bits of all fields below the top one, and the top ones
	top       []uint64 // of each variable; 0 where it has one level
	families  []uint64 // their top bits
	changes   []int    // counts of each family's table that change
	class     uint64   // the top bit of the target
	value     bool     // one feature's value is replaced
}

func (s structure) pack() *packed {
	p := &packed{structure: s, value: s.Adjacency == dp.ReplaceValue}
	at := 0
	for v := range 1 + len(s.Features) {
		w := bits.Len(uint(s.levels(v) - 1))
		var top uint64
		if w > 0 {
			top = 1 << (at + w - 1)
			p.low |= top - 1<<at
		}
		p.high |= top
		p.top = append(p.top, top)
		at += w
	}
	p.class = p.top[0]
	families := s.Families
	if families == nil { // the class with each feature, or alone
		families = [][]int{{0}}
		for k := range s.Features {
			families = append(families[:k:k], []int{0, k + 1})
		}
	}
	for _, f := range families {
		var mask uint64
		for _, v := range f {
			mask |= p.top[v]
		}
		p.families, p.changes = append(p.families, mask), append(p.changes, s.changes(f))
	}
	return p
}

// rows codes all rows, in mixed radix.
func (p *packed) rows(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		rest, at := i, 0
		for v := range p.top {
			l := p.levels(v)
			out[i] |= uint64(rest%l) << at
			rest, at = rest/l, at+bits.Len(uint(l-1))
		}
	}
	return out
}

// most is the greatest number of counts that change when row a is replaced by one of others.
func (p *packed) most(a uint64, others []uint64) (worst int) {
	if p.Families != nil || len(p.Features) == 0 || p.value {
		for _, b := range others {
			worst = max(worst, p.counts(a, b))
		}
		return worst
	}
	low, high, class, all := p.low, p.high, p.class, len(p.Features)
	for _, b := range others { // counts, for tables of the class with one feature each
		x := a ^ b
		differ := ((x&low + low) | x) & high
		tables := all
		if differ&class == 0 {
			tables = bits.OnesCount64(differ)
		}
		worst = max(worst, 2*tables)
	}
	return worst
}

// counts is how many counts change when row a is replaced by row b; none where the adjacency has no such pair.
func (p *packed) counts(a, b uint64) (c int) {
	x := a ^ b
	differ := ((x&p.low + p.low) | x) & p.high // the top bit of every variable that differs
	if p.value && (differ&(differ-1) != 0 || differ&p.class != 0 && len(p.Features) > 0) {
		return 0
	}
	for i, f := range p.families {
		if differ&f != 0 {
			c += p.changes[i]
		}
	}
	return c
}
