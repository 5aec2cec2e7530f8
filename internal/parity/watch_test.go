package parity

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// The ranges of the functions by their factors are, to the last bit, those found on all cells.
func TestRangesAreThoseOnAllCells(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		arities := rapid.SliceOfN(rapid.IntRange(2, 6), 1, 4).Draw(r, "arities")
		vars := make([]int, len(arities))
		for i := range vars {
			vars[i] = i
		}
		s, err := NewSpectrum(arities, [][]int{vars})
		if err != nil {
			r.Fatal(err)
		}
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
	s, err := WatchedSpectrum(Watch{Bytes: 8*levels + 256}, []int{levels}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
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
	free, err := NewSpectrum(arities, families)
	if err != nil {
		t.Fatal(err)
	}
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
