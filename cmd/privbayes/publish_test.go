package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

// What the command publishes is what the library reads: all items under one charge, an item as a release for the other
// commands, and a file that verifies.
func TestPublish(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("wishes.json", []byte(`{"publication": "wages 1988", "level": {"epsilon": 1, "delta": 1e-6},
		"items": [{"model": {"kind": "categorical", "target": "region"}, "within": "0.5pp"},
		{"model": {"kind": "mean", "target": "wage"}, "within": "0.5%", "weight": 2, "name": "wages",
		"guess": [600, 450]},
		{"model": {"kind": "categorical", "target": "parttime"}, "mechanism": {"name": "geometric"}, "share": 0.1}]}`),
		0o600))
	plan := mustCall(t, "publish", "wishes.json", "--plan", "--data", "cps1988")
	if !strings.Contains(plan, "asked") || !strings.Contains(plan, "smallest level") {
		t.Error(plan)
	}
	var planned struct {
		Certified struct{ Epsilon, Delta float64 }
		Items     []struct {
			Name      string
			Part      float64
			Predicted struct{ Rows float64 }
		}
		Needs       struct{ Prices []struct{ Name string } }
		Unreachable []struct{ Name string }
	}
	asJSON := mustCall(t, "publish", "wishes.json", "--plan", "--data", "cps1988", "--json")
	must.Do(t, json.Unmarshal([]byte(asJSON), &planned))
	if planned.Certified.Epsilon != 1 || len(planned.Items) != 3 || planned.Items[1].Name != "wages" ||
		len(planned.Needs.Prices) != 2 || len(planned.Unreachable) != 1 || planned.Unreachable[0].Name != "region" {
		t.Errorf("%+v", planned)
	}
	mustCall(t, "budget", "b.json", "--data", "cps1988", "--epsilon", "2", "--delta", "1e-5")
	line := []string{"publish", "wishes.json", "--data", "cps1988", "--budget", "b.json", "--out", "p.json"}
	out := mustCall(t, line...)
	again := mustCall(t, line...)
	if !strings.Contains(out, "northeast") || !strings.Contains(again, "northeast") ||
		strings.Count(mustCall(t, "budget", "b.json"), "publication") != 1 {
		t.Errorf("%s\n%s", out, mustCall(t, "budget", "b.json"))
	}
	p := must.Get(publication.Load(t.Context(), "p.json"))(t)
	if shown := mustCall(t, "show", "p.json"); !strings.Contains(out, shown) || p.Plan().Name() != "wages 1988" {
		t.Errorf("%s\n%s", out, shown)
	}
	mustCall(t, "show", "p.json", "--item", "wages", "--out", "wages.json")
	if list := mustCall(t, "intervals", "wages.json"); !strings.Contains(list, "mean") {
		t.Error(list)
	}
	if said := mustCall(t, "verify", "p.json"); !strings.HasPrefix(said, "VERIFIED") {
		t.Error(said)
	}
	page := mustCall(t, "report", "p.json", "--public", "--budget", "b.json")
	for _, want := range []string{"wages 1988", "for 3 items", "1 (ε) and", "Releases so far: 1.", "wages"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	item := mustCall(t, "show", "p.json", "--item", "wages", "--details", "--figure", "wages.svg")
	figure := string(must.Get(os.ReadFile("wages.svg"))(t))
	if guarantee := p.Guarantee().Parameters.String(); strings.Count(item, guarantee+" (approximate DP)") != 2 ||
		!strings.Contains(item, "guarantee of this item alone") || !strings.Contains(figure, "for the whole publication") {
		t.Error(item)
	}
	for form, ending := range endings {
		said := mustCall(t, "export", "p.json", "--to", form, "--out", form)
		b := must.Get(os.ReadFile(filepath.Join(form, "02_wages"+ending)))(t)
		one := mustCall(t, "export", "p.json", "--to", form, "--item", "wages")
		if strings.Count(said, "\n") != 4 || string(b) != one || !strings.Contains(one, "population_lower") {
			t.Errorf("%s: %s\n%s", form, said, one)
		}
	}
	var index exportedPublication
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join("csv", "publication.json")))(t), &index))
	if index.Guarantee != p.Guarantee() || len(index.Items) != 3 || index.Items[1].Name != "wages" ||
		index.Items[1].File != "02_wages.csv" {
		t.Errorf("%+v", index)
	}
	var whole exportedPublication
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "export", "p.json", "--to", "csv", "--json")), &whole))
	if len(whole.Items) != 3 || whole.Items[2].Estimates == nil || whole.Items[2].Estimates.Guarantee != p.Guarantee() {
		t.Errorf("%+v", whole)
	}
	region, sum := whole.Items[0].Estimates, 0.
	for _, row := range region.Rows {
		sum += row[len(row)-1].(float64)
	}
	if region.Columns[len(region.Columns)-1] != "records" || sum != 28155 ||
		slices.Contains(whole.Items[1].Estimates.Columns, "records") {
		t.Errorf("%v: %v records", region.Columns, sum)
	}
	var shown showJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", "p.json", "--item", "wages", "--json")), &shown))
	if shown.Guarantee != p.Guarantee() || shown.Item == nil || *shown.Item == shown.Guarantee {
		t.Errorf("%+v, %+v", shown.Guarantee, shown.Item)
	}
	for line, want := range map[string]string{
		"publish wishes.json":                                         "--out: want the publication file",
		"publish --data cps1988 --out q.json":                         "publish: want a file that says what to publish",
		"publish wishes.json --plan":                                  "--schema: want the schema",
		"publish wishes.json --data cps1988 --n 5 --out q.json":       "it is for --plan",
		"publish wishes.json --plan --data cps1988 --out q.json":      "--out",
		"publish nowhere.json --plan --data cps1988":                  "nowhere.json",
		"publish wishes.json --data cps1988 --epsilon 2 --out p.json": "kept release p.json",
		"show p.json --item region --out wages.json":                  "wages.json",
		"export p.json --to csv":                                      "--out: want the new folder",
		"export p.json --to bif":                                      "--item: want the item",
		"export p.json --to csv --out csv":                            "want a new file",
		"show p.json --item regions":                                  "region",
		"prove p.json --out proof":                                    "it is a publication",
		"show p.json --out q.json":                                    "it with --item",
		"show wages.json --item region":                               "a publication",
		"intervals p.json":                                            "privbayes-release-3",
	} {
		code, _, errs := call(strings.Fields(line)...)
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}

