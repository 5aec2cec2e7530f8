package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
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
	open                           public
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
	t := table.New(s.open.title("Scores on held-out rows"), "metric", "value", "s.e. over rows", "formula")
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
	t := table.New(s.open.title("Confusion matrix"), append([]string{"true class"}, s.Classes...)...)
	for j, row := range s.Confusion {
		cells := []any{s.Classes[j]}
		for _, n := range row {
			cells = append(cells, n)
		}
		t.Add(cells...)
	}
	return t
}

// AUC is the area under the receiver operating characteristic: the probability that a random positive row scores higher
// than a random negative one, ties counted half. With mid-ranks R_i of the scores (Mann and Whitney 1947),
//
//	AUC = (Σ_{i positive} R_i − P(P+1)/2) / (P·N),   P positive and N negative rows,
//
// in O(n + k log k) for k different scores. It is unchanged by increasing transformations of the scores. NaN when P or
// N is 0, when a score is NaN, and when the lengths differ.
func AUC(scores []float64, positive []bool) float64 {
	if checkScores(scores, positive) != nil {
		return math.NaN()
	}
	g := &grouped{classes: 1, slots: make([]int32, 1<<10)}
	var all []scored
	for i, s := range scores {
		k := g.find(scores[i : i+1])
		if k == len(all) {
			all = append(all, scored{score: s})
		}
		if positive[i] {
			all[k].positive++
		} else {
			all[k].negative++
		}
	}
	return auc(all)
}

// scored counts the rows that have a score.
type scored struct{ score, positive, negative float64 }

// auc is AUC of counted scores, which it sorts. They may be listed several times.
func auc(all []scored) float64 {
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	wins, pos, neg := 0.0, 0.0, 0.0
	for i := 0; i < len(all); {
		p, n, at := 0.0, 0.0, all[i].score
		for ; i < len(all) && all[i].score == at; i++ {
			p += all[i].positive
			n += all[i].negative
		}
		wins += p * (neg + n/2)
		pos += p
		neg += n
	}
	return wins / (pos * neg)
}

// sumTolerance is how far the probabilities of a row may be from summing to 1: rounding, not a different scale.
const sumTolerance = 1e-6

