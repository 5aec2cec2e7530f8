package eval_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// three rows of three classes, the last one wrong.
var (
	threeProbs  = [][]float64{{0.7, 0.2, 0.1}, {0.1, 0.8, 0.1}, {0.5, 0.3, 0.2}}
	threeLabels = []int{0, 1, 1}
)

func TestMetricsByHand(t *testing.T) {
	names := []string{"a", "b", "c"}
	got := must.Get(eval.Score(threeProbs, threeLabels, names))(t)
	for name, c := range map[string][2]float64{
		"accuracy": {got.Accuracy, 2. / 3}, "balanced, class 2 absent": {got.Balanced, (1 + 0.5) / 2},
		"macro AUC, class 2 absent": {got.AUC, 1},
		"Brier":                     {got.Brier, (0.09 + 0.04 + 0.01 + 0.01 + 0.04 + 0.01 + 0.25 + 0.49 + 0.04) / 3},
		"cross-entropy":             {got.CrossEntropy, -(math.Log(0.7) + math.Log(0.8) + math.Log(0.3)) / 3},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%s = %v; want %v", name, c[0], c[1])
		}
	}
	rows := [3]float64{0.09 + 0.04 + 0.01, 0.01 + 0.04 + 0.01, 0.25 + 0.49 + 0.04}
	mean, squares := (rows[0]+rows[1]+rows[2])/3, 0.0
	for _, r := range rows {
		squares += (r - mean) * (r - mean)
	}
	if se := got.Metrics()[3].SE; math.Abs(se-math.Sqrt(squares/2/3)) > 1e-12 {
		t.Error("s.e. of the Brier score", se)
	}
	if got, err := eval.Score([][]float64{{0, 1}, {0, 1}}, []int{0, 1}, names[:2]); err != nil ||
		!math.IsInf(got.CrossEntropy, 1) {
		t.Error("an impossible class was repaired:", got, err)
	}
	if got, err := eval.Score([][]float64{{0, 1}}, []int{0}, names[:2]); err != nil || !math.IsNaN(got.AUC) {
		t.Error(got, err)
	}
}

func TestMetricsRefuseWhatDoesNotFit(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		probs  [][]float64
		labels []int
	}{
		"nothing": {}, "lengths": {[][]float64{{1, 0}}, []int{0, 1}}, "ragged": {[][]float64{{1, 0}, {1}}, []int{0, 0}},
		"no classes": {[][]float64{{}}, []int{0}}, "label": {[][]float64{{1, 0}}, []int{2}},
		"negative label": {[][]float64{{1, 0}}, []int{-1}},
		"NaN":            {[][]float64{{nan, 1}}, []int{0}}, "negative": {[][]float64{{-0.5, 1.5}}, []int{0}},
		"above 1":  {[][]float64{{2, 0}}, []int{0}},
		"infinite": {[][]float64{{math.Inf(1), 0}}, []int{0}}, "sum": {[][]float64{{0.5, 0.4}}, []int{0}},
	} {
		errs := map[string]error{}
		_, errs["Calibration"] = eval.Calibration(c.probs, c.labels, 5)
		_, errs["Score"] = eval.Score(c.probs, c.labels, []string{"a", "b"})
		for f, err := range errs {
			var in *dp.ParameterError
			if !errors.As(err, &in) {
				t.Errorf("%s of %s: %v", f, name, err)
			}
		}
	}
	_, err := eval.Score([][]float64{{0.5, 0.5}}, []int{731}, []string{"a", "b"})
	if err == nil || strings.Contains(err.Error(), "731") {
		t.Error("the error shows a private label:", err)
	}
}

// What used to hang or to index out of range is NaN.
func TestAUCOfBadScoresIsNaN(t *testing.T) {
	nan := math.NaN()
	if !math.IsNaN(eval.AUC([]float64{nan, 1}, []bool{true, false})) ||
		!math.IsNaN(eval.AUC([]float64{0, 1}, []bool{true})) || !math.IsNaN(eval.AUC(nil, nil)) {
		t.Error("not NaN")
	}
}

