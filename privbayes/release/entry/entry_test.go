package entry_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/selection"
)

// drawn is the file of a release of the votes.
func drawn(t testing.TB, m privbayes.Mechanism, target privbayes.Target, options ...privbayes.Option) []byte {
	t.Helper()
	return file(t, privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(m, target, options...))
}

func file(t testing.TB, p *privbayes.Privatized) []byte {
	t.Helper()
	r := must.Get(p.Release())(t)
	return must.Get(r.JSON())(t)
}

func drafted(t testing.TB, file []byte, options ...entry.Option) *entry.Entry {
	t.Helper()
	return must.Get(entry.Draft(t.Context(), file, options...))(t)
}

// schema is the registry's, by the names, types, lists and tiers of its fields.
func schema(t testing.TB) map[string]any {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join("testdata", "registry.json")))(t)
	var s map[string]any
	must.Do(t, json.Unmarshal(b, &s))
	return s
}

// faults lists where a value does not fit a schema, for the words that the fixture uses. greatest is the greatest tier
// of a field that is there.
func faults(s map[string]any, v any, path string, greatest *int) (out []string) {
	if tier, ok := s["tier"].(float64); ok {
		*greatest = max(*greatest, int(tier))
	}
	if types, ok := s["type"]; ok {
		list, several := types.([]any)
		if !several {
			list = []any{types}
		}
		if !slices.ContainsFunc(list, func(k any) bool { return is(k.(string), v) }) {
			return []string{path}
		}
	}
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, v) {
		return []string{path}
	}
	if s["format"] == "date" && !isDate(v.(string)) {
		return []string{path}
	}
	switch v := v.(type) {
	case map[string]any:
		fields, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				out = append(out, path+"/"+name.(string)+" is missing")
			}
		}
		for name, item := range v {
			field, known := fields[name].(map[string]any)
			if !known {
				if s["additionalProperties"] == false {
					out = append(out, path+"/"+name+" is unknown")
				}
				continue
			}
			out = append(out, faults(field, item, path+"/"+name, greatest)...)
		}
	case []any:
		if least, ok := s["minItems"].(float64); ok && len(v) < int(least) {
			out = append(out, path)
		}
		items, _ := s["items"].(map[string]any)
		for _, item := range v {
			out = append(out, faults(items, item, path, greatest)...)
		}
	}
	slices.Sort(out)
	return out
}

func is(kind string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int(v))
	}
	return false
}

func isDate(text string) bool {
	var y, m, d int
	n, err := fmt.Sscanf(text, "%4d-%2d-%2d", &y, &m, &d)
	return err == nil && n == 3 && len(text) == 10
}

// answers are what people would say, where a text is not enough.
var answers = map[string]any{
	"/deployment/basic/publication_date":                                 "2026-11-23",
	"/deployment/basic/data_product_sector":                              "Government",
	"/deployment/basic/data_curators/data_curator_type":                  "Nonprofit",
	"/deployment/deployment_model/data_source_type":                      "Static",
	"/deployment/privacy_loss/number_of_privacy_units":                   float64(400),
	"/deployment/implementation/composition":                             "One release.",
	"/deployment/basic/data_curators/data_curator_name":                  "An office",
	"/deployment/deployment_model/release_type_details":                  "None is planned.",
	"/deployment/deployment_model/trust_assumptions":                     "The office holds the table; the public has the release.",
	"/deployment/implementation/justification":                           "The rows are private.",
	"/deployment/administrative/registry_authors":                        "The office",
	"/deployment/basic/data_product_region":                              "A country",
	"/deployment/implementation/preprocessing_and_hyperparameter_tuning": "None.",
}

// answer replaces the questions of a document.
func answer(v any, path string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			v[name] = answer(item, path+"/"+name)
		}
	case []any:
		for i, item := range v {
			v[i] = answer(item, path)
		}
	case string:
		if strings.HasPrefix(v, entry.Question) {
			if a, ok := answers[path]; ok {
				return a
			}
			return "An answer."
		}
	}
	return v
}

