package model

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// AtBounds counts the values of every column of a model of numbers, in the order of Columns, that lie at a public
// bound: values that reading moved there from beyond it, where the column is declared so, and values that were there.
// The counts are private; the key keeps them inside this module. Errors: ErrSealed without
// the key, *MismatchError, those of frame.Values.
func (s *Shape) AtBounds(key access.Key, f *frame.Frame) ([]int, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if s.Tabulated() {
		return nil, nil
	}
	if err := s.Accepts(f); err != nil {
		return nil, err
	}
	out := make([]int, len(s.columns))
	for i, c := range s.columns {
		if s.grouping(i) {
			continue
		}
		values, err := f.Values(c.Name)
		if err != nil {
			return nil, err
		}
		lo, hi := s.bounds(i)
		for _, v := range values {
			if v <= lo || v >= hi {
				out[i]++
			}
		}
	}
	return out, nil
}

// bounds are the public bounds of the values of a numeric column.
func (s *Shape) bounds(i int) (lo, hi float64) {
	c := &s.columns[i]
	if c.Kind == frame.KindInteger { // the bounds that whole numbers are moved to
		return math.Ceil(c.Min), math.Floor(c.Max)
	}
	return c.Min, c.Max
}

// AtBounds are the counts of Shape.AtBounds of the rows that were counted; nil for statistics without any.
func (s *Statistics) AtBounds(key access.Key) []int {
	if !key.Opens() {
		return nil
	}
	return s.atBounds
}
