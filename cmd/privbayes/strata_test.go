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
	plan := mustCall(t, of("plan --schema s.json --n 50 --model mean --target income --epsilon 1")...)
	mustCall(t, of("release --schema s.json --data rows.csv --table ill --epsilon 1 --budget b.budget --out r.json")...)
	for what, text := range map[string]string{"plan": plan, "verify": mustCall(t, "verify", "r.json"),
		"budget": mustCall(t, "budget", "b.budget"), "show": mustCall(t, "show", "r.json")} {
		if !strings.Contains(text, within) {
			t.Errorf("%s: %s", what, text)
		}
	}
	const plans = "plan --schema s.json --n 50 --epsilon 1 "
	const releases = "release --schema s.json --data rows.csv --epsilon 1 "
	const charges = "budget b.budget --charge c --tool t --released m --epsilon 0.1 --adjacency "
	refusedLines(t, map[string]string{
		plans + "--table ill":                                        "want " + within,
		plans + "--model naive-bayes --target ill":                   "want --model mean, or --table of one",
		plans + "--adjacency add-remove --table ill":                 "--n",
		releases + "--adjacency add-remove --table ill --out x.json": "want " + within,
		charges + "add-remove":                                       "want replace-one, which",
	})
	if code, _, errs := call(append(strings.Fields(charges), within)...); code == exitDone ||
		!strings.Contains(errs, "its level under replace-one") {
		t.Error(code, errs)
	}
	mustCall(t, strings.Fields(charges+"replace-one")...)
}
