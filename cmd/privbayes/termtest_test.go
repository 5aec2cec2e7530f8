package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// A test on the command line is that of the library, as a table and as JSON; other terms, other releases and flags that
// say nothing of tests are refused.
func TestTermsOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "cps1988", "--formula", "wage ~ education + region", "--epsilon", "1", "--delta",
		"1e-6", "--seed", "3", "--out", "r.json")
	want := must.Get(must.Get(release.Load(t.Context(), "r.json"))(t).Test("region"))(t)
	var got struct{ Tests []release.TermTest }
	out := mustCall(t, "intervals", "r.json", "--test", "region", "--test", "education", "--json")
	must.Do(t, json.Unmarshal([]byte(out), &got))
	if len(got.Tests) != 2 || got.Tests[0].P != want.P || got.Tests[0].K != 3 || got.Tests[1].K != 1 {
		t.Errorf("%+v, want %+v", got, want)
	}
	out = mustCall(t, "intervals", "r.json", "--test", "region")
	if !strings.Contains(out, "chosen by this same release") {
		t.Error(out)
	}
	mustCall(t, strings.Fields("release --data votes --target Class --epsilon 1 --seed 3 --out votes.json")...)
	for line, say := range map[string]string{
		"intervals r.json --test wage":                 `no term "wage"`,
		"intervals r.json --test log(education)":       "character 1",
		"intervals votes.json --test Class":            "want a linear regression",
		"intervals r.json --test region --level .9":    "want one of them",
		"intervals r.json --test region --posterior":   "want one of them",
		"intervals r.json --test region --ask P(wage)": "want one of them",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == 0 || !strings.Contains(errs, say) {
			t.Errorf("%s: %d, %s", line, code, errs)
		}
	}
}

// Of a learned structure --test tests pairs of columns, by the test that is named or by χ², and refuses what it cannot
// answer by name.
func TestPairsOnTheCommandLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	mustCall(t, "learn", "--data", "votes", "--features", "V3,V4,V5", "--target", "Class", "--star",
		"Class", "--epsilon", "8", "--seed", "1", "--out", path)
	out := mustCall(t, "intervals", path, "--test", "V4,Class", "--test", "median:Class,V5", "--json")
	var list struct{ Tests []release.PairTest }
	must.Do(t, json.Unmarshal([]byte(out), &list))
	if len(list.Tests) != 2 || list.Tests[0].Test != release.ChiSquare || list.Tests[1].Test != release.MedianTest ||
		list.Tests[0].P > 1e-6 || list.Tests[0].Chosen {
		t.Error(out)
	}
	asked := mustCall(t, "intervals", path, "--ask", "P(V4=y, Class=democrat)", "--ask", "P(V4=y)")
	if !strings.Contains(asked, "from one noisy table that holds it") || strings.Count(asked, "rows") < 2 {
		t.Error(asked)
	}
	for text, says := range map[string]string{"V4": "want two columns", "anova:Class,V4": `"anova:Class"`,
		"V3,V4": "want a pair that was measured", "t:Class,V4": "which is no number", "Class,V99": `"V99"`} {
		code, out, errs := call("intervals", path, "--test", text)
		if code == exitDone || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %s %s", text, code, out, errs)
		}
	}
}
