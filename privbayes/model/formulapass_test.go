package model

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// visits has classes, counts cut at 6, a number and a factor of three levels; counts and classes go with the others.
func visits(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(3)
	var ill, town []string
	var age, times []float64
	for range n {
		a, level := math.Min(math.Max(100*sample.Float64(src), 10), 90), sample.Uniform(src, 3)
		odds := (a-50)/50 - float64(level)/2
		age, town = append(age, a), append(town, []string{"north", "south", "west"}[level])
		ill = append(ill, []string{"no", "yes"}[int(indicator(sample.Float64(src) < logistic(odds)))])
		rate, count, p := math.Exp(.3+.8*odds), 0., sample.Float64(src)
		for q := math.Exp(-rate); p > q && count < 6; count++ {
			p -= q
			q *= rate / (count + 1)
		}
		times = append(times, count)
	}
	s := &frame.Schema{Dataset: "visits", Columns: []frame.Column{frame.Categorical("ill", "no", "yes"),
		frame.Categorical("town", "north", "south", "west"), frame.Real("age", 10, 90), frame.Real("times", 0, 6)}}
	f, err := frame.FromColumns(s, map[string]any{"ill": ill, "town": town, "age": age, "times": times})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// visitRows are the columns 1, age, town=south, town=west, age², south·age, west·age of every row, with numbers on the
// grid of degree 2, 2^−11.
func visitRows(t testing.TB, f *frame.Frame) (out [][]float64) {
	ages, err := f.Values("age")
	towns, errTown := f.Codes("town")
	if err = errors.Join(err, errTown); err != nil {
		t.Fatal(err)
	}
	for i, a := range ages {
		u := math.RoundToEven(math.Min(math.Max((a-50)/40, -1), 1)*(1<<11)) / (1 << 11)
		south, west := indicator(towns.At(i) == 1), indicator(towns.At(i) == 2)
		out = append(out, []float64{1, u, south, west, u * u, south * u, west * u})
	}
	return out
}

var visitModels = []Model{Logistic("ill ~ age*town + I(age^2)"), PoissonRegression("times ~ age*town + I(age^2)")}

func countVisits(t testing.TB, m Model, f *frame.Frame) *Statistics {
	t.Helper()
	sh, err := NewShape(f.Schema(), m, f.Len(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A pass of a formula has the integers that exact arithmetic on the rows gives, in the units that OpenPass states; the
// first reading is the pass at the first point.
func TestFormulaPassIsExact(t *testing.T) {
	f := visits(t, 400)
	rows := visitRows(t, f)
	for _, m := range visitModels {
		st := countVisits(t, m, f)
		l := st.shape.linear
		family, _ := st.shape.Family()
		first := st.shape.firstPoint(family)
		for _, at := range []steps.Point{first, {Beta: []float64{.25, 1.5, -1, 2, .125, 0, -.75}, Cut: 300000},
			{Beta: []float64{-.25, 1, -1, 0, 3, 0, -.75}, Cut: 1 << 21, Likelihood: true}} {
			want := make([]*big.Int, len(l.Formula.Places)+len(l.weights))
			for k := range want {
				want[k] = new(big.Int)
			}
			read := readerOf(t, f, m, at)
			for r, row := range rows {
				residual, weight := read(r, row)
				for k, at := range l.Formula.Places {
					product := big.NewInt(int64(row[at[0][0]] * row[at[0][1]] * (1 << 46)))
					want[k].Add(want[k], product.Mul(product, big.NewInt(weight)))
				}
				for i, x := range row {
					product := big.NewInt(int64(x * (1 << 23)))
					want[len(l.Formula.Places)+i].Add(want[len(l.Formula.Places)+i], product.Mul(product, big.NewInt(residual)))
				}
			}
			got, err := st.readAgain(t.Context(), at)
			if err != nil {
				t.Fatal(err)
			}
			sameIntegers(t, fmt.Sprintf("%v at %v", m, at), got, want)
			if at.First {
				sameIntegers(t, "first reading", st.OpenMoments(access.Mine()), want)
			}
		}
	}
}

func sameIntegers(t *testing.T, name string, got []num.Int128, want []*big.Int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d sums, want %d", name, len(got), len(want))
	}
	for k, w := range want { // exponentials may differ in the last bit, which moves few records by a unit
		if d := new(big.Int).Sub(whole(got[k]), w); d.CmpAbs(new(big.Int).Lsh(big.NewInt(5), 46)) > 0 {
			t.Errorf("%s: sum %d: %v, want %v", name, k, whole(got[k]), w)
		}
	}
}

// readerOf gives residual and weight of a row by the formulas of theory/glm.md §4.1, or of the likelihood.
func readerOf(t *testing.T, f *frame.Frame, m Model, at steps.Point) func(r int, x []float64) (residual, weight int64) {
	ill, err := f.Codes("ill")
	times, errTimes := f.Values("times")
	if err = errors.Join(err, errTimes); err != nil {
		t.Fatal(err)
	}
	const unit, most = 1 << 22, 6.
	family, err := steps.Poisson(most)
	if err != nil {
		t.Fatal(err)
	}
	return func(r int, x []float64) (int64, int64) {
		index, y, mean, omega, a := 0., 0., 0., 0., 0.
		for j, b := range at.Beta {
			index += b * x[j]
		}
		if _, counts := m.(PoissonRegressionModel); counts {
			y, mean = math.Min(times[r], most), math.Min(math.Exp(index), most)
			omega = 1 / math.Max(mean, most-mean)
			if a = omega * mean; at.Likelihood {
				mean, _ = family.Response(index)
				after, _ := family.Response(index + 1e-6)
				before, _ := family.Response(index - 1e-6)
				omega, a = 1, (after-before)/2e-6
			}
		} else {
			y, mean = 2*float64(ill.At(r))-1, math.Tanh(index/2)
			omega = 1 / (1 + math.Abs(mean))
			if a = (1 - math.Abs(mean)) / 2; at.Likelihood {
				omega, a = .5, (1-mean*mean)/4
			}
		}
		weight := math.Round(a * unit)
		switch {
		case at.First:
			weight = float64(at.Cut)
		case !at.Likelihood:
			weight = math.Min(weight, float64(at.Cut))
		}
		return int64(math.Round(omega * (y - mean) * unit)), int64(weight)
	}
}

// The fit without privacy solves the equations of the likelihood and of the prior: the score of a row is y less its
// mean.
func TestFormulaFitWithoutPrivacy(t *testing.T) {
	f := visits(t, 3000)
	rows := visitRows(t, f)
	for _, m := range visitModels {
		st := countVisits(t, m, f)
		fit, err := FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
		l := st.shape.linear
		w := fit.Draws().Mean()
		beta := make([]float64, len(w))
		for i, v := range w {
			beta[i] = v * l.Formula.unit()
		}
		score, read := make([]float64, len(beta)), readerOf(t, f, m, steps.Point{Beta: beta, Likelihood: true})
		for r, row := range rows {
			residual, _ := read(r, row)
			for j, x := range row {
				score[j] += x * float64(residual) / (1 << 22)
			}
		}
		for j, b := range beta {
			sd := 2.
			if j == 0 {
				sd = 5
			}
			if rest := score[j] - b/(sd*sd); math.Abs(rest) > .02 {
				t.Errorf("%v: equation of %s: %v", m, l.weights[j], rest)
			}
		}
		if _, counts := m.(PoissonRegressionModel); !counts {
			continue
		}
		mean, sd, err := fit.Forecast(f)
		if err != nil {
			t.Fatal(err)
		}
		sum, square := 0., 0.
		values, _ := f.Values("times")
		most := 0
		for _, y := range values {
			most += int(indicator(y == 6))
		}
		if at, err := st.shape.AtBounds(access.Mine(), f); err != nil || at[0] != most {
			t.Errorf("%v counts at a bound, want %d, those of 6: %v", at, most, err)
		}
		for i, y := range values {
			sum += (y - mean[i]) / sd[i]
			square += (y - mean[i]) * (y - mean[i]) / (sd[i] * sd[i])
		}
		if n := float64(len(values)); math.Abs(sum) > 6.5*math.Sqrt(n) || math.Abs(square/n-1) > .2 {
			t.Errorf("forecasts: %v in all, squares of %v a row", sum, square/float64(len(values)))
		}
	}
}

// What is no such regression is refused, with the character or the column.
func TestFormulaPassRefuses(t *testing.T) {
	f := visits(t, 20)
	for _, test := range []struct {
		m    Model
		want error
	}{
		{Logistic("ill ~ 0 + age"), new(formula.Error)},
		{Logistic("ill ~ age:town"), new(formula.Error)},
		{Logistic("ill ~ town + I(age^2)"), new(formula.Error)},
		{Logistic("ill ~ age + age:town"), new(formula.Error)},
		{Logistic("ill ~ "), new(formula.Error)},
		{Logistic("age ~ times"), new(Error)},
		{Logistic("town ~ age"), new(Error)},
		{Linear("ill ~ age"), new(Error)},
		{Logistic("ill ~ age").Slopes(0), new(Error)},
		{PoissonRegression("ill ~ age"), new(Error)},
		{PoissonRegression("age ~ times"), new(Error)}, // from 10 on
		{PoissonRegression("times ~ age").Intercept(math.NaN()), new(Error)},
	} {
		_, err := NewShape(f.Schema(), test.m, 20, true, "")
		same := false
		switch test.want.(type) {
		case *formula.Error:
			same = errors.As(err, new(*formula.Error))
		case *Error:
			same = errors.As(err, new(*Error))
		}
		if !same {
			t.Errorf("%v: %v, want %T", test.m, err, test.want)
		}
	}
	st := countVisits(t, visitModels[0], f)
	if _, err := st.shape.Simulate(t.Context(), 1, dp.Seeded(1)); !errors.As(err, new(*Error)) {
		t.Errorf("a simulation: %v", err)
	}
}
