package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// specified is a plan as JSON with the spec that gives it again.
type specified struct {
	Plan json.RawMessage
	Spec json.RawMessage
}

func planned(t *testing.T, line ...string) specified {
	t.Helper()
	var p specified
	must.Do(t, json.Unmarshal([]byte(mustCall(t, append(line, "--json")...)), &p))
	return p
}

// Every model has a mechanism where none is asked for, which is named; the spec that plan prints gives the same plan,
// as text and as a file.
func TestUsualMechanismAndSpec(t *testing.T) {
	t.Chdir(t.TempDir())
	design := filepath.Join(t.TempDir(), "design.json")
	must.Do(t, os.WriteFile(design, []byte(strings.ReplaceAll(surveyText, "WHO", "design")), 0o600))
	const wage = "--data cps1988 --target wage "
	cases := []struct{ model, flags, want string }{
		{"categorical", "--levels 3 --n 100", "geometric"},
		{"binary", "--data votes --target Class", "geometric"},
		{"naive-bayes", "--data votes --target Class --features V3,V4", "geometric"},
		{"table", "--data votes --target Class --features V3", "geometric"},
		{"histogram", wage, "geometric"},
		{"cdf", wage + "--alpha 2", "geometric"},
		{"mean", wage + "--resolution 100", "noisy-sums"},
		{"means", wage + "--features education", "noisy-sums"},
		{"mean-sd", wage, "noisy-sums"},
		{"latent-normal", wage, "noisy-sums"},
		{"group-means", wage + "--features region", "noisy-sums"},
		{"quantiles", wage + "--at .1,.5,.9", "histogram-quantiles"},
		{"poisson", "--data cps1988 --target education --range 1,20", "noisy-sums"},
		{"exponential", wage + "--range 0.01,10", "noisy-sums"},
		{"laplace-scale", wage + "--range 0.01,10 --location 3", "noisy-sums"},
		{"normal-precision", wage + "--range 0.01,10", "noisy-sums"},
		{"linear-regression", wage + "--features education", "linear-sampler"},
		{"logistic-regression", "--data breast_cancer --target benign --features mean_radius", "moments"},
		{"linear", "--data cps1988 --delta 1e-6 --formula wage~education*region", "moments"},
		{"logistic", "--data cps1988 --delta 1e-6 --formula parttime~education*smsa", "fisher-scoring"},
		{"poisson-regression", "--data cps1988 --delta 1e-6 --formula education~experience+smsa", "fisher-scoring"},
		{"total", "--schema " + design + " --n 100 --target income", "tokens"},
	}
	for i, kind := range modelKinds() {
		if i >= len(cases) || cases[i].model != kind {
			t.Fatalf("no case of %s", kind)
		}
	}
	for _, c := range cases {
		line := strings.Fields("plan --epsilon 1 --model " + c.model + " " + c.flags)
		if out := mustCall(t, line...); !strings.Contains(out, "\nMechanism: "+c.want+", the default for this model") {
			t.Errorf("%s: the mechanism is not named:\n%s", c.model, out)
		}
		first := planned(t, line...)
		rest := []string{"plan"} // what a spec does not say: the public facts of the table
		words := strings.Fields(c.flags)
		for i := 0; i < len(words); i += 2 {
			if words[i] == "--data" || words[i] == "--schema" || words[i] == "--levels" || words[i] == "--n" {
				rest = append(rest, words[i], words[i+1])
			}
		}
		must.Do(t, os.WriteFile("spec", first.Spec, 0o600))
		for _, from := range []string{string(first.Spec), "spec"} {
			if again := planned(t, append(rest, "--spec", from)...); string(again.Plan) != string(first.Plan) {
				t.Errorf("%s: the spec gives another plan:\n%s\n%s", c.model, again.Plan, first.Plan)
			}
		}
	}
}