// drawn is a matrix of probabilities on a coarse grid, so that ties are common, with labels.
func drawn(t *rapid.T) ([][]float64, []int, []string) {
	classes := rapid.IntRange(1, 4).Draw(t, "classes")
	n := rapid.IntRange(1, 20).Draw(t, "n")
	probs, labels := make([][]float64, n), make([]int, n)
	for i := range probs {
		sum := 0.0
		for range classes {
			v := float64(rapid.IntRange(0, 4).Draw(t, "weight"))
			probs[i] = append(probs[i], v)
			sum += v
		}
		for j := range probs[i] {
			if sum == 0 {
				probs[i][j] = 1 / float64(classes)
			} else {
				probs[i][j] /= sum
			}
		}
		labels[i] = rapid.IntRange(0, classes-1).Draw(t, "label")
	}
	return probs, labels, []string{"a", "b", "c", "d"}[:classes]
}

func TestScoresStayInRangeAndAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		probs, labels, names := drawn(t)
		s := must.Get(eval.Score(probs, labels, names))(t)
		in := func(name string, x, lo, hi float64) {
			if !(x >= lo-1e-12 && x <= hi+1e-12) {
				t.Fatalf("%s = %v, not in [%v, %v]", name, x, lo, hi)
			}
		}
		in("accuracy", s.Accuracy, 0, 1)
		in("balanced", s.Balanced, 0, 1)
		in("Brier", s.Brier, 0, 2)
		in("cross-entropy", s.CrossEntropy, 0, math.Inf(1))
		in("ECE", s.ECE, 0, 1)
		if !math.IsNaN(s.AUC) {
			in("AUC", s.AUC, 0, 1)
		}
		total := int64(0)
		for _, row := range s.Confusion {
			for _, c := range row {
				total += c
			}
		}
		if total != int64(len(labels)) {
			t.Fatalf("the confusion matrix has %d rows of %d", total, len(labels))
		}
		right, brier, entropy := 0.0, 0.0, 0.0
		for i, p := range probs {
			best := 0
			for j, v := range p {
				if v > p[best] {
					best = j
				}
				hit := 0.0
				if j == labels[i] {
					hit = 1
				}
				brier += (v - hit) * (v - hit)
			}
			if best == labels[i] {
				right++
			}
			entropy -= math.Log(p[labels[i]])
		}
		n := float64(len(labels))
		if math.Abs(right/n-s.Accuracy) > 1e-12 || math.Abs(brier/n-s.Brier) > 1e-12 || entropy/n != s.CrossEntropy &&
			math.Abs(entropy/n-s.CrossEntropy) > 1e-12 {
			t.Fatalf("Score says %v %v %v, the formulas %v %v %v", s.Accuracy, s.Brier, s.CrossEntropy, right/n,
				brier/n, entropy/n)
		}
		if !strings.Contains(table.Text(s), "private: do not publish") || len(s.Metrics()) != 6 {
			t.Fatal(s)
		}
		for _, m := range s.Metrics() {
			if m.N != len(labels) || m.Formula == "" || m.Name == "accuracy" && m.SE != s.AccuracySE {
				t.Fatalf("%+v", m)
			}
		}
		r, _ := eval.Calibration(probs, labels, 10)
		diagonal := int64(0)
		for j := range s.Confusion {
			diagonal += s.Confusion[j][j]
		}
		if float64(diagonal) != right || fmt.Sprint(s.Classes) != fmt.Sprint(names) ||
			fmt.Sprint(r.Bins) != fmt.Sprint(s.Calibration) {
			t.Fatalf("Score says %v %v, the tables %v", s.Confusion, s.Calibration, r)
		}
	})
}

