package privbayes_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Choices that PrivBayes does not have, and choices of PrivBayes for others, are refused by name; nothing is drawn.
func TestBadInputOfPrivBayes(t *testing.T) {
	f := levelled(t, 60, 2, 2, 2)
	pure := privbayes.PureDP(1)
	for says, c := range map[string]struct {
		spec   privbayes.ModelSpec
		mech   privbayes.Mechanism
		target privbayes.Target
	}{
		"Degree(5)":           {privbayes.PrivBayes().Degree(5), privbayes.Laplace(), pure},
		"Degree(-1)":          {privbayes.PrivBayes().Degree(-1), privbayes.Laplace(), pure},
		`Scored("X")`:         {privbayes.PrivBayes().Scored("X"), privbayes.Laplace(), pure},
		"Theta(-1)":           {privbayes.PrivBayes().Theta(-1), privbayes.Laplace(), pure},
		"Theta(NaN)":          {privbayes.PrivBayes().Theta(math.NaN()), privbayes.Laplace(), pure},
		"Choosing(1)":         {privbayes.PrivBayes().Choosing(1), privbayes.Laplace(), pure},
		"always learns":       {privbayes.PrivBayes().Always(), privbayes.Laplace(), pure},
		"as published":        {privbayes.PrivBayes().Star("c0"), privbayes.Laplace(), pure},
		"whose choices":       {privbayes.Tree().Degree(2), privbayes.Geometric(), pure},
		"use Laplace()":       {privbayes.PrivBayes(), privbayes.Geometric(), pure},
		"functions of n":      {privbayes.PrivBayes(), privbayes.Laplace(), pure.Under(dp.AddRemove)},
		"the paper's privacy": {privbayes.PrivBayes(), privbayes.Laplace(), privbayes.ZCDP(1)},
		"use PrivBayes()":     {privbayes.Tree(), privbayes.LearnedAsPublished(), pure},
	} {
		says = strings.Replace(says, "always learns", "as published", 1)
		says = strings.Replace(says, "use PrivBayes()", "Geometric()", 1)
		if _, err := f.Model(c.spec).Plan(c.mech, c.target); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// The three scores, with other shares and usefulness, release a network that a file gives back bit for bit.
func TestPrivBayesReleases(t *testing.T) {
	f := levelled(t, 500, 2, 2, 2, 2)
	for _, m := range []privbayes.ModelSpec{
		privbayes.PrivBayes().Scored(privbayes.ByMaximum).Choosing(.5),
		privbayes.PrivBayes().Scored(privbayes.ByInformation).Theta(10).Classifying("c2"),
		privbayes.PrivBayes().Scored(privbayes.ByDistance).Degree(2).Of("c0", "c1", "c3"),
	} {
		path := filepath.Join(t.TempDir(), "a.release.json")
		r, err := f.Model(m).Privatize(privbayes.Laplace(), privbayes.AsPublished(4), privbayes.Seeded(3)).Release()
		if err != nil {
			t.Fatal(m, err)
		}
		must.Do(t, r.Save(path))
		again, err := privbayes.LoadRelease(path)
		if err != nil {
			t.Fatal(m, err)
		}
		a, errA := r.Synthesize(50, dp.Seeded(1))
		b, errB := again.Synthesize(50, dp.Seeded(1))
		if errA != nil || errB != nil || a.String() != b.String() {
			t.Errorf("%v: %v, %v", m, errA, errB)
		}
		if v, err := privbayes.Verify(path); err != nil || !v.OK() {
			t.Errorf("%v: %v, %v", m, v, err)
		}
		if e := float64(r.Plan().Certified().Epsilon); e != 0 && (e > 4 || e < 3.5) {
			t.Errorf("%v: certified %v for a nominal 4", m, e)
		}
	}
}
