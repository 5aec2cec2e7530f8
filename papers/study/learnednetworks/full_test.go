package learnednetworks

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

var (
	write  = flag.Bool("write", false, "run points that results.json does not have yet, and add them")
	budget = flag.Duration("budget", 24*time.Hour, "stop after this time; a point that is not done is not written")
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
	if !*write {
		t.Skip("without -write")
	}
	r := &Result{}
	b, err := os.ReadFile("results.json")
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Library, r.Command, r.Seed = "privbayes "+release.Version, command, seed
	ctx, end := context.WithTimeout(t.Context(), *budget)
	defer end()
	for _, s := range specs() {
		if slices.ContainsFunc(r.Points, func(p Point) bool { return p.Spec == s }) {
			continue
		}
		p, err := Cover(ctx, s, replicates, seed)
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(s, err)
		}
		r.Points = append(r.Points, *p)
		b, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile("results.json", append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%+v: %+v\n", s, p.Of)
	}
}
