package privbayes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// splitVotes is the release of one split at one ε, with the rows that it has not seen.
func splitVotes(epsilon float64, seed uint64) (*privbayes.Release, *frame.Frame, error) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, seed)
	r, err := train.Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(epsilon), privbayes.Seeded(seed)).Release()
	return r, test.Data(), err
}

func Example_readings() {
	r, err := eval.CompareAnalyses([]float64{0.05, 1}, 2, splitVotes)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	// Output:
	// Predictions with and without the noise (private: do not publish)
	//    ε  accuracy, noise-aware  cross-entropy, noise-aware  accuracy, noise ignored  cross-entropy, noise ignored
	// ----  ---------------------  --------------------------  -----------------------  ----------------------------
	// 0.05                 0.9269                      0.3623                   0.9308                        0.3516
	//    1                 0.9423                      0.1648                   0.9423                         0.162
	// naive Bayes of "Class", "votes", n = 305. Geometric noise on counts, replace-one; seeded: not private. Held-out rows in the clear, mean of 2 splits
	// Cross-entropy in nats a row.
}

// Each number is the mean over splits of the score of that reading; both figure and table are stamped private.
// The figure says which releases it is about, and not the level, which its axis has.
func TestReadingsAreCaptioned(t *testing.T) {
	r := must.Get(eval.CompareAnalyses([]float64{0.2, 1}, 1, splitVotes))(t)
	for _, want := range []string{"naive Bayes of \"Class\"", "\"votes\", n = ", "Geometric noise on counts, replace-one",
		"seeded: not private", "mean of 1 split"} {
		if c := r.Figure().Caption; !strings.Contains(c, want) || strings.Contains(c, "-DP") {
			t.Errorf("no %q in %q", want, c)
		}
	}
}

func TestCompareAnalyses(t *testing.T) {
	r := must.Get(eval.CompareAnalyses([]float64{0.05, 0.2}, 2, splitVotes))(t)
	for i, eps := range []float64{0.05, 0.2} {
		want := eval.Reading{Epsilon: eps}
		for seed := range uint64(2) {
			rel, test := must.Get2(splitVotes(eps, seed))(t)
			labels, _ := rel.Model().Labels(test)
			p := must.Get(privbayes.NoiseAware(rel))(t)
			probs, _ := rel.Predict(test)
			naive, _ := eval.Score(probs, labels, rel.Model().Target().Labels)
			probs, _ = p.Predict(test)
			aware, _ := eval.Score(probs, labels, rel.Model().Target().Labels)
			want.NaiveAccuracy += naive.Accuracy / 2
			want.Accuracy += aware.Accuracy / 2
			want.NaiveCrossEntropy += naive.CrossEntropy / 2
			want.CrossEntropy += aware.CrossEntropy / 2
		}
		if r.Rows[i] != want || want.CrossEntropy == want.NaiveCrossEntropy {
			t.Errorf("%v, want %v", r.Rows[i], want)
		}
	}
	if f := r.Figure(); !f.Private || f.Validate() != nil {
		t.Error("a figure that reads test rows is not stamped")
	}
	var e *dp.ParameterError
	if _, err := eval.CompareAnalyses(nil, 2, splitVotes); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := eval.CompareAnalyses([]float64{1}, 0, splitVotes); !errors.As(err, &e) {
		t.Error(err)
	}
}
