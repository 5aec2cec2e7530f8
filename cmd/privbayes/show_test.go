package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// show and intervals say of a release what the library says of it, as text and as JSON, and the spec of show gives the
// model and the level of the plan.
func TestShowAndIntervals(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, flags := range map[string]string{
		"votes.json":     "--data votes --target Class --features V3,V4 --epsilon 1",
		"wage.json":      "--data cps1988 --target wage --model mean --epsilon 1",
		"quantiles.json": "--data cps1988 --target wage --model quantiles --at .1,.5 --epsilon 1",
		"draw.json":      "--data votes --model categorical --target V3 --mechanism posterior-sample --epsilon 1",
	} {
		released := mustCall(t, append(strings.Fields("release --seed 3 --out "+name), strings.Fields(flags)...)...)
		shown := mustCall(t, "show", name)
		if len(shown) == 0 || !strings.HasPrefix(released, strings.TrimSuffix(shown, "\n")) {
			t.Errorf("%s: release says\n%s\nand show\n%s", name, released, shown)
		}
		var j struct {
			ID      string
			N       int
			Spec    json.RawMessage
			Columns []struct{ Name string }
			Tables  []struct{ Title string }
			Graph   []struct{ Name string }
			HTML    string
		}
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "show", name, "--json")), &j))
		r := must.Get(release.Load(t.Context(), name))(t)
		n, _ := r.Plan().Shape().N()
		if j.ID != r.ID() || j.N != n || len(j.Columns) != len(r.Plan().Shape().Columns()) ||
			len(j.Tables) != 1+len(r.Parts()) || !strings.Contains(j.HTML, r.ID()) {
			t.Errorf("%s: %+v", name, j)
		}
		data, _, _ := strings.Cut(strings.TrimPrefix(flags, "--data "), " ")
		plan := planned(t, "plan", "--data", data, "--spec", string(j.Spec))
		var model, again struct{ Model, Level json.RawMessage }
		must.Do(t, json.Unmarshal(plan.Spec, &again))
		if err := json.Unmarshal(j.Spec, &model); err != nil || string(model.Model) != string(again.Model) ||
			string(model.Level) != string(again.Level) {
			t.Errorf("%s: %s, %s", name, j.Spec, plan.Spec)
		}
	}
	mustCall(t, strings.Fields("learn --data votes --epsilon 5 --algorithm tree --seed 3 --out learned.json")...)
	shown := mustCall(t, "show", "learned.json")
	if !strings.Contains(shown, "The command export has the conditional probabilities") ||
		strings.Contains(shown, "NoiseAware") {
		t.Errorf("functions of Go are named:\n%s", shown)
	}
	answers(t, "show")
}

// askedJSON is what intervals writes with --json.
type askedJSON struct {
	Level float64
	Rows  []struct {
		Of, Label, About       string
		Mean, SD, Lower, Upper float64
		Median                 bool
		RHat                   float64  `json:"r_hat"`
		Prior                  *float64 `json:"prior_lower"`
		Score                  *float64 `json:"score_upper"`
	}
	HTML string
}

