package privbayes_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The chain on 48,842 rows of the census, which are not embedded: a public schema of round bins, all mechanisms,
// accuracy between the majority class and the non-private model.
func TestAdult(t *testing.T) {
	path := data.Need(t, "adult.csv.gz")
	schema := &privbayes.Schema{Dataset: "adult", ExtraColumns: true, Columns: []privbayes.Column{
		frame.Categorical("income", "<=50K", ">50K"),
		frame.Integer("age", 0, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 120),
		frame.Integer("education-num", 1, 5, 8, 9, 10, 11, 12, 13, 14, 16),
		frame.Categorical("sex", "Female", "Male"),
		frame.Integer("hours-per-week", 0, 20, 35, 40, 41, 50, 60, 100),
		frame.Integer("capital-gain", 0, 1, 5000, 10000, 100000),
		frame.Categorical("relationship", "Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried",
			"Wife"),
	}}
	full := privbayes.LoadFrame(path, schema)
	if full.Err() != nil || full.Data().Len() != 48842 {
		t.Fatal(full.Err())
	}
	train, test := full.Split(0.7, 1)
	for _, mech := range []privbayes.Mechanism{privbayes.Geometric(), privbayes.DiscreteGaussian()} {
		r := must.Get(train.Model(privbayes.NaiveBayes("income")).Privatize(mech, privbayes.ApproxDP(0.5, 1e-8),
			privbayes.Seeded(1)).Evaluate(test))(t)
		if r.Private.Accuracy <= r.Guess || math.Abs(r.Private.Accuracy-r.NonPrivate.Accuracy) > 0.02 {
			t.Errorf("%s: accuracy %v, non-private %v, majority %v", mech.Title(), r.Private.Accuracy,
				r.NonPrivate.Accuracy, r.Guess)
		}
	}
}
