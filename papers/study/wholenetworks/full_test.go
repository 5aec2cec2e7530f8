package wholenetworks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

var (
	write  = flag.Bool("write", false, "run points that results.json does not have yet, and add them")
	only   = flag.String("points", "", `the networks to run, "null" for Type I errors, by commas; all if empty`)
	added  = flag.String("noise", "", `the noises to run, by commas; all if empty`)
	budget = flag.Duration("budget", 10*time.Minute, "stop after this time; a point that is not done is not written")
)

const (
	command    = "go test ./papers/study/wholenetworks -run TestFull -write -budget 24h -timeout 0"
	seed       = 70368
	replicates = 200
	ofNull     = 1000
)

// specs are all points of the study, in an order that is balanced wherever it ends: four networks at every n and ε with
// one noise, then the two small ones with the other noise and again under the full contract, then what is dearer. The
// fifth network costs as much as the others together.
func specs() (out []Spec) {
	add := func(noise string, full bool, records []int, epsilons []float64, networks ...string) {
		for _, n := range records {
			for _, eps := range epsilons {
				for _, name := range networks {
					out = append(out, Spec{Network: name, Records: n, Epsilon: eps, Noise: noise, Full: full})
				}
			}
		}
	}
	records, epsilons, networks := []int{1000, 100, 10000}, []float64{1, .1, 5}, Networks()
	add("geometric", false, records, epsilons, networks[:4]...)
	add("Gaussian", false, records, epsilons, networks[:2]...)
	add("geometric", true, records[:1], epsilons, networks[:2]...)
	add("geometric", false, records[:1], []float64{5}, networks[4])
	add("Gaussian", false, records, epsilons, networks[2:4]...)
	add("geometric", true, records[:1], []float64{1, 5}, networks[2:4]...)
	for _, noise := range []string{"geometric", "Gaussian"} {
		for _, eps := range []float64{5, 1, .1} {
			for _, n := range records {
				if noise == "Gaussian" || n != 1000 || eps != 5 {
					add(noise, false, []int{n}, []float64{eps}, networks[4])
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
	r.Library, r.Command, r.Seed = "privbayes "+release.Version, command, seed
	save := func() { keep(t, "results.json", r) }
	wanted := func(name string) bool {
		return *only == "" || slices.Contains(strings.Split(*only, ","), name)
	}
	ctx, end := context.WithDeadline(t.Context(), begin.Add(*budget))
	defer end()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // processor time is then of one thread
	for _, eps := range []float64{1, 3, .5} {
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
		slices.SortFunc(r.Nulls, func(a, b Null) int { return cmp.Compare(a.Epsilon, b.Epsilon) })
		save()
	}
	for _, s := range specs() {
		if !wanted(s.Network) || *added != "" && !slices.Contains(strings.Split(*added, ","), s.Noise) || r.has(s) {
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
		fmt.Printf("%+v: %.3f, %.3f in %.2f s\n", s, p.Aware.Tables, p.Aware.Questions, p.Seconds)
	}
}

// keep writes results to a file, whole or not at all.
func keep(t *testing.T, name string, r any) {
	t.Helper()
	b, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.WriteFile(name+".part", append(b, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(name+".part", name)
	}
	if err != nil {
		t.Fatal(err)
	}
}
