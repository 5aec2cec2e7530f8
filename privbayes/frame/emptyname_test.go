package frame

import "testing"

// within checks that every code of a frame is one of its column.
func within(t *testing.T, name string, f *Frame) {
	t.Helper()
	for i, c := range f.schema.Columns {
		for _, seq := range f.cols[i].seqs {
			for _, code := range seq {
				if int(code) >= c.Levels() {
					t.Errorf("%s: %s has code %d of %d", name, c.Name, code, c.Levels())
				}
			}
		}
		if c.Kind == KindSequence {
			continue
		}
		codes := f.cols[i].codes
		if codes.Levels != c.Levels() || codes.Len() != f.n {
			t.Errorf("%s: %s has %d codes of %d, schema %d", name, c.Name, codes.Len(), codes.Levels, c.Levels())
		}
		for row := range codes.Len() {
			if codes.At(row) >= c.Levels() {
				t.Errorf("%s: row %d of %s has code %d of %d", name, row, c.Name, codes.At(row), c.Levels())
			}
		}
	}
}

// The empty text is no name of a category, whatever becomes of the missing category.
func TestRecodeToTheEmptyName(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	for name, do := range map[string]func() (*Frame, error){
		"a category":       func() (*Frame, error) { return f.Recode("city", map[string]string{"Bern": ""}) },
		"the other one":    func() (*Frame, error) { return f.Recode("city", map[string]string{"Other": ""}) },
		"all":              func() (*Frame, error) { return f.Collapse("city", "", "Ulm", "Bern", "Other") },
		"beside missing":   func() (*Frame, error) { return f.Recode("vote", map[string]string{"y": ""}) },
		"the missing":      func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": ""}) },
		"without missing":  func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "n", "y": ""}) },
		"the name of none": func() (*Frame, error) { return f.Rename("vote", "") },
	} {
		if g, err := do(); g != nil || !typed(err, &SchemaError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No step leaves a code outside its column.
func TestCodesOfEveryStepAreInTheirDomain(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	g, err := f.AsPublic("invented")
	if err != nil {
		t.Fatal(err)
	}
	cities := Categorical("country", "de", "ch", "x")
	table, err := FromColumns(&Schema{Dataset: "c", Columns: []Column{Categorical("city", "Ulm", "Bern", "Other"),
		cities}},
		map[string]any{"city": []string{"Ulm", "Bern", "Other"}, "country": []string{"de", "ch", "x"}})
	if err == nil {
		table, err = table.AsPublic("atlas")
	}
	if err != nil {
		t.Fatal(err)
	}
	flat, err := f.Drop("trip")
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func() (*Frame, error){
		"missing away":    func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "n"}) },
		"missing renamed": func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "none"}) },
		"missing changed": func() (*Frame, error) {
			return f.Recode("vote", map[string]string{"unrecorded": "n", "y": "unrecorded"})
		},
		"to missing":    func() (*Frame, error) { return f.Recode("vote", map[string]string{"y": "unrecorded"}) },
		"missing stays": func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "unrecorded"}) },
		"other":         func() (*Frame, error) { return f.Recode("city", map[string]string{"Other": "Ulm"}) },
		"collapse":      func() (*Frame, error) { return f.Collapse("city", "abroad", "Bern", "Other") },
		"cut":           func() (*Frame, error) { return f.Cut("age", 0, 65, 120) },
		"derive": func() (*Frame, error) {
			return f.Derive("d", []string{"age", "vote"}, func(l []string) string { return l[1] })
		},
		"group":            func() (*Frame, error) { return f.GroupBy("g", "city", "vote") },
		"rename":           func() (*Frame, error) { return f.Rename("city", "town") },
		"lookup":           func() (*Frame, error) { return f.Lookup("city", table) },
		"append":           func() (*Frame, error) { return f.Append(f) },
		"where":            func() (*Frame, error) { return f.Where("vote", func(l string) bool { return l != "y" }) },
		"public":           func() (*Frame, error) { return g.Head(3) },
		"under its schema": func() (*Frame, error) { return flat.Under(flat.Schema()) },
	} {
		h, err := do()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		within(t, name, h)
	}
}
