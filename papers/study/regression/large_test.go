package regression

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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
	one, moments, np := curves["sampler, 1 draw, pure ε"], curves["noise on moments, δ = 1e-06"], curves["non-private"]
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
