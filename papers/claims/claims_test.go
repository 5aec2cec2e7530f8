package claims

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// finding runs a claim once for all tests of a run.
func finding(c Claim) (*Finding, error) {
	once, _ := findings.LoadOrStore(c.ID, sync.OnceValues(func() (*Finding, error) { return c.Run(background) }))
	return once.(func() (*Finding, error))()
}

var findings sync.Map

// Every claim agrees with its execution.
func TestClaimsAgree(t *testing.T) {
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			if testing.Short() && heavy[c.ID] {
				t.Skip("runs in full tests")
			}
			t.Parallel()
			f := must.Get(finding(c))(t)
			if !f.Agrees() {
				t.Errorf("%s (%s)\n%s", c.Place, c.Verdict, f.Table())
			}
			t.Log(f.Cases, "cases")
		})
	}
}

// Every check disagrees about another statement, for more than the words of its counterexample: the verdict that it
// derives is another one, or a number or a requirement fails.
func TestMutantsDisagree(t *testing.T) {
	for _, c := range All() {
		if c.mutant == nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			if testing.Short() && heavy[c.ID] {
				t.Skip("runs in full tests")
			}
			t.Parallel()
			f := must.Get(mutantOf(c))(t)
			if f.Agrees() {
				t.Errorf("%s (%s): the mutant agrees\n%s", c.Place, c.Verdict, f.Table())
			}
		})
	}
}

// Where a statement fails as printed, the same check leaves a weaker one standing.
func TestWeakerStatementsStand(t *testing.T) {
	ran := 0
	for _, c := range All() {
		if c.weakened == nil {
			continue
		}
		ran++
		f := &Finding{}
		must.Do(t, c.weakened(background, f))
		if got := f.Derived(); got != Holds || len(f.Failed) > 0 {
			t.Errorf("%s: the weaker statement is %q %v", c.ID, got, f.Failed)
		}
	}
	if ran == 0 {
		t.Error("no claim has a weaker statement")
	}
}

// mutantOf runs the mutant of a claim against the verdict of the claim, whatever its counterexample says.
func mutantOf(c Claim) (*Finding, error) {
	f := &Finding{}
	if err := c.mutant(background, f); err != nil {
		return nil, err
	}
	if f.evidence != nil {
		c.Counterexample = f.evidence.smallest()
		f.evidence.conclude(c)
	}
	return f, nil
}

// A mutant that changes nothing, or only the counterexample, is told.
func TestAMutantThatChangesNothingIsTold(t *testing.T) {
	check := func(bound float64) func(context.Context, *Finding) error {
		return func(_ context.Context, f *Finding) error {
			f.trial().printed(bound >= 1, 0, "bound %v", bound)
			return nil
		}
	}
	c := Claim{ID: "x", Verdict: False, Counterexample: "bound 0.5", check: check(.5)}
	for bound, agrees := range map[float64]bool{.5: true, .25: true, 2: false} {
		c.mutant = check(bound)
		if f, err := mutantOf(c); err != nil || f.Agrees() != agrees {
			t.Errorf("bound %v: %v %v", bound, f, err)
		}
	}
}

var heavy = map[string]bool{"hellinger/04": true, "hellinger/07": true, "hellinger/13": true, "hellinger/17": true,
	"hellinger/05a": true, "hellinger/17b": true,
	"library/hellinger-6": true}

// Every statement of the theory's lists, and of the papers', has a row.
func TestClaimsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		seen[c.ID] = true
	}
	numbered := func(document string, first, last int) {
		for i := first; i <= last; i++ {
			if id := fmt.Sprintf("%s/%02d", document, i); !seen[id] && id != "sampling/15" { // which is part of 14
				t.Errorf("%s has no row", id)
			}
		}
	}
	numbered("hellinger", 1, 20)
	numbered("network", 1, 31)
	numbered("sampling", 1, 60)
	of := ""
	for _, id := range strings.Fields(`
		dirichlet/01 02 03 04 04a 04b 05 06 06a 06b 06c 06d 06e 07 08 08a 08b 08c 09 10 11 11a 12 12a 12b 12c 12d 12e
		dirichlet/13 13a 13b 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 2* orientation
		dirichlet/A A1 A2 A3 A4 A5 A6 A7 B C D sampling/10* A B C D E`) {
		if document, _, ok := strings.Cut(id, "/"); ok {
			of = document + "/"
		}
		if id = of + strings.TrimPrefix(id, of); !seen[id] {
			t.Errorf("%s has no row", id)
		}
	}
}

// A number agrees within its tolerance, and NaN with nothing.
func TestNumbers(t *testing.T) {
	n := Number{Name: "x", Value: 1, Expected: 1.1, Tolerance: .2}
	off, undefined := n, n
	off.Tolerance, undefined.Value = .05, math.NaN()
	if !n.OK() || off.OK() || undefined.OK() {
		t.Error(n.OK(), off.OK(), undefined.OK())
	}
}

