package privbayes_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// earnings is the schema of wages whose bounds nobody knows.
func earnings(more string) *privbayes.Schema {
	s, err := privbayes.ParseSchema([]byte(`{"dataset": "wages", ` + more + `"columns": [
		{"name": "wage", "kind": "real", "bounds": "unknown", "missing": ["NA"], "on_missing": "omit"},
		{"name": "age", "kind": "integer", "min": 0, "max": 120}]}`))
	if err != nil {
		panic(err)
	}
	return s
}

// earned are rows of wages, of which 2^i + 1/2 stands as often as the i-th number says.
func earned(t *testing.T, often ...int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("wage,age\n")
	for i, n := range often {
		b.WriteString(strings.Repeat(fmt.Sprintf("%d.5,30\n", 1<<i), n))
	}
	path := filepath.Join(t.TempDir(), "wages.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

var quarter = privbayes.PureDP(.25).Under(dp.AddRemove)

// A range is released once, charged once and loaded afterwards; the schema that has it reads the table, and what is
// released under it says which release found the bounds.
func TestFindRange(t *testing.T) {
	folder := t.TempDir()
	path := earned(t, 0, 0, 3, 400, 500, 300, 2)
	open := func() *budget.Budget {
		return must.Get(privbayes.OpenBudget(filepath.Join(folder, "ledger"), earnings(""), privbayes.PureDP(1).Under(
			dp.AddRemove)))(t)
	}
	file := filepath.Join(folder, "wage.json")
	run := func() (*discovery.Range, error) {
		f := privbayes.FindRange(earnings(""), "wage", path).WithBudget(open())
		target, err := f.Quarter()
		if err != nil {
			return nil, err
		}
		return f.Privatize(target, privbayes.KeepIn(file)) // add-remove, as the budget
	}
	found := must.Get(run())(t)
	if again := must.Get(run())(t); !again.Loaded() || again.ID() != found.ID() || found.Loaded() ||
		len(open().Charges()) != 1 || open().Spent().Epsilon != .25 {
		t.Error(again)
	}
	// Of a count of 300 or more the noise would have to be 246 or more: e^-61.
	low, high, err := found.Bounds()
	if err != nil || low > 8 || high < 64 || found.Plan().Cut() != 54 || found.Plan().Needs() != 810 ||
		found.Plan().FalseEnd() > 1e-4 {
		t.Error(low, high, err, found)
	}
	if octaves := must.Get(found.Octaves(1 - 1e-9))(t); len(octaves) < 3 {
		t.Error(octaves)
	}
	v := must.Get(discovery.VerifyRange(t.Context(), must.Get(os.ReadFile(file))(t)))(t)
	if !v.OK() || len(v.Results) != 3 {
		t.Error(v)
	}
	schema := must.Get(must.Get(privbayes.LoadRange(file))(t).AddTo(earnings("")))(t)
	rows := privbayes.LoadFrame(path, schema)
	target := privbayes.PureDP(.5)
	mean := rows.WithBudget(open()).Model(privbayes.Mean("wage"))
	out := mean.Privatize(privbayes.NoisySums(), target.Under(dp.AddRemove))
	text := out.Warnings().String()
	if out.Err() != nil || !strings.Contains(text, "bounds of column \"wage\" were found in the data by release "+
		found.ID()) || !strings.Contains(text, frame.Clipped) || strings.Contains(text, "this budget has no charge") {
		t.Error(out.Err(), text)
	}
	var other *mechanism.RowsError
	if _, err := mean.Plan(privbayes.NoisySums(), target); !errors.As(err, &other) || !strings.Contains(err.Error(),
		"bounds of column") {
		t.Error(err)
	}
	if _, err := rows.Model(privbayes.Mean("age")).Plan(privbayes.NoisySums(), target); err != nil {
		t.Error(err)
	}
	elsewhere := must.Get(budget.New("wages", budget.UnitOf(earnings("")), privbayes.PureDP(3).Under(dp.AddRemove)))(t)
	target = target.Under(dp.AddRemove)
	out = rows.WithBudget(elsewhere).Model(privbayes.Mean("wage")).Privatize(privbayes.NoisySums(), target)
	if text := out.Warnings().String(); !strings.Contains(text, "no charge of release "+found.ID()+", which found the "+
		"bounds") {
		t.Error(text)
	}
	if _, err := found.AddTo(schema); err == nil {
		t.Error("a range is found twice")
	}
}

// Tables say what is counted: units, of which one with several rows may have values elsewhere.
func TestTablesOfRanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.csv")
	must.Do(t, os.WriteFile(path, []byte("id,wage\n"+strings.Repeat("1,3\n1,5\n", 9)), 0o600))
	for more, many := range map[string]bool{"": false, `"unit_key": "id", "rows_per_unit": 20, `: true} {
		// The seed is fixed: at ε = 9 noise of 3 has a probability of e^-27.
		found := must.Get(privbayes.FindRange(earnings(more), "wage", path).Privatize(
			privbayes.PureDP(9).Under(dp.AddRemove), privbayes.Seeded(1)))(t)
		if text := found.Plan().String(); !strings.Contains(text, "units of an octave") {
			t.Error(text)
		}
		_, _, err := found.Bounds()
		if text := found.String(); (err == nil) == many || strings.Contains(text, "noisy counts of units") == many {
			t.Error(text)
		}
	}
	var rows strings.Builder
	for i := range 900 {
		fmt.Fprintf(&rows, "%d,3\n%d,500\n", i, i)
	}
	must.Do(t, os.WriteFile(path, []byte("id,wage\n"+rows.String()), 0o600))
	keyed := earnings(`"unit_key": "id", "rows_per_unit": 2, `)
	found := must.Get(privbayes.FindRange(keyed, "wage", path).Privatize(quarter, privbayes.Seeded(1)))(t)
	if text := found.String(); !strings.Contains(text, "more values may be outside") {
		t.Error(text)
	}
}

// That nothing was found is an outcome: it is charged and kept, and says so by a typed error.
func TestNoRange(t *testing.T) {
	b := must.Get(budget.New("wages", budget.UnitOf(earnings("")), quarter))(t)
	file := filepath.Join(t.TempDir(), "none.json")
	// The seed is fixed: one of ten thousand would find a range of three rows.
	found := must.Get(privbayes.FindRange(earnings(""), "wage", earned(t, 1, 1, 1)).WithBudget(b).Privatize(quarter,
		privbayes.KeepIn(file), privbayes.Seeded(5)))(t)
	var none *discovery.NoRangeError
	if _, _, err := found.Bounds(); !errors.As(err, &none) || none.Column != "wage" || none.Cut != 54 {
		t.Error(err)
	}
	if _, err := found.AddTo(earnings("")); !errors.As(err, &none) {
		t.Error(err)
	}
	if len(b.Charges()) != 1 || !strings.Contains(found.String(), "No range") {
		t.Error(b, found)
	}
	kept := must.Get(privbayes.LoadRange(file))(t)
	if noisy, sd := kept.Outside(); sd < 50 || noisy > 1000 || len(must.Get(kept.Octaves(.9))(t)) != 0 {
		t.Error(noisy, sd)
	}
	if text := string(must.Get(kept.JSON())(t)); strings.Contains(text, `"low"`) {
		t.Error(text)
	}
}

// Whole numbers have whole bounds, which reach around the octaves.
func TestRangeOfWholeNumbers(t *testing.T) {
	s := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "wages", "columns": [
		{"name": "wage", "kind": "integer", "bounds": "unknown"}, {"name": "a", "kind": "real", "bounds": "unknown"}]}`)))(t)
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte("wage,age\n"+strings.Repeat("0,1\n", 900)+strings.Repeat("-5,1\n", 900)), 0o600))
	found := must.Get(privbayes.FindRange(s, "wage", path).Privatize(quarter, privbayes.Seeded(1)))(t)
	low, high := 0., 0.
	if l, h, err := found.Bounds(); err != nil {
		t.Fatal(err)
	} else if low, high = l, h; low != -8 || high != 1 {
		t.Error(low, high)
	}
	with := must.Get(found.AddTo(s))(t)
	if c := with.Columns[0]; c.Min != -8 || c.Max != 1 || !with.Inferred || found.Guarantee().Notion != dp.None {
		t.Error(c, with.Inferred)
	}
	if with.Columns[1].Bounds != frame.BoundsUnknown {
		t.Error(with)
	}
}

// What can be refused is refused by a typed error before anything is read or charged.
func TestFindRangeRefuses(t *testing.T) {
	path := earned(t, 50)
	nominal := quarter
	nominal.NominalScale = true
	b := must.Get(budget.New("wages", budget.UnitOf(earnings("")), quarter))(t)
	var argument *dp.ParameterError
	var column *frame.ColumnError
	var schema *frame.SchemaError
	var unit *budget.UnitError
	for name, c := range map[string]struct {
		s      *privbayes.Schema
		column string
		target privbayes.Target
		as     any
	}{
		"with a δ":              {earnings(""), "wage", privbayes.ApproxDP(1, 1e-9), &argument},
		"concentrated":          {earnings(""), "wage", privbayes.ZCDP(1), &argument},
		"nominal":               {earnings(""), "wage", nominal, &argument},
		"a value replaced":      {earnings(""), "wage", quarter.Under(dp.ReplaceValue), &argument},
		"too few rows":          {earnings(`"about_rows": 809, `), "wage", quarter, &argument},
		"too few, replaced":     {earnings(`"about_rows": 810, `), "wage", privbayes.PureDP(.25), &argument},
		"rows as units":         {earnings(`"rows_per_unit": 2, `), "wage", quarter, &schema},
		"public bounds":         {earnings(""), "age", quarter, &column},
		"no such column":        {earnings(""), "x", quarter, &column},
		"another unit's budget": {earnings(`"unit": "shop", `), "wage", quarter, &unit},
	} {
		_, err := privbayes.FindRange(c.s, c.column, path+".none").WithBudget(b).Privatize(c.target)
		if !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := privbayes.FindRange(nil, "wage", path).Privatize(quarter); !errors.Is(err, privbayes.ErrNoSchema) {
		t.Error(err)
	}
	if _, err := privbayes.FindRange(earnings(""), "wage", path).Quarter(); !errors.As(err, &argument) {
		t.Error(err)
	}
	if _, err := privbayes.FindRange(earnings(`"about_rows": 810, `), "wage", path).Plan(quarter); err != nil {
		t.Error(err)
	}
	if _, err := privbayes.FindRange(earnings(""), "wage", path+".none").WithBudget(b).Privatize(quarter); err == nil ||
		len(b.Charges()) != 0 {
		t.Error(err, b)
	}
	found := must.Get(privbayes.FindRange(earnings(""), "wage", earned(t, 900)).Privatize(quarter))(t)
	for name, s := range map[string]*privbayes.Schema{"unit": earnings(`"unit": "shop", `),
		"key": earnings(`"unit_key": "id", "rows_per_unit": 5, `)} {
		if _, err := found.AddTo(s); !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole := must.Get(privbayes.ParseSchema([]byte(`{"dataset": "wages", "columns": [{"name": "wage",
		"kind": "integer", "bounds": "unknown", "missing": ["NA"], "on_missing": "omit"}]}`)))(t)
	if _, err := found.AddTo(whole); !errors.As(err, &argument) {
		t.Error(err)
	}
	if _, err := found.Octaves(1); !errors.As(err, &argument) {
		t.Error(err)
	}
	_, err := privbayes.LoadFrame(path, earnings("")).Model(privbayes.Mean("age")).Plan(privbayes.NoisySums(), quarter)
	if !errors.As(err, &schema) {
		t.Error(err)
	}
}

// Plans, charges and errors are those of any other data: what is said of neighbours differs in nothing but the draw.
func TestFindRangeTellsNothingBefore(t *testing.T) {
	var said []string
	for _, often := range [][]int{{900}, {900, 1}, {0, 1, 2, 3}} {
		b := must.Get(budget.New("wages", budget.UnitOf(earnings("")), quarter))(t)
		f := privbayes.FindRange(earnings(""), "wage", earned(t, often...)).WithBudget(b)
		plan := must.Get(f.Plan(quarter))(t)
		found := must.Get(f.Privatize(quarter, privbayes.Seeded(7), privbayes.KeepIn(filepath.Join(t.TempDir(), "k"))))(t)
		_, err := f.Privatize(quarter, privbayes.Seeded(8)) // the budget is used up
		charge := b.Charges()[0]
		charge.Info = budget.Info{}
		said = append(said, fmt.Sprint(plan, charge, err, found.Warnings(), found.Guarantee()))
	}
	if said[0] != said[1] || said[1] != said[2] {
		t.Error(said)
	}
}

// keptRange is the file of a range of which octaves are known: by a fixed seed.
func keptRange(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "w.csv")
	if err := os.WriteFile(path, []byte("wage,age\n"+strings.Repeat("3,3\n", 900)), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := privbayes.FindRange(earnings(""), "wage", path).Privatize(quarter, privbayes.Seeded(3))
	if err != nil {
		t.Fatal(err)
	}
	b, err := found.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A file is read only if everything in it follows from its plan.
func TestRangeForged(t *testing.T) {
	good := keptRange(t)
	must.Get(discovery.ParseRange(t.Context(), good))(t)
	for name, forge := range map[string][2]string{
		"the cut":       {`"cut": 54`, `"cut": 53`},
		"a higher cut":  {`"cut": 54`, `"cut": 55`},
		"the rate":      {`"num": `, `"num": 1`},
		"the end":       {`"high": 4`, `"high": 8`},
		"no end":        {`"low": 2,`, ``},
		"a count more":  {`"noisy_counts": [`, `"noisy_counts": [3,`},
		"a large count": {`"noisy_counts": [`, `"noisy_counts": [9000000000000000, `},
		"adjacency":     {`"add-remove"`, `"replace-one"`},
		"ε":             {`"epsilon": 0.25`, `"epsilon": 0.125`},
		"a column":      {`"column": "wage"`, `"column": "age"`},
		"an id":         {`"id": "`, `"id": " `},
		"unknown":       {`"library"`, `"libraries"`},
		"few rows":      {`"dataset": "wages"`, `"dataset": "wages", "about_rows": 5`},
		"format":        {discovery.RangeFormat, discovery.Format},
	} {
		bad := bytes.Replace(good, []byte(forge[0]), []byte(forge[1]), 1)
		var e *release.FileError
		_, err := discovery.ParseRange(t.Context(), bad)
		if bytes.Equal(bad, good) || !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "kept.json")
	must.Do(t, os.WriteFile(path, good, 0o600))
	var kept *keep.Error
	for _, s := range []*privbayes.Schema{earnings(`"about_rows": 5000, `), earnings(`"unit": "shop", `)} {
		if _, err := privbayes.FindRange(s, "wage", earned(t, 9)).Privatize(quarter, privbayes.KeepIn(path)); !errors.As(err,
			&kept) {
			t.Error(err)
		}
	}
	if _, err := release.Parse(t.Context(), good); err == nil || !strings.Contains(err.Error(), "a range of a column") {
		t.Error(err)
	}
	if discovery.IsFile(good) || !discovery.IsRange(good) {
		t.Error("formats")
	}
}

// Files of both kinds are read or refused by a typed error; what is read is written as it was.
func FuzzFoundFiles(f *testing.F) {
	f.Add(keptRange(f))
	f.Add([]byte(`{"format": "privbayes-range-1"}`))
	f.Add([]byte(`{"format": "privbayes-categories-1", "plan": {}, "categories": ["a"], "counts": []}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e *release.FileError
		r, err := discovery.ParseRange(t.Context(), b)
		if err == nil {
			again := must.Get(r.JSON())(t)
			same := must.Get(discovery.ParseRange(t.Context(), again))(t)
			if !bytes.Equal(must.Get(same.JSON())(t), again) || !json.Valid(again) {
				t.Error(string(again))
			}
			_ = r.String() + r.Plan().String()
		} else if !errors.As(err, &e) {
			t.Error(err)
		}
		if c, err := discovery.Parse(t.Context(), b); err == nil {
			_ = c.String()
		} else if !errors.As(err, &e) {
			t.Error(err)
		}
	})
}
