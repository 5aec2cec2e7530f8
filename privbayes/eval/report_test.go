package eval_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

const (
	klLine        = "KL of the target posterior (nats)"
	hellingerLine = "Hellinger distance of the target posterior"
)

// lineOf is a score that a report must have.
func lineOf(t testing.TB, r *eval.Report, name string) eval.Line {
	t.Helper()
	l, ok := r.Line(name)
	if !ok {
		t.Fatalf("no score %q", name)
	}
	return l
}

// A report on count tables stands between the model without privacy and no model: with much budget it is the former.
func TestReportOnCounts(t *testing.T) {
	m := model.NaiveBayes("x", "y")
	r := reportOn(t, m, dirichlet.New(), dp.ApproxDP(100, 1e-6))
	b := r.Baseline
	if b == nil || b.Name == "" || b.Level != dp.ApproxDP(100, 1e-6).Parameters || b.Draws < 2 {
		t.Fatalf("baseline %+v", b)
	}
	for _, name := range []string{"accuracy", "log-likelihood per row (nats)", klLine, hellingerLine} {
		l := lineOf(t, r, name)
		if math.Abs(l.Release-l.NonPrivate) > .02 || math.Abs(l.Baseline-l.NonPrivate) > .02 ||
			(l.NonPrivate == 0) != (name == klLine || name == hellingerLine) {
			t.Errorf("%+v", l)
		}
	}
	if !(r.NonPrivate.Accuracy > r.Guess+.2) {
		t.Errorf("accuracy %v, majority %v", r.NonPrivate.Accuracy, r.Guess)
	}
	if g := reportOn(t, m, counts.Geometric(), dp.PureDP(1)); g.Baseline != nil {
		t.Error("plain noise beside plain noise")
	}
	// noise that leaves nothing of the tables
	w := reportOn(t, m, dirichlet.New(), dp.ApproxDP(.002, 1e-6))
	wl, rl := lineOf(t, w, "log-likelihood per row (nats)"), lineOf(t, r, "log-likelihood per row (nats)")
	if kl := lineOf(t, w, klLine); !(kl.Release > 100*lineOf(t, r, klLine).Release && wl.Release < rl.Release-.1 &&
		wl.NonPrivate == rl.NonPrivate) {
		t.Errorf("%+v, %+v, without privacy %+v", kl, wl, rl)
	}
	// distances of narrow posteriors are large, and the table says why; small ones need no words
	for _, c := range []struct {
		r    *eval.Report
		said bool
	}{{r, false}, {w, true}} {
		l := lineOf(t, c.r, hellingerLine)
		if got := strings.Contains(c.r.PrivateTables()[0].String(),
			"Posteriors of many rows are narrow"); got != c.said || c.said != (max(l.Release, l.Baseline) > .82) {
			t.Errorf("%+v: explained %v, want %v", l, got, c.said)
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
	d := must.Get(eval.Compare(t.Context(), noisyLine(t, 1000), model.NaiveBayes("x", "y"), eval.CompareOptions{
		Mechanisms: []mechanism.Mechanism{counts.Geometric()}, Epsilons: []float64{.001, 50}, Splits: 2, Repeats: 4,
		Seed: 1,
	}))(t)
	noisy, clear := d.Outcomes[0], d.Outcomes[1]
	if said := strings.Contains(d.String(),
		"Posteriors of many rows are narrow"); said != (noisy.Measures[2].Mean > 4.5) || !said {
		t.Errorf("divergence %v: explained %v", noisy.Measures[2].Mean, said)
	}
	if !(noisy.Measures[1].Mean > clear.Measures[1].Mean+.05 && clear.Measures[1].Mean > .1 &&
		clear.Measures[1].Mean < math.Ln2) {
		t.Errorf("log loss %+v at ε = 0.001, %+v at 50", noisy.Measures[1], clear.Measures[1])
	}
}