// The rows of intervals are those of the release, at the level asked for; answers are those of package noiseaware.
func TestIntervalsAreThoseOfTheRelease(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, strings.Fields("release --data votes --target Class --features V3 --epsilon 1 --seed 3 --out r.json")...)
	r := must.Get(release.Load(t.Context(), "r.json"))(t)
	p := must.Get(noiseaware.Of(r))(t)
	want := must.Get(p.Summary(.8))(t)
	own, _ := must.Get2(r.Intervals(t.Context(), .8))(t)
	var got askedJSON
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--level", ".8", "--json")), &got))
	if got.Level != .8 || len(got.Rows) != 2*len(own) || len(own) != 8 {
		t.Fatalf("%+v", got)
	}
	for i, w := range own {
		for k, within := range []*mechanism.Range{w.Population, w.Rows} {
			if g := got.Rows[2*i+k]; g.Of != w.Of || g.Label != w.Label || g.About != []string{"population", "rows"}[k] ||
				g.Mean != w.Estimate || g.Lower != within.Lower || g.Upper != within.Upper {
				t.Errorf("%+v, want %+v", g, w)
			}
		}
	}
	if err := json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--level", ".8", "--json", "--posterior")),
		&got); err != nil || len(got.Rows) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, w := range want {
		if g := got.Rows[i]; g.Of != w.Of || g.Label != w.Label || g.Mean != w.Mean || g.Lower != w.Lower {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	var asked askedJSON
	for _, w := range own { // a share has one estimate, wherever it is asked for
		column, given, _ := strings.Cut(w.Of, " | ")
		question := "P(" + column + "=" + w.Label + " | " + given + ")"
		if given == "" {
			question = "P(" + column + "=" + w.Label + ")"
		}
		asked = askedJSON{}
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--level", ".8", "--json", "--ask", question)),
			&asked))
		if len(asked.Rows) != 2 || asked.Rows[0].Mean != w.Estimate || asked.Rows[0].Lower != w.Population.Lower ||
			asked.Rows[1].Upper != w.Rows.Upper || asked.Rows[1].Of != question {
			t.Errorf("%s: %+v, want %+v", question, asked.Rows, w)
		}
	}
	asked = askedJSON{}
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "r.json", "--level", ".8", "--json", "--posterior", "--ask",
		"P(V3=y | Class=democrat)", "--ask", "ratio(P(V3=y | Class=democrat), P(V3=y | Class=republican))")),
		&asked))
	exact := want[3] // V3 = y given democrat; the answer is of four chains
	if a := asked.Rows[0]; want[3].Label != "y" || math.Abs(a.Mean-exact.Mean) > .3*exact.SD || a.RHat < .99 ||
		a.RHat > 1.05 || math.Abs((a.Upper-a.Lower)/(exact.Upper-exact.Lower)-1) > .2 {
		t.Errorf("%+v, want nearly %+v", a, exact)
	}
	if a := asked.Rows[1]; !a.Median || a.SD != 0 || a.Lower >= a.Mean || a.Mean >= a.Upper {
		t.Errorf("%+v", a)
	}
}

