package privbayes_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// catalogue is sales with a public superset of the products.
func catalogue(within *frame.Within, more string) *privbayes.Schema {
	s := sales(more)
	s.Columns[0].Within = within
	return s
}

// fourDigits are p0, …, p9 and all texts of four letters and digits.
var fourDigits = &frame.Within{Shortest: 2, Length: 4, Alphabet: "a-z0-9"}

// Categories of a superset are released at pure ε, charged as such, and loaded and verified afterwards; values outside
// are others in the schema that is made of them.
func TestDiscoverWithin(t *testing.T) {
	folder := t.TempDir()
	path := sold(t, 300, 1, 80, 2)
	must.Do(t, os.WriteFile(path, append(must.Get(os.ReadFile(path))(t), strings.Repeat("outside,no\n", 200)...), 0o600))
	target := privbayes.PureDP(1).Under(dp.AddRemove)
	b := must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), sales(""),
		privbayes.PureDP(3).Under(dp.AddRemove)))(t)
	for name, w := range map[string]*frame.Within{"list": {Codes: []string{"p2", "p0", "p1", "zz"}}, "texts": fourDigits} {
		file, schema := filepath.Join(folder, name+".json"), catalogue(w, "")
		run := func() (*discovery.Found, error) {
			return privbayes.Discover(schema, "product", 1, path).WithBudget(b).Privatize(target, privbayes.KeepIn(file))
		}
		found := must.Get(run())(t)
		if again := must.Get(run())(t); !again.Loaded() || again.ID() != found.ID() {
			t.Error(again)
		}
		if g := found.Guarantee(); g.Notion != dp.Pure || g.Epsilon != 1 || g.Delta != 0 {
			t.Error(g)
		}
		if all := found.Categories(); !slices.Contains(all, "p0") || !slices.Contains(all, "p2") || !slices.IsSorted(all) ||
			slices.Contains(all, "outside") {
			t.Error(all)
		}
		v := must.Get(discovery.Verify(t.Context(), must.Get(os.ReadFile(file))(t)))(t)
		if !v.OK() || len(v.Results) != 3 {
			t.Error(v)
		}
		with := must.Get(must.Get(privbayes.LoadCategories(file))(t).AddTo(schema))(t)
		if c := with.Columns[0]; c.Within != nil || c.Found.Delta != 0 || c.Found.Epsilon != 1 {
			t.Error(c)
		}
		plan := must.Get(privbayes.LoadFrame(path, with).Model(privbayes.Categorical("product")).
			Plan(privbayes.Geometric(), target))(t)
		if text := plan.Warnings().String(); !strings.Contains(text, found.ID()) {
			t.Error(text)
		}
		want := map[string]string{"list": "All 4 codes", "texts": "All 1727568 codes"}[name]
		if text := found.Plan().String(); !strings.Contains(text, want) || !strings.Contains(text, "at most 0.0") {
			t.Error(text)
		}
	}
	if charges := b.Charges(); len(charges) != 2 || charges[0].Level.Epsilon != 1 || charges[0].Level.Delta != 0 {
		t.Error(charges)
	}
	cut := must.Get(privbayes.Discover(catalogue(fourDigits, ""), "product", 1).Plan(target))(t).Cut()
	replaced := must.Get(privbayes.Discover(catalogue(fourDigits, ""), "product", 1).Plan(privbayes.PureDP(1)))(t).Cut()
	if cut != 17 || replaced < 2*cut-1 {
		t.Error(cut, replaced)
	}
}