// One table gives one publication: from a file of columns, from CSV that is read once for all items, and from rows of
// standard input.
func TestPublishFormsOfATable(t *testing.T) {
	wishes := filepath.Join(t.TempDir(), "wishes.json")
	must.Do(t, os.WriteFile(wishes, []byte(`{"publication": "x", "level": {"epsilon": 1}, "items": [
		{"model": {"kind": "categorical", "target": "answer"}}, {"model": {"kind": "mean", "target": "wage"}},
		{"model": {"kind": "mean", "target": "wage"}, "name": "again"},
		{"model": {"kind": "table", "target": "answer", "features": ["wage"]}}]}`), 0o600))
	publish := func(name string) []byte {
		out := filepath.Join(t.TempDir(), "p.json")
		mustCall(t, "publish", wishes, "--schema", columnsFile("schema.json"), "--data", name, "--seed", "1", "--out", out)
		return must.Get(os.ReadFile(out))(t)
	}
	var want []byte
	piped(t, must.Get(os.ReadFile(columnsFile("table.csv")))(t), func() { want = publish("-") })
	for _, name := range []string{"table.csv", "table.parquet", "file.arrow"} {
		if got := publish(columnsFile(name)); !bytes.Equal(got, want) {
			t.Errorf("%s: another publication than that of the rows", name)
		}
	}
}

