package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// salesFiles are a schema with an open column and a table, in a new folder.
func salesFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "sales", "about_rows": 500, "columns": [{"name": "product",
		"kind": "open", "missing": [""], "on_missing": "category"}, {"name": "paid", "kind": "categorical",
		"categories": ["no", "yes"]}]}`), 0o600))
	rows := "paid;product\n" + strings.Repeat("yes;apple\n", 200) + strings.Repeat("no;\n", 90) + "yes;secret\n" +
		strings.Repeat("no;pear\n", 100)
	must.Do(t, os.WriteFile("t.csv", []byte(rows), 0o600))
}

const asked = "--column product --epsilon 1 --delta 1e-6 --schema s.json"

// Categories are planned without rows, released, loaded, shown and verified; the schema with them reads the table.
func TestDiscover(t *testing.T) {
	salesFiles(t)
	var plan struct {
		Plan, Certified, Warnings any
		Cut                       int64
		SD                        float64
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, strings.Fields("discover --plan --json "+asked)...)), &plan))
	if plan.Cut != 27 || plan.SD < 1 {
		t.Error(plan)
	}
	mustCall(t, "budget", "b", "--schema", "s.json", "--epsilon", "2", "--delta", "1e-5")
	made := "discover " + asked + " --data t.csv --separator ; --budget b --out c.json"
	if text := mustCall(t, strings.Fields(made+" --into new.json")...); !strings.Contains(text, "pear") ||
		strings.Contains(text, "secret") {
		t.Error(text)
	}
	if again := mustCall(t, strings.Fields(made)...); !strings.Contains(again, "no new noise, no charge") {
		t.Error(again)
	}
	var found struct {
		Column     string
		Categories []struct {
			Category         string
			Value, Low, High int64
		}
		Spent struct{ Epsilon float64 } `json:"budget_spent"`
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, strings.Fields(made+" --json")...)), &found))
	if len(found.Categories) != 2 || found.Categories[0].High < found.Categories[0].Low || found.Spent.Epsilon != 1 {
		t.Error(found)
	}
	if text := mustCall(t, "verify", "c.json"); !strings.HasPrefix(text, "VERIFIED") {
		t.Error(text)
	}
	if text := mustCall(t, "show", "c.json", "--details"); !strings.Contains(text, "δ∞") {
		t.Error(text)
	}
	text := mustCall(t, strings.Fields("release --schema new.json --data t.csv --separator ; --model categorical "+
		"--target product --epsilon 1 --budget b --out r.json")...)
	if !strings.Contains(text, "other") || !strings.Contains(text, "were found in the data by release") {
		t.Error(text)
	}
}

// A public superset in a file, or in the schema, takes δ away.
func TestDiscoverWithin(t *testing.T) {
	salesFiles(t)
	must.Do(t, os.WriteFile("codes.txt", []byte("pear\napple\ncherry\n"), 0o600))
	const pure = "discover --column product --epsilon 1 --within codes.txt --schema s.json"
	mustCall(t, "budget", "b", "--schema", "s.json", "--epsilon", "1")
	made := pure + " --data t.csv --separator ; --budget b --out c.json --into new.json"
	text := mustCall(t, strings.Fields(made)...)
	if !strings.Contains(text, "pear") || strings.Contains(text, "secret") || !strings.Contains(text, "All 3 codes") {
		t.Error(text)
	}
	if text := mustCall(t, "verify", "c.json"); !strings.HasPrefix(text, "VERIFIED") {
		t.Error(text)
	}
	if text := mustCall(t, "show", "c.json", "--details"); !strings.Contains(text, "nobody holds") {
		t.Error(text)
	}
	mustCall(t, strings.Fields("check --schema new.json --data t.csv --separator ;")...)
	must.Do(t, os.WriteFile("with.json", []byte(`{"dataset": "sales", "columns": [{"name": "product", "kind": "open",
		"within": {"length": 6, "alphabet": "A-Z0-9"}}, {"name": "paid", "kind": "categorical",
		"categories": ["no", "yes"]}]}`), 0o600))
	const texts = "discover --column product --epsilon 1 --adjacency add-remove --plan --schema with.json"
	var plan struct{ Cut int64 }
	must.Do(t, json.Unmarshal([]byte(mustCall(t, strings.Fields(texts+" --json")...)), &plan))
	if plan.Cut+1 != 25 {
		t.Error(plan)
	}
	must.Do(t, os.WriteFile("twice.txt", []byte("a\na\n"), 0o600))
	must.Do(t, os.WriteFile("star.txt", []byte("aa\na*\n"), 0o600))
	must.Do(t, os.WriteFile("own.csv", []byte("product\npear\n"), 0o600))
	must.Do(t, os.WriteFile("many.txt", []byte(strings.Repeat("a\n", 1_000_001)), 0o600))
	for line, want := range map[string]string{
		texts + " --within codes.txt":                                                  "of its own",
		strings.Replace(pure, "codes", "none", 1) + " --plan":                          "--within",
		strings.Replace(pure, "codes", "twice", 1) + " --plan":                         `twice.txt: schema column "product"`,
		strings.Replace(pure, "--within codes.txt", "--within=", 1) + " --plan":        "a code in each line",
		strings.Replace(pure, "codes", "many", 1) + " --plan":                          "a million",
		strings.Replace(pure, "codes.txt", "./own.csv", 1) + " --data own.csv --out x": "made without the rows",
		"discover --column paid --epsilon 1 --within codes.txt --schema s.json --plan": `"open"`,
		"discover --column product --rho 1 --schema s.json --plan":                     "a public superset",
		pure + " --levels 9 --plan":                                                    "--levels 9; want numbers below 6",
		pure + " --levels= --plan":                                                     "--levels is empty",
		strings.Replace(pure, "codes", "star", 1) + " --levels 1 --plan":               "star.txt",
		pure + " --levels 1,x --plan":                                                  "--levels",
		texts + " --levels 1":                                                          "--levels",
	} {
		code, _, errs := call(strings.Fields(line)...)
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
}

// A table that a program hands over, as text or as columns, is what its file is; so are its nulls and its numbers.
func TestDiscoverReads(t *testing.T) {
	salesFiles(t)
	rows, text := [][]any{}, "id,product,paid,cost\n"
	for i := range 400 {
		name, cost := []any{"apple", "pear", nil}[i%3], 100+float64(i)/4
		rows = append(rows, []any{int64(i / 2), name, "no", cost})
		text += fmt.Sprintf("%d,%v,no,%v\n", i/2, name, cost)
	}
	text = strings.ReplaceAll(text, "<nil>", "")
	must.Do(t, os.WriteFile("c.csv", []byte(text), 0o600))
	names := []string{"id", "product", "paid", "cost"}
	must.Do(t, writeArrow(io.Discard, "c.arrow", names, rows))
	must.Do(t, writeParquet(io.Discard, "c.parquet", names, rows))
	must.Do(t, os.WriteFile("k.json", []byte(`{"dataset": "sales", "unit_key": "id", "rows_per_unit": 2, "columns": [
		{"name": "product", "kind": "open", "within": {"codes": ["apple", "pear", "plum"], "levels": [1]}}]}`), 0o600))
	must.Do(t, os.WriteFile("r.json", []byte(`{"dataset": "sales", "columns": [{"name": "cost", "kind": "real",
		"bounds": "unknown"}, {"name": "paid", "kind": "categorical", "categories": ["no", "yes"]}]}`), 0o600))
	arrow := must.Get(os.ReadFile("c.arrow"))(t)
	for _, kind := range []string{"--column product --delta 1e-6 --schema s.json", "--column cost --schema r.json",
		"--column product --at-most 2 --schema k.json"} {
		line := "discover --json --epsilon 1 --seed 3 --out x.json --data "
		found := func(from string) string {
			defer func() { must.Do(t, os.Remove("x.json")) }()
			mustCall(t, strings.Fields(line+from+" "+kind)...)
			var f map[string]any
			must.Do(t, json.Unmarshal(must.Get(os.ReadFile("x.json"))(t), &f))
			delete(f, "id")
			return fmt.Sprint(f)
		}
		want := found("c.csv")
		for _, file := range []string{"c.arrow", "c.parquet"} {
			if got := found(file); got != want {
				t.Errorf("%s: %s: %s", kind, file, got)
			}
		}
		inputs := map[string][]byte{"text": []byte(text), "marked": []byte(text + inputMark), "Arrow": arrow}
		for name, b := range inputs {
			piped(t, b, func() {
				if got := found("-"); got != want {
					t.Errorf("%s: %s piped: %s", kind, name, got)
				}
			})
		}
	}
	for line, want := range map[string]string{
		"discover " + asked + " --data wine --out y": "product",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	piped(t, must.Get(os.ReadFile("c.parquet"))(t), func() {
		_, _, errs := call(strings.Fields("discover " + asked + " --data - --out y")...)
		if !strings.Contains(errs, "of Parquet, give the file") {
			t.Error(errs)
		}
	})
	piped(t, []byte("cost\n1\nsecret\n"), func() {
		_, _, errs := call(strings.Fields("discover --epsilon 1 --column cost --schema r.json --data - --out y")...)
		if !strings.Contains(errs, "standard input") || strings.Contains(errs, "secret") {
			t.Error(errs)
		}
	})
}

// verify says whether the list of a release's schema is the one that was found, and refuses another.
func TestVerifyFound(t *testing.T) {
	salesFiles(t)
	const made = "discover " + asked + " --data t.csv --separator ; "
	mustCall(t, strings.Fields(made+"--out c.json --into new.json")...)
	mustCall(t, strings.Fields(made+"--out other.json")...)
	const release = " --schema new.json --data t.csv --separator ; --epsilon 1 --target product --model categorical " +
		"--out r.json"
	mustCall(t, strings.Fields("release"+release)...)
	if text := mustCall(t, strings.Fields("verify r.json --found c.json")...); !strings.Contains(text, "c.json has what") {
		t.Error(text)
	}
	b := must.Get(os.ReadFile("new.json"))(t)
	must.Do(t, os.WriteFile("forged.json", []byte(strings.Replace(string(b), `"apple"`, `"cherry"`, 1)), 0o600))
	forged := strings.NewReplacer("new.json", "forged.json", "r.json", "f.json").Replace(release)
	mustCall(t, strings.Fields("release"+forged)...)
	c := strings.Replace(string(must.Get(os.ReadFile("c.json"))(t)), `"apple"`, `"aple"`, 1)
	must.Do(t, os.WriteFile("edited.json", []byte(c), 0o600))
	for line, want := range map[string]string{
		"verify f.json --found c.json":                       "the categories of the release",
		"verify r.json --found other.json":                   "one that a column",
		"verify r.json --found edited.json":                  "the categories of the release",
		"verify r.json --found c.json --found other.json":    "other.json",
		"verify r.json --found c.json --json --found r.json": "discover saved",
		"verify r.json --found none.json":                    "none.json",
		"verify c.json --found c.json":                       "--found",
	} {
		code, out, errs := call(strings.Fields(line)...)
		if code == exitDone || !strings.Contains(errs, want) || strings.Contains(out, "VERIFIED") {
			t.Errorf("%s: exit %d: %s%s", line, code, out, errs)
		}
	}
	if code, _, _ := call(strings.Fields("verify f.json --found c.json")...); code != exitUnverified {
		t.Error(code)
	}
}

// Codes that begin alike are counted together first: --levels, or the schema, says at how many characters.
func TestDiscoverLevels(t *testing.T) {
	salesFiles(t)
	rows := "product,paid\n" + strings.Repeat("A100,no\n", 300) + "A101,no\n" + strings.Repeat("B2,no\n", 200)
	must.Do(t, os.WriteFile("codes.csv", []byte(rows), 0o600))
	must.Do(t, os.WriteFile("codes.txt", []byte("A100\nA101\nA110\nB2\nB3\nC\n"), 0o600))
	const made = "discover --column product --epsilon 1 --within codes.txt --levels 1,3 --schema s.json"
	if text := mustCall(t, strings.Fields(made+" --plan")...); !strings.Contains(text, "leading characters") {
		t.Error(text)
	}
	text := mustCall(t, strings.Fields(made+" --data codes.csv --out c.json --into new.json")...)
	var found, shown struct{ Cuts []int64 }
	again := mustCall(t, strings.Fields(made+" --data codes.csv --out c.json --json")...)
	must.Do(t, json.Unmarshal([]byte(again), &found))
	for _, want := range []string{"A*", "A10*", "A100", "B2", "begin with 12"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if text := mustCall(t, "verify", "c.json", "--details"); !strings.HasPrefix(text, "VERIFIED") {
		t.Error(text)
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", "c.json", "--json")), &shown))
	if len(shown.Cuts) != 3 || !slices.Equal(shown.Cuts, found.Cuts) {
		t.Error(shown, found)
	}
	mustCall(t, strings.Fields("check --schema new.json --data codes.csv")...)
	text = mustCall(t, strings.Fields("release --schema new.json --data codes.csv --model categorical --target product "+
		"--epsilon 1 --out r.json")...)
	if !strings.Contains(text, "A10*") {
		t.Error(text)
	}
}

// rangeFiles are a schema with a column without bounds and a table, in a new folder.
func rangeFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "wages", "about_rows": 2000, "columns": [{"name": "wage",
		"kind": "real", "bounds": "unknown"}]}`), 0o600))
	rows := "wage\n" + strings.Repeat("700.5\n", 1500) + strings.Repeat("1500\n", 500)
	must.Do(t, os.WriteFile("t.csv", []byte(rows), 0o600))
}

