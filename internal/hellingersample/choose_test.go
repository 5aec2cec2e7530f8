package hellingersample_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

func TestUnrankIsTheLexicographicOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.Int64Range(0, 9).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "d")
		var last []int64
		for i := range int(hs.Count(n, d)) {
			r, sum := hs.Unrank(i, n, d), int64(0)
			for _, v := range r {
				if v < 0 {
					t.Fatal(r)
				}
				sum += v
			}
			if sum != n || len(r) != d || last != nil && slices.Compare(last, r) >= 0 {
				t.Fatalf("candidate %d is %v after %v", i, r, last)
			}
			last = r
		}
		if hs.Unrank(-1, n, d) != nil || hs.Unrank(int(hs.Count(n, d)), n, d) != nil {
			t.Fatal("ranks outside are taken")
		}
	})
	for _, c := range []struct {
		n    int64
		d    int
		want uint64
	}{{400, 3, 80601}, {14, 10, 817190}, {1e15, 2, 1e15 + 1}, {-1, 2, 0}, {5, 0, 0}, {1e6, 100, math.MaxUint64}} {
		if got := hs.Count(c.n, c.d); got != c.want {
			t.Errorf("Count(%d, %d) = %d", c.n, c.d, got)
		}
	}
}

// A candidate's exponent is A·H, whatever the order of summation.
func TestExponentsAreTheDistance(t *testing.T) {
	c := instance{[]float64{0.3, 2, 5, 1}, []int64{3, 0, 2, 4}, 17}
	logs, _ := c.logWeights(t)
	for i, l := range logs {
		sum := 0.0
		for k, v := range hs.Unrank(i, 9, 4) {
			sum += hs.LogBC(c.alpha[k], c.x[k], v)
		}
		if want := -17 * math.Sqrt(-math.Expm1(sum)); math.Abs(l-want) > 1e-13 {
			t.Fatalf("candidate %d: %v, want %v", i, l, want)
		}
	}
}

func TestChoiceAndSlackArePublic(t *testing.T) {
	one := func(d int, n int64) []int64 {
		x := make([]int64, d)
		x[d-1] = n
		return x
	}
	for _, c := range []struct {
		d     int
		n     int64
		bound float64
		want  string
	}{
		{2, 1000, 5, "dyadic shells"}, {2, 1e15, 1e5, "dyadic shells"}, {3, 400, 50, "enumeration of all candidates"},
		{50, 1000, 5, "rejection from the uniform distribution"}, {20, 1000, 30, "discrete-stable mixture"},
		{5000, 1, 6, "rejection from the uniform distribution"},
	} {
		even := flat(c.d, 1, c.n-c.n%int64(c.d))
		even.x[0] += c.n % int64(c.d)
		a := must.Get(hs.Choose(context.Background(), even.alpha, even.x, c.bound, c.bound, nil))(t)
		b := must.Get(hs.Choose(context.Background(), even.alpha, one(c.d, c.n), c.bound/3, c.bound, nil))(t)
		if a.Name() != c.want || b.Name() != c.want || a.Slack() != b.Slack() || !(a.Slack() > 0) ||
			!(a.Proposals() >= 1) {
			t.Errorf("%+v: %s with slack %v, %s with slack %v", c, a.Name(), a.Slack(), b.Name(), b.Slack())
		}
		r, err := b.Draw(source(1))
		sum := int64(0)
		for _, v := range r {
			sum += v
		}
		if err != nil || sum != c.n || slices.Min(r) < 0 {
			t.Errorf("%+v: drew %v, %v", c, r, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	var pe *domain.Error
	ones, x := []float64{1, 1, 1}, []int64{1, 2, 3}
	for name, c := range map[string]instance{
		"lengths": {ones, x[:2], 1}, "alpha": {[]float64{1, 0, 1}, x, 1},
		"NaN alpha": {[]float64{1, math.NaN(), 1}, x, 1},
		"count":     {ones, []int64{1, -1, 3}, 1}, "total": {ones, []int64{1e15, 1, 0}, 1}, "rate": {ones, x, -1},
		"NaN rate": {ones, x, math.NaN()}, "infinite rate": {ones, x, math.Inf(1)},
	} {
		for _, build := range []func(instance) (hs.Sampler, error){enumerated, uniform, mixture} {
			if _, err := build(c); !errors.As(err, &pe) || pe.Want == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := hs.Choose(context.Background(), ones, x, 2, 1, nil); !errors.As(err, &pe) {
		t.Error(err)
	}
	if err := hs.Exponents(ones, x, 1, make([]float64, 3)); !errors.As(err, &pe) {
		t.Error(err)
	}
	var ie *hs.InfeasibleError
	for name, build := range map[string]func() (hs.Sampler, error){
		"candidates": func() (hs.Sampler, error) { return enumerated(flat(3, 1, 30_000)) },
		"cells": func() (hs.Sampler,
			error) {
			return enumerated(instance{flat(5000, 1, 0).alpha, flat(5000, 1, 0).x, 1})
		},
		"terms": func() (hs.Sampler, error) { return mixture(flat(3, 1, 3e9)) },
		"rate": func() (hs.Sampler,
			error) {
			return mixture(instance{flat(3, 1, 0).alpha, []int64{1e5, 1e5, 1e5}, 1e5})
		},
		"work": func() (hs.Sampler, error) { return mixture(flat(20_000, 1, 40_000)) },
	} {
		if _, err := build(); !errors.As(err, &ie) || ie.Use == "" || ie.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMixtureIsCancelledAndTells(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, last := flat(20, 1, 2000), 0.0
	_, err := hs.Mixture(ctx, c.alpha, c.x, 50, func(done float64) {
		if done < last || done > 1 {
			t.Errorf("progress %v after %v", done, last)
		}
		if last = done; done > 0.3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || last == 0 {
		t.Errorf("%v at %v", err, last)
	}
}

// Two cells with 1e15 records: the draws stay in range and are about as far from x as exp(−A·H), H ≈ t/√(8·c), says.
func TestShellsOfHugeData(t *testing.T) {
	s := must.Get(hs.Shells([2]float64{1, 1}, [2]int64{5e14, 5e14}, 100))(t)
	src, mean := source(5), 0.0
	const draws = 20_000
	for range draws {
		r, err := s.Draw(src)
		if err != nil || r[0] < 0 || r[1] < 0 || r[0]+r[1] != 1e15 {
			t.Fatal(r, err)
		}
		mean += math.Abs(float64(r[0]-5e14)) / draws
	}
	// H ≈ t/√(4c), c = 5e14, so E t ≈ √(4c)/A up to the curvature of H.
	if want := math.Sqrt(4*5e14) / 100; math.Abs(mean/want-1) > 6.5/math.Sqrt(draws)+0.01 {
		t.Errorf("E t = %v, want %v", mean, want)
	}
	if _, shells := hs.Envelope(s); shells > 101 {
		t.Error(shells, "shells")
	}
}
