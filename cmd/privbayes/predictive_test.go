package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The predictive check on the command line is that of the library, as a table, as JSON and as a figure; other releases
// and flags that say nothing of it are refused.
func TestPredictiveCheckOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, strings.Fields("release --data cps1988 --model linear-regression --target wage "+
		"--features education,region --epsilon 1 --delta 1e-6 --seed 3 --out r.json")...)
	want := must.Get(must.Get(release.Load(t.Context(), "r.json"))(t).PredictiveCheck())(t)
	var got struct {
		Check struct {
			Moments []struct {
				Name string
				Z    float64
			}
		}
		HTML string
	}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--check", "--json")), &got))
	if len(got.Check.Moments) != len(want.Moments) || !strings.Contains(got.HTML, "<table") {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i, m := range got.Check.Moments {
		if m.Name != want.Moments[i].Name || m.Z != want.Moments[i].Z() {
			t.Errorf("%+v, want %+v", m, want.Moments[i])
		}
	}
	out := mustCall(t, strings.Fields("intervals r.json --check --figure r.svg")...)
	if drawn := string(must.Get(os.ReadFile("r.svg"))(t)); !strings.Contains(out, "education · wage") ||
		!strings.Contains(drawn, "<svg") {
		t.Error(out)
	}
	mustCall(t, strings.Fields("release --data votes --target Class --epsilon 1 --seed 3 --out votes.json")...)
	for line, say := range map[string]string{
		"intervals votes.json --check":            "want a linear regression",
		"intervals r.json --check --test region":  "want one of them",
		"intervals r.json --check --level .9":     "want one of them",
		"intervals r.json --figure r2.svg":        "together with --check",
		"intervals r.json --check --figure r.png": "ends in .svg",
	} {
		if code, _, errs := call(strings.Fields(line)...); code == 0 || !strings.Contains(errs, say) {
			t.Errorf("%s: %d, %s", line, code, errs)
		}
	}
}

// Every coefficient is printed with the decimals of its own interval.
func TestDecimalsOfCoefficients(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, strings.Fields("release --data cps1988 --model linear-regression --target wage "+
		"--features education,experience --epsilon 4 --delta 1e-6 --seed 3 --out r.json")...)
	var list intervals
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--json")), &list))
	out, decimals := mustCall(t, "intervals", "r.json"), map[int]bool{}
	for _, r := range list.Rows {
		d := table.Decimals(float64(r.Upper-r.Lower) / (2 * 1.96))
		decimals[d] = true
		if ends := table.Fixed(float64(r.Lower), d) + " – " + table.Fixed(float64(r.Upper), d); !strings.Contains(out, ends) {
			t.Errorf("%s: want %s in\n%s", r.Of, ends, out)
		}
	}
	if len(decimals) < 2 {
		t.Errorf("all have the same decimals: %s", out)
	}
}
