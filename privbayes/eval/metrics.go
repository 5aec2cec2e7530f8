package eval

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/privbayes/privbayes-go/internal/domain"
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
	AUC          float64 // P(a row of a class scores higher than another), ties half; mean over classes
	Brier        float64 // mean Σ_j (p_j − 1[j true])², in [0, 2]
	CrossEntropy float64 // mean −log p(true class), nats
	Calibration  []Bin
	ECE          float64   // Σ_b n_b/n · |confidence_b − accuracy_b|
	Confusion    [][]int64 // [true][predicted]

	balancedSE, brierSE, entropySE float64
}

// Score computes all metrics; names are those of the classes. Ties go to the first class. Errors: *dp.ParameterError
// when rows, classes or labels do not fit.
//
//	accuracy            a = (1/n) Σ_i 1[argmax_j p_ij = y_i]
//	balanced accuracy   (1/J') Σ_{j: n_j > 0} r_j, r_j the share of the rows of class j got right;
//	                    its s.e. is √(Σ_j r_j(1−r_j)/n_j) / J'
//	AUC                 mean of the one-versus-rest AUCs over classes that some but not all rows belong to;
//	                    NaN when all rows have one class
//	Brier score         (1/n) Σ_i Σ_j (p_ij − 1[y_i = j])² (Brier 1950); with two classes twice the one-class form
//	cross-entropy       −(1/n) Σ_i log p_{i,y_i}; +Inf as soon as one row's true class has probability 0:
//	                    such a prediction is not repaired
func Score(probs [][]float64, labels []int, names []string) (*Scores, error) {
	if err := checkProbs(probs, labels); err != nil {
		return nil, err
	}
	return score(slices.Concat(probs...), labels, len(probs[0]), names)
}

// score is Score of probabilities that were checked, row after row.
func score(flat []float64, labels []int, classes int, names []string) (*Scores, error) {
	if classes != len(names) {
		return nil, domain.Refuse("eval", "classes", fmt.Sprintf("%d names for %d probabilities", len(names), classes),
			"one name per class")
	}
	g := group(flat, classes, labels)
	r := g.reliability(calibrationBins)
	s := &Scores{N: len(labels), Classes: names, Calibration: r.Bins, ECE: r.ECE,
		Confusion: make([][]int64, len(names))}
	for j := range s.Confusion {
		s.Confusion[j] = make([]int64, len(names))
	}
	var brier, entropy, times []float64 // of the rows of a group and a class, and how many they are
	for k := range g.groups() {
		p, rows := g.of(k)
		best, squares := floats.MaxIdx(p), floats.Dot(p, p)
		for y, n := range rows {
			if n == 0 {
				continue
			}
			s.Confusion[y][best] += int64(n)
			if best == y {
				s.Accuracy += n
			}
			miss := p[y] - 1
			brier = append(brier, max(squares-p[y]*p[y], 0)+miss*miss)
			entropy = append(entropy, -math.Log(p[y]))
			times = append(times, n)
		}
	}
	s.Accuracy /= float64(s.N)
	root := math.Sqrt(float64(s.N))
	s.Brier, s.brierSE = stat.MeanStdDev(brier, times)
	s.CrossEntropy, s.entropySE = stat.MeanStdDev(entropy, times)
	s.brierSE, s.entropySE = s.brierSE/root, s.entropySE/root
	s.AccuracySE = math.Sqrt(s.Accuracy * (1 - s.Accuracy) / float64(s.N))
	s.balance()
	s.AUC = g.macroAUC()
	return s, nil
}

// balance is the mean recall over the classes present.
func (s *Scores) balance() {
	variance, present := 0.0, 0.0
	for j, row := range s.Confusion {
		total := 0.0
		for _, n := range row {
			total += float64(n)
		}
		if total > 0 {
			recall := float64(row[j]) / total
			s.Balanced += recall
			variance += recall * (1 - recall) / total
			present++
		}
	}
	s.Balanced, s.balancedSE = s.Balanced/present, math.Sqrt(variance)/present
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
		{"balanced accuracy", s.Balanced, s.balancedSE, s.N,
			"mean over classes of the share of their rows with argmax p = y"},
		{"AUC", s.AUC, none, s.N, "P(score of a positive > of a negative) + P(equal)/2, mean over classes"},
		{"Brier score", s.Brier, s.brierSE, s.N, "mean Σ_j (p_j − 1[y = j])²"},
		{"cross-entropy (nats)", s.CrossEntropy, s.entropySE, s.N, "mean −log p_y"},
		{"calibration error (ECE)", s.ECE, none, s.N,
			fmt.Sprintf("Σ_b n_b/n |mean p − observed share|, %d bins", calibrationBins)},
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
func (s *Scores) rows() (out []model.Score) {
	for i, m := range s.Metrics() {
		if out = append(out, model.Score{Name: m.Name, Value: m.Value}); i == 0 {
			out = append(out, model.Score{Name: "s.e. of accuracy over rows", Value: s.AccuracySE})
		}
	}
	return out
}

// ConfusionTable counts rows by true class, in rows, and by most probable class, in columns.
func (s *Scores) ConfusionTable() *table.Table {
	t := table.New("Confusion matrix (private: do not publish)", append([]string{"true class"}, s.Classes...)...)
	for j, row := range s.Confusion {
		cells := []any{s.Classes[j]}
		for _, n := range row {
			cells = append(cells, n)
		}
		t.Add(cells...)
	}
	return t
}
