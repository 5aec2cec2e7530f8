package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ofOdds is what logistic regressions have in common.
type ofOdds struct{ ofSums }

// LogisticRegressionModel is log-odds of the second of two classes = intercept + Σ slope·feature: see
// LogisticRegression.
type LogisticRegressionModel struct {
	ofOdds
	features []string
}

// LogisticRegression is log-odds of the second level of a column of two = intercept + Σ slope·feature, made of second
// moments: with the classes as y = −1 and 1 and rows scaled by the public bounds of their columns, so that ‖x̃‖ ≤ 1,
// the weights on scaled rows are 2.4·(XᵀX + λI)⁻¹Xᵀy, λ = 1. Least squares times 2.4 are near the logistic regression
// where most probabilities lie between .05 and .95, and flatter beyond: a bias that more rows do not take away. A
// categorical feature is a factor, as in LinearRegression. Without names the features are all other numeric columns.
func LogisticRegression(target string, features ...string) LogisticRegressionModel {
	return LogisticRegressionModel{ofOdds{ofSums{base{target, Prior{1}}}}, features}
}

// WithPrior sets the ridge λ > 0 on the weights of scaled rows: a public choice.
func (m LogisticRegressionModel) WithPrior(lambda ...float64) LogisticRegressionModel {
	m.alpha = slices.Clone(lambda)
	return m
}

// String describes the model.
func (m LogisticRegressionModel) String() string {
	return "logistic regression of " + safetext.Quote(m.target)
}

func (m LogisticRegressionModel) describe() Description {
	return Description{Kind: "logistic-regression", Target: m.target, Features: m.features, Alpha: m.alpha}
}

func (m LogisticRegressionModel) with(d Description) Model {
	m.target, m.features, m.alpha = d.Target, d.Features, d.Alpha
	return m
}

func (m LogisticRegressionModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.parameter(m, "ridge λ"); err != nil {
		return nil, err
	}
	return designColumns(m, s, m.features)
}

// response is a column of two classes.
func (m LogisticRegressionModel) response(of named) (frame.Column, error) { return classes(m, of) }

// classes is the target, a column of two classes.
func classes(m Model, of named) (frame.Column, error) {
	c, err := of.column(m.Target())
	if err != nil {
		return frame.Column{}, err
	}
	if c.Kind != frame.KindCategorical {
		return *c, wrong(m, m.Target(), fmt.Sprintf("a column of kind %s", c.Kind), "a column of two categories")
	}
	if c.Levels() != 2 {
		return *c, wrong(m, m.Target(), levelsOf(*c), "two; NaiveBayes takes more classes")
	}
	return *c, nil
}

func (m LogisticRegressionModel) layOut(sh *Shape) error { return layOutMoments(m, sh, true, 0) }

func (m LogisticRegressionModel) summer(sh *Shape) (summer, error) { return newRegressionSums(sh) }

func (ofOdds) words() Words {
	return Words{
		Measures: []string{"accuracy", "log loss"}, Guess: "majority class", Headline: "accuracy", Score: "accuracy",
		Bars: "Accuracy on held-out rows", Public: "bounds", Error: "a log-odds coefficient, over half of a column's range",
		Source: "log-odds coefficients over half of a range standard normal, features uniform on their bounds",
	}
}

// fitPlain is logistic regression where the rows can be read again. From second moments alone it is 2.4 times least
// squares, which is not, and has a bias.
func (m LogisticRegressionModel) fitPlain(st *Statistics) (*Fitted, error) {
	xx, xy, _ := st.shape.linear.Moments(st.sums)
	w, likeliest := st.likeliest(context.Background())
	if !likeliest {
		var err error
		if w, _, err = leastsquares.Logit(xx, xy, m.alpha[0], 0); err != nil {
			return nil, err
		}
	}
	f, err := Fit(st.shape, Estimate{Draws: &Draws{Names: st.shape.linear.Weights(), Values: [][]float64{w}}})
	if err != nil {
		return nil, err
	}
	if f.likeliest = likeliest; xy[0] > 0 {
		f.majority = 1
	}
	return f, nil
}

