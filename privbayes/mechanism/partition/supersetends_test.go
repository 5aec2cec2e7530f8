package partition

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Given release, the excess of a count over the cut is the same for all n ≤ cut. So the interval of a count at the cut
// begins at 0, at every rate and β, and those of all n cover; an interval of 40 standard deviations does not.
func TestIntervalsOfASupersetReachNobody(t *testing.T) {
	for _, rate := range []float64{.125, 1, 3, 6, 10, 30} {
		for _, beta := range []float64{.05, 1e-30} {
			r := must.Get(calibrated(dp.PureDP(rate).Parameters, Change{1, 1}, 1<<32, beta))(t).Rule
			if low, _ := r.Interval(r.Cut+1, .9); low != 0 {
				t.Errorf("rate %v, β %v: from %d on", rate, beta, low)
			}
			for _, level := range []float64{.5, .9, 1 - 1e-9} {
				for _, n := range []int64{0, 1, r.Cut, r.Cut + 1, r.Cut + 5, r.Cut + 900} {
					covered := 0.
					for y := max(r.Cut+1, n-400); y < max(r.Cut, n)+400; y++ {
						if low, high := r.Interval(y, level); low <= n && n <= high {
							covered += math.Exp(r.logTail(y-n)-r.logTail(r.Cut+1-n)) * -math.Expm1(r.logTail(y+1-n)-r.logTail(y-n))
						}
					}
					if covered < level-1e-12 {
						t.Errorf("rate %v, β %v, %d units: covered with %v, not %v", rate, beta, n, covered, level)
					}
				}
			}
		}
	}
}

// The bound on codes that nobody holds is one for the smallest β, too, where it is not 0.
func TestSmallestBeta(t *testing.T) {
	const beta = math.SmallestNonzeroFloat64
	for _, codes := range []uint64{1, 8, 1 << 32} {
		s := must.Get(calibrated(dp.PureDP(1).Parameters, Change{1, 1}, codes, beta))(t)
		most := math.Log(float64(codes)) + s.Rule.logTail(s.Rule.Cut+1)
		if want := -1074 * math.Ln2; most > want || most < want-2 || s.False() != beta {
			t.Errorf("%d codes: e^%v, not e^%v; said is %v", codes, most, want, s.False())
		}
	}
}

// Noise that is not truncated passes the cut, which may be 0: with a probability of 1 − 1e-60 among 1000.
func TestPlainNoisePassesTheCut(t *testing.T) {
	src, beyond := rand.NewPCG(1, 2), 0
	for range 1000 {
		if z := (Rule{Plain, 1, 1, 0}).Draw(src); z != 0 {
			beyond++
		}
	}
	if beyond == 0 {
		t.Error("noise is truncated")
	}
}
