package privbayes_test

import (
	"bytes"
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
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

// sales is the schema of products without a public list.
func sales(more string) *privbayes.Schema {
	s, err := privbayes.ParseSchema([]byte(`{"dataset": "sales", ` + more + `"columns": [
		{"name": "product", "kind": "open"}, {"name": "paid", "kind": "categorical", "categories": ["no", "yes"]}]}`))
	if err != nil {
		panic(err)
	}
	return s
}

// sold are rows of products p0, p1, …, of which p_i is sold as often as the i-th number says.
func sold(t *testing.T, often ...int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("product,paid\n")
	for i, n := range often {
		b.WriteString(strings.Repeat(fmt.Sprintf("p%d,yes\n", i), n))
	}
	path := filepath.Join(t.TempDir(), "sales.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

var asked = privbayes.ApproxDP(1, 1e-6).Under(dp.AddRemove)

// Categories are released once, charged once and loaded afterwards; the schema that is made of them reads the table,
// and plans under it say which release found them.
func TestDiscover(t *testing.T) {
	folder := t.TempDir()
	path := sold(t, 300, 1, 80, 2)
	open := func() *budget.Budget {
		return must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), sales(""),
			privbayes.ApproxDP(3, 1e-5).Under(dp.AddRemove)))(t)
	}
	file := filepath.Join(folder, "product.json")
	run := func() (*discovery.Found, error) {
		return privbayes.Discover(sales(""), "product", 1, path).WithBudget(open()).Privatize(asked, privbayes.KeepIn(file))
	}
	found := must.Get(run())(t)
	if again := must.Get(run())(t); !again.Loaded() || again.ID() != found.ID() || found.Loaded() ||
		len(open().Charges()) != 1 {
		t.Error(again)
	}
	if !slices.Equal(found.Categories(), []string{"p0", "p2"}) || found.Plan().Cut() != 14 ||
		found.Plan().Chance(15) <= .5 || found.Plan().Chance(29) < 1 {
		t.Error(found)
	}
	for i, c := range must.Get(found.Counts(1 - 1e-9))(t) {
		if truth := []int64{300, 80}[i]; c.Low > truth || c.High < truth || c.High-c.Low > 2*14+1 {
			t.Error(c, truth)
		}
	}
	v := must.Get(discovery.Verify(t.Context(), must.Get(os.ReadFile(file))(t)))(t)
	if !v.OK() || len(v.Results) != 2 {
		t.Error(v)
	}
	schema := must.Get(must.Get(privbayes.LoadCategories(file))(t).AddTo(sales("")))(t)
	rows := privbayes.LoadFrame(path, schema)
	target := privbayes.PureDP(1)
	plan, err := rows.Model(privbayes.Categorical("product")).Plan(privbayes.Geometric(), target.Under(dp.AddRemove))
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.Warnings().String(); !strings.Contains(text, found.ID()) {
		t.Error(text)
	}
	var other *mechanism.RowsError
	if _, err = rows.Model(privbayes.Categorical("product")).Plan(privbayes.Geometric(), target); !errors.As(err, &other) {
		t.Error(err)
	}
	if _, err = rows.Model(privbayes.Categorical("paid")).Plan(privbayes.Geometric(), target); err != nil {
		t.Error(err)
	}
	if _, err = rows.RunningTotals("product").Plan(privbayes.ZCDP(1)); err == nil {
		t.Error("running totals under another adjacency")
	}
	if sales("").Columns[0].Kind != frame.KindOpen || schema.Columns[0].Kind != frame.KindCategorical {
		t.Error(schema.Columns[0])
	}
	if _, err := found.AddTo(schema); err == nil {
		t.Error("a column is found twice")
	}
	text := must.Get(os.ReadFile(file))(t)
	for _, private := range []string{"p1", "p3"} {
		if bytes.Contains(text, []byte(private)) {
			t.Errorf("the file says %s", private)
		}
	}
}

