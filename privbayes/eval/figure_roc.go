package eval

import (
	"fmt"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ROCPoint is one threshold: the shares of negative and of positive rows that score at least Threshold.
type ROCPoint struct{ Threshold, FalsePositive, TruePositive float64 }

// ROC is the receiver operating characteristic: one point for each distinct score, from the highest down,
//
//	FPR(t) = #{i negative: score_i ≥ t} / #negative,   TPR(t) = #{i positive: score_i ≥ t} / #positive,
//
// after a first point (0, 0). The area below the straight lines between the points is [AUC]. Errors: *dp.ParameterError
// when lengths differ, a score is NaN, or one of the two kinds of rows is absent. Reads private data.
func ROC(scores []float64, positive []bool) ([]ROCPoint, error) {
	if err := checkScores(scores, positive); err != nil {
		return nil, err
	}
	order, pos := make([]int, len(scores)), 0.0
	for i := range order {
		order[i] = i
		if positive[i] {
			pos++
		}
	}
	neg := float64(len(scores)) - pos
	if pos == 0 || neg == 0 {
		return nil, domain.Refuse("eval", "rows", "one kind only", "positive and negative rows")
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	points := []ROCPoint{{Threshold: scores[order[0]]}}
	var tp, fp float64
	for i, k := range order {
		if positive[k] {
			tp++
		} else {
			fp++
		}
		if i+1 == len(order) || scores[order[i+1]] != scores[k] { // tied rows pass together
			points = append(points, ROCPoint{scores[k], fp / neg, tp / pos})
		}
	}
	return points, nil
}

// ROCFigure draws [ROC] with its AUC in the legend and the diagonal of a useless score. The figure is private. Errors:
// as ROC.
func ROCFigure(scores []float64, positive []bool, caption string) (*figure.Figure, error) {
	points, err := ROC(scores, positive)
	if err != nil {
		return nil, err
	}
	s := figure.Series{Name: fmt.Sprintf("AUC = %s", table.Number(AUC(scores, positive))), Kind: figure.Line}
	for _, p := range points {
		s.X, s.Y = append(s.X, p.FalsePositive), append(s.Y, p.TruePositive)
	}
	chance := figure.Series{Name: "chance", Kind: figure.Line, X: []float64{0, 1}, Y: []float64{0, 1}, Guide: true}
	return &figure.Figure{
		Title: "Receiver operating characteristic", XLabel: "false positive rate", YLabel: "true positive rate",
		Caption: caption,
		Private: true, Series: []figure.Series{s, chance},
	}, nil
}
