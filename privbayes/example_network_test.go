package privbayes_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// A network in code: the tables of its maximal families are released, made to agree, and the released network answers
// queries.
func ExampleNetwork() {
	r, err := data.Network("asia")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, net, err := privbayes.ReadNetwork(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	patients := privbayes.Simulate("patients", net, 5000, 1)
	release, err := patients.
		Model(privbayes.Network("lung", privbayes.Node("smoke"), privbayes.Node("lung", "smoke"),
			privbayes.Node("bronc", "smoke"))).
		Privatize(privbayes.Consistent(), privbayes.PureDP(1), privbayes.Seeded(1)).
		Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := release.Answer("lung", "yes", map[string]string{"smoke": "yes"}, map[string]string{"smoke": "no"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Plan().Certified().Parameters, "in", len(release.Plan().Shape().Tables()), "tables")
	fmt.Printf("%sIn the true network: 0.10 and 0.01\n", p)
	// Output:
	// ε = 1 in 2 tables
	// P(lung = yes), answered by the network
	// given        probability
	// -----------  -----------
	// smoke = yes       0.1081
	// smoke = no       0.01085
	// Geometric noise on counts, least squares, ε = 1, replace-one, "patients", n = 5000; seeded: not private
	// In the true network: 0.10 and 0.01
}

// The posterior of a network that knows the noise: questions have intervals, and so has the class of a record. It reads
// the release alone and spends nothing.
func ExamplePrivatized_NoiseAware_network() {
	r, _ := data.Network("asia")
	_, net, err := privbayes.ReadNetwork(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := privbayes.Simulate("patients", net, 5000, 1).
		Model(privbayes.Network("lung", privbayes.Node("smoke"), privbayes.Node("lung", "smoke"), privbayes.Node("bronc", "smoke"))).
		Privatize(privbayes.Geometric(), privbayes.PureDP(.2), privbayes.Seeded(1)).
		NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	joint, err := p.Network(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	lung := noiseaware.Event{"lung": "yes"}
	answers, err := joint.Answers(context.Background(), noiseaware.Probability(lung, noiseaware.Event{"smoke": "yes"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	low, high := answers.List[0].CredibleInterval(.95)
	fmt.Printf("%s: %.2f to %.2f; in the true network 0.10\n", answers.List[0].Name, low, high)
	c, err := joint.Classify(context.Background(), "bronc", noiseaware.Event{"lung": "yes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("bronc of a record with lung = yes: %s, %.2f\n", c.Best(), slices.Max(c.Predictive))
	// Output:
	// P(lung = yes | smoke = yes): 0.09 to 0.12; in the true network 0.10
	// bronc of a record with lung = yes: yes, 0.58
}

// The parities of two-level columns: the sensitivity is exact, and the paper's scale spends less than its ε.
func ExampleFourier() {
	r, _ := data.Network("asia")
	g, net, _ := privbayes.ReadNetwork(r)
	m := privbayes.Simulate("patients", net, 5000, 1).Model(privbayes.NetworkOf("dysp", g))
	exact, _ := m.Plan(privbayes.Fourier(), privbayes.PureDP(1))
	paper, _ := m.Plan(privbayes.Fourier(), privbayes.AsPublished(1))
	fmt.Println(exact.Certified().Parameters)
	fmt.Println(paper.Certified().Parameters)
	// Output:
	// ε = 1
	// ε = 0.6667
}

// A single posterior: noise that keeps the total, and the exponential mechanism with what it is expected to cost.
func ExampleKNorm() {
	m := privbayes.ReadFrame(data.Penguins()).Model(privbayes.Categorical("species"))
	for _, mech := range []privbayes.Mechanism{privbayes.KNorm(), privbayes.Hellinger()} {
		p, err := m.Plan(mech, privbayes.PureDP(1))
		if err != nil {
			fmt.Println(err)
			return
		}
		e, _ := p.ExpectedError()
		fmt.Printf("%s: a share is off by %.4f\n", p.Certified().Parameters, e)
	}
	// Output:
	// ε = 1: a share is off by 0.0036
	// ε = 1: a share is off by 0.0195
}
