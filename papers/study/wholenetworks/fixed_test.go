package wholenetworks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

const fixedCommand = "go test ./papers/study/wholenetworks -run TestFixedFull -write -timeout 0"

// fixedSpecs are all points, with their replicates: those under the short contract, and as users get them.
func fixedSpecs() (out []FixedPoint) {
	add := func(k int, s Fixed, c Conditions) {
		out = append(out, FixedPoint{Fixed: s, Conditions: c, Replicates: k})
	}
	for _, network := range []string{"child, skewed", "sachs, skewed"} {
		add(20, Fixed{network, 800, .7, false}, Conditions{})
	}
	epsilons := []float64{.1, .3, 1, 3}
	for _, eps := range epsilons {
		add(40, Fixed{"small", 800, eps, false}, Conditions{})
		add(40, Fixed{"small", 800, eps, true}, Conditions{})
	}
	for _, eps := range epsilons {
		add(20, Fixed{"asia", 800, eps, false}, Conditions{})
	}
	for _, n := range []int{300, 5000} {
		for _, eps := range epsilons {
			add(20, Fixed{"small", n, eps, false}, Conditions{})
		}
	}
	for _, eps := range []float64{1, .3, 3, .1} {
		add(20, Fixed{"small", 800, eps, false}, Conditions{Full: true})
		add(20, Fixed{"small", 800, eps, false}, Conditions{Full: true, Noise: "Gaussian"})
		add(20, Fixed{"small", 800, eps, false}, Conditions{Full: true, Noise: "geometric", PrivateN: true})
	}
	for _, eps := range []float64{1, 3, .3} {
		add(20, Fixed{"asia", 800, eps, false}, Conditions{Full: true})
	}
	add(40, Fixed{"small", 800, .3, false}, Conditions{Full: true, Drawn: true})
	for _, network := range []string{"sachs, skewed", "child, skewed"} { // minutes of a processor each
		add(20, Fixed{network, 800, .7, false}, Conditions{Full: true})
	}
	add(20, Fixed{"alarm, skewed", 800, .7, false}, Conditions{})
	return out
}

// TestFixedFull adds releases to fixed.json one by one. It runs only when asked to.
func TestFixedFull(t *testing.T) {
	r := &FixedResult{}
	full.Run(t, "fixed.json", true, r, func(ctx context.Context, save func()) error {
		r.Library, r.Command, r.Seed = full.Library, fixedCommand, seed
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // processor time is then of one thread
		for _, s := range fixedSpecs() {
			i := slices.IndexFunc(r.Points, func(p FixedPoint) bool {
				return p.Fixed == s.Fixed && p.Conditions == s.Conditions
			})
			if i < 0 {
				r.Points = append(r.Points, s)
				i = len(r.Points) - 1
			}
			p := &r.Points[i]
			if p.Of != nil {
				continue
			}
			if err := p.Complete(ctx, seed, save); err != nil {
				return err
			}
			save()
			fmt.Printf("%+v, %+v: %+v in %.2f s\n", s.Fixed, s.Conditions, p.Of, p.Seconds)
		}
		return nil
	})
}

// What docs/explanation/intervals.md says of the committed points: under shared rows the mean over points of a
// network is .93 or more, and no point is below it by more than three standard errors; independent rows miss the leaf
// at small ε.
func TestCommittedFixed(t *testing.T) {
	r, err := CommittedFixed()
	if err != nil {
		t.Fatal(err)
	}
	sums, points := map[string]float64{}, map[string]float64{}
	for _, p := range r.Points {
		if p.Each != nil {
			continue
		}
		k := p.Replicates - p.NotConverged
		if p.NotConverged > 0 || k < 20 || len(p.Of) != len(Kinds()) {
			t.Errorf("%+v", p)
		}
		all, leaf := p.Of[All], p.Of[Leaf]
		if p.IndependentRows {
			if p.Epsilon < 1 && leaf.Held > .6 {
				t.Errorf("independent rows cover: %+v", p)
			}
			continue
		}
		if se := all.SD / math.Sqrt(float64(k)); all.Held < .93-3*se || leaf.Held < .93-3*leaf.SD/math.Sqrt(float64(k)) {
			t.Errorf("%+v", p)
		}
		of := p.Network
		if p.Conditions != (Conditions{}) {
			of += ", other conditions"
		}
		sums[of], points[of] = sums[of]+all.Held, points[of]+1
	}
	for of, k := range map[string]float64{"small": 12, "asia": 4, "small, other conditions": 4, "child, skewed": 1,
		"child, skewed, other conditions": 1, "sachs, skewed, other conditions": 1,
		"sachs, skewed": 1} {
		if points[of] < k || sums[of]/points[of] < .93 {
			t.Errorf("%s: %v points, mean %.3f", of, points[of], sums[of]/points[of])
		}
	}
	if len(r.Table().String()) == 0 {
		t.Error("no table")
	}
}

// Releases under other conditions are made and read: two under each, of which not all intervals miss.
func TestConditions(t *testing.T) {
	if testing.Short() {
		t.Skip("simulated releases: half a minute")
	}
	for _, c := range []Conditions{{Full: true}, {Noise: "Gaussian"}, {Noise: "geometric", PrivateN: true},
		{Drawn: true}} {
		p, err := CoverFixed(t.Context(), Fixed{"small", 800, 1, false}, c, 2, 11)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if p.Conditions != c || p.NotConverged > 0 || p.Of[All].Held < .5 {
			t.Errorf("%+v", p)
		}
		r := FixedResult{Points: []FixedPoint{*p}}
		s := strings.Join(r.Table().Rows[0], "|") + "|"
		if c.PrivateN != strings.Contains(s, ", private n|") || c.Drawn != strings.Contains(s, ", drawn|") {
			t.Errorf("%+v: %s", c, s)
		}
	}
}

// A part of it live: the leaf of twelve rows at ε = 0.1. Shares of a release lie in [0, 1] and are independent over
// releases, so that a coverage of .9 fails with probability below 1e-9 (Hoeffding); independent rows fail.
func TestFixedLive(t *testing.T) {
	if testing.Short() {
		t.Skip("simulated releases: a minute")
	}
	const replicates = 40
	least := full.Fewest(replicates, .9, falseAlarm)
	for _, independent := range []bool{false, true} {
		p, err := CoverFixed(t.Context(), Fixed{"small", 800, .1, independent}, Conditions{}, replicates, 11)
		if err != nil {
			t.Fatal(err)
		}
		if held := p.Of[Leaf].Held; p.NotConverged > 0 || held <= least != independent {
			t.Errorf("independent rows %v: %.3f, bound %.3f", independent, held, least)
		}
	}
	var e *dp.ParameterError
	if _, err := CoverFixed(t.Context(), Fixed{Network: "x", Records: 10, Epsilon: 1}, Conditions{}, 1,
		1); !errors.As(err, &e) {
		t.Error(err)
	}
}
