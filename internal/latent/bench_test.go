package latent

import (
	"math/rand/v2"
	"testing"
)

// childProblem has the graph of child (Spiegelhalter and Cowell, 1992), shared rows, 800 records, and noise as wide as
// that of ε = 0.7 on all twenty families.
func childProblem(t testing.TB) *Problem {
	p := &Problem{Levels: []int{2, 6, 2, 3, 2, 2, 3, 4, 3, 3, 2, 3, 3, 2, 5, 5, 2, 2, 3, 3},
		Parents: [][]int{nil, {0}, {1}, {1, 2}, {1}, {4}, {1}, {1}, {1}, {1}, {6, 7}, {7, 8}, {8}, {12}, {8, 9}, {14},
			{8, 2}, {16}, {10, 11}, {11}}, N: 800}
	p.ShareRows()
	const rate = .0175
	r := rand.New(rand.NewPCG(1, 2))
	data := layout(t, p).chain(1)
	for v, c := range p.Levels {
		counts := make([]int64, c*len(data.rows[v].configs))
		data.Family(v, counts)
		m := Table{Vars: p.family(v), Spread: spread(rate, 0)}
		for _, n := range counts {
			up, down := r.ExpFloat64()/rate, r.ExpFloat64()/rate
			n += int64(up) - int64(down)
			m.Cells = append(m.Cells, Geometric(n, 1, rate))
		}
		p.Tables = append(p.Tables, m)
	}
	return p
}

// BenchmarkSweepOfChild is a sweep of all moves, and of each kind alone.
func BenchmarkSweepOfChild(b *testing.B) {
	l := layout(b, childProblem(b))
	for _, k := range []struct {
		name  string
		moves Kernel
	}{{"every", Every}, {"directions", Directions}, {"picks", Picks}, {"jumps", Jumps}, {"swaps", Swaps}} {
		b.Run(k.name, func(b *testing.B) {
			c := l.chain(1)
			for range 50 {
				c.Sweep(never)
			}
			c.Adapt()
			c.Use(k.moves)
			for b.Loop() {
				c.Sweep(never)
			}
		})
	}
}
