package cert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

type square struct{ X float64 }

var (
	squares = cert.Define("test/square", func(_ context.Context, p square) (cert.Outcome, error) {
		return cert.Outcome{Value: p.X * p.X, Method: cert.ClosedForm}, nil
	})
	long = cert.Define("test/long", func(ctx context.Context, _ *struct{}) (cert.Outcome, error) {
		if cert.WorkLimit(ctx) < 100 {
			return cert.Outcome{}, cert.ErrWorkLimit
		}
		return cert.Outcome{Value: 1, Method: cert.Enumeration, Work: 100}, nil
	})
	evidence = cert.Define("test/evidence", func(context.Context, *struct{}) (cert.Outcome, error) {
		return cert.Outcome{Value: 1, Method: cert.MonteCarlo, Work: 280}, nil
	})
)

func check[P any](t testing.TB, c cert.Checker[P], bound float64, params P) cert.Check {
	t.Helper()
	return must.Get(c.Check(context.Background(),
		cert.Check{Statement: c.Kind(), Bound: cert.Number(bound), Source: "test", Scope: "test"}, params))(t)
}

func TestVerifySeesThroughEveryEdit(t *testing.T) {
	good := check(t, squares, 9, square{3})
	if v := (&cert.Certificate{Checks: []cert.Check{good}}).Verify(t.Context()); !v.OK() ||
		v.Results[0].Status != cert.Rederived {
		t.Fatal(v)
	}
	for name, edit := range map[string]func(*cert.Check){
		"value":   func(c *cert.Check) { c.Value = 8 },
		"bound":   func(c *cert.Check) { c.Bound = 8 },
		"params":  func(c *cert.Check) { c.Params = json.RawMessage(`{"X":2}`) },
		"method":  func(c *cert.Check) { c.Method = cert.Enumeration },
		"kind":    func(c *cert.Check) { c.Kind = "test/unknown" },
		"garbage": func(c *cert.Check) { c.Params = json.RawMessage(`{`) },
		"NaN":     func(c *cert.Check) { c.Value = cert.Number(math.NaN()) },
	} {
		c := good
		edit(&c)
		if v := (&cert.Certificate{Checks: []cert.Check{c}}).Verify(t.Context()); v.OK() ||
			v.Results[0].Status != cert.Failed || v.Results[0].Reason == "" {
			t.Errorf("an edited %s passes:\n%s", name, v)
		}
	}
}

