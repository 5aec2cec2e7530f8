package parity

import (
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Reference values from an independent implementation, double precision.
func TestGammaIncrementGolden(t *testing.T) {
	for _, tc := range []struct {
		k           int
		delta, want float64
	}{
		{34, 0.1, 41.65395118982595}, {33, 0.1, 40.542743062800824}, {8, 0.05, 13.148113802432116},
		{6, 0.01, 13.108483652767926},
	} {
		if got, err := GammaIncrement(tc.k, tc.delta); !near(got, tc.want, 2e-13) || err != nil {
			t.Errorf("%+v: %v, %v", tc, got, err)
		}
	}
	for _, delta := range []float64{1e-300, 1e-9, 0.3, 0.5, 0.999999} { // k = 1 is exponential
		if got, err := GammaIncrement(1, delta); !near(got/-math.Log(delta), 1, 1e-13) || err != nil {
			t.Errorf("k = 1, δ = %v: %v, %v", delta, got, err)
		}
	}
}

func TestGammaIncrementInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := int(math.Exp(rapid.Float64Range(0, math.Log(1e7)).Draw(t, "ln k")))
		delta := math.Exp(rapid.Float64Range(-30, -1e-6).Draw(t, "ln δ"))
		x := must.Get(GammaIncrement(k, delta))(t)
		tail, err := GammaTail(k, x)
		if err != nil || !near(tail/delta, 1, 1e-10) {
			t.Fatalf("k = %d, δ = %v: x = %v with tail %v, %v", k, delta, x, tail, err)
		}
		if ref := mathext.GammaIncRegComp(float64(k), x); k < 1e4 && !near(tail/ref, 1, 1e-10) {
			t.Fatalf("k = %d, x = %v: tail %v, reference %v", k, x, tail, ref)
		}
	})
}

func TestGammaTail(t *testing.T) {
	for _, tc := range []struct {
		k       int
		x, want float64
	}{
		{1, 0, 1}, {5, math.Inf(1), 0}, {1, 2, math.Exp(-2)}, {2, 3, 4 * math.Exp(-3)},
		{3, 0.5, math.Exp(-0.5) * 1.625},
		{1 << 20, 1, 1},
	} {
		if got, err := GammaTail(tc.k, tc.x); !near(got, tc.want, 1e-15) || err != nil {
			t.Errorf("%+v: %v, %v", tc, got, err)
		}
	}
}

// The claim of Corollary 3 holds from t = ½ on and fails below: on eight coefficients at t = 0.03.
func TestTextbookIncrement(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 8, 21, 34, 142, 935, 10000} {
		for tt := 0.5; tt < 6; tt += 0.05 {
			b, err := TextbookIncrement(size, tt)
			if err != nil || !b.Holds || b.Failure > b.Claimed || b.Increment != 2*tt*float64(size) {
				t.Fatalf("|N| = %d, t = %v: %+v, %v", size, tt, b, err)
			}
		}
	}
	if b, err := TextbookIncrement(8, 0.03); err != nil || b.Holds || b.Failure <= b.Claimed {
		t.Errorf("%+v, %v", b, err)
	}
	// where the bound first holds: 0.184 for 2, 0.339 for 4, 0.425 for 10
	for size, t0 := range map[int]float64{2: 0.184, 4: 0.339, 10: 0.425, 34: 0.469} {
		below, _ := TextbookIncrement(size, t0-0.001)
		above, _ := TextbookIncrement(size, t0+0.001)
		if below.Failure <= below.Claimed || above.Failure > above.Claimed {
			t.Errorf("|N| = %d: %+v, %+v", size, below, above)
		}
	}
	exact, err := GammaIncrement(34, 0.1)
	b, _ := TextbookIncrement(34, math.Log(10))
	if err != nil || b.Increment < 3.7*exact {
		t.Errorf("%v against %v, %v", b.Increment, exact, err)
	}
}

func TestFourierBound(t *testing.T) {
	// naive Bayes with 16 features, s = 2, t = 1, δ = 0.05, ε = 1
	paper := FourierBound{Size: 34, Sensitivity: 68, Epsilon: 1, Delta: 0.05, Cells: 4, Increment: 4 * 34 * 34}
	got, err := paper.Paper()
	if !near(got, 6398.0092411022815, 1e-14) || err != nil {
		t.Error(got, err)
	}
	paper.Increment = 0
	loose, _ := paper.Paper()
	sharp, err := paper.Parseval()
	if !near(sharp, 595.9556223156478, 1e-14) || err != nil || sharp > loose {
		t.Error(sharp, err)
	}
}

func TestDomains(t *testing.T) {
	good := FourierBound{Size: 34, Sensitivity: 68, Epsilon: 1, Delta: 0.05, Cells: 4}
	change := func(f func(*FourierBound)) func() error {
		return func() error {
			b := good
			f(&b)
			_, err := b.Paper()
			_, err2 := b.Parseval()
			if err == nil || err2 == nil {
				return nil
			}
			return err
		}
	}
	for name, do := range map[string]func() error{
		"tail k":      func() error { _, err := GammaTail(0, 1); return err },
		"tail x":      func() error { _, err := GammaTail(1, -1); return err },
		"tail NaN":    func() error { _, err := GammaTail(1, math.NaN()); return err },
		"k":           func() error { _, err := GammaIncrement(MaxShape+1, 0.5); return err },
		"δ 0":         func() error { _, err := GammaIncrement(1, 0); return err },
		"δ 1":         func() error { _, err := GammaIncrement(1, 1); return err },
		"t":           func() error { _, err := TextbookIncrement(1, 0); return err },
		"t infinite":  func() error { _, err := TextbookIncrement(1, math.Inf(1)); return err },
		"size":        func() error { _, err := TextbookIncrement(0, 1); return err },
		"cells":       change(func(b *FourierBound) { b.Cells = 0 }),
		"|N|":         change(func(b *FourierBound) { b.Size = 3 }),
		"sensitivity": change(func(b *FourierBound) { b.Sensitivity = math.NaN() }),
		"ε":           change(func(b *FourierBound) { b.Epsilon = 0 }),
		"δ":           change(func(b *FourierBound) { b.Delta = 1 }),
		"increment":   change(func(b *FourierBound) { b.Increment = -1 }),
	} {
		if err := do(); !sameType(err, new(ValueError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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
