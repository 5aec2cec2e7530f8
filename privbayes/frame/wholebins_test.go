package frame

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Edges of whole numbers: where every number has a bin, the last edge is a bound; else the last bin is closed; a
// declared max decides.
func TestBinsOfWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		json   string // of the column, behind its name
		labels string
		read   string // values that are read, with their codes
		beyond string // the least whole number that is not
	}{
		{`"edges":[1990,1991,1992,1993]`, "[1990, 1991) [1991, 1992) [1992, 1993)", "1990:0 1991:1 1992:2", "1993"},
		{`"edges":[1990,1991,1992,1993],"min":1990,"max":1993`, "[1990, 1991) [1991, 1992) [1992, 1993]",
			"1990:0 1991:1 1992:2 1993:2", "1994"},
		{`"edges":[1990,1991,1992,1993],"min":1990,"max":1992`, "[1990, 1991) [1991, 1992) [1992, 1993)",
			"1990:0 1992:2", "1993"},
		{`"edges":[-1,0,1]`, "[-1, 0) [0, 1)", "-1:0 0:1", "1"},
		{`"edges":[18,40,65,120]`, "[18, 40) [40, 65) [65, 120]", "18:0 39:0 40:1 120:2", "121"},
		{`"edges":[18,40,65,120],"min":18,"max":119`, "[18, 40) [40, 65) [65, 120)", "64:1 65:2 119:2", "120"},
		{`"edges":[0,1]`, "[0, 1]", "0:0 1:0", "2"},
		{`"edges":[0,1,3]`, "[0, 1) [1, 3]", "0:0 1:1 3:1", "4"},
		{`"edges":[0.5,1.5,2.5]`, "[0.5, 1.5) [1.5, 2.5]", "1:0 2:1", "3"},
		{`"min":0,"max":3`, "[0, 3]", "0:0 3:0", "4"},
	} {
		s, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer",` + c.json + `}]}`))
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || string(again.JSON()) != string(s.JSON()) {
			t.Errorf("%s: written and read again: %v\n%s", c.json, err, s.JSON())
		}
		if got := strings.Join(s.Columns[0].Labels(), " "); got != c.labels {
			t.Errorf("%s: %s, want %s", c.json, got, c.labels)
		}
		var text, want = "y\n", []int(nil)
		for _, pair := range strings.Fields(c.read) {
			value, code, _ := strings.Cut(pair, ":")
			text, want = text+value+"\n", append(want, int(code[0]-'0'))
		}
		f, err := Read(t.Context(), strings.NewReader(text), "y.csv", s)
		if err != nil {
			t.Errorf("%s: %v", c.json, err)
			continue
		}
		codes, err := f.Codes("y")
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, f.Len())
		for i := range got {
			got[i] = int(codes.At(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: codes %v, want %v", c.json, got, want)
		}
		var out *ValueError
		if _, err := Read(t.Context(), strings.NewReader("y\n"+c.beyond+"\n"), "y.csv", s); !errors.As(err, &out) {
			t.Errorf("%s: %s is read: %v", c.json, c.beyond, err)
		}
	}
	for _, bad := range []string{`"edges":[0,5,10],"min":0,"max":8`, `"edges":[0,5,10],"min":1,"max":10`,
		`"edges":[0,5,10],"min":0,"max":11`} {
		if _, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer",` + bad + `}]}`)); err == nil ||
			!strings.Contains(err.Error(), "the last whole number below it") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"real","edges":[0,1,2],"min":0,` +
		`"max":1}]}`)); err == nil {
		t.Error("a real column whose last edge is above its max")
	}
	if c := Integer("y", 1990, 1991, 1992); c.Max != 1991 {
		t.Error(c.Max)
	}
	if c := Real("y", 0, 1, 2); c.Max != 2 {
		t.Error(c.Max)
	}
}

// Dates that each have a bin are as numbers are; a declared max decides.
func TestBinsOfDates(t *testing.T) {
	for _, c := range []struct{ layout, edges, labels, read, beyond string }{
		{"2006-01-02", "2024-02-28 2024-02-29 2024-03-01 2024-03-02",
			"[2024-02-28, 2024-02-29) [2024-02-29, 2024-03-01) [2024-03-01, 2024-03-02)", "2024-02-28:0 2024-02-29:1 2024-03-01:2",
			"2024-03-02"},
		{"2.1.2006", "31.12.1999 1.1.2000 2.1.2000", "[31.12.1999, 1.1.2000) [1.1.2000, 2.1.2000)", "31.12.1999:0 1.1.2000:1",
			"2.1.2000"},
		{"2006-01-02", "2024-03-01 2024-03-02", "[2024-03-01, 2024-03-02]", "2024-03-01:0 2024-03-02:0", "2024-03-03"},
		{"2006-01-02", "2024-03-01 2024-03-02 2024-03-04", "[2024-03-01, 2024-03-02) [2024-03-02, 2024-03-04]",
			"2024-03-01:0 2024-03-03:1 2024-03-04:1", "2024-03-05"},
		{"2006-01-02", "1969-12-31 1970-01-01 1970-01-02", "[1969-12-31, 1970-01-01) [1970-01-01, 1970-01-02)",
			"1969-12-31:0 1970-01-01:1", "1970-01-02"},
	} {
		edges := strings.Fields(c.edges)
		s := &Schema{Dataset: "d", Columns: []Column{Date("y", c.layout, edges...)}}
		text, err := ParseSchema([]byte(`{"dataset":"d","columns":[{"name":"y","kind":"integer","date":"` + c.layout +
			`","date_edges":["` + strings.Join(edges, `","`) + `"]}]}`))
		if err != nil || string(text.JSON()) != string(s.JSON()) {
			t.Errorf("%s: %v\n%s", c.edges, err, s.JSON())
			continue
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || string(again.JSON()) != string(s.JSON()) || strings.Join(again.Columns[0].Labels(), " ") != c.labels {
			t.Errorf("%s: %v %s", c.edges, err, again.Columns[0].Labels())
		}
		for pair := range strings.FieldsSeq(c.read) {
			value, code, _ := strings.Cut(pair, ":")
			f, err := Read(t.Context(), strings.NewReader("y\n"+value+"\n"), "y.csv", s)
			if err != nil || f.cols[0].codes.At(0) != int(code[0]-'0') {
				t.Errorf("%s: %s: %v", c.edges, pair, err)
			}
		}
		var out *ValueError
		if _, err := Read(t.Context(), strings.NewReader("y\n"+c.beyond+"\n"), "y.csv", s); !errors.As(err, &out) {
			t.Errorf("%s: %s is read: %v", c.edges, c.beyond, err)
		}
		declared := s.Clone()
		declared.Columns[0].Max = declared.Columns[0].Edges[len(edges)-1]
		if _, err := Read(t.Context(), strings.NewReader("y\n"+edges[len(edges)-1]+"\n"), "y.csv", declared); err != nil {
			t.Errorf("%s, declared: %v", c.edges, err)
		}
	}
}
