//go:build unix

package leastsquares

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPeer is our side of bench/regression.sh, which names a folder: matrix-D.f64 holds rows of D features and a
// response, little-endian. The sums go to FORM-D.f64, so that they can be compared with the peer's. Least and median
// processor time of many runs are reported.
func BenchmarkPeer(b *testing.B) {
	dir := os.Getenv("PRIVBAYES_BENCH_DIR")
	if dir == "" {
		b.Skip("bench/regression.sh runs this")
	}
	for _, d := range []int{4, 10, 50} {
		raw, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("matrix-%d.f64", d)))
		if err != nil {
			b.Fatal(err)
		}
		rows := make([]float64, len(raw)/8)
		if _, err := binary.Decode(raw, binary.LittleEndian, rows); err != nil {
			b.Fatal(err)
		}
		cols, design := columnsOf(rows, d+1), mustDesign(b, d, false)
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			add := forms[name]
			b.Run(fmt.Sprintf("%s/d=%d", name, d), func(b *testing.B) {
				n := float64(len(cols[0]))
				m := mustMoments(b, d, nil)
				run := func() {
					clear(m.sums)
					if err := add(m, design, rows, cols); err != nil {
						b.Fatal(err)
					}
				}
				best, median := cpuTimes(run, time.Second/2)
				b.ReportMetric(best/n, "best-ns/row")
				b.ReportMetric(median/n, "median-ns/row")
				out, err := binary.Append(nil, binary.LittleEndian, m.sums)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.f64", name, d)), out, 0o644)
				}
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// cpuTimes runs f for a while and gives the least and the median processor time of a run, in nanoseconds.
func cpuTimes(f func(), total time.Duration) (best, median float64) {
	f()
	var times []float64
	for start := time.Now(); time.Since(start) < total || len(times) < 5; {
		from := cpuTime()
		f()
		times = append(times, float64(cpuTime()-from))
	}
	slices.Sort(times)
	return times[0], times[len(times)/2]
}

// cpuTime is the processor time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
