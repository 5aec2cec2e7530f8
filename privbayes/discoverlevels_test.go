package privbayes_test

import (
	"encoding/json"
	"errors"
	"fmt"
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

// postcodes are four digits, of which the first and the first two are levels.
var postcodes = &frame.Within{Length: 4, Alphabet: "0-9", Levels: []int{1, 2}}

// livesIn is a table of postcodes, each as often as it says.
func livesIn(t *testing.T, often map[string]int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("product,paid\n")
	for code, n := range often {
		b.WriteString(strings.Repeat(code+",yes\n", n))
	}
	path := filepath.Join(t.TempDir(), "lives.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// Codes of few units stand under the longest beginning that is listed: in the release, in the schema that is made of
// it, and in what is released under that. All of it has one charge of the pure ε that was asked for. With a probability
// of 1 − 1e-9 the noise, at a rate of one third, moves no count by more than 70.
func TestDiscoverLevels(t *testing.T) {
	folder, target := t.TempDir(), privbayes.PureDP(1).Under(dp.AddRemove)
	path := livesIn(t, map[string]int{"1234": 500, "1299": 2, "1501": 400, "1502": 1, "7000": 3, "7100": 300, "7199": 250,
		"9": 900, "12345": 900})
	schema := catalogue(postcodes, "")
	b := must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), sales(""),
		privbayes.PureDP(3).Under(dp.AddRemove)))(t)
	file := filepath.Join(folder, "product.json")
	run := func() (*discovery.Found, error) {
		return privbayes.Discover(schema, "product", 1, path).WithBudget(b).Privatize(target, privbayes.KeepIn(file))
	}
	found := must.Get(run())(t)
	if again := must.Get(run())(t); !again.Loaded() || again.ID() != found.ID() || len(b.Charges()) != 1 {
		t.Error(again)
	}
	truth := map[string]int64{"1*": 903, "12*": 502, "1234": 500, "15*": 401, "1501": 400, "7*": 553, "71*": 550,
		"7100": 300, "7199": 250}
	seen := 0
	for _, c := range must.Get(found.Counts(1 - 1e-9))(t) {
		n, large := truth[c.Category]
		if large {
			seen++
		}
		if c.Low > n || c.High < n {
			t.Errorf("%+v does not hold %d", c, n)
		}
	}
	if seen != len(truth) {
		t.Error(found)
	}
	v := must.Get(discovery.Verify(t.Context(), must.Get(os.ReadFile(file))(t)))(t)
	if g := found.Guarantee(); !v.OK() || g.Notion != dp.Pure || g.Epsilon != 1 {
		t.Error(v, g)
	}
	with := must.Get(must.Get(privbayes.LoadCategories(file))(t).AddTo(schema))(t)
	if c := with.Columns[0]; c.Within == nil || c.Categories[len(c.Categories)-1] != "other" {
		t.Error(c)
	}
	rows := privbayes.LoadFrame(path, with)
	out := rows.WithBudget(b).Model(privbayes.Categorical("product")).Privatize(privbayes.Geometric(), target)
	if text := out.Warnings().String(); !strings.Contains(text, found.ID()) || strings.Contains(text, "no charge") {
		t.Error(text)
	}
	n, parts := 0., map[string]float64{"12*": 2, "15*": 1, "7*": 3, "71*": 0, "1*": 0, "1234": 500, "1501": 400,
		"7100": 300, "7199": 250, "other": 1800}
	for _, x := range parts {
		n += x
	}
	list, _ := must.Get2(must.Get(out.Release())(t).Intervals(t.Context(), 1-1e-9))(t)
	for _, x := range list {
		if share := parts[x.Label] / n; x.Rows.Lower > share || x.Rows.Upper < share {
			t.Errorf("%+v does not hold the share %v of those that are not listed more closely", x, share)
		}
	}
}