// --table is the model of kind table with these columns, for plans and releases; its release is shown with its layout,
// and answers questions. With --model or columns it is refused, and so are columns that are not there.
func TestTableFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	const long, short = "plan --data votes --epsilon 1 --model table --target Class --features V1",
		"--data votes --table Class,V1 --epsilon 1"
	if a, b := planned(t, strings.Fields(long)...), planned(t, strings.Fields("plan "+short)...); string(a.Plan) !=
		string(b.Plan) || string(a.Spec) != string(b.Spec) {
		t.Errorf("--table plans\n%s\nwant\n%s", b.Plan, a.Plan)
	}
	mustCall(t, strings.Fields("release "+short+" --split 0.7,1 --out r.json")...)
	if out := mustCall(t, "show", "r.json"); !strings.Contains(out, "\nShares of Class × V1\n") ||
		!strings.Contains(out, "V1 = y") {
		t.Errorf("no layout, or no margins:\n%s", out)
	}
	if out := mustCall(t, "intervals", "r.json"); !strings.Contains(out, "Class × V1  democrat, y ") {
		t.Errorf("no interval of a cell:\n%s", out)
	}
	const question = "P(V1=y | Class=democrat)"
	if out := mustCall(t, "intervals", "r.json", "--ask", question); !strings.Contains(out, "population") {
		t.Errorf("no answer:\n%s", out)
	}
	mustCall(t, strings.Fields("report r.json --data votes --out r.html")...)
	for flags, want := range map[string]string{"--table Class,V1 --model binary": "want one of them",
		"--table Class,V1 --features V2": "want one of them", "--table Class,v1": "V1",
		"--table Class,Class":      "each column once",
		"--table Class, --alpha 2": "no column"} {
		code, _, errs := call(strings.Fields("plan --data votes --epsilon 1 " + flags)...)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s; want %q", flags, code, errs, want)
		}
	}
}

// A release without --mechanism is of the usual one. Asked for again, with its name or without, it is loaded.
func TestUsualMechanismIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	line := strings.Fields("release --data cps1988 --target wage --model mean --epsilon 1 --out mean.json --json")
	for i, more := range [][]string{nil, nil, {"--mechanism", "noisy-sums"}} {
		var j releaseJSON
		if err := json.Unmarshal([]byte(mustCall(t, append(line, more...)...)), &j); err != nil ||
			j.Mechanism != "noisy-sums" || j.Loaded != (i > 0) {
			t.Errorf("%v: %v %+v", more, err, j)
		}
	}
}

// --intervals is an option of two mechanisms, as a flag and in a spec, and its release prints what it drew.
func TestIntervalsOfQuantilesAreAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"quantile-em", "joint-quantiles"} {
		line := strings.Fields("--data cps1988 --target wage --model quantiles --at .5 --resolution 100 --epsilon 1 " +
			"--mechanism " + name + " --intervals")
		first := planned(t, append([]string{"plan"}, line...)...)
		if again := planned(t, "plan", "--data", "cps1988", "--spec", string(first.Spec)); string(again.Plan) !=
			string(first.Plan) {
			t.Errorf("the spec gives another plan:\n%s\n%s", again.Plan, first.Plan)
		}
		release := append([]string{"release", "--out", name + ".json"}, line...)
		for range 2 { // drawn, and loaded
			if out := mustCall(t, release...); !strings.Contains(out, "population: 95 %") {
				t.Errorf("%s prints no interval:\n%s", name, out)
			}
		}
		mustCall(t, "verify", name+".json")
		without := append([]string{"release", "--out", name + "2.json"}, line[:len(line)-1]...)
		if out := mustCall(t, without...); !strings.Contains(out, "--intervals draws its ends") {
			t.Errorf("%s does not say how to get intervals:\n%s", name, out)
		}
	}
	if code, _, errs := call(strings.Fields("plan --data cps1988 --target wage --model quantiles --epsilon 1 " +
		"--intervals --mechanism histogram-quantiles")...); code != 2 || !strings.Contains(errs, "without it") {
		t.Errorf("%d: %s", code, errs)
	}
}

