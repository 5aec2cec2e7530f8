package truncatednet

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

type goldenRows struct {
	Exact []struct {
		D, N   int
		W, Eps float64
	}
	Sup []struct {
		K, R   int
		W, Eps float64
	}
	Floors []struct {
		K, R, Draws int
		Eps, W      float64
	}
	FloorsExact []struct {
		D, N   int
		Eps, W float64
	}
	Bound []struct {
		Name         string
		Parents      [][]int
		N            int
		Bound, Brute float64
	}
	EtaC, EtaCExact, Joint float64
}

func golden(t *testing.T) goldenRows {
	t.Helper()
	raw := must.Get(os.ReadFile("testdata/golden.json"))(t)
	var g goldenRows
	must.Do(t, json.Unmarshal(raw, &g))
	return g
}

// near also asks that a certified number is not below the truth.
func near(t *testing.T, what string, got, want float64, err error) {
	t.Helper()
	if err != nil || !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.15g, %v; want %.15g", what, got, err, want)
	}
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// sup is the record-level ε of N draws for data of any size and any prior, 2N·Σ_i ℓ(w_i, r_i): theory/networks.md §3.4.
func sup(states []int, floors []float64, draws int) float64 {
	total := 0.0
	for i, r := range states {
		total += math.Log((1 - float64(r-1)*floors[i]) / floors[i])
	}
	return 2 * float64(draws) * total
}

func TestGolden(t *testing.T) {
	g := golden(t)
	for _, r := range g.Exact {
		eps, err := Naive{r.D, r.N, 1}.Epsilon(r.W, 1)
		near(t, "exact", eps, r.Eps, err)
	}
	for _, r := range g.Sup {
		near(t, "sup", sup(repeat(r.R, r.K), repeat(r.W, r.K), 1), r.Eps, nil)
	}
	for _, r := range g.Floors {
		w, err := Floors(r.Eps, repeat(r.R, r.K), r.Draws)
		near(t, "floor A", w[0], r.W, err)
	}
	for _, r := range g.FloorsExact {
		eps, err := Naive{r.D, r.N, 1}.Epsilon(r.W, 1)
		near(t, "at floor B", eps, r.Eps, err)
	}
	eps, err := Naive{16, 50, 1}.Epsilon(.1, g.EtaCExact)
	near(t, "at eta C", eps, 1, err)
	if limit := g.EtaC * sup(repeat(2, 17), repeat(.1, 17), 1); math.Abs(limit-1) > 1e-9 {
		t.Errorf("eta C keeps %v for any n, want 1", limit)
	}
	eps, err = JointSup(1, .1)
	near(t, "joint", eps, g.Joint, err)
}

// The floors meet their target for data of any size, and nearly use it up; known records spend less.
func TestFloorsMeetTheirTarget(t *testing.T) {
	m := Naive{Features: 4, Records: 30, Alpha: .5}
	for _, draws := range []int{1, 7} {
		for _, eps := range []float64{.2, 2, 20} {
			floors := must.Get(Floors(eps, repeat(2, 5), draws))(t)
			if used := sup(repeat(2, 5), floors, draws); used > eps || used < eps*(1-1e-9) {
				t.Errorf("eps %g, %d draws: used %g", eps, draws, used)
			}
			one, err := m.Epsilon(floors[0], 1)
			if known := float64(draws) * one; err != nil || known >= eps {
				t.Errorf("eps %g, %d draws: %d records use %g, %v", eps, draws, m.Records, known, err)
			}
		}
	}
}

// ε(n) grows to the closed-form limit: large n goes through the branch and bound, checked against the plain scan.
func TestLargeN(t *testing.T) {
	before := 0.0
	limit := sup(repeat(2, 3), repeat(.2, 3), 1)
	for _, n := range []int{1, 3, 30, 300, 3000, 300000} {
		m := Naive{2, n, 1}
		eps, err := m.Epsilon(.2, 1)
		if err != nil || !(eps > before && eps < limit) {
			t.Errorf("n = %d: %g, %v; want above %g and below %g", n, eps, err, before, limit)
		}
		before = eps
	}
	e := must.Get(newEvidence(.2, 1, 1))(t)
	const n = 300
	scan := 0.0
	for s := range n {
		scan = math.Max(scan, e.stay(s, n-1-s)+2*(e.enter(s)+e.leave(n-1-s)))
	}
	eps, _ := Naive{2, n, 1}.Epsilon(.2, 1)
	if eps < scan || eps > scan*(1+1e-9) {
		t.Errorf("branch and bound %.15g, scan %.15g", eps, scan)
	}
}

func TestNominal(t *testing.T) {
	var box *EmptyBoxError
	if _, err := Nominal(1, 2); !errors.As(err, &box) || box.States != 2 {
		t.Errorf("nominal 1: %v", err)
	}
	w := must.Get(Nominal(2, 2))(t)
	if eps, err := (Naive{16, 50, 1}).Epsilon(w, 1); err != nil || math.Abs(eps-16.475) > 5e-4 {
		t.Errorf("nominal 2 is truly %g, %v; want 16.475", eps, err)
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	m := Naive{2, 3, 1}
	var p *domain.Error
	for i, f := range []func() error{
		func() error { _, err := Floors(0, []int{2}, 1); return err },
		func() error { _, err := Floors(nan, []int{2}, 1); return err },
		func() error { _, err := Floors(1, nil, 1); return err },
		func() error { _, err := Floors(1, []int{1}, 1); return err },
		func() error { _, err := Floors(1e-300, []int{2}, 1); return err },
		func() error { _, err := JointSup(2, .2); return err },
		func() error { _, err := JointSup(0, .1); return err },
		func() error { _, err := Naive{0, 1, 1}.Epsilon(.1, 1); return err },
		func() error { _, err := Naive{1, 0, 1}.Epsilon(.1, 1); return err },
		func() error { _, err := Naive{1, 1, 0}.Epsilon(.1, 1); return err },
		func() error { _, err := m.Epsilon(0, 1); return err },
		func() error { _, err := m.Epsilon(nan, 1); return err },
		func() error { _, err := m.Epsilon(.1, 0); return err },
		func() error { _, err := m.Epsilon(.1, 2); return err },
	} {
		if err := f(); !errors.As(err, &p) || p.Parameter == "" || p.Want == "" {
			t.Errorf("case %d: %v", i, err)
		}
	}
	var box *EmptyBoxError
	if _, err := m.Epsilon(.5, 1); !errors.As(err, &box) {
		t.Errorf("floor .5: %v", err)
	}
}

func BenchmarkEpsilon50(b *testing.B) {
	for b.Loop() {
		Naive{16, 50, 1}.Epsilon(.4, 1)
	}
}

func BenchmarkEpsilon1e6(b *testing.B) {
	for b.Loop() {
		Naive{16, 1_000_000, 1}.Epsilon(.4, 1)
	}
}
