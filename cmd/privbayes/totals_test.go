//go:build !browser

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// arrivalsOf are the rows of the quarters so far.
func arrivalsOf(quarters int) string {
	out := "quarter,region\n"
	for q := range quarters {
		out += strings.Repeat(fmt.Sprintf("Q%d,north\nQ%d,south\n", q+1, q+1), 20)
	}
	return out
}

// A sequence is planned without rows, begun, continued, loaded, shown and verified; a period is released once; and what
// a sequence needs is asked for by its flag.
func TestTotals(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "arrivals", "columns": [{"name": "quarter",
		"kind": "categorical", "categories": ["Q1", "Q2", "Q3"]}, {"name": "region", "kind": "categorical",
		"categories": ["north", "south"]}]}`),
		0o600))
	for q := range 4 {
		must.Do(t, os.WriteFile(fmt.Sprintf("%d.csv", q), []byte(arrivalsOf(q)), 0o600))
	}
	var plan totalsPlanJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "totals", "--period", "quarter", "--columns", "region", "--rho", "0.1",
		"--plan", "--schema", "s.json", "--json")), &struct {
		Certified *any
		Periods   *[]string
		SD        *[]float64
	}{new(any), &plan.Periods, &plan.SD}))
	if len(plan.Periods) != 3 || len(plan.SD) != 3 || plan.SD[2] <= plan.SD[0] || plan.SD[2] > 1.2*plan.SD[0] {
		t.Error(plan)
	}
	mustCall(t, "budget", "b", "--schema", "s.json", "--rho", "0.5")
	begin := []string{"totals", "--period", "quarter", "--columns", "region", "--rho", "0.1", "--schema", "s.json",
		"--data", "2.csv", "--budget", "b", "--until", "Q2", "--out", "2.json"}
	next := []string{"totals", "--after", "2.json", "--schema", "s.json", "--data", "3.csv", "--budget", "b", "--out",
		"3.json", "--json"}
	mustCall(t, begin...)
	if again := mustCall(t, begin...); !strings.Contains(again, "no new noise, no charge") {
		t.Error(again)
	}
	var made struct {
		Through       string
		Loaded        bool
		Spent         struct{ Rho float64 } `json:"budget_spent"`
		Totals, Added []struct {
			Labels           []string
			Value, Low, High float64
		}
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, next...)), &made))
	if made.Through != "Q3" || made.Loaded || len(made.Totals) != 3 || made.Spent.Rho > .1+1e-9 ||
		made.Totals[0].High-made.Totals[0].Low > 40 || len(made.Added) != 3 || made.Added[2].High <= made.Added[2].Low {
		t.Error(made)
	}
	if text := mustCall(t, "verify", "3.json"); !strings.HasPrefix(text, "VERIFIED") {
		t.Error(text)
	}
	if text := mustCall(t, "show", "3.json", "--details", "--figure", "3.svg"); !strings.Contains(text, "Period 3 of 3") ||
		!strings.Contains(string(must.Get(os.ReadFile("3.svg"))(t)), "rows so far") {
		t.Error(text)
	}
	if page := mustCall(t, "report", "3.json", "--public", "--budget", "b"); !strings.Contains(page, "3 periods") ||
		!strings.Contains(page, "privbayes entry 3.json") {
		t.Error(page)
	}
	mustCall(t, "entry", "3.json", "--budget", "b", "--out", "e.yaml")
	if text := mustCall(t, "verify", "3.json", "--entry", "e.yaml"); strings.Contains(text, "FAILED") {
		t.Error(text)
	}
	refuseTotals(t)
}

// refuseTotals is what running totals are refused for, by files of three periods.
func refuseTotals(t *testing.T) {
	for line, want := range map[string]string{
		"verify 2.json --entry e.yaml": "", "report 3.json --data 3.csv": "running totals",
		"totals --after 2.json --schema s.json --data 3.csv --budget b --out x.json":         "measured once",
		"totals --after 3.json --schema s.json --data 3.csv --budget b --out x.json":         "the sequence ends there",
		"totals --after 2.json --schema s.json --data 3.csv --out x.json":                    "--budget",
		"totals --after 2.json --rho 1 --schema s.json --data 3.csv --budget b --out x.json": "--rho",
		"totals --rho 1 --schema s.json --data 3.csv --budget b --out x.json":                "--period",
		"totals --period quarter --epsilon 1 --plan --schema s.json":                         "--epsilon",
		"intervals 3.json":       "running totals",
		"export 3.json --to csv": "running totals",
		"prove 3.json --out x":   "running totals",
	} {
		code, _, errs := call(strings.Fields(line)...)
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	if _, err := os.Stat("x.json"); err == nil {
		t.Error("a file of what was refused")
	}
}

// The level is ρ, and neighbours are those that running totals know.
func TestLevelOfTotals(t *testing.T) {
	for line, want := range map[string]string{
		"totals --period region --plan --data cps1988":                                   "such as --rho 0.05",
		"totals --period region --rho 1 --adjacency replace-value --plan --data cps1988": "replace-one or add-remove",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	if help := mustCall(t, "totals", "--help"); strings.Contains(help, "--epsilon") || strings.Contains(help, "-value") {
		t.Error(help)
	}
}
