package frame

import "slices"

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
func (s Selection) Steps() []RowStep { return slices.Clone(s.steps) }
