package hellinger

import (
	"fmt"
	"math"
	"testing"
)

var (
	sinkFloat    float64
	sinkAttained Attained
	sinkTable    []float64
)

// spaces are the sizes that matter: a Beta and a balanced Dirichlet, and d = 100 with counts against the order of the
// priors, which leaves no pair of cells out.
func spaces(b *testing.B) map[string]func() (*Space, []int64) {
	return map[string]func() (*Space, []int64){
		"d=2": func() (*Space, []int64) { return space(b, 500, 7, 4), []int64{250, 250} },
		"d=3": func() (*Space, []int64) { return space(b, 100, 7, 4, 5), []int64{34, 33, 33} },
		"d=100": func() (*Space, []int64) {
			x := make([]int64, 100)
			for i := range x {
				x[i] = 10
			}
			return space(b, 1000, make1(100)...), x
		},
		"d=100 opposed": func() (*Space, []int64) {
			a, x := make([]float64, 100), make([]int64, 100)
			for i := range x {
				a[i], x[i] = 1+float64(i)/50, int64(200-2*i)
			}
			return space(b, total(x), a...), x
		},
	}
}

func BenchmarkRules(b *testing.B) {
	for _, name := range []string{"d=2", "d=3", "d=100", "d=100 opposed"} {
		s, x := spaces(b)[name]()
		b.Run("Local/"+name, func(b *testing.B) {
			for b.Loop() {
				sinkFloat, _, _ = s.Local(x)
			}
		})
		b.Run("LocalPlus/"+name, func(b *testing.B) {
			for b.Loop() {
				sinkFloat, _, _ = s.LocalPlus(x)
			}
		})
		b.Run("Global/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkFloat, _, _ = s.Global()
			}
		})
		b.Run("Smooth/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAttained = s.Smooth(x, 0.01)
			}
		})
		b.Run("Reciprocal/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkAttained = s.Reciprocal(x, 0.1)
			}
		})
	}
}

// What the rules replace, at sizes where it can be waited for.
func BenchmarkBrute(b *testing.B) {
	s := space(b, 30, 7, 4, 5)
	x := []int64{11, 10, 9}
	b.Run("Local", func(b *testing.B) {
		for b.Loop() {
			sinkFloat = s.LocalBrute(x)
		}
	})
	b.Run("Global", func(b *testing.B) {
		for b.Loop() {
			sinkFloat = s.globalBrute()
		}
	})
	b.Run("Smooth", func(b *testing.B) {
		for b.Loop() {
			sinkFloat = s.SmoothBrute(x, 0.01)
		}
	})
	b.Run("Reciprocal", func(b *testing.B) {
		for b.Loop() {
			sinkFloat = s.ReciprocalBrute(x, 0.1)
		}
	})
}

func BenchmarkPhi(b *testing.B) {
	for _, x := range []int64{0, 1000, 2000} {
		s := space(b, 2000, 1, 1)
		b.Run(fmt.Sprintf("n=2000/x=%d", x), func(b *testing.B) {
			for b.Loop() {
				sinkTable = s.Phi(0, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2001, "ns/entry")
		})
	}
	b.Run("LogBC", func(b *testing.B) {
		for b.Loop() {
			for v := range int64(2001) {
				sinkFloat = phi(1, 1000, v)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2001, "ns/entry")
	})
}

func BenchmarkDistance(b *testing.B) {
	s := space(b, 100, 7, 4, 5)
	x, r := []int64{34, 33, 33}, []int64{30, 40, 30}
	for b.Loop() {
		sinkFloat = math.Max(0, s.Distance(x, r))
	}
}
