package privbayes_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// forged stands in every hostile text: outside quotes, in a display, it is that text speaking for the library.
const forged = "FORGED"

// visible texts pass as names and try to continue the guarantee that they stand in.
var visibleForgeries = []string{
	"person, sampling: exact FORGED", "person of up to 10 rows FORGED", `person", sampling: exact FORGED`,
	`person\", sampling: exact FORGED`,
	"person”, sampling: exact FORGED", "person'', sampling: exact FORGED", "person＂ FORGED",
	"ε = 0.001, add-remove, unit: all FORGED", `"FORGED"`,
}

// hidden texts are refused as names.
var hiddenForgeries = []string{
	"person\n0.001-DP FORGED", "person\rFORGED, sampling: exact", "person\x1b[2K\x1b[1AFORGED", "\u202eDEGROF " +
		"FORGED", "\u2066FORGED\u2069", "per\u200bson FORGED", "\ufeffFORGED",
	"FORGED\u00ad", "FORGED\u2028next", "FORGED\u009b2K", " FORGED", "FORGED\u00a0x", "FORGED\U000e0041", "\x00FORGED",
}

var inQuotes = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// poses reports whether a display lets a hostile text speak for itself: outside quotes, or by what a terminal obeys.
func poses(shown string) bool {
	for _, r := range shown {
		if r != '\n' && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
			return true
		}
	}
	return strings.Contains(inQuotes.ReplaceAllString(html.UnescapeString(shown), `""`), forged)
}

// The detector sees the way in which guarantees used to be shown, and quotes that a text can close.
func TestForgeriesAreSeen(t *testing.T) {
	for _, unit := range append(visibleForgeries, hiddenForgeries...) {
		if !poses("ε = 1, replace-one, unit: "+unit+", sampling: floating point") && unit != `"FORGED"` {
			t.Errorf("%q passes unquoted", unit)
		}
	}
	if unit := visibleForgeries[2]; !poses(`ε = 1, unit: "` + unit + `", sampling: floating point`) {
		t.Errorf("%q passes between quotes that it closes", unit)
	}
}

// survey is a private table whose names are of the test's making.
func survey(t *testing.T, dataset, unit, column string, rows int) *privbayes.Frame {
	t.Helper()
	s := &privbayes.Schema{Dataset: dataset, Unit: unit, RowsPerUnit: rows,
		Columns: []frame.Column{frame.Categorical(column, "yes", "no"), frame.Categorical("sex", "f", "m")}}
	f := privbayes.WrapFrame(frame.FromColumns(s, map[string]any{
		column: []string{"yes", "yes", "no", "yes", "no", "no", "yes", "yes"},
		"sex":  []string{"f", "m", "f", "m", "m", "f", "f", "m"}}))
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	return f
}

// No display lets the name of a unit, a data set or a column pose as a part of a guarantee.
func TestVisibleNamesStayInQuotes(t *testing.T) {
	texts := visibleForgeries
	if testing.Short() {
		texts = texts[:3]
	}
	for i, text := range texts {
		f := survey(t, text, text, text, 1+9*(i%2))
		budget := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), f.Data().Schema(), privbayes.PureDP(20)))(t)
		train, test := f.WithBudget(budget).Split(0.5, 1)
		p := train.Model(privbayes.NaiveBayes(text)).Privatize(privbayes.Geometric(), privbayes.PureDP(10),
			privbayes.Seeded(1))
		r := must.Get(p.Release())(t)
		report := must.Get(p.Evaluate(test))(t)
		raw := must.Get(r.JSON())(t)
		v, err := release.VerifyBytes(context.Background(), raw)
		if err != nil || !v.OK() {
			t.Fatal(err, v)
		}
		title := func(s string) string { return strings.SplitN(s, "\n", 2)[0] }
		facts := f.String()
		facts = title(facts) + facts[strings.LastIndex(strings.TrimSuffix(facts, "\n"), "\n"):]
		shown := map[string]string{
			"plan": r.Plan().String(), "plan, HTML": table.HTML(r.Plan()),
			"plan, Markdown": r.Plan().Table().Markdown(), "plan, CSV": cellsOf(t, r.Plan().Table().CSV()),
			"release": r.String(), "release, HTML": table.HTML(r), "caption": r.Caption(),
			"guarantee": r.Plan().Certified().String(), "verification": v.String(),
			"verification, HTML": table.HTML(v),
			"certificate":        r.Certificate().String(), "headlines": report.Headlines(),
			"report's caption": report.Caption(), "budget": budget.String(), "budget, HTML": table.HTML(budget),
			"privatized": p.String(), "privatized, HTML": table.HTML(p), "frame": facts,
			"other data set": fmt.Sprint(survey(t, "other", "x", "y", 1).WithBudget(budget).Err()),
			"charge": fmt.Sprint(train.Model(privbayes.NaiveBayes(text)).Privatize(privbayes.Geometric(),
				privbayes.PureDP(15), privbayes.Seeded(2)).Err()),
		}
		for _, fig := range report.Figures() {
			shown["figure "+fig.Title] = fig.Caption
		}
		for what, s := range shown {
			if poses(s) {
				t.Errorf("%q poses in %s:\n%s", text, what, s)
			}
		}
	}
}

