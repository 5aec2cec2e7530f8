package privbayes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/model"
	_ "github.com/privbayes/privbayes-go/privbayes/plots" // reports embed pictures
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func votes() (train, test *privbayes.Frame) {
	return privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
}

func TestChainOnEveryEmbeddedClassifier(t *testing.T) {
	for name, class := range map[string]string{
		"votes": "Class", "breast_cancer": "benign", "wine": "class", "iris": "Species", "penguins": "species", "spam": "spam", "german_credit": "class",
	} {
		for _, mech := range []privbayes.Mechanism{privbayes.Geometric(), privbayes.DiscreteGaussian()} {
			r, s, err := data.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			train, test := privbayes.ReadFrame(r, s).Split(0.7, 1)
			report, err := train.Model(privbayes.NaiveBayes(class)).
				Privatize(mech, privbayes.ApproxDP(8, 1e-6), privbayes.Seeded(1)).Evaluate(test)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if report.NonPrivate.Accuracy <= report.Majority {
				t.Errorf("%s: the non-private model (%v) does not beat the majority class (%v)", name, report.NonPrivate.Accuracy, report.Majority)
			}
		}
	}
}

// At a very large ε the release is the non-private model: the whole chain adds nothing but noise.
func TestNoNoiseIsNoPrivacy(t *testing.T) {
	train, test := votes()
	report, err := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1500), privbayes.Seeded(1)).Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	if report.KL > 1e-9 || report.Private.Accuracy != report.NonPrivate.Accuracy || report.Hellinger > 1e-6 {
		t.Errorf("KL %v, Hellinger %v, accuracies %v and %v", report.KL, report.Hellinger, report.Private.Accuracy, report.NonPrivate.Accuracy)
	}
}

func TestKeptReleasesAreDrawnOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "votes.release.json")
	budget, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), "votes", privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	model := train.WithBudget(budget).Model(privbayes.NaiveBayes("Class"))
	var first []byte
	for i := range 3 {
		p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)) // secure randomness
		if p.Err() != nil || p.Loaded() != (i > 0) {
			t.Fatal(i, p.Err(), p.Loaded())
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Fatal("the kept file changed")
		}
	}
	if n := len(budget.Charges()); n != 1 {
		t.Errorf("%d charges", n)
	}
	// what differs is named, and no more than that
	geometric, eps, keep := privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)
	half, _ := train.Split(0.5, 2)
	for field, p := range map[string]*privbayes.Privatized{
		"target":    model.Privatize(geometric, privbayes.PureDP(0.5), keep),
		"mechanism": model.Privatize(privbayes.Consistent(), eps, keep),
		"plan":      train.Model(privbayes.NaiveBayes("Class").WithPrior(2)).Privatize(geometric, eps, keep),
		"model":     train.WithBudget(budget).Model(privbayes.Binary("Class")).Privatize(geometric, eps, keep),
		"n":         half.Model(privbayes.NaiveBayes("Class")).Privatize(geometric, eps, keep),
		"schema":    train.Select("Class", "V1").Model(privbayes.NaiveBayes("Class")).Privatize(geometric, eps, keep),
		"data set":  privbayes.ReadFrame(data.Iris()).Model(privbayes.NaiveBayes("Species")).Privatize(geometric, eps, keep),
	} {
		var kept *privbayes.KeptError
		if !errors.As(p.Err(), &kept) || kept.Field != field || kept.Have == kept.Want {
			t.Errorf("%s: %v", field, p.Err())
		}
		if s := p.Err().Error(); field == "schema" && !strings.Contains(s, `column 3 is "V2", categorical, with levels n, y, unrecorded; want one of 2 columns`) {
			t.Error(s)
		}
	}
	var over *dp.BudgetExceededError
	if p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1)); !errors.As(p.Err(), &over) {
		t.Error("a second release fitted a spent budget:", p.Err())
	}
}

