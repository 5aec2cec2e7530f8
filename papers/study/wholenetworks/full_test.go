package wholenetworks

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	write  = flag.Bool("write", false, "run points that results.json does not have yet, and add them")
	only   = flag.String("points", "", `the networks to run, "null" for Type I errors, by commas; all if empty`)
	budget = flag.Duration("budget", 10*time.Minute, "begin no further point after this time")
)

const (
	command    = "go test ./papers/study/wholenetworks -run TestFull -write -budget 24h -timeout 0"
	seed       = 2026
	replicates = 200
	ofNull     = 400
)

// specs are all points of the study, those that say most first.
func specs() (out []Spec) {
	for _, noise := range []string{"geometric", "Gaussian"} {
		for _, n := range []int{1000, 100, 10000} {
			for _, eps := range []float64{1, .1, 5} {
				for _, name := range Networks() {
					out = append(out, Spec{Network: name, Records: n, Epsilon: eps, Noise: noise})
				}
			}
		}
	}
	return out
}

// TestFull adds points to results.json one by one, each as soon as it is done, so that a run may be cut short and taken
// up again. It runs only when asked to.
func TestFull(t *testing.T) {
	if !*write {
		t.Skip("without -write")
	}
	begin := time.Now()
	r := &Result{Seed: seed}
	b, err := os.ReadFile("results.json")
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Library, r.Command, r.Seed = "privbayes 0.1.0", command, seed
	save := func() {
		b, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile("results.json.part", append(b, '\n'), 0o644)
		}
		if err == nil {
			err = os.Rename("results.json.part", "results.json")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wanted := func(name string) bool {
		return *only == "" || slices.Contains(strings.Split(*only, ","), name)
	}
	ctx, end := context.WithDeadline(t.Context(), begin.Add(*budget))
	defer end()
	for _, eps := range []float64{.5, 1, 3} {
		if !wanted("null") || slices.ContainsFunc(r.Nulls, func(n Null) bool { return n.Epsilon == eps }) {
			continue
		}
		n, err := TypeOne(ctx, 1000, eps, 1, ofNull, seed, func() {})
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Nulls = append(r.Nulls, *n)
		save()
	}
	for _, s := range specs() {
		if !wanted(s.Network) || r.has(s) {
			continue
		}
		p, err := Cover(ctx, s, replicates, seed, func() {})
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			t.Fatal(s, err)
		}
		r.Points = append(r.Points, *p)
		save()
		t.Logf("%+v: %.3f, %.3f in %.2f s", s, p.Aware.Tables, p.Aware.Questions, p.Seconds)
	}
}
