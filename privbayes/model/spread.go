package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// MeanSDModel is the mean and the standard deviation of a column: see MeanSD.
type MeanSDModel struct {
	ofWhole
	latent bool
}

// MeanSD is the mean and the standard deviation, with divisor n − 1, of the values of a column, which reading has moved
// to the public bounds. Nothing is assumed of how the values are distributed.
func MeanSD(column string) MeanSDModel {
	return MeanSDModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// Latent is the normal distribution that values have before they are moved to the public bounds and rounded, from the
// same sums: for a column that is normal, and cut by its bounds. Of any other column its mean and standard deviation
// are not those of the values. The prior is public: the mean uniform between the bounds, the logarithm of the standard
// deviation uniform between 1/500 of their distance and the whole of it.
func (m MeanSDModel) Latent() MeanSDModel { m.latent = true; return m }

// IsLatent reports whether the model is the latent normal.
func (m MeanSDModel) IsLatent() bool { return m.latent }

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^13.
func (m MeanSDModel) WithResolution(k int64) MeanSDModel { m.resolution = k; return m }

// String describes the model.
func (m MeanSDModel) String() string {
	if m.latent {
		return "latent normal of " + safetext.Quote(m.target)
	}
	return "mean and standard deviation of " + safetext.Quote(m.target)
}

func (m MeanSDModel) describe() Description {
	kind := "mean-sd"
	if m.latent {
		kind = latentNormal
	}
	return Description{Kind: kind, Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
}

func (m MeanSDModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	return m
}

func (m MeanSDModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, maxStepsSquare); err != nil {
		return nil, err
	}
	return numericColumns(m, s, []string{m.target})
}

// spreadSteps is K of columns that are not whole numbers on a range of at most as much: rounding adds 1e-7 of the
// range's square to the variance.
const spreadSteps = 1 << 11

func (m MeanSDModel) parameters(*Shape) []string {
	if m.latent {
		return []string{"latent mean", "latent sd"}
	}
	return []string{"mean", "sd"}
}

func (m MeanSDModel) layOut(sh *Shape) error {
	l := latticeOf(TwoPowers, m.resolution, spreadSteps, spreadSteps, sh.columns...)
	sh.lattice = l
	of := fmt.Sprintf("%s, in steps of 1/%d of the range", sh.columns[0].Name, l.Steps)
	sh.sums = []string{"Σ " + of, "Σ of squares of " + of}
	return checkSteps(m, l, maxStepsSquare)
}

// plainMeans are the mean and the standard deviation of the rows, with divisor n − 1; of the latent normal those of the
// normal that has them once it is moved to the bounds.
func (m MeanSDModel) plainMeans(st *Statistics) []float64 {
	l, n := st.shape.lattice, float64(st.rows)
	mean := float64(st.whole[0]) / n
	v := (float64(st.whole[1]) - mean*float64(st.whole[0])) / math.Max(n-1, 1)
	mean, sd := l.Value(0, mean), l.Step(0)*math.Sqrt(math.Max(v, 0))
	if m.latent && st.rows > 0 {
		mean, sd = latentOf(mean, sd, l.Low[0], l.High[0])
	}
	return []float64{mean, sd}
}

// summary shows what is estimated, and of what.
func (m MeanSDModel) summary(f *Fitted) *table.Table {
	l := f.shape.lattice
	bounds := fmt.Sprintf("the bounds [%s, %s]", table.Number(l.Low[0]), table.Number(l.High[0]))
	if m.latent {
		t := m.ofWhole.summary(f)
		t.Note(fmt.Sprintf("The parameters describe a normal distribution of values before they are moved to %s; %s %% of it lies "+
			"outside. MeanSD describes the values of the column.", bounds, table.Number(100*f.shape.OutsideBounds(f.draws))))
		return t
	}
	t := table.New("Mean and standard deviation of "+plain(m.target), "parameter", "estimate")
	for i, v := range f.draws.Mean() {
		t.Add(f.draws.Names[i], v)
	}
	t.Note("Of the rows' values, moved to " + bounds + ".")
	return t.Note("As released, with no interval: how large the noise is stands among the plan's expected errors; " +
		"noiseaware.PopulationMean has an interval for the mean.")
}

func (m MeanSDModel) ranges(sh *Shape) []float64 {
	r := sh.lattice.High[0] - sh.lattice.Low[0]
	return []float64{r, r}
}

func (m MeanSDModel) fitPlain(st *Statistics) (*Fitted, error) {
	return oneDraw(st, st.shape.Parameters(), m.plainMeans(st))
}

func (m MeanSDModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) { return heldScores(m, f, x) }

func (m MeanSDModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	return heldMeasure(m, f, x)
}

func (m MeanSDModel) guess(np *Fitted, x *frame.Frame) (float64, error) { return guessMiddle(m, np, x) }

func (m MeanSDModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return distanceOver(m.ranges(sh), plain, released), math.NaN()
}
