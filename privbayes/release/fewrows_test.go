package release_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Every mechanism, on every model that it releases, for a table of one row and of none, n public and private: a plan is
// refused by a typed error that says what was wanted, or its release is shown, with intervals whose ends are numbers in
// order. Nothing panics, and what is not refused by the plan is not refused once noise was drawn.
func TestOneRowAndNone(t *testing.T) {
	src := dp.Seeded(1)
	for n := range 2 {
		f := people(t, n, src)
		for i, w := range walked {
			sh, st := shapeOf(t, w.model, f)
			for _, d := range catalog.All() {
				m, err := catalog.For(sh, d.New(mechanism.Options{Count: 40}))
				if err != nil {
					continue
				}
				second := []dp.Request{dp.PureDP(1).Under(dp.AddRemove), dp.ZCDP(.5)}[i%2] // in turn
				for k, target := range []dp.Request{dp.PureDP(1), second} {
					if testing.Short() && (k > 0 || (i+n)%2 > 0) {
						continue
					}
					of := fmt.Sprintf("%d rows, %s, %s, %s, %s", n, d.Flag, w.model, target.Parameters, target.Adjacency)
					p, err := m.Plan(t.Context(), sh, target)
					if err != nil && !refusal(err) {
						t.Errorf("%s: %T %v", of, err, err)
					}
					if err == nil {
						fewRows(t, of, p, st, src)
					}
				}
			}
		}
	}
}

// fewRows draws a release by a plan and reads what it shows.
func fewRows(t *testing.T, of string, p *mechanism.Plan, st *model.Statistics, src *dp.Stream) {
	t.Helper()
	d, err := p.Draw(t.Context(), st, "id", src)
	if err != nil {
		t.Errorf("%s: noise was drawn, then %v", of, err)
		return
	}
	r, err := release.New(t.Context(), p, d)
	if err != nil {
		t.Errorf("%s: %v", of, err)
		return
	}
	list, _, err := r.Intervals(t.Context(), .95)
	if err != nil {
		t.Errorf("%s: intervals: %v", of, err)
	}
	for _, i := range list {
		for _, e := range []*mechanism.Range{i.Population, i.Rows} {
			if e != nil && !(e.Lower <= e.Upper && !math.IsInf(e.Lower, 0) && !math.IsInf(e.Upper, 0)) {
				t.Errorf("%s: %s %s: %+v", of, i.Of, i.Label, *e)
			}
		}
	}
	if text := r.Summary().String(); strings.Contains(text, "NaN") {
		t.Errorf("%s: %s", of, text)
	}
}

// refusal reports whether an error is one of those of a plan, with what was wanted in its text.
func refusal(err error) bool {
	var no *mechanism.UnsupportedError
	var bad *dp.ParameterError
	var few *regression.NotWorthError
	var unmet *mechanism.UnmetTarget
	return errors.As(err, &no) || errors.As(err, &bad) || errors.As(err, &few) || errors.As(err, &unmet)
}
