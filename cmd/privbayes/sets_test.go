package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// Sets are those of the library, the same each time, and combine gives of their estimates what the library gives.
func TestSetsAndCombine(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V1,V3", "--epsilon", "1", "--seed", "1",
		"--out", "r.json")
	out := mustCall(t, "sets", "r.json", "--sets", "3", "--rows", "40", "--out", "sets")
	if !strings.Contains(out, "Wrote sets.") || strings.Contains(out, "may be published") { // the noise is fixed
		t.Error(out)
	}
	var j setsJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "sets", "r.json", "--sets", "3", "--rows", "40", "--out", "again",
		"--json")), &j))
	if j.Path != "again" || j.Rows != 40 || j.Records != 435 || j.Rule != synthetic.FullySynthetic || j.Sets() != 3 {
		t.Errorf("%+v", j)
	}
	for _, name := range j.Files {
		a, b := must.Get(os.ReadFile(filepath.Join("sets", name)))(t), must.Get(os.ReadFile(filepath.Join("again", name)))(t)
		if !bytes.Equal(a, b) {
			t.Errorf("%s is another file the second time", name)
		}
	}
	list := []synthetic.Estimate{{Value: .4, Variance: .002}, {Value: .7, Variance: .001}, {Value: .1, Variance: .003}}
	must.Do(t, os.WriteFile("e.json", must.Get(json.Marshal(list))(t), 0o600))
	want := must.Get(synthetic.Combine(synthetic.Design{Records: 435, Rows: 40}, list...))(t)
	lower, upper, err := want.Interval(.9)
	must.Do(t, err)
	var c combinedJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "combine", "sets", "--estimates", "e.json", "--level", ".9",
		"--json")), &c))
	if c.Value != want.Value || c.SE != want.SE() || float64(c.Lower) != lower || float64(c.Upper) != upper ||
		c.P != want.P(0) || math.Abs(float64(c.DF)-want.Freedom) > 0 || c.Fallback != want.Fallback {
		t.Errorf("%+v, want %+v", c, want)
	}
	out = mustCall(t, "combine", "sets", "--estimates", "e.json", "--rule", "T_m")
	if !strings.Contains(out, "by rule T_m") {
		t.Error(out)
	}
}

// Sets of a learned structure are those of the release, with what they can answer, and combine takes them.
func TestSetsOfALearnedStructure(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "learn", "--data", "votes", "--star", "Class", "--features", "Class,V3,V4", "--epsilon", "2",
		"--seed", "1", "--out", "r.json")
	var j setsJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "sets", "r.json", "--sets", "2", "--rows", "40", "--out", "sets",
		"--json")), &j))
	if len(j.Measured) != 2 || j.Measured[0] != [2]string{"Class", "V3"} || j.Sets() != 2 || j.Records != 435 {
		t.Errorf("%+v", j)
	}
	page := string(must.Get(os.ReadFile(filepath.Join("sets", "README.md")))(t))
	if !strings.Contains(page, "tell nothing") {
		t.Error(page)
	}
	must.Do(t, os.WriteFile("e.json", []byte(`[{"value": 1, "variance": 1}, {"value": 5, "variance": 1}]`), 0o600))
	if out := mustCall(t, "combine", "sets", "--estimates", "e.json"); !strings.Contains(out, "by rule T_f") {
		t.Error(out)
	}
}

// What sets and combine cannot do is refused in words, and no folder is left.
func TestSetsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V1", "--epsilon", "1", "--out", "r.json")
	mustCall(t, "release", "--data", "births2019", "--model", "mean", "--target", "birth_weight",
		"--epsilon", "1", "--seed", "1", "--out", "mean.json")
	mustCall(t, "sets", "r.json", "--sets", "2", "--rows", "9", "--out", "sets")
	for name, text := range map[string]string{"one.json": `[{"value": 1, "variance": 1}]`, "no.json": "{",
		"half.json": `[{"value": 1}, {"value": 1, "variance": 1}]`, "none.json": `[{"value": 1, "variance": 0},` +
			`{"value": 1, "variance": 0}]`} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for line, want := range map[string]string{
		"sets r.json":                                  "--out: want the folder",
		"sets r.json --out x --sets 0":                 "at least 1",
		"sets r.json --out x --sets 101":               "1 to 100",
		"sets r.json --out x --rows -1":                "at least 1",
		"sets mean.json --out x":                       "want",
		"sets r.json --out .":                          "folder",
		"combine":                                      "want a folder of synthetic sets",
		"combine sets":                                 "--estimates: want",
		"combine nowhere --estimates one.json":         "no sets.json",
		"combine sets --estimates one.json":            "want a list of 2",
		"combine sets --estimates no.json":             "want a list of 2",
		"combine sets --estimates half.json":           "want a list of 2",
		"combine sets --estimates none.json":           "above 0",
		"combine sets --estimates a.json":              "no such file",
		"combine sets --estimates none.json --rule x":  "one of T_f",
		"combine sets --estimates none.json --level 1": "want",
	} {
		code, out, errs := call(strings.Fields(line)...)
		if code == exitDone || code == exitInternal || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s%s", line, code, out, errs)
		}
	}
	if exists("x") {
		t.Error("a folder is left")
	}
}
