package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// MeansModel is the means of one or several numeric columns over the rows of the data: see Mean and Means.
type MeansModel struct {
	ofWhole
	several  bool
	features []string // beside the target
}

// Mean is the mean of a numeric column with public bounds over the rows of the data: of the data themselves, not of a
// population that they were drawn from. Records are rounded to a public lattice (see Lattice): to whole numbers in a
// column of integers, else finer than the noise.
func Mean(column string) MeansModel {
	return MeansModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// Means are the means of several numeric columns at once. One release of d means has less noise than d releases of one
// each: by the factor √((d+1)(d+2)/6)/d in standard deviation.
func Means(column string, more ...string) MeansModel {
	m := Mean(column)
	m.several, m.features = true, more
	return m
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^24. The finest is the best, unless an integer column is rounded to more than whole numbers.
func (m MeansModel) WithResolution(k int64) MeansModel { m.resolution = k; return m }

// String describes the model.
func (m MeansModel) String() string {
	if !m.several {
		return "mean of " + safetext.Quote(m.target)
	}
	if len(m.features) == 0 {
		return "means of " + safetext.Quote(m.target)
	}
	return fmt.Sprintf("means of %s and %d more", safetext.Quote(m.target), len(m.features))
}

func (m MeansModel) describe() Description {
	d := Description{Kind: "mean", Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
	if m.several {
		d.Kind, d.Features = "means", m.features
	}
	return d
}

func (m MeansModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	if m.several {
		m.features = d.Features
	}
	return m
}

// maxAverages bounds the columns of one release.
const maxAverages = 255

func (m MeansModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, MaxSteps); err != nil {
		return nil, err
	}
	if len(m.features) >= maxAverages {
		return nil, wrong(m, "", fmt.Sprintf("%d columns", len(m.features)+1), fmt.Sprintf("at most %d", maxAverages))
	}
	return numericColumns(m, s, append([]string{m.target}, m.features...))
}

func (m MeansModel) layOut(sh *Shape) error {
	form := oneSum
	if m.several {
		form = PerColumn
	}
	sh.lattice = latticeOf(form, m.resolution, usualSteps(sh.schema), 1<<20, sh.columns...)
	for _, c := range sh.columns {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s, in steps of 1/%d of the range", c.Name, sh.lattice.Steps))
	}
	return checkSteps(m, sh.lattice, MaxSteps)
}

func (m MeansModel) plainMeans(st *Statistics) []float64 {
	out := make([]float64, len(st.whole))
	for i, v := range st.whole {
		out[i] = st.shape.lattice.Value(i, float64(v)/float64(st.rows)) // NaN without rows
	}
	return out
}

func (m MeansModel) ranges(sh *Shape) []float64 {
	out := make([]float64, len(sh.lattice.Low))
	for i := range out {
		out[i] = sh.lattice.High[i] - sh.lattice.Low[i]
	}
	return out
}

// Parameters names what a model with a Lattice estimates, in the order of its draws; nil for other models.
func (s *Shape) Parameters() []string {
	if m, ok := s.model.(interface{ parameters(*Shape) []string }); ok {
		return m.parameters(s)
	}
	return nil
}

func (m MeansModel) parameters(sh *Shape) []string {
	if m.several {
		return sh.columnNames()
	}
	return []string{"mean"}
}

func (m MeansModel) fitPlain(st *Statistics) (*Fitted, error) {
	return oneDraw(st, st.shape.Parameters(), m.plainMeans(st))
}

func (m MeansModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) { return heldScores(m, f, x) }

func (m MeansModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	return heldMeasure(m, f, x)
}

func (m MeansModel) guess(np *Fitted, x *frame.Frame) (float64, error) { return guessMiddle(m, np, x) }

func (m MeansModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return distanceOver(m.ranges(sh), plain, released), math.NaN()
}
