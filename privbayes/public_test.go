package privbayes_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// stampsOf are all texts of a report and of what else reads rows, for training and test rows declared public or not.
func stampsOf(t *testing.T, train, test *privbayes.Frame) (release []byte, texts []string, figures []figure.Drawing) {
	t.Helper()
	m := train.Model(privbayes.NaiveBayes("Class", "V3", "V4"))
	p := m.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	r, err := p.Release()
	if err != nil {
		t.Fatal(err)
	}
	if release, err = r.JSON(); err != nil {
		t.Fatal(err)
	}
	report, err := p.Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	several, err := eval.CompareReports([]string{"one"}, report)
	if err != nil {
		t.Fatal(err)
	}
	own, err := p.PosteriorFigure()
	if err != nil {
		t.Fatal(err)
	}
	compared, err := m.Compare(context.Background(), privbayes.CompareOptions{Epsilons: []float64{1, 2}, Splits: 1,
		Repeats: 1})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := train.Learn(privbayes.Tree().Of("Class", "V3", "V4", "V5")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(5), privbayes.Seeded(1)).Release()
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := eval.ComparePairs(t.Context(), learned, test.Data())
	if err != nil {
		t.Fatal(err)
	}
	margin, err := pairs.Margin("V3")
	if err != nil {
		t.Fatal(err)
	}
	aware, err := p.NoiseAware()
	if err != nil {
		t.Fatal(err)
	}
	shares, err := eval.CompareShares(aware, test.Data())
	if err != nil {
		t.Fatal(err)
	}
	texts = []string{report.String(), report.HTML(), several.String(), compared.String(), pairs.Table().String(),
		shares.String()}
	figures = []figure.Drawing{several.Figure(), own, compared.Figure(), pairs.HeatMap(), margin}
	for _, f := range report.Figures() {
		figures = append(figures, f)
	}
	for _, ending := range []string{".html", ".md", ".json"} {
		path := filepath.Join(t.TempDir(), "report"+ending)
		if err := report.Save(path); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	return release, texts, figures
}

// Only where all rows that were read are public does nothing say otherwise; the release is the same to the last bit.
func TestPublicDataIsNotStamped(t *testing.T) {
	train, test := privbayes.ReadFrame(data.Votes()).Split(.7, 1)
	const where = "the Congressional Quarterly Almanac, 1984"
	for name, c := range map[string]struct {
		train, test *privbayes.Frame
		public      bool
	}{
		"private":       {train, test, false},
		"public":        {train.AsPublic(where), test.AsPublic(where), true},
		"private train": {train, test.AsPublic(where), false},
		"private test":  {train.AsPublic(where), test, false},
	} {
		release, texts, figures := stampsOf(t, c.train, c.test)
		before, _, _ := stampsOf(t, train, test)
		if !bytes.Equal(release, before) {
			t.Errorf("%s: another release", name)
		}
		for i, s := range texts[:2] { // the report
			if got := !strings.Contains(s, "do not publish"); got != c.public || c.public != strings.Contains(s, where) {
				t.Errorf("%s: text %d: public %v\n%s", name, i, got, s)
			}
		}
		stamped := 0
		for _, s := range texts {
			if strings.Contains(s, "do not publish") || strings.Contains(s, "do_not_publish") {
				stamped++
			}
		}
		for _, f := range figures {
			_, alt := f.Words()
			if strings.HasPrefix(alt, "Private. ") {
				stamped++
			}
			if c.public {
				for _, fault := range seen.Faults(f) {
					t.Errorf("%s: %s: %s", name, alt, fault)
				}
			}
		}
		if all := len(texts) + len(figures); c.public && stamped > 0 || name == "private" && stamped < all {
			t.Errorf("%s: %d of %d are stamped", name, stamped, all)
		}
	}
}

// A declaration changes no release of a table whose n is private, or whose rows are of units.
func TestPublicDataKeepsPrivateN(t *testing.T) {
	rows := privbayes.ReadFrame(data.Votes()).WithoutN()
	draw := func(f *privbayes.Frame) []byte {
		r, err := f.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1).Under(privbayes.AddRemove), privbayes.Seeded(1)).Release()
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	part, _ := rows.Split(.5, 1)
	open, _ := rows.AsPublic("a report").Split(.5, 1)
	if !bytes.Equal(draw(part), draw(open)) {
		t.Error("another release")
	}
}
