package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

const surveyText = `{"dataset": "survey", "about_rows": 100, "sampling": "sample", "population": 1000,
 "weight": {"column": "w", "min": "0.5", "max": "40", "step": "0.25", "computed": "WHO"},
 "columns": [{"name": "region", "kind": "categorical", "categories": ["north", "south"]},
  {"name": "income", "kind": "real", "min": 0, "max": 100}]}`

// Weighted tables by the command: planned, released, verified, shown, and what is refused by the flags' names.
func TestWeightedTables(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	design := at("design.json", strings.ReplaceAll(surveyText, "WHO", "design"))
	respondents := at("respondents.json", strings.ReplaceAll(surveyText, "WHO", "respondents"))
	rows := at("rows.csv", "region,income,w\n"+strings.Repeat("north,10,4\nsouth,50.5,2.25\n", 50))
	out := filepath.Join(dir, "r.json")
	for _, c := range []struct{ schema, args, want, fails string }{
		{design, "--model mean --target income --epsilon 1", `weighted mean of "income"`, ""},
		{design, "--model group-means --target income --features region --rho .5", "at most 40", ""},
		{design, "--table region --epsilon 1 --delta 1e-6", `weighted table of "region"`, ""},
		{design, "--model total --target income --features region --epsilon 1", "at most 40", ""},
		{design, "--model mean --target income --epsilon 1 --unweighted", `the mean of "income"`, ""},
		{respondents, "--model mean --target income --epsilon 1", "No interval is shown", ""},
		{respondents, "--model mean --target income --epsilon 1 --held-as-given", "others' weights held as given", ""},
		{design, "--model mean --target income --epsilon 1 --held-as-given", "", "--held-as-given"},
		{design, "--model naive-bayes --target region --epsilon 1", "",
			"quantiles or total, or --table without --alpha; or --unweighted"},
		{design, "--model mean --target income --epsilon 1 --mechanism geometric --post-process clamp", "", ""},
	} {
		_ = os.Remove(out)
		args := append([]string{"release", "--schema", c.schema, "--data", rows, "--out", out}, strings.Fields(c.args)...)
		code, text, errs := call(args...)
		if c.want != "" && (code != 0 || !strings.Contains(text, c.want)) || c.want == "" && (code == 0 ||
			!strings.Contains(errs, c.fails)) {
			t.Errorf("%s: code %d\n%s\n%s", c.args, code, text, errs)
		}
		if c.want == "" {
			continue
		}
		for _, command := range []string{"verify", "show"} {
			if code, text, errs := call(command, out); code != 0 {
				t.Errorf("%s %s: code %d\n%s\n%s", command, c.args, code, text, errs)
			}
		}
		args = append([]string{"plan", "--schema", c.schema, "--n", "100", "--json"}, strings.Fields(c.args)...)
		code, text, errs = call(args...)
		if code != 0 || strings.Contains(c.args, "--unweighted") != strings.Contains(text, `"unweighted": true`) {
			t.Errorf("plan %s: code %d\n%s\n%s", c.args, code, text, errs)
		}
	}
}
