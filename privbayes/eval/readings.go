package eval

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Reading is how well releases at one ε predict when they are read as they are, and when their noise is taken into
// account: means over splits.
type Reading struct {
	Epsilon                         float64
	NaiveAccuracy, Accuracy         float64
	NaiveCrossEntropy, CrossEntropy float64 // nats a row
}

// Readings compares the predictions of releases read in both ways. Private: do not publish.
type Readings struct {
	Splits int
	Rows   []Reading
	what   string
}

// CompareAnalyses draws, at every ε and with the seeds 0, 1, …, splits−1, a release and scores it on held-out rows: by
// its own predictions and by the noise-aware ones. The rows are read in the clear. Errors: *dp.ParameterError, those of
// draw, of noiseaware.Of and of the test rows.
func CompareAnalyses(epsilons []float64, splits int, draw func(epsilon float64, seed uint64) (*release.Release,
	*frame.Frame, error)) (*Readings, error) {
	if len(epsilons) == 0 {
		return nil, domain.Refuse("eval", "values of ε", 0, "at least one")
	}
	if splits < 1 {
		return nil, domain.Refuse("eval", "splits", splits, "at least 1")
	}
	out := &Readings{Splits: splits}
	for _, eps := range epsilons {
		row, each := Reading{Epsilon: eps}, 1/float64(splits)
		for seed := range uint64(splits) {
			r, test, err := draw(eps, seed)
			if err != nil {
				return nil, err
			}
			naive, aware, err := readings(r, test)
			if err != nil {
				return nil, err
			}
			row.NaiveAccuracy += naive.Accuracy * each
			row.Accuracy += aware.Accuracy * each
			row.NaiveCrossEntropy += naive.CrossEntropy * each
			row.CrossEntropy += aware.CrossEntropy * each
			out.what = settingOf(r)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// readings scores one release in both ways.
func readings(r *release.Release, test *frame.Frame) (naive, aware *Scores, err error) {
	p, err := noiseaware.Of(r)
	if err != nil {
		return nil, nil, err
	}
	labels, err := r.Model().Labels(test)
	if err != nil {
		return nil, nil, err
	}
	for _, of := range []struct {
		predict func(*frame.Frame) ([][]float64, error)
		into    **Scores
	}{{r.Predict, &naive}, {p.Predict, &aware}} {
		probs, err := of.predict(test)
		if err != nil {
			return nil, nil, err
		}
		if *of.into, err = Score(probs, labels, r.Model().Target().Labels); err != nil {
			return nil, nil, err
		}
	}
	return naive, aware, nil
}

// settingOf is what holds for the releases at every ε.
func settingOf(r *release.Release) string {
	sh := r.Plan().Shape()
	n := "n private"
	if k, public := sh.N(); public {
		n = fmt.Sprintf("n = %d", k)
	}
	return fmt.Sprintf("%s, %s, %s. %s", sh.Model(), safetext.Quote(sh.Schema().Dataset), n, r.Terms())
}

func (r *Readings) setting() string {
	return fmt.Sprintf("%s. Held-out rows in the clear, mean of %s", r.what, table.Count(r.Splits, "split"))
}

// Table has a row for every ε.
func (r *Readings) Table() *table.Table {
	t := table.New("Predictions with and without the noise (private: do not publish)", "ε", "accuracy, naive",
		"accuracy, noise-aware", "cross-entropy, naive", "cross-entropy, noise-aware")
	for _, x := range r.Rows {
		t.Add(x.Epsilon, x.NaiveAccuracy, x.Accuracy, x.NaiveCrossEntropy, x.CrossEntropy)
	}
	return t.Note(r.setting()).Note("Cross-entropy in nats a row.")
}

// Figure draws the cross-entropy of both readings against ε.
func (r *Readings) Figure() *figure.Figure {
	naive, aware := figure.Series{Name: "naive", Dashed: true}, figure.Series{Name: "noise-aware"}
	for _, x := range r.Rows {
		naive.X, naive.Y = append(naive.X, x.Epsilon), append(naive.Y, x.NaiveCrossEntropy)
		aware.X, aware.Y = append(aware.X, x.Epsilon), append(aware.Y, x.CrossEntropy)
	}
	return &figure.Figure{Title: "Predictions with and without the noise", XLabel: "ε",
		YLabel: "cross-entropy, nats a row", LogX: true, Private: true, Caption: r.setting(),
		Series: []figure.Series{aware, naive}}
}

// String is the table as text.
func (r *Readings) String() string { return table.Text(r) }