// A crash between charge and write: the release cannot be written, and the budget stays charged.
func TestFailureAfterTheChargeStaysCharged(t *testing.T) {
	dir := t.TempDir()
	budget, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), "votes", privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	ctx, cancel := context.WithCancel(t.Context())
	p := train.WithBudget(budget).Model(privbayes.NaiveBayes("Class")).
		Privatize(cancelling{privbayes.Geometric(), cancel}, privbayes.PureDP(1), privbayes.WithContext(ctx))
	if !errors.Is(p.Err(), context.Canceled) {
		t.Fatal(p.Err())
	}
	if _, err := p.Release(); err == nil {
		t.Error("a release that was not drawn to its end was handed out")
	}
	if n := len(budget.Charges()); n != 1 {
		t.Errorf("%d charges after a failure behind the charge", n)
	}
}

// cancelling ends the context once the plan is made, so that the draw fails.
type cancelling struct {
	privbayes.Mechanism
	cancel context.CancelFunc
}

func (c cancelling) Plan(ctx context.Context, s *model.Shape, t privbayes.Target) (*privbayes.Plan, error) {
	defer c.cancel()
	return c.Mechanism.Plan(ctx, s, t)
}

// A path where nothing can be kept is seen before the charge.
func TestKeepInAnImpossiblePlaceCostsNothing(t *testing.T) {
	dir := t.TempDir()
	budget, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), "votes", privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(filepath.Join(dir, "nowhere", "r.json"), link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{link, dir, filepath.Join(dir, "votes.budget", "r.json")} {
		var fe *release.FileError
		p := train.WithBudget(budget).Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path))
		if !errors.As(p.Err(), &fe) {
			t.Errorf("%s: %v", path, p.Err())
		}
	}
	if n := len(budget.Charges()); n != 0 {
		t.Errorf("%d charges", n)
	}
}

// A folder that does not exist is seen before the charge: a typing error costs nothing.
func TestKeepInAMissingFolderCostsNothing(t *testing.T) {
	dir := t.TempDir()
	budget, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), "votes", privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	p := train.WithBudget(budget).Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(filepath.Join(dir, "missing", "r.json")))
	var e *release.FileError
	if !errors.As(p.Err(), &e) || !strings.Contains(e.Error(), "a folder that exists") || len(budget.Charges()) != 0 {
		t.Errorf("%v, %d charges", p.Err(), len(budget.Charges()))
	}
}

func TestConcurrentKeepersShareOneRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	train, _ := votes()
	model := train.Model(privbayes.NaiveBayes("Class"))
	ids, wg, mu := map[string]bool{}, sync.WaitGroup{}, sync.Mutex{}
	for range 8 {
		wg.Go(func() {
			r, err := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)).Release()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[r.ID()] = true
		})
	}
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("%d different releases were handed out", len(ids))
	}
}

func TestSecureReleasesDiffer(t *testing.T) {
	train, _ := votes()
	model := train.Model(privbayes.NaiveBayes("Class"))
	a, err1 := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Release()
	b, err2 := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Release()
	if err1 != nil || err2 != nil || fmt.Sprint(a.Raw()) == fmt.Sprint(b.Raw()) || a.ID() == b.ID() {
		t.Error("two secure draws agree:", err1, err2)
	}
	if a.Guarantee().Notion != dp.Pure {
		t.Error(a.Guarantee())
	}
}

func TestReportsAreReproducibleAndSplit(t *testing.T) {
	dir := t.TempDir()
	var files [2][3][]byte
	for i := range files {
		train, test := votes()
		r, err := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7)).Evaluate(test)
		if err != nil {
			t.Fatal(err)
		}
		for k, ext := range []string{".html", ".md", ".json"} {
			path := filepath.Join(dir, fmt.Sprint(i)+ext)
			if err := r.Save(path); err != nil {
				t.Fatal(err)
			}
			if files[i][k], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(files[i][k]), "do not publish") && !strings.Contains(string(files[i][k]), "do_not_publish") {
				t.Errorf("%s: the private part is not stamped", ext)
			}
			public := filepath.Join(dir, "public"+ext)
			if err := r.SavePublic(public); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(public)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"non-private", "Confusion", "held-out", "Brier"} {
				if strings.Contains(string(b), word) {
					t.Errorf("%s: the public part says %q", ext, word)
				}
			}
		}
		var fe *eval.FormatError
		if err := r.Save(filepath.Join(dir, "x.pdf")); !errors.As(err, &fe) {
			t.Error(err)
		}
	}
	for k := range files[0] {
		if !bytes.Equal(files[0][k], files[1][k]) {
			t.Error("the same seed gave different reports")
		}
	}
}

