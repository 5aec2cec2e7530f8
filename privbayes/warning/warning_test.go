package warning_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// all has one of every kind, with the figures that its sentence must name.
var all = []struct {
	w     warning.Warning
	kind  warning.Kind
	names []string
}{
	{warning.Epsilon(12.5, "ε = 12.5"), warning.KindEpsilon, []string{"ε = 12.5 is above ε = 10", "may change by"}},
	{warning.EpsilonAt(18.11, "ρ = 3", "ρ = 3"), warning.KindEpsilon,
		[]string{"ρ = 3: that has ε = 18.11", "δ = 1e-6"}},
	{warning.EpsilonAt(18.11, "ε = 6 at order λ = 2", "ρ = 3"), warning.KindEpsilon,
		[]string{"ε = 6 at order λ = 2 is", "as weak as ρ = 3", "18.11"}},
	{warning.Delta(.01, warning.Size{Rows: 400}), warning.KindDelta, []string{"δ = 0.01", "1/n = 0.0025", "n = 400"}},
	{warning.Delta(.01, warning.Size{Rows: 400, Declared: true}), warning.KindDelta, []string{"about 400 rows, as " +
		"the schema declares"}},
	{warning.Tempered(.38/532, false, warning.Size{Rows: 532}, 5, 5), warning.KindTempered,
		[]string{"the posterior weighs 0.38 of 532 records: what you see is mostly the prior."}},
	{warning.Tempered(.01, false, warning.Size{Rows: 532}, 16, 17), warning.KindTempered, []string{"5.32 of 532 " +
		"records: in 16 of 17 distributions the prior weighs more"}},
	{warning.Tempered(.25, true, warning.Size{Rows: 400}, 0, 3), warning.KindTempered, []string{"at most 100 of 400 " +
		"records", "flatter"}},
	{warning.Tempered(.25, false, warning.Size{Rows: 1, Declared: true}, 0, 0), warning.KindTempered,
		[]string{"0.25 of about 1 records (the size that the schema declares)"}},
	{warning.Tempered(.25, false, warning.Size{}, 0, 0), warning.KindTempered, []string{"every record as 0.25 of one"}},
	{warning.Bounds(.2), warning.KindBounds, []string{"leave only 0.2 of the range"}},
	{warning.Prior(`the prior of "a"`, 60, warning.Size{Rows: 50}, 1, 1), warning.KindPrior,
		[]string{`the prior of "a" weighs 60 records`, "n = 50"}},
	{warning.Prior(`the prior of "a"`, 60, warning.Size{Rows: 50}, 2, 7), warning.KindPrior,
		[]string{"in all 2 of 7 distributions"}},
	{warning.Noise([]string{"x", "a b"}, .25, warning.Size{Rows: 40}), warning.KindNoise,
		[]string{"n = 40", `the means of x, "a b" is 0.25 of the public range`}},
	{warning.Outside("a b", .02, "latent normal", "MeanSD"), warning.KindOutside,
		[]string{`2 % of the latent normal of "a b" lies outside`}},
	{warning.Epsilon(1e6, "ε = 1000000"), warning.KindEpsilon, []string{"may change beyond any factor"}},
	{warning.Epsilon(11, "ε = 11"), warning.KindEpsilon, []string{"may change by a factor of 5.987e4"}},
	{warning.MonteCarlo(25, "flattened to a power of 0.1"), warning.KindMonteCarlo,
		[]string{"25 draws", "not the error of the answer about the data", "power of 0.1"}},
	{warning.Loaded("a b.json", time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("east", 3600))), warning.KindLoaded,
		[]string{`"a b.json"`, "2026-03-04 04:06 UTC", "may have changed"}},
	{warning.TrainingRows(7, 9, ""), warning.KindTrainingRows, []string{"7 of the 9 test rows"}},
	{warning.TrainingRows(0, 0, "they are the same"), warning.KindTrainingRows, []string{"they are the same: the " +
		"scores are those of rows that the model has seen"}},
	{warning.NNotPublic(300, "this shows"), warning.KindNNotPublic, []string{"this shows n = 300", "treats as private"}},
	{warning.PriorDecides([]string{"Age", "a b", "c", "d", "e", "f", "g", "h"}, .4567, 4), warning.KindPriorDecides,
		[]string{`shares of Age, "a b", c, d, e, f and 2 more`, "45 of 100", "ε 4 times"}},
	{warning.PriorDecides([]string{"Age"}, .1, math.Inf(1)), warning.KindPriorDecides, []string{"No ε is enough"}},
	{warning.PriorConflict([]string{"Age"}, 3.456), warning.KindPriorConflict, []string{"disagree about Age", "3.456",
		"limit 2.58"}},
	{warning.RareEvidence([]string{"Age", "a b"}, .0234, .02), warning.KindRareEvidence, []string{`given of Age, "a b"`,
		"0.0234 ± 0.02"}},
	{warning.CoarseLattice([]string{"Age", "a b", "c", "d", "e", "f", "g"}, []float64{.3125, 2, 1, 1, 1, 1, 1}, 3),
		warning.KindCoarseLattice, []string{"degree 3", `Age to steps of 0.3125, "a b" to steps of 2, c`, "1 more number"}},
	{warning.NotKept(), warning.KindNotKept, []string{"KeepIn"}},
	{warning.NoBudget(), warning.KindNoBudget, []string{"WithBudget"}},
}

