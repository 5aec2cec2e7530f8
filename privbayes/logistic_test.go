package privbayes_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func benign() *privbayes.Model {
	return privbayes.ReadFrame(data.BreastCancer()).Model(privbayes.LogisticRegression("benign", "worst_radius",
		"worst_texture", "worst_concave_points"))
}

// A logistic regression is a model like any other: its release is a file that verifies and predicts as before, it is
// advised on and compared with the line without privacy, and what it does not have is refused by type.
func TestLogisticRegressionIsAModelLikeAnyOther(t *testing.T) {
	m := benign()
	p := m.Privatize(privbayes.SufficientStatistics(), privbayes.PureDP(3), privbayes.Seeded(4))
	r := must.Get(p.Release())(t)
	b := must.Get(r.JSON())(t)
	again := must.Get(release.Parse(t.Context(), b))(t)
	rows := privbayes.ReadFrame(data.BreastCancer())
	report := must.Get(p.Evaluate(rows))(t)
	if s := report.Private; !(s.Accuracy > report.Guess+.1) || !(s.AUC > .9) || len(report.PrivateTables()) != 4 ||
		len(report.Figures()) != 3 {
		t.Errorf("%+v, guess %v, %d tables, %d figures", s, report.Guess, len(report.PrivateTables()), len(report.Figures()))
	}
	if !reflect.DeepEqual(again.Model().Means(), r.Model().Means()) {
		t.Error("the parsed release has other weights")
	}
	if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() {
		t.Error(v, err)
	}
	var unsupported *noiseaware.UnsupportedError
	if _, err := p.NoiseAware(); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	d, err := m.Compare(context.Background(), privbayes.CompareOptions{
		Mechanisms: []privbayes.Mechanism{privbayes.SufficientStatistics()}, Epsilons: []float64{.05, 10}, Splits: 2, Repeats: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := d.Outcomes; len(o) != 2 || !(o[0].Score.Mean < o[1].Score.Mean) || !(o[1].Score.Mean <= d.NonPrivate.Mean+.03) ||
		!(d.NonPrivate.Mean > d.Guess.Mean+.1) || len(d.Measures()) != 2 {
		t.Errorf("%+v, without noise %v, guess %v", o, d.NonPrivate, d.Guess)
	}
}