func TestChargedAccuracy(t *testing.T) {
	budget, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), "votes", privbayes.PureDP(2))
	if err != nil {
		t.Fatal(err)
	}
	train, test := privbayes.ReadFrame(data.Votes()).WithBudget(budget).Split(0.7, 1)
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7))
	report, err := p.Evaluate(test)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.ChargedAccuracy(test, privbayes.PureDP(1), privbayes.Seeded(2))
	if err != nil {
		t.Fatal(err)
	}
	if d := a.Share - report.Private.Accuracy; d > 3*a.HalfWidth || d < -3*a.HalfWidth {
		t.Errorf("noisy accuracy %v, true %v, half width %v", a.Share, report.Private.Accuracy, a.HalfWidth)
	}
	if s := budget.Spent(); s.Epsilon != 2 {
		t.Error("spent", s)
	}
	var over *dp.BudgetExceededError
	if _, err := p.ChargedAccuracy(test, privbayes.PureDP(1)); !errors.As(err, &over) {
		t.Error("an exhausted budget paid for an accuracy:", err)
	}
}

func TestCompare(t *testing.T) {
	train, _ := votes()
	done := int64(0)
	o := privbayes.CompareOptions{Epsilons: []float64{0.1, 10}, Splits: 3, Repeats: 4, Seed: 5, Progress: func(d, _ int64) { done = d }}
	d, err := train.Model(privbayes.NaiveBayes("Class")).Compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if done != 24 || d.Draws != 24 || len(d.Outcomes) != 2 {
		t.Error(done, d.Draws, len(d.Outcomes))
	}
	if d.Outcomes[1].Accuracy.Mean <= d.Outcomes[0].Accuracy.Mean || d.Outcomes[1].KL.Mean >= d.Outcomes[0].KL.Mean {
		t.Errorf("more budget did not help:\n%s", d)
	}
	if err := d.Figure().Validate(); err != nil {
		t.Error(err)
	}
	again, err := train.Model(privbayes.NaiveBayes("Class")).Compare(t.Context(), o)
	if err != nil || again.String() != d.String() {
		t.Error("the same seed gave another comparison", err)
	}
	if !strings.Contains(d.String(), "do not publish") {
		t.Error("a diagnostic without its stamp")
	}
}

func Example() {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	report, err := train.
		Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7)).
		Evaluate(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report.Headlines())
	// Output:
	// headline: accuracy of the release = 0.9077
	// headline: accuracy without privacy = 0.9077
	// headline: guarantee of the plan = 1-DP, replace-one, unit: member of Congress, arithmetic: exact
}

func ExampleModel_Plan() {
	train := privbayes.ReadFrame(data.Votes())
	p, err := train.Model(privbayes.Binary("Class")).Plan(privbayes.Geometric(), privbayes.PureDP(0.5))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := p.ExpectedError()
	fmt.Printf("%s\nexpected error of the share: %.4f\n", p.Certified().Level, e)
	// Output:
	// 0.5-DP
	// expected error of the share: 0.0044
}

// A kept release is of its rows: the other half of a table, as large, does not get it.
func TestKeptReleasesAreOfTheirRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	kept := func(f *privbayes.Frame) error {
		return f.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1), privbayes.KeepIn(path)).Err()
	}
	a, b := privbayes.ReadFrame(data.Votes()).Head(434).Split(0.5, 1)
	if err := kept(a); err != nil {
		t.Fatal(err)
	}
	if err := kept(a); err != nil {
		t.Error("the same rows:", err)
	}
	var other *privbayes.KeptError
	if err := kept(b); !errors.As(err, &other) || other.Field != "rows" {
		t.Error(err)
	}
}