// A wrong number or a failing case is a finding that disagrees.
func TestAWrongVerdictIsCaught(t *testing.T) {
	for name, check := range map[string]func(context.Context, *Finding) error{
		"number":  func(_ context.Context, f *Finding) error { f.number("x", 1, 2, .1); f.Cases = 1; return nil },
		"case":    func(_ context.Context, f *Finding) error { f.require(false, "no"); return nil },
		"nothing": func(context.Context, *Finding) error { return nil },
		"statement": func(_ context.Context, f *Finding) error { // Statement I as printed
			for n := 2; n < 6; n++ {
				e := edges(n, 1, 1)
				for x := 0; 2*x <= n && x+1 < n; x++ {
					f.require(e[x] > e[x+1]*(1+1e-13), "n = %d, x = %d", n, x)
				}
			}
			return nil
		},
	} {
		f, err := Claim{ID: name, Verdict: Holds, check: check}.Run(t.Context())
		if err != nil || f.Agrees() {
			t.Errorf("%s agrees: %v, %v", name, f, err)
		}
	}
}

func ExampleClaim_Run() {
	for _, c := range Of(NoteA) {
		if c.ID != "hellinger/06" {
			continue
		}
		f, _ := c.Run(context.Background())
		fmt.Println(c.Verdict, f.Agrees())
		fmt.Printf("%s: %.13f\n", f.Numbers[0].Name, f.Numbers[0].Value)
	}
	// Output:
	// corrected true
	// β, N = 150: 0.0653087964222
}

// everything is what every claim found.
func everything() (map[string]*Finding, error) {
	out := map[string]*Finding{}
	for _, c := range All() {
		f, err := finding(c)
		if err != nil {
			return nil, err
		}
		out[c.ID] = f
	}
	return out, nil
}

// Every verdict follows from evidence: another word, or another counterexample, disagrees.
func TestEveryVerdictIsDerived(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in full tests")
	}
	found := must.Get(everything())(t)
	for _, c := range All() {
		f := found[c.ID]
		if f.Derived() != c.Verdict.executed() || f.Counterexample() != c.Counterexample || !f.Agrees() {
			t.Errorf("%s: stated %q %q, derived %q %q\n%s", c.ID, c.Verdict, c.Counterexample, f.Derived(),
				f.Counterexample(), f.Table())
			continue
		}
		if c.Verdict == NotAClaim {
			continue
		}
		conclude := func(other Claim) bool {
			g, tr := *f, *f.evidence
			g.Failed, tr.f = nil, &g
			tr.conclude(other)
			return g.Agrees()
		}
		for _, v := range Verdicts() {
			other := c
			other.Verdict = v
			if conclude(other) != (v.executed() == c.Verdict.executed()) {
				t.Errorf("%s agrees with %q", c.ID, v)
			}
		}
		other := c
		other.Counterexample += "!"
		if conclude(other) {
			t.Errorf("%s agrees with another counterexample", c.ID)
		}
		if least, _, ok := f.Margin(); c.Verdict == Loose && !(ok && least > tightWithin) {
			t.Errorf("%s is loose without a margin", c.ID)
		}
	}
}

// Each verdict word has its evidence, and the smallest case of its kind is its counterexample.
func TestVerdictsAreDerived(t *testing.T) {
	for _, c := range []struct {
		verdict        Verdict
		counterexample string
		run            func(t *trial)
	}{
		{Holds, "", func(t *trial) { t.printed(true, 1, "a") }},
		{Loose, "", func(t *trial) { t.bound(2, 1, 1, "a") }},
		{Outside, "c", func(t *trial) {
			t.printed(true, 1, "a")
			t.outside(false, 2, "b")
			t.outside(false, 1, "c")
		}},
		{Holds, "", func(t *trial) { t.printed(true, 1, "a"); t.outside(true, 2, "b"); t.proof(true, 2, "c") }},
		{Vacuous, "", func(t *trial) { t.meets(false); t.meets(false) }},
		{Holds, "", func(t *trial) { t.meets(false); t.meets(true); t.printed(true, 1, "a") }},
		{"", "", func(t *trial) { t.meets(false); t.meets(true) }},
		{ProofWrong, "b", func(t *trial) { t.printed(true, 1, "a"); t.proof(false, 2, "b"); t.outside(false, 1, "c") }},
		{False, "a", func(t *trial) { t.printed(false, 1, "a"); t.proof(false, 0, "b"); t.outside(false, 0, "c") }},
		{Corrected, "a", func(t *trial) { t.printed(false, 1, "a"); t.printed(false, 1, "b"); t.repaired(true, "c") }},
	} {
		f := &Finding{}
		c.run(f.trial())
		if f.Derived() != c.verdict || f.Counterexample() != c.counterexample {
			t.Errorf("derived %q %q, want %q %q", f.Derived(), f.Counterexample(), c.verdict, c.counterexample)
		}
	}
	if f, err := (Claim{Verdict: NotAClaim, Reason: "x"}).Run(background); err != nil || !f.Agrees() ||
		f.Derived() != NotAClaim {
		t.Error(f, err)
	}
}