// cellsOf are the cells of a CSV, a line each.
func cellsOf(t *testing.T, text string) string {
	rows := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.Join(r, "\n") + "\n")
	}
	return b.String()
}

// Every way in refuses texts that could not be shown, by an error that shows them escaped.
func TestHiddenNamesAreRefusedEverywhere(t *testing.T) {
	for _, text := range hiddenForgeries {
		quoted := must.Get(json.Marshal(text))(t)
		schema := func(dataset, unit, column, category string) error {
			s := &privbayes.Schema{Dataset: dataset, Unit: unit,
				Columns: []frame.Column{frame.Categorical(column, category, "b")}}
			_, err := model.NewShape(s, model.Categorical(column), 10, true, "")
			return err
		}
		ways := map[string]func() error{
			"data set in Go": func() error { return schema(text, "u", "c", "a") },
			"unit in Go":     func() error { return schema("d", text, "c", "a") },
			"column in Go":   func() error { return schema("d", "u", text, "a") },
			"category in Go": func() error { return schema("d", "u", "c", text) },
			"schema as JSON": func() error {
				_, err := privbayes.ParseSchema([]byte(`{"dataset": "d", "unit": ` + string(quoted) +
					`, "columns": [{"name": "c", "kind": "real", "max": 1}]}`))
				return err
			},
			"unknown field": func() error {
				_, err := privbayes.ParseSchema([]byte(`{"dataset": "d", ` + string(quoted) + `: 1}`))
				return err
			},
			"budget": func() error {
				_, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), &privbayes.Schema{Dataset: text},
					privbayes.PureDP(1))
				return err
			},
			"unit of a budget": func() error {
				_, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), &privbayes.Schema{Dataset: "d", Unit: text},
					privbayes.PureDP(1))
				return err
			},
			"key of a budget's unit": func() error {
				_, err := privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), &privbayes.Schema{Dataset: "d", UnitKey: text},
					privbayes.PureDP(1))
				return err
			},
			"ledger": func() error {
				path := filepath.Join(t.TempDir(), "b")
				must.Get(privbayes.OpenBudget(path, &privbayes.Schema{Dataset: "d"}, privbayes.PureDP(1)))(t)
				f := must.Get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
				fmt.Fprintf(
					f,
					`{"id":%s,"what":"w","level":{"notion":"pure","epsilon":0.1},"adjacency":"replace-one",`+
						`"unit":{"name":"person","rows":1},"state":"adaptive"}`+"\n",
					quoted,
				)
				f.Close()
				_, err := privbayes.OpenBudget(path, &privbayes.Schema{Dataset: "d"}, privbayes.PureDP(1))
				return err
			},
			"network in Go": func() error {
				_, err := bayesnet.NewDAG([]bayesnet.Node{{Name: text, States: []string{"a"}}})
				return err
			},
			"network as BIF": func() error {
				_, _, err := privbayes.ReadNetwork(strings.NewReader("variable \"" + text + "\" { type discrete [2] " +
					"{ a, b }; }"))
				return err
			},
			"state in BIF": func() error {
				_, _, err := privbayes.ReadNetwork(strings.NewReader("variable v { type discrete [2] { a, \"" + text +
					"\" }; }"))
				return err
			},
			"word in BIF": func() error { _, _, err := privbayes.ReadNetwork(strings.NewReader(text)); return err },
			"target": func() error {
				return survey(t, "d", "u", "c", 1).Model(privbayes.NaiveBayes(text)).Privatize(privbayes.Geometric(),
					privbayes.PureDP(1)).Err()
			},
			"path of a release": func() error { _, err := privbayes.LoadRelease("no/" + text); return err },
			"path to verify":    func() error { _, err := privbayes.Verify("no/" + text); return err },
			"path of a table": func() error {
				return privbayes.LoadFrame("no/"+text, survey(t, "d", "u", "c", 1).Data().Schema()).Err()
			},
			"path of a budget": func() error {
				_, err := privbayes.OpenBudget("no/"+text, &privbayes.Schema{Dataset: "d"}, privbayes.PureDP(1))
				return err
			},
			"path to keep in": func() error {
				return survey(t, "d", "u", "c", 1).Model(privbayes.NaiveBayes("c")).Privatize(privbayes.Geometric(),
					privbayes.PureDP(1), privbayes.KeepIn("no/"+text)).Err()
			},
		}
		for what, way := range ways {
			if err := way(); err == nil {
				t.Errorf("%q passes as %s", text, what)
			} else if poses(err.Error()) {
				t.Errorf("%q as %s poses in the error:\n%q", text, what, err)
			}
		}
	}
}

