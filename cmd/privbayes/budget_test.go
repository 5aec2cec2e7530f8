package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// A release of another tool is charged once, counts, and is shown as one that nobody checked; what does not fit the
// budget is refused, and says how to state it.
func TestChargesOfOtherTools(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "budget", "b", "--data", "votes", "--epsilon", "2", "--delta", "1e-6")
	must.Do(t, os.WriteFile("l", []byte(`{"losses":[[0.25,0.5621765008857981],[-0.25,0.4378234991142019]]}`), 0o600))
	must.Do(t, os.WriteFile("leak", []byte(`{"losses":[[0.1,0.52497918747894],[-0.1,0.47502071252106]],"infinite":1e-7}`),
		0o600))
	must.Do(t, os.WriteFile("drawn", []byte(`{"dataset": "other", "columns": [{"name": "a", "kind": "categorical",
		"categories": ["x", "y"]}]}`), 0o600))
	must.Do(t, os.WriteFile("bad", []byte(`{"losses":[[0.25,0.5]]}`), 0o600))
	enter := func(words string) (int, string) {
		args := append([]string{"budget", "b"}, strings.Fields(words)...)
		code, out, errs := call(args...)
		return code, out + errs
	}
	const by = " --tool t --released means --adjacency replace-one"
	for range 2 {
		if code, out := enter("--charge a" + by + " --epsilon 0.5"); code != exitDone || strings.Count(out, "not checked "+
			"here") != 2 ||
			!strings.Contains(out, "ε = 0.5, δ = 0") && !strings.Contains(out, "ε = 0.5") {
			t.Error(code, out)
		}
	}
	for line, want := range map[string]string{
		"--charge b --tool t --released m --epsilon 1":                        "--adjacency: want that of the tool",
		"--charge b --tool t --released m --adjacency add-remove --epsilon 1": "holds under replace-one as 2ε",
		"--charge b --released m --adjacency replace-one --epsilon 1":         "--tool: want",
		"--charge b --tool t --adjacency replace-one --epsilon 1":             "--released: want",
		"--charge a" + by + " --epsilon 0.75":                                 `release a is`,
		"--charge b" + by:                                                     "--epsilon: want",
		"--charge b" + by + " --epsilon 9":                                    "nothing was charged",
		"--charge b" + by + " --epsilon 1 --part north":                       "quarter=2026-Q1",
		"--charge b" + by + " --loss bad":                                     "sum of the probabilities",
		"--charge b" + by + " --loss l --epsilon 0.3":                         "less than the largest loss, 0.25",
		"--tool t": "--tool has no effect",
		"--charge b" + by + " --epsilon 1 --schema x":                "x",
		"--charge b" + by + " --epsilon 1 --schema drawn":            `data set is "votes"; want "other"`,
		"--charge b --tool t --released m --adjacency x --epsilon 1": "want replace-one, add-remove",
	} {
		if code, out := enter(line); code == exitDone || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s; want %s", line, code, out, want)
		}
	}
	for i, line := range []string{"--charge c" + by + " --loss l", "--charge d" + by + " --loss leak --epsilon 0.1",
		"--charge e --tool t --released m --adjacency add-remove --epsilon 0.1 --part region=north"} {
		code, out := enter(line + " --json")
		var b budgetJSON
		if err := json.Unmarshal([]byte(out), &b); err != nil || code != exitDone || len(b.Charges) != i+2 {
			t.Fatal(line, code, out, err)
		}
		switch c := b.Charges[i+1]; {
		case i == 0 && (c.Level.Order == 0 || c.Tool != "t"), i == 1 && (c.Level.Delta < 1e-7 || c.Level.Epsilon != .1),
			i == 2 && (c.Level.Epsilon != .2 || c.Part.Across.Epsilon != .1):
			t.Errorf("%+v", c)
		}
	}
}

// Releases with --part: the budget counts the part that has used most, the file says the part, and the report of a
// release finds its rows again.
func TestReleasesWithPart(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "budget", "b", "--data", "votes", "--epsilon", "2", "--adjacency", "add-remove")
	for _, part := range []string{"north", "south"} {
		mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1.5", "--adjacency", "add-remove",
			"--part",
			"region="+part, "--budget", "b", "--out", part)
	}
	if out := mustCall(t, "budget", "b"); !strings.Contains(out, "region north") || !strings.Contains(out, "left: ε = "+
		"0.5") {
		t.Error(out)
	}
	if out := mustCall(t, "verify", "north"); !strings.Contains(out, `Part(`) {
		t.Error(out)
	}
	code, out, errs := call("release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--adjacency",
		"add-remove",
		"--part", "region=north", "--budget", "b", "--out", "more")
	if code != exitFailed || !strings.Contains(errs, "has ε = 0.5 left") {
		t.Error(code, out, errs)
	}
	mustCall(t, "report", "north", "--data", "votes", "--test", "votes")
	mustCall(t, "budget", "b", "--charge", "x", "--tool", "t", "--released", "m", "--adjacency", "add-remove", "--epsilon",
		"0.125")
	page := mustCall(t, "report", "north", "--public", "--budget", "b")
	for _, want := range []string{"Nobody here has checked", "not checked here", "of the part region north alone"} {
		if !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
			t.Errorf("%q is not on the page: %s", want, page)
		}
	}
}

// What is said of those who do not know who was sampled is of charges that say the same design. A charge of another
// tool says it by --schema.
func TestAmplified(t *testing.T) {
	t.Chdir(t.TempDir())
	const schema = `{"dataset": "drawn", "population": 100, "design": {"method": "srs", "rate": "RATE",
		"secret": true}, "columns": [{"name": "a", "kind": "categorical", "categories": ["x", "y"]}]}`
	must.Do(t, os.WriteFile("s.json", []byte(strings.Replace(schema, "RATE", "1/2", 1)), 0o600))
	must.Do(t, os.WriteFile("third.json", []byte(strings.Replace(schema, "RATE", "1/3", 1)), 0o600))
	must.Do(t, os.WriteFile("rows.csv", []byte("a\n"+strings.Repeat("x\n", 30)), 0o600))
	const charge = " --tool t --released m --adjacency replace-one --epsilon 0.5"
	open := func(name, line string) {
		mustCall(t, strings.Fields("budget "+name+" --schema s.json --epsilon 2")...)
		mustCall(t, strings.Fields("release --schema s.json --data rows.csv --table a --epsilon 1 --budget "+name+" --out "+
			name+".json")...)
		mustCall(t, strings.Fields("budget "+name+" "+line)...)
	}
	open("same", "--charge c --schema s.json"+charge)
	if out := mustCall(t, "budget", "same", "--amplified", "same.json", "--json"); strings.Count(out,
		`rate 1/2, of 100"`) != 2 || !strings.Contains(out, `"design": "srs, 30 rows, rate 1/2, of 100"`) ||
		!strings.Contains(out, `"rate": "3/10"`) {
		t.Error(out)
	}
	for line, want := range map[string]string{
		"--charge c" + charge:                     "charge of release c does not say how its rows were drawn",
		"--charge d --schema third.json" + charge: `charge of release d is of rows drawn as "srs, rate 1/3, of 100"`,
	} {
		name := strings.Fields(line)[1]
		open(name, line)
		if code, out, errs := call("budget", name, "--amplified", name+".json"); code != exitInput ||
			!strings.Contains(errs, want) {
			t.Error(line, code, out, errs)
		}
	}
}
