package eval_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
)

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
