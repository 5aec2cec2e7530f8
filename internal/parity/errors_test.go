package parity

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestRefusals(t *testing.T) {
	wide := make([]int, 28)
	states := make([]int, 28)
	for i := range wide {
		wide[i], states[i] = i, 2
	}
	large := slices.Clone(states)
	var dense [][]int // 27 of 28 variables: 2^27 cells each
	for i := range 3 {
		dense = append(dense, slices.Delete(slices.Clone(wide), i, i+1))
	}
	for _, tc := range []struct {
		name     string
		arities  []int
		families [][]int
		want     error
	}{
		{"arity", []int{2, 0}, [][]int{{0}}, new(ArityError)},
		{"none", []int{2}, nil, new(FamilyError)},
		{"unknown", []int{2}, [][]int{{0, 1}}, new(FamilyError)},
		{"negative", []int{2}, [][]int{{-1}}, new(FamilyError)},
		{"order", []int{2, 2}, [][]int{{1, 0}}, new(FamilyError)},
		{"twice", []int{2, 2}, [][]int{{1, 1}}, new(FamilyError)},
		{"wide", states, [][]int{wide}, new(SizeError)},
		{"overflow", []int{math.MaxInt, math.MaxInt, math.MaxInt}, [][]int{{0, 1, 2}}, new(SizeError)},
		{"dense", large, dense, new(SizeError)},
	} {
		_, err := NewSpectrum(tc.arities, tc.families)
		if !sameType(err, tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	s := diamond.spectrum(t)
	three := with(diamond, 2, 2, 3, 2).spectrum(t)
	tables := tablesOf(diamond, [][]int{{0, 1, 0, 1}})
	phi := make([]float64, s.Size())
	bad := slices.Clone(phi)
	bad[3] = math.NaN()
	inf := toReal(tables)
	inf[3][0] = math.Inf(1)
	disagree := tablesOf(diamond, [][]int{{0, 1, 0, 1}})
	disagree[1][0]++
	huge := tablesOf(diamond, nil)
	huge[3][0], huge[3][1] = math.MaxInt64, 1
	least := tablesOf(diamond, nil)
	least[3][0] = math.MinInt64
	for name, tc := range map[string]struct {
		do   func() error
		want error
	}{
		"three states": {func() error { _, err := three.Coefficients(nil); return err }, new(ArityError)},
		"odd, three":   {func() error { _, _, _, err := three.OddSensitivity(0); return err }, new(ArityError)},
		"count, three": {func() error { _, err := three.OddCount([]int{0, 0, 0, 0}); return err }, new(ArityError)},
		"limit":        {func() error { _, _, _, err := s.OddSensitivity(-1); return err }, new(ValueError)},
		"limit, pairs": {func() error { _, _, _, _, err := three.HelmertSensitivity(-1); return err },
			new(ValueError)},
		"tables": {func() error { _, err := s.Coefficients(tables[1:]); return err }, new(ShapeError)},
		"cells": {func() error { _, err := s.CoefficientsReal([][]float64{{1}, {1}, {1}, {1}}); return err },
			new(ShapeError)},
		"infinite":       {func() error { _, err := s.CoefficientsReal(inf); return err }, new(ValueError)},
		"disagree":       {func() error { _, err := s.Coefficients(disagree); return err }, new(InconsistentError)},
		"huge":           {func() error { _, err := s.Coefficients(huge); return err }, new(ValueError)},
		"least":          {func() error { _, err := s.Coefficients(least); return err }, new(ValueError)},
		"phi":            {func() error { _, err := s.Tables(phi[1:]); return err }, new(ShapeError)},
		"phi NaN":        {func() error { _, err := s.Tables(bad); return err }, new(ValueError)},
		"margin NaN":     {func() error { _, err := s.Margin(bad, nil); return err }, new(ValueError)},
		"margin of none": {func() error { _, err := s.Margin(phi, []int{0, 3}); return err }, new(FamilyError)},
		"margin order":   {func() error { _, err := s.Margin(phi, []int{1, 0}); return err }, new(FamilyError)},
		"z":              {func() error { _, err := s.OddCount([]int{1}); return err }, new(ShapeError)},
		"z state":        {func() error { _, err := s.OddCount([]int{1, 0, 2, 0}); return err }, new(ValueError)},
		"record":         {func() error { _, err := s.Distance([]int{1}, nil); return err }, new(ShapeError)},
		"record state": {func() error { _, err := s.Distance(make([]int, 4), []int{0, 0, 0, -1}); return err },
			new(ValueError)},
		"variances": {func() error { _, err := s.ProjectVariance([]float64{1}); return err }, new(ShapeError)},
		"variance 0": {func() error { _, err := s.MarginVariance(nil, []float64{1, 1, 0, 1}); return err },
			new(ValueError)},
		"variance set": {func() error { _, err := s.MarginVariance([]int{0, 3}, nil); return err }, new(FamilyError)},
		"fourier set":  {func() error { _, err := s.FourierVariance([]int{9}); return err }, new(FamilyError)},
		"raw set":      {func() error { _, err := s.RawVariance(1, []int{2}); return err }, new(FamilyError)},
		"raw family":   {func() error { _, err := s.RawVariance(4, nil); return err }, new(FamilyError)},
		"raw order":    {func() error { _, err := s.RawVariance(3, []int{3, 2}); return err }, new(FamilyError)},
		"total": {func() error { _, err := s.Project(toReal(tables), nil, math.NaN()); return err },
			new(ValueError)},
		"project cells":  {func() error { _, err := s.Project(inf, nil, 1); return err }, new(ValueError)},
		"project tables": {func() error { _, err := s.Project(nil, nil, 1); return err }, new(ShapeError)},
	} {
		if err := tc.do(); !sameType(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		} else if len(err.Error()) < 20 {
			t.Errorf("%s says only %q", name, err)
		}
	}
}

// sameType reports whether err is, or wraps, an error of the type of want.
func sameType(err, want error) bool {
	target := reflect.New(reflect.TypeOf(want))
	return err != nil && errors.As(err, target.Interface())
}

// A message names what is wrong, the value and what was expected.
func TestMessages(t *testing.T) {
	_, order := NewSpectrum([]int{2, 2}, [][]int{{0}, {1, 0}})
	_, arity := NewSpectrum([]int{2, 0}, [][]int{{0}})
	_, size := NewSpectrum([]int{1 << 14, 1 << 14}, [][]int{{0, 1}})
	s := chain3.spectrum(t)
	_, disagree := s.Coefficients([][]int64{{1}, {1}, {1}})
	_, apart := s.Coefficients([][]int64{{1, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}})
	_, within := s.Margin(make([]float64, s.Size()), []int{0, 2})
	for _, tc := range []struct {
		err   error
		words []string
	}{
		{order, []string{"family 1", "[1 0]", "increasing"}},
		{arity, []string{"variable 1", "0 states", "at least 1"}},
		{size, []string{"[0 1]", "2.68435e+08 cells", "1.34218e+08"}},
		{disagree, []string{"1 cells of table 0", "want 2"}},
		{apart, []string{"tables 1 and 2", "[1]", "1 and -1"}},
		{within, []string{"set [0 2]", "no family", "one family"}},
	} {
		for _, w := range tc.words {
			if tc.err == nil || !strings.Contains(tc.err.Error(), w) {
				t.Errorf("%v does not say %q", tc.err, w)
			}
		}
	}
}