// What a warning says holds its figures; its three forms say it once each, and a name in it is no markup and no line of
// its own.
func TestEveryWarningSaysItsFigures(t *testing.T) {
	seen := map[warning.Kind]bool{}
	for _, c := range all {
		seen[c.kind] = true
		if c.w.Kind != c.kind || c.w.String() != c.w.Text {
			t.Errorf("%+v is not of kind %s", c.w, c.kind)
		}
		for _, word := range c.names {
			if !strings.Contains(c.w.Text, word) {
				t.Errorf("%q does not say %q", c.w.Text, word)
			}
		}
		l := warning.List{c.w}
		for form, text := range map[string]string{"text": l.String(), "HTML": l.HTML(), "Markdown": l.Markdown()} {
			if n := strings.Count(strings.ToLower(text), "warning:"); n != 1 {
				t.Errorf("%s of %s says warning %d times:\n%s", form, c.kind, n, text)
			}
		}
		if strings.Count(l.String(), "\n") != 1 ||
			!strings.Contains(l.HTML(), `class="alert alert-block alert-warning"`) {
			t.Errorf("%s\n%s", l, l.HTML())
		}
	}
	if len(seen) != 17 {
		t.Errorf("%d kinds are made", len(seen))
	}
}

func TestNamesInWarningsAreNoMarkup(t *testing.T) {
	l := warning.List{warning.Loaded("<b>\nwarning: `x`*\u202e", time.Time{})}
	if s := l.String(); strings.Count(s, "\n") != 1 || strings.ContainsRune(s, '\u202e') {
		t.Errorf("%q", s)
	}
	if s := l.HTML(); strings.Contains(s, "<b>\\n") || !strings.Contains(s, "&lt;b&gt;") {
		t.Error(s)
	}
	if s := l.Markdown(); strings.Contains(s, "<b>") || strings.Contains(s, " `x`*") {
		t.Error(s)
	}
}

func TestListsSayAThingOnce(t *testing.T) {
	a, b, c := warning.Epsilon(11, "ε = 11"), warning.NoBudget(), warning.Bounds(.1)
	l := warning.List{a, b}
	both := l.And(warning.List{b, c}, warning.List{c, a})
	if len(both) != 3 || both[0] != a || both[1] != b || both[2] != c || len(l) != 2 {
		t.Error(both)
	}
	if of := both.OfRelease(); len(of) != 2 || of[0] != a || of[1] != c {
		t.Error(of)
	}
	if s := (warning.List)(nil); s.String()+s.HTML()+s.Markdown() != "" {
		t.Error("no warnings show something")
	}
}

// A program that lists warnings switches on their kind.
func ExampleList() {
	l := warning.List{warning.Epsilon(12, "ε = 12"), warning.NoBudget()}
	for _, w := range l {
		if w.Kind == warning.KindEpsilon {
			fmt.Println(w.Value, "is above", w.Limit)
		}
	}
	fmt.Print(strings.Replace(l.OfRelease().String(), " the odds", "\nthe odds", 1))
	// Output:
	// 12 is above 10
	// warning: ε = 12 is above ε = 10 and gives little protection:
	// the odds of any claim about one unit may change by a factor of 1.628e5.
}