// docs/explanation/claims.md is what the claims print.
func TestTheTableIsNotStale(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in full tests")
	}
	found := must.Get(everything())(t)
	var results []Result
	for _, c := range All() {
		results = append(results, resultOf(c, found[c.ID]))
	}
	want := Markdown(results)
	got := must.Get(os.ReadFile("../../docs/explanation/claims.md"))(t)
	if string(got) != want {
		a, b := strings.Split(string(got), "\n"), strings.Split(want, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("docs/explanation/claims.md is stale: run `go run ./papers/cmd/privbayes-papers claims --markdown > "+
					"docs/explanation/claims.md`\nline %d\n%s\nwant\n%s", i+1, a[i], b[i])
			}
		}
		t.Fatalf("docs/explanation/claims.md is stale: %d lines, want %d", len(a), len(b))
	}
}

// Every claim stands in the table, and every row of the table of guarantees names claims that exist.
func TestTheTableIsComplete(t *testing.T) {
	known, documents := map[string]bool{}, map[string]bool{}
	for _, d := range Documents() {
		documents[d] = true
	}
	for _, c := range All() {
		known[c.ID] = true
		if !documents[c.Document] {
			t.Errorf("%s: document %q is not in the table", c.ID, c.Document)
		}
		if _, err := os.Stat("../../notebooks/" + c.Notebook() + ".md"); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
	for _, g := range guarantees {
		for _, id := range g.claims {
			if !known[id] {
				t.Errorf("%s: no claim %q", g.mechanism, id)
			}
		}
	}
}

// The summaries rest on rows: what is reproduced on true ones, what is not on at least one that is not true as printed;
// and every row that is false or that nothing meets is named.
func TestTheSummariesRestOnRows(t *testing.T) {
	trueAsPrinted := map[Verdict]bool{Holds: true, Loose: true, Outside: true, ProofWrong: true}
	for _, d := range Documents() {
		o, verdicts, named := overviews[d], map[string]Verdict{}, map[string]bool{}
		for _, c := range Of(d) {
			verdicts[c.ID] = c.Verdict
		}
		if o.about == "" || len(o.reproduced) == 0 {
			t.Errorf("%s has no summary", d)
		}
		for _, s := range o.reproduced {
			for _, id := range s.rows {
				if named[id] = true; !trueAsPrinted[verdicts[id]] {
					t.Errorf("%s: %q stands under what is reproduced: %s", id, verdicts[id], s.text)
				}
			}
		}
		for _, s := range o.mended {
			some := false
			for _, id := range s.rows {
				named[id] = true
				some = some || verdicts[id] != "" && verdicts[id] != Holds && verdicts[id] != Loose
				if verdicts[id] == "" {
					t.Errorf("%s: no such row", id)
				}
			}
			if !some {
				t.Errorf("all rows are true as printed: %s", s.text)
			}
		}
		for id, v := range verdicts {
			if (v == False || v == Vacuous) && !named[id] {
				t.Errorf("%s is %s and stands in no summary", id, v)
			}
		}
	}
}

// A stale table, a claim without a check, and a margin are told.
func TestMarkdownCells(t *testing.T) {
	f := &Finding{}
	tr := f.trial()
	tr.bound(2, 1, 0, "")
	tr.bound(3, 1, 0, "")
	r := resultOf(Claim{ID: "x/1", Document: NoteA, Place: "a|b", Verdict: Loose}, f)
	if r.Margin != "bound ÷ truth 2 to 3" || r.evidence() != r.Margin || !r.Agrees || !r.Derived ||
		r.Test != "TestClaimsAgree/x/1" {
		t.Errorf("%+v", r)
	}
	out := Markdown([]Result{r})
	for _, want := range []string{"### `x/1` a|b: holds, not tight", "* *Margin.* bound ÷ truth 2 to 3\n",
		"| all | 1 | 0 | 1 | 0 |", "02_proofs.ipynb"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	f.require(false, "no")
	if s := resultOf(Claim{Verdict: Holds}, f).status(); s != "holds (execution DISAGREES)" {
		t.Error(s)
	}
	if s := (Result{Cases: 7}).evidence(); s != "7 cases" {
		t.Error(s)
	}
}

func ExampleExecute() {
	var list []Claim
	for _, c := range Of(SamplingPaper) {
		if c.ID == "sampling/29" {
			list = append(list, c)
		}
	}
	results, _ := Execute(context.Background(), list)
	for _, r := range results {
		fmt.Println(r.Place, "is", r.Verdict)
		fmt.Println(r.Counterexample)
		fmt.Println(r.Agrees, r.Derived, r.Notebook)
	}
	// Output:
	// after Lemma 24, classical is corrected
	// K = 2 independent bits, ε₀ = 0.1, n = 2: exactly 5.261 > 4.605
	// true true 05_posterior_sampling
}

func ExampleFinding_Margin() {
	for _, c := range Of(SamplingPaper) {
		if c.ID == "sampling/40" {
			f, _ := c.Run(context.Background())
			least, most, _ := f.Margin()
			fmt.Printf("%s, %s: bound ÷ truth %.2f to %.1f\n", c.Place, f.Derived(), least, most)
		}
	}
	// Output: Lemma 15, holds, not tight: bound ÷ truth 2.63 to 40.0
}