// leaves calls visit with every text of a JSON value, and with every key (set renames it), one at a time.
func leaves(v any, path string, visit func(path string, set func(string))) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			at := path + "." + k
			visit(at+" (key)", func(text string) { delete(x, k); x[text] = e })
			if _, ok := e.(string); ok {
				visit(at, func(text string) { x[k] = text })
			}
			leaves(e, at, visit)
		}
	case []any:
		for i, e := range x {
			at := fmt.Sprintf("%s[%d]", path, i)
			if _, ok := e.(string); ok {
				visit(at, func(text string) { x[i] = text })
			}
			leaves(e, at, visit)
		}
	}
}

// Whatever text of a release file is replaced, also a key, verification and loading show it in quotes or not at all; a
// unit replaced all over the file is a sound file about another unit, and is shown in quotes.
func TestTextsOfAReleaseFileDoNotPose(t *testing.T) {
	p := survey(t, "d", "household", "c", 1).Model(privbayes.Categorical("c")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1), privbayes.Seeded(1))
	r := must.Get(p.Release())(t)
	raw := must.Get(r.JSON())(t)
	decoded := func() (v any) {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		must.Do(t, d.Decode(&v))
		return v
	}
	ctx := cert.WithWorkLimit(context.Background(), 1000)
	look := func(where string, file []byte) (sound bool) {
		var shown []string
		v, err := release.VerifyBytes(ctx, file)
		if err != nil {
			shown = append(shown, err.Error())
		} else {
			shown = append(shown, v.String(), table.HTML(v), v.Title)
			sound = v.OK()
		}
		back, err := release.Parse(ctx, file)
		if err != nil {
			shown = append(shown, err.Error())
		} else {
			shown = append(shown, back.String(), table.HTML(back), back.Caption(), back.Plan().String(),
				back.Certificate().String())
		}
		for _, s := range shown {
			if poses(s) || len(s) > 20000 {
				t.Errorf("%s poses:\n%.3000q", where, s)
			}
		}
		return sound
	}
	var paths []string
	leaves(decoded(), "", func(path string, _ func(string)) { paths = append(paths, path) })
	if len(paths) < 80 {
		t.Fatalf("only %d texts", len(paths))
	}
	texts := []string{hiddenForgeries[0], hiddenForgeries[2], hiddenForgeries[3], visibleForgeries[0],
		visibleForgeries[2], strings.Repeat("FORGED ", 20000)}
	if testing.Short() {
		texts = texts[1:4]
	}
	for _, text := range texts {
		for _, path := range paths {
			v, done := decoded(), false
			leaves(v, "", func(at string, set func(string)) {
				if at == path && !done {
					done = true
					defer func() { set(text) }()
				}
			})
			file := must.Get(json.Marshal(v))(t)
			if look(fmt.Sprintf("%s = %.40q", path, text), file) &&
				(strings.HasPrefix(path, ".guarantee") || strings.HasPrefix(path, ".certificate")) {
				t.Errorf("%s = %.40q verifies", path, text)
			}
		}
	}
	for _, text := range visibleForgeries {
		quoted := must.Get(json.Marshal(text))(t)
		for _, name := range []string{"household", "d", "c"} {
			old, _ := json.Marshal(name)
			if !look(fmt.Sprintf("%s renamed %q", name, text), bytes.ReplaceAll(raw, old, quoted)) &&
				name == "household" {
				t.Errorf("a file about the unit %q does not verify", text)
			}
		}
		rows := decoded()
		rows.(map[string]any)["plan"].(map[string]any)["shape"].(map[string]any)["rows"] = []string{text}
		file := must.Get(json.Marshal(rows))(t)
		if !look("rows "+text, file) {
			t.Errorf("a file whose rows were chosen by %q does not verify", text)
		}
	}
}
