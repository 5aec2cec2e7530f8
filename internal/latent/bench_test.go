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
	noisy(t, p, .0175)
	return p
}

// noisy adds tables of all families with noise of a rate, of data drawn from the prior.
func noisy(t testing.TB, p *Problem, rate float64) {
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
}

// alarmProblem has the graph of alarm (Beinlich, Suermondt, Chavez, Cooper 1989), shared rows, 2000 records, and noise
// as wide as that of ε = 1 on all 37 families.
func alarmProblem(t testing.TB) *Problem {
	p := &Problem{Levels: []int{2, 2, 3, 2, 2, 2, 2, 3, 2, 2, 2, 3, 2, 3, 4, 4, 4, 4, 3, 2, 3, 4, 4, 3, 3, 2, 4, 3,
		3, 3, 2, 3, 3, 3, 3, 3, 3},
		Parents: [][]int{nil, nil, {0, 1}, nil, nil, nil, nil, {6}, nil, nil, nil, nil, nil, nil, {13}, {12, 14},
			{11, 8, 15}, {11, 16}, {17}, {1}, {0, 1}, {18, 16}, {11, 16}, {9, 17}, {10}, {11, 10}, {11, 8, 15}, {20},
			{20}, {23, 25}, {18, 5, 29, 7}, {30}, {31, 2}, {32, 7}, {3, 31}, {4, 31}, {4, 31}}, N: 2000}
	p.ShareRows()
	noisy(t, p, 1./74)
	return p
}

// BenchmarkSweepOfChild is a sweep of all moves, and of each kind alone.
func BenchmarkSweepOfChild(b *testing.B) { sweeps(b, childProblem(b)) }

// BenchmarkSweepOfAlarm is that of a network of 37 nodes.
func BenchmarkSweepOfAlarm(b *testing.B) { sweeps(b, alarmProblem(b)) }

func sweeps(b *testing.B, p *Problem) {
	l := layout(b, p)
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
