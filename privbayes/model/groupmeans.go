package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// GroupMeansModel is the means of a numeric column in groups of rows: see GroupMeans.
type GroupMeansModel struct {
	ofWhole
	by string
}

// GroupMeans are the means of a numeric column in each level of another: wages by occupation. The levels are public; a
// group without rows is legal. The counts of the groups are released with the sums, and are noisy, too.
func GroupMeans(column, by string) GroupMeansModel {
	return GroupMeansModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}, by: by}
}

// WithResolution sets the number K of steps between the bounds that records are rounded to: a public choice, 1 ≤ K ≤
// 2^24.
func (m GroupMeansModel) WithResolution(k int64) GroupMeansModel { m.resolution = k; return m }

// String describes the model.
func (m GroupMeansModel) String() string {
	return fmt.Sprintf("means of %s by %s", safetext.Quote(m.target), safetext.Quote(m.by))
}

func (m GroupMeansModel) describe() Description {
	d := Description{Kind: "group-means", Target: m.target, Alpha: m.alpha, Resolution: m.resolution}
	if m.by != "" {
		d.Features = []string{m.by}
	}
	return d
}

func (m GroupMeansModel) with(d Description) Model {
	m.target, m.alpha, m.resolution = d.Target, d.Alpha, d.Resolution
	if len(d.Features) == 1 {
		m.by = d.Features[0]
	}
	return m
}

// maxGroups bounds the groups of one release.
const maxGroups = 1 << 16

func (m GroupMeansModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, MaxSteps); err != nil {
		return nil, err
	}
	list, err := numericColumns(m, s, []string{m.target})
	if err != nil {
		return nil, err
	}
	by, err := nameColumns(s).column(m.by)
	if err != nil {
		return nil, err
	}
	switch {
	case m.by == m.target:
		return nil, wrong(m, m.by, "named twice", "another column to group by")
	case by.Kind == frame.KindSequence:
		return nil, wrong(m, m.by, "a sequence column", "a categorical, integer or real column to group by")
	case by.Levels() < 1 || by.Levels() > maxGroups:
		return nil, wrong(m, m.by, fmt.Sprintf("%d levels", by.Levels()), fmt.Sprintf("1 to %d", maxGroups))
	}
	return append(list, *by), nil
}

func (GroupMeansModel) parameters(sh *Shape) []string { return slices.Clone(sh.columns[1].Labels()) }

func (m GroupMeansModel) layOut(sh *Shape) error {
	l := latticeOf(PerGroup, m.resolution, usualSteps(sh.schema), 1<<20, sh.columns[0])
	l.Groups = sh.columns[1].Levels()
	sh.lattice = l
	for _, level := range sh.columns[1].Labels() {
		sh.sums = append(sh.sums, "rows with "+level,
			fmt.Sprintf("Σ %s with %s, in steps of 1/%d of the range", m.target, level, l.Steps))
	}
	return checkSteps(m, l, MaxSteps)
}

func (m GroupMeansModel) plainMeans(st *Statistics) []float64 {
	out := make([]float64, len(st.whole)/2)
	for g := range out {
		out[g] = st.shape.lattice.Value(0, float64(st.whole[2*g+1])/float64(st.whole[2*g])) // NaN without rows
	}
	return out
}

func (m GroupMeansModel) ranges(sh *Shape) []float64 {
	out := make([]float64, sh.lattice.Groups)
	for g := range out {
		out[g] = sh.lattice.High[0] - sh.lattice.Low[0]
	}
	return out
}

func (m GroupMeansModel) fitPlain(st *Statistics) (*Fitted, error) {
	return oneDraw(st, st.shape.Parameters(), m.plainMeans(st))
}

func (m GroupMeansModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	return heldScores(m, f, x)
}

func (m GroupMeansModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	return heldMeasure(m, f, x)
}

func (m GroupMeansModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	return guessMiddle(m, np, x)
}

func (m GroupMeansModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return distanceOver(m.ranges(sh), plain, released), math.NaN()
}
