package privbayes_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func votes() (train, test *privbayes.Frame) {
	return privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
}

func TestChainOnEveryEmbeddedClassifier(t *testing.T) {
	for name, class := range map[string]string{
		"votes": "Class", "breast_cancer": "benign", "wine": "class", "iris": "Species", "penguins": "species",
		"spam": "spam", "german_credit": "class",
	} {
		for _, mech := range []privbayes.Mechanism{privbayes.Geometric(), privbayes.DiscreteGaussian()} {
			r, s := must.Get2(data.Open(name))(t)
			train, test := privbayes.ReadFrame(r, s).Split(0.7, 1)
			report, err := train.Model(privbayes.NaiveBayes(class)).
				Privatize(mech, privbayes.ApproxDP(8, 1e-6), privbayes.Seeded(1)).Evaluate(test)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if report.NonPrivate.Accuracy <= report.Guess {
				t.Errorf("%s: the non-private model (%v) does not beat the majority class (%v)", name,
					report.NonPrivate.Accuracy, report.Guess)
			}
		}
	}
}

// At a very large ε the release is the non-private model: the whole chain adds nothing but noise.
func TestNoNoiseIsNoPrivacy(t *testing.T) {
	train, test := votes()
	report := must.Get(train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1500),
		privbayes.Seeded(1)).Evaluate(test))(t)
	kl, _ := report.Line("KL of the target posterior (nats)")
	hellinger, ok := report.Line("Hellinger distance of the target posterior")
	if !ok || kl.Release > 1e-9 || report.Private.Accuracy != report.NonPrivate.Accuracy || hellinger.Release > 1e-6 {
		t.Errorf("KL %v, Hellinger %v, accuracies %v and %v", kl, hellinger, report.Private.Accuracy,
			report.NonPrivate.Accuracy)
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
		r, err := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
			privbayes.Seeded(7)).Evaluate(test)
		if err != nil {
			t.Fatal(err)
		}
		for k, ext := range []string{".html", ".md", ".json"} {
			path := filepath.Join(dir, fmt.Sprint(i)+ext)
			must.Do(t, r.Save(path))
			if files[i][k], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(files[i][k]), "do not publish") &&
				!strings.Contains(string(files[i][k]), "do_not_publish") {
				t.Errorf("%s: the private part is not stamped", ext)
			}
			public := filepath.Join(dir, "public"+ext)
			must.Do(t, r.SavePublic(public))
			b := must.Get(os.ReadFile(public))(t)
			for _, word := range []string{"non-private", "Confusion", "held-out", "Brier"} {
				if strings.Contains(string(b), word) {
					t.Errorf("%s: the public part says %q", ext, word)
				}
			}
		}
		var fe *dp.ParameterError
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

func TestPrivateAccuracy(t *testing.T) {
	ledger, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), schemaIn(data.Votes()), privbayes.PureDP(2))
	if err != nil {
		t.Fatal(err)
	}
	train, test := privbayes.ReadFrame(data.Votes()).WithBudget(ledger).Split(0.7, 1)
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.Seeded(7))
	report := must.Get(p.Evaluate(test))(t)
	a := must.Get(p.PrivateAccuracy(test, privbayes.PureDP(1), privbayes.Seeded(2)))(t)
	if d := a.Share - report.Private.Accuracy; d > 3*a.HalfWidth || d < -3*a.HalfWidth {
		t.Errorf("noisy accuracy %v, true %v, half width %v", a.Share, report.Private.Accuracy, a.HalfWidth)
	}
	if s := ledger.Spent(); s.Epsilon != 2 {
		t.Error("spent", s)
	}
	var over *budget.ExceededError
	if _, err := p.PrivateAccuracy(test, privbayes.PureDP(1)); !errors.As(err, &over) {
		t.Error("an exhausted budget paid for an accuracy:", err)
	}
}

func TestCompare(t *testing.T) {
	train, _ := votes()
	done := int64(0)
	o := privbayes.CompareOptions{Epsilons: []float64{0.1, 10}, Splits: 3, Repeats: 4, Seed: 5,
		Progress: func(d, _ int64) { done = d }}
	d := must.Get(train.Model(privbayes.NaiveBayes("Class")).Compare(t.Context(), o))(t)
	if done != 24 || d.Draws != 24 || len(d.Outcomes) != 2 {
		t.Error(done, d.Draws, len(d.Outcomes))
	}
	if d.Outcomes[1].Score.Mean <= d.Outcomes[0].Score.Mean ||
		d.Outcomes[1].Measures[2].Mean >= d.Outcomes[0].Measures[2].Mean {
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
	release, err := privbayes.ReadFrame(data.Votes()).
		Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7)).
		Release()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(release.Plan().Certified())
	fmt.Print(release.Summary())
	// Output:
	// ε = 1, replace-one, unit: "member of Congress", sampling: exact
	// Shares of Class
	//             estimate  population: 95 %     rows: 95 %
	// ----------  --------  ----------------  -------------
	// democrat       0.585     0.506 – 0.665  0.517 – 0.654
	// republican     0.415     0.335 – 0.494  0.346 – 0.483
	// The intervals include the noise of the release: score intervals of each share from the counts of one table, without a prior.
	// Of the population: the rows are taken as an independent sample of it.
}

func ExamplePrivatized_Evaluate() {
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
	// headline: guarantee of the plan = ε = 1, replace-one, unit: "member of Congress", sampling: exact
}

func ExampleModel_Plan() {
	train := privbayes.ReadFrame(data.Votes())
	p, err := train.Model(privbayes.Binary("Class")).Plan(privbayes.Geometric(), privbayes.PureDP(0.5))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, _ := p.ExpectedError()
	fmt.Printf("%s\nexpected error of the share: %.4f\n", p.Certified().Parameters, e)
	// Output:
	// ε = 0.5
	// expected error of the share: 0.0044
}
