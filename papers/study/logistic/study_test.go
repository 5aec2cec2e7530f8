package logistic

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

const (
	command = "go test ./papers/study/logistic -run TestFull -timeout 1h -write"
	seed    = 1988
)

// TestFull makes results.json; it takes some minutes and runs only when asked to.
func TestFull(t *testing.T) {
	out := &Results{Library: full.Library, Command: command, Seed: seed}
	full.Run(t, "results.json", false, out, func(ctx context.Context, save func()) error {
		for _, s := range Settings() {
			r, err := Run(ctx, s, seed)
			if err != nil {
				return err
			}
			t.Log(r)
			out.Results = append(out.Results, r)
		}
		save()
		return nil
	})
}

// The committed run: provenance, and what the page says of it.
func TestCommitted(t *testing.T) {
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if c.Command != command || c.Seed != seed || len(c.Results) != len(Settings()) {
		t.Fatalf("%q, seed %d, %d results", c.Command, c.Seed, len(c.Results))
	}
	for i, s := range Settings() {
		r := c.Results[i]
		if r.Name != s.Name || r.Data != s.Data || r.Splits != s.Splits || r.Draws != s.Splits*s.Repeats {
			t.Errorf("%+v", r)
		}
		for _, eps := range Epsilons {
			m, ok1 := r.Of(Moments, eps)
			g, ok2 := r.Of(Descent, eps)
			if !ok1 || !ok2 {
				t.Fatalf("%s: no scores at ε = %g", r.Name, eps)
			}
			if m.AUC < g.AUC-.03 {
				t.Errorf("%s, ε = %g: AUC %.3f, gradient descent %.3f", r.Name, eps, m.AUC, g.AUC)
			}
		}
		fit, _ := r.Of(PlainFit, 0)
		plain, _ := r.Of(PlainMoment, 0)
		if math.Abs(fit.Accuracy-plain.Accuracy) > .03 || fit.AUC < plain.AUC-.01 {
			t.Errorf("%s: %+v, moments %+v", r.Name, fit, plain)
		}
	}
}

// A small part live: two splits of the embedded table give the committed numbers' neighbourhood, and the same twice.
func TestBreastCancerAgain(t *testing.T) {
	s := Settings()[0]
	s.Splits, s.Repeats = 2, 1
	r, err := Run(t.Context(), s, seed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Run(t.Context(), s, seed)
	if err != nil || again.String() != r.String() {
		t.Error("another result from the same seed", err)
	}
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{PlainFit, PlainMoment} { // means over two splits of ten
		have, _ := r.Of(m, 0)
		want, _ := c.Results[0].Of(m, 0)
		if math.Abs(have.Accuracy-want.Accuracy) > .05 || math.Abs(have.AUC-want.AUC) > .03 {
			t.Errorf("%s: %+v, committed %+v", m, have, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, s, seed); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Gradients have norm at most 1 a row, so that a replaced record moves their sum by at most 2; Newton's fit has none;
// at an ε without bound descent goes down.
func TestMethods(t *testing.T) {
	r := &rows{dim: 2, x: [][]float64{{.6, .8}, {.6, -.8}, {.6, .8}, {.6, -.8}, {.6, 0}}, y: []float64{1, -1, -1, 1, 1}}
	g := make([]float64, 2)
	one := &rows{dim: 2, x: r.x[:1], y: r.y[:1]}
	if one.gradient([]float64{-50, -50}, g); math.Hypot(g[0], g[1]) > 1 || math.Hypot(g[0], g[1]) < .99 {
		t.Error(g)
	}
	w := r.fit(false)
	if r.gradient(w, g); math.Hypot(g[0]+1e-3*w[0], g[1]+1e-3*w[1]) > 1e-7 {
		t.Error(w, g)
	}
	down := r.descent(dp.ApproxDP(1e4, Delta).Parameters, 50, 4, dp.Seeded(1))
	if math.Hypot(down[0]-w[0], down[1]-w[1]) > .3 {
		t.Error(down, w)
	}
	t.Setenv("PRIVBAYES_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	var missing *data.NotFoundError
	if _, err := Settings()[1].Open(t.Context()); !errors.As(err, &missing) {
		t.Error(err)
	}
}
