package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Points of weighted quantiles: as many as noise on each of them allows. Up to usualPoints steps a column of whole
// numbers has a point of each; others are cut into 128.
const (
	usualPoints = 1 << 8
	mostPoints  = 1 << 12
	realSteps   = 1<<7 - 1
)

func weightedOfQuantiles(target string, p ...float64) WeightedModel {
	m := weightedOf(weightedQuantiles, target, nil)
	m.at = p
	return m
}

// unweighted are the quantiles of rows that stand for themselves.
func (m WeightedModel) unweighted() QuantilesModel {
	q := Quantiles(m.target, m.at...)
	q.resolution, q.at = m.resolution, m.at
	return q
}

// layOutQuantiles gives every point of the column its two boxes.
func (m WeightedModel) layOutQuantiles(sh *Shape, steps *frame.WeightSteps) error {
	l := latticeOf(dealt, m.resolution, realSteps, usualPoints, sh.columns[0])
	l.Omits = sh.columns[0].HasMissing()
	if err := checkSteps(m, l, mostPoints-1); err != nil {
		return err
	}
	l.Groups, l.weight = int(l.Steps)+1, steps
	l.Tokens = &Tokens{BoxesShare, steps.High, 1, MaxTokens}
	sh.lattice = l
	for j := range l.Tokens.Boxes.Each() {
		sh.sums = append(sh.sums, fmt.Sprintf("box %d of tokens, at each of %d points of %s", j+1, l.Groups,
			safetext.Word(m.target)))
	}
	return nil
}

// WeightedRanks are those of quantiles of a weighted table, whose points have two boxes each; nil for other models.
func (s *Shape) WeightedRanks() *Ranks {
	m, ok := s.model.(WeightedModel)
	if !ok || m.kind != weightedQuantiles {
		return nil
	}
	a, b := m.unweighted().ranks()
	return &Ranks{a, b, s}
}

// Edge is where the points from j on begin, of 0 to K + 1 points: halfway between two of them, or the end of the range.
func (r *Ranks) Edge(j int) float64 {
	l := r.shape.lattice
	switch {
	case j <= 0:
		return l.Low[0]
	case j > int(l.Steps):
		return l.High[0]
	}
	return l.Value(0, float64(j)-.5)
}

// weighted are the quantiles from the weights at the points: of each the least point with at least a/b of the weight
// at or below it; NaN where there is no weight.
func (r *Ranks) weighted(at []float64) []float64 {
	all := 0.0
	for _, v := range at {
		all += v
	}
	out := make([]float64, len(r.A))
	for i, a := range r.A {
		j, below := 0, at[0]
		for ; j < len(at)-1 && float64(r.B)*below < float64(a)*all; j++ {
			below += at[j+1]
		}
		if out[i] = r.shape.lattice.Value(0, float64(j)); !(all > 0) {
			out[i] = math.NaN()
		}
	}
	return out
}
