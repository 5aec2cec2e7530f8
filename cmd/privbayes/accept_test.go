//go:build !browser

package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/selection"
)

// The plan of a selection says what is left for a candidate.
func TestAcceptPlans(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("rules.json", []byte(strings.Replace(acceptRules, `"a"`, `"Species"`, 1)), 0o600))
	said := mustCall(t, "accept", "--rules", "rules.json", "--plan", "--data", "iris", "--json")
	var raw struct {
		Certified, Candidate struct{ Epsilon float64 }
		Limit                *int64
		Criteria             []string
	}
	must.Do(t, json.Unmarshal([]byte(said), &raw))
	if e := raw.Certified.Epsilon; e > 4 || e < 3.999 || raw.Candidate.Epsilon >= 3 || raw.Limit == nil ||
		!slices.Equal(raw.Criteria, selection.Criteria{}.CellsWithin(1, .99).Names()) {
		t.Errorf("%+v", raw)
	}
	for flags, want := range map[string]string{"--epsilon 12": "ε = 12", "--epsilon 4 --lambda 8": "ε = 4 at order λ = 8",
		"--epsilon 4 --delta 1e-6": "Discrete Gaussian"} {
		line := "accept --rules rules.json --plan --data iris " + flags
		if said := mustCall(t, strings.Fields(line)...); !strings.Contains(said, want) {
			t.Errorf("%s: %s", flags, said)
		}
	}
}

// What the command selects is what the library reads: one charge for the whole, the accepted release for the other
// commands, and a file that verifies with its record.
func TestAccept(t *testing.T) {
	t.Chdir(t.TempDir())
	rules := strings.Replace(acceptRules, `"a"`, `"Species"`, 1)
	must.Do(t, os.WriteFile("rules.json", []byte(rules), 0o600))
	must.Do(t, os.WriteFile("none.json", []byte(strings.Replace(rules, "0.99", "1e-5", 1)), 0o600))
	mustCall(t, "budget", "b.json", "--data", "iris", "--epsilon", "6")
	line := []string{"accept", "--rules", "rules.json", "--data", "iris", "--budget", "b.json", "--out", "s.json"}
	out, again := mustCall(t, line...), mustCall(t, line...)
	s := must.Get(selection.Load(t.Context(), "s.json"))(t)
	ledger := must.Get(budget.Existing("b.json"))(t)
	if !strings.Contains(out, "Saved now") || !strings.Contains(again, "no new noise, no charge") ||
		!strings.Contains(out, mustCall(t, "show", "s.json")) || len(ledger.Charges()) != 1 ||
		ledger.Charges()[0].ID != s.ID() || ledger.Charges()[0].Level != s.Guarantee().Parameters {
		t.Errorf("%s\n%s\n%v", out, again, ledger)
	}
	rows := must.Get(s.Synthetic())(t)
	var b strings.Builder
	must.Do(t, rows.WriteCSV(&b))
	if got := mustCall(t, "synthesize", "s.json"); got != b.String() {
		t.Error("synthesize does not write the rows that were accepted")
	}
	if got := mustCall(t, "synthesize", "s.json", "--rows", "7", "--seed", "1"); strings.Count(got, "\n") != 8 {
		t.Error(got)
	}
	mustCall(t, "entry", "s.json", "--budget", "b.json", "--out", "e.yaml")
	if said := mustCall(t, "verify", "s.json", "--entry", "e.yaml"); !strings.HasPrefix(said, "VERIFIED") {
		t.Error(said)
	}
	// every place states the guarantee of the whole, and the best attack under it: .983, of a candidate .3
	whole := s.Guarantee().Parameters.String()
	for _, line := range []string{"show s.json", "show s.json --details", "report s.json --public --budget b.json",
		"export s.json --to records", "entry s.json", "show s.json --json"} {
		said := mustCall(t, strings.Fields(line)...)
		if !strings.Contains(said, strings.TrimPrefix(whole, "ε = ")) {
			t.Errorf("%s: %s", line, said)
		}
		if _, power, ok := strings.Cut(said, "right in at most "); ok && !strings.HasPrefix(power, "98.") {
			t.Errorf("%s: the best attack is right in %.4s of 100", line, power)
		}
	}
	var shown showJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", "s.json", "--json")), &shown))
	if shown.ID != s.ID() || shown.Guarantee != s.Guarantee() || shown.Selection == nil || !shown.Selection.Accepted ||
		shown.Selection.Rules.Stop != s.Plan().Rules().Stop || len(shown.Selection.Slacks.Rows) != 1 {
		t.Errorf("%+v", shown)
	}
	for _, line := range []string{"intervals s.json", "export s.json --to csv", "predict s.json --data iris --json"} {
		mustCall(t, strings.Fields(line)...)
	}
	acceptRefuses(t)
}