// Flags stand in the place of what a spec says.
func TestFlagsOverrideASpec(t *testing.T) {
	t.Chdir(t.TempDir())
	const table = "plan --data votes "
	base := `{"model":{"kind":"naive-bayes","target":"Class","features":["V1"]},` +
		`"mechanism":{"name":"laplace","post":"clamp"},` +
		`"level":{"notion":"approximate","epsilon":1,"delta":1e-6},"adjacency":"replace-value"}`
	for flags, same := range map[string]string{
		"": "--target Class --features V1 --mechanism laplace --post-process clamp --epsilon 1 --delta 1e-6 --adjacency " +
			"replace-value",
		"--features V2,V3 --epsilon 2": "--target Class --features V2,V3 --mechanism laplace --post-process clamp " +
			"--epsilon 2 --adjacency replace-value",
		"--mechanism k-norm --adjacency replace-one --rho .1": "--target Class --features V1 --mechanism k-norm --rho .1",
		"--post-process posterior-mean": "--target Class --features V1 --mechanism laplace " +
			"--post-process posterior-mean --epsilon 1 --delta 1e-6 " +
			"--adjacency replace-value",
	} {
		got := planned(t, append(strings.Fields(table+flags), "--spec", base)...)
		if want := planned(t, strings.Fields(table+same)...); string(got.Plan) != string(want.Plan) {
			t.Errorf("%q gives\n%s\nwant\n%s", flags, got.Plan, want.Plan)
		}
	}
	files := map[string]string{
		"twice.json":   `{"level":{"notion":"pure","epsilon":1,"epsilon":2}}`,
		"unknown.json": `{"modell":{}}`,
		"kind.json":    `{"model":{"kind":"mode","target":"Class"}}`,
		"other.json":   `{"level":{"notion":"pure","epsilon":1,"rho":2}}`,
		"none.json":    `{"level":{"notion":"none","reason":"why"}}`,
		"field.json":   `{"model":{"kind":"binary","target":"Class","radius":2}}`,
		"more.json":    `{} {}`,
		"post.json":    `{"mechanism":{"name":"geometric","post":"project it"}}`,
		"whole.json":   base,
		"draws.json":   `{"mechanism":{"name":"geometric","draws":3}}`,
	}
	for name, text := range files {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	answers(t, "spec")
}

// A learned structure has no name among the models of plan, and is planned from a spec; so is a network with its
// parents.
func TestSpecOfModelsWithoutAName(t *testing.T) {
	learned := planned(t, strings.Fields("learn --plan --data votes --epsilon 3 --algorithm tree --always")...)
	again := planned(t, "plan", "--data", "votes", "--spec", string(learned.Spec))
	if string(again.Plan) != string(learned.Plan) {
		t.Errorf("%s\n%s", again.Plan, learned.Plan)
	}
	pairs := planned(t, "plan", "--data", "votes", "--spec", `{"model":{"kind":"learned","target":"","learned":`+
		`{"algorithm":"pairs","always":true}},"level":{"notion":"pure","epsilon":3}}`)
	if usual := planned(t, strings.Fields("learn --plan --data votes --epsilon 3 --always")...); string(usual.Plan) !=
		string(pairs.Plan) {
		t.Errorf("%s\n%s", pairs.Plan, usual.Plan)
	}
	if p := planned(t, "plan", "--data", "votes", "--epsilon", "3", "--spec", `{"model":{"kind":"learned","target":"",`+
		`"learned":{"algorithm":"pairs","always":true,"max_work":2097152}}}`); !strings.Contains(string(p.Plan),
		`"max_work": 2097152`) || !strings.Contains(string(p.Plan), `"max_cells": 65536`) {
		t.Errorf("%s", p.Plan)
	}
	network := `{"model":{"kind":"network","target":"Class","families":[{"node":"Class"},` +
		`{"node":"V1","parents":["Class"]}]}}`
	if out := mustCall(t, "plan", "--data", "votes", "--epsilon", "1", "--spec", network); !strings.Contains(out,
		"network of 2 nodes") {
		t.Error(out)
	}
}

// A zero that is no legal value is refused in a spec and as a flag: without it the usual value holds.
func TestSpecWithExplicitZero(t *testing.T) {
	for field, text := range map[string]string{
		"model.resolution":               `{"model":{"kind":"mean","target":"wage","resolution":0}}`,
		"model.learned.max_cells":        `{"model":{"kind":"learned","learned":{"max_cells":0}}}`,
		"model.learned.max_work":         `{"model":{"kind":"learned","learned":{"max_work":0}}}`,
		"model.learned.size":             `{"model":{"kind":"learned","learned":{"size":0}}}`,
		"model.learned.privbayes.degree": `{"model":{"kind":"learned","learned":{"privbayes":{"degree":0}}}}`,
		"model.learned.privbayes.theta":  `{"model":{"kind":"learned","learned":{"privbayes":{"theta":-0.0e5}}}}`,
		"model.learned.privbayes.share":  `{"model":{"kind":"learned","Learned":{"privbayes":{"share":0.0}}}}`,
		"mechanism.draws":                `{"mechanism":{"name":"posterior-sample","draws":0}}`,
		"mechanism.records":              `{"mechanism":{"name":"records","records":0}}`,
	} {
		var wrong *dp.ParameterError
		if _, err := parseSpec([]byte(text)); !errors.As(err, &wrong) || wrong.Parameter != field {
			t.Errorf("%s: %v", text, err)
		}
	}
	for flag, args := range map[string]string{
		"--resolution": "plan --data cps1988 --model mean --target wage --epsilon 1 --resolution 0",
		"--max-cells":  "learn --plan --data votes --epsilon 3 --max-cells 0",
		"--size":       "learn --plan --data votes --epsilon 3 --adjacency add-remove --size 0",
		"--degree":     "learn --plan --data votes --epsilon 3 --algorithm privbayes --mechanism laplace --degree 0",
	} {
		if code, _, errs := call(strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, flag+" 0; want 1 or more") {
			t.Errorf("%s: %d %s", args, code, errs)
		}
	}
	if _, err := parseSpec([]byte(`{"model":{"kind":"laplace-scale","target":"wage","center":0}}`)); err != nil {
		t.Error(err) // a location may be 0
	}
}

// FuzzSpec reads specs: what is one is written, and read again as the same.
func FuzzSpec(f *testing.F) {
	f.Add(`{"model":{"kind":"quantiles","target":"x","quantiles":[0.1,0.5]},"level":{"notion":"pure","epsilon":1}}`)
	f.Add(`{"mechanism":{"name":"k-norm","post":"project"},"adjacency":"replace-value"}`)
	f.Add(`{"model":{"kind":"learned","target":"","learned":{"algorithm":"pairs"}},"level":{"notion":"renyi","order":2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSpec([]byte(text))
		if err != nil {
			return
		}
		if s.described != nil {
			if _, err := s.described.Model(); err != nil && strings.TrimSpace(err.Error()) == "" {
				t.Fatal("a model that is refused without a word")
			}
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%q is not written: %v", text, err)
		}
		again, err := parseSpec(written)
		if err != nil {
			t.Fatalf("%s is not read again: %v", written, err)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
			t.Fatalf("%s\n%s %v", written, twice, err)
		}
	})
}

// A network has the prior of networks, in which nodes of many parent rows share a centre, unless --alpha asks for
// independent rows.
func TestPriorOfNetworks(t *testing.T) {
	for more, independent := range map[string]bool{"": false, " --alpha 1": true} {
		first := planned(t, strings.Fields("plan --network asia --n 50 --epsilon 1"+more)...)
		if strings.Contains(string(first.Spec), "independent_rows") != independent {
			t.Errorf("%q: %s", more, first.Spec)
		}
	}
}

// --anyway plans Fisher scoring for few rows, as a flag and in a spec; without it that is refused and names it.
func TestFewRowsAnyway(t *testing.T) {
	line := strings.Fields("plan --data breast_cancer --model logistic-regression --target benign --features " +
		"mean_radius " +
		"--epsilon 1 --delta 1e-6 --mechanism fisher-scoring")
	if code, _, errs := call(line...); code == exitDone || !strings.Contains(errs, "--anyway goes on") {
		t.Error(code, errs)
	}
	var j struct {
		Spec json.RawMessage `json:"spec"`
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, append(line, "--anyway", "--json")...)), &j))
	if !strings.Contains(string(j.Spec), `"anyway":true`) && !strings.Contains(string(j.Spec), `"anyway": true`) {
		t.Errorf("%s", j.Spec)
	}
	mustCall(t, "plan", "--data", "breast_cancer", "--spec", string(j.Spec))
	usual := strings.Fields("plan --data breast_cancer --model logistic --epsilon 1 --delta 1e-6 --formula")
	mustCall(t, append(usual, "benign ~ mean_radius", "--anyway")...)
	if code, _, errs := call(strings.Fields("plan --data votes --target Class --epsilon 1 " +
		"--anyway")...); code != exitUsage ||
		!strings.Contains(errs, "fisher-scoring") {
		t.Error(code, errs)
	}
}

// A logistic regression on factors is released as a table of counts under pure ε-DP, and its file has intervals. Few
// rows are refused with the flag that goes on, and numbers by their column.
func TestATableIsReleased(t *testing.T) {
	t.Chdir(t.TempDir())
	line := "--data cps1988 --model logistic-regression --target parttime --features smsa,ethnicity --mechanism " +
		"contingency-table --epsilon "
	mustCall(t, append(strings.Fields("release --seed 1 --out r.json "+line), "1")...)
	out := mustCall(t, "intervals", "r.json", "--test", "smsa")
	if !strings.Contains(mustCall(t, "intervals", "r.json"), "noisy counts") || !strings.Contains(out, "smsa=yes") {
		t.Error(out)
	}
	mustCall(t, "verify", "r.json")
	if draws := mustCall(t, "draws", "r.json"); !strings.Contains(draws, "\n3,249,") {
		t.Error("the draws of a table are not of four chains")
	}
	if code, _, errs := call("intervals", "r.json", "--check"); code == exitDone || code == exitInternal ||
		!strings.Contains(errs, "predictive check") || !strings.Contains(errs, "fisher-scoring") {
		t.Error(code, errs)
	}
	if code, _, errs := call(append(strings.Fields("plan "+line), "1e-3")...); code == exitDone ||
		!strings.Contains(errs, "4 cells") || !strings.Contains(errs, "--anyway goes on") {
		t.Error(code, errs)
	}
	mustCall(t, append(strings.Fields("plan --anyway "+line), "1e-3")...)
	if code, _, errs := call(strings.Fields("plan --data cps1988 --model logistic-regression --target parttime " +
		"--features smsa,education --mechanism contingency-table --epsilon 1")...); code == exitDone ||
		!strings.Contains(errs, `"education"`) {
		t.Error(code, errs)
	}
}

// --by-unit is an option of noisy sums, as a flag and in a spec, and of geometric noise on one table.
func TestByUnitIsAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := `{"dataset": "visits", "unit": "patient", "unit_key": "id", "rows_per_unit": 3,
		"columns": [{"name": "a", "kind": "integer", "min": 0, "max": 10, "edges": [0, 3, 11]}]}`
	for name, text := range map[string]string{"s.json": schema, "d.csv": "id,a\n1,4\n1,5\n2,7\n3,0\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	line := strings.Fields("--schema s.json --model mean --target a --epsilon 1 --adjacency add-remove --by-unit")
	first := planned(t, append([]string{"plan"}, line...)...)
	if again := planned(t, "plan", "--schema", "s.json", "--spec", string(first.Spec)); string(again.Plan) !=
		string(first.Plan) {
		t.Errorf("the spec gives another plan:\n%s\n%s", again.Plan, first.Plan)
	}
	release := append([]string{"release", "--data", "d.csv", "--out", "r.json"}, line...)
	if out := mustCall(t, release...); !strings.Contains(out, "units as the sample") {
		t.Error(out)
	}
	mustCall(t, "verify", "r.json")
	table := strings.Fields("release --out t.json --schema s.json --data d.csv --model histogram --target a --epsilon 1 " +
		"--adjacency add-remove --by-unit")
	if out := mustCall(t, table...); !strings.Contains(out, "design effect") {
		t.Error(out)
	}
	mustCall(t, "verify", "t.json")
	if code, _, errs := call(strings.Fields("plan --data votes --target Class --epsilon 1 --mechanism k-norm " +
		"--by-unit")...); code != 2 || !strings.Contains(errs, "noisy-sums") {
		t.Errorf("%d: %s", code, errs)
	}
}

// A list of columns is a line of CSV: a name with a comma stands in double quotes.
func TestColumnsWithCommas(t *testing.T) {
	const schema = `{"dataset":"d","unit":"u","columns":[` +
		`{"name":"a,b","kind":"categorical","categories":["x","y"]},` +
		`{"name":"5\" nails","kind":"categorical","categories":["x","y"]},` +
		`{"name":"d","kind":"categorical","categories":["x","y"]}]}`
	type of struct {
		Target   string
		Features []string
	}
	for _, c := range []struct {
		flags []string
		want  of
	}{
		{[]string{"plan", "--table", `"a,b",d`}, of{"a,b", []string{"d"}}},
		{[]string{"plan", "--table", `d,5" nails`}, of{"d", []string{`5" nails`}}},
		{[]string{"plan", "--table", `"5"" nails","a,b"`}, of{`5" nails`, []string{"a,b"}}},
		{[]string{"plan", "--table", `5" nails,"a,b"`}, of{`5" nails`, []string{"a,b"}}},
		{[]string{"plan", "--target", "d", "--features", `"a,b"`}, of{"d", []string{"a,b"}}},
		{[]string{"plan", "--target", "a,b", "--features", "d"}, of{"a,b", []string{"d"}}},
	} {
		var got struct{ Model of }
		made := planned(t, append(c.flags, "--schema", schema, "--n", "50", "--epsilon", "1")...)
		must.Do(t, json.Unmarshal(made.Spec, &got))
		if got.Model.Target != c.want.Target || !slices.Equal(got.Model.Features, c.want.Features) {
			t.Errorf("%q: %+v", c.flags, got.Model)
		}
	}
	spec := string(planned(t, "learn", "--plan", "--schema", schema, "--n", "50", "--epsilon", "1", "--target", "d",
		"--features", `"a,b"`, "--workload", `2:"a,b",d`).Spec)
	if !strings.Contains(spec, `"a,b"`) || strings.Contains(spec, "nails") {
		t.Error(spec)
	}
	for _, flags := range [][]string{{"--table", "a,b"}, {"--table", ""}, {"--table", `"a,b`},
		{"--table", `d,"a,b`}, {"--table", `5" nails,"a,b`}, {"--table", `"a,b"s,d`}, {"--table", "d\na"},
		{"--target", "d", "--features", "d\na"}} {
		line := append([]string{"plan", "--schema", schema, "--n", "50", "--epsilon", "1"}, flags...)
		if code, _, errs := call(line...); code != exitUsage || !strings.Contains(errs, "olumn") {
			t.Errorf("%q: %d %s", flags, code, errs)
		}
	}
}