func TestTwoWayByHand(t *testing.T) {
	// Split means 2 and 6, within variances 2 and 2: W/R = 1, B = 8.
	m, s, n := eval.TwoWay([][]float64{{1, 3}, {5, 7}})
	if m != 4 || math.Abs(s-math.Sqrt(7./2)) > 1e-12 || math.Abs(n-math.Sqrt(2./4)) > 1e-12 {
		t.Error(m, s, n)
	}
	// Equal means: the component would be negative and is 0.
	if _, s, _ := eval.TwoWay([][]float64{{0, 2}, {1, 1}}); s != 0 {
		t.Error(s)
	}
	for name, v := range map[string][][]float64{"nothing": nil, "no repeats": {{}}, "ragged": {{1, 2}, {1}}} {
		if m, s, n := eval.TwoWay(v); !math.IsNaN(m) || !math.IsNaN(s) || !math.IsNaN(n) {
			t.Errorf("%s: %v %v %v", name, m, s, n)
		}
	}
}

// Split effects of variance 0.25 under noise of variance 4 with 4 repeats: the variance of split means is 1.25, of
// which 1 is noise. With 20000 splits the estimate of 0.25 has standard error √((0.01·1.25)² + (0.0058·1)²) = 0.0138;
// ±0.09 is 6.5 of them, a false alarm below 1e-9 by the normal tail. Without the correction the answer would be 1.25.
func TestTwoWayTakesTheNoiseOut(t *testing.T) {
	const splits, repeats = 20000, 4
	r := rand.New(rand.NewPCG(1, 2))
	values, means := make([][]float64, splits), make([]float64, splits)
	for s := range values {
		base, m := 0.5*r.NormFloat64(), 0.0
		for range repeats {
			x := base + 2*r.NormFloat64()
			values[s] = append(values[s], x)
			m += x / repeats
		}
		means[s] = m
	}
	_, s, n := eval.TwoWay(values)
	if got := s * s * splits; math.Abs(got-0.25) > 0.09 {
		t.Errorf("variance of splits %v, want 0.25", got)
	}
	// The noise variance has relative standard error √(2/(3·20000)) = 0.58 %; 4 % is 6.9 of them.
	if got := n * n * splits * repeats; math.Abs(got/4-1) > 0.04 {
		t.Errorf("variance of noise %v, want 4", got)
	}
	if mutant := stat.Variance(means, nil); math.Abs(mutant-0.25) <= 0.09 {
		t.Errorf("the uncorrected variance %v passes: the test has no power", mutant)
	}
}

