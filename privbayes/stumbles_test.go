package privbayes_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// A budget without a δ refuses a release with one, says how to open one that takes it, and charges nothing.
func TestPureBudgetAgainstDelta(t *testing.T) {
	b, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "votes.budget"), schemaIn(data.Votes()), privbayes.PureDP(3))
	if err != nil {
		t.Fatal(err)
	}
	m := privbayes.ReadFrame(data.Votes()).WithBudget(b).Model(privbayes.Binary("Class"))
	for _, c := range []struct {
		mech   privbayes.Mechanism
		target privbayes.Target
		words  []string
	}{
		{privbayes.Geometric(), privbayes.ApproxDP(1, 1e-6), []string{"no δ", "opened with ApproxDP",
			"nothing was charged"}},
		{privbayes.DiscreteGaussian(), privbayes.ZCDP(.1), []string{"opened with ApproxDP", "nothing was charged"}},
	} {
		err := m.Privatize(c.mech, c.target).Err()
		var no *budget.NotionError
		var cause *dp.ConversionError
		if !errors.As(err, &no) || !errors.As(err, &cause) {
			t.Fatalf("%s: %v", c.target.Parameters, err)
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: no %q in %v", c.target.Parameters, w, err)
			}
		}
	}
	if n := len(b.Charges()); n != 0 {
		t.Errorf("%d charges", n)
	}
}

// A relative path is one from the program's folder: the error names that folder.
func TestVerifyFromAnotherFolder(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(home)
	must.Do(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1), privbayes.KeepIn("votes.release.json")).Err())
	t.Chdir(elsewhere)
	here := must.Get(os.Getwd())(t)
	_, verify := privbayes.Verify("votes.release.json")
	_, load := privbayes.LoadRelease("votes.release.json")
	for _, err := range []error{verify, load} {
		var no *release.FileError
		if !errors.As(err, &no) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), here) ||
			!strings.Contains(err.Error(), "give the path") {
			t.Error(err)
		}
	}
	if v, err := privbayes.Verify(filepath.Join(home, "votes.release.json")); err != nil || !v.OK() {
		t.Error(err)
	}
}

// Scores on the rows that a release was made from say so.
func TestEvaluateOnTrainingRows(t *testing.T) {
	train, test := votes()
	p := train.Model(privbayes.NaiveBayes("Class", "V3", "V4")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(1))
	for rows, warned := range map[*privbayes.Frame]bool{train: true, test: false} {
		r := must.Get(p.Evaluate(rows))(t)
		found := false
		for _, w := range r.Warnings() {
			found = found || w.Kind == warning.KindTrainingRows && strings.Contains(w.Text, "305 test rows")
		}
		if found != warned {
			t.Errorf("warned: %v, want %v: %v", found, warned, r.Warnings())
		}
	}
}

// A name that is nearly a column's is answered with that column's.
func TestMistypedColumns(t *testing.T) {
	f := privbayes.ReadFrame(data.Votes())
	for name, err := range map[string]error{
		"class":       f.Model(privbayes.NaiveBayes("class")).Err(),
		"feature":     f.Model(privbayes.NaiveBayes("Class", "v3")).Err(),
		"categorical": f.Model(privbayes.Categorical("clas")).Err(),
		"node": f.Model(privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("v3",
			"Class"))).Err(),
		"select": f.Select("Class", "v3").Err(),
		"regression": privbayes.ReadFrame(data.CPS1988()).Model(privbayes.LinearRegression("wages",
			"education")).Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
