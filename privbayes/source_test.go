package privbayes_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	seam "github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

func away(t testing.TB) *sourcetest.Groups {
	return sourcetest.NewGroups(t, sourcetest.Schema(t), 3, 2)
}

// A chain from a source does all that needs no rows: plans, advice, budgets, kept releases, and evaluation on a frame.
func TestChainsFromASource(t *testing.T) {
	s := away(t)
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b.jsonl"), s.Schema(), privbayes.PureDP(3)))(t)
	all := privbayes.From(t.Context(), s).WithBudget(b)
	m := all.Model(privbayes.NaiveBayes("class"))
	if _, err := m.Plan(privbayes.Geometric(), privbayes.PureDP(1)); err != nil {
		t.Error(err)
	}
	if a, err := m.AdviseWith(t.Context(), privbayes.AdviseOptions{Mechanisms: []privbayes.Mechanism{
		privbayes.Geometric()}}, privbayes.PureDP(1)); err != nil || a == nil {
		t.Error(err)
	}
	kept := filepath.Join(t.TempDir(), "kept.json")
	p := m.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(kept))
	again := m.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(kept))
	if p.Err() != nil || !again.Loaded() {
		t.Fatal(p.Err(), again.Err())
	}
	if left := m.Privatize(privbayes.Geometric(), privbayes.PureDP(2.5)); left.Err() == nil {
		t.Error("a source spends what its budget does not have")
	}
	if r, err := p.Evaluate(privbayes.WrapFrame(sourcetest.Frame(t), nil)); err != nil || r == nil {
		t.Error("evaluation on a frame:", err)
	}
	if f, err := p.PosteriorFigure(); err != nil || !f.Private {
		t.Error(err)
	}
	if text := all.String(); !strings.Contains(text, "240 rows") || !strings.Contains(text, "stay where they are") {
		t.Error(text)
	}
	if all.Data() != nil || all.Err() != nil {
		t.Error("a source has rows in memory:", all.Err())
	}
}

