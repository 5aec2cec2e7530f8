package divergence_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study/divergence"
)

// Below α = ½ the theorem proves nothing, and as printed it is false: nearly every draw exceeds one nat.
func ExampleTheorem2() {
	_, err := divergence.Theorem2(1000, 100, 0.01, 1)
	var condition *divergence.ConditionError
	fmt.Println(errors.As(err, &condition), err)
	printed, _ := divergence.PaperTheorem2(1000, 100, 0.01, 1)
	p := make([]float64, 1000)
	for i := range p {
		p[i] = 1. / 1000
	}
	tail, _ := divergence.ExactTail(p, 100, 0.01, 1)
	fmt.Printf("printed bound %.3f, probability %.3f\n", printed, tail.Probability)
	// Output:
	// true divergence: Theorem 2 needs alpha ≥ 0.5, not 0.01: it proves nothing there
	// printed bound 0.092, probability 1.000
}

func ExampleTheoremStar() {
	two, _ := divergence.Theorem2(10, 500, 2, 0.1177)
	star, _ := divergence.TheoremStar(10, 500, 2, 0.1177)
	simple, _ := divergence.TheoremStarSimple(10, 500, 2, 0.1177)
	exact, _ := divergence.OneHotTail(10, 500, 2, 0.1177)
	fmt.Printf("Theorem 2: %.2g; Theorem 2*: %.1g, simple %.1g; exact at a corner: %.1g\n", two, star, simple, exact)
	// Output:
	// Theorem 2: 0.69; Theorem 2*: 3e-09, simple 2e-07; exact at a corner: 5e-11
}

func ExampleTheorem2W() {
	w, _ := divergence.Theorem2W(10, 500, 2, 0.1569)
	two, _ := divergence.Theorem2(10, 500, 2, 0.1569)
	fmt.Printf("inside the proof %.3f, printed %.3f\n", w, two)
	// Output:
	// inside the proof 0.186, printed 0.528
}

func ExampleChernoff() {
	p := []float64{0.22, 0.78}
	c, _ := divergence.Chernoff(p, 200, 1, 0.0199007)
	tail, _ := divergence.ExactTail(p, 200, 1, 0.0199007)
	fmt.Printf("at t = %.1f at most %.4f; exactly %.6f\n", c.T, c.Bound, tail.Probability)
	// Output:
	// at t = 176.0 at most 0.0851; exactly 0.004658
}

func ExampleExactTail() {
	// Figure 2's histogram at r = 1/2, α = 3
	p := []float64{11. / 147, 8. / 147, 65. / 147, 25. / 147, 38. / 147, 0}
	for _, eta := range []float64{0.05, 0.1, 0.23} {
		tail, err := divergence.ExactTail(p, 73.5, 3, eta)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("Pr[KL > %.2f] = %.4g\n", eta, tail.Probability)
	}
	// Output:
	// Pr[KL > 0.05] = 0.64
	// Pr[KL > 0.10] = 0.1035
	// Pr[KL > 0.23] = 5.955e-05
}

func ExampleRecordsStar() {
	goal := divergence.Goal{Cells: 6, Eta: 0.01, Gamma: 0.05}
	algorithm1 := divergence.Calibration{Name: "Algorithm 1 at λ = 5, ε = 1", R: 2.441192661519, Alpha: 40.0590825843}
	two, _ := divergence.RecordsTheorem2(goal, algorithm1)
	star, _ := divergence.RecordsStar(goal, algorithm1)
	simple, _ := divergence.RecordsSimple(goal, algorithm1)
	corner, _ := divergence.RecordsOneHot(goal, algorithm1)
	fmt.Printf("Theorem 2: %.0f records; Theorem 2*: %.0f, closed form %.0f; needed at a corner: %.0f\n", two, star,
		simple, corner)
	// Output:
	// Theorem 2: 198807 records; Theorem 2*: 9672, closed form 13895; needed at a corner: 9124
}

func ExampleRecordsNeeded() {
	c, err := divergence.RecordsNeeded([]divergence.Case{{
		Lambda: 5, Epsilon: 1, Goal: divergence.Goal{Cells: 6, Eta: 0.01, Gamma: 0.05},
		Paper:  divergence.Calibration{Name: "Algorithm 1", R: 2.441192661519, Alpha: 40.0590825843},
		Better: divergence.Calibration{Name: "r optimised", R: 0.68666, Alpha: 3.213925},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Figure.Title, len(c.Figure.Series), c.Figure.Validate())
	fmt.Print(strings.NewReplacer(". ", ".\n", "; ", ";\n").Replace(c.Table.String()))
	// Output:
	// Records needed for a small divergence 4 <nil>
	// Records needed for a small divergence
	// cells  λ  ε     η     γ  Theorem 2  Theorem 2*  closed form  one-hot, exact  2* and better r, α
	// -----  -  -  ----  ----  ---------  ----------  -----------  --------------  ------------------
	//     6  5  1  0.01  0.05     198808        9672        13895            9124                4153
	// Records from which Pr[KL > η] ≤ γ, KL in nats.
	// Theorem 2, Theorem 2* and its closed form hold for every histogram;
	// one-hot is the exact need of one, which no such bound can undercut.
}

func ExampleGains() {
	g, err := divergence.Gains("six cells, 147 records", []float64{11, 8, 65, 25, 38, 0}, []divergence.Calibration{
		{Name: "Algorithm 1", R: 2.441192661519, Alpha: 40.0590825843},
		{Name: "r optimised", R: 0.75810307, Alpha: 3.6968772},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(strings.NewReplacer("records. ", "records.\n", "row. ", "row.\n", "row's. ",
		"row's.\n").Replace(g.Table().String()))
	// Output:
	// Expected divergence of one draw: six cells, 147 records
	// calibration       r      α     E KL     s.d.  E log-loss   gain
	// -----------  ------  -----  -------  -------  ----------  -----
	// Algorithm 1   2.441  40.06   0.1086  0.01559       1.473      1
	// r optimised  0.7581  3.697  0.04886   0.0203       1.413  2.223
	// Nats, exact; 147 records.
	// Gain: E KL of the first row divided by this row's.
	// Depends on the counts: private unless they are public.
}
