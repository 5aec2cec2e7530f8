package regression

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/eval"
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
		drawn := slices.DeleteFunc(slices.Clone(r.Curves), func(c Curve) bool { return c.Name == useless })
		if err := r.Figure().Validate(); err != nil || len(r.Figure().Series) != len(drawn) ||
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
	one, moments, np := curves["sampler, 1 draw, pure ε"], curves["noise on moments, δ = 10⁻⁶"], curves["non-private"]
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

// The committed large run: provenance, and the story of the page. At ε = 1 noise on moments is within 1 % of the
// regression without privacy, one draw at pure ε within 5 %; the paper's draw at b = 1 costs ε = 121.
func TestCommittedSalaries(t *testing.T) {
	c, err := CommittedSalaries()
	if err != nil {
		t.Fatal(err)
	}
	info := data.ACSGov2018Info()
	if c.Command != largeCommand || c.DataSHA256 != info.SHA256 || c.Seed != seed ||
		c.ByEpsilon.Data != fmt.Sprintf("acs_gov2018, salary in [0, %d] dollars", SalaryCap) ||
		c.ByEpsilon.N != info.Rows/10+1 || c.ByEpsilon.Draws != 100 {
		t.Fatalf("%q, %q, seed %d, %+v", c.Command, c.DataSHA256, c.Seed, c.ByEpsilon)
	}
	curves := map[string][]Point{}
	for _, k := range c.ByEpsilon.Curves {
		curves[k.Name] = k.Points
	}
	one, moments, np := curves["sampler, 1 draw, pure ε"], curves["noise on moments, δ = 10⁻⁶"], curves["non-private"]
	for i := range one {
		if !(one[i].MSE > moments[i].MSE && moments[i].MSE > np[i].MSE) || i > 0 && one[i].MSE > one[i-1].MSE {
			t.Errorf("ε = %g: sampler %g, moments %g, non-private %g", one[i].X, one[i].MSE, moments[i].MSE, np[i].MSE)
		}
	}
	if one[2].X != 1 || one[2].MSE > 1.05*np[2].MSE || moments[2].MSE > 1.01*np[2].MSE {
		t.Errorf("at ε = 1: %+v, %+v, %+v", one[2], moments[2], np[2])
	}
	for _, p := range c.ByPrior.Curves[0].Points {
		osc, err := leastsquares.Osc(10/math.Sqrt(p.X), 5)
		if err != nil || math.Abs(p.Epsilon-osc) > 1e-8*osc {
			t.Errorf("b = %g: ε = %g, osc %g", p.X, p.Epsilon, osc)
		}
	}
	for _, r := range []*Result{c.ByEpsilon, c.ByPrior} {
		if err := r.Figure().Validate(); err != nil || !strings.Contains(table.HTML(r), "acs_gov2018") {
			t.Error(err)
		}
	}
}

// A part of the large run again, where the table is: the first point of the sampler's curve, and the lines without
// privacy, to six digits. Another seed does not give it.
func TestSalariesAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred releases of 20431 rows")
	}
	data.Need(t, data.ACSGov2018Info().File)
	f, err := Salaries()
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := f.PublicN(); n != data.ACSGov2018Info().Rows {
		t.Fatalf("%d rows", n)
	}
	c, err := CommittedSalaries()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{}.withDefaults()
	again := func(seed uint64, splits int) *eval.Diagnostic {
		d, err := eval.Compare(t.Context(), f, SalaryModel(), eval.CompareOptions{
			Runs: o.runs()[:1], Epsilons: o.Epsilons[:1], Train: o.Train, Splits: splits, Repeats: o.Repeats,
			Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := again(c.Seed, o.Splits)
	// The committed run summed floats; rows are rounded to 2^−22 of their range since, for sums that are exact.
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }
	want, got := c.ByEpsilon.Curves[0].Points[0], d.Outcomes[0]
	if !same(got.Score.Mean, want.MSE) || !same(got.Score.OverNoise, want.SE) ||
		!same(float64(got.Certified.Epsilon), want.Epsilon) {
		t.Errorf("%+v, committed %+v", got, want)
	}
	for _, k := range c.ByEpsilon.Curves {
		if line := map[string]float64{"non-private": d.NonPrivate.Mean,
			"middle of the range": d.Guess.Mean}[k.Name]; line != 0 && !same(line, k.Points[0].MSE) {
			t.Errorf("%s: %v, committed %v", k.Name, line, k.Points[0].MSE)
		}
	}
	if other := again(c.Seed+1, 1).Outcomes[0].Score.Mean; same(other, want.MSE) {
		t.Error("another seed gives the same")
	}
}

// Without the table, and with another one in its place, the errors are typed and say what is wrong.
func TestSalariesElsewhere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PRIVBAYES_DATA", dir)
	t.Chdir(dir) // away from the repository
	var missing *data.NotFoundError
	if _, err := Salaries(); !errors.As(err, &missing) || missing.Looked[0] != dir ||
		!strings.Contains(err.Error(), "PRIVBAYES_DATA") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, data.ACSGov2018Info().File), []byte("salary\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var archive *data.ArchiveError
	var sum *data.ChecksumError
	if _, err := Salaries(); !errors.As(err, &archive) && !errors.As(err, &sum) {
		t.Error(err)
	}
}

// The public schema is valid, has bounds for everything the regression reads, and no column without a description.
func TestSalarySchema(t *testing.T) {
	f := salarySchema(t)
	for _, c := range f.Columns {
		if c.Description == "" {
			t.Errorf("column %s has no description", c.Name)
		}
	}
	sh, err := model.NewShape(f, SalaryModel(), 1, true, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range sh.Columns() {
		if !c.Numeric() || !(c.Min < c.Max) || math.IsInf(c.Max-c.Min, 0) {
			t.Errorf("%+v", c)
		}
	}
	if f.Dataset != data.ACSGov2018Info().Name || !f.ExtraColumns || f.Inferred {
		t.Errorf("%+v", f)
	}
}

// salarySchema reads the schema that package data embeds, whether the table is here or not.
func salarySchema(t *testing.T) *frame.Schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "data", "study", "acs_gov2018.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := frame.ParseSchema(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Roots of mean squared errors have the digits that two digits of their standard errors leave.
func TestRoot(t *testing.T) {
	for _, c := range []struct {
		mse, se float64
		want    string
	}{
		{152716, 8200, "391 ± 10"}, {116529, 530, "341.36 ± 0.78"}, {1.243e9, 1.9e7, "35\u202f260 ± 270"},
		{113927, 110, "337.53 ± 0.16"}, {113583, 0, "337"}, {9.188e8, 2.3e5, "30\u202f311.7 ± 3.8"},
	} {
		if got := root(Point{MSE: c.mse, SE: c.se}); got != c.want {
			t.Errorf("√%g ± %g: %s, want %s", c.mse, c.se, got, c.want)
		}
	}
}
