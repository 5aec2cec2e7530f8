package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Draws on the command line are those of the library: as CSV, with chain and draw in front, and as JSON.
func TestDrawsOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "cps1988", "--formula", "wage ~ education + region", "--epsilon", "1", "--delta",
		"1e-6", "--seed", "3", "--out", "r.json")
	r := must.Get(release.Load(t.Context(), "r.json"))(t)
	want := must.Get(r.PosteriorDraws())(t)
	rows := must.Get(csv.NewReader(strings.NewReader(mustCall(t, "draws", "r.json"))).ReadAll())(t)
	if got := strings.Join(rows[0], ","); got != "chain,draw,"+strings.Join(want.Names, ",") || len(rows) != 1001 {
		t.Fatal(got, len(rows))
	}
	for k, row := range rows[1:] {
		if row[0] != strconv.Itoa(k/250) || row[1] != strconv.Itoa(k%250) {
			t.Fatal(k, row)
		}
		for j, x := range want.Values[k] {
			if v, err := strconv.ParseFloat(row[j+2], 64); err != nil || v != x {
				t.Fatal(row, want.Values[k])
			}
		}
	}
	mustCall(t, strings.Fields("draws r.json --out d.csv")...)
	again := must.Get(csv.NewReader(strings.NewReader(string(must.Get(os.ReadFile("d.csv"))(t)))).ReadAll())(t)
	if len(again) != len(rows) || again[7][3] != rows[7][3] {
		t.Error(again[7])
	}
	var j struct {
		Release, Kind string
		Names         []string
		Values        [][]float64
		Chains        int
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "draws", "r.json", "--json")), &j))
	if j.Release != r.ID() || j.Kind != "posterior" || j.Chains != 4 || len(j.Values) != 1000 ||
		j.Values[9][1] != want.Values[9][1] {
		t.Errorf("%q %q %d", j.Release, j.Kind, j.Chains)
	}
	mustCall(t, strings.Fields("release --data votes --target Class --epsilon 1 --seed 3 --out votes.json")...)
	for line, say := range map[string]string{
		"draws votes.json":              "want a linear regression",
		"draws r.json --out d.csv":      "files are never overwritten",
		"draws r.json --json --out e":   "want one of them",
		"draws":                         "a release file",
		"draws r.json --format parquet": "want csv or arrow",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == 0 || !strings.Contains(errs, say) {
			t.Errorf("%s: %d, %s", line, code, errs)
		}
	}
}
