package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Spread is the mean and the standard deviation of a normal column: see MeanSD.
type Spread struct{ ofWhole }

// MeanSD is the mean μ and the standard deviation σ of a column that is normal before it is moved to its public bounds
// and rounded. The prior is public: μ uniform between the bounds, log σ uniform between 1/500 of their distance and the
// whole of it.
func MeanSD(column string) Spread { return Spread{ofWhole{ofSums: ofSums{base{target: column}}}} }

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^13.
func (m Spread) WithResolution(k int64) Spread { m.resolution = k; return m }

// String describes the model.
func (m Spread) String() string { return "mean and standard deviation of " + label.Quote(m.target) }

func (m Spread) describe() Description {
	return Description{Kind: "mean-sd", Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
}

func (m Spread) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	return m
}

func (m Spread) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, maxStepsSquare); err != nil {
		return nil, err
	}
	return numericColumns(m, s, []string{m.target})
}

// spreadSteps is K of columns that are not whole numbers on a range of at most as much: rounding adds 1e-7 of the
// range's square to the variance.
const spreadSteps = 1 << 11

func (m Spread) layOut(sh *Shape) error {
	l := latticeOf(TwoPowers, m.resolution, spreadSteps, spreadSteps, sh.columns...)
	sh.lattice = l
	of := fmt.Sprintf("%s, in steps of 1/%d of the range", sh.columns[0].Name, l.Steps)
	sh.sums = []string{"Σ " + of, "Σ of squares of " + of}
	return checkSteps(m, l, maxStepsSquare)
}

// plainMeans are the mean and the standard deviation of the rows, with divisor n − 1.
func (m Spread) plainMeans(st *Statistics) []float64 {
	l, n := st.shape.lattice, float64(st.rows)
	mean := float64(st.whole[0]) / n
	v := (float64(st.whole[1]) - mean*float64(st.whole[0])) / math.Max(n-1, 1)
	return []float64{l.Value(0, mean), l.Step(0) * math.Sqrt(math.Max(v, 0))}
}

func (m Spread) ranges(sh *Shape) []float64 {
	r := sh.lattice.High[0] - sh.lattice.Low[0]
	return []float64{r, r}
}

func (m Spread) fitPlain(st *Statistics) (*Fitted, error) {
	return oneDraw(st, st.shape.Parameters(), m.plainMeans(st))
}

func (m Spread) scores(f *Fitted, x *frame.Frame) ([]Score, error) { return heldScores(m, f, x) }

func (m Spread) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) { return heldMeasure(m, f, x) }

func (m Spread) guess(np *Fitted, x *frame.Frame) (float64, error) { return guessMiddle(m, np, x) }

func (m Spread) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return distanceOver(m.ranges(sh), plain, released), math.NaN()
}