// What can be refused is refused by a typed error before anything is read or charged.
func TestDiscoverRefuses(t *testing.T) {
	path, keyed := sold(t, 50), `"unit_key": "id", "rows_per_unit": 5, `
	nominal := asked
	nominal.NominalScale = true
	b := must.Get(budget.New("sales", budget.UnitOf(sales("")), asked))(t)
	var argument *dp.ParameterError
	var column *frame.ColumnError
	var schema *frame.SchemaError
	var unit *budget.UnitError
	for name, c := range map[string]struct {
		s      *privbayes.Schema
		column string
		most   int
		target privbayes.Target
		as     any
	}{
		"pure":                     {sales(""), "product", 1, privbayes.PureDP(1), &argument},
		"concentrated":             {sales(""), "product", 1, privbayes.ZCDP(1), &argument},
		"nominal":                  {sales(""), "product", 1, nominal, &argument},
		"δ of one row":             {sales(`"about_rows": 1000000, `), "product", 1, asked, &argument},
		"no bound":                 {sales(keyed), "product", 0, asked, &argument},
		"all categories":           {sales(keyed), "product", 100_000_000, asked, &argument},
		"several of a row":         {sales(""), "product", 2, asked, &argument},
		"a value replaced":         {sales(""), "product", 1, asked.Under(dp.ReplaceValue), &argument},
		"rows as units":            {sales(`"rows_per_unit": 2, `), "product", 1, asked, &schema},
		"a public list":            {sales(""), "paid", 1, asked, &column},
		"no such column":           {sales(""), "x", 1, asked, &column},
		"another unit's budget":    {sales(`"unit": "shop", `), "product", 1, asked, &unit},
		"a column not in the file": {sales(keyed), "product", 1, asked, &unit},
	} {
		_, err := privbayes.Discover(c.s, c.column, c.most, path).WithBudget(b).Privatize(c.target)
		if !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := privbayes.Discover(nil, "product", 1, path).Privatize(asked); !errors.Is(err, privbayes.ErrNoSchema) {
		t.Error(err)
	}
	if _, err := privbayes.Discover(sales(""), "product", 1, path+".none").WithBudget(b).Privatize(asked); err == nil {
		t.Error("a file that is not there")
	}
	if len(b.Charges()) != 0 {
		t.Error(b)
	}
	found := must.Get(privbayes.Discover(sales(""), "product", 1, path).Privatize(asked, privbayes.Seeded(1)))(t)
	for name, s := range map[string]*privbayes.Schema{"unit": sales(`"unit": "shop", `), "key": sales(keyed)} {
		if _, err := found.AddTo(s); !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	with := must.Get(found.AddTo(sales("")))(t)
	if !with.Inferred || found.Guarantee().Notion != dp.None {
		t.Error("a seeded list passes for a private one")
	}
	_, err := privbayes.LoadFrame(path, sales("")).Model(privbayes.Categorical("paid")).Plan(privbayes.Geometric(), asked)
	if !errors.As(err, &schema) {
		t.Error(err)
	}
}

// Plans, charges and errors are those of any other data: what is said of neighbours differs in nothing but the draw.
func TestDiscoverTellsNothingBefore(t *testing.T) {
	var said []string
	for _, often := range [][]int{{40}, {40, 1}, {40, 1, 1, 1, 1}} {
		b := must.Get(budget.New("sales", budget.UnitOf(sales("")), asked))(t)
		d := privbayes.Discover(sales(""), "product", 1, sold(t, often...)).WithBudget(b)
		plan := must.Get(d.Plan(asked))(t)
		file := filepath.Join(t.TempDir(), "kept.json")
		found := must.Get(d.Privatize(asked, privbayes.Seeded(7), privbayes.KeepIn(file)))(t)
		_, err := d.Privatize(asked, privbayes.Seeded(8)) // the budget is used up
		charge := b.Charges()[0]
		charge.Info = budget.Info{}
		said = append(said, fmt.Sprint(plan, charge, err, found.Warnings(), found.Guarantee()))
	}
	if said[0] != said[1] || said[1] != said[2] {
		t.Error(said)
	}
}

// A file is read only if everything in it follows from its plan.
func TestDiscoverForged(t *testing.T) {
	found := must.Get(privbayes.Discover(sales(""), "product", 1, sold(t, 90, 80)).Privatize(asked))(t)
	good := must.Get(found.JSON())(t)
	must.Get(discovery.Parse(t.Context(), good))(t)
	var cut map[string]any
	must.Do(t, json.Unmarshal(good, &cut))
	for name, forge := range map[string][2]string{
		"the cut":     {`"cut": 14`, `"cut": 13`},
		"the rate":    {`"num": `, `"num": 1`},
		"order":       {`"p0"`, `"p9"`},
		"a name":      {`"p0"`, `"other"`},
		"twice":       {`"p0"`, `"p1"`},
		"a count":     {`"counts": [`, `"counts": [3,`},
		"a large one": {`"counts": [`, `"counts": [9000000000000000`},
		"δ":           {`"delta": 3`, `"delta": 2`},
		"at most":     {`"at_most": 1`, `"at_most": 2`},
		"unknown":     {`"library"`, `"libraries"`},
		"other noise": {"truncated geometric", "discrete Gaussian"},
	} {
		bad := bytes.Replace(good, []byte(forge[0]), []byte(forge[1]), 1)
		var e *release.FileError
		if _, err := discovery.Parse(t.Context(), bad); bytes.Equal(bad, good) || !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "kept.json")
	must.Do(t, os.WriteFile(path, good, 0o600))
	var kept *keep.Error
	for _, d := range []*privbayes.Discovering{privbayes.Discover(sales(`"about_rows": 5, `), "product", 1, sold(t, 9))} {
		if _, err := d.Privatize(asked, privbayes.KeepIn(path)); !errors.As(err, &kept) {
			t.Error(err)
		}
	}
	if _, err := release.Parse(t.Context(), good); err == nil || !strings.Contains(err.Error(), "categories") {
		t.Error(err)
	}
}

// What is made of a found column, and what is charged elsewhere, still says which release found the categories.
func TestDiscoveredColumnsAreTraced(t *testing.T) {
	path := sold(t, 300, 200)
	found := must.Get(privbayes.Discover(sales(""), "product", 1, path).Privatize(asked))(t)
	schema := must.Get(found.AddTo(sales("")))(t)
	rows := privbayes.LoadFrame(path, schema)
	made := rows.Derive("first", []string{"paid", "product"}, func(labels []string) string { return labels[1][:1] }).
		Drop("product")
	target := privbayes.PureDP(1)
	plan, err := made.Model(privbayes.Categorical("first")).Plan(privbayes.Geometric(), target.Under(dp.AddRemove))
	if err != nil || !strings.Contains(plan.Warnings().String(), found.ID()) {
		t.Error(plan, err)
	}
	var other *mechanism.RowsError
	if _, err = made.Model(privbayes.Categorical("first")).Plan(privbayes.Geometric(), target); !errors.As(err, &other) {
		t.Error(err)
	}
	elsewhere := schema.Clone()
	elsewhere.Columns[1].Found = schema.Clone().Columns[0].Found
	elsewhere.Columns[1].Found.Adjacency = dp.ReplaceOne.String()
	var refused *frame.SchemaError
	if err := privbayes.LoadFrame(path, elsewhere).GroupBy("both", "product", "paid").Err(); !errors.As(err, &refused) {
		t.Error(err)
	}
	totals, err := rows.RunningTotals("paid", "product").Plan(privbayes.ZCDP(1).Under(dp.AddRemove))
	if err != nil || !strings.Contains(totals.Warnings().String(), found.ID()) {
		t.Error(totals, err)
	}
	for paid, want := range map[bool]bool{true: false, false: true} {
		b := must.Get(budget.New("sales", budget.UnitOf(sales("")), privbayes.ApproxDP(3, 1e-5).Under(dp.AddRemove)))(t)
		if paid {
			must.Do(t, b.Charge("sales", budget.Charge{ID: found.ID(), What: "categories", Level: found.Guarantee().Parameters,
				Adjacency: dp.AddRemove, Unit: budget.UnitOf(sales("")), State: budget.Adaptive}))
		}
		out := rows.WithBudget(b).Model(privbayes.Categorical("product")).Privatize(privbayes.Geometric(),
			target.Under(dp.AddRemove))
		if text := out.Warnings().String(); strings.Contains(text, "this budget has no charge of release") != want {
			t.Errorf("paid: %v: %s", paid, text)
		}
	}
}