// A slot that a publication reserves is used by one release, at its level, and adds nothing to the budget.
func TestReleaseFromASlot(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("wishes.json", []byte(`{"publication": "wages", "level": {"epsilon": 1},
		"items": [{"model": {"kind": "categorical", "target": "region"}, "within": "1pp"}],
		"reserve": [{"name": "later", "level": {"epsilon": 0.25}}]}`), 0o600))
	plan := mustCall(t, "publish", "wishes.json", "--plan", "--data", "cps1988")
	if !strings.Contains(plan, "reserved: ") {
		t.Error(plan)
	}
	mustCall(t, "budget", "b", "--data", "cps1988", "--epsilon", "1")
	mustCall(t, "publish", "wishes.json", "--data", "cps1988", "--budget", "b", "--out", "p.json")
	line := []string{"release", "--data", "cps1988", "--model", "categorical", "--target", "parttime", "--budget", "b",
		"--slot", "p.json#later", "--out"}
	for change, want := range map[string]string{"p.json": "--slot", "p.json#": "--slot", "p.json#lost": "later",
		"q.json#later": "q.json", "p.json#later --epsilon 0.3": "at most", "p.json#later --seed 1": "randomness",
		"p.json#later --adjacency add-remove": "adjacency"} {
		given := strings.Replace(strings.Join(append(line[:len(line):len(line)], "x.json"), " "), "p.json#later", change, 1)
		code, _, errs := call(strings.Fields(given)...)
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", change, code, errs)
		}
	}
	if code, _, errs := call("release", "--data", "cps1988", "--target", "parttime", "--slot", "p.json#later", "--out",
		"x.json"); code == exitDone || !strings.Contains(errs, "--budget") {
		t.Error(errs)
	}
	made := mustCall(t, append(slices.Clone(line), "later.json")...)
	if again := mustCall(t, append(slices.Clone(line), "later.json")...); !strings.Contains(made, "Saved now") ||
		!strings.Contains(again, "Loaded") {
		t.Errorf("%s\n%s", made, again)
	}
	if code, _, errs := call(append(slices.Clone(line), "second.json")...); code != exitFailed ||
		!strings.Contains(errs, "not used before") {
		t.Error(errs)
	}
	said := mustCall(t, "verify", "later.json")
	for _, want := range []string{"VERIFIED", `slot "later"`, `publication "wages"`,
		"charge of the publication contains it"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if b := mustCall(t, "budget", "b"); !strings.Contains(b, "of which 1 used") {
		t.Error(b)
	}
	if page := mustCall(t, "report", "p.json", "--public", "--budget", "b"); !strings.Contains(page, "reserved: ") ||
		!strings.Contains(page, "in the charge of") {
		t.Error(page)
	}
	mustCall(t, "budget", "other", "--data", "cps1988", "--epsilon", "1")
	late := mustCall(t, "publish", "wishes.json", "--data", "cps1988", "--budget", "other", "--out", "p.json")
	code, _, errs := call("release", "--data", "cps1988", "--model", "categorical", "--target", "smsa", "--budget",
		"other", "--slot", "p.json#later", "--out", "x.json")
	if !strings.Contains(late, "Its charge is now recorded in other") || code == exitDone ||
		!strings.Contains(errs, "when it was drawn") {
		t.Errorf("%s\n%d %s", late, code, errs)
	}
}

