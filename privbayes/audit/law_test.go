package audit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// logs gives log-probabilities as they are.
type logs func(x []int) [2]float64

func (l logs) Outputs() int                  { return 2 }
func (l logs) LogLaw(x []int, out []float64) { p := l(x); copy(out, p[:]) }

// Laws are bad from x[0] = 3 on: the error names [3 …], whoever meets a later one first.
func TestBadLawsAreNamed(t *testing.T) {
	half := []float64{0.5, 0.5}
	from3 := func(bad []float64) finite.Mechanism {
		return audit.FromFunc(2, func(x []int) []float64 {
			if x[0] >= 3 {
				return bad
			}
			return half
		})
	}
	logsFrom3 := func(a, b float64) finite.Mechanism {
		return logs(func(x []int) [2]float64 {
			if x[0] >= 3 {
				return [2]float64{a, b}
			}
			return [2]float64{-math.Ln2, -math.Ln2}
		})
	}
	for _, c := range []struct {
		name string
		m    finite.Mechanism
		what string
	}{
		{"sum above 1", from3([]float64{0.5, 0.5 + 1e-8}), "sum of the probabilities"},
		{"sum below 1", from3([]float64{0.5, 0.4}), "sum of the probabilities"},
		{"negative", from3([]float64{1.5, -0.5}), "probability of output 1"},
		{"NaN", from3([]float64{math.NaN(), 1}), "probability of output 0"},
		{"infinite", from3([]float64{0.5, math.Inf(1)}), "log-probability of output 1"},
		{"short", from3([]float64{1}), "number of probabilities"},
		{"nil", from3(nil), "number of probabilities"},
		{"NaN logs", logsFrom3(0, math.NaN()), "log-probability of output 1"},
		{"positive logs", logsFrom3(0.1, -3), "log-probability of output 0"},
		{"no mass", logsFrom3(math.Inf(-1), math.Inf(-1)), "sum of the probabilities"},
		{"panic", logs(func(x []int) [2]float64 {
			return [2]float64{-math.Ln2,
				[1]float64{-math.Ln2}[max(0, x[0]-2)]}
		}), "panic"},
	} {
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			for _, workers := range []int{1, 2, 5} {
				s := audit.Subject{Name: c.name, Mechanism: c.m, Space: finite.Space{Cells: 3, N: 9, Adjacency: adj},
					Claim: pure(1)}
				_, err := audit.Run(t.Context(), s, audit.Workers(workers))
				var le *audit.LawError
				if !errors.As(err, &le) || le.What != c.what {
					t.Errorf("%s: %v, want a *LawError about %s", c.name, err, c.what)
					continue
				}
				want := []int{3, 0, 6}
				if adj == dp.AddRemove {
					want = []int{3, 0, 0}
				}
				if fmt.Sprint(le.X) != fmt.Sprint(want) || !strings.Contains(le.Error(), fmt.Sprint(want)) {
					t.Errorf("%s, %s, %d workers: x = %v, want %v", c.name, adj, workers, le.X, want)
				}
			}
		}
	}
	var le *audit.LawError
	if _, err := audit.Run(t.Context(), subject(audit.FromFunc(2, nil), 2, pure(1))); !errors.As(err, &le) {
		t.Error(err)
	}
}

// The function may use its argument as it likes.
func TestFromFuncGivesACopyOfX(t *testing.T) {
	m := audit.FromFunc(2, func(x []int) []float64 {
		p := 0.5 + 0.1*float64(x[0]%2)
		x[0], x[1] = -7, -7
		return []float64{p, 1 - p}
	})
	v := run(t, subject(m, 6, pure(math.Log(0.5/0.4))))
	if !v.Holds() || v.Exact.Pairs != 12 {
		t.Error(v)
	}
}