func (m LogisticRegressionModel) steps(sh *Shape, _ int) float64 {
	d := float64(len(sh.linear.weights))
	return 4e5 + 10*regressionRows*d*d + 30*d*d*d
}

// simulate draws coefficients over half of every range, and the intercept, from the standard normal, features uniform
// between their bounds and over their levels, and classes.
func (m LogisticRegressionModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	design := sh.linear.Design
	w := make([]float64, design.Dim())
	for i := range w {
		w[i] = math.Sqrt(float64(design.Square())) * sample.Normal(src)
	}
	return simulateRows(ctx, sh, n, src, func(x []float64) float64 {
		odds := 0.0
		for i, v := range x {
			odds += w[i] * v
		}
		return 2*indicator(sample.Float64(src) < logistic(odds)) - 1
	})
}

// logistic is 1/(1 + e^{−x}), without a loss of digits.
func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// predict gives the probabilities of both classes of every row: of the second one, logistic(w·x̃).
func (ofOdds) predict(f *Fitted, x *frame.Frame) ([]float64, error) {
	draws, _, _, err := f.weights()
	if err != nil {
		return nil, err
	}
	w, _ := moments(draws)
	row, err := f.shape.scaledRows(x)
	if err != nil {
		return nil, err
	}
	out, scaled := make([]float64, 2*x.Len()), make([]float64, len(w))
	for r := range x.Len() {
		if err := row(r, scaled); err != nil {
			return nil, err
		}
		odds := 0.0
		for i, v := range w {
			odds += v * scaled[i]
		}
		out[2*r], out[2*r+1] = logistic(-odds), logistic(odds)
	}
	return out, nil
}

// scores has none beside those of class probabilities.
func (ofOdds) scores(*Fitted, *frame.Frame) ([]Score, error) { return nil, nil }

// measure gives the accuracy (ties to the first class) and the mean −log probability of the true class.
func (ofOdds) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	if unseen(x) {
		return []float64{0, 0}, nil
	}
	labels, err := f.Labels(x)
	if err != nil {
		return nil, err
	}
	flat, _, err := f.Probabilities(x)
	if err != nil {
		return nil, err
	}
	accuracy, logLoss, n := 0.0, 0.0, math.Max(1, float64(len(labels)))
	for i, l := range labels {
		accuracy += indicator((flat[2*i+1] > flat[2*i]) == (l == 1)) / n
		logLoss -= math.Log(flat[2*i+l]) / n
	}
	return []float64{accuracy, logLoss}, nil
}

// guess is the accuracy of always saying the class that is most frequent in training.
func (ofOdds) guess(np *Fitted, x *frame.Frame) (right float64, err error) {
	labels, err := np.Labels(x)
	for _, l := range labels {
		right += indicator(l == np.majority) / float64(len(labels))
	}
	return right, err
}

func (ofOdds) means(f *Fitted) [][]float64 { return [][]float64{f.Draws().Mean()} }

// distance is the mean absolute difference of the coefficients over half of a range: weights over √D.
func (ofOdds) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return difference(plain, released) / math.Sqrt(float64(sh.linear.Square())), math.NaN()
}

func (ofOdds) figure(f, np *Fitted, caption string) *figure.Figure { return linkFigure(f, np, caption) }

// linkFigure shows what goes with a named change of each column in the log-odds of the second class, or the log-rate.
func linkFigure(f, np *Fitted, caption string) *figure.Figure {
	of, unit := f.shape.Link()
	return effectsFigure(f, np, caption, "Effects on "+of, "difference of "+unit)
}

// Link names what a logistic or Poisson regression is linear in, as "the log-odds of weight = low", and its unit; both
// are empty for other models.
func (s *Shape) Link() (of, unit string) {
	if s.linear == nil {
		return "", ""
	}
	switch c := s.columns[0]; {
	case s.linear.Counts > 0:
		return "the log-rate of " + safetext.Word(c.Name), "log-rates"
	case s.Classifies():
		return fmt.Sprintf("the log-odds of %s = %s", safetext.Word(c.Name), safetext.Word(c.Labels()[1])), "log-odds"
	}
	return "", ""
}

