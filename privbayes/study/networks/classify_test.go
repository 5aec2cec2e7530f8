package networks

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// reference is mean accuracy and its standard error of an independent program in the hard case, on one data set of 1000 examples
// (theory/networks.md §6, H): at ε = 1, 3, 10, 30.
var reference = map[string][4][2]float64{
	"Algorithm 1 (Laplace)":    {{.575, .010}, {.690, .008}, {.797, .004}, {.844, .002}},
	"Algorithm 2 (Fourier)":    {{.561, .011}, {.695, .009}, {.816, .004}, {.851, .001}},
	"least squares":            {{.571, .011}, {.652, .009}, {.802, .003}, {.846, .002}},
	"posterior draw, tempered": {{.555, .011}, {.610, .011}, {.738, .008}, {.802, .005}},
	"posterior draw, boxed":    {{.581, .011}, {.625, .011}, {.759, .008}, {.829, .004}},
}

// The hard case agrees with the independent program within 6.5 combined standard errors, the data set's own share included: the
// accuracy on 1000 other examples moves by √(.85·.15/1000) = 0.011 from data set to data set, for both programs.
func TestClassifyAgreesWithTheReference(t *testing.T) {
	splits := 100
	if testing.Short() {
		splits = 25
	}
	r, err := Classify(t.Context(), Classification{Hard: true, Splits: splits, Epsilons: []float64{1, 3, 10, 30}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	dataset := math.Sqrt(2 * .85 * .15 / 1000)
	for _, c := range r.Curves {
		for i, want := range reference[c.Name] {
			se := math.Sqrt(c.Accuracy[i].OverSplits*c.Accuracy[i].OverSplits + want[1]*want[1] + dataset*dataset)
			if d := c.Accuracy[i].Mean - want[0]; math.Abs(d) > 6.5*se {
				t.Errorf("%s at ε = %v: %.3f, reference %.3f", c.Name, r.Epsilons[i], c.Accuracy[i].Mean, want[0])
			}
		}
	}
	if math.Abs(r.NonPrivate-.8531) > 6.5*dataset || math.Abs(r.Optimal-.8735) > 6.5*dataset {
		t.Errorf("non-private %v, true network %v", r.NonPrivate, r.Optimal)
	}
	// a tenth of the noise does not pass: at ε = 3 the reference of ε = 30 is another number
	if c := r.Curves[0]; math.Abs(c.Accuracy[1].Mean-reference[c.Name][3][0]) < 6.5*dataset {
		t.Errorf("ε = 3 looks like ε = 30: %v", c.Accuracy[1])
	}
	if err := r.Figure.Validate(); err != nil {
		t.Error(err)
	}
}

func TestClassifyErrors(t *testing.T) {
	if _, err := Classify(t.Context(), Classification{Epsilons: []float64{-1}, Splits: 1}); err == nil {
		t.Error("ε = −1 accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Classify(ctx, Classification{Splits: 2}); err == nil {
		t.Error("a cancelled context is ignored")
	}
}

func ExampleClassify() {
	steps := 0
	r, err := Classify(context.Background(), Classification{Splits: 5, Epsilons: []float64{10}, Hard: true, Seed: 1, Progress: func(int64, int64) { steps++ }})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Curves {
		fmt.Println(c.Name, c.Accuracy[0].Mean > 0.6)
	}
	fmt.Println(steps, "releases;", counts.Fourier().Title())
	// Output:
	// Algorithm 1 (Laplace) true
	// Algorithm 2 (Fourier) true
	// least squares true
	// posterior draw, tempered true
	// posterior draw, boxed true
	// 25 releases; Fourier: geometric noise on parities
}

// Two mechanisms of one title are two lines of a comparison.
func TestCompareTellsMechanismsApart(t *testing.T) {
	net, err := ClassifierNet(3, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Records(net, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := eval.Compare(t.Context(), f, model.NetworkOf("y", net.DAG()), eval.CompareOptions{
		Mechanisms: []mechanism.Mechanism{counts.Geometric(), counts.Geometric(), counts.Geometric().WithPostProcess(counts.Clamp)},
		Epsilons:   []float64{1, 2}, Splits: 2, Repeats: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range d.Figure().Series {
		names[s.Name] = true
		if len(s.X) != 2 || s.X[0] >= s.X[1] {
			t.Errorf("%s is drawn at %v", s.Name, s.X)
		}
	}
	if len(names) != 3 {
		t.Errorf("lines %v", names)
	}
}
