package privbayes_test

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	seam "github.com/privbayes/privbayes-go/privbayes/source"
)

// The line without privacy of a logistic regression is its own fit, for both mechanisms and wherever the rows are, and
// the tables say so. At a large ε Fisher scoring is near it, and 2.4 times least squares, which nine of ten men in one
// class make flat, is not.
func TestLogisticLineWithoutPrivacy(t *testing.T) {
	train, test := privbayes.ReadFrame(data.CPS1988()).Split(.9, 1)
	away := privbayes.From(t.Context(), seam.OfFrame(train.Data()))
	m := privbayes.LogisticRegression("parttime", "education", "smsa")
	scored := func(f *privbayes.Frame, by privbayes.Mechanism) (released, plain []float64, text string) {
		p := f.Model(m).Privatize(by, privbayes.ApproxDP(200, 1e-5), privbayes.Seeded(3))
		report := must.Get(p.Evaluate(test))(t)
		line, _ := report.Line("cross-entropy (nats)")
		d := must.Get(must.Get(p.Release())(t).Model().CoefficientDraws())(t)
		return d.Mean(), []float64{line.NonPrivate, line.Release}, report.String()
	}
	scoring, line, text := scored(train, privbayes.FisherScoring())
	_, again, _ := scored(away, privbayes.FisherScoring())
	moments, under, shown := scored(train, privbayes.SufficientStatistics())
	if line[0] != again[0] || line[0] != under[0] {
		t.Errorf("without privacy: %v of a frame, %v of a source, %v next to moments", line[0], again[0], under[0])
	}
	if math.Abs(line[1]-line[0]) > 1e-3 || under[1] < line[0]+.005 {
		t.Errorf("cross-entropy %v without privacy, %v by steps, %v of moments", line[0], line[1], under[1])
	}
	if math.Abs(moments[1]) > .8*math.Abs(scoring[1]) {
		t.Errorf("slopes %v by steps, %v of moments", scoring, moments)
	}
	const note = "Non-private: logistic regression by maximum likelihood"
	if strings.Count(text, note) != 2 || strings.Count(shown, note) != 2 {
		t.Error(text, shown)
	}
}
