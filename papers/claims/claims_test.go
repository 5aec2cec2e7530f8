package claims

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
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
			f, err := finding(c)
			if err != nil {
				t.Fatal(err)
			}
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
			f, err := mutantOf(c)
			if err != nil {
				t.Fatal(err)
			}
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
		if err := c.weakened(background, f); err != nil {
			t.Fatal(err)
		}
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