// checkProbs checks an n × J matrix of class probabilities and n labels below J, n ≥ 1.
func checkProbs(probs [][]float64, labels []int) error {
	if len(probs) != len(labels) || len(labels) == 0 {
		return domain.Refuse("eval", "rows", fmt.Sprintf("%d predictions for %d labels", len(probs), len(labels)),
			"one prediction per label, and at least one row")
	}
	classes := len(probs[0])
	for i, p := range probs {
		if len(p) != classes || classes == 0 {
			return domain.Refuse("eval", fmt.Sprintf("row %d", i), fmt.Sprintf("%d probabilities", len(p)),
				fmt.Sprintf("%d, as in the first row, and at least one", classes))
		}
		if err := checkRow(i, p, labels[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkFlat is checkProbs for the probabilities of a model, row after row.
func checkFlat(flat []float64, classes int, labels []int) error {
	if len(labels) == 0 {
		return checkProbs(nil, nil)
	}
	for i, y := range labels {
		if err := checkRow(i, flat[i*classes:(i+1)*classes], y); err != nil {
			return err
		}
	}
	return nil
}

func checkRow(i int, p []float64, label int) error {
	refuse := func(found, want string) error {
		return domain.Refuse("eval", fmt.Sprintf("row %d", i), found, want)
	}
	if label < 0 || label >= len(p) {
		return refuse("a label outside the classes", fmt.Sprintf("a label from 0 to %d", len(p)-1))
	}
	sum := 0.0
	for _, v := range p {
		if !(v >= 0 && v <= 1+sumTolerance) { // also NaN
			return refuse(fmt.Sprintf("probability %v", v), "probabilities in [0, 1]")
		}
		sum += v
	}
	if math.Abs(sum-1) > sumTolerance {
		return refuse(fmt.Sprintf("probabilities that sum to %v", sum), "a sum of 1")
	}
	return nil
}

// checkScores checks one score without NaN for each row.
func checkScores(scores []float64, positive []bool) error {
	if len(scores) != len(positive) || len(scores) == 0 {
		return domain.Refuse("eval", "rows", fmt.Sprintf("%d scores for %d classes", len(scores), len(positive)),
			"one score per row, and at least one row")
	}
	for i, s := range scores {
		if math.IsNaN(s) {
			return domain.Refuse("eval", fmt.Sprintf("row %d", i), "score NaN", "a number")
		}
	}
	return nil
}

// TwoWay splits the variation of values[split][repeat], S splits of R repeats each, into its parts. With m_s and v_s
// the mean and variance within split s, W = mean v_s, and B the variance of the m_s,
//
//	mean      = (1/S) Σ_s m_s
//	overNoise  = √(W / (S·R))
//	overSplits = √(max(0, B − W/R) / S)
//
// the one-way random-effects estimates: B − W/R is free of the noise in expectation. With one repeat W is unknown and
// taken as 0, so overSplits holds both; with one split overSplits is 0. All three are NaN without values and when
// splits have different numbers of repeats.
func TwoWay(values [][]float64) (mean, overSplits, overNoise float64) {
	if len(values) == 0 || len(values[0]) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	splits, repeats := float64(len(values)), float64(len(values[0]))
	means := make([]float64, len(values))
	within := 0.0
	for s, v := range values {
		if len(v) != len(values[0]) {
			return math.NaN(), math.NaN(), math.NaN()
		}
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

// Bin is one cell of the reliability diagram of the most probable class.
type Bin struct {
	From, To             float64 // predicted probabilities in [From, To)
	Confidence, Accuracy float64 // means in the bin: predicted probability, share that came true
	N                    int
}

// Reliability is a calibration study; it reads private data.
type Reliability struct {
	Bins []Bin // those with rows in them
	ECE  float64
	N    int
}

// calibrationBins is the number of equal bins of the reliability diagram in Score.
const calibrationBins = 10

// maxBins bounds what Calibration accepts.
const maxBins = 10_000

// Calibration sorts rows by the probability of their most probable class into equal bins of [0, 1] and compares, in
// each, the mean prediction with the share that came true. The expected calibration error is
//
//	ECE = Σ_b n_b/n · |mean prediction_b − observed share_b|,
//
// the definition of Guo, Pleiss, Sun and Weinberger (2017). It depends on the bins: compare values at equal bins only.
// Errors: *dp.ParameterError for predictions that do not fit and for bins outside [1, 10⁴].
func Calibration(probs [][]float64, labels []int, bins int) (*Reliability, error) {
	if bins < 1 || bins > maxBins {
		return nil, domain.Refuse("eval", "bins", bins, fmt.Sprintf("1 to %d", maxBins))
	}
	if err := checkProbs(probs, labels); err != nil {
		return nil, err
	}
	return group(slices.Concat(probs...), len(probs[0]), labels).reliability(bins), nil
}

// Table shows one row a bin.
func (r *Reliability) Table() *table.Table {
	t := table.New("Calibration (private: do not publish)", "from", "to", "mean predicted", "observed share", "rows")
	for _, b := range r.Bins {
		t.Add(b.From, b.To, b.Confidence, b.Accuracy, b.N)
	}
	return t.Note(fmt.Sprintf("expected calibration error %s over %d rows", table.Number(r.ECE), r.N))
}

// Figure is the reliability diagram: observed share against mean prediction, with 95 % intervals of Wilson (1927) and
// the diagonal of perfect calibration. Private.
func (r *Reliability) Figure(caption string) *figure.Figure {
	f := &figure.Figure{Title: "Calibration", XLabel: "mean predicted probability", YLabel: "share that came true",
		Subtitle: "Held-out rows by predicted probability, with 95 % intervals (Wilson). Below the line it is too high.",
		XPercent: true, YPercent: true, Private: true}
	ideal := figure.Series{Name: "ideal", Kind: figure.Line, X: []float64{0, 1}, Y: []float64{0, 1}, Guide: true}
	seen := figure.Series{Name: "release", Kind: figure.Points}
	var rows []string
	high, low := 0, 0
	for _, b := range r.Bins {
		from, to := wilson(b.Accuracy, float64(b.N))
		seen.X, seen.Y = append(seen.X, b.Confidence), append(seen.Y, b.Accuracy)
		seen.Lo, seen.Hi = append(seen.Lo, from), append(seen.Hi, to)
		rows = append(rows, fmt.Sprint(b.N))
		switch {
		case b.Confidence > to:
			high++
		case b.Confidence < from:
			low++
		}
	}
	switch {
	case high+low == 0:
		f.Title = "No probability is shown to be wrong, of " + table.Count(len(r.Bins), "point")
	case low == 0:
		f.Title = fmt.Sprintf("Probabilities are too high at %d of %s", high, table.Count(len(r.Bins), "point"))
	case high == 0:
		f.Title = fmt.Sprintf("Probabilities are too low at %d of %s", low, table.Count(len(r.Bins), "point"))
	}
	f.Caption = strings.TrimPrefix(caption+". Rows at each point: "+strings.Join(rows, ", "), ". ")
	f.Series = []figure.Series{ideal, seen}
	return f
}

// wilson is the 95 % score interval of a share of n rows, n > 0, which holds the share.
func wilson(share, n float64) (from, to float64) {
	const z = 1.959963984540054
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return math.Max(0, math.Min(share, middle-half)), math.Min(1, math.Max(share, middle+half))
}

// calibrationFigure is the reliability diagram of these scores.
func (s *Scores) calibrationFigure(caption string) *figure.Figure {
	return (&Reliability{Bins: s.Calibration, ECE: s.ECE, N: s.N}).Figure(caption)
}