// What no levels can be is refused before anything is read, and a file says only what follows from its plan.
func TestDiscoverLevelsRefuses(t *testing.T) {
	path, target := livesIn(t, map[string]int{"1234": 90, "1240": 70}), privbayes.PureDP(1).Under(dp.AddRemove)
	var schema *frame.SchemaError
	for name, w := range map[string]*frame.Within{
		"not increasing": {Length: 4, Alphabet: "0-9", Levels: []int{2, 1}},
		"as long":        {Length: 4, Alphabet: "0-9", Levels: []int{4}},
		"no alphabet":    {Length: 4, Levels: []int{1}},
		"too many":       {Length: 12, Alphabet: "0-9", Levels: []int{1}},
		"shares":         {Length: 4, Alphabet: "0-9", Levels: []int{1}, Shares: []int{1}},
	} {
		if _, err := privbayes.Discover(catalogue(w, ""), "product", 1, path).Privatize(target); !errors.As(err, &schema) {
			t.Errorf("%s: %v", name, err)
		}
	}
	found := must.Get(privbayes.Discover(catalogue(postcodes, ""), "product", 1, path).
		Privatize(target, privbayes.Seeded(3)))(t)
	good := must.Get(found.JSON())(t)
	must.Get(discovery.Parse(t.Context(), good))(t)
	if all := found.Categories(); !slices.Equal(all, []string{"1*", "12*", "1234", "1240"}) {
		t.Fatal(all)
	}
	for name, forge := range map[string]func(f, within map[string]any){
		"no such node":     func(f, _ map[string]any) { f["categories"].([]any)[0] = "0**" },
		"another parent":   func(f, _ map[string]any) { f["categories"].([]any)[0] = "0*" },
		"a cut":            func(f, _ map[string]any) { f["cuts"].([]any)[2] = 1 },
		"no cuts":          func(f, _ map[string]any) { delete(f, "cuts") },
		"a level less":     func(f, _ map[string]any) { f["cuts"] = f["cuts"].([]any)[:2] },
		"other levels":     func(_, within map[string]any) { within["levels"] = []int{1, 3} },
		"no levels":        func(_, within map[string]any) { delete(within, "levels") },
		"shares":           func(_, within map[string]any) { within["shares"] = []int{1, 1, 2} },
		"one share more":   func(_, within map[string]any) { within["shares"] = []int{1, 1, 2, 3} },
		"cuts as decimals": func(f, _ map[string]any) { f["cuts"].([]any)[0] = 4.5 },
	} {
		var f map[string]any
		must.Do(t, json.Unmarshal(good, &f))
		column := f["plan"].(map[string]any)["schema"].(map[string]any)["columns"].([]any)[0].(map[string]any)
		forge(f, column["within"].(map[string]any))
		var e *release.FileError
		if _, err := discovery.Parse(t.Context(), must.Get(json.Marshal(f))(t)); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Before the draw nothing depends on what is held; levels at which nothing is held are charged like others. A node of
// which all children are listed is no category: no value is left for it.
func TestDiscoverLevelsTellNothingBefore(t *testing.T) {
	var said []string
	for _, often := range []map[string]int{{"1234": 40}, {"1234": 40, "9999": 1}, {}} {
		b := must.Get(budget.New("sales", budget.UnitOf(sales("")), privbayes.PureDP(1)))(t)
		found := must.Get(privbayes.Discover(catalogue(postcodes, ""), "product", 1, livesIn(t, often)).WithBudget(b).
			Privatize(privbayes.PureDP(1), privbayes.Seeded(7)))(t)
		charge := b.Charges()[0]
		charge.Info = budget.Info{}
		said = append(said, fmt.Sprint(found.Plan(), found.Guarantee(), charge, found.Warnings()))
	}
	if said[0] != said[1] || said[1] != said[2] {
		t.Error(said)
	}
	whole := &frame.Within{Codes: []string{"a1", "a2", "b1", "b2"}, Levels: []int{1}, Shares: []int{1, 2}}
	path := livesIn(t, map[string]int{"a1": 200, "a2": 200, "b1": 200})
	found := must.Get(privbayes.Discover(catalogue(whole, ""), "product", 1, path).
		Privatize(privbayes.PureDP(1), privbayes.Seeded(2)))(t)
	with := must.Get(found.AddTo(catalogue(whole, "")))(t)
	if got := with.Columns[0].Categories; !slices.Equal(got, []string{"a1", "a2", "b*", "b1", "other"}) {
		t.Error(got, found)
	}
}

// A later schema is compared with what was found: its guarantee, its list or bounds, and how codes are read. Columns
// that are made of a found one state the guarantee, and have lists of their own.
func TestFoundMatches(t *testing.T) {
	target := privbayes.PureDP(1).Under(dp.AddRemove)
	path := livesIn(t, map[string]int{"1234": 300, "1250": 200})
	found := must.Get(privbayes.Discover(catalogue(postcodes, ""), "product", 1, path).Privatize(target))(t)
	with := must.Get(found.AddTo(catalogue(postcodes, "")))(t)
	made := privbayes.LoadFrame(path, with).Derive("first", []string{"product"}, func(l []string) string {
		return l[0][:1]
	})
	must.Do(t, found.Matches(with))
	must.Do(t, found.Matches(must.Get(made.Drop("product").Model(privbayes.Categorical("first")).Shape())(t).Schema()))
	wages := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "wages", "columns": [{"name": "wage", "kind": "real",
		"bounds": "unknown"}]}`)))(t)
	file := filepath.Join(t.TempDir(), "wages.csv")
	must.Do(t, os.WriteFile(file, []byte("wage\n"+strings.Repeat("700\n", 3000)), 0o600))
	bounds := must.Get(privbayes.FindRange(wages, "wage", file).Privatize(target))(t)
	ranged := must.Get(bounds.AddTo(wages))(t)
	must.Do(t, bounds.Matches(ranged))
	var argument *dp.ParameterError
	for name, forge := range map[string]func(s, r *frame.Column){
		"a category": func(s, _ *frame.Column) { s.Categories[0] = "0*" },
		"one more":   func(s, _ *frame.Column) { s.Categories = append([]string{"0*"}, s.Categories...) },
		"levels":     func(s, _ *frame.Column) { s.Within.Levels = []int{1, 3} },
		"no levels":  func(s, _ *frame.Column) { s.Within = nil },
		"ε":          func(s, _ *frame.Column) { s.Found.Epsilon = .5 },
		"release":    func(s, _ *frame.Column) { s.Found.Release = "r" },
		"a bound":    func(_, r *frame.Column) { r.Max *= 2 },
		"range's ε":  func(_, r *frame.Column) { r.Found.Epsilon = 2 },
		"known":      func(_, r *frame.Column) { r.Found = nil },
	} {
		s, r := with.Clone(), ranged.Clone()
		forge(&s.Columns[0], &r.Columns[0])
		if err := errors.Join(found.Matches(s), bounds.Matches(r)); !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A table in memory is what its file is.
func TestDiscoverReading(t *testing.T) {
	path := livesIn(t, map[string]int{"1234": 300})
	text := string(must.Get(os.ReadFile(path))(t))
	target, seed := privbayes.PureDP(1), privbayes.Seeded(5)
	want := must.Get(privbayes.Discover(catalogue(postcodes, ""), "product", 1, path).Privatize(target, seed))(t)
	got := must.Get(privbayes.Discover(catalogue(postcodes, ""), "product", 1).
		Reading(frame.Shard{Name: "rows", Reader: strings.NewReader(text)}).Privatize(target, seed))(t)
	if got.String() != want.String() {
		t.Error(got)
	}
	wages := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "wages", "columns": [{"name": "wage", "kind": "real",
		"bounds": "unknown"}]}`)))(t)
	half := "wage\n" + strings.Repeat("700\n", 1500)
	found := must.Get(privbayes.FindRange(wages, "wage").Reading(frame.Shard{Name: "a", Reader: strings.NewReader(half)},
		frame.Shard{Name: "b", Reader: strings.NewReader(half)}).Privatize(target))(t)
	if low, high, err := found.Bounds(); err != nil || low > 512 || high < 1024 {
		t.Error(low, high, err)
	}
	var file *frame.FileError
	none := privbayes.FindRange(wages, "wage").Reading(frame.Shard{Name: "none"})
	if _, err := none.Privatize(target); !errors.As(err, &file) {
		t.Error(err)
	}
	var argument *dp.ParameterError
	if _, err := privbayes.FindRange(wages, "wage").Reading().Privatize(target); !errors.As(err, &argument) {
		t.Error(err)
	}
}

