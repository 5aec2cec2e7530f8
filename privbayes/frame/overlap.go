package frame

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
)

// Selection says which rows of which source a frame holds, as far as that is public: by the steps that chose them, and
// by their places where these follow from n and the steps. It holds no value of any row. The zero value is a selection
// from a source of its own.
type Selection struct {
	source  *source
	steps   []RowStep
	places  []uint32 // in the source, nil for all in order; after Where, of the rows that it chose from
	publicN bool     // n is public, and so are the places: no key orders the rows
	n       int
}

// source is what was read: the same path or name, or the same call. Rows that were put together from several files, or
// by Append, keep what each of them is.
type source struct {
	name  string
	parts []Selection // one after the other
	born  int         // how many steps the rows have when all parts are there: that of Append
}

// several reports whether the rows were put together.
func (s *source) several() bool { return s != nil && len(s.parts) > 0 }

func (s *source) same(o *source) bool {
	return s != nil && o != nil && (s == o || s.name != "" && s.name == o.name)
}

// Selection is the public side of the choice of rows.
func (f *Frame) Selection() Selection {
	s := Selection{source: f.source, steps: f.lineage, places: f.places, publicN: f.who == nil}
	if s.publicN {
		s.n = f.n
	}
	return s
}

// MadeOf says which rows of which tables a frame was made of; the key keeps it inside this module. What has no name is
// a source of its own.
func (f *Frame) MadeOf(key access.Key, rows ...Selection) *Frame {
	g, names := *f, []string{}
	for _, r := range rows {
		if r.source != nil && r.source.name != "" {
			names = append(names, r.source.name)
		}
	}
	if g.source = (&source{}); key.Opens() && len(names) == len(rows) {
		g.source.name = strings.Join(names, "\x00")
	}
	return &g
}

// SameSource reports whether both were chosen from one source: one frame, or two reads of one path or named reader.
func (s Selection) SameSource(o Selection) bool { return s.source.same(o.source) }

// twins reports whether two steps are the two parts of one split.
func twins(a, b RowStep) bool {
	a.Test = !a.Test
	return a.divides() && a.same(b)
}

// placed are the places, in the source, of the rows at idx.
func (f *Frame) placed(idx []int) []uint32 {
	if f.who != nil { // idx follows from private rows
		return f.places
	}
	out := make([]uint32, len(idx))
	for k, i := range idx {
		if out[k] = uint32(i); f.places != nil {
			out[k] = f.places[i]
		}
	}
	return out
}

// Chosen is a selection from a source that is no frame: the table of that name, and the steps that chose its rows. Two
// reads of one name are of one source; "" is a source of its own. The number of rows is taken as private, so that the
// steps alone say what two selections share.
func Chosen(name string, steps ...RowStep) Selection {
	return Selection{source: &source{name: name}, steps: steps}
}

// Steps are those that chose the rows, as in Frame.Lineage; none if they are all that were read.
func (s Selection) Steps() []RowStep { return cloneSteps(s.steps) }

// Overlap is what is publicly known about two selections.
type Overlap string

// What may be known.
const (
	OverlapUnknown Overlap = ""
	OverlapNone    Overlap = "none"
	OverlapSame    Overlap = "same" // chosen by the same steps
	OverlapPart    Overlap = "part" // one was chosen from the other, or they share rows
)

// Overlap says what two selections have in common. Where n is public for both and may be used, places decide, and
// shared is the number of rows in common, each counted once. Else, as after Where or under an adjacency that hides n,
// the steps decide alone: the same steps choose the same rows, later steps choose among the rows of earlier ones, and
// the two parts of a split share none; anything else is unknown, and shared is 0. Rows of several files, or that Append
// put together, are compared file by file and part by part: a table shares rows with each of its files, and what was
// chosen from it may or may not hold rows of one of them. Two files are never known to share none: that would be to
// read them.
func (s Selection) Overlap(o Selection, useN bool) (kind Overlap, shared int) {
	if !s.SameSource(o) {
		if !s.source.several() && !o.source.several() {
			return OverlapUnknown, 0
		}
		return overlapOfPieces(s.pieces(useN), o.pieces(useN), useN)
	}
	if useN && s.publicN && o.publicN {
		shared = s.shared(o)
		return counted(shared, s.n, o.n), shared
	}
	short := min(len(s.steps), len(o.steps))
	for i := range short {
		a, b := s.steps[i], o.steps[i]
		if !a.same(b) {
			if twins(a, b) {
				return OverlapNone, 0
			}
			return OverlapUnknown, 0
		}
	}
	byPlaces := func(s RowStep) bool { return s.Name == stepRows }
	if slices.ContainsFunc(s.steps[:short], byPlaces) && !slices.Equal(s.places, o.places) {
		return OverlapUnknown, 0 // the step does not name its rows
	}
	if len(s.steps) == len(o.steps) {
		return OverlapSame, 0
	}
	return OverlapPart, 0
}

// counted is what a number of rows in common says of a and b rows.
func counted(shared, a, b int) Overlap {
	switch {
	case shared == 0:
		return OverlapNone
	case shared == a && shared == b:
		return OverlapSame
	}
	return OverlapPart
}

// piece is the rows of a selection that are of one source without parts.
type piece struct {
	Selection
	some bool // of the rows of a part, some that are not known: there may be none
}

