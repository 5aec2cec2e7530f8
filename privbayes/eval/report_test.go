package eval_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A report on count tables stands between the model without privacy and no model: with much budget it is the former.
func TestReportOnCounts(t *testing.T) {
	m := model.NaiveBayes("x", "y")
	r := reportOn(t, m, dirichlet.New(), dp.ApproxDP(100, 1e-6))
	b := r.Baseline
	if b == nil || b.Name == "" || b.Level != dp.ApproxDP(100, 1e-6).Level || b.Draws < 2 {
		t.Fatalf("baseline %+v", b)
	}
	for name, v := range map[string][3]float64{
		"accuracy":       {r.Private.Accuracy, b.Scores.Accuracy, r.NonPrivate.Accuracy},
		"log-likelihood": {r.LogLik, b.LogLik, r.LogLikNP},
		"KL":             {r.KL, b.KL, 0}, "Hellinger": {r.Hellinger, b.Hellinger, 0},
	} {
		if math.Abs(v[0]-v[2]) > .02 || math.Abs(v[1]-v[2]) > .02 || (v[2] == 0) != (name == "KL" || name == "Hellinger") {
			t.Errorf("%s: released %v, baseline %v, without privacy %v", name, v[0], v[1], v[2])
		}
	}
	if !(r.NonPrivate.Accuracy > r.Majority+.2) {
		t.Errorf("accuracy %v, majority %v", r.NonPrivate.Accuracy, r.Majority)
	}
	if g := reportOn(t, m, counts.Geometric(), dp.PureDP(1)); g.Baseline != nil {
		t.Error("plain noise beside plain noise")
	}
	// noise that leaves nothing of the tables
	if w := reportOn(t, m, dirichlet.New(), dp.ApproxDP(.002, 1e-6)); !(w.KL > 100*r.KL && w.LogLik < r.LogLik-.1 && w.LogLikNP == r.LogLikNP) {
		t.Errorf("KL %v, log-likelihood %v, without privacy %v", w.KL, w.LogLik, w.LogLikNP)
	}
	// distances of narrow posteriors are large, and the table says why; small ones need no words
	for _, c := range []struct {
		r    *eval.Report
		said bool
	}{{r, false}, {reportOn(t, m, dirichlet.New(), dp.ApproxDP(.002, 1e-6)), true}} {
		if got := strings.Contains(c.r.PrivateTables()[0].String(), "Posteriors of many rows are narrow"); got != c.said || c.said != (max(c.r.Hellinger, c.r.Baseline.Hellinger) > .82) {
			t.Errorf("Hellinger distances %v and %v: explained %v, want %v", c.r.Hellinger, c.r.Baseline.Hellinger, got, c.said)
		}
	}
	path := filepath.Join(t.TempDir(), "r.html")
	if err := r.SavePublic(path); err != nil {
		t.Error("a public report is not saved:", err)
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Contains(b, []byte("data:image/svg+xml;base64,")) {
		t.Error("no picture in a saved report", err)
	}
}

// The log loss of a comparison falls with ε towards that of the model without privacy.
func TestCompareLogLoss(t *testing.T) {
	d, err := eval.Compare(t.Context(), noisyLine(t, 1000), model.NaiveBayes("x", "y"), eval.CompareOptions{
		Mechanisms: []mechanism.Mechanism{counts.Geometric()}, Epsilons: []float64{.001, 50}, Splits: 2, Repeats: 4, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	noisy, clear := d.Outcomes[0], d.Outcomes[1]
	if said := strings.Contains(d.String(), "Posteriors of many rows are narrow"); said != (noisy.KL.Mean > 4.5) || !said {
		t.Errorf("divergence %v: explained %v", noisy.KL.Mean, said)
	}
	if !(noisy.LogLoss.Mean > clear.LogLoss.Mean+.05 && clear.LogLoss.Mean > .1 && clear.LogLoss.Mean < math.Ln2) {
		t.Errorf("log loss %+v at ε = 0.001, %+v at 50", noisy.LogLoss, clear.LogLoss)
	}
}
