//go:build !browser

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Strata of public sizes, from the schema's file to the budget: the adjacency is asked for by its name.
func TestStrata(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "d", "strata": {"column": "region", "moves": false,
		"sizes": {"north": 900, "south": 500}, "sampled": {"north": 30, "south": 20}}, "columns": [
		{"name": "region", "kind": "categorical", "categories": ["north", "south"]},
		{"name": "ill", "kind": "categorical", "categories": ["no", "yes"]},
		{"name": "income", "kind": "real", "min": 0, "max": 100}]}`), 0o600))
	must.Do(t, os.WriteFile("rows.csv", []byte("region,ill,income\n"+strings.Repeat("north,no,10\n", 30)+
		strings.Repeat("south,yes,40\n", 20)), 0o600))
	const within = "replace-one within strata"
	of := func(line string) []string { return append(strings.Fields(line), "--adjacency", within) }
	mustCall(t, of("budget b.budget --schema s.json --epsilon 3")...)
	plan := mustCall(t, of("plan --schema s.json --model mean --target income --epsilon 1")...)
	mustCall(t, of("release --schema s.json --data rows.csv --table ill --epsilon 1 --budget b.budget --out r.json")...)
	for what, text := range map[string]string{"plan": plan, "verify": mustCall(t, "verify", "r.json"),
		"budget": mustCall(t, "budget", "b.budget"), "show": mustCall(t, "show", "r.json")} {
		if !strings.Contains(text, within) {
			t.Errorf("%s: %s", what, text)
		}
	}
	if same := mustCall(t, of("plan --schema s.json --n 50 --model mean --target income --epsilon 1")...); same != plan {
		t.Errorf("strata say another n:\n%s\n%s", plan, same)
	}
	mustCall(t, of("advise --schema s.json --model mean --target income --epsilon 1")...)
	must.Do(t, os.WriteFile("w.json", []byte(`{"publication": "ill", "level": {"epsilon": 1}, "items": [
		{"model": {"kind": "mean", "target": "income"}}]}`), 0o600))
	mustCall(t, of("publish w.json --plan --schema s.json")...)
	const plans = "plan --schema s.json --epsilon 1 "
	const releases = "release --schema s.json --data rows.csv --epsilon 1 "
	const charges = "budget b.budget --charge c --tool t --released m --epsilon 0.1 --adjacency "
	refusedLines(t, map[string]string{
		plans + "--table ill":                                        "want " + within,
		plans + "--model naive-bayes --target ill":                   "want --model mean, or --table of one",
		plans + "--adjacency add-remove --table ill":                 "want " + within,
		releases + "--adjacency add-remove --table ill --out x.json": "want " + within,
		charges + "add-remove":                                       "want replace-one, which",
	})
	if code, _, errs := call(append(strings.Fields(charges), within)...); code == exitDone ||
		!strings.Contains(errs, "its level under replace-one") {
		t.Error(code, errs)
	}
	mustCall(t, strings.Fields(charges+"replace-one")...)
}

// What check says of the strata's sizes is what release refuses.
func TestCheckOfStrata(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "d", "strata": {"column": "region", "moves": false,
		"sizes": {"north": 900, "south": 500}, "sampled": {"north": 30, "south": 20}}, "columns": [
		{"name": "region", "kind": "categorical", "categories": ["north", "south"]},
		{"name": "ill", "kind": "categorical", "categories": ["no", "yes"]}]}`), 0o600))
	for _, c := range []struct {
		north, south int
		want         []string
	}{{30, 20, []string{"All 50 rows fit"}}, {29, 21, []string{"29 rows of \"north\"", "21 rows of \"south\"",
		"30, as", "20, as"}},
		{30, 0, []string{"0 rows of \"south\""}}, {31, 20, []string{"31 rows of \"north\"", "whole table"}}} {
		must.Do(t, os.WriteFile("t.csv", []byte("region,ill\n"+strings.Repeat("north,no\n", c.north)+
			strings.Repeat("south,yes\n", c.south)), 0o600))
		want := exitInput
		if len(c.want) == 1 && c.north == 30 && c.south == 20 {
			want = exitDone
		}
		code, out, _ := call("check", "--schema", "s.json", "--data", "t.csv")
		for _, text := range c.want {
			if !strings.Contains(out, text) || code != want {
				t.Errorf("%d and %d rows: %d, no %q in %s", c.north, c.south, code, text, out)
			}
		}
		if code, _, errs := call("release", "--schema", "s.json", "--data", "t.csv", "--table", "ill", "--epsilon", "1",
			"--adjacency", "replace-one within strata", "--out", "r.json"); (code == exitDone) != (want == exitDone) {
			t.Errorf("%d and %d rows: check ends with %d, release with %d %s", c.north, c.south, want, code, errs)
		}
	}
}
