package regression

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const (
	command      = "go test ./papers/study/regression -run TestFull -write"
	largeCommand = "go test ./papers/study/regression -run TestLargeFull -timeout 1h -write"
)

// fullRun are the settings of a full run.
type fullRun struct {
	file, data, sha, command string
	rows                     func() (*frame.Frame, error)
	model                    model.LinearRegressionModel
}

func runs(t testing.TB) []fullRun {
	t.Helper()
	cps, err := data.Info("cps1988")
	if err != nil {
		t.Fatal(err)
	}
	return []fullRun{
		{"results.json", "cps1988, embedded", cps.SHA256, command, Wages, WageModel()},
		{"results_acs.json", "acs_gov2018, not embedded", data.ACSGov2018Info().SHA256, largeCommand, Salaries,
			SalaryModel()},
	}
}

// TestFull makes results.json, and TestLargeFull results_acs.json; they take a minute and a quarter of an hour, and run
// only when asked to.
func TestFull(t *testing.T)      { writeFull(t, runs(t)[0]) }
func TestLargeFull(t *testing.T) { writeFull(t, runs(t)[1]) }

const seed = 2016

func writeFull(t *testing.T, run fullRun) {
	out := &Results{Library: full.Library, Data: run.data, DataSHA256: run.sha, Command: run.command, Seed: seed}
	full.Run(t, run.file, false, out, func(ctx context.Context, save func()) error {
		f, err := run.rows()
		if err != nil {
			return err
		}
		if out.ByEpsilon, err = ByEpsilon(ctx, f, run.model, Options{Seed: out.Seed}); err != nil {
			return err
		}
		if out.ByPrior, err = ByPrior(ctx, f, run.model, Options{Seed: out.Seed}); err != nil {
			return err
		}
		save()
		t.Log(out.ByEpsilon, out.ByPrior)
		return nil
	})
}

func small(t testing.TB) *frame.Frame {
	t.Helper()
	f, err := Wages()
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.Head(6000); err != nil {
		t.Fatal(err)
	}
	return f
}

// A small run: progress ends at its total, the same seed gives the same numbers, tables and figures hold.
func TestSmallRuns(t *testing.T) {
	f := small(t)
	done, total := int64(0), int64(1)
	o := Options{Splits: 2, Repeats: 3, Epsilons: []float64{.3, 10}, Priors: []float64{1, 10000},
		Progress: func(d, n int64) { done, total = d, n }}
	for name, run := range map[string]func(context.Context, Options) (*Result, error){
		"ε": func(ctx context.Context, o Options) (*Result, error) { return ByEpsilon(ctx, f, WageModel(), o) },
		"b": func(ctx context.Context, o Options) (*Result, error) { return ByPrior(ctx, f, WageModel(), o) },
	} {
		r, err := run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if done != total || r.Axis != name || r.N != 600 || r.Draws != 6 {
			t.Errorf("%s: %d of %d, %+v", name, done, total, r)
		}
		again, err := run(t.Context(), o)
		if err != nil || table.Text(again) != table.Text(r) {
			t.Errorf("%s: another result from the same seed, %v", name, err)
		}
		if err := r.Figure().Validate(); err != nil || len(r.Figure().Series) != len(r.Curves) ||
			!strings.Contains(table.HTML(r), "600 training rows") {
			t.Errorf("%s: %v", name, err)
		}
		for _, c := range r.Curves {
			for _, p := range c.Points {
				if !(p.MSE > 5e4 && p.MSE < 1e7) {
					t.Errorf("%s, %s at %g: %g", name, c.Name, p.X, p.MSE)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := run(ctx, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// The paper's σ² = 1 has ε = osc(10/√b): 121 for its b = 1.
func TestThePapersEpsilon(t *testing.T) {
	r, err := ByPrior(t.Context(), small(t), WageModel(),
		Options{Splits: 1, Repeats: 1, Priors: []float64{1, 100, 10000}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{121, 4, .4} {
		if got := r.Curves[0].Points[i].Epsilon; math.Abs(got-want) > 1e-9*want {
			t.Errorf("b = %g: ε = %g, want %g", r.Curves[0].Points[i].X, got, want)
		}
	}
}

// The committed results are those of the full settings, and tell the story of the page: noise on moments ahead of the
// sampler, every private curve coming down to the non-private line.
func TestCommitted(t *testing.T) {
	c, err := Committed()
	cps, _ := data.Info("cps1988")
	if err != nil || c.Command != command || c.DataSHA256 != cps.SHA256 || c.Seed != seed ||
		c.ByEpsilon.Data != "cps1988, wage in [0, 2000] dollars" {
		t.Fatalf("%v, %q, %q, seed %d", err, c.Command, c.DataSHA256, c.Seed)
	}
	curves := map[string][]Point{}
	for _, k := range c.ByEpsilon.Curves {
		curves[k.Name] = k.Points
	}
	one, moments, np := curves["sampler, 1 draw, pure ε"], curves["noise on moments, δ = 1e-06"], curves["non-private"]
	if len(one) != 5 || len(moments) != 5 || c.ByEpsilon.Draws != 100 {
		t.Fatal(fmt.Sprint(curves))
	}
	for i := range one {
		if one[i].MSE < np[i].MSE || moments[i].MSE < np[i].MSE*.999 || i > 0 && one[i].MSE > one[i-1].MSE {
			t.Errorf("ε = %g: sampler %g, moments %g, non-private %g", one[i].X, one[i].MSE, moments[i].MSE, np[i].MSE)
		}
	}
	if err := c.ByPrior.Figure().Validate(); err != nil {
		t.Error(err)
	}
}

func ExampleWages() {
	f, err := Wages()
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := f.PublicN()
	fmt.Println(n, "rows,", WageModel())
	// Output: 28155 rows, linear regression of "wage"
}

func ExampleByEpsilon() {
	f, err := Wages()
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ByEpsilon(context.Background(), f, WageModel(),
		Options{Splits: 1, Repeats: 2, Epsilons: []float64{1, 10}, Seed: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Curves), "curves,", r.N, "training rows")
	for _, p := range r.Curves[0].Points {
		fmt.Printf("%s at ε = %g: root mean squared error %.0f dollars a week\n", r.Curves[0].Name, p.X,
			math.Sqrt(p.MSE))
	}
	// Output:
	// 7 curves, 2816 training rows
	// sampler, 1 draw, pure ε at ε = 1: root mean squared error 346 dollars a week
	// sampler, 1 draw, pure ε at ε = 10: root mean squared error 338 dollars a week
}
