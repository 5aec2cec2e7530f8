package families_test

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
)

func ExampleNewTrimmedBeta() {
	f, err := families.NewTrimmedBeta(100, 1, 1, 0.05, 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ε = %.4f, paper %.4f\n", f.Epsilon(), f.Paper().Epsilon)
	fmt.Printf("δ(0.5) = %.5f, D₂ = %.5f\n", families.Profile(f, 0.5), families.Renyi(f, 2))
	// Output:
	// ε = 5.7066, paper 5.8889
	// δ(0.5) = 0.00956, D₂ = 0.09609
}

func ExampleBeta_PowerFor() {
	f, _ := families.NewTrimmedBeta(10, 1, 1, 0.05, 0.95)
	r, _ := f.PowerFor(1)
	fmt.Printf("likelihood to the power %.4f\n", r)
	// Output: likelihood to the power 0.2470
}

// The same as a curve that the library's accountants read.
func ExampleNewTrimmedBeta_pair() {
	f, _ := families.NewTrimmedBeta(100, 1, 1, .05, .95)
	p, err := posteriorsample.PairOf("trimmed Beta–Bernoulli", f, 16)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: pure ε = %.2f, ε = %.2f at δ = 1e-6\n", p, p.PureEpsilon(), loss.EpsilonFor(p, 1e-6))
	// Output:
	// 16 draws from trimmed Beta–Bernoulli: pure ε = 91.30, ε = 6.62 at δ = 1e-6
}

func ExampleBoundedRange() {
	w := logratio.BoundedRange(2)
	fmt.Printf("TV ≤ %.4f, KL ≤ %.4f, %.1f-zCDP\n", w.TV(), w.KL(), w.ZCDP())
	// Output: TV ≤ 0.4621, KL ≤ 0.4745, 0.5-zCDP
}

// poisson is a family of a user: counts of at most 5, and a prior on three rates. Its author claims too little.
type poisson struct {
	rates   []float64
	epsilon float64
}

func (p poisson) Describe() families.Description {
	return families.Description{Name: "Poisson, three rates", Records: 3, Bounds: "0 to 5", Unit: "one count",
		Metric: "Σ|x − y|"}
}
func (p poisson) Oscillation() float64  { return 5 * math.Log(p.rates[2]/p.rates[0]) }
func (p poisson) Epsilon() float64      { return p.epsilon }
func (p poisson) Paper() families.Paper { return families.Paper{} }
func (p poisson) Uniform() float64      { return math.Log(p.rates[2]) }
func (p poisson) Nodes() (nodes []families.Node, exact bool) {
	for _, r := range p.rates {
		nodes = append(nodes, families.Node{Theta: []float64{r}})
	}
	return nodes, true
}
func (p poisson) LogLikelihood(theta []float64, data families.Data) float64 {
	sum := 0.0
	for _, x := range data {
		sum += x[0]*math.Log(theta[0]) - theta[0]
	}
	return sum
}
func (p poisson) Draw(src rand.Source) families.Data {
	x := float64(src.Uint64() % 6)
	return families.Data{{x}, {x}, {x}}
}
func (p poisson) Neighbour(src rand.Source, data families.Data) families.Data {
	return families.Data{{float64(src.Uint64() % 6)}, data[1], data[2]}
}

// A user's family is checked by the same search.
func ExampleCheck() {
	p := poisson{rates: []float64{1, 2, 4}}
	for _, claim := range []float64{p.Oscillation(), p.Oscillation() / 2} {
		p.epsilon = claim
		c, err := families.Check(context.Background(), p, dp.Seeded(1))
		fmt.Printf("ε = %.3f: %v %v, found %.3f\n", claim, c.OK(), err, float64(c.Checks[1].Value))
	}
	// Output:
	// ε = 6.931: true <nil>, found 6.606
	// ε = 3.466: false <nil>, found 6.606
}
