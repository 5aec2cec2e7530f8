package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PoissonRegressionModel is a Poisson regression by a formula: see PoissonRegression.
type PoissonRegressionModel struct {
	ofSums
	byFormula
}

// PoissonRegression is the Poisson regression of a formula such as "visits ~ age + sex": the logarithm of the rate of
// its response, a column of counts whose public bounds are 0 and Y, Y whole and from 1 to 2^20. Numbers are rounded to
// whole ones and cut to these bounds, and the model knows of the cut: a response is min(N, Y), N Poisson. Counts that
// vary more than Poisson ones have intervals that are too narrow. Columns are coded as in Linear. The prior of a
// coefficient, in log-rates for half of its column's range, is N(0, 2²), that of the intercept N(0, 5²): Slopes and
// Intercept set other deviations.
//
// Only FisherScoring takes it. The formula needs an intercept, and every number and factor of an interaction or a power
// in a term of its own. Poisson is the rate of a column without others.
func PoissonRegression(text string) PoissonRegressionModel {
	f, target := parsed(text, 2)
	return PoissonRegressionModel{ofSums{base{target: target}}, f}
}

// Slopes sets the standard deviation > 0 of the prior of every coefficient but the intercept, in log-rates for half of
// a column's range: a public choice.
func (m PoissonRegressionModel) Slopes(sd float64) PoissonRegressionModel { m.slopes = sd; return m }

// Intercept sets the standard deviation > 0 of the prior of the intercept, in log-rates: a public choice.
func (m PoissonRegressionModel) Intercept(sd float64) PoissonRegressionModel {
	m.intercept = sd
	return m
}

// String describes the model.
func (m PoissonRegressionModel) String() string {
	return "Poisson regression " + safetext.Quote(m.text)
}

func (m PoissonRegressionModel) describe() Description {
	return m.described("poisson-regression", m.target)
}

func (m PoissonRegressionModel) of(text string) Model { return PoissonRegression(text) }

// with takes the response of a formula from the formula: a file that names another one is refused.
func (m PoissonRegressionModel) with(d Description) Model {
	m = PoissonRegression(d.Formula)
	m.slopes, m.intercept = d.Slopes, d.Intercept
	return m
}

func (m PoissonRegressionModel) columns(s *frame.Schema) ([]frame.Column, error) {
	return m.resolved(m, s, "in log-rates for half of a column's range")
}

// response is a column of counts from 0 to a public one.
func (m PoissonRegressionModel) response(of named) (frame.Column, error) {
	c, err := bounded(m, of, m.target)
	if err == nil && !(c.Min == 0 && c.Max >= 1 && c.Max <= steps.MostCount && c.Max == math.Trunc(c.Max)) {
		err = wrong(m, m.target, fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max),
			fmt.Sprintf("counts with the bounds 0 and a whole number up to %d; larger counts are cut to it", steps.MostCount))
	}
	return c, err
}

func (m PoissonRegressionModel) layOut(sh *Shape) error {
	err := m.layOutSteps(m, sh)
	if err == nil {
		sh.linear.Counts = int(sh.columns[0].Max)
		sh.linear.counted, err = steps.Poisson(sh.linear.Counts)
	}
	return err
}

func (m PoissonRegressionModel) summer(sh *Shape) (summer, error) { return newFormulaSums(sh), nil }

func (m PoissonRegressionModel) fitPlain(st *Statistics) (*Fitted, error) { return fitLikelihood(st) }

func (PoissonRegressionModel) words() Words {
	return Words{
		Measures: []string{"deviance per row"}, Headline: "root mean squared error", Score: "root mean squared error",
		Bars: "Error on held-out rows", Public: "bounds", Error: "a log-rate coefficient, over half of a column's range",
		Source: "none, since rows are read several times",
	}
}

func (m PoissonRegressionModel) steps(*Shape, int) float64 { return 0 }

func (m PoissonRegressionModel) simulate(context.Context, *Shape, int, float64, rand.Source) (*Statistics, error) {
	return nil, noRows(m)
}

// forecast gives the mean of min(N, Y) of every row over the draws, and its standard deviation: that of the mean over
// the draws, and of a count about it.
func (m PoissonRegressionModel) forecast(f *Fitted, x *frame.Frame) (mean, sd []float64, err error) {
	draws, _, _, err := f.weights()
	if err != nil {
		return nil, nil, err
	}
	family, _ := f.shape.Family()
	row, err := f.shape.scaledRows(x)
	if err != nil {
		return nil, nil, err
	}
	mean, sd = make([]float64, x.Len()), make([]float64, x.Len())
	scaled, every := make([]float64, len(draws[0])), max(1, len(draws)/forecastDraws)
	for r := range mean {
		if err := row(r, scaled); err != nil {
			return nil, nil, err
		}
		var k, sum, squares, within float64
		for i := 0; i < len(draws); i += every {
			t := 0.
			for j, v := range draws[i] {
				t += v * scaled[j]
			}
			centre, variance := family.Response(t)
			k, sum, squares, within = k+1, sum+centre, squares+centre*centre, within+variance
		}
		mean[r] = sum / k
		sd[r] = math.Sqrt(math.Max(squares/k-mean[r]*mean[r], 0) + within/k)
	}
	return mean, sd, nil
}

// forecastDraws are as many draws as a mean over rows is taken of.
const forecastDraws = 200

// scores are those of Forecast on held-out counts, beyond the greatest cut to it.
func (m PoissonRegressionModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	mean, sd, err := f.Forecast(x)
	if err != nil {
		return nil, err
	}
	y, err := f.heldOut(x, m.target)
	if err != nil {
		return nil, err
	}
	var deviance, covered float64
	cut, n := make([]float64, len(y)), float64(len(y))
	for i, v := range y {
		cut[i] = math.Min(math.Max(v, 0), f.shape.columns[0].Max)
		deviance += countDeviance(cut[i], mean[i]) / n
		covered += indicator(math.Abs(cut[i]-mean[i]) <= z95*sd[i]) / n
	}
	return append(append([]Score{{Name: "deviance per row", Value: deviance}}, errorScores(cut, mean)[1:]...),
		Score{Name: "counts within 1.96 sd", Value: covered, Share: true}), nil
}

// countDeviance is 2(y·log(y/m) − (y − m)) of a count y and its mean m.
func countDeviance(y, mean float64) float64 {
	mean = math.Max(mean, 1e-300)
	if y == 0 {
		return 2 * mean
	}
	return 2 * (y*math.Log(y/mean) - (y - mean))
}

func (PoissonRegressionModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	return firstScore(f, x)
}

func (PoissonRegressionModel) means(f *Fitted) [][]float64 { return [][]float64{f.Draws().Mean()} }

func (PoissonRegressionModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return difference(plain, released) / math.Sqrt(float64(sh.linear.Square())), math.NaN()
}

func (PoissonRegressionModel) figure(f, np *Fitted, caption string) *figure.Figure {
	return linkFigure(f, np, caption)
}

func (PoissonRegressionModel) summary(f *Fitted) *table.Table { return coefficientTable(f) }
