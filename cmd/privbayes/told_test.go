package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// A schema that caps the rows of a unit has releases under add-remove alone. So a list that is meant for its releases
// is not found under replace-one, where it would be paid for and of no use, and a budget says so.
func TestDiscoverUnderACap(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "sales", "unit": "customer", "unit_key": "id",
		"rows_per_unit": 2, "columns": [{"name": "product", "kind": "open", "within": {"codes": ["a", "b", "c"]}},
		{"name": "wage", "kind": "real", "bounds": "unknown"}]}`), 0o600))
	must.Do(t, os.WriteFile("t.csv", []byte("id,product,wage\n"+strings.Repeat("1,a,2\n2,a,3\n", 1)), 0o600))
	if text := mustCall(t, "budget", "b", "--schema", "s.json", "--epsilon", "2"); !strings.Contains(text,
		"need a budget under --adjacency add-remove") {
		t.Error(text)
	}
	mustCall(t, "budget", "added", "--schema", "s.json", "--epsilon", "2", "--adjacency", "add-remove")
	for _, column := range []string{"product", "wage"} {
		plan := "discover --column " + column + " --epsilon 1 --schema s.json"
		text := mustCall(t, strings.Fields(plan+" --plan")...)
		if !strings.Contains(text, "Plan this one under add-remove") {
			t.Error(text)
		}
		made := plan + " --data t.csv --out c.json --into new.json"
		code, _, errs := call(strings.Fields(made + " --budget b")...)
		if code != exitUsage || !strings.Contains(errs, "--adjacency replace-one; want add-remove") || exists("c.json") {
			t.Error(code, errs)
		}
	}
	if text := mustCall(t, "budget", "b"); !strings.Contains(text, "No release yet") {
		t.Error(text)
	}
	made := "discover --column product --epsilon 1 --schema s.json --data t.csv --adjacency add-remove --budget added " +
		"--seed 1 --out c.json"
	mustCall(t, strings.Fields(made)...) // without a schema, of which nothing is asked
}

// A command that runs again finds the schema that it saved, and does not replace another.
func TestDiscoverIntoAgain(t *testing.T) {
	salesFiles(t)
	made := "discover " + asked + " --data t.csv --separator ; --out c.json --into "
	first := mustCall(t, strings.Fields(made+"new.json")...)
	if again := mustCall(t, strings.Fields(made+"new.json")...); !strings.Contains(first, "Saved now") ||
		!strings.Contains(again, "no new noise") {
		t.Error(first, again)
	}
	before := must.Get(os.ReadFile("s.json"))(t)
	code, _, errs := call(strings.Fields(made + "s.json")...)
	if code != exitUsage || !strings.Contains(errs, "another schema") {
		t.Error(code, errs)
	}
	if after := must.Get(os.ReadFile("s.json"))(t); string(after) != string(before) {
		t.Error("a file was replaced")
	}
}

// A file that states a guarantee which does not follow is not verified, whatever was released: exit code 4.
func TestEveryFalseGuaranteeIsUnverified(t *testing.T) {
	salesFiles(t)
	mustCall(t, strings.Fields("discover "+asked+" --data t.csv --separator ; --out c.json --into new.json")...)
	must.Do(t, os.WriteFile("wishes.json", []byte(`{"publication": "p", "level": {"epsilon": 1}, "items": [
		{"model": {"kind": "categorical", "target": "Class"}, "within": "5pp"}]}`), 0o600))
	mustCall(t, "publish", "wishes.json", "--data", "votes", "--out", "p.json")
	mustCall(t, strings.Fields("release --data votes --target V3 --model categorical --epsilon 1 --out r.json")...)
	for _, file := range []string{"c.json", "p.json", "r.json"} {
		mustCall(t, "verify", file)
		text := string(must.Get(os.ReadFile(file))(t))
		at := strings.Index(text, `"epsilon"`)
		end := at + strings.IndexAny(text[at:], ",\n}")
		must.Do(t, os.WriteFile("x.json", []byte(text[:at]+`"epsilon": 0.01`+text[end:]), 0o600))
		if code, out, errs := call("verify", "x.json"); code != exitUnverified ||
			!strings.Contains(out+errs, "NOT VERIFIED") {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
	}
}

// What is refused is said in the words of the command line, with what to do.
func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "d", "columns": [
		{"name": "sex", "kind": "categorical", "categories": ["f", "m"]},
		{"name": "one", "kind": "categorical", "categories": ["x"]}, {"name": "visits", "kind": "integer", "max": 20}]}`),
		0o600))
	must.Do(t, os.WriteFile("semi.csv", []byte("name;\"wage; gross\"\nx;1\n"), 0o600))
	must.Do(t, os.WriteFile("semis.csv", []byte("name;wage\nx;1\n"), 0o600))
	must.Do(t, os.WriteFile("tab.csv", []byte("name\twage\nx\t1\n"), 0o600))
	const plan = "plan --schema s.json --n 600 --epsilon 1 "
	for line, want := range map[string]string{
		plan + "--model group-means --target visits --features sex,one": "--features sex,one; want one column of groups",
		plan + "--model group-means --target visits":                    "--features: want the column of the groups",
		plan + "--model categorical --target one":                       "one category; want at least two categories",
		plan + "--target sex --features visits":                         "one bin; want at least two bins",
		plan + "--model linear --formula visits~sex":                    "--delta, such as 1e-6, or --rho",
		"learn --plan --schema s.json --n 600 --epsilon 1":              "leave a constant column out by --features",
		"schema semi.csv":               `semi.csv: it is text whose header is broken; want quotes`,
		"schema semi.csv --separator ,": `(--separator ";")`,
		"schema semis.csv":              `semis.csv: it is text whose header has one field`,
		"schema tab.csv":                `(--separator tab)`,
	} {
		if code, _, errs := call(strings.Fields(line)...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
}

// Means and quantiles of a column of dates are dates, and files that are written are named.
func TestDatesAreShown(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "d", "columns": [{"name": "day", "kind": "integer",
		"date": "02.01.2006", "date_edges": ["01.01.2024", "01.07.2024", "31.12.2024"]},
		{"name": "sex", "kind": "categorical", "categories": ["f", "m"]}]}`), 0o600))
	must.Do(t, os.WriteFile("t.csv", []byte("day,sex\n"+strings.Repeat("15.06.2024,f\n17.06.2024,m\n", 500)), 0o600))
	for model, want := range map[string]string{"mean --target day": "16.06.2024",
		"quantiles --at .6 --target day": ".06.2024", "group-means --target day --features sex": ".06.2024"} {
		made := "release --schema s.json --data t.csv --epsilon 50 --seed 1 --model " + model + " --out r.json"
		text := mustCall(t, strings.Fields(made)...)
		if !strings.Contains(text, want) || strings.Contains(text, "1988.") || strings.Contains(text, "1989.") {
			t.Error(text)
		}
		if text := mustCall(t, "intervals", "r.json"); !strings.Contains(text, ".06.2024 – ") {
			t.Error(text)
		}
		if text := mustCall(t, "show", "r.json", "--figure", "r.svg"); !strings.HasSuffix(text, "Wrote r.svg.\n") {
			t.Error(text)
		}
		must.Do(t, os.Remove("r.json"))
		must.Do(t, os.Remove("r.svg"))
	}
}

// Direct and pooled means of areas are dates, too, and so are estimates without intervals.
func TestDatesOfAreas(t *testing.T) {
	t.Chdir(t.TempDir())
	var areas []string
	rows := &strings.Builder{}
	rows.WriteString("day,area\n")
	for k := range 24 {
		area := "a" + strconv.Itoa(k)
		areas = append(areas, strconv.Quote(area))
		rows.WriteString(strings.Repeat("15.06.2024,"+area+"\n17.06.2024,"+area+"\n", 40))
	}
	must.Do(t, os.WriteFile("s.json", []byte(`{"dataset": "d", "columns": [{"name": "day", "kind": "integer",
		"date": "02.01.2006", "date_edges": ["01.06.2024", "01.07.2024"]},
		{"name": "area", "kind": "categorical", "categories": [`+strings.Join(areas, ", ")+`]}]}`), 0o600))
	must.Do(t, os.WriteFile("t.csv", []byte(rows.String()), 0o600))
	made := "release --schema s.json --data t.csv --epsilon 50 --seed 1 --model group-means --target day --features area "
	for name, text := range map[string]string{"release": mustCall(t, strings.Fields(made+"--out r.json")...),
		"intervals": mustCall(t, "intervals", "r.json"), "areas": mustCall(t, "intervals", "r.json", "--areas", "day")} {
		if !strings.Contains(text, "16.06.2024") || strings.Contains(text, "1988") || strings.Contains(text, "1989") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
