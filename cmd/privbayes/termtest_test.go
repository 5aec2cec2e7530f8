package main

import (
	"encoding/json"
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