// A share has one estimate, wherever it is asked for, whatever its columns are called and in whatever order they stand:
// of a cell of a table, and of a node given several parents. Other answers have the prior next to them, and, of one
// level, what one table says without a prior.
func TestAskedAsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := `{"dataset":"d","columns":[{"name":"a b","kind":"categorical","categories":["x, y","z"]},
		{"name":"c","kind":"categorical","categories":["yes","no"]},
		{"name":"d","kind":"categorical","categories":["1","2"]}]%s}`
	rows := "a b,c,d\n" + strings.Repeat("\"x, y\",yes,1\nz,no,2\nz,yes,1\n\"x, y\",no,1\n", 60)
	net := "network n {} "
	for _, v := range [][3]string{{"a b", "x, y", "z"}, {"c", "yes", "no"}, {"d", "1", "2"}} {
		net += fmt.Sprintf(`variable "%s" { type discrete [2] { "%s", "%s" }; } `, v[0], v[1], v[2])
	}
	net += `probability ("a b") { table .5, .5; } probability (c) { table .5, .5; } probability (d | c, "a b") {
		("yes", "x, y") .5, .5; ("yes", "z") .5, .5; ("no", "x, y") .5, .5; ("no", "z") .5, .5; }`
	for name, text := range map[string]string{"s.json": fmt.Sprintf(schema, ""), "rows.csv": rows, "net.bif": net,
		"census.json": fmt.Sprintf(schema, `,"sampling":"census"`)} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	const common = "release --data rows.csv --epsilon 1 --seed 3 --schema "
	mustCall(t, append(strings.Fields(common+"s.json --out table.json --table"), "a b,c")...)
	mustCall(t, strings.Fields(common+"s.json --out net.json --network net.bif --target c")...)
	mustCall(t, strings.Fields(common+"census.json --out census.release.json --network net.bif --target c")...)
	ask := func(file, question string) (got askedJSON) {
		must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", file, "--json", "--ask", question)), &got))
		return got
	}
	for _, c := range []struct{ file, of, label, question string }{
		{"table.json", "a b × c", "x, y, no", `P(c=no, "a b"="x, y")`}, {"table.json", "a b", "z", `P("a b"=z)`},
		{"net.json", "c", "no", "P(c=no)"}, {"net.json", `d | c = no, "a b" = z`, "2", `P(d=2 | "a b"=z, c=no)`},
	} {
		own, _ := must.Get2(must.Get(release.Load(t.Context(), c.file))(t).Intervals(t.Context(), .95))(t)
		at := slices.IndexFunc(own, func(i release.Interval) bool { return i.Of == c.of && i.Label == c.label })
		if at < 0 {
			t.Fatalf("no %s, %s in %+v", c.of, c.label, own)
		}
		got := ask(c.file, c.question)
		if len(got.Rows) != 2 || got.Rows[0].Mean != own[at].Estimate || got.Rows[0].Lower != own[at].Population.Lower ||
			got.Rows[1].Upper != own[at].Rows.Upper || got.Rows[0].Prior != nil {
			t.Errorf("%s: %+v, want %+v", c.question, got.Rows, own[at])
		}
	}
	mustCall(t, append(strings.Fields(common+"s.json --out named.json --network net.bif --target"), "a b")...)
	var listed askedJSON // a target without parents is a node, too, and is listed once
	must.Do(t, json.Unmarshal([]byte(mustCall(t, "intervals", "named.json", "--json")), &listed))
	if of := listed.Rows; len(of) != 2*(2+2+4*2) {
		t.Errorf("%d rows: %+v", len(of), of)
	}
	got := ask("net.json", "P(d=1 | c=no)")
	if len(got.Rows) != 1 || got.Rows[0].Prior == nil || got.Rows[0].Score != nil {
		t.Errorf("%+v", got)
	}
	if got := ask("net.json", "P(d=1)"); got.Rows[0].Prior == nil || got.Rows[0].Score == nil {
		t.Errorf("%+v", got)
	}
	text := mustCall(t, "intervals", "net.json", "--ask", "P(d=1)", "--level", ".8")
	if !strings.Contains(text, "prior 80 %") || !strings.Contains(text, "score 80 %: ") || strings.Contains(text, "95 %") {
		t.Error(text)
	}
	const whole = "The schema says that the rows are the whole population"
	for file, said := range map[string]bool{"net.json": false, "census.release.json": true} {
		if text := mustCall(t, "intervals", file, "--ask", "P(d=1 | c=no)"); strings.Contains(text, whole) != said {
			t.Errorf("%s: %s", file, text)
		}
	}
}

// The commands and the summary show the same digits, of every model; several means have units of their own.
func TestOneSetOfDigits(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, flags := range map[string]string{
		"means.json":  "--model means --target wage --features education --epsilon 1",
		"groups.json": "--model group-means --target wage --features region --epsilon 1",
		"spread.json": "--model mean-sd --target wage --epsilon .1",
		"shares.json": "--model histogram --target wage --epsilon .1",
		"class.json":  "--target parttime --features region,smsa --epsilon .01",
	} {
		mustCall(t, append(strings.Fields("release --data cps1988 --seed 3 --out "+name), strings.Fields(flags)...)...)
		shown, listed := mustCall(t, "show", name), mustCall(t, "intervals", name)
		for line := range strings.Lines(listed) {
			if of, within, ok := strings.Cut(line, " – "); ok {
				fields := strings.Fields(of)
				end := fields[len(fields)-1] + " – " + strings.TrimSpace(within)
				bracket := strings.Replace(end, " – ", "–", 1) // only those of the population
				if !strings.Contains(shown, end) && !strings.Contains(shown, bracket) && !(strings.Contains(of, " rows ") &&
					strings.Contains(of, " | ")) {
					t.Errorf("%s: %q is not in\n%s", name, end, shown)
				}
			}
		}
	}
	if shown := mustCall(t, "show", "means.json"); !strings.Contains(shown, "education    13.0") {
		t.Error(shown)
	}
}
