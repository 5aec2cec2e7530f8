package frame

import (
	"slices"
	"strings"
)

// Selection says which rows of which source a frame holds, as far as that is public: by the steps that chose them, and
// by their places where these follow from n and the steps. It holds no value of any row. The zero value is a selection
// from a source of its own.
type Selection struct {
	source  *source
	steps   []string
	places  []uint32 // in the source, nil for all in order; after Where, of the rows that it chose from
	publicN bool
	n       int
}

// source is what was read: the same path or name, or the same call.
type source struct {
	name  string
	parts []Selection // of rows that Append put together
}

func (s *source) same(o *source) bool {
	return s != nil && o != nil && (s == o || s.name != "" && s.name == o.name)
}

// Selection is the public side of the choice of rows.
func (f *Frame) Selection() Selection {
	s := Selection{source: f.source, steps: f.lineage, places: f.places, publicN: f.privateBy == ""}
	if s.publicN {
		s.n = f.n
	}
	return s
}

// SameSource reports whether both were chosen from one source: one frame, or two reads of one path or named reader.
func (s Selection) SameSource(o Selection) bool { return s.source.same(o.source) }

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
// shared is their number. Else, as after Where or under an adjacency that hides n, the steps decide alone: the same
// steps choose the same rows, later steps choose among the rows of earlier ones, and the two parts of a split share
// none; anything else is unknown, and shared is 0.
func (s Selection) Overlap(o Selection, useN bool) (kind Overlap, shared int) {
	if !s.SameSource(o) {
		return s.overlapOfParts(o, useN)
	}
	if useN && s.publicN && o.publicN {
		shared = s.shared(o)
		switch {
		case shared == 0:
			return OverlapNone, 0
		case shared == s.n && shared == o.n:
			return OverlapSame, shared
		}
		return OverlapPart, shared
	}
	short := min(len(s.steps), len(o.steps))
	for i := range short {
		a, b := s.steps[i], o.steps[i]
		if a != b {
			if twins(a, b) {
				return OverlapNone, 0
			}
			return OverlapUnknown, 0
		}
	}
	if slices.Contains(s.steps[:short], rowsStep) && !slices.Equal(s.places, o.places) {
		return OverlapUnknown, 0 // the step does not name its rows
	}
	if len(s.steps) == len(o.steps) {
		return OverlapSame, 0
	}
	return OverlapPart, 0
}

// overlapOfParts compares the parts that Append put together, as long as all their rows are there: what shares rows
// with a part shares them with the whole. Anything else is unknown.
func (s Selection) overlapOfParts(o Selection, useN bool) (kind Overlap, shared int) {
	if s.source == nil || len(s.source.parts) == 0 {
		if o.source == nil || len(o.source.parts) == 0 {
			return OverlapUnknown, 0
		}
		s, o = o, s
	}
	if len(s.steps) > 1 {
		return OverlapUnknown, 0
	}
	for _, part := range s.source.parts {
		k, n := part.Overlap(o, useN)
		if k == OverlapSame || k == OverlapPart {
			kind, shared = OverlapPart, shared+n
		}
	}
	return kind, shared
}

// rowsStep is the step that chose rows by places of the caller's.
const rowsStep = "Rows"

// twins reports whether two steps are the two parts of one split.
func twins(a, b string) bool {
	x, isTrain := strings.CutSuffix(a, ", train")
	y, isTest := strings.CutSuffix(b, ", test")
	if !isTrain || !isTest {
		x, isTest = strings.CutSuffix(a, ", test")
		y, isTrain = strings.CutSuffix(b, ", train")
	}
	return isTrain && isTest && x == y
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

// placed are the places, in the source, of the rows at idx.
func (f *Frame) placed(idx []int) []uint32 {
	if f.privateBy != "" { // idx follows from private rows
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