// A draft has the registry's fields and no others, up to its tier; it is refused by its questions that are no text, and
// by nothing else; answered, it is valid. So for every notion and adjacency, with and without a public number of units.
func TestDraftsFitTheRegistry(t *testing.T) {
	registry := schema(t)
	perUnit := strings.Replace(`{"dataset": "visits", "unit": "patient", "rows_per_unit": 3, "columns": [
		{"name": "kind", "kind": "categorical", "categories": ["a", "b"]}, {"name": "age", "kind": "integer", "edges": [0, 50, 100]}]}`,
		"\t", "", -1)
	s := must.Get(privbayes.ParseSchema([]byte(perUnit)))(t)
	rows := "kind,age\na,10\nb,60\na,70\n"
	visits := file(t, privbayes.ReadFrame(strings.NewReader(rows), s).Model(privbayes.Categorical("kind")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1)))
	for name, c := range map[string]struct {
		file    []byte
		variant string
		asked   bool // about the number of units
	}{
		"pure":      {drawn(t, privbayes.KNorm(), privbayes.PureDP(1)), "Pure DP", false},
		"(ε, δ)":    {drawn(t, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6)), "Approximate DP", false},
		"zCDP":      {drawn(t, privbayes.DiscreteGaussian(), privbayes.ZCDP(0.1)), "Zero-concentrated DP", false},
		"Rényi":     {drawn(t, privbayes.DiscreteGaussian(), privbayes.RenyiDP(4, 0.5)), "Renyi DP", false},
		"truncated": {drawn(t, privbayes.Dirichlet(), privbayes.TCDP(0.1, 5)), "Custom", false},
		"add":       {drawn(t, privbayes.Geometric(), privbayes.PureDP(1).Under(privbayes.AddRemove)), "Pure DP", true},
		"value":     {drawn(t, privbayes.Geometric(), privbayes.PureDP(1).Under(privbayes.ReplaceValue)), "Pure DP", false},
		"rows":      {visits, "Pure DP", true},
	} {
		for tier := 1; tier <= 3; tier++ {
			e := drafted(t, c.file, entry.Tier(tier))
			b := must.Get(e.JSON())(t)
			var doc map[string]any
			must.Do(t, json.Unmarshal(b, &doc))
			greatest := 0
			open := faults(registry, doc, "", &greatest)
			if greatest != tier {
				t.Errorf("%s: the draft of tier %d has a field of tier %d", name, tier, greatest)
			}
			for _, path := range open {
				if !slices.Contains(e.Questions(), path) {
					t.Errorf("%s, tier %d: the registry refuses %s, which is no question", name, tier, path)
				}
			}
			asked := slices.Contains(e.Questions(), "/deployment/privacy_loss/number_of_privacy_units")
			if asked != (c.asked && tier == 3) || !slices.Contains(open, "/deployment/basic/publication_date") {
				t.Errorf("%s, tier %d: open are %v", name, tier, open)
			}
			if tier > 1 {
				if v := doc["deployment"].(map[string]any)["dp_variant"].(map[string]any)["variant_name"]; v != c.variant {
					t.Errorf("%s is called %v", name, v)
				}
			}
			if left := faults(registry, answer(doc, ""), "", &greatest); len(left) > 0 {
				t.Errorf("%s, tier %d: answered, the registry refuses %v", name, tier, left)
			}
			answered := must.Get(json.Marshal(doc))(t)
			if m, err := entry.Match(t.Context(), c.file, answered); err != nil || !m.OK() || m.Open != 0 {
				t.Errorf("%s, tier %d: %v, %v", name, tier, m, err)
			}
		}
	}
}

// A release without a guarantee has no record, nor one of another ledger.
func TestDraftRefuses(t *testing.T) {
	var private *entry.NotPrivateError
	if _, err := entry.Draft(t.Context(), drawn(t, privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7))); !errors.As(err,
		&private) || !strings.Contains(err.Error(), "seeded") {
		t.Error(err)
	}
	good := drawn(t, privbayes.Geometric(), privbayes.PureDP(1))
	var pe *dp.ParameterError
	for _, tier := range []int{0, 4} {
		if _, err := entry.Draft(t.Context(), good, entry.Tier(tier)); !errors.As(err, &pe) {
			t.Error(err)
		}
	}
	for _, dataset := range []string{"votes", "others"} {
		b := must.Get(budget.New(dataset, budget.Unit{Name: "member of Congress"}, privbayes.PureDP(1)))(t)
		_, err := entry.Draft(t.Context(), good, entry.Ledger(b))
		var uncharged *entry.UnchargedError
		var mismatch *budget.MismatchError
		if dataset == "votes" && !errors.As(err, &uncharged) || dataset != "votes" && !errors.As(err, &mismatch) {
			t.Errorf("%s: %v", dataset, err)
		}
	}
	if _, err := entry.Draft(t.Context(), []byte("{}")); err == nil {
		t.Error("an empty file is drafted")
	}
}

