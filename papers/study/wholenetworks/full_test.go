package wholenetworks

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

var (
	only  = flag.String("points", "", `the networks to run, "null" for Type I errors, by commas; all if empty`)
	added = flag.String("noise", "", `the noises to run, by commas; all if empty`)
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
	r := &Result{}
	full.Run(t, "results.json", true, r, func(ctx context.Context, save func()) error {
		r.Library, r.Command, r.Seed = full.Library, command, seed
		wanted := func(name string) bool {
			return *only == "" || slices.Contains(strings.Split(*only, ","), name)
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // processor time is then of one thread
		for _, eps := range []float64{1, 3, .5} {
			if !wanted("null") || slices.ContainsFunc(r.Nulls, func(n Null) bool { return n.Epsilon == eps }) {
				continue
			}
			n, err := TypeOne(ctx, 1000, eps, 1, ofNull, seed, func() {})
			if err != nil {
				return err
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
			if err != nil {
				return err
			}
			r.Points = append(r.Points, *p)
			save()
			fmt.Printf("%+v: %.3f, %.3f in %.2f s\n", s, p.Aware.Tables, p.Aware.Questions, p.Seconds)
		}
		return nil
	})
}
