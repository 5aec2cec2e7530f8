package privbayes_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// wards is a table of made visits, one or two of a patient, some without a wage.
func wards(t *testing.T, units bool) *privbayes.Frame {
	t.Helper()
	head := `"extra_columns":true,`
	if units {
		head += `"unit":"patient","rows_per_unit":2,"unit_key":"id",`
	}
	schema := must.Get(privbayes.ParseSchema([]byte(`{"dataset":"visits",` + head + `"columns":[
		{"name":"smoker","kind":"categorical","categories":["yes","no"]},
		{"name":"ward","kind":"categorical","categories":["a","b","c"]},
		{"name":"wage","kind":"real","min":0,"max":100,"missing":["?"],"on_missing":"omit"},
		{"name":"age","kind":"real","min":0,"max":100}]}`)))(t)
	var csv strings.Builder
	csv.WriteString("id,smoker,ward,wage,age\n")
	for i := range 1200 {
		wage := fmt.Sprint(i * 7 % 100)
		if i%11 == 0 {
			wage = "?"
		}
		smoker := []string{"yes", "no"}[i*i%7%2]
		fmt.Fprintf(&csv, "%d,%s,%s,%s,%d\n", i*2/3, smoker, []string{"a", "b", "c"}[i%3], wage, i*13%100)
	}
	return privbayes.ReadFrame(strings.NewReader(csv.String()), schema)
}

// Models of every kind are items of a publication, of units of several rows and with values that are omitted: one
// charge, a file that verifies and loads, a page and a table of each. What cannot be an item is refused by name before
// any charge.
func TestPublishCrossed(t *testing.T) {
	counted := []publication.Item{privbayes.Item(privbayes.Binary("smoker")).Within(.02),
		privbayes.Item(privbayes.Table("smoker", "ward")), privbayes.Item(privbayes.Mean("wage")).WithinOfRange(.1)}
	learned := privbayes.Item(privbayes.Tree().Of("smoker", "ward").Always()).Named("net").Share(.3)
	fitted := privbayes.Item(privbayes.Logistic("smoker ~ age")).Named("fit").Share(.4).By(privbayes.FisherScoring())
	for name, c := range map[string]struct {
		target  privbayes.Target
		units   bool
		items   []publication.Item
		refused string
	}{
		"units, pure":       {privbayes.PureDP(2).Under(privbayes.AddRemove), true, counted, ""},
		"units, (ε, δ)":     {privbayes.ApproxDP(2, 1e-6).Under(privbayes.AddRemove), true, counted, ""},
		"units, public n":   {privbayes.PureDP(2), true, counted, "smoker"},
		"omitted, ρ":        {privbayes.ZCDP(.5), false, counted, ""},
		"learned":           {privbayes.ApproxDP(3, 1e-6), false, append(counted[:2:2], learned), ""},
		"learned, no share": {privbayes.PureDP(3), false, append(counted[:1:1], learned.Share(0).Within(.1)), "net"},
		"regression, pure":  {privbayes.PureDP(3), false, append(counted[:1:1], fitted), "fit"},
		"regression, units": {privbayes.ApproxDP(6, 1e-6).Under(privbayes.AddRemove), true,
			append(counted[:1:1], fitted), ""},
	} {
		if testing.Short() && c.target.Delta > 0 && c.refused == "" { // a list is composed
			continue
		}
		f := wards(t, c.units)
		s := f.Data().Schema()
		limit := privbayes.ApproxDP(7, 1e-5).Under(c.target.Adjacency)
		ledger := must.Get(budget.New(s.Dataset, budget.UnitOf(s), limit))(t)
		path := filepath.Join(t.TempDir(), "p.json")
		p, err := f.WithBudget(ledger).Publish(name, c.target, c.items...).Privatize(privbayes.KeepIn(path))
		if c.refused != "" {
			var item *publication.ItemError
			if !errors.As(err, &item) || item.Name != c.refused || len(ledger.Charges()) != 0 {
				t.Errorf("%s: %v, %d charges", name, err, len(ledger.Charges()))
			}
			continue
		}
		if err != nil || len(ledger.Charges()) != 1 {
			t.Errorf("%s: %v, %d charges", name, err, len(ledger.Charges()))
			continue
		}
		v := must.Get(privbayes.Verify(path))(t)
		if !v.OK() {
			t.Errorf("%s: %s", name, v)
		}
		if len(c.items) != len(counted) { // a structure or a regression is fitted again each time
			continue
		}
		back := must.Get(privbayes.LoadPublication(path))(t)
		page := must.Get(privbayes.PrivacyReport(path, privacyreport.Options{Budget: ledger}))(t)
		if back.ID() != p.ID() || page.Numbers.Guarantee != p.Guarantee() {
			t.Errorf("%s: %s, %s", name, back.ID(), page.Title)
		}
		for _, l := range p.Plan().Lines() {
			e := must.Get(export.EstimatesOf(t.Context(), must.Get(back.Item(l.Name))(t), .95))(t)
			if len(e.Rows) == 0 || e.Guarantee != p.Guarantee() {
				t.Errorf("%s: %s: %+v", name, l.Name, e)
			}
		}
	}
}

// Items of other rows than the first are refused: each alone is a plan.
func TestPublishOtherRows(t *testing.T) {
	s, calls := wards(t, false).Data().Schema(), 0
	_, err := publication.New(t.Context(), "x", privbayes.PureDP(1), []publication.Item{
		privbayes.Item(privbayes.Binary("smoker")), privbayes.Item(privbayes.Categorical("ward"))},
		func(m privbayes.ModelSpec) (*privbayes.Shape, error) {
			calls++
			return privbayes.NewShape(s, m, 100*calls)
		})
	var item *publication.ItemError
	if !errors.As(err, &item) || item.Name != "ward" || !strings.Contains(err.Error(), "n = 200") ||
		errors.As(err, new(*mechanism.CheckError)) {
		t.Error(err)
	}
}
