package privbayes_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const visitsCSV = "sex,age,town\nf,17,Ulm\nm,34,Bern\nf,70,Ulm\nm,18,Genf\nf,51,Bern\nm,40,Ulm\n"

func visits() *privbayes.Schema {
	return &privbayes.Schema{Dataset: "visits", Columns: []privbayes.Column{frame.Categorical("sex", "f", "m"),
		frame.Integer("age", 0, 18, 40, 120), frame.Categorical("town", "Ulm", "Bern", "Genf")}}
}

func readVisits() *privbayes.Frame {
	return privbayes.ReadFrame(strings.NewReader(visitsCSV), visits())
}

// A release of a frame that went through every step loads and verifies from its file alone, and says what was done.
func TestReleaseOfDerivedFrame(t *testing.T) {
	lands := privbayes.ReadFrame(strings.NewReader("town,land\nUlm,D\nBern,CH\nGenf,CH\n"), &privbayes.Schema{
		Dataset: "lands", Columns: []privbayes.Column{visits().Columns[2], frame.Categorical("land", "D", "CH")}})
	if err := readVisits().Lookup("town", lands).Err(); err == nil {
		t.Fatal("a private table was looked up in")
	}
	derived := readVisits().Append(readVisits().Head(2)).
		Derive("adult", []string{"age"}, func(l []string) string {
			if l[0] == "[0, 18)" {
				return "no"
			}
			return "yes"
		}).
		Lookup("town", lands.AsPublic("an atlas")).
		Collapse("town", "Switzerland", "Bern", "Genf").Recode("sex", map[string]string{"f": "woman", "m": "man"}).
		Cut("age", 0, 60, 120).Rename("town", "place").GroupBy("group", "sex", "adult").Drop("sex")
	path := filepath.Join(t.TempDir(), "derived.json")
	p := derived.Model(privbayes.NaiveBayes("group", "age", "place", "land")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1), privbayes.KeepIn(path))
	must.Do(t, p.Err())
	v, err := privbayes.Verify(path)
	if err != nil || !v.OK() {
		t.Fatal(err, v)
	}
	r := must.Get(privbayes.LoadRelease(path))(t)
	if g := r.Guarantee(); g.RowsPerUnit != 2 {
		t.Errorf("rows of a unit: %d, want 2 after Append", g.RowsPerUnit)
	}
	text := must.Get(os.ReadFile(path))(t)
	for _, step := range []string{"Append(", "Derive(", "Lookup(", "Collapse(", "Recode(", "Cut(", "Rename(", "GroupBy("} {
		if !strings.Contains(string(text), step) {
			t.Errorf("the file does not say %s…)", step)
		}
	}
	synthetic := must.Get(r.Synthesize(20, dp.Seeded(1)))(t)
	if _, ok := synthetic.Public(); !ok {
		t.Error("synthetic records are not public")
	}
	w := synthetic.Warnings()
	if len(w) != 2 || w[0].Kind != warning.KindSingleSet || w[1].Kind != warning.KindBinnedNumbers {
		t.Error("one synthetic set without its warnings:", w)
	}
}

// Frames bound to different budgets are not put together, and a failed part is the error of the whole.
func TestAppendAsksForOneBudget(t *testing.T) {
	budget := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), visits(), privbayes.PureDP(1)))(t)
	a, b := readVisits().WithBudget(budget), readVisits()
	var together *frame.TogetherError
	if err := a.Append(b).Err(); !errors.As(err, &together) || !strings.Contains(err.Error(), "different budgets") ||
		strings.Count(err.Error(), "Append:") != 1 {
		t.Error(err)
	}
	if err := a.AppendDisjoint(b.WithBudget(budget)).Err(); err != nil {
		t.Error(err)
	}
	var column *frame.ColumnError
	if err := a.Append(a.Select("no")).Err(); !errors.As(err, &column) {
		t.Error(err)
	}
}

// Check lists what LoadFrame and ReadFrame stopped at, and asks for something to read again.
func TestCheckOfFrames(t *testing.T) {
	bad := strings.NewReplacer("Ulm", "Aulm", "17", "-1").Replace(visitsCSV)
	path := filepath.Join(t.TempDir(), "bad.csv")
	must.Do(t, os.WriteFile(path, []byte(bad), 0o600))
	for _, f := range []*privbayes.Frame{privbayes.LoadFrame(path, visits()),
		privbayes.ReadFrame(strings.NewReader(bad), visits()), privbayes.LoadShards([]string{path}, visits())} {
		var value *frame.ValueError
		if !errors.As(f.Err(), &value) {
			t.Fatal(f.Err())
		}
		var v *privbayes.Violations
		v, err := f.Check()
		if err != nil || v.Count() != 4 || v.Rows != 6 {
			t.Error(v, err)
		}
	}
	if _, err := readVisits().Head(1).Check(); err == nil {
		t.Error("a derived frame was read again")
	}
	if _, err := privbayes.LoadFrame(path, nil).Check(); !errors.Is(err, privbayes.ErrNoSchema) {
		t.Error(err)
	}
	if err := privbayes.LoadShards(nil, nil).Err(); !errors.Is(err, privbayes.ErrNoSchema) {
		t.Error(err)
	}
}

// What people run into between a table and a release: each answer says what to write instead.
func TestStumblesOfModels(t *testing.T) {
	pure := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), visits(), privbayes.PureDP(1)))(t)
	flat := visits()
	flat.Columns[1].Edges = []float64{0, 120}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"pure budget against δ": {readVisits().WithBudget(pure).Model(privbayes.Binary("sex")).
			Privatize(privbayes.DiscreteGaussian(), privbayes.ApproxDP(.5, 1e-6)).Err(), "open it with ApproxDP"},
		"number without edges": {privbayes.ReadFrame(strings.NewReader(visitsCSV), flat).
			Model(privbayes.NaiveBayes("age", "sex")).Err(), `"edges"`},
		"a file that is not there": {privbayes.LoadFrame("visits.csv", visits()).Err(), "no such file"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", name, c.err, c.want)
		}
	}
	f := readVisits()
	report, err := f.Model(privbayes.Binary("sex")).Privatize(privbayes.KNorm(), privbayes.PureDP(1), privbayes.Seeded(1)).
		Evaluate(f)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(report.Warnings(), func(w warning.Warning) bool {
		return strings.Contains(w.Text, "Split")
	}) {
		t.Errorf("evaluation on the training rows: %v", report.Warnings())
	}
}

// A chain that failed shows its error, and no reader is one.
func TestAFailedFrameShowsItsError(t *testing.T) {
	for _, f := range []*privbayes.Frame{nil, {}, privbayes.ReadFrame(nil, &privbayes.Schema{Dataset: "d",
		Columns: []frame.Column{frame.Categorical("a", "x", "y")}}), privbayes.LoadFrame("absent.csv", nil)} {
		if err := f.Err(); err == nil || !strings.Contains(f.Table().String(), strings.SplitN(err.Error(), "\n", 2)[0]) ||
			f.Warnings() != nil || !strings.Contains(f.String(), "privbayes") {
			t.Errorf("%v: %s", err, f.Table())
		}
	}
}