// Wishes that cannot be read are refused by item and field.
func TestWishesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	const items, mean = `{"publication": "x", "items": [{`, `"model": {"kind": "mean", "target": "wage"}, `
	for text, want := range map[string]string{
		items + mean + `"within": "1 percent"}]}`:       "percentage points",
		items + mean + `"mechanism": {"name": "x"}}]}`:  "items.0: mechanism.name",
		items + `"within": 1}]}`:                        "items.0: model",
		items + mean + `"guess": "600"}]}`:              "a mean and a standard deviation",
		items + mean + `"guess": 600000}]}`:             "between the bounds",
		`{"publication": "x", "itms": []}`:              "itms",
		`{"publication": 3, "items": []}`:               "publication: JSON number in the wrong place",
		`[]`:                                            "bad.json: JSON array in the wrong place",
		`{"publication": "x", "level": {"epsilon": 1}}`: "items = 0",
	} {
		must.Do(t, os.WriteFile("bad.json", []byte(text), 0o600))
		code, _, errs := call("publish", "bad.json", "--plan", "--data", "cps1988", "--epsilon", "1")
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", text, code, errs)
		}
	}
}

// One item is shown with the numbers of the whole, and exported with them; saved as a release it has those of its own
// counts.
func TestPublishedItemsAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("wishes.json", []byte(`{"publication": "wages", "level": {"epsilon": 0.01},
		"items": [{"model": {"kind": "categorical", "target": "region"}},
		{"model": {"kind": "table", "target": "parttime", "features": ["region"]}, "name": "both"}]}`), 0o600))
	mustCall(t, "publish", "wishes.json", "--data", "cps1988", "--out", "p.json")
	p := must.Get(publication.Load(t.Context(), "p.json"))(t)
	list, _ := must.Get2(p.Intervals(t.Context(), "region", .95))(t)
	var shown showJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", "p.json", "--item", "region", "--json", "--out", "own.json")),
		&shown))
	printed := p.Parts()[0]
	for i, row := range printed.Rows {
		if got := shown.Tables[0].Rows[i]; !slices.Equal(got, row) {
			t.Errorf("%q, printed %q", got, row)
		}
	}
	var e export.Estimates
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "export", "p.json", "--to", "records", "--item", "region")), &e))
	var whole exportedPublication
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "export", "p.json", "--to", "csv", "--json")), &whole))
	own, _ := must.Get2(must.Get(release.Load(t.Context(), "own.json"))(t).Intervals(t.Context(), .95))(t)
	for i, want := range list {
		if e.Rows[i][2] != want.Estimate || whole.Items[0].Estimates.Rows[i][2] != want.Estimate ||
			own[i].Estimate == want.Estimate {
			t.Errorf("%v, %v; own %v, want %v", e.Rows[i], whole.Items[0].Estimates.Rows[i], own[i], want)
		}
	}
}

// Wishes of a weighted table are met at the schema's population: the words of respondents' weights are asked for by
// item, and without them there are no intervals that a wish could be about.
func TestPublishWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	wishes := func(mechanism string) {
		must.Do(t, os.WriteFile("wishes.json", fmt.Appendf(nil, `{"publication": "health", "level": {"epsilon": 3},
			"items": [{"model": {"kind": "weighted-mean", "target": "HI_CHOL"}, "within": "1%%"%s},
			{"model": {"kind": "weighted-table", "target": "race", "features": ["RIAGENDR"]}, "within": "1pp"%s}]}`,
			mechanism, mechanism), 0o600))
	}
	wishes(`, "mechanism": {"name": "tokens", "held_as_given": true}`)
	const words = "(others' weights held as given)"
	if plan := mustCall(t, "publish", "wishes.json", "--plan", "--data", "nhanes2009"); !strings.Contains(plan, words) ||
		!strings.Contains(plan, "smallest level") || !strings.Contains(plan, "those of the noise alone") {
		t.Error(plan)
	}
	mustCall(t, "publish", "wishes.json", "--data", "nhanes2009", "--out", "p.json")
	if text := mustCall(t, "verify", "p.json"); !strings.Contains(text, "VERIFIED") {
		t.Error(text)
	}
	wishes("")
	if _, _, text := call("publish", "wishes.json", "--plan", "--data", "nhanes2009"); !strings.Contains(text,
		"intervals are predicted") {
		t.Error(text)
	}
}