// With its ledger a record says how releases add up, and that there are several.
func TestLedgerSaysTheComposition(t *testing.T) {
	_, schema := data.Votes()
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "votes.budget"), schema, privbayes.PureDP(3)))(t)
	release := func(eps float64) []byte {
		return file(t, privbayes.ReadFrame(data.Votes()).WithBudget(b).Model(privbayes.NaiveBayes("Class", "V3")).
			Privatize(privbayes.Geometric(), privbayes.PureDP(eps)))
	}
	first := release(1)
	one := string(drafted(t, first, entry.Ledger(b)).YAML())
	release(0.5)
	two := string(drafted(t, first, entry.Ledger(b)).YAML())
	for text, want := range map[string][]string{one: {`release_type: "One release"`, "spend ε = 1 of a limit of ε = 3"},
		two: {`release_type: "Many releases"`, "has 2 charges", "spend ε = 1.5 of a limit of ε = 3"}} {
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
	}
}

// selected is the file of a selection of the votes, with cells within a share.
func selected(t testing.TB, within float64, options ...privbayes.Option) ([]byte, *selection.Selection) {
	t.Helper()
	rules := selection.Rules{Criteria: selection.Criteria{}.CellsWithin(1, within),
		Test: selection.Test{Epsilon: .5, Wrong: .1}, Stop: selection.Stop{OneIn: 10, Most: 3}, Report: .2}
	s := must.Get(privbayes.ReadFrame(data.Votes()).Select("Class", "V3", "V4").Model(privbayes.NaiveBayes("Class", "V3",
		"V4")).Accept(rules).Privatize(privbayes.Geometric(), privbayes.PureDP(4), options...))(t)
	return must.Get(s.JSON())(t), s
}

// The record of a selection states the guarantee of the whole choice, and nothing of tries: it belongs to no release of
// one candidate, nor does a record with a candidate's level belong to it.
func TestSelectionsAreDrafted(t *testing.T) {
	file, s := selected(t, .9)
	e := drafted(t, file)
	text := string(e.YAML())
	for _, want := range []string{s.ID(), "of the whole choice", "stopping after each with probability 1/10",
		"cells of up to 1 columns within 90 % of the rows", "of what is released of 3 candidates"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	whole, own := float64(s.Guarantee().Epsilon), float64(s.Plan().Candidate().Certified().Epsilon)
	if e.Selection().ID() != s.ID() || e.Release().Guarantee() != s.Guarantee() || !(own < .6*whole) {
		t.Errorf("%v of %v", own, whole)
	}
	right := must.Get(entry.Match(t.Context(), file, e.YAML()))(t)
	wrong := strings.Replace(text, fmt.Sprintf("epsilon: %v", whole), fmt.Sprintf("epsilon: %v", own), 1)
	if forged := must.Get(entry.Match(t.Context(), file, []byte(wrong)))(t); !right.OK() || wrong == text || forged.OK() {
		t.Errorf("%v\n%v", right, forged)
	}
	if other, _ := selected(t, .9); must.Get(entry.Match(t.Context(), other, e.YAML()))(t).OK() {
		t.Error("a record belongs to another selection")
	}
	ledger := must.Get(budget.New("votes", budget.UnitOf(privbayes.ReadFrame(data.Votes()).Data().Schema()),
		privbayes.PureDP(9)))(t)
	if _, err := entry.Draft(t.Context(), file, entry.Ledger(ledger)); !errors.As(err, new(*entry.UnchargedError)) {
		t.Error(err)
	}
	none, _ := selected(t, 1e-4)
	if _, err := entry.Draft(t.Context(), none); !errors.As(err, new(*selection.NoneAcceptedError)) {
		t.Error(err)
	}
	seeded, _ := selected(t, .9, privbayes.Seeded(1))
	if _, err := entry.Draft(t.Context(), seeded); !errors.As(err, new(*entry.NotPrivateError)) {
		t.Error(err)
	}
}
