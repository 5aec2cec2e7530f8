// Command wages measures how much wider than least squares a private wage regression is, on the rows, the formula, the
// bounds and at the δ for which dp-statsmodels publishes the same ratio: log wages of the March 2024 supplement of the
// CPS on education, experience, its square and sex.
//
//	wages cps_asec_2024_wages.csv.gz > bench/wages/results.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
)

const (
	formula  = "log_wage ~ educ_years + experience + I(experience^2) + female"
	releases = 20
)

// row is what the releases at one ε gave, a number a coefficient.
type row struct {
	Epsilon float64   `json:"epsilon"`
	Refused int       `json:"refused,omitempty"` // releases whose chains did not agree
	Width   []float64 `json:"width"`             // mean deviation of the posterior over least squares' standard error
	Error   []float64 `json:"error"`             // root of the mean squared distance to least squares, over the same
	Held    []float64 `json:"held"`              // share of the intervals of 95 % that hold least squares' estimate
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "wages:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments: want the table of the March 2024 supplement", len(args))
	}
	// dp-statsmodels takes these bounds from the documentation of the survey.
	schema := &frame.Schema{Dataset: "cps2024", ExtraColumns: true, Columns: []frame.Column{
		frame.Real("log_wage", 0, 15), frame.Real("educ_years", 0, 22), frame.Real("experience", 0, 50),
		frame.Real("female", 0, 1)}}
	for j := range schema.Columns {
		schema.Columns[j].OnOutOfDomain = "clamp"
	}
	f := privbayes.LoadFrame(args[0], schema)
	if err := f.Err(); err != nil {
		return err
	}
	n := f.Data().Len()
	delta := 1 / math.Pow(float64(n), 2)
	want, se, err := leastSquares(f.Data())
	if err != nil {
		return err
	}
	var names []string
	var rows []row
	for _, eps := range []float64{1, 3, 10, 50, 100} {
		r := row{Epsilon: eps, Width: make([]float64, len(want)), Error: make([]float64, len(want)),
			Held: make([]float64, len(want))}
		runs := 0.
		for seed := range uint64(releases) {
			release, err := f.Model(privbayes.Linear(formula)).Privatize(privbayes.SufficientStatistics(),
				privbayes.ApproxDP(eps, delta), privbayes.Seeded(seed+1)).Release()
			if err != nil {
				return err
			}
			if err := release.Model().Sample(ctx); errors.As(err, new(*regression.NotConvergedError)) {
				r.Refused++
				continue
			} else if err != nil {
				return err
			}
			draws, err := release.Model().CoefficientDraws()
			if err != nil {
				return err
			}
			_, cov, err := release.Model().CoefficientCovariance()
			if err != nil {
				return err
			}
			runs++
			names = draws.Names
			for j, mean := range draws.Mean() {
				r.Width[j] += math.Sqrt(cov[j][j]) / se[j]
				r.Error[j] += math.Pow((mean-want[j])/se[j], 2)
				if draws.Quantile(j, .025) <= want[j] && want[j] <= draws.Quantile(j, .975) {
					r.Held[j]++
				}
			}
		}
		for j := range want {
			r.Width[j], r.Error[j], r.Held[j] = r.Width[j]/runs, math.Sqrt(r.Error[j]/runs), r.Held[j]/runs
		}
		rows = append(rows, r)
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"rows": n, "delta": delta, "releases": releases, "formula": formula,
		"coefficients": names, "ols": want, "ols_se": se, "ours": rows})
}

// leastSquares are the estimates without privacy and their standard errors, in the order of the formula.
func leastSquares(f *frame.Frame) (at, se []float64, err error) {
	var x [][]float64
	for _, name := range []string{"log_wage", "educ_years", "experience", "female"} {
		values, err := f.Values(name)
		if err != nil {
			return nil, nil, err
		}
		x = append(x, values)
	}
	n := len(x[0])
	y, a := mat.NewVecDense(n, x[0]), mat.NewDense(n, 5, nil)
	for i := range n {
		a.SetRow(i, []float64{1, x[1][i], x[2][i], x[2][i] * x[2][i], x[3][i]})
	}
	var square mat.SymDense
	var chol mat.Cholesky
	var right, w, residual mat.VecDense
	square.SymOuterK(1, a.T())
	right.MulVec(a.T(), y)
	if !chol.Factorize(&square) || chol.SolveVecTo(&w, &right) != nil {
		return nil, nil, errors.New("dependent columns")
	}
	residual.MulVec(a, &w)
	residual.SubVec(y, &residual)
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, nil, err
	}
	s := mat.Norm(&residual, 2) / math.Sqrt(float64(n-5))
	for j := range 5 {
		at, se = append(at, w.AtVec(j)), append(se, s*math.Sqrt(inverse.At(j, j)))
	}
	return at, se, nil
}
