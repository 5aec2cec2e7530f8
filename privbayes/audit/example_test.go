package audit_test

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// exponential picks a number near the first count with probability ∝ exp(−rate·|r − x₀|), r = 0, …, n. The score
// changes by at most 1 between neighbours.
func exponential(n int, rate float64) finite.Mechanism {
	return audit.FromFunc(n+1, func(x []int) []float64 {
		p, sum := make([]float64, n+1), 0.0
		for r := range p {
			p[r] = math.Exp(-rate * math.Abs(float64(r-x[0])))
			sum += p[r]
		}
		for r := range p {
			p[r] /= sum
		}
		return p
	})
}

// The square of a count changes by 2x + 1 between neighbours. Noise scaled to that change at the data reveals the data
// by its scale: a mechanism may not use the sensitivity at x. The audit names the neighbours that show it.
func ExampleRun() {
	const n, eps = 4, 1.0
	square := audit.FromFunc(n*n+1, func(x []int) []float64 {
		p, sum := make([]float64, n*n+1), 0.0
		local := float64(2*x[0] + 1)
		for r := range p {
			p[r] = math.Exp(-eps / 2 * math.Abs(float64(r-x[0]*x[0])) / local)
			sum += p[r]
		}
		for r := range p {
			p[r] /= sum
		}
		return p
	})
	verdict, err := audit.Run(context.Background(), audit.Subject{
		Name:      "a square with noise scaled at x",
		Mechanism: square,
		Space:     finite.Space{Cells: 2, N: n, Adjacency: dp.ReplaceOne},
		Claim:     dp.PureDP(eps).Parameters,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdict.Holds())
	fmt.Print(verdict)
	// Output:
	// false
	// Audit of a square with noise scaled at x: ε = 1? the claim is FALSE
	// quantity            exact  claimed  holds  worst neighbours  output
	// -----------------  ------  -------  -----  ----------------  ------
	// pure ε                4.5        1  NO     [1 3], [0 4]          16
	// range of the loss   5.667                  [0 4], [1 3]
	// δ at ε = 1         0.2095                  [1 3], [0 4]
	// every neighbour of every data set over 2 cells, n = 4, replace-one, and every output: 8 ordered pairs × 17 outputs = 136 cases
}

// An exponential mechanism for ε = 1 must use the rate ε/2, because the normaliser depends on the data too: with it the
// claim holds, with the rate ε it does not.
func ExampleRun_holds() {
	for _, rate := range []float64{0.5, 1} {
		verdict, err := audit.Run(context.Background(), audit.Subject{
			Name:      "the exponential mechanism",
			Mechanism: exponential(10, rate),
			Space:     finite.Space{Cells: 2, N: 10, Adjacency: dp.ReplaceOne},
			Claim:     dp.PureDP(1).Parameters,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("rate %v: exact ε = %.4f, holds: %v\n", rate, verdict.Exact.Epsilon, verdict.Holds())
	}
	// Output:
	// rate 0.5: exact ε = 0.7127, holds: true
	// rate 1: exact ε = 1.2091, holds: false
}

// Probabilities that do not add up are an error that names the data set.
func ExampleFromFunc() {
	coin := audit.FromFunc(2, func(x []int) []float64 {
		p := float64(x[0]) / 4 // meant to be at most 1
		return []float64{p, 0.75 - p}
	})
	_, err := audit.Run(context.Background(), audit.Subject{
		Name: "coin", Mechanism: coin, Space: finite.Space{Cells: 2, N: 3}, Claim: dp.PureDP(1).Parameters,
	})
	fmt.Println(err)
	// Output: audit: distribution at x = [0 3]: sum of the probabilities = 0.75; want 1, within 1e-9
}

// seededNoise draws a count with two-sided geometric noise at rate 2, which claims to be at rate 1.
type seededNoise struct{ src *dp.Stream }

func (s seededNoise) Draw(_ context.Context, x []int, k int) ([]string, error) {
	out := make([]string, k)
	for i := range out {
		z := 0
		for sign := range 2 { // the difference of two geometric numbers
			for float64(s.src.Uint64()>>11)*0x1p-53 < math.Exp(-2) {
				z += 1 - 2*sign
			}
		}
		out[i] = fmt.Sprint(x[0] + z)
	}
	return out, nil
}

// What can only be run is audited by draws: they refute a claim with a stated probability of error, and prove none.
func ExampleSample() {
	e, err := audit.Sample(context.Background(), audit.Sampled{
		Name: "noisy count", Sampler: seededNoise{dp.Seeded(1)}, Space: finite.Space{Cells: 2, N: 2},
		Claim: dp.PureDP(1).Parameters, Draws: 5000,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("refuted: %v, at %v and %v, false alarm %v\n", e.Refuted(), e.Tests[0].X, e.Tests[0].Y, e.FalseAlarm)
	fmt.Printf("ε is at least %.1f\n", e.Tests[0].Spent)
	// Output:
	// refuted: true, at [1 1] and [0 2], false alarm 1e-09
	// ε is at least 1.7
}

// Draws are held against a law that is stated for them.
func ExampleAgree() {
	stated := exponential(2, 1)
	a, err := audit.Agree(context.Background(), stated, audit.Sampled{
		Name: "noisy count", Sampler: always{}, Space: finite.Space{Cells: 2, N: 2}, Claim: dp.PureDP(1).Parameters,
		Draws: 1000,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("agrees:", a.Agrees())
	// Output: agrees: false
}

// always draws output 0.
type always struct{}

func (always) Draw(_ context.Context, _ []int, k int) ([]string, error) {
	out := make([]string, k)
	for i := range out {
		out[i] = "0"
	}
	return out, nil
}
