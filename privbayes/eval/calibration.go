package eval

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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

// Figure is the reliability diagram: observed share against mean prediction, with the diagonal of perfect calibration.
// Private.
func (r *Reliability) Figure(caption string) *figure.Figure {
	f := &figure.Figure{Title: "Calibration", XLabel: "mean predicted probability", YLabel: "observed share",
		Caption: caption, Private: true}
	ideal := figure.Series{Name: "ideal", Kind: figure.Line, X: []float64{0, 1}, Y: []float64{0, 1}, Guide: true}
	seen := figure.Series{Name: "release", Kind: figure.Points}
	for _, b := range r.Bins {
		seen.X, seen.Y = append(seen.X, b.Confidence), append(seen.Y, b.Accuracy)
	}
	f.Series = []figure.Series{ideal, seen}
	return f
}

// calibrationFigure is the reliability diagram of these scores.
func (s *Scores) calibrationFigure(caption string) *figure.Figure {
	return (&Reliability{Bins: s.Calibration, ECE: s.ECE, N: s.N}).Figure(caption)
}
