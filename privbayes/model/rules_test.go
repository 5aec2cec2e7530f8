package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"pgregory.net/rapid"
)

// combinations are those that rules rule out, as "i j" of the two columns' levels.
func combinations(t testing.TB, m model.LearnedModel, columns ...frame.Column) (out []string) {
	t.Helper()
	sh := must.Get(model.NewShape(&frame.Schema{Dataset: "ruled", Columns: columns}, m, 10, true, ""))(t)
	for _, z := range sh.Learning().Zeros {
		for at, no := range z.Forbidden {
			if width := columns[z.Columns[1]].Levels(); no {
				out = append(out, fmt.Sprint(at/width, " ", at%width))
			}
		}
	}
	return out
}

func TestRulesByCase(t *testing.T) {
	city := frame.Categorical("city", "Lyon", "Paris", "Ulm")
	country := frame.Categorical("country", "Germany", "France")
	unknown := country
	unknown.OnMissing, unknown.Missing = frame.MissingAsCategory, []string{"?"}
	whole := func(name string, edges ...float64) frame.Column { return frame.Integer(name, edges...) }
	real := func(name string, edges ...float64) frame.Column { return frame.Real(name, edges...) }
	partly := whole("a", 0, 2, 4)
	partly.OnMissing, partly.Missing = frame.MissingAsCategory, []string{"?"}
	pay := []string{"low", "middle", "high"}
	of := map[string]string{"Lyon": "France", "Ulm": "Germany"}
	for name, c := range map[string]struct {
		m    model.LearnedModel
		a, b frame.Column
		want string
	}{
		"a dependency; Paris may be anywhere": {model.Tree().Determines("city", "country", of), city, country, "0 0, 2 1"},
		"the other column stands first":       {model.Tree().Determines("city", "country", of), country, city, "0 0, 1 2"},
		"a missing country beside each city":  {model.Tree().Determines("city", "country", of), city, unknown, "0 0, 2 1"},
		"in two calls": {model.Tree().Determines("city", "country", map[string]string{"Lyon": "France"}).
			Determines("city", "country", of), city, country, "0 0, 2 1"},
		// a ≤ b of [0, 2), [2, 4]
		"real numbers":         {model.Tree().Ordered("a", "b"), real("a", 0, 2, 4), real("b", 0, 2, 4), "1 0"},
		"as large as the end":  {model.Tree().Ordered("a", "b"), real("a", 0, 4, 8), real("b", 0, 2, 4), "1 0"},
		"above the closed end": {model.Tree().Ordered("a", "b"), real("a", 0, 4.5, 8), real("b", 0, 2, 4), "1 0, 1 1"},
		"whole numbers":        {model.Tree().Ordered("a", "b"), whole("a", 0, 1.5, 4), whole("b", 0, 2.5, 4), ""},
		"whole numbers, apart": {model.Tree().Ordered("a", "b"), whole("a", 0, 2.5, 4), whole("b", 0, 2.2, 4), "1 0"},
		"years": {model.Tree().Ordered("a", "b"),
			whole("a", 0, 1, 2, 3), whole("b", 0, 1, 2, 3), "1 0, 2 0, 2 1"},
		"missing beside each": {model.Tree().Ordered("a", "b"), partly, whole("b", 0, 2, 4), "1 0"},
		"from right to left":  {model.Tree().Ordered("b", "a"), whole("a", 0, 2, 4), whole("b", 0, 2, 4), "0 1"},
		"categories": {model.Tree().Ordered("a", "b"), frame.Categorical("a", pay...), frame.Categorical("b", pay...),
			"1 0, 2 0, 2 1"},
	} {
		if got := strings.Join(combinations(t, c.m, c.a, c.b), ", "); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// An order rules out the combinations of bins that no two whole numbers in order have, and no others.
func TestOrderByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		column := func(name string) frame.Column {
			edges := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 3, 5, rapid.ID[int]).Draw(t, name)
			slices.Sort(edges)
			var at []float64
			for _, e := range edges {
				at = append(at, float64(2*e)+rapid.SampledFrom([]float64{0, .5}).Draw(t, "part"))
			}
			return frame.Integer(name, at...)
		}
		a, b := column("a"), column("b")
		sh, err := model.NewShape(&frame.Schema{Dataset: "ruled", Columns: []frame.Column{a, b}},
			model.Tree().Ordered("a", "b"), 10, true, "")
		bin := func(c frame.Column, v int) int {
			if x := float64(v); x < c.Min || x > c.Max {
				return -1
			}
			k := slices.IndexFunc(c.Edges, func(e float64) bool { return e > float64(v) })
			return map[bool]int{true: len(c.Edges) - 2, false: k - 1}[k < 0]
		}
		may := make([]bool, a.Levels()*b.Levels())
		for x := range 26 {
			for y := x; y < 26; y++ {
				if i, j := bin(a, x), bin(b, y); i >= 0 && j >= 0 {
					may[i*b.Levels()+j] = true
				}
			}
		}
		if err != nil {
			if slices.Contains(may, true) {
				t.Fatal(a.Edges, b.Edges, err)
			}
			return
		}
		forbidden := make([]bool, len(may))
		for _, z := range sh.Learning().Zeros {
			forbidden = z.Forbidden
		}
		for at, no := range forbidden {
			if no == may[at] {
				t.Fatalf("%v, %v: cell %d: ruled out: %t", a.Edges, b.Edges, at, no)
			}
		}
	})
}