// What a superset cannot be used for is refused, and nothing is charged; a file says only what follows from its plan.
func TestDiscoverWithinRefuses(t *testing.T) {
	path := sold(t, 90)
	list := &frame.Within{Codes: []string{"p0", "p1"}}
	b := must.Get(budget.New("sales", budget.UnitOf(sales("")), privbayes.PureDP(1).Under(dp.AddRemove)))(t)
	var argument *dp.ParameterError
	var schema *frame.SchemaError
	for name, c := range map[string]struct {
		w      *frame.Within
		most   int
		target privbayes.Target
		as     any
	}{
		"no superset":        {nil, 1, privbayes.PureDP(1), &argument},
		"ρ without one":      {nil, 1, privbayes.ZCDP(1), &argument},
		"several of a row":   {list, 2, privbayes.PureDP(1), &argument},
		"a value replaced":   {list, 1, privbayes.PureDP(1).Under(dp.ReplaceValue), &argument},
		"tiny ε":             {list, 1, privbayes.PureDP(1e-300), &argument},
		"too many texts":     {&frame.Within{Length: 8, Alphabet: "a-z0-9"}, 1, privbayes.PureDP(1), &schema},
		"other among texts":  {&frame.Within{Length: 5, Alphabet: "a-z"}, 1, privbayes.PureDP(1), &schema},
		"a code that is not": {&frame.Within{Codes: []string{"a", " b"}}, 1, privbayes.PureDP(1), &schema},
	} {
		_, err := privbayes.Discover(catalogue(c.w, ""), "product", c.most, path).WithBudget(b).Privatize(c.target)
		if !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.Charges()) != 0 {
		t.Error(b)
	}
	target := privbayes.PureDP(1).Under(dp.AddRemove)
	found := must.Get(privbayes.Discover(catalogue(list, ""), "product", 1, path).
		Privatize(target, privbayes.Seeded(3)))(t)
	good := must.Get(found.JSON())(t)
	must.Get(discovery.Parse(t.Context(), good))(t)
	for name, forge := range map[string]func(f, plan, column, within map[string]any){
		"a code that is none": func(f, _, _, _ map[string]any) { f["categories"].([]any)[0] = "p9" },
		"noise": func(_, plan, _, _ map[string]any) {
			plan["rule"].(map[string]any)["noise"] = "truncated geometric"
		},
		"the rate":    func(_, plan, _, _ map[string]any) { plan["rule"].(map[string]any)["den"] = 1 << 30 },
		"more codes":  func(_, _, _, within map[string]any) { within["codes"] = []string{"p0", "p1", "p2", "p3", "p4"} },
		"no superset": func(_, _, column, _ map[string]any) { delete(column, "within") },
		"β":           func(_, _, _, within map[string]any) { within["beta"] = 1e-9 },
	} {
		var f map[string]any
		must.Do(t, json.Unmarshal(good, &f))
		plan := f["plan"].(map[string]any)
		column := plan["schema"].(map[string]any)["columns"].([]any)[0].(map[string]any)
		forge(f, plan, column, column["within"].(map[string]any))
		var e *release.FileError
		if _, err := discovery.Parse(t.Context(), must.Get(json.Marshal(f))(t)); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Before the draw nothing depends on what is held, under a superset neither.
func TestDiscoverWithinTellsNothingBefore(t *testing.T) {
	var said []string
	for _, often := range [][]int{{40}, {40, 1}, {}} {
		d := privbayes.Discover(catalogue(fourDigits, ""), "product", 1, sold(t, often...))
		b := must.Get(budget.New("sales", budget.UnitOf(sales("")), privbayes.PureDP(1)))(t)
		found := must.Get(d.WithBudget(b).Privatize(privbayes.PureDP(1), privbayes.Seeded(7)))(t)
		charge := b.Charges()[0]
		charge.Info = budget.Info{}
		said = append(said, strings.Join([]string{found.Plan().String(), found.Guarantee().String(), charge.What,
			found.Warnings().String()}, "|"))
	}
	if said[0] != said[1] || said[1] != said[2] {
		t.Error(said)
	}
}

// Under a superset every notion of a level will do: the certificate is of the loss of the noise on all that a unit
// moves, in that notion. At ρ less noise is needed than at the ε with ε²/2 = ρ. The schema says the level.
func TestDiscoverWithinOtherNotions(t *testing.T) {
	path := sold(t, 300, 200)
	keyed := `"unit_key": "paid", "rows_per_unit": 500, `
	pure := must.Get(privbayes.Discover(catalogue(fourDigits, keyed), "product", 3, path).Plan(privbayes.PureDP(1)))(t)
	for want, target := range map[string]privbayes.Target{"at ρ = 0.5 under": privbayes.ZCDP(.5),
		"at ε = 1 of order 8 under": privbayes.RenyiDP(8, 1), "at ρ = 0.5 up to order 20 under": dp.TCDP(.5, 20)} {
		p := must.Get(privbayes.Discover(catalogue(fourDigits, keyed), "product", 3, path).Plan(target))(t)
		if p.SD() > pure.SD() {
			t.Errorf("%s: more noise, %v, than at pure ε, %v", want, p.SD(), pure.SD())
		}
		b := must.Get(budget.New("sales", budget.UnitOf(sales("")), target))(t)
		found := must.Get(privbayes.Discover(catalogue(fourDigits, ""), "product", 1, path).WithBudget(b).
			Privatize(target))(t)
		back := must.Get(discovery.Parse(t.Context(), must.Get(found.JSON())(t)))(t)
		if v := must.Get(discovery.Verify(t.Context(), must.Get(found.JSON())(t)))(t); !v.OK() || back.Guarantee() !=
			found.Guarantee() || found.Guarantee().Notion != target.Notion {
			t.Error(v, found.Guarantee())
		}
		with := must.Get(found.AddTo(catalogue(fourDigits, "")))(t)
		if text := with.Columns[0].FoundBy(); !strings.Contains(text, want) {
			t.Error(text)
		}
		if charges := b.Charges(); len(charges) != 1 || charges[0].Level.Notion != target.Notion {
			t.Error(charges)
		}
	}
}
