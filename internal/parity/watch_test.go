package parity

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// The ranges of the functions by their factors are, to the last bit, those found on all cells.
func TestRangesAreThoseOnAllCells(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		arities := rapid.SliceOfN(rapid.IntRange(2, 6), 1, 4).Draw(r, "arities")
		vars := make([]int, len(arities))
		for i := range vars {
			vars[i] = i
		}
		s := must.Get(NewSpectrum(arities, [][]int{vars}))(r)
		var want, got [][2]float64
		s.eachFunction(&s.fams[0], func(u []float64) {
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, v := range u {
				lo, hi = min(lo, v), max(hi, v)
			}
			want = append(want, [2]float64{lo, hi})
		})
		s.eachRange(&s.fams[0], func(lo, hi float64) { got = append(got, [2]float64{lo, hi}) })
		if len(got) != len(want) {
			r.Fatalf("%d ranges of %d functions", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				r.Fatalf("function %d: %v, on all cells %v", i, got[i], want[i])
			}
		}
	})
}

// A column of 60,000 levels has a sensitivity by its ranges in little memory and time.
func TestAWideColumn(t *testing.T) {
	const levels = 60_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := must.Get(WatchedSpectrum(Watch{Bytes: 8*levels + 256}, []int{levels}, [][]int{{0}}))(t)
	sens, exact, _, _, err := s.HelmertSensitivity(0)
	runtime.ReadMemStats(&after)
	if err != nil || exact || !(sens > math.Sqrt(2*levels)) || sens > levels*math.Sqrt2 {
		t.Error(sens, exact, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64*levels {
		t.Errorf("%d bytes for %d levels", used, levels)
	}
}

// What a watch is told of as bytes is what is allocated, within a factor, and less is refused before anything is.
func TestEstimatesAreUpperBounds(t *testing.T) {
	arities := make([]int, 14)
	var families [][]int
	for i := range arities {
		arities[i] = 3
	}
	for i := range 8 {
		families = append(families, []int{i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6})
	}
	used := func(f func() error) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	cells := 8 * math.Pow(3, 7)
	var s *Spectrum
	bytes, err := used(func() (err error) { s, err = NewSpectrum(arities, families); return err })
	if estimate := 8*cells + 256*8; err != nil || float64(bytes) > 4*estimate || float64(bytes) < estimate/4 {
		t.Errorf("a spectrum of %g cells allocates %d bytes: %v", cells, bytes, err)
	}
	var size *SizeError
	bytes, err = used(func() error {
		_, err := WatchedSpectrum(Watch{Bytes: 8 * cells}, arities,
			families)
		return err
	})
	if !errors.As(err, &size) || bytes > 1<<14 {
		t.Errorf("%d bytes were allocated before the refusal: %v", bytes, err)
	}
	bytes, err = used(func() error {
		_, _, _, _,
			err := s.Watched(Watch{Bytes: 1 << 20}).HelmertSensitivity(0)
		return err
	})
	if !errors.As(err, &size) || bytes > 1<<20 {
		t.Errorf("an elimination of %v bytes: %d allocated, %v", size, bytes, err)
	}
}

// A watch's error ends every long computation, whatever the step it comes at.
func TestWatchEnds(t *testing.T) {
	stop := errors.New("stop")
	arities := []int{3, 4, 3, 2, 5}
	families := [][]int{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {0, 4}}
	free := must.Get(NewSpectrum(arities, families))(t)
	for name, run := range map[string]func(Watch) error{
		"spectrum":    func(w Watch) error { _, err := WatchedSpectrum(w, arities, families); return err },
		"sensitivity": func(w Watch) error { _, _, _, _, err := free.Watched(w).HelmertSensitivity(0); return err },
		"bound":       func(w Watch) error { _, _, _, _, err := free.Watched(w).HelmertSensitivity(10); return err },
		"variance":    func(w Watch) error { _, err := free.Watched(w).MarginVariance([]int{1, 2}, nil); return err },
	} {
		calls := 0
		if err := run(Watch{Step: func(int) error { calls++; return nil }}); err != nil || calls == 0 {
			t.Fatalf("%s: %d steps, %v", name, calls, err)
		}
		for _, at := range []int{1, (calls + 1) / 2, calls} {
			left := at
			err := run(Watch{Step: func(int) error {
				if left--; left == 0 {
					return stop
				}
				return nil
			}})
			if !errors.Is(err, stop) || left != 0 {
				t.Errorf("%s: stopped at step %d of %d: %v, %d more", name, at, calls, err, -left)
			}
		}
	}
}

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
		"infinite":  {func() error { _, err := s.CoefficientsReal(inf); return err }, new(ValueError)},
		"disagree":  {func() error { _, err := s.Coefficients(disagree); return err }, new(InconsistentError)},
		"huge":      {func() error { _, err := s.Coefficients(huge); return err }, new(ValueError)},
		"least":     {func() error { _, err := s.Coefficients(least); return err }, new(ValueError)},
		"phi":       {func() error { _, err := s.Tables(phi[1:]); return err }, new(ShapeError)},
		"phi NaN":   {func() error { _, err := s.Tables(bad); return err }, new(ValueError)},
		"z":         {func() error { _, err := s.OddCount([]int{1}); return err }, new(ShapeError)},
		"z state":   {func() error { _, err := s.OddCount([]int{1, 0, 2, 0}); return err }, new(ValueError)},
		"variances": {func() error { _, err := s.MarginVariance(nil, []float64{1}); return err }, new(ShapeError)},
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
	_, within := s.MarginVariance([]int{0, 2}, nil)
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