func (ofOdds) summary(f *Fitted) *table.Table { return coefficientTable(f) }

// coefficientTable is the table of coefficients, in the units of the data.
func coefficientTable(f *Fitted) *table.Table {
	t, err := f.Coefficients()
	if err != nil { // draws of something else
		return f.Draws().Summary()
	}
	return t
}

// LogisticModel is a logistic regression by a formula: see Logistic.
type LogisticModel struct {
	ofOdds
	byFormula
}

// Logistic is the logistic regression of a formula such as "income ~ education*sex + poly(age, 2)": the log-odds of the
// second level of its response, a column of two. Columns are coded as in Linear. The prior of a coefficient, in
// log-odds for half of its column's range, is N(0, 2²), that of the intercept N(0, 5²): Slopes and Intercept set other
// deviations.
//
// FisherScoring takes it, and ContingencyTable where all columns are categorical. The formula needs an intercept, and
// every number and factor of an interaction or a power in a term of its own: the moments of these say how rows are
// distributed. Others are refused with *formula.Error, where the model meets its schema.
func Logistic(text string) LogisticModel {
	f, target := parsed(text, 2)
	return LogisticModel{ofOdds{ofSums{base{target: target}}}, f}
}

// Slopes sets the standard deviation > 0 of the prior of every coefficient but the intercept, in log-odds for half of a
// column's range: a public choice.
func (m LogisticModel) Slopes(sd float64) LogisticModel { m.slopes = sd; return m }

// Intercept sets the standard deviation > 0 of the prior of the intercept, in log-odds: a public choice.
func (m LogisticModel) Intercept(sd float64) LogisticModel { m.intercept = sd; return m }

// String describes the model.
func (m LogisticModel) String() string { return "logistic regression " + safetext.Quote(m.text) }

func (m LogisticModel) describe() Description { return m.described("logistic", m.target) }

func (m LogisticModel) of(text string) Model { return Logistic(text) }

// with takes the response of a formula from the formula: a file that names another one is refused.
func (m LogisticModel) with(d Description) Model {
	m = Logistic(d.Formula)
	m.slopes, m.intercept = d.Slopes, d.Intercept
	return m
}

func (m LogisticModel) columns(s *frame.Schema) ([]frame.Column, error) {
	return m.resolved(m, s, "in log-odds for half of a column's range")
}

// response is a column of two classes.
func (m LogisticModel) response(of named) (frame.Column, error) { return classes(m, of) }

func (m LogisticModel) layOut(sh *Shape) error { return m.layOutSteps(m, sh) }

// layOutSteps names what a first reading sums up: products of columns, with the weight of a row, and columns times the
// residual.
func (f byFormula) layOutSteps(m Model, sh *Shape) error {
	out, err := f.coded(m, sh)
	if err != nil {
		return err
	}
	if err := f.formula.Hierarchical(out.Design); err != nil {
		return err
	}
	for _, at := range out.Places {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ weight·%s·%s", out.Names[at[0][0]], out.Names[at[0][1]]))
	}
	for _, a := range out.Names {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ residual·%s", a))
	}
	return nil
}

func (m LogisticModel) summer(sh *Shape) (summer, error) { return newFormulaSums(sh), nil }

func (m LogisticModel) fitPlain(st *Statistics) (*Fitted, error) { return fitLikelihood(st) }

func (m LogisticModel) words() Words {
	w := m.ofOdds.words()
	w.Source = "none, since rows are read several times"
	return w
}

func (m LogisticModel) steps(*Shape, int) float64 { return 0 }

func (m LogisticModel) simulate(context.Context, *Shape, int, float64, rand.Source) (*Statistics, error) {
	return nil, noRows(m)
}

// noRows says that a model of rows that are read several times has no statistics without them.
func noRows(m Model) error {
	return wrong(m, "", "sums without rows", "a frame or a source, whose rows are read several times")
}
