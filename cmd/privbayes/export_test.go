package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

// A regression leaves as a program, as coefficients and as draws in Arrow: the same numbers as the library's.
func TestRegressionForOtherPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "cps1988", "--formula", "wage ~ education + experience", "--epsilon", "1", "--delta",
		"1e-6", "--seed", "3", "--out", "r.json")
	r := must.Get(release.Load(t.Context(), "r.json"))(t)
	mustCall(t, strings.Fields("export r.json --to stan --out wage")...)
	for _, want := range must.Get(export.To(r, export.Stan))(t) {
		if got := string(must.Get(os.ReadFile(filepath.Join("wage", want.Name)))(t)); got != want.Text {
			t.Errorf("%s: %s", want.Name, got)
		}
	}
	// With --json and --out there are the same files, and the answer says where: fronts always ask for JSON.
	said := mustCall(t, strings.Fields("export r.json --to stan --out again --json")...)
	var at exportedJSON
	must.Do(t, json.Unmarshal([]byte(said), &at))
	if at != (exportedJSON{r.ID(), "stan", "again"}) {
		t.Error(said)
	}
	for _, want := range must.Get(export.To(r, export.Stan))(t) {
		if got := string(must.Get(os.ReadFile(filepath.Join("again", want.Name)))(t)); got != want.Text {
			t.Errorf("%s: %s", want.Name, got)
		}
	}
	for line, wrong := range map[string]int{"export r.json --to bif": exitInput, "export r.json --to xml": exitUsage,
		"export r.json --to stan": exitUsage, "export r.json --to stan --out wage": exitInput,
		"export r.json --to stan --out again --json": exitInput} {
		if code, _, errs := call(strings.Fields(line)...); code != wrong {
			t.Errorf("%s: exit %d: %s", line, code, errs)
		}
	}
	draws := must.Get(r.PosteriorDraws())(t)
	var c coefficientsJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "coefficients", "r.json", "--json", "--level", ".9")), &c))
	rows := must.Get(csv.NewReader(strings.NewReader(mustCall(t, "coefficients", "r.json", "--level", ".9"))).ReadAll())(t)
	for j, name := range c.Names {
		mean := 0.
		for _, v := range draws.Values {
			mean += v[j] / float64(len(draws.Values))
		}
		if off := (c.Mean[j] - mean) / c.SD[j]; off > 1e-9 || off < -1e-9 || !(c.Lower[j] < mean && mean < c.Upper[j]) ||
			rows[j+1][0] != name || rows[j+1][4] != strconv.FormatFloat(c.Upper[j], 'g', -1, 64) {
			t.Errorf("%s: %v of %v, %v", name, c.Mean[j], mean, rows[j+1])
		}
	}
	mustCall(t, strings.Fields("draws r.json --format arrow --out d.arrow")...)
	schema := &frame.Schema{Dataset: "draws", ExtraColumns: true, Columns: []frame.Column{frame.Integer("draw", 0, 1000)}}
	source := must.Get(arrow.Open(t.Context(), schema, []string{"d.arrow"}))(t)
	if size := must.Get(source.Size(t.Context()))(t); size.N != len(draws.Values) {
		t.Errorf("%d draws", size.N)
	}
}
