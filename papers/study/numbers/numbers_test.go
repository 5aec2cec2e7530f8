package numbers

import (
	"context"
	"errors"
	"flag"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

var rounds = flag.Int("rounds", 10, "how often 50 runs are made of every cell, each time with the next seed")

const command = "go test ./papers/study/numbers -run 'TestFull|TestRates' -write -rounds 9 -timeout 3h"

// TestFull makes results.json, some ten minutes of one processor; it runs only when asked to, and writes after every
// round.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", false, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		for round := range *rounds {
			r, err := Run(ctx, Options{Seed: all.Seed + uint64(round), Runs: 50})
			if err != nil {
				return err
			}
			all.add(r)
			save()
		}
		t.Log(all, all.Wrong())
		return nil
	})
}

// TestRates adds the rates' errors to results.json.
func TestRates(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) (err error) {
		if all.Rates, err = Rates(ctx, 100, all.Seed); err != nil {
			return err
		}
		all.Library, all.Command = full.Library, command
		save()
		t.Log(all.Rates)
		return nil
	})
}

// The committed run is what it should be in every cell.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if wrong := r.Wrong(); len(wrong) > 0 {
		t.Errorf("wrong: %q", wrong)
	}
	if r.Command != command || len(r.Rates) != len(noteErrors) {
		t.Errorf("%q, %d rates", r.Command, len(r.Rates))
	}
	names, sum, one, runs := map[string]bool{}, 0.0, 0.0, 0
	for _, c := range r.Curves {
		names[c.Name] = true
		if len(c.Cells) != 9 || c.Cells[0].Runs < 50 {
			t.Errorf("%s: %d cells of %d runs", c.Name, len(c.Cells), c.Cells[0].Runs)
		}
		if c.Kind == kinds[oneParameter] {
			sum, one, runs = sum+c.Mean(), one+1, runs+9*c.Cells[0].Runs
		}
	}
	for _, p := range problems() {
		for _, name := range p.parameters() {
			if !names[name] {
				t.Errorf("no %s", name)
			}
		}
	}
	// of the first rounds, chance alone takes the mean that far in one case of 2000
	if all := sum / one; math.Abs(all-simulate.Level) > math.Max(.005, 3.5*simulate.SE(runs)) {
		t.Errorf("one-sum models: %.4f on average", all)
	}
}

// A part of the run, live, and two posteriors that are wrong: one that takes the noise for less than it is, one that
// ignores the bounds, by the same criterion. The rates' errors are those of the committed run but for chance.
func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: ExampleRun is a run that is quick")
	}
	o := Options{Problems: []string{"Poisson mean", "normal mean and sd", "population mean, beta"}, Sizes: []int{50},
		Epsilons: []float64{1}, Runs: 60, Seed: 7}
	ran := int64(0)
	o.Progress = func(done, total int64) { ran = total - done }
	right, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if ran != 0 {
		t.Errorf("progress ends %d before its total", ran)
	}
	if w := farOff(right); len(w) > 0 {
		t.Errorf("wrong: %q", w)
	}
	o.Problems, o.Overstated = []string{"exponential rate", "population mean, beta"}, 8
	o.Epsilons = []float64{.1}
	overstated, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if w := farOff(overstated); len(w) != 2 {
		t.Errorf("noise taken for an eighth of what it is is found in %q", w)
	}
	rates, err := Rates(t.Context(), 10, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rates[1:] { // six standard errors
		if e.Error > 1.1*e.Note*math.Sqrt(1+6.2*math.Sqrt(2.0/10)) {
			t.Errorf("%+v", e)
		}
	}
}

// One cell of the committed run, made again by its own seeds, is the same to the last interval.
func TestACommittedCellIsMadeAgain(t *testing.T) {
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	again := &Result{}
	for round := range c.Rounds {
		r, err := Run(t.Context(), Options{Seed: c.Seed + uint64(round), Runs: 50, Problems: []string{c.Curves[0].Name},
			Sizes: []int{50}, Epsilons: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		again.add(r)
	}
	got, want := again.Curves[0].Cells[0], c.Curves[0].Cells[1]
	if got.Held != want.Held || got.Runs != want.Runs || math.Abs(got.Width-want.Width) > 1e-9 {
		t.Errorf("%+v, committed %+v", got, want)
	}
}

// farOff are cells that a right posterior has with a probability below 1e-9 each: 6.2 standard errors.
func farOff(r *Result) (list []string) {
	for _, c := range r.Curves {
		for _, cell := range c.Cells {
			off := math.Abs(cell.Coverage() - simulate.Level)
			if c.Kind == kinds[modelFree] && cell.Coverage() > simulate.Level {
				off = 0 // wide by design
			}
			if c.Kind != kinds[oneParameter] {
				off -= .02
			}
			if off > 6.2*cell.SE() {
				list = append(list, c.Name)
			}
		}
	}
	return list
}

func TestErrors(t *testing.T) {
	var e *domain.Error
	for _, o := range []Options{{Runs: -1}, {Overstated: -2}, {Overstated: math.Inf(1)}, {Problems: []string{"none"}},
		{Sizes: []int{0}}} {
		if _, err := Run(t.Context(), o); !errors.As(err, &e) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Runs: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Figures that are not what they should be are named.
func TestWrongIsNamed(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Curves {
		for j := range r.Curves[i].Cells {
			r.Curves[i].Cells[j].Held = r.Curves[i].Cells[j].Runs * 8 / 10
		}
	}
	r.Rates[0].Error = 2 * r.Rates[0].Note
	if want := len(r.Curves) * 9; len(r.Wrong()) < want {
		t.Errorf("%d of %d named", len(r.Wrong()), want)
	}
}
