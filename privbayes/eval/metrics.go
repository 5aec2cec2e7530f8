package eval

import (
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// InputError says that predictions and labels do not fit together.
type InputError struct{ What, Have, Want string }

func (e *InputError) Error() string {
	return fmt.Sprintf("eval: %s: %s; want %s", e.What, e.Have, e.Want)
}

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
}

// Bin is one cell of the reliability diagram of the most probable class.
type Bin struct {
	From, To             float64
	Confidence, Accuracy float64 // means in the bin
	N                    int
}

// calibrationBins is the number of equal bins of the reliability diagram.
const calibrationBins = 10

// Score computes all metrics: *InputError when rows, classes or labels do not fit.
func Score(probs [][]float64, labels []int, classes []string) (*Scores, error) {
	if len(probs) != len(labels) || len(labels) == 0 {
		return nil, &InputError{"rows", fmt.Sprintf("%d predictions for %d labels", len(probs), len(labels)), "one prediction per label, and at least one row"}
	}
	for i, p := range probs {
		if len(p) != len(classes) || labels[i] < 0 || labels[i] >= len(classes) {
			return nil, &InputError{fmt.Sprintf("row %d", i), fmt.Sprintf("%d probabilities, label %d", len(p), labels[i]), fmt.Sprintf("%d probabilities and a label below that", len(classes))}
		}
	}
	s := &Scores{N: len(labels), Classes: classes, Confusion: make([][]int64, len(classes))}
	for j := range s.Confusion {
		s.Confusion[j] = make([]int64, len(classes))
	}
	bins := make([]Bin, calibrationBins)
	for i, p := range probs {
		best, y := argmax(p), labels[i]
		s.Confusion[y][best]++
		s.CrossEntropy -= math.Log(p[y])
		for j, v := range p {
			if j == y {
				v -= 1
			}
			s.Brier += v * v
		}
		b := &bins[min(int(p[best]*calibrationBins), calibrationBins-1)]
		b.N++
		b.Confidence += p[best]
		if best == y {
			s.Accuracy++
			b.Accuracy++
		}
	}
	n := float64(s.N)
	s.Accuracy, s.Brier, s.CrossEntropy = s.Accuracy/n, s.Brier/n, s.CrossEntropy/n
	s.AccuracySE = math.Sqrt(s.Accuracy * (1 - s.Accuracy) / n)
	s.Balanced = balanced(s.Confusion)
	s.AUC = macroAUC(probs, labels, len(classes))
	for k, b := range bins {
		b.From, b.To = float64(k)/calibrationBins, float64(k+1)/calibrationBins
		if b.N > 0 {
			b.Confidence /= float64(b.N)
			b.Accuracy /= float64(b.N)
			s.ECE += float64(b.N) / n * math.Abs(b.Confidence-b.Accuracy)
			s.Calibration = append(s.Calibration, b)
		}
	}
	return s, nil
}

func balanced(confusion [][]int64) float64 {
	sum, present := 0.0, 0.0
	for j, row := range confusion {
		total := int64(0)
		for _, c := range row {
			total += c
		}
		if total > 0 {
			sum += float64(row[j]) / float64(total)
			present++
		}
	}
	return sum / math.Max(1, present)
}

// AUC is the probability that a positive row's score exceeds a negative one's, ties counted half, from mid-ranks in O(n log n);
// NaN when one of the two is absent.
func AUC(scores []float64, positive []bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] < scores[order[b]] })
	ranks, pos := 0.0, 0.0
	for i := 0; i < len(order); {
		k := i
		for k < len(order) && scores[order[k]] == scores[order[i]] {
			k++
		}
		mid := float64(i+k+1) / 2
		for ; i < k; i++ {
			if positive[order[i]] {
				ranks += mid
				pos++
			}
		}
	}
	return (ranks - pos*(pos+1)/2) / (pos * (float64(len(scores)) - pos))
}

func macroAUC(probs [][]float64, labels []int, classes int) float64 {
	scores, positive := make([]float64, len(labels)), make([]bool, len(labels))
	sum, present := 0.0, 0.0
	for j := range classes {
		for i := range labels {
			scores[i], positive[i] = probs[i][j], labels[i] == j
		}
		if a := AUC(scores, positive); !math.IsNaN(a) {
			sum += a
			present++
		}
	}
	return sum / present
}

// TwoWay splits the variation of values[split][repeat] into its parts: the mean, the standard error over splits (their variance
// component, less what the noise explains and not below 0, over the number of splits) and the standard error over noise (the mean
// variance within a split, over the number of values).
func TwoWay(values [][]float64) (mean, overSplits, overNoise float64) {
	splits, repeats := float64(len(values)), float64(len(values[0]))
	means := make([]float64, len(values))
	within := 0.0
	for s, v := range values {
		for _, x := range v {
			means[s] += x / repeats
		}
		for _, x := range v {
			within += (x - means[s]) * (x - means[s])
		}
		mean += means[s] / splits
	}
	between := 0.0
	for _, m := range means {
		between += (m - mean) * (m - mean)
	}
	if repeats > 1 {
		within /= splits * (repeats - 1)
	}
	if splits > 1 {
		between = math.Max(0, between/(splits-1)-within/repeats)
	}
	return mean, math.Sqrt(between / splits), math.Sqrt(within / (splits * repeats))
}

// rows adds one line per metric to a table with a column per scored model.
func (s *Scores) rows() [][2]any {
	return [][2]any{
		{"accuracy", s.Accuracy}, {"s.e. of accuracy over rows", s.AccuracySE}, {"balanced accuracy", s.Balanced}, {"AUC", s.AUC},
		{"Brier score", s.Brier}, {"cross-entropy (nats)", s.CrossEntropy}, {"calibration error (ECE)", s.ECE},
	}
}

// ConfusionTable shows true classes in rows and predicted ones in columns.
func (s *Scores) ConfusionTable() *table.Table {
	t := table.New("Confusion matrix (private: do not publish)", append([]string{"true class"}, s.Classes...)...)
	for j, row := range s.Confusion {
		cells := []any{s.Classes[j]}
		for _, c := range row {
			cells = append(cells, c)
		}
		t.Add(cells...)
	}
	return t
}

// CalibrationFigure is the reliability diagram: accuracy against confidence of the most probable class.
func (s *Scores) CalibrationFigure(caption string) *Figure {
	f := &Figure{Title: "Calibration", XLabel: "mean predicted probability", YLabel: "observed share", Caption: caption, Private: true}
	ideal := Series{Name: "ideal", Kind: Line, X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true}
	seen := Series{Name: "release", Kind: Points}
	for _, b := range s.Calibration {
		seen.X, seen.Y = append(seen.X, b.Confidence), append(seen.Y, b.Accuracy)
	}
	f.Series = []Series{ideal, seen}
	return f
}
