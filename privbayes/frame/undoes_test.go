package frame

import "testing"

// Another schema does not undo what was said of the rows: whose they are, how many a unit has, how they were made.
func TestUnderUndoesNothing(t *testing.T) {
	f, err := mustRead(t, peopleCSV, people()).Drop("trip")
	if err == nil {
		f, err = f.Collapse("city", "abroad", "Bern", "Other")
	}
	if err == nil {
		f, err = f.Append(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Schema){
		"fewer rows of a unit": func(s *Schema) { s.RowsPerUnit = 1 },
		"rows of the default":  func(s *Schema) { s.RowsPerUnit = 0 },
		"another data set":     func(s *Schema) { s.Dataset = "other" },
		"another unit":         func(s *Schema) { s.Unit = "household" },
	} {
		s := f.Schema()
		edit(s)
		if g, err := f.Under(s); g != nil || !typed(err, &SchemaError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.schema.Inferred = true
	s := f.Schema()
	s.Steps, s.Inferred, s.RowsPerUnit = nil, false, 3
	g, err := f.Under(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.schema.Steps) != len(f.schema.Steps) || !g.schema.Inferred || g.schema.RowsPerUnit != 3 {
		t.Errorf("steps %q, inferred %v", g.schema.Steps, g.schema.Inferred)
	}
}

// Rows that were chosen by private values and then declared public have places of their own.
func TestPublicAfterWhereIsATableOfItsOwn(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	g, err := f.Where("vote", func(l string) bool { return l == "n" })
	if err == nil {
		g, err = g.AsPublic("invented")
	}
	if err != nil {
		t.Fatal(err)
	}
	if kind, shared := g.Selection().Overlap(f.Selection(), true); kind != OverlapUnknown || shared != 0 {
		t.Errorf("%q, %d rows", kind, shared)
	}
}
