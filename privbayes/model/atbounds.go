package model

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// AtBounds counts the values of every column of a model of numbers, in the order of Columns, that lie at a public
// bound: values that reading moved there from beyond it, where the column is declared so, and values that were there.
// The counts are private; the key keeps them inside this module. Errors: ErrSealed without
// the key, *MismatchError, those of frame.Values.
func (s *Shape) AtBounds(key seal.Key, f *frame.Frame) ([]int, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if s.Counts() {
		return nil, nil
	}
	if err := s.Accepts(f); err != nil {
		return nil, err
	}
	out := make([]int, len(s.columns))
	for i, c := range s.columns {
		values, err := f.Values(c.Name)
		if err != nil {
			return nil, err
		}
		lo, hi := c.Min, c.Max
		if c.Kind == frame.KindInteger { // the bounds that whole numbers are moved to
			lo, hi = math.Ceil(lo), math.Floor(hi)
		}
		for _, v := range values {
			if v <= lo || v >= hi {
				out[i]++
			}
		}
	}
	return out, nil
}

// AtBounds are the counts of Shape.AtBounds of the frame that was counted; nil for statistics without one.
func (s *Statistics) AtBounds(key seal.Key) []int {
	if !key.Opens() {
		return nil
	}
	return s.atBounds
}