// A range is planned without rows, released at a quarter of the budget, loaded, shown and verified; releases under the
// schema with it say so in their texts, lists of intervals, records and reports.
func TestDiscoverRange(t *testing.T) {
	rangeFiles(t)
	mustCall(t, "budget", "b", "--schema", "s.json", "--epsilon", "2")
	var plan struct {
		Cut, Needs int64
		FalseEnd   float64 `json:"false_end"`
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, strings.Fields("discover --column wage --plan --json --schema s.json "+
		"--epsilon 0.5")...)), &plan))
	if plan.Cut != 54 || plan.Needs != 810 || plan.FalseEnd > 1e-4 {
		t.Error(plan)
	}
	made := "discover --column wage --schema s.json --data t.csv --budget b --out w.json"
	if text := mustCall(t, strings.Fields(made+" --into new.json")...); !strings.Contains(text, "ε = 0.5") {
		t.Error(text)
	}
	mustCall(t, "budget", "added", "--schema", "s.json", "--epsilon", "2", "--adjacency", "add-remove")
	added := strings.NewReplacer("--budget b", "--budget added", "w.json", "a.json").Replace(made)
	if text := mustCall(t, strings.Fields(added)...); !strings.Contains(text, "ε = 0.5, add-remove") {
		t.Error(text)
	}
	var found struct {
		Low, High float64
		Octaves   []struct{ From, To float64 }
		Loaded    bool
		Spent     struct{ Epsilon float64 } `json:"budget_spent"`
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, strings.Fields(made+" --json")...)), &found))
	if !found.Loaded || found.Low > 512 || found.High < 2048 || len(found.Octaves) < 2 || found.Spent.Epsilon != .5 {
		t.Error(found)
	}
	if text := mustCall(t, "verify", "w.json"); !strings.HasPrefix(text, "VERIFIED") {
		t.Error(text)
	}
	for line, want := range map[string]string{"show w.json --details": "moved·γ", "show w.json --json": `"outside_sd"`,
		"discover --column wage --plan --schema s.json --budget b": "at least 54"} {
		if text := mustCall(t, strings.Fields(line)...); !strings.Contains(text, want) {
			t.Errorf("%s: %s", line, text)
		}
	}
	mustCall(t, strings.Fields("release --schema new.json --data t.csv --model mean --target wage --epsilon 1 --budget b "+
		"--out r.json")...)
	for _, line := range []string{"show r.json", "intervals r.json", "intervals r.json --json", "entry r.json",
		"report r.json --public", "show r.json --json"} {
		if text := mustCall(t, strings.Fields(line)...); !strings.Contains(text, "were found in the data by release") {
			t.Errorf("%s: %s", line, text)
		}
	}
}