// An enumeration visits the stated cases; a search, whose way hangs on the last digits of a machine, about as many.
func TestWork(t *testing.T) {
	for name, c := range map[string]struct {
		check cert.Check
		work  int64
		want  cert.Status
	}{"enumeration": {check(t, long, 1, nil), 101, cert.Failed},
		"search elsewhere": {check(t, evidence, 1, nil), 291, cert.Evidence},
		"less":             {check(t, evidence, 1, nil), 100, cert.Failed},
		"none":             {check(t, evidence, 1, nil), 0, cert.Failed},
		"more":             {check(t, evidence, 1, nil), 1000, cert.Failed}} {
		c.check.Work = c.work
		if v := (&cert.Certificate{Checks: []cert.Check{c.check}}).Verify(t.Context()); v.Results[0].Status != c.want {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestStatuses(t *testing.T) {
	tree := &cert.Certificate{Title: "tree", Checks: []cert.Check{check(t, squares, 4, square{2})},
		Parts: []*cert.Certificate{{Title: "part",
			Checks: []cert.Check{check(t, long, 1, nil), check(t, evidence, 1, nil)}}}}
	if len(tree.All()) != 3 || !tree.OK() {
		t.Fatal(tree)
	}
	v := tree.Verify(cert.WithWorkLimit(t.Context(), 10))
	want := []cert.Status{cert.Rederived, cert.NotRederived, cert.Evidence}
	for i, r := range v.Results {
		if r.Status != want[i] {
			t.Errorf("%s: %s, want %s", r.Check.Statement, r.Status, want[i])
		}
	}
	if !v.OK() || !strings.Contains(v.String(), "proved, not re-derived") ||
		!strings.Contains(table.HTML(v), "evidence only") {
		t.Error(v)
	}
	if (&cert.Certificate{}).OK() || (&cert.Certificate{}).Verify(t.Context()).OK() {
		t.Error("an empty certificate holds")
	}
	failing := &cert.Certificate{Checks: []cert.Check{{Value: 2, Bound: 1}}}
	if failing.OK() || !strings.Contains(failing.String(), "NO") {
		t.Error("a failed check does not show")
	}
}

func TestNumbersSurviveJSON(t *testing.T) {
	for _, x := range []float64{0, -1.5, 1e-300, 0.1 + 0.2, math.Inf(1), math.Inf(-1), math.NaN()} {
		b := must.Get(json.Marshal(cert.Number(x)))(t)
		var y cert.Number
		if err := json.Unmarshal(b, &y); err != nil || !(float64(y) == x || math.IsNaN(x) && math.IsNaN(float64(y))) {
			t.Errorf("%v became %v: %v", x, y, err)
		}
	}
	var y cert.Number
	if json.Unmarshal([]byte(`"many"`), &y) == nil {
		t.Error("a word passes for a number")
	}
}

func TestRunHonoursTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cert.Run(ctx, "test/square", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var unknown *cert.UnknownError
	if _, err := cert.Run(t.Context(), "nothing", nil); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// A value is derived once for all that state it, and again by whoever verifies it, under a lower limit of work and for
// other parameters.
func TestWhatIsDerivedOnce(t *testing.T) {
	times := 0
	counted := cert.Define("test/counted", func(_ context.Context, p square) (cert.Outcome, error) {
		times++
		return cert.Outcome{Value: p.X, Method: cert.ClosedForm}, nil
	})
	var k cert.Check
	for _, c := range []struct {
		limit int64
		x     float64
		want  int
	}{{100, 3, 1}, {100, 3, 1}, {1000, 3, 1}, {10, 3, 2}, {100, 3, 2}, {100, 4, 3}, {100, 3, 3}} {
		var err error
		if k, err = counted.Check(cert.WithWorkLimit(t.Context(), c.limit), cert.Check{Bound: 5}, square{c.x}); err != nil ||
			times != c.want || float64(k.Value) != c.x {
			t.Errorf("%+v: %v after %d times, %v", c, k.Value, times, err)
		}
	}
	for want := 4; want <= 5; want++ {
		if v := (&cert.Certificate{Checks: []cert.Check{k}}).Verify(t.Context()); !v.OK() || times != want {
			t.Errorf("verified after %d times, not %d: %v", times, want, v)
		}
	}
}

func ExampleCertificate_Verify() {
	c, _ := squares.Check(context.Background(), cert.Check{Statement: "x² is at most 9", Bound: 9}, square{3})
	v := (&cert.Certificate{Title: "squares", Checks: []cert.Check{c}}).Verify(context.Background())
	fmt.Println(v.Results[0].Status, v.Results[0].Derived)
	// Output: re-derived 9
}

// The margin is what a value leaves below its bound, and a callback travels with the context.
func TestMarginAndProgress(t *testing.T) {
	if c := check(t, squares, 9, square{2}); c.Margin() != 5 {
		t.Error(c.Margin())
	}
	var seen [][2]int64
	ctx := cert.WithProgress(t.Context(), func(done, total int64) { seen = append(seen, [2]int64{done, total}) })
	if cert.ProgressOf(t.Context()) != nil {
		t.Error("a callback without WithProgress")
	}
	cert.ProgressOf(ctx)(1, 2)
	if len(seen) != 1 || seen[0] != [2]int64{1, 2} {
		t.Error(seen)
	}
}

// A citation stands in the file and below the tables, once for each theorem; a name that is not kept is a bug.
func TestCitationsShow(t *testing.T) {
	c := check(t, squares, 9, square{3})
	c.Citation = cert.Cite("Geometric.k_norm")
	program := cert.Cite("GeometricText.text_private")
	c.Program = &program
	plain := check(t, squares, 9, square{2})
	tree := &cert.Certificate{Title: "cited", Checks: []cert.Check{c, c, plain}}
	b, err := json.Marshal(tree)
	if err != nil || !strings.Contains(string(b), `"theorem":{"name":"Geometric.k_norm","sha256":"`+c.Theorem.SHA256) ||
		!strings.Contains(string(b), `"assumes":"the axioms`) || strings.Count(string(b), `"theorem"`) != 4 ||
		!strings.Contains(string(b), `"program":{"theorem":{"name":"GeometricText.text_private","sha256":"`) {
		t.Errorf("%s, %v", b, err)
	}
	for _, text := range []string{tree.String(), tree.Verify(t.Context()).String()} {
		if strings.Count(text, c.Theorem.Short()) != 1 || !strings.Contains(text, c.Assumes) ||
			strings.Count(text, "As programmed, “") != 1 || !strings.Contains(text, program.Theorem.Short()) {
			t.Error(text)
		}
	}
	if plain.Citation.String() != "" || !strings.Contains(cert.Cite("Counts.add_one").String(), "assumes nothing") {
		t.Error("what is not cited is shown, or what assumes nothing does not say so")
	}
	defer func() {
		if recover() == nil {
			t.Error("a theorem that nobody states is cited")
		}
	}()
	cert.Cite("Counts.nothing")
}

// A reader of the first line or of the last knows whether a verification failed. Mutants whose text begins and ends as
// it did before, or lacks one of the lines, do not tell.
func TestFirstAndLastLineAreTheVerdict(t *testing.T) {
	tells := func(text string, ok bool) bool {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for _, line := range []string{lines[0], lines[len(lines)-1]} {
			if strings.HasPrefix(line, "VERIFIED") != ok || strings.HasPrefix(line, "NOT VERIFIED: ") == ok {
				return false
			}
		}
		return true
	}
	good := check(t, squares, 9, square{3})
	bad := good
	bad.Value = 8
	for name, checks := range map[string][]cert.Check{"good": {good}, "bad": {good, bad}, "none": {}} {
		for _, warned := range []bool{false, true} {
			v := (&cert.Certificate{Title: "1-DP", Checks: checks}).Verify(t.Context())
			if warned {
				v.Warn(warning.Warning{Kind: "test", Text: "beware"})
			}
			if v.OK() != (name == "good") || !tells(v.String(), v.OK()) || strings.Contains(v.String(), "beware") != warned {
				t.Errorf("%s: %v", name, v)
			}
			old, headless, endless := v.Table(), v.Table(), v.Table()
			old.Title, old.Notes[len(old.Notes)-1] = "Verification: "+v.Title, "Verification shows that this plan has this guarantee."
			headless.Title = "Verification: " + v.Title
			endless.Notes = endless.Notes[:len(endless.Notes)-1]
			for mutant, table := range map[string]*table.Table{"old": old, "headless": headless, "endless": endless} {
				if tells(table.String(), v.OK()) {
					t.Errorf("%s, the mutant %s passes", name, mutant)
				}
			}
		}
	}
}
