package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// What is not verified reads so in the first line and in the last, and is exit code 4: an edited file, a plan that does
// not have its guarantee, a work limit that leaves checks out, and a record of another release.
func TestVerdictsOfTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V3", "--epsilon", "1", "--out", "r.json")
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V3", "--epsilon", "1", "--out", "o.json")
	mustCall(t, "entry", "r.json", "--out", "r.yaml")
	good, err := os.ReadFile("r.json")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(file, from, to string) string {
		text := strings.Replace(string(good), from, to, 1)
		if text == string(good) {
			t.Fatalf("no %q in the file", from)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, c := range map[string]struct {
		args        []string
		code        int
		first, last string
	}{
		"good":            {[]string{"r.json"}, exitDone, "VERIFIED: ", "VERIFIED: "},
		"with its record": {[]string{"r.json", "--entry", "r.yaml"}, exitDone, "VERIFIED: ", "VERIFIED: "},
		"another record": {[]string{"o.json", "--entry", "r.yaml"}, exitUnverified, "NOT VERIFIED: the record",
			"NOT VERIFIED: the record"},
		"an edited value": {[]string{edit("a.json", `"value": 2`, `"value": 1`)}, exitUnverified, "NOT VERIFIED: 1 of ",
			"NOT VERIFIED: 1 of "},
		"an edited guarantee": {[]string{edit("b.json", `"epsilon": 1`, `"epsilon": 0.1`)}, exitUnverified,
			"NOT VERIFIED: 1 of 4 checks fails: the stated guarantee is 0.1-DP", "NOT VERIFIED: 1 of "},
		"less noise": {[]string{edit("c.json", `"den": 2`, `"den": 1`)}, exitUnverified, "privbayes: NOT VERIFIED: ",
			"privbayes: NOT VERIFIED: "},
		"no release": {[]string{edit("d.json", `"mechanism": "geometric"`, `"mechanism": "geometry"`)}, exitInput,
			"privbayes: NOT VERIFIED: release d.json", "privbayes: NOT VERIFIED: release d.json"},
		"no record": {[]string{"r.json", "--entry", "r.json"}, exitInput, "privbayes: NOT VERIFIED: ", "privbayes: NOT " +
			"VERIFIED: "},
		"a small limit": {[]string{"r.json", "--work", "10"}, exitUnverified, "VERIFIED IN PART: 1 of 3",
			"VERIFIED IN PART: 1 of 3"},
	} {
		code, out, errs := call(append([]string{"verify"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(out+errs), "\n")
		if code != c.code || !strings.HasPrefix(lines[0], c.first) || !strings.HasPrefix(lines[len(lines)-1], c.last) ||
			strings.Contains(out+errs, "NaN") {
			t.Errorf("%s: %d\n%s%s", name, code, out, errs)
		}
		if code != exitDone && strings.Contains(out, "Verification shows") && !strings.Contains(c.first, "IN PART") &&
			!strings.Contains(c.first, "record") {
			t.Errorf("%s: says what it does not show\n%s", name, out)
		}
		_, asJSON, _ := call(append([]string{"verify", "--json"}, c.args...)...)
		var j verifyJSON
		if err := json.Unmarshal([]byte(asJSON), &j); asJSON != "" && err != nil || j.OK != (c.code == exitDone) ||
			strings.Contains(asJSON, "NaN") {
			t.Errorf("%s: %s", name, asJSON)
		}
	}
}
