package learnednetworks

import (
	"context"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const (
	command    = "go test ./papers/study/learnednetworks -run TestFull -write -timeout 0"
	seed       = 50219
	replicates = 300
)

// specs are all points of the study: trees of every population at every n and ε, the point of the live test, and last
// maximum entropy, which costs ten times as much.
func specs() (out []Spec) {
	for _, name := range Populations() {
		for _, n := range []int{1000, 10000} {
			for _, eps := range []float64{1, 3} {
				out = append(out, Spec{Population: name, Learner: "tree", Records: n, Epsilon: eps})
			}
		}
	}
	out = append(out, Spec{Population: "strong", Learner: "tree", Records: 1000, Epsilon: .1})
	for _, name := range []string{"strong", "independent"} {
		out = append(out, Spec{Population: name, Learner: "maximum entropy", Records: 1000, Epsilon: 1})
	}
	return out
}

// TestFull adds points to results.json one by one, each as soon as it is done. It runs only when asked to.
func TestFull(t *testing.T) {
	r := &Result{}
	full.Run(t, "results.json", true, r, func(ctx context.Context, save func()) error {
		r.Library, r.Command, r.Seed = full.Library, command, seed
		for _, s := range specs() {
			if slices.ContainsFunc(r.Points, func(p Point) bool { return p.Spec == s }) {
				continue
			}
			p, err := Cover(ctx, s, replicates, seed)
			if err != nil {
				return err
			}
			r.Points = append(r.Points, *p)
			save()
			t.Logf("%+v: %+v", s, p.Of)
		}
		return nil
	})
}