// What a range cannot do is refused; that nothing was found is paid for, kept, and refused where a schema is asked for.
func TestDiscoverRangeRefuses(t *testing.T) {
	rangeFiles(t)
	made := "discover --column wage --schema s.json --data t.csv --epsilon 0.5 --out w.json"
	mustCall(t, strings.Fields(made+" --into new.json")...)
	mustCall(t, "budget", "rho", "--schema", "s.json", "--rho", "1")
	for line, want := range map[string]string{
		"discover --column wage --schema s.json --plan":                                       "--epsilon",
		"discover --column wage --schema s.json --plan --epsilon 1 --delta 1e-6":              "pure ε",
		"discover --column wage --schema s.json --plan --epsilon 1 --at-most 1":               "--at-most",
		"discover --column wage --schema s.json --plan --epsilon 0.1":                         "at least 4005",
		"discover --column wage --schema s.json --plan --epsilon 1 --within s.json":           "--within",
		"discover --column wage --schema s.json --plan --budget rho":                          "--epsilon",
		"discover --column wage --schema new.json --plan --epsilon 1":                         `"bounds": "unknown"`,
		"release --schema s.json --data t.csv --model mean --target wage --epsilon 1 --out x": "discover",
		"prove w.json --out x":     "verify",
		"intervals w.json":         "a range, of a column",
		"show w.json --figure x":   "--figure",
		"synthesize w.json":        "a range, of a column",
		made + " --into s.json":    "--into",
		made + " --adjacency none": "--adjacency",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	must.Do(t, os.WriteFile("few.csv", []byte("wage\n1\n2\n"), 0o600))
	few := "discover --column wage --schema s.json --data few.csv --epsilon 0.5 --seed 4 --out none.json"
	code, _, errs := call(strings.Fields(few + " --into n.json")...)
	if code != exitFailed || !strings.Contains(errs, "none.json keeps") || !strings.Contains(errs, "no range of column") {
		t.Error(code, errs)
	}
	if text := mustCall(t, strings.Fields(few)...); !strings.Contains(text, "No range") {
		t.Error(text)
	}
}

// What is needed is asked for by its flag, and what reads releases says that the file has none.
func TestDiscoverRefuses(t *testing.T) {
	salesFiles(t)
	mustCall(t, strings.Fields("discover "+asked+" --data t.csv --separator ; --out c.json --into new.json")...)
	for line, want := range map[string]string{
		"discover --epsilon 1 --delta 1e-6 --schema s.json --data t.csv --out x":                "--column",
		"discover --column product --epsilon 1 --delta 1e-6 --data t.csv --out x":               "--schema",
		"discover " + asked + " --out x":                                                        "--data",
		"discover " + asked + " --data t.csv":                                                   "--out",
		"discover " + asked + " --data t.csv --out x --into s.json":                             "--into",
		"discover " + asked + " --data t.csv --out x --into ./x":                                "another file",
		"discover " + asked + " --data t.csv --out x --into " + must.Get(filepath.Abs("x"))(t):  "another file",
		"discover " + asked + " --plan --out x":                                                 "--out",
		"discover --column product --epsilon 1 --schema s.json --plan":                          "name the categories",
		"discover --column product --epsilon 1 --delta 0.1 --schema s.json --plan":              "far below 1 in 500",
		"discover --column paid --epsilon 1 --delta 1e-6 --schema s.json --plan":                `"kind": "open"`,
		"discover --at-most 3 --column product --epsilon 1 --delta 1e-6 --schema s.json --plan": "unit_key",
		"release --schema s.json --data t.csv --target paid --epsilon 1 --out x":                "discover",
		"release --schema new.json --data t.csv --separator ; --adjacency add-remove --model categorical --target product " +
			"--epsilon 1 --out x": "replace-one",
		"intervals c.json":           "categories",
		"export c.json --to csv":     "categories",
		"prove c.json --out x":       "categories",
		"entry c.json":               "show and verify",
		"show c.json --figure x.svg": "--figure",
		"show c.json --item a":       "--item",
	} {
		code, _, errs := call(strings.Fields(line)...)
		if code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a file of what was refused")
	}
	// What was paid for is kept, and the error says so.
	must.Do(t, os.WriteFile("few.csv", []byte("paid;product\nyes;apple\n"), 0o600))
	few := "discover " + asked + " --data few.csv --separator ; --out none.json --into n.json"
	code, _, errs := call(strings.Fields(few)...)
	if code != exitInput || !strings.Contains(errs, "none.json keeps") || !strings.Contains(errs, "none that is listed") {
		t.Error(code, errs)
	}
	mustCall(t, "verify", "none.json")
}