// Synthetic rows are units of their own, and public: that a release found a list for units of several rows does not
// keep them from being drawn, and nothing composes with it.
func TestDiscoveredColumnsAreSynthesized(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("id,product,paid\n")
	for i := range 400 {
		fmt.Fprintf(&rows, "%d,%s,yes\n", i/2, []string{"1234", "1299", "7000"}[i%3])
	}
	path := filepath.Join(t.TempDir(), "keyed.csv")
	must.Do(t, os.WriteFile(path, []byte(rows.String()), 0o600))
	schema := catalogue(postcodes, `"unit_key": "id", "rows_per_unit": 2, `)
	target := privbayes.PureDP(8).Under(dp.AddRemove)
	found := must.Get(privbayes.Discover(schema, "product", 2, path).Privatize(target))(t)
	with := must.Get(found.AddTo(schema))(t)
	out := privbayes.LoadFrame(path, with).Model(privbayes.NaiveBayes("paid", "product")).
		Privatize(privbayes.Geometric(), target)
	drawn := must.Get(must.Get(out.Release())(t).Synthesize(50, dp.Seeded(1)))(t)
	if c := drawn.Schema().Columns; len(c) != 2 || c[1].Found != nil || c[1].Within != nil ||
		!slices.Equal(c[1].Categories, with.Columns[0].Categories) {
		t.Error(drawn.Schema())
	}
	if by := with.Columns[0].Found; by == nil || found.Matches(with) != nil {
		t.Error("the schema of the release has changed")
	}
}