func ExampleScore() {
	s, err := eval.Score([][]float64{{0.9, 0.1}, {0.6, 0.4}, {0.3, 0.7}, {0.8, 0.2}}, []int{0, 1, 1, 0},
		[]string{"no", "yes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(s.ConfusionTable())
	fmt.Printf("accuracy %.2f ± %.2f, AUC %.2f\n", s.Accuracy, s.AccuracySE, s.AUC)
	// Output:
	// Confusion matrix (private: do not publish)
	// true class  no  yes
	// ----------  --  ---
	// no           2    0
	// yes          1    1
	// accuracy 0.75 ± 0.22, AUC 1.00
}

func ExampleTwoWay() {
	mean, overSplits, overNoise := eval.TwoWay([][]float64{{0.88, 0.90}, {0.92, 0.94}})
	fmt.Printf("%.2f, s.e. %.4f over splits, %.4f over noise\n", mean, overSplits, overNoise)
	// Output: 0.91, s.e. 0.0187 over splits, 0.0071 over noise
}

func BenchmarkAUC(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	scores, positive := make([]float64, 10_000), make([]bool, 10_000)
	for i := range scores {
		scores[i], positive[i] = r.Float64(), r.IntN(2) == 0
	}
	b.ReportAllocs()
	for b.Loop() {
		eval.AUC(scores, positive)
	}
}

func TestCalibrationByHand(t *testing.T) {
	probs := [][]float64{{0.9, 0.1}, {0.6, 0.4}, {0.3, 0.7}, {1, 0}}
	r, err := eval.Calibration(probs, []int{0, 1, 1, 0}, 4)
	// [0.5, 0.75): 0.6 wrong, 0.7 right. [0.75, 1]: 0.9 and 1, both right.
	if err != nil || len(r.Bins) != 2 || r.N != 4 {
		t.Fatal(r, err)
	}
	for i, want := range []eval.Bin{{0.5, 0.75, 0.65, 0.5, 2}, {0.75, 1, 0.95, 1, 2}} {
		got := r.Bins[i]
		if got.From != want.From || got.To != want.To || got.N != want.N ||
			math.Abs(got.Confidence-want.Confidence) > 1e-12 || got.Accuracy != want.Accuracy {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if math.Abs(r.ECE-(0.15+0.05)/2) > 1e-12 {
		t.Error(r.ECE)
	}
	if f := r.Figure("n = 4"); f.Validate() != nil || !f.Private {
		t.Error(f.Validate())
	}
	for _, bins := range []int{0, -1, 1 << 20} {
		var oe *dp.ParameterError
		if _, err := eval.Calibration(probs, []int{0, 1, 1, 0}, bins); !errors.As(err, &oe) {
			t.Errorf("%d bins: %v", bins, err)
		}
	}
}

// Labels drawn from the predicted probabilities themselves are calibrated. The most probable class has p in [0.5, 1]: 5
// bins of about 20000 rows, each with a standard deviation of at most 0.5/√20000 = 0.0036 between prediction and share.
// ECE averages their sizes, so 0.024 takes 6.5 of them in some bin: a false alarm below 1e-9. Overconfident predictions
// (p², renormalised) must be seen.
func TestCalibrationSeesOverconfidence(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	honest, bold, labels := make([][]float64, 100_000), make([][]float64, 100_000), make([]int, 100_000)
	for i := range honest {
		p := r.Float64()
		if r.Float64() >= p {
			labels[i] = 1
		}
		a, b := p*p, (1-p)*(1-p)
		honest[i], bold[i] = []float64{p, 1 - p}, []float64{a / (a + b), b / (a + b)}
	}
	good, err := eval.Calibration(honest, labels, 10)
	if err != nil || good.ECE > 0.024 {
		t.Error(good.ECE, err)
	}
	if bad, err := eval.Calibration(bold, labels, 10); err != nil || bad.ECE < 0.024 {
		t.Error("overconfidence passes", bad.ECE, err)
	}
}

func ExampleCalibration() {
	r, err := eval.Calibration([][]float64{{0.9, 0.1}, {0.6, 0.4}, {0.3, 0.7}, {1, 0}}, []int{0, 1, 1, 0}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Table())
	// Output:
	// Calibration (private: do not publish)
	// from    to  mean predicted  observed share  rows
	// ----  ----  --------------  --------------  ----
	//  0.5  0.75            0.65             0.5     2
	// 0.75     1            0.95               1     2
	// expected calibration error 0.1 over 4 rows
}

func TestAUCIsPairCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		scores, positive := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i] = float64(rapid.IntRange(0, 6).Draw(t, "score"))
			positive[i] = rapid.Bool().Draw(t, "positive")
		}
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case scores[i] > scores[j]:
						wins++
					case scores[i] == scores[j]:
						wins += 0.5
					}
				}
			}
		}
		got := eval.AUC(scores, positive)
		if pairs == 0 {
			if !math.IsNaN(got) {
				t.Fatal("AUC without both kinds:", got)
			}
			return
		}
		if math.Abs(got-wins/pairs) > 1e-12 {
			t.Fatalf("AUC %v, pairs %v", got, wins/pairs)
		}
		for i := range scores {
			scores[i] = math.Exp(3 * scores[i])
		}
		if again := eval.AUC(scores, positive); math.Abs(again-got) > 1e-12 {
			t.Fatal("a monotone transform changed the AUC")
		}
	})
}
