package privbayes_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// town has 300 made households with none to four persons, of which three are kept.
func town(t *testing.T) *privbayes.Frame {
	t.Helper()
	schema := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "town", "unit": "household", "tables": [
		{"name": "households", "key": "hid", "columns": [
			{"name": "side", "kind": "categorical", "categories": ["north", "south"]}]},
		{"name": "persons", "of": "households", "key": "hid", "at_most": 3, "columns": [
			{"name": "age", "kind": "integer", "edges": [0, 5, 18, 100]},
			{"name": "wage", "kind": "real", "min": 0, "max": 100}],
		 "per_unit": [{"name": "size", "is": "count"}, {"name": "infant", "is": "any", "of": "age", "where": ["[0, 5)"]},
			{"name": "oldest", "is": "max", "of": "age", "on_missing": "omit"},
			{"name": "youngest", "is": "min", "of": "age"},
			{"name": "income", "is": "sum", "of": "wage", "max": 150}]}]}`)))(t)
	var households, persons strings.Builder
	households.WriteString("hid,side\n")
	persons.WriteString("age,wage,hid\n")
	for i := range 300 {
		fmt.Fprintf(&households, "%d,%s\n", i, []string{"north", "south"}[i%2])
		for k := range i % 5 {
			fmt.Fprintf(&persons, "%d,%d,%d\n", (i*37+k*41)%100, i*7%100, i)
		}
	}
	folder := t.TempDir()
	h, p := filepath.Join(folder, "h.csv"), filepath.Join(folder, "p.csv")
	must.Do(t, os.WriteFile(h, []byte(households.String()), 0o600))
	must.Do(t, os.WriteFile(p, []byte(persons.String()), 0o600))
	f := privbayes.LoadTables(schema, h, p)
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	return f
}

// Columns that are made of the children serve every kind of model under both adjacencies, as of a table of one row a
// unit: the release is kept, loads and verifies, and its guarantee is about one household.
func TestModelsOfTwoTables(t *testing.T) {
	pure, approx := privbayes.PureDP(2), privbayes.ApproxDP(2, 1e-6)
	for _, c := range []struct {
		model  privbayes.ModelSpec
		mech   privbayes.Mechanism
		target privbayes.Target
	}{
		{privbayes.Mean("oldest"), privbayes.NoisySums(), pure},
		{privbayes.Mean("income"), privbayes.NoisySums(), pure},
		{privbayes.Table("size", "infant"), privbayes.Geometric(), pure},
		{privbayes.NaiveBayes("infant", "side", "size", "youngest"), privbayes.Geometric(), pure},
		{privbayes.LinearRegression("income", "size", "infant"), privbayes.SufficientStatistics(), approx},
	} {
		for _, adjacency := range []dp.Adjacency{privbayes.ReplaceOne, privbayes.AddRemove} {
			f, target := town(t), c.target.Under(adjacency)
			if adjacency == privbayes.AddRemove {
				f = f.WithoutN()
			}
			path := filepath.Join(t.TempDir(), "r.json")
			r, err := f.Model(c.model).Privatize(c.mech, target, privbayes.KeepIn(path)).Release()
			if err != nil {
				t.Errorf("%s, %s: %v", c.model, adjacency, err)
				continue
			}
			if !strings.Contains(r.Guarantee().String(), `unit: "household"`) {
				t.Errorf("%s: %s", c.model, r.Guarantee())
			}
			if v := must.Get(privbayes.Verify(path))(t); !v.OK() {
				t.Errorf("%s, %s: %s", c.model, adjacency, v)
			}
			page := must.Get(privbayes.PrivacyReport(path, privacyreport.Options{}))(t).Markdown()
			if !strings.Contains(page, `with at most 3 of "persons"`) {
				t.Errorf("%s, %s: the page does not say how many children count:\n%s", c.model, adjacency, page)
			}
		}
	}
}

// One value of a child may change several columns of its unit, so an adjacency of single values is refused.
func TestTwoTablesHaveNoSingleValues(t *testing.T) {
	var e *mechanism.RowsError
	_, err := town(t).Model(privbayes.Table("size", "infant")).Plan(privbayes.Geometric(),
		privbayes.PureDP(1).Under(privbayes.ReplaceValue))
	if !errors.As(err, &e) || e.Adjacency != dp.ReplaceValue {
		t.Error(err)
	}
}

// A publication of two tables has one charge in the ledger of its households, verifies, and its parts are about n
// households; a budget of persons is refused.
func TestPublishTwoTables(t *testing.T) {
	f, target := town(t), privbayes.PureDP(2).Under(privbayes.AddRemove)
	s := f.Data().Schema()
	ledger := must.Get(budget.New(s.Dataset, budget.UnitOf(s), target))(t)
	path := filepath.Join(t.TempDir(), "p.json")
	items := []publication.Item{privbayes.Item(privbayes.Binary("infant")).Within(.05),
		privbayes.Item(privbayes.Table("size", "side")), privbayes.Item(privbayes.Mean("income")).WithinOfRange(.1)}
	if _, err := f.WithBudget(ledger).Publish("town", target, items...).Privatize(privbayes.KeepIn(path)); err != nil {
		t.Fatal(err)
	}
	if v := must.Get(privbayes.Verify(path))(t); !v.OK() || len(ledger.Charges()) != 1 {
		t.Errorf("%s, %d charges", v, len(ledger.Charges()))
	}
	persons := must.Get(budget.New(s.Dataset, budget.UnitOf(&privbayes.Schema{Dataset: s.Dataset}), target))(t)
	var other *budget.UnitError
	if err := f.WithBudget(persons).Err(); !errors.As(err, &other) {
		t.Errorf("a budget of persons: %v", err)
	}
}

// A test part of two tables scores what was released of the other; a schema of one table is refused.
func TestTwoTablesSplit(t *testing.T) {
	whole := town(t)
	if v, err := whole.Check(); err != nil || v.Count() != 0 || v.Rows != 900 {
		t.Errorf("check: %v, %d of %d rows do not fit", err, v.Count(), v.Rows)
	}
	train, test := whole.Split(.7, 1)
	p := train.Model(privbayes.NaiveBayes("infant", "side", "size")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	if _, err := p.Evaluate(test); err != nil {
		t.Error(err)
	}
	var e *frame.SchemaError
	one := &privbayes.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "x", "y")}}
	if err := privbayes.LoadTables(one, "h.csv", "p.csv").Err(); !errors.As(err, &e) || e.Field != "tables" {
		t.Error(err)
	}
	if err := privbayes.LoadTables(nil, "h.csv", "p.csv").Err(); !errors.Is(err, privbayes.ErrNoSchema) {
		t.Error(err)
	}
}