// acceptRefuses runs command lines next to an accepted selection and one that accepted none.
func acceptRefuses(t *testing.T) {
	t.Helper()
	mustCall(t, "accept", "--rules", "none.json", "--data", "iris", "--out", "n.json")
	none := "no candidate was accepted"
	refusedLines(t, map[string]string{
		"accept --data iris --out q.json":                                     "--rules: want the file",
		"accept --rules rules.json --out q.json":                              "--data: want the table",
		"accept --rules rules.json --data iris":                               "--out: want the selection file",
		"accept --rules rules.json --data iris --n 5 --out q.json":            "it is for --plan",
		"accept --rules rules.json --plan --data iris --budget b.json":        "--budget",
		"accept --rules rules.json --data iris --epsilon 8 --out s.json":      "kept release s.json",
		"accept --rules rules.json --data iris --epsilon 0.5 --out q.json":    "level",
		"accept --rules nowhere.json --data iris --out q.json":                "nowhere.json",
		"accept --rules rules.json --plan --data iris --adjacency add-remove": "replace-one",
		"show s.json --item a":                                                "a publication",
		"prove s.json --out proof":                                            "it is a selection",
		"synthesize n.json":                                                   none,
		"synthesize n.json --rows 3":                                          none,
		"entry n.json":                                                        none,
		"report n.json --public":                                              none,
		"intervals n.json":                                                    none,
		"export n.json --to csv":                                              none,
		"show n.json --figure n.svg":                                          none,
		"accept --rules rules.json --data iris --budget b.json --out r.json":  "budget",
	})
	if code, out, _ := call("show", "n.json", "--json"); code != exitDone || !strings.Contains(out, `"accepted": false`) {
		t.Error(code, out)
	}
	if said := mustCall(t, "verify", "n.json"); !strings.HasPrefix(said, "VERIFIED") {
		t.Error(said)
	}
	if _, err := os.Stat("q.json"); err == nil {
		t.Error("what is refused has a file")
	}
}

func refusedLines(t *testing.T, lines map[string]string) {
	t.Helper()
	for line, want := range lines {
		code, _, errs := call(strings.Fields(line)...)
		if code == exitDone || code == exitInternal || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}

// Rules that cannot be read or met are refused by field, before anything is drawn.
func TestRulesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	rules := strings.Replace(acceptRules, `"a"`, `"Species"`, 1)
	for _, c := range [][3]string{
		{`"criteria"`, `"criterions"`, "criterions"}, {`{"cells":{"ways":1,` + "\n\t" + `"within":0.99}}`, `{}`, "criteria"},
		{`"within":0.99`, `"within":1.5`, "cells"}, {`"one_in":10`, `"one_in":0`, "one in"},
		{`"one_in":10`, `"one_in":2000`, "one in"}, {`"most":3`, `"most":0`, "most candidates"},
		{`"most":3`, `"most":3,"best":true`, "wrong"}, {`"wrong":0.1`, `"wrong":0.7`, "wrong"},
		{`"report":0.3`, `"report":-1`, "report"}, {`"test":{"epsilon":0.5`, `"test":{"epsilon":0`, "ε"},
		{`"level":{"epsilon":4}`, `"level":{"rho":1}`, "ρ"},
		{`"level":{"epsilon":4}`, `"level":{"epsilon":4,"order":1.1}`, "1.25 or more"},
		{`"kind":"naive-bayes","target":"Species"`, `"kind":"mean"`, ""},
		{`"report"`, `"mechanism":{"name":"x"},"report"`, "mechanism.name"}, {`}`, ``, ""},
		{`"report"`, `"tries":3,"report"`, "tries"}, {`"report"`, `"stop":{},"report"`, "stop"},
	} {
		text := strings.Replace(rules, c[0], c[1], 1)
		must.Do(t, os.WriteFile("bad.json", []byte(text), 0o600))
		for _, line := range []string{"accept --rules bad.json --plan --data iris",
			"accept --rules bad.json --data iris --out s.json"} {
			code, _, errs := call(strings.Fields(line)...)
			if _, err := os.Stat("s.json"); text == rules || code == exitDone || code == exitInternal || err == nil ||
				!strings.Contains(errs, c[2]) {
				t.Errorf("%s for %s: %d %s %v", c[1], c[0], code, errs, err)
			}
		}
	}
}

// Nothing that is printed, saved or charged depends on the try: but for its numbers and its time, all of it is the same
// whichever candidate was accepted.
func TestNothingTellsTheTry(t *testing.T) {
	must.Repeatable(3) // a fifth is accepted: of other randomness all twelve may be refused
	t.Chdir(t.TempDir())
	rules := strings.NewReplacer(`"a"`, `"Species"`, "0.99", "0.19", `"most":3`, `"most":8`, `"wrong":0.1`,
		`"wrong":0.4`).Replace(acceptRules)
	must.Do(t, os.WriteFile("rules.json", []byte(rules), 0o600))
	number := regexp.MustCompile(`[0-9a-f]{32}|\d{4}-\d\d-\d\d[T ][0-9:]+Z?|-?\d+(\.\d+)?(e[-+]?\d+)?`)
	seen := map[bool]map[string]int{true: {}, false: {}}
	for range 12 {
		mustCall(t, "budget", "b.json", "--data", "iris", "--epsilon", "6")
		code, out, errs := call("accept", "--rules", "rules.json", "--data", "iris", "--budget", "b.json", "--out", "s.json",
			"--json", "--progress", "json")
		var said acceptJSON
		if err := json.Unmarshal([]byte(out), &said); code != exitDone || err != nil {
			t.Fatal(code, errs, err)
		}
		var all strings.Builder
		for _, e := range must.Get(os.ReadDir("."))(t) {
			if e.Name() != "rules.json" {
				all.WriteString(e.Name() + string(must.Get(os.ReadFile(e.Name()))(t)))
				must.Do(t, os.Remove(e.Name()))
			}
		}
		for line := range strings.Lines(errs) { // of planning and reading: after the charge there is none, says a test there
			if !strings.HasSuffix(line, `"text":"prepared"}`+"\n") {
				t.Error(line)
			}
		}
		lines := slices.Compact(strings.Split(number.ReplaceAllString(out+all.String(), "#"), "\n"))
		seen[said.Accepted][strings.Join(lines, "\n")]++
	}

	if len(seen[true]) != 1 || len(seen[false]) != 1 {
		t.Errorf("%d and %d forms of what is accepted and what is not", len(seen[true]), len(seen[false]))
	}
}