// pieces takes a selection apart. Where n is public, the places say which rows are of which part; else, all rows of
// every part are there, or later steps chose among them all.
func (s Selection) pieces(useN bool) []piece {
	if !s.source.several() {
		return []piece{{Selection: s}}
	}
	parts := s.source.parts
	later := append([]RowStep{{text: fmt.Sprintf("among the rows of %p", s.source)}}, s.steps[s.source.born:]...)
	if useN && s.publicN {
		parts = s.placedParts(later)
	}
	var out []piece
	for _, p := range parts {
		some := false
		if !useN || !s.publicN {
			if len(later) > 1 {
				p.steps, some = slices.Concat(p.steps, later), true
			}
			p.publicN = false
		}
		for _, q := range p.pieces(useN) {
			q.some = q.some || some
			out = append(out, q)
		}
	}
	return out
}

// placedParts are the parts with the rows that the selection has of each.
func (s Selection) placedParts(later []RowStep) []Selection {
	parts := slices.Clone(s.source.parts)
	if s.places == nil {
		return parts
	}
	starts, places := make([]int, len(parts)), make([][]uint32, len(parts))
	for k := range parts[1:] {
		starts[k+1] = starts[k] + parts[k].n
	}
	for _, place := range s.places {
		k := sort.SearchInts(starts, int(place)+1) - 1
		at := place - uint32(starts[k])
		if has := parts[k].places; has != nil {
			at = has[at]
		}
		places[k] = append(places[k], at)
	}
	out := parts[:0]
	for k, p := range parts {
		if len(places[k]) == 0 {
			continue
		}
		p.steps, p.places, p.n = slices.Concat(p.steps, later), places[k], len(places[k])
		out = append(out, p)
	}
	return out
}

// overlapOfPieces compares the pieces of two selections, of which one or both have several.
func overlapOfPieces(a, b []piece, useN bool) (kind Overlap, shared int) {
	a, b = merged(a, useN), merged(b, useN)
	none, some := true, false
	inA, inB := make([]bool, len(b)), make([]bool, len(a)) // pieces that lie in one of the other's
	rowsA, countedA := size(a, useN)
	rowsB, countedB := size(b, useN)
	for i, p := range a {
		for j, q := range b {
			kind, n := p.Overlap(q.Selection, useN)
			none = none && kind == OverlapNone
			if kind != OverlapSame && kind != OverlapPart {
				continue
			}
			exact := useN && p.publicN && q.publicN
			if shared += n; exact || !p.some && !q.some {
				some = true
			}
			inB[i] = inB[i] || p.within(q, exact, n)
			inA[j] = inA[j] || q.within(p, exact, n)
		}
	}
	allInA, allInB := !slices.Contains(inA, false), !slices.Contains(inB, false)
	switch {
	case none:
		return OverlapNone, 0
	case allInA && allInB:
		kind = OverlapSame
	case some || allInA || allInB:
		kind = OverlapPart
	default:
		return OverlapUnknown, 0
	}
	if useN && allInA && countedB { // such as a file of a table that was filtered
		shared = max(shared, rowsB)
	}
	if useN && allInB && countedA {
		shared = max(shared, rowsA)
	}
	return kind, shared
}

// within says that p is the same as q or was chosen from it, of two pieces that overlap.
func (p piece) within(q piece, exact bool, shared int) bool {
	if exact {
		return shared == p.n
	}
	return len(p.steps) >= len(q.steps)
}

// merged counts rows that were appended twice once.
func merged(pieces []piece, useN bool) []piece {
	var out []piece
next:
	for _, p := range pieces {
		for i := range out {
			q := &out[i]
			if !useN || !p.publicN || !q.publicN || !p.SameSource(q.Selection) {
				continue
			}
			all := slices.Concat(p.everyPlace(), q.everyPlace())
			slices.Sort(all)
			q.places = slices.Compact(all)
			q.n = len(q.places)
			continue next
		}
		out = append(out, p)
	}
	return out
}

// everyPlace are the places of all rows.
func (s Selection) everyPlace() []uint32 {
	if s.places != nil {
		return s.places
	}
	out := make([]uint32, s.n)
	for i := range out {
		out[i] = uint32(i)
	}
	return out
}

// size is the number of rows of pieces, where it may be used.
func size(pieces []piece, useN bool) (n int, ok bool) {
	for _, p := range pieces {
		if n += p.n; !useN || !p.publicN {
			return 0, false
		}
	}
	return n, true
}

// shared counts the places that two selections with public n have in common.
func (s Selection) shared(o Selection) int {
	if s.places == nil {
		s, o = o, s
	}
	if s.places == nil { // both are their whole source
		return min(s.n, o.n)
	}
	if o.places == nil {
		shared := 0
		for _, p := range s.places {
			if int(p) < o.n {
				shared++
			}
		}
		return shared
	}
	has := make([]uint64, slices.Max(append([]uint32{0}, o.places...))/64+1)
	for _, p := range o.places {
		has[p/64] |= 1 << (p % 64)
	}
	shared := 0
	for _, p := range s.places {
		if i := p / 64; int(i) < len(has) && has[i]>>(p%64)&1 == 1 {
			shared++
		}
	}
	return shared
}

// sharesSource reports whether some source is known to be of both.
func (s Selection) sharesSource(o Selection) bool {
	if s.SameSource(o) {
		return true
	}
	for _, pair := range [][2]Selection{{s, o}, {o, s}} {
		if !pair[0].source.several() {
			continue
		}
		for _, p := range pair[0].source.parts {
			if p.sharesSource(pair[1]) {
				return true
			}
		}
	}
	return false
}