// What needs rows is refused, with what to do.
func TestStepsThatNeedRows(t *testing.T) {
	s := privbayes.From(t.Context(), away(t))
	f := privbayes.WrapFrame(sourcetest.Frame(t), nil)
	one := func(f *privbayes.Frame, _ ...*privbayes.Frame) error { return f.Err() }
	two := func(a, b *privbayes.Frame) error { return errors.Join(a.Err(), b.Err()) }
	model := s.Model(privbayes.NaiveBayes("class"))
	_, compared := model.Compare(t.Context(), privbayes.CompareOptions{})
	release := f.Model(privbayes.NaiveBayes("class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(1))
	_, evaluated := release.Evaluate(s)
	_, charged := release.PrivateAccuracy(s, privbayes.PureDP(1))
	_, checked := s.Check()
	for step, err := range map[string]error{
		"Split": two(s.Split(.5, 1)), "Holdout": two(s.Holdout(5, 1)), "Select": one(s.Select("class")), "Head": one(s.Head(3)),
		"Where":  one(s.Where("class", func(string) bool { return true })),
		"Derive": one(s.Derive("d", []string{"class"}, func(l []string) string { return l[0] })),
		"Recode": one(s.Recode("class", map[string]string{"good": "fine"})), "Drop": one(s.Drop("age")),
		"GroupBy": one(s.GroupBy("g", "class")), "Cut": one(s.Cut("age", 18, 50, 100)), "Rename": one(s.Rename("age", "a")),
		"Collapse": one(s.Collapse("colour", "x", "red", "green")), "AsPublic": one(s.AsPublic("a report")),
		"Append": one(f.Append(s)), "AppendDisjoint": one(s.AppendDisjoint(f)), "Lookup": one(f.Lookup("class", s)),
		"Compare": compared, "Evaluate": evaluated, "PrivateAccuracy": charged, "Check": checked,
	} {
		var needs *privbayes.NeedsRowsError
		var where *privbayes.StepError
		if !errors.As(err, &needs) || needs.Step != step || !strings.Contains(err.Error(), "; want ") ||
			!errors.As(err, &where) {
			t.Errorf("%s: %v", step, err)
		}
	}
	if err := two(f.SplitByKey("id", .5, 1)); err == nil || !strings.Contains(err.Error(), "Split(fraction, seed)") {
		t.Error("a frame by key:", err)
	}
	if err := two(s.SplitByKey("id", 1.5, 1)); err == nil {
		t.Error("a fraction above 1")
	}
	var column *frame.ColumnError
	if err := two(s.SplitByKey("age", .5, 1)); !errors.As(err, &column) {
		t.Error("another key:", err)
	}
	if err := privbayes.From(t.Context(), nil).Err(); err == nil || !strings.Contains(err.Error(), "no source") {
		t.Error("no source:", err)
	}
}

// failing is a source that cannot be read.
type failing struct{ seam.Source }

func (failing) Size(context.Context) (seam.Size, error) {
	return seam.Size{}, &seam.Failure{Source: "hospital.visits", Doing: "counting rows", Want: "a table that can be read"}
}

func TestFailuresOfSourcesHaveAStep(t *testing.T) {
	err := privbayes.From(t.Context(), failing{seam.OfFrame(sourcetest.Frame(t))}).Model(privbayes.Categorical("class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Err()
	var failure *seam.Failure
	var step *privbayes.StepError
	if !errors.As(err, &failure) || !errors.As(err, &step) || step.Step != "From" {
		t.Error(err)
	}
	want := `privbayes: From: source hospital.visits: counting rows failed; want a table that can be read`
	if err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// The parts of a division by key share no unit and leave none out; the rows of a unit are in one of them. Their n is
// private, a release says which part it is of, and no unit decides about another.
func TestSplitByKey(t *testing.T) {
	train, test := privbayes.From(t.Context(), away(t)).SplitByKey("id", .6, 4)
	m := train.Model(privbayes.NaiveBayes("class"))
	sh := must.Get(m.Shape())(t)
	if _, public := sh.N(); public || sh.RowsText() != `SplitByKey("id", 0.6, 4), train` {
		t.Errorf("rows: %s; n public %v", sh.RowsText(), public)
	}
	if err := m.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Err(); !errors.Is(err,
		frame.ErrPrivateN) && (err == nil || !strings.Contains(err.Error(), "SplitByKey")) {
		t.Error("replace-one with a private n:", err)
	}
	hidden := privbayes.PureDP(1).Under(privbayes.AddRemove)
	for _, part := range []*privbayes.Frame{train, test} {
		if err := part.Model(privbayes.NaiveBayes("class")).Privatize(privbayes.Geometric(), hidden,
			privbayes.Seeded(1)).Err(); err != nil {
			t.Error(err)
		}
	}
	for _, fraction := range []float64{0, .6, 1} {
		part := must.Get(seam.NewPart("id", fraction, 4))(t)
		in := 0
		for _, row := range away(t).Records {
			key := []byte(row[0])
			if part.Keeps(key) == part.Rest().Keeps(key) {
				t.Fatalf("%s is in both parts or in none", key)
			}
			if part.Keeps(key) {
				in++
			}
		}
		if share := float64(in) / 240; share < fraction-.15 || share > fraction+.15 {
			t.Errorf("%v of the rows are in the part, want about %v", share, fraction)
		}
	}
	a, b := away(t), away(t)
	first, _ := seam.NewPart("id", .6, 4)
	x, _ := a.Part(first)
	y, _ := b.Part(first.Rest())
	if kind, _ := x.Rows().Overlap(y.Rows(), false); kind != frame.OverlapNone {
		t.Errorf("the parts overlap: %q", kind)
	}
	if kind, _ := x.Rows().Overlap(b.Rows(), false); kind != frame.OverlapPart {
		t.Errorf("a part of the whole: %q", kind)
	}
}