func TestBadRules(t *testing.T) {
	columns := []frame.Column{frame.Categorical("city", "Lyon", "Ulm"), frame.Categorical("country", "Germany", "France"),
		frame.Integer("start", 0, 5, 10), frame.Integer("end", 0, 5, 10), frame.Integer("early", -9, -5, -1)}
	for name, c := range map[string]struct {
		m    model.LearnedModel
		says string
	}{
		"an unknown column": {model.Tree().Determines("town", "country", map[string]string{"Lyon": "France"}), `"town"`},
		"an unknown level":  {model.Tree().Determines("city", "country", map[string]string{"Lyn": "France"}), `"Lyn"`},
		"an unknown value": {model.Tree().Determines("city", "country", map[string]string{"Lyon": "Frnce"}),
			`"Frnce" for "Lyon"`},
		"no map":    {model.Tree().Determines("city", "country", nil), "without levels"},
		"of itself": {model.Tree().Determines("city", "city", map[string]string{"Lyon": "Lyon"}), "itself"},
		"two values": {model.Tree().Determines("city", "country", map[string]string{"Ulm": "France"}).
			Determines("city", "country", map[string]string{"Ulm": "Germany"}), `"Ulm" with "France" and with "Germany"`},
		"an order of one":     {model.Tree().Ordered("start"), "an order of 1 column"},
		"an order of nothing": {model.Tree().Ordered(), "an order of 0 columns"},
		"an order of itself":  {model.Tree().Ordered("start", "start"), "itself"},
		"an unordered column": {model.Tree().Ordered("start", "city"), "two columns of numbers"},
		"other categories":    {model.Tree().Ordered("country", "city"), "same categories"},
		"no record":           {model.Tree().Ordered("start", "early"), "rule out every record"},
		"PrivBayes":           {model.PrivBayes().Ordered("start", "end"), "as published"},
	} {
		_, err := model.NewShape(&frame.Schema{Dataset: "ruled", Columns: columns}, c.m, 10, true, "")
		var e *model.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file states the rules, and the model of a file has them again.
func TestRulesInFiles(t *testing.T) {
	columns := []frame.Column{frame.Categorical("city", "Lyon", "Ulm"), frame.Categorical("country", "Germany", "France"),
		frame.Integer("start", 0, 5, 10), frame.Integer("end", 0, 5, 10)}
	m := model.MaxEntropy().Determines("city", "country", map[string]string{"Lyon": "France"}).Ordered("start", "end")
	sh := must.Get(model.NewShape(&frame.Schema{Dataset: "ruled", Columns: columns}, m, 10, true, ""))(t)
	b := must.Get(json.Marshal(sh))(t)
	var again model.Shape
	must.Do(t, json.Unmarshal(b, &again))
	if again.Digest() != sh.Digest() || len(again.Learning().Zeros) != 2 {
		t.Errorf("%s", b)
	}
	if got := m.Settings().ZeroText(5); got != "city determines country (1 level); start ≤ end" {
		t.Error(got)
	}
	if got := fmt.Sprint(m); !strings.Contains(got, "2 rules") {
		t.Error(got)
	}
}
