package model

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// slope of the log density at weights on scaled rows, from the rows themselves in floating point: Σ x(y − p), per
// half-range, less the priors' pull.
func slope(t *testing.T, sh *Shape, f *frame.Frame, w []float64, lambda float64) []float64 {
	t.Helper()
	row, err := sh.scaledRows(f)
	if err != nil {
		t.Fatal(err)
	}
	y, err := f.Codes(sh.model.Target())
	if err != nil {
		t.Fatal(err)
	}
	root := math.Sqrt(float64(sh.linear.Square()))
	out, x := make([]float64, len(w)), make([]float64, len(w))
	for r := range f.Len() {
		if err := row(r, x); err != nil {
			t.Fatal(err)
		}
		odds := 0.
		for j, v := range x {
			odds += v * w[j]
		}
		for j, v := range x {
			out[j] += v * root * (float64(y.At(r)) - 1/(1+math.Exp(-odds)))
		}
	}
	for j, v := range w {
		sd := 2 / math.Sqrt(lambda)
		if j == 0 {
			sd = 5 / math.Sqrt(lambda)
		}
		out[j] -= v / root / (sd * sd)
	}
	return out
}

// hours has classes that hours separate but for one row, a level without rows and a number that does not vary.
func hours(t *testing.T, n int, apart bool) *frame.Frame {
	t.Helper()
	var pass, school []string
	var worked, one []float64
	for i := range n {
		pass = append(pass, map[bool]string{false: "no", true: "yes"}[2*i >= n != (i == n/4 && !apart)])
		school = append(school, []string{"north", "south"}[i%2])
		worked, one = append(worked, 40*float64(i)/float64(n)), append(one, 3)
	}
	s := &frame.Schema{Dataset: "hours", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Categorical("school", "north", "south", "west"), frame.Real("hours", 0, 40), frame.Real("one", 0, 4)}}
	f, err := frame.FromColumns(s, map[string]any{"pass": pass, "school": school, "hours": worked, "one": one})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Without privacy the weights solve the equations of the likelihood with its prior, on easy rows and on hard ones:
// classes that are separated, a level without rows, a column that does not vary, one row, none. Least squares, and the
// weighted equations of Fisher scoring, do not solve them.
func TestPlainLogisticFitIsLikeliest(t *testing.T) {
	tables := map[string]*frame.Frame{"easy": exam(t, 500), "mixed": hours(t, 400, false), "apart": hours(t, 60, true),
		"one": exam(t, 1), "none": exam(t, 0)}
	for name, f := range tables {
		for _, lambda := range []float64{1e-4, 1, 1e4} {
			m := LogisticRegression("pass", "school", "hours").WithPrior(lambda)
			if _, _, err := f.Schema().Column("one"); err == nil {
				m = LogisticRegression("pass", "school", "hours", "one").WithPrior(lambda)
			}
			sh, err := NewShape(f.Schema(), m, f.Len(), true, "")
			if err != nil {
				t.Fatal(err)
			}
			st, err := Count(sh, f)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := FitPrivately(access.Mine(), st)
			if err != nil {
				t.Fatal(err)
			}
			// residuals are rounded to 2⁻²² each
			limit := 1e-6 + float64(f.Len())*0x1p-22
			for j, v := range slope(t, sh, f, fitted.Draws().Mean(), lambda) {
				if !(math.Abs(v) <= limit) || !fitted.likeliest {
					t.Errorf("%s, λ = %g: slope %d of the log density is %.3g", name, lambda, j, v)
				}
			}
			if name == "mixed" && lambda == 1 {
				sums, _ := FromSums(sh, f.Len(), st.sums)
				squares, err := FitPrivately(access.Mine(), sums)
				if err != nil || squares.likeliest {
					t.Fatal(err)
				}
				if g := slope(t, sh, f, squares.Draws().Mean(), lambda); !(math.Abs(g[3]) > 1) {
					t.Errorf("least squares: %v", g)
				}
			}
		}
	}
}

// A release's rows are read with bounds whatever the point says, and a fit falls back on sums where rows are gone.
func TestLikelihoodIsNotReleased(t *testing.T) {
	sh, _, st := countExam(t, 40)
	at := examPoint
	at.Likelihood = true
	bounded, err := st.OpenPass(t.Context(), access.Mine(), examPoint)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := st.OpenPass(t.Context(), access.Mine(), at)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := st.readAgain(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	for k := range bounded {
		if asked[k] != bounded[k] {
			t.Errorf("sum %d of a release is not bounded", k)
		}
	}
	if plain[0] == bounded[0] {
		t.Error("the likelihood's sums are those of a release")
	}
	st.again = func(context.Context, *Shape) (*Statistics, error) { return nil, errors.New("gone") }
	f, err := FitPrivately(access.Mine(), st)
	if err != nil || f.likeliest || f.FittedBy() == "" || f.shape != sh {
		t.Error(err, f)
	}
	residual, weight := steps.Logistic.Score(steps.Point{Beta: []float64{0}}, []float64{1}, 1)
	if residual != 1<<21 || weight != 1<<20 {
		t.Error(residual, weight)
	}
}
