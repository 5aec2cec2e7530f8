package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// predict gives the probabilities of both classes of every row: of the second one, logistic(w·x̃).
func (m LogisticRegressionModel) predict(f *Fitted, x *frame.Frame) ([]float64, error) {
	draws, _, _, err := f.weights()
	if err != nil {
		return nil, err
	}
	w, _ := moments(draws)
	features, err := f.shape.readFeatures(x)
	if err != nil {
		return nil, err
	}
	design := f.shape.linear.Design
	out := make([]float64, 2*x.Len())
	row, scaled := make([]float64, len(features.coordinates)), make([]float64, design.Dim()+1)
	for r := range x.Len() {
		features.row(r, row)
		if _, err := design.Row(row, 0, scaled); err != nil {
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
func (LogisticRegressionModel) scores(*Fitted, *frame.Frame) ([]Score, error) { return nil, nil }

// measure gives the accuracy (ties to the first class) and the mean −log probability of the true class.
func (LogisticRegressionModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
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
func (LogisticRegressionModel) guess(np *Fitted, x *frame.Frame) (right float64, err error) {
	labels, err := np.Labels(x)
	for _, l := range labels {
		right += indicator(l == np.majority) / float64(len(labels))
	}
	return right, err
}

func (LogisticRegressionModel) means(f *Fitted) [][]float64 { return [][]float64{f.draws.Mean()} }

// distance is the mean absolute difference of the coefficients over half of a range: weights over √D.
func (LogisticRegressionModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return difference(plain, released) / math.Sqrt(float64(sh.linear.Square())), math.NaN()
}

// figure shows what each column changes over its public range in the log-odds of the second class.
func (LogisticRegressionModel) figure(f, np *Fitted, caption string) *figure.Figure {
	return effectsFigure(f, np, caption, "What each column does to "+f.shape.odds(),
		"change of log-odds over the column's range")
}

// odds names the log-odds that a logistic regression is about.
func (s *Shape) odds() string {
	c := s.columns[0]
	return fmt.Sprintf("the log-odds of %s = %s", safetext.Word(c.Name), safetext.Word(c.Labels()[1]))
}

// summary is the table of coefficients.
func (LogisticRegressionModel) summary(f *Fitted) *table.Table {
	t, err := f.Coefficients()
	if err != nil { // draws of something else
		return f.draws.Summary()
	}
	return t
}
