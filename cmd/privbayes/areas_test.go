package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// --areas shows, draws and writes what the library's Areas has, of means and of rates; what is no area is refused by
// the name of the flag, with what there is.
func TestAreasOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	var regions []string
	rows := "region,ill,wage\n"
	for r := range 24 {
		regions = append(regions, fmt.Sprintf("%q", fmt.Sprint("r", r)))
		rows += strings.Repeat(fmt.Sprintf("r%d,yes,%d\nr%d,no,50\nr%d,no,70\n", r, 20+r, r, r), 5)
	}
	schema := `{"dataset":"regions","columns":[{"name":"region","kind":"categorical","categories":[` +
		strings.Join(regions, ",") + `]},{"name":"ill","kind":"categorical","categories":["yes","no"]},` +
		`{"name":"wage","kind":"real","edges":[0,100]}]}`
	must.Do(t, os.WriteFile("s.json", []byte(schema), 0o600))
	must.Do(t, os.WriteFile("rows.csv", []byte(rows), 0o600))
	for name, flags := range map[string]string{"means.json": "--model group-means --target wage --features region",
		"rates.json": "--model naive-bayes --target region --features ill", "table.json": "--table region,ill",
		"one.json": "--model categorical --target ill"} {
		mustCall(t, append(strings.Fields("release --schema s.json --data rows.csv --epsilon 1 --seed 1 --out "+name),
			strings.Fields(flags)...)...)
	}
	for name, c := range map[string][3]string{"means.json": {"wage"}, "rates.json": {"ill=yes", "ill", "yes"},
		"table.json": {"ill=no", "ill", "no"}} {
		want := must.Get(must.Get(release.Load(t.Context(), name))(t).Areas(t.Context(), c[1], c[2]))(t)
		text := mustCall(t, "intervals", name, "--areas", c[0], "--figure", name+".svg")
		if !strings.HasPrefix(text, want.Table().Title+"\n") || len(must.Get(os.ReadFile(name+".svg"))(t)) == 0 {
			t.Errorf("%s: %s", name, text)
		}
		var got struct {
			Level float64
			Areas []release.Area
			Rows  []struct { // flat, as those of every list of intervals
				Of, About          string
				Mean, Lower, Upper float64
				DirectMean         float64  `json:"direct_mean"`
				DirectLower        *float64 `json:"direct_lower"`
			}
		}
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", name, "--areas", c[0], "--json")), &got))
		for i, w := range want.List() {
			if g := got.Areas[i]; g.Name != w.Name || g.Pooled.Mean != w.Pooled.Mean || g.Pooled.Range != w.Pooled.Range ||
				*g.Direct.Population != *w.Direct.Population {
				t.Errorf("%s: %+v, want %+v", name, g, w)
			}
			if g := got.Rows[i]; g.Of != w.Name || g.About != "population" || g.Mean != w.Pooled.Mean ||
				g.Lower != w.Pooled.Lower || g.Upper != w.Pooled.Upper || g.DirectMean != w.Direct.Estimate ||
				*g.DirectLower != w.Direct.Population.Lower {
				t.Errorf("%s: row %+v, want %+v", name, g, w)
			}
		}
		if len(got.Areas) != 24 || got.Level != .95 {
			t.Errorf("%s: %d areas", name, len(got.Areas))
		}
	}
	for line, want := range map[string]string{
		"means.json --areas region":               `--areas region; want "wage", the column of the means`,
		"rates.json --areas ill":                  `--areas ill; want a level of a feature, one of "ill=yes", "ill=no"`,
		"rates.json --areas ill=maybe":            `--areas ill=maybe; want a level of a feature, one of`,
		"table.json --areas region=r1":            "areas = 2; want at least 5",
		"one.json --areas ill=yes":                "want means of groups, or a level of a feature under naive Bayes",
		"one.json --areas wage":                   "--areas wage; want a release of group means, of naive Bayes, or",
		"means.json --areas wage --ask P(ill=no)": "--areas and --ask; want one of them",
		"means.json --figure x.svg":               "together with --check or --areas",
		"means.json --areas wage --figure x.png":  "a file name that ends in .svg",
	} {
		if code, _, errs := call(append([]string{"intervals"}, strings.Fields(line)...)...); code != exitUsage &&
			code != exitInput || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}
