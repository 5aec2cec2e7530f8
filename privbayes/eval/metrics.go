package eval

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Scores are the metrics of class probabilities against the true classes of held-out rows. All read private data.
type Scores struct {
	N            int
	Classes      []string
	Accuracy     float64 // share of rows whose most probable class (the first, on ties) is the true one
	AccuracySE   float64 // √(a(1−a)/n)
	Balanced     float64 // mean over the classes present of the share of their rows got right
	AUC          float64 // probability that a row of a class scores higher than one of another, ties half; mean over classes
	Brier        float64 // mean Σ_j (p_j − 1[j true])², in [0, 2]
	CrossEntropy float64 // mean −log p(true class), nats
	Calibration  []Bin
	ECE          float64   // Σ_b n_b/n · |confidence_b − accuracy_b|
	Confusion    [][]int64 // [true][predicted]

	balancedSE, brierSE, entropySE float64
}

// Score computes all metrics: *InputError when rows, classes or labels do not fit.
func Score(probs [][]float64, labels []int, classes []string) (*Scores, error) {
	c, err := Confusion(probs, labels, classes)
	if err != nil {
		return nil, err
	}
	r, err := Calibration(probs, labels, calibrationBins)
	if err != nil {
		return nil, err
	}
	s := &Scores{N: len(labels), Classes: classes, Confusion: c.Counts, Calibration: r.Bins, ECE: r.ECE}
	var brier, entropy MeanSE
	for i, p := range probs {
		brier.Accumulate(brierOf(p, labels[i]))
		entropy.Accumulate(-math.Log(p[labels[i]]))
	}
	s.Brier, s.brierSE = brier.Mean, brier.SE
	s.CrossEntropy, s.entropySE = entropy.Mean, entropy.SE
	s.Accuracy = float64(c.right()) / float64(s.N)
	s.AccuracySE = math.Sqrt(s.Accuracy * (1 - s.Accuracy) / float64(s.N))
	s.Balanced, s.balancedSE = c.balanced()
	s.AUC = macroAUC(probs, labels, len(classes))
	return s, nil
}

// Metric is one number with what it means. SE is its standard error over rows, NaN where there is no simple one.
type Metric struct {
	Name    string
	Value   float64
	SE      float64
	N       int // rows
	Formula string
}

// Metrics lists the scores with standard errors over rows and formulas.
func (s *Scores) Metrics() []Metric {
	none := math.NaN()
	return []Metric{
		{"accuracy", s.Accuracy, s.AccuracySE, s.N, "share of rows with argmax p = y"},
		{"balanced accuracy", s.Balanced, s.balancedSE, s.N, "mean over classes of the share of their rows with argmax p = y"},
		{"AUC", s.AUC, none, s.N, "P(score of a positive > of a negative) + P(equal)/2, mean over classes"},
		{"Brier score", s.Brier, s.brierSE, s.N, "mean Σ_j (p_j − 1[y = j])²"},
		{"cross-entropy (nats)", s.CrossEntropy, s.entropySE, s.N, "mean −log p_y"},
		{"calibration error (ECE)", s.ECE, none, s.N, fmt.Sprintf("Σ_b n_b/n |mean p − observed share|, %d bins", calibrationBins)},
	}
}

// Table shows the metrics.
func (s *Scores) Table() *table.Table {
	t := table.New("Scores on held-out rows (private: do not publish)", "metric", "value", "s.e. over rows", "formula")
	for _, m := range s.Metrics() {
		var se any
		if !math.IsNaN(m.SE) {
			se = m.SE
		}
		t.Add(m.Name, m.Value, se, m.Formula)
	}
	return t.Note(table.Count(s.N, "held-out row"))
}

// rows lists the scores in the order of a report.
func (s *Scores) rows() []model.Score {
	return []model.Score{
		{Name: "accuracy", Value: s.Accuracy}, {Name: "s.e. of accuracy over rows", Value: s.AccuracySE}, {Name: "balanced accuracy", Value: s.Balanced},
		{Name: "AUC", Value: s.AUC}, {Name: "Brier score", Value: s.Brier}, {Name: "cross-entropy (nats)", Value: s.CrossEntropy},
		{Name: "calibration error (ECE)", Value: s.ECE},
	}
}

// ConfusionTable shows true classes in rows and predicted ones in columns.
func (s *Scores) ConfusionTable() *table.Table {
	return (&ConfusionMatrix{s.Classes, s.Confusion}).Table()
}
