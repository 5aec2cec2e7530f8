package privbayes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// A table without a schema is refused with what is missing, and the step that missed it.
func TestNoSchema(t *testing.T) {
	var step *privbayes.StepError
	for _, f := range []*privbayes.Frame{privbayes.ReadFrame(strings.NewReader("a\n1\n"), nil),
		privbayes.LoadFrame("a.csv", nil)} {
		if err := f.Err(); !errors.Is(err, privbayes.ErrNoSchema) || !errors.As(err, &step) {
			t.Error(err)
		}
	}
}

// A holdout has as many rows as asked for; the rest trains.
func TestHoldout(t *testing.T) {
	all := privbayes.ReadFrame(data.Votes())
	train, test := all.Holdout(35, 1)
	must.Do(t, test.Err())
	if test.Data().Len() != 35 || train.Data().Len()+35 != all.Data().Len() {
		t.Error(train.Data().Len(), test.Data().Len())
	}
	if train, test := all.Holdout(-1, 1); train.Err() == nil || test.Err() == nil {
		t.Error("a negative holdout passes")
	}
}

// The guarantee is under the adjacency asked for, replace-one unless said otherwise; a cancelled context ends planning.
func TestAdjacencyAndContext(t *testing.T) {
	m := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class"))
	for target, want := range map[privbayes.Target]dp.Adjacency{
		privbayes.PureDP(1): privbayes.ReplaceOne,
		privbayes.PureDP(1).Under(privbayes.ReplaceValue): privbayes.ReplaceValue,
		privbayes.PureDP(1).Under(privbayes.AddRemove):    privbayes.AddRemove,
	} {
		p := must.Get(m.Plan(privbayes.Geometric(), target))(t)
		var g privbayes.Guarantee = p.Certified()
		if g.Adjacency != want || !g.Satisfies(target.Parameters) {
			t.Errorf("%s: %s", target.Adjacency, g)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Plan(privbayes.Geometric(), privbayes.PureDP(1), privbayes.WithContext(ctx)); !errors.Is(err,
		context.Canceled) {
		t.Error("planned under a cancelled context:", err)
	}
}

// Posterior draws of a Laplace scale and of a normal precision answer queries; a release that no ledger counts says so
// when it is not seeded.
func TestRatesAndWarnings(t *testing.T) {
	wages := privbayes.ReadFrame(data.CPS1988())
	for name, m := range map[string]privbayes.ModelSpec{
		"Laplace": privbayes.LaplaceScale("education", 12).WithRange(.05, 5),
		"normal":  privbayes.NormalPrecision("education", 12).WithRange(.01, 1),
	} {
		p := wages.Model(m).Privatize(privbayes.PosteriorSample(3), privbayes.PureDP(1000), privbayes.Seeded(1))
		r, err := p.Release()
		if err != nil {
			t.Fatal(name, err)
		}
		var q *privbayes.Queries
		if q, err = r.Query(); err != nil || q.Len() != 3 || len(p.Warnings()) != 1 ||
			p.Warnings()[0].Kind != warning.KindEpsilon {
			t.Errorf("%s: %v, %v, warnings %q", name, q, err, p.Warnings())
		}
	}
	p := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1))
	if w := p.Warnings(); p.Err() != nil || len(w) != 1 || w[0] != warning.NoBudget() {
		t.Errorf("%v, warnings %q", p.Err(), w)
	}
}

// An accuracy that is paid for says what drew its noise.
func TestAccuracySaysItsRandomness(t *testing.T) {
	train, test := votes()
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(7))
	a, err := p.PrivateAccuracy(test, privbayes.PureDP(1), privbayes.Seeded(2))
	if err != nil || a.Randomness == "secure" || !strings.Contains(a.String(), a.Randomness) {
		t.Errorf("%+v, %v", a, err)
	}
}
